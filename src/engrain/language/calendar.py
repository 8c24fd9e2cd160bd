"""Moments and spans of days: parsing time stamps (`parse_when`, `parse_loose`), periods, and formatting of dates."""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Mapping
from contextlib import suppress
from datetime import MAXYEAR, UTC, date, datetime, time, timedelta, timezone
from functools import cache
from typing import NamedTuple

from engrain.language.locales import LOCALES, Locale, one_of, phrases, union
from engrain.text import pattern

WEEKDAYS = tuple("Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split())
_DAYS = {"day": 1, "week": 7, "weekend": 7, "fortnight": 14}
_MONTHS_OF = {"month": 1, "quarter": 3, "year": 12, "decade": 120}
_WEEK = 7
_ENGLISH = LOCALES["en"]
_MONTH = rf"(?:{one_of(_ENGLISH.months)})\b\.?"
_WEEKDAY = one_of(_ENGLISH.weekdays)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20)\d\d"
_EPOCH = pattern(r"(?a)\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}")
_DATES = (
    pattern(r"(?ai)(?P<year>\d{4})(?P<sep>[-/.])(?P<month>\d{1,2})(?P=sep)(?P<day>\d{1,2})(?!\d)"),
    pattern(rf"(?ai)\b(?P<day>{_DAY})[\s-]+(?:of\s+)?(?P<name>{_MONTH})[\s,-]+(?P<year>{_YEAR})\b"),
    pattern(rf"(?ai)\b(?P<name>{_MONTH})\s+(?P<day>{_DAY})(?:,\s*|\s+)(?P<year>{_YEAR})\b"),
    pattern(r"(?ai)\b(?P<one>\d{1,2})(?P<sep>[/.])(?P<two>\d{1,2})(?P=sep)(?P<year>\d{4}|\d\d)\b"),
)
_CLOCK = pattern(
    r"(?ai)T?\b(?P<hour>\d{1,2}):(?P<minute>\d\d)(?::(?P<second>\d\d)(?:[.,](?P<fraction>\d{1,6})\d*)?)?"
    r"(?:\s?(?P<half>[ap])\.?m\b\.?)?"
)
_OFFSET = pattern(r"(?a)(?:(?:UTC|GMT)\s*)?(?P<sign>[+-])(?P<hours>\d\d):?(?P<minutes>\d\d)\b|\b(?:UTC|GMT|Z)\b")
_REST = pattern(rf"(?i)(?:{_WEEKDAY}|on|at|utc|gmt|[\s,.;|()\[\]–-])*")
CLOCK_LEAD = "|".join(rf"(?<=\b{word} )" for word in sorted(union("clock_leads")))
_BOUNDS = ("begin", "finish", "open", "close", "leave", "arrive", "wake_up")  # "dass die Schicht um 7 anfängt"
_TAKES_PLACE = {form for each in LOCALES.values() for verb in _BOUNDS for form in each.actions.get(verb, "").split()}
CLOCK_END = f"{one_of(union('near', 'weekdays', 'day_leads', 'joined') | _TAKES_PLACE)}|{phrases('clock_end')}"
CLOCK_MINUTES = {"a": 0, "b": 15, "c": 30, "d": -30, "e": -15}
"""Minutes past the hour, by the letter that prefixes the groups of an expression for them."""
_HOURS = 24
_SHORT = 3  # letters
_NOON = 12
WORD = pattern(r"[^\W\d_]+")


class Span(NamedTuple):
    """The days from `first` up to, excluding, `after`; `unit` is day, week, month, season, year or range."""

    first: date
    after: date
    unit: str

    @property
    def last(self) -> date:
        """The last day."""
        return self.after if self.after == date.max else self.after - timedelta(1)


