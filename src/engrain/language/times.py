"""Times in text: `windows` of a question, `dated` times of a statement, `clock_times` and `durations`."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from typing import NamedTuple

from engrain.language.calendar import WEEKDAYS, calendar_words, day_text, iso_text, span_text
from engrain.language.dates import READ, TimeExpression, read_times, time_expressions
from engrain.language.locales import union
from engrain.text import pattern

ANY_DAY = datetime(2000, 1, 1, tzinfo=UTC)  # where only the place of a date in its text matters
_TIMELY = pattern(
    r"[rC@WIJEQYhMG1]|[TLlNR+]c?[usge@W]|[ui]A|A|u[l+]|u|[ac](?=f?u)|[P>]-?m(?!v)|m\.?[doD]|[do]f?m|(?<=t)o|[dn]u"
    r"|(?<=y)o"
)
_DATED = pattern(
    r"[CIJYE@W1]|h|r|[MGm]\.?t?[doD](?![Kuiv])|[doD]f?[MGm](?!v)|[LlTN+PSUj>]-?[MGm](?!v)|T?[lLN+][use]|T[seu]"
    r"|[cadn][ui][AF]|[P>V][cadn][ui]"
)
_DURATION = pattern(r"~?[cadn](?:za?%)?-?(?:z[cdn])?[ui](?:[AF]|za?%)?|Sx?Y")
_RATED_WITHIN = 40  # characters
_RATED = pattern(r"(?i)(?:\d|\b(?:once|twice|two|three|four|five|six|eight|ten|twenty))\S*(?:\s+[^\W\d]\S*){0,2}\s+$")


class Window(NamedTuple):
    """A time from `start` up to, excluding, `end`; `unit` is day, week, month, season, year or range."""

    start: datetime
    end: datetime
    unit: str


class TimeSpan(NamedTuple):
    """A time in `text[start:stop]`: from `first` up to, excluding, `after`, in UTC.

    `unit` is the unit named: "day", "week", "month", "season", "year" or "range"; an open end is the first or the
    last moment of the calendar.
    """

    start: int
    stop: int
    first: datetime
    after: datetime
    unit: str


class Dated(NamedTuple):
    """A time in `text[start:stop]`: `written` for display, `iso` at its own precision, for sorting."""

    start: int
    stop: int
    written: str
    iso: str
    first: date


def windows(query: str, now: datetime) -> tuple[Window, ...]:
    """Return the windows of time that a question names, in its order, without repeats.

    Args:
        query: The question; its first 2,000 characters count.
        now: The moment at which it is asked. Days are those of its own calendar, bounded at midnight UTC, as plain
            dates are stored. An open part ("in March", "on Friday") resolves to the latest that is not in the future,
            unless the question looks ahead ("What is due on Friday?").

    Raises:
        ValueError: `now` has no offset.
    """
    return tuple(dict.fromkeys(Window(*each[2:]) for each in time_spans(query, now, ahead=False)))


def time_spans(text: str, said: datetime, *, ahead: bool = True) -> list[TimeSpan]:
    """Return the times that a text names, resolved against the moment `said` as in `windows`.

    An ambiguous time is the last of its kind where its sentence is past ("We met on Friday") and the next where it is
    future ("The exam is on Friday"), or unmarked if `ahead` ("Exam: Friday").
    """
    if said.utcoffset() is None:
        raise ValueError("now has no offset: pass an aware datetime, such as datetime.now(UTC)")
    today = said.date()
    return [
        TimeSpan(each.start, each.stop, _midnight(span.first), _midnight(span.after), span.unit)
        for each in time_expressions(text[:READ])
        for span in each.spans(today, ahead=ahead)
    ]


def _midnight(day: date) -> datetime:
    return datetime.max.replace(tzinfo=UTC) if day == date.max else datetime.combine(day, time(), UTC)


def dated(text: str, at: datetime) -> list[Dated]:
    """Return the times of a statement, in order, resolved as in `time_spans`, without the old time of a move."""
    today, found = at.date(), list[Dated]()
    for each in time_expressions(text[:READ]):
        if each.has_impossible_day() or each.kind == "former":
            continue
        yearless = bool(each.days) and not any(year for year, _, _ in each.days)
        for span in each.spans(today):
            if span.first.year > 1 or span.after != date.max:
                says_year = not yearless or each.kind == "open"
                locale, raw = each.found.reading.locale, text[each.start : each.stop].lower()
                written = span_text(span, locale, says_year=says_year)
                if relative := _relative(each, today):  # a weekday is a date, a week has several
                    written = f"{written}, {relative}" if each.kind == "weekday" else relative
                if span.last == date.max and not locale.months.keys().isdisjoint(raw.split()):  # "since January"
                    shown = day_text(span.first, locale, "month" if span.first.day == 1 else "day")
                    written = locale.written["since"].format(shown)
                tokens = (token for token in each.found.reading.tokens if each.start <= token.start < each.stop)
                if span.first.year == 1 and any(token.letter in "BV" for token in tokens):  # "before June"
                    is_month = span.after.day == 1 and not any(map(str.isdigit, raw))
                    shown = day_text(span.after, locale, "month" if is_month else "day")
                    written = locale.written["before"].format(shown)
                first = span.first if span.first.year > 1 else span.last
                found.append(Dated(each.start, each.stop, written, iso_text(span), first))
    return found


def _relative(each: TimeExpression, today: date) -> str:
    """Return a vague time in English relative to its date ("the week before 9 June 2023"), "" for any other."""
    found, day = each.found, day_text(today)
    if not found.reading.locale.has_base_verbs:
        return ""
    unit = WEEKDAYS[found["weekday"]] if each.kind == "weekday" else found["unit"]
    if each.kind == "weekday" or (each.kind == "unit" and unit in ("week", "weekend")):
        if step := found.step():
            return f"the {unit} {'before' if step < 0 else 'after'} {day}"
        return {"week": f"the week of {day}", "weekend": f"the weekend of the week of {day}"}.get(unit, "")
    least, most = found.count()
    if each.kind != "ago" or not found.is_past() or (least == most and unit not in ("week", "weekend")):
        return ""
    token = found.reading.tokens[found.match.start("count")]
    many = found.reading.text[token.start : token.stop].lower()
    when = {"year": str(today.year), "month": day_text(today, form="month")}.get(unit, day)
    return f"{many} {unit}{'s' * (many not in ('a', 'an', 'one', '1'))} before {when}"


def names_time(text: str) -> bool:
    """Return whether a text names a time: not only "back" or "a day"."""
    for start in range(0, len(text), READ):
        reading = read_times(text[start : start + READ])
        for found in _TIMELY.finditer(reading.kinds):
            place, letters = found.start(), found[0]
            if letters in ("a", "c"):
                place = found.end() + (reading.kinds[found.end()] == "f")
                if reading.tokens[place].value not in ("day", "night"):
                    return True
            elif letters not in ("A", "u") or reading.tokens[place].value in ("ago", "weekend"):
                return True
    return False


def date_values(text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the span and the written form of each date of a text: `2023-05-07`, `2023-05`, `2023`, `7 May`.

    Dates with an ambiguous order stay as they are; a month alone and dates relative to the day of writing are
    omitted.
    """
    for each in time_expressions(text):
        if not each.days or each.kind == "perhaps a year":
            continue
        start, stop = each.found.place[0], each.stop  # without context words before it
        if len(each.days) > 1 and each.kind == "day":
            yield start, stop, text[start:stop]
            continue
        for year, month, day in each.days:
            if year:
                yield start, stop, "-".join(f"{part:02}" for part in (year, month, day) if part)
            elif month and day:
                yield start, stop, day_text(date(2000, month, day), form="date")


