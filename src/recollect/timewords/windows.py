"""When a question speaks of: the dates, periods and relative times in its words, as windows of time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta
from typing import NamedTuple

from recollect.timewords.grammar import NUMBER, RULES, UNIT, away, small
from recollect.timewords.patterns import MONTH, WEEKDAY, by_first, compiled, weekday_number
from recollect.timewords.spans import Span, after, before, days, period, shifted

_READ = 2000  # characters: a question is shorter


@dataclass(frozen=True, slots=True)
class Window:
    """A time from `start` up to and without `end`; an open end is the first or the last moment of the calendar.

    `unit` is what it was called: day, week, month, season, year or range.
    """

    start: datetime
    end: datetime
    unit: str


_CUES = """
yesterday today tonight tomorrow day week fortnight month quarter year decade hour minute morning afternoon evening
night spring summer fall autumn winter jan feb mar apr may jun jul aug sep oct nov dec mon tue wed thu fri sat sun
March May Mon Tue Wed Thu Fri Sat Sun
""".split()
_CUE = rf"\d|\b(?:{by_first(_CUES)})"  # every rule needs one of these, and most questions have none


_AHEAD = (
    r"\b(?:will|shall|going\s+to|until|till|by|due|deadline|expected|expects?|plan(?:s|ned|ning)?|scheduled|booked"
    r"|appointment|reserved|upcoming|next|soon|starts?|begins?|arrives?|leaves?|opens?|closes?|ends?|expires?"
    r"|delayed|postponed|moved\s+to|takes\s+place|is\s+on|are\s+on|from\b.{1,30}\bto)\b|['’]ll\b"
)
_MONTHS = rf"\b{MONTH}\b"
_A_YEAR = r"\d{4}|['’]\d{2}\b"
_HALF_A_YEAR = timedelta(days=183)


class _Found(NamedTuple):
    begin: int
    stop: int
    span: Span


@dataclass(frozen=True, slots=True)
class Naming:
    """Where a text names a time: `text[start:stop]`, and the window that it means."""

    start: int
    stop: int
    window: Window


def windows(query: str, now: datetime) -> tuple[Window, ...]:
    """Return the windows a question names, in its order; `now` is the moment it is asked.

    Days are those of `now`'s own calendar, bounded at midnight UTC, where plain dates are kept. What has no year ("in
    March") is the latest that is not in the future.
    """
    return tuple(dict.fromkeys(naming.window for naming in namings(query, now)))


def namings(text: str, now: datetime) -> list[Naming]:
    """Return where a text, said at `now`, names which times, in order; only its first 2,000 characters are read."""
    if now.utcoffset() is None:
        raise ValueError("now has no offset: pass an aware datetime, such as datetime.now(UTC)")
    read = small(text[:_READ])
    if not compiled(_CUE).search(read):
        return []
    found = _outermost([_related(read, part) for part in _joined(read, _found(read, now.date()))])
    return [
        Naming(part.begin, part.stop, Window(_midnight(part.span.first), _midnight(part.span.after), part.span.unit))
        for part in found
        if part.span.first < part.span.after
    ]


def told(text: str, said: datetime) -> list[Naming]:
    """Return where a statement made at `said` names which times: a date without a year may lie ahead of it.

    It does where the words speak of what is to come ("until 20 July", "the wedding will be in May") and the date of
    that year is nearer than the one before.
    """
    found = namings(text, said)
    if not compiled(_AHEAD).search(small(text[:_READ])):
        return found
    try:
        nearest = {(each.start, each.stop): each for each in namings(text, said + _HALF_A_YEAR)}
    except OverflowError:
        return found
    return [
        nearest.get((each.start, each.stop), each) if _is_yearless(text[each.start : each.stop]) else each
        for each in found
    ]


def _is_yearless(text: str) -> bool:
    """Say whether a time is a date of any year: it names a month, and no year."""
    return compiled(_MONTHS).search(small(text)) is not None and compiled(_A_YEAR).search(text) is None


def _midnight(day: date) -> datetime:
    return datetime.max.replace(tzinfo=UTC) if day == date.max else datetime.combine(day, time(), UTC)


def _found(text: str, today: date) -> list[_Found]:
    """Return what the rules find, in the order of the text; of two that overlap, what the earlier rule finds."""
    found: list[_Found] = []
    for pattern, read in RULES:
        for match in compiled(pattern).finditer(text):
            begin, stop = match.span("at") if "at" in match.re.groupindex else match.span()
            if any(begin < part.stop and part.begin < stop for part in found):
                continue
            try:
                found += [_Found(begin, stop, span) for span in list(read(match, today))]
            except (ValueError, OverflowError):  # 31 February, or beyond the calendar
                continue
    return sorted(found)


_BETWEEN = r"\b(?:between|from)\s+(?:the\s+)?$"
_TO = r"\s*(?:and|to|through|until|till|-|–)\s*(?:the\s+)?"


def _joined(text: str, found: list[_Found]) -> list[_Found]:
    """Make one of two that are the ends of a range: "between 5 May and 8 June"."""
    joined: list[_Found] = []
    for part in found:
        if joined and _are_ends(text, joined[-1], part):
            joined[-1] = _Found(joined[-1].begin, part.stop, _range(joined[-1].span, part.span))
        else:
            joined.append(part)
    return joined


def _are_ends(text: str, one: _Found, two: _Found) -> bool:
    between = compiled(_BETWEEN).search(text, 0, one.begin)
    return between is not None and compiled(_TO).fullmatch(text, one.stop, two.begin) is not None


def _range(one: Span, two: Span) -> Span:
    if one.first > two.first and one.unit != "year" and one.first.year > 1:
        # "between November and February": the November before
        one = Span(shifted(one.first, -1, "year"), shifted(one.after, -1, "year"), one.unit)
    return Span(min(one.first, two.first), max(one.after, two.after), "range")


_NEXT_TO = (
    rf"(?:\b(?:(?P<number>{NUMBER})|the|last|that)\s+)?\b(?:(?P<unit>{UNIT}|night)s?|(?P<weekday>{WEEKDAY}))\s+"
    r"(?P<side>before|prior\s+to|after|following|of)\s+(?:the\s+)?$"
)
_OPEN = (
    r"\b(?:(?P<before>before|prior\s+to|earlier\s+than)|(?P<until>until|till|by|up\s+to)|(?P<since>since|starting)"
    r"|(?P<after>after|later\s+than|following))\s+(?:(?:about|around|on|in|the|early|late|mid)[\s-]+)*$"
)
_ONWARDS = r"\s+(?:onwards?|and\s+(?:later|after)|or\s+later)\b"


def _related(text: str, part: _Found) -> _Found:
    """Return what the words around a span make of it: "the week before 5 May", "since June 2023"."""
    span, look = part.span, max(0, part.begin - 60)
    try:
        if near := compiled(_NEXT_TO).search(text, look, part.begin):
            beside = _beside(near, span)
            return _Found(near.start(), part.stop, beside) if beside else part
    except (ValueError, OverflowError):
        return part
    if word := compiled(_OPEN).search(text, look, part.begin):
        first = {"since": span.first, "after": span.after}.get(word.lastgroup or "", date.min)
        last = {"before": span.first, "until": span.after}.get(word.lastgroup or "", date.max)
        return _Found(word.start(), part.stop, Span(first, last, "range"))
    if compiled(_ONWARDS).match(text, part.stop):
        return _Found(part.begin, part.stop, Span(span.first, date.max, "range"))
    return part


def _beside(near: re.Match[str], span: Span) -> Span | None:
    """Return the day, week, weekend or weekday just before, just after or around a span."""
    unit = "day" if near["unit"] == "night" else near["unit"]
    if near["side"] == "of":
        return period(span.first, unit) if unit and span.unit == "day" else None
    earlier = near["side"].startswith(("before", "prior"))
    if near["weekday"] or (unit == "weekend" and not near["number"]):
        weekday = weekday_number(near["weekday"]) if near["weekday"] else 5
        day = before(span.first, weekday) if earlier else after(span.after - timedelta(1), weekday)
        return days(day, 1, "day") if near["weekday"] else days(day, 2)
    if near["number"]:
        return away(span.first if earlier else span.after - timedelta(1), near["number"], unit, -1 if earlier else 1)
    called = unit if unit in ("day", "week", "month", "year") else "range"
    if earlier:
        return Span(shifted(span.first, -1, unit), span.first, called)
    return Span(span.after, shifted(span.after, 1, unit), called)


def _outermost(found: list[_Found]) -> list[_Found]:
    """Drop what lies inside another: in "the weekend before 5 May" the weekend is said once."""
    return [
        part
        for part in found
        if not any(part[:2] != one[:2] and one.begin <= part.begin and part.stop <= one.stop for one in found)
    ]