def period(day: date, unit: str) -> Span:
    """Return the day, week (from Monday), its weekend, month, quarter, decade or year that contains a day."""
    if unit == "day":
        return Span(day, day + timedelta(1), unit)
    if unit in ("week", "fortnight"):
        monday = day - timedelta(day.weekday())
        return Span(monday, monday + timedelta(7), "week")
    if unit == "weekend":
        saturday = day + timedelta(5 - day.weekday())
        return Span(saturday, saturday + timedelta(2), "range")
    months = _MONTHS_OF.get(unit, 12)
    year, month = divmod((day.year * 12 + day.month - 1) // months * months, 12)
    first = date(year, month + 1, 1)
    called = "range" if unit in ("quarter", "decade") else "month" if unit == "month" else "year"
    return Span(first, shifted(first, months, "month"), called)


def season_of(month: int, year: int) -> Span:
    """Return the season that begins in a month of a year; winter runs into the next year."""
    first = date(year, month, 1)
    return Span(first, shifted(first, 3, "month"), "season")


def weekday_before(day: date, weekday: int) -> date:
    """Return the last such weekday (0 is Monday) before a day."""
    return day - timedelta((day.weekday() - weekday - 1) % 7 + 1)


def weekday_after(day: date, weekday: int) -> date:
    """Return the first such weekday (0 is Monday) after a day."""
    return day + timedelta((weekday - day.weekday() - 1) % 7 + 1)


def shifted(day: date, number: int, unit: str) -> date:
    """Return the day that many units away, clipped to its month's end; `OverflowError` beyond the years 1 to 9999."""
    if unit in _DAYS:
        return day + timedelta(number * _DAYS[unit])
    index = day.year * 12 + day.month - 1 + number * _MONTHS_OF[unit]
    year, month = index // 12, index % 12 + 1
    if not 1 <= year <= MAXYEAR:
        raise OverflowError("a year beyond the calendar")
    return date(year, month, min(day.day, monthrange(year, month)[1]))


def day_text(when: date | datetime, locale: Locale = _ENGLISH, form: str = "day") -> str:
    """Return a day as text, 7 May 2023; the form `date` omits the year, `month` the day."""
    written = locale.written
    day = written.get("first", "1") if when.day == 1 else when.day
    return written[form].format(d=day, m=written["months"].split()[when.month - 1], y=when.year)


def span_text(span: Span, locale: Locale, *, says_year: bool) -> str:
    """Return a span as text in a language; a single day has its year only where `says_year`."""
    first, last, written = span.first, span.last, locale.written
    if span.unit in ("day", "month"):
        return day_text(first, locale, "date" if span.unit == "day" and not says_year else span.unit)
    if span.unit == "year":
        return str(first.year)
    if span.unit == "season":
        return f"{written['seasons'].split()[first.month // 3 - 1]} {first.year}"
    if span.unit == "week":
        return written["week"].format(day_text(first, locale))
    if first.year == 1:
        return written["until"].format(day_text(last, locale))
    if last.year == MAXYEAR:
        whole = str(first.year) if first.month == first.day == 1 and says_year else ""
        return written["since"].format(whole or day_text(first, locale, "month" if first.day == 1 else "day"))
    days = day_text(first, locale), day_text(last, locale)
    return days[0] if first == last else written["range"].format(*days)


def iso_text(span: Span) -> str:
    """Return a span in ISO 8601 at its own precision; a week is given by the month of its middle."""
    first, last = span.first, span.last
    if first.year == 1:
        first = last
    if last.year == MAXYEAR:
        last = first
        if span.unit == "range" and first.day == 1:
            return f"{first.year:04}" if first.month == 1 else f"{first.year:04}-{first.month:02}"
    if first == last:
        return first.isoformat()
    if (last - first).days < _WEEK:
        first = last = first + (last - first) // 2
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.year:04}-{first.month:02}"
    return f"{first.year:04}"


def parse_when(value: datetime | date | str, *, name: str) -> datetime:
    """Return a caller's time in UTC; a plain date becomes its midnight.

    Args:
        value: An aware datetime, a date, or either as an ISO 8601 string.
        name: The name of the argument in error messages.

    Raises:
        TypeError: It has another type.
        ValueError: It is not an ISO 8601 string, has no offset, or is outside the years 1 to 9999 in UTC.
    """
    if isinstance(value, str):
        value = _iso(value.strip(), name)
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
        raise ValueError(f"{name} is outside the years 1 to 9999 in UTC: {value.isoformat()!r}") from None


def _iso(text: str, name: str) -> datetime | date:
    with suppress(ValueError):
        return date.fromisoformat(text)
    try:
        return datetime.fromisoformat(text.upper())
    except ValueError:
        raise ValueError(
            f"{name} must be an ISO 8601 date or time such as 2023-05-08 or 2023-05-08T13:56:00Z, not {text[:80]!r}"
        ) from None


def parse_loose(text: str) -> datetime | None:
    """Parse a log's time stamp to a moment in UTC, which is also the default offset; None if it is not a time stamp.

    The whole text must be the stamp. A day of ambiguous order ("5/8/2023") is None rather than a guess.
    """
    text = text.strip()
    if _EPOCH.fullmatch(text):
        microseconds = int(text.replace(".", "")[:16].ljust(16, "0"))
        return datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=microseconds)
    if len(text) > 80:
        return None
    if text[:4].isdigit():
        with suppress(ValueError, OverflowError):
            return _aware(datetime.fromisoformat(text))
    return _written(text)


