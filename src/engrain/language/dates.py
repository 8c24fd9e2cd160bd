"""Dates in text: time stamps, the time windows that a question names, and whether it asks for a time."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, date, datetime, time, timedelta, timezone
from typing import NamedTuple

from engrain.language.date_rules import (
    DAY,
    MONTH,
    NUMBER,
    RULES,
    UNIT,
    WEEKDAY,
    YEAR,
    Span,
    after,
    away,
    before,
    by_first,
    compiled,
    day_number,
    days,
    month_number,
    period,
    shifted,
    small,
    weekday_number,
)


def parse_when(value: datetime | date | str, *, name: str) -> datetime:
    """Return a caller's time in UTC; a plain date is its midnight. `name` is what the error calls the argument.

    A date and time without an offset is a `ValueError`: only the caller knows which clock it was read from.
    """
    if isinstance(value, str):
        value = _iso(value, name)
    if not isinstance(value, date):
        raise TypeError(f"{name} must be a datetime, a date or an ISO 8601 string, not {type(value).__name__}")
    if not isinstance(value, datetime):
        return datetime.combine(value, time(), UTC)
    if value.utcoffset() is None:
        raise ValueError(
            f"{name} has no offset: {value.isoformat()!r} is another moment in every place; add one, such as "
            f"{value.isoformat()}+00:00, or tzinfo=UTC"
        )
    try:
        return value.astimezone(UTC)
    except OverflowError:
        raise ValueError(f"{name} lies outside the years 1 to 9999 in UTC: {value.isoformat()!r}") from None


def _iso(text: str, name: str) -> datetime | date:
    text = text.strip()
    try:
        return date.fromisoformat(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        raise ValueError(
            f"{name} must be an ISO 8601 date or time such as 2023-05-08 or 2023-05-08T13:56:00Z, not {text[:80]!r}"
        ) from None


# ----------------------------------------------------------------------------------------------------------- log stamps

_EPOCH = r"(?a)\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}"
_DATES = (
    r"(?ai)(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)",
    rf"(?ai)\b(?P<day>{DAY})[\s-]+(?:of\s+)?(?P<name>{MONTH})[\s,-]+(?P<year>{YEAR})\b",
    rf"(?ai)\b(?P<name>{MONTH})\s+(?P<day>{DAY})(?:,\s*|\s+)(?P<year>{YEAR})\b",
    r"(?ai)\b(?P<one>\d{1,2})(?P<sep>[/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)\b",
)
_CLOCK = (
    r"(?ai)T?\b(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?"
)
_OFFSET = r"(?a)(?:(?:UTC|GMT)\s*)?(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)\b|\b(?:UTC|GMT|Z)\b"
_REST = rf"(?i)(?:{WEEKDAY}|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun|on|at|utc|gmt|[\s,.;|()\[\]–-])*"


def parse_loose(text: str) -> datetime | None:
    """Return the moment a log's time stamp names, in UTC and by UTC where it has no offset; None when it names none.

    The whole text must be the stamp. A day whose order cannot be known ("5/8/2023") is None rather than a guess.
    """
    text = text.strip()
    try:
        if compiled(_EPOCH).fullmatch(text):
            return _since_1970(text)
        if len(text) > 80:
            return None
        return _aware(datetime.fromisoformat(text)) if text[:4].isdigit() else _written(text)
    except OverflowError:
        return None
    except ValueError:
        return _written(text)


def _written(text: str) -> datetime | None:
    """Take date, clock time and offset out of the text; nothing else may be left."""
    try:
        found = next((match for pattern in _DATES if (match := compiled(pattern).search(text))), None)
        day = None if found is None else _day(found)
        if found is None or day is None:
            return None
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        clock = compiled(_CLOCK).search(rest)
        offset = compiled(_OFFSET).search(rest, clock.end()) if clock else None
        for taken in (offset, clock):
            rest = f"{rest[: taken.start()]} {rest[taken.end() :]}" if taken else rest
        if not compiled(_REST).fullmatch(rest):
            return None
        return _aware(datetime.combine(day, _clock(clock) if clock else time(), _zone(offset) if offset else UTC))
    except (ValueError, OverflowError):
        return None


def _day(match: re.Match[str]) -> date | None:
    part = match.groupdict()
    year = int(part["year"]) + (2000 if len(part["year"]) == 2 else 0)
    if part.get("name"):
        return date(year, month_number(part["name"]), day_number(part["day"]))
    if part.get("month"):
        return date(year, int(part["month"]), int(part["day"]))
    one, two = int(part["one"]), int(part["two"])
    if part["sep"] == "." or one > 12 or one == two:
        return date(year, two, one)
    return date(year, one, two) if two > 12 else None


def _clock(match: re.Match[str]) -> time:
    hour = int(match["hour"])
    if match["half"]:
        if not 1 <= hour <= 12:
            raise ValueError("an hour of a twelve-hour clock is 1 to 12")
        hour = hour % 12 + (12 if match["half"] in "pP" else 0)
    return time(hour, int(match["minute"]), int(match["second"] or 0), int((match["fraction"] or "").ljust(6, "0")))


def _zone(match: re.Match[str]) -> timezone:
    if not match["sign"]:
        return UTC
    ahead = timedelta(hours=int(match["hours"]), minutes=int(match["minutes"]))
    return timezone(ahead if match["sign"] == "+" else -ahead)


def _aware(moment: datetime) -> datetime:
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _since_1970(digits: str) -> datetime:
    whole, _, fraction = digits.partition(".")
    microseconds = int(fraction[:6].ljust(6, "0")) if fraction else 0
    scale = {10: 1_000_000, 13: 1_000, 16: 1}[len(whole)]
    return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(whole) * scale + microseconds)


_UNIT = "(?:(?:day|night|week|weekend|month|year|decade|morning|afternoon|evening|summer|winter|spring)s?|autumn|fall)"
_COUNTED = "(?:days|nights|weeks?|weekends|months?|years?|decades?)"
_AMOUNT = "few several couple one two three four five six seven eight nine ten eleven twelve".split()
_NEAR = "last next this past previous coming other".split()
_CUES_MONTHS = "january february april june july august september october november december".split()
_SHORT = "jan feb mar apr may jun jul aug sep sept oct nov dec march".split()
_TELLING = (  # in small letters
    *"yesterday today tonight tomorrow ago recently lately nowadays weekends? midnight noon o'clock".split(),
    *_CUES_MONTHS,
    *(f"{day}days?" for day in "mon tues wednes thurs fri satur sun".split()),
    *(rf"{day}(?=\)|,?\s+\d)" for day in "mon tue wed thu fri sat sun".split()),
    *(rf"{which}\s+(?:(?:\d+|{'|'.join(_AMOUNT)})\s+)?(?:{_UNIT}|{WEEKDAY})" for which in _NEAR),
    *(rf"{number}\s+(?:of\s+)?{_COUNTED}" for number in _AMOUNT),
    r"a\s+(?:week|month|year|decade)",
    *(
        rf"{lead}[\s-]+(?:may|march)(?!\s+(?:be|have|not))"
        for lead in "in last next since until by of during mid".split()
    ),
    *(rf"{month}\.?\s+\d{{1,2}}(?:st|nd|rd|th)?" for month in _SHORT),
    r"the\s+\d{1,2}(?:st|nd|rd|th)",
    rf"\d+\s+{_COUNTED}",
    rf"\d{{1,2}}(?:st|nd|rd|th)?\s+(?:of\s+)?(?:{'|'.join((*_SHORT, *_CUES_MONTHS))})",
    r"\d{1,2}(?::\d\d)?\s?[ap]\.?m",
    r"\d{1,2}:\d\d",
    r"\d{1,2}/\d{1,2}/\d{2,4}",
    r"(?:19|20)\d\d(?:['’]?s)?(?![.,]\d|\s*%)",
)


_TIME_WORDS = rf"\b(?:{by_first(_TELLING)})\b"
_ASKS_WHEN = (
    r"(?i)^\W*(?:(?:and|so|but|then|ok|hey|hi|sorry|please)\W+)*(?:since\s+|until\s+|by\s+|from\s+|exactly\s+)?when\b"
    r"(?!\s+(?:i|you|we|they|he|she|it|my|the)\b[^?]*,\s*(?:what|who|whom|whose|where|which|how|why|did|do|does|is|are|was)\b)"
    r"|\bwhen(?:'s|’s|\s+exactly)?\s+(?:did|do|does|was|were|is|are|am|will|would|can|could|should|shall|has|have|had)\b"
    r"|\b(?:tell|remind|ask|know|knew|remember|recall|say|said|mention(?:ed)?|wonder(?:ing)?|sure|confirm|find\s+out)\b"
    r"(?:\s+\w+){0,3}?\s+when\b"
    r"|\b(?:since|until|till)\s+when\b|\bhow\s+(?:long|soon|recently)\b"
    r"|\bhow\s+many\s+(?:\w+\s+)?(?:seconds|minutes|hours|days|nights|weeks|weekends|months|years|decades)\b"
    r"|\b(?:what|which)\s+(?:\w+\s+)?(?:date|day|weekday|week|weekend|month|season|quarter|year|decade|century|time|hour)\b"
    r"|\bwhat(?:'s|’s|\s+(?:is|was))\s+the\s+(?:exact\s+)?(?:date|day|month|year|time)\b"
)
_ASKS_LATEST = (
    r"(?i)\b(?:most\s+recent(?:ly)?|latest|newest|current(?:ly)?|presently|nowadays|previously|formerly|these\s+days"
    r"|(?:last|previous)\s+time|(?:at|for)\s+(?:the\s+moment|present)|(?:before|prior\s+to)\s+(?:that|this)(?=\W*$|\W*,)"
    r"|(?<!from )(?<!until )(?<!till )now(?!\s+that\b|\s+on\b)"
    r"|(?:did|do|does|have|has|had|was|were)\s+(?:\w+\s+){1,3}last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekend|months?|years?"
    rf"|season|spring|summer|fall|autumn|winter|morning|evening|afternoon|{WEEKDAY})\b)(?=[a-z])"
    r"|the\s+(?:very\s+)?last\s+(?!(?:\w+\s+)?(?:days?|nights?|weeks?|weekends?|months?|years?|decades?|season|hours?|minutes?"
    r"|few|couple|part|name|minute|half|quarter)\b)(?=[a-z]))\b"
)


def has_time_words(text: str) -> bool:
    """Say whether a text tells a time: a date, a weekday, a month, a year, a clock time, "yesterday", "two weeks"."""
    return compiled(_TIME_WORDS).search(text.lower()) is not None


def asks_when(query: str) -> bool:
    """Say whether a question asks for a time or a duration: when, since when, how long, which year, what time."""
    return compiled(_ASKS_WHEN).search(query) is not None


def asks_latest(query: str) -> bool:
    """Say whether a question is about the latest state or event, or the one before: "currently", "last time"."""
    return compiled(_ASKS_LATEST).search(query) is not None


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
_WINDOWS_MONTHS = rf"\b{MONTH}\b"
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
    return compiled(_WINDOWS_MONTHS).search(small(text)) is not None and compiled(_A_YEAR).search(text) is None


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