def names_date(text: str) -> bool:
    """Return whether a text has a date worth keeping: a date, a weekday, "yesterday", "next week"; not "today"."""
    reading = read_times(text)
    for found in _DATED.finditer(reading.kinds):
        value = reading.tokens[found.end() - 1].value
        if found[0] == "r":
            if isinstance(value, int) and value:
                return True
        elif found[0] == "h":
            if value.removesuffix("s") in calendar_words():
                return True
        elif found[0] != "Tu" or value == "weekend":
            return True
    return False


def clock_times(text: str) -> list[tuple[int, int, frozenset[int]]]:
    """Return the span of each time of day in a text, and the minutes of the day that it may denote."""
    return [(token.start, token.stop, token.value) for token in read_times(text).tokens if token.letter == "C"]


def durations(text: str) -> list[tuple[int, int]]:
    """Return the spans of durations in a text."""
    reading = read_times(text)
    found, tokens = _DURATION.finditer(reading.kinds), reading.tokens
    places = ((tokens[each.start()].start, tokens[each.end() - 1].stop) for each in found)
    return [(start, stop) for start, stop in places if not _is_rate(text, start, stop)]


def _is_rate(text: str, start: int, stop: int) -> bool:
    """Return whether a unit of time is the base of a rate: "39 euros a month", "twice a day"."""
    is_one = text[start:stop].split(maxsplit=1)[0].lower() in union("indefinite")
    return is_one and _RATED.search(text[max(0, start - _RATED_WITHIN) : start]) is not None