def _written(text: str) -> datetime | None:
    """Parse date, clock time and offset out of a text; None if anything else is left."""
    try:
        found = next((match for each in _DATES if (match := each.search(text))), None)
        day = None if found is None else _day(found)
        if found is None or day is None:
            return None
        rest = f"{text[: found.start()]} {text[found.end() :]}"
        clock = _CLOCK.search(rest)
        offset = _OFFSET.search(rest, clock.end()) if clock else None
        for taken in (offset, clock):
            rest = f"{rest[: taken.start()]} {rest[taken.end() :]}" if taken else rest
        if not _REST.fullmatch(rest):
            return None
        return _aware(datetime.combine(day, _clock(clock) if clock else time(), _zone(offset) if offset else UTC))
    except (ValueError, OverflowError):
        return None


def _day(match: re.Match[str]) -> date | None:
    part = match.groupdict()
    year = int(part["year"]) + (2000 if len(part["year"]) == 2 else 0)
    if part.get("name"):
        return date(year, _ENGLISH.months[part["name"].lower().rstrip(".")], int(part["day"].rstrip("stndrhSTNDRH")))
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


Day = tuple[int, int, int]  # year, month and day as a text states them; 0 where it leaves one open


@cache
def clock_hours(locale: Locale) -> Mapping[str, int]:
    """Return the hour of each word that names one."""
    return {word: hour for word, hour in locale.numbers.items() if 0 < hour < _HOURS}


@cache
def clock_words(locale: Locale) -> frozenset[str]:
    """Return the words at least one of which every text with a time of day in words contains."""
    words = (word for form in locale.clock_in_words for word in form.split("_"))
    return frozenset({*clock_hours(locale), *(word for word in words if len(word) > _SHORT)})


@cache
def clocks_in_words(locale: Locale) -> re.Pattern[str]:
    """Return the expression for times of day in words; each alternative has the hour in a group."""
    known, letters = clock_hours(locale), {minutes: letter for letter, minutes in CLOCK_MINUTES.items()}
    hours, late = (one_of(word for word, hour in known.items() if (hour > _NOON) is after) for after in (False, True))
    a0 = rf"(?P<a0>{hours})(?:\s(?:heures|uhr))?(?=\s*(?:$|[,;!?)\n]|\.(?!\d)|(?:{CLOCK_END})\b))"
    a1 = rf"(?P<a1>{late})\s(?:heures|uhr|horas)\b"
    found = [rf"(?:{CLOCK_LEAD})(?:{a0}|{a1})"]
    for form, minutes in locale.clock_in_words.items():
        group = rf"(?P<{letters[minutes]}{len(found) + 1}>{one_of(known)}|1[0-2]|[1-9])"
        found.append(rf"\b{form.replace('_', ' ')}\b".replace("{h}", group))
    return re.compile("|".join(reversed(found)), re.IGNORECASE)


@cache
def strong_words() -> frozenset[str]:
    """Return the words at least one of which a text without digits needs to have a time expression."""
    found = set[str]()
    for locale in LOCALES.values():
        found |= {*locale.months, *locale.weekdays, *locale.seasons, *locale.near, *locale.clock_words}
        found |= {name for names in locale.units.values() for name in names.split()}
        found |= {word for kind in ("lately", "habit", "ago") for word in locale.time_words.get(kind, "").split()}
    parts = [WORD.findall(name.replace("_", " ")) for name in found]
    found = {part for name in parts if len(name) == 1 for part in name if len(part) > 1}
    common = union("stop")  # a phrase needs all of its words, so its least common word suffices as a filter
    rest = [name for name in parts if len(name) > 1 and found.isdisjoint(name)]
    return frozenset(found | {max(name, key=lambda part: (part not in common, len(part))) for name in rest})


@cache
def calendar_words() -> frozenset[str]:
    """Return the names of days, months, seasons and holidays, in every language."""
    found = set[str]()
    for locale in LOCALES.values():
        names = {*locale.months, *locale.weekdays, *locale.seasons} - locale.namesakes
        found |= {name for name in names if len(name) > 3} | locale.holidays | {f"{day}s" for day in locale.weekdays}
    return frozenset(found | {"april", "june", "august", "may", "mai", "juni", "juli"})
