"""When something is, as a statement says it in English: "June 3", "3 May 2025", "Tuesday at 10", "5pm"."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from recollect.patterns import pattern
from recollect.timewords.patterns import MONTH, WEEKDAY, YEAR, day_number, month_number, weekday_number

_MONTH = pattern(MONTH, re.IGNORECASE)
_WEEKDAY = pattern(WEEKDAY, re.IGNORECASE)
_YEAR = pattern(YEAR)
_ISO = pattern(r"\d{4}-\d\d-\d\d")
_NTH = pattern(r"\d{1,2}(?:st|nd|rd|th)")
_NUMBER = pattern(r"\d{1,2}")
_CLOCK = pattern(r"(?P<hour>[01]?\d|2[0-4])(?:[:.](?P<minute>[0-5]\d))?(?P<half>[ap]m)?")
_PARTS_OF_DAY = frozenset("morning afternoon evening night".split())
_NAMED = {"noon": (12, 0, "pm"), "midnight": (0, 0, "am")}
_SHORTEST = 4  # letters of a month's name that needs no number beside it; "May" has fewer
_MOST = 8  # words

Moment = Mapping[str, object]


def moment(words: Sequence[str], *, at: bool = False) -> Moment | None:
    """Return the parts of a time that all the words tell, None when they tell more or none; `at` was said before."""
    if len(words) > _MOST:
        return None
    months = [word for word in words if _is_month(word)]
    parts: dict[str, object] = {}
    for word in words:
        low = word.lower()
        if low == "at" and parts and not at:
            at = True
            continue
        if low in ("the", "of") and months:
            continue
        found = _part(word, low, dated=bool(months), at=at)
        if found is None or found[0] in parts:
            return None
        parts[found[0]] = found[1]
    bare = months and "day" not in parts and months[0] != "May" and len(months[0].rstrip(".")) < _SHORTEST
    return None if bare or not parts or parts.keys() <= {"part of day"} else parts


def differ(one: Moment, other: Moment) -> bool:
    """Say whether two times cannot both be meant; "June" and "June 3" can."""
    return any(not _alike(one[name], other[name]) for name in one.keys() & other.keys())


def _alike(one: object, other: object) -> bool:
    if isinstance(one, tuple) and isinstance(other, tuple):  # "3" may be 15:00
        (hour, minute, half), (their_hour, their_minute, their_half) = one, other
        if half is None or their_half is None:
            return (hour % 12, minute) == (their_hour % 12, their_minute)
    return one == other


def _is_month(word: str) -> bool:
    """Say whether a word is a month: "may" and "march" in small letters are other words."""
    return word[0].isupper() and _MONTH.fullmatch(word) is not None


def _part(word: str, low: str, *, dated: bool, at: bool) -> tuple[str, object] | None:
    """Return what a word tells of a time, and which part that is."""
    if _is_month(word):
        return "month", month_number(word)
    if _WEEKDAY.fullmatch(word):
        return "weekday", weekday_number(word)
    if _ISO.fullmatch(word):
        return "date", word
    if low in _PARTS_OF_DAY:
        return "part of day", low
    return _clock(low, at=at) or _number(low, dated=dated)


def _clock(low: str, *, at: bool) -> tuple[str, object] | None:
    if low in _NAMED:
        return "clock", _NAMED[low]
    found = _CLOCK.fullmatch(low)
    if found is None or not (at or found["minute"] or found["half"]):
        return None
    hour, half = int(found["hour"]), found["half"]
    if half:
        hour = hour % 12 + (12 if half == "pm" else 0)
    half = half or ("pm" if hour > 12 else "am" if low.startswith("0") else None)
    return "clock", (hour, int(found["minute"] or 0), half)


def _number(low: str, *, dated: bool) -> tuple[str, object] | None:
    if dated and _YEAR.fullmatch(low):
        return "year", low
    if _NTH.fullmatch(low) or (dated and _NUMBER.fullmatch(low)):
        return "day", day_number(low)
    return None
