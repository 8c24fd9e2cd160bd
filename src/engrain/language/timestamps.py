"""Time stamps: a caller's time as an argument, and the stamps of chat logs."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone

from engrain.language.locales import one_of
from engrain.language.locales.en import ENGLISH
from engrain.text import pattern

_MONTH = rf"(?:{one_of(ENGLISH.months)})\b\.?"
_WEEKDAY = one_of(ENGLISH.weekdays)
_DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
_YEAR = r"(?:1[89]|20)\d\d"


def parse_when(value: datetime | date | str, *, name: str) -> datetime:
    """Return a caller's time in UTC; a plain date is its midnight.

    Args:
        value: An aware datetime, a date, or either as an ISO 8601 string.
        name: What errors call the argument.

    Raises:
        TypeError: It is of another type.
        ValueError: It is no ISO 8601 string, has no offset, or is outside the years 1 to 9999 in UTC.
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
        raise ValueError(f"{name} is outside the years 1 to 9999 in UTC: {value.isoformat()!r}") from None


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


def parse_loose(text: str) -> datetime | None:
    """Return the moment a log's time stamp names, in UTC and by UTC where it has no offset; None when it names none.

    The whole text must be the stamp. A day whose order cannot be known ("5/8/2023") is None rather than a guess.
    """
    text = text.strip()
    try:
        if _EPOCH.fullmatch(text):
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
        return date(year, ENGLISH.months[part["name"].lower().rstrip(".")], int(part["day"].rstrip("stndrhSTNDRH")))
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
