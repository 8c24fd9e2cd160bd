"""One moment: what a caller gives for a time, and what a log writes beside a message. All are returned in UTC."""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, time, timedelta, timezone

from recollect.timewords.patterns import DAY, MONTH, WEEKDAY, YEAR, compiled, day_number, month_number


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
