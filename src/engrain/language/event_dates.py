"""When something happened: the times that a sentence names, resolved on the day it was said, and written for people."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, timedelta

from engrain.language.dates import Naming, told
from engrain.text import pattern

_NEAR = pattern(
    r"(?P<which>last|past|previous|this\s+past|this\s+coming|this|next|coming|upcoming)\s+(?P<unit>week|weekend|[a-z]{3,}day"
    r"|mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)",
    re.IGNORECASE,
)
_AGO = pattern(
    r"(?P<many>(?:a\s+)?(?:few|couple(?:\s+of)?|several)|an?|one|two|three|four|five|six|seven|eight|nine|ten|\d+)\s+"
    r"(?P<unit>days?|weeks?|weekends?|months?|years?)\s+(?:ago|back)",
    re.IGNORECASE,
)
_VAGUE = pattern(r"few|couple|several", re.IGNORECASE)
_WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTHS = tuple("January February March April May June July August September October November December".split())
_SEASONS = {3: "spring", 6: "summer", 9: "autumn", 12: "winter"}
_WEEK = 7
_YEAR = pattern(r"\d{4}")


_MONTHS_ABROAD = {
    name: number
    for number, names in enumerate(
        (
            "januar jänner enero janvier",
            "februar febrero février fevrier",
            "märz marzo mars",
            "april abril avril",
            "mai mayo",
            "juni junio juin",
            "juli julio juillet",
            "august agosto août aout",
            "september septiembre setiembre septembre",
            "oktober octubre octobre",
            "november noviembre novembre",
            "dezember diciembre décembre decembre",
        ),
        start=1,
    )
    for name in names.split()
}
_ABROAD = pattern(
    rf"\b(?P<day>\d{{1,2}})(?:\.\s*|er\s+|\s+)(?:de\s+)?"
    rf"(?P<month>{'|'.join(sorted(_MONTHS_ABROAD, key=len, reverse=True))})\b(?:\s+(?:de[l]?\s+)?(?P<year>\d{{4}})\b)?"
    r"|(?:(?P<annum>\d{4})年)?(?P<number>\d{1,2})月(?P<of>\d{1,2})[日号]",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Dated:
    """A time that a text names in `text[start:stop]`: `written` for people, `iso` as precise as is known, for order."""

    start: int
    stop: int
    written: str
    iso: str
    first: date


def dated(text: str, said: datetime) -> list[Dated]:
    """Return the times that a text names, said at a moment."""
    abroad = list(days_abroad(text, said.date()))
    english = (each for naming in told(text, said) if (each := _read(text, naming, said.date())) is not None)
    apart = [each for each in english if not any(each.start < day.stop and day.start < each.stop for day in abroad)]
    return sorted([*abroad, *apart], key=lambda each: each.start) if abroad else apart


def days_abroad(text: str, said: date) -> Iterator[Dated]:
    """Yield the days that a text names in German, Spanish, French or Chinese."""
    for found in _ABROAD.finditer(text):
        month = _MONTHS_ABROAD[found["month"].casefold().rstrip(".")] if found["month"] else int(found["number"])
        year = found["year"] or found["annum"]
        try:
            when = date(int(year or said.year), month, int(found["day"] or found["of"]))
        except ValueError:
            continue
        written = written_day(when) if year else f"{when.day} {_MONTHS[when.month - 1]}"
        yield Dated(*found.span(), written, when.isoformat(), when)


def day(moment: datetime) -> str:
    """Return a day as people write it: 7 May 2023."""
    return written_day(moment.date())


def written_day(when: date) -> str:
    """Return a day as people write it."""
    return f"{when.day} {_MONTHS[when.month - 1]} {when.year}"


def _read(text: str, naming: Naming, said: date) -> Dated | None:
    window, words = naming.window, text[naming.start : naming.stop]
    first, last = window.start.date(), (window.end - timedelta(microseconds=1)).date()
    if first.year == 1 and last.year == MAXYEAR:
        return None
    written = _beside(words, said) or _written(words, window.unit, first, last)
    return Dated(naming.start, naming.stop, written, iso(window.unit, first, last), first if first.year > 1 else last)


def _beside(words: str, said: date) -> str | None:
    """Return a vague time by the day it was said on: last week is "the week before 9 June 2023"."""
    if (near := _NEAR.fullmatch(words)) is not None:
        which, unit = near["which"].lower().split()[-1], near["unit"].lower()
        if unit not in ("week", "weekend"):
            unit = next((name for name in _WEEKDAYS if name[:3].lower() == unit[:3]), "")
            if not unit:
                return None
        side = {"this": "of", "last": "before", "past": "before", "previous": "before"}.get(which, "after")
        if side == "of" and unit != "week":
            return f"the {unit} of the week of {written_day(said)}" if unit == "weekend" else None
        return f"the {unit} {side} {written_day(said)}"
    ago = _AGO.fullmatch(words)
    if ago is None:
        return None
    unit, vague = ago["unit"].lower().rstrip("s"), bool(_VAGUE.search(ago["many"]))
    if vague or unit in ("week", "weekend"):
        if unit == "year":
            return f"{ago['many'].lower()} {ago['unit'].lower()} before {said.year}"
        if unit == "month":
            return f"{ago['many'].lower()} {ago['unit'].lower()} before {_MONTHS[said.month - 1]} {said.year}"
        return f"{ago['many'].lower()} {ago['unit'].lower()} before {written_day(said)}"
    return None


def _written(words: str, unit: str, first: date, last: date) -> str:
    if unit == "day":
        named = any(month[:3].lower() in words.lower() for month in _MONTHS)
        if named and not _YEAR.search(words):  # the year was not said
            return f"{first.day} {_MONTHS[first.month - 1]}"
        return written_day(first)
    if unit == "month":
        return f"{_MONTHS[first.month - 1]} {first.year}"
    if unit == "year":
        return str(first.year)
    if unit == "season":
        return f"{_SEASONS[first.month]} {first.year}"
    if unit == "week":
        return f"the week of {written_day(first)}"
    if first.year == 1:
        return f"until {written_day(last)}"
    if last.year == MAXYEAR:
        return f"since {_since(words, first)}"
    if (last - first).days < 1:
        return written_day(first)
    return f"{written_day(first)} to {written_day(last)}"


def _since(words: str, first: date) -> str:
    if first.month == first.day == 1 and str(first.year) in words:
        return str(first.year)
    return f"{_MONTHS[first.month - 1]} {first.year}" if first.day == 1 else written_day(first)


def iso(unit: str, first: date, last: date) -> str:
    """Return a span of days in ISO 8601, as precise as it is: 2023, 2023-05, 2023-05-07.

    A week that two months share is in the one that has its middle.
    """
    if first.year == 1:
        first = last
    if last.year == MAXYEAR:
        last = first
        if unit == "range" and first.day == 1:
            return f"{first.year:04}" if first.month == 1 else f"{first.year:04}-{first.month:02}"
    if first == last:
        return first.isoformat()
    if (last - first).days < _WEEK:
        first = last = first + (last - first) // 2
    if (first.year, first.month) == (last.year, last.month):
        return f"{first.year:04}-{first.month:02}"
    return f"{first.year:04}"


_UNIT = r"(?:second|minute|hour|day|night|week|weekend|month|year|decade)s?"
_MANY = (
    r"(?:\d+(?:[.,]\d+)?|an?|one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|(?:a\s+)?(?:few|couple(?:\s+of)?"
    r"|several)|half\s+an?)"
)
_DURATION = pattern(
    rf"\b(?:(?:about|around|over|almost|nearly|more\s+than|less\s+than)\s+)?{_MANY}(?:\s*-\s*|\s+(?:and\s+a\s+half\s+)?"
    rf"|\s+to\s+\d+\s+){_UNIT}\b(?:\s+(?:and\s+a\s+half|ago|now))?|\bsince\s+(?:\w+\s+)?(?:1[89]|20)\d\d\b",
    re.IGNORECASE,
)
_OFTEN = pattern(
    r"\b(?:once|twice|(?:once|one)\s+or\s+twice|(?:\d+|two|three|four|five|six|seven|several|a\s+few)\s+times|thrice)"
    r"(?:\s+(?:an?|per|each|every)\s+\w+|\s+weekly|\s+daily)?"
    r"|\b(?:every|each)\s+(?:other\s+|single\s+|\d+\s+|two\s+|few\s+)?(?:\w*day|night|week|weekend|month|year|morning|evening)s?"
    r"|\b(?:daily|weekly|monthly|yearly|annually|every\s+now\s+and\s+then|on\s+weekends)\b",
    re.IGNORECASE,
)


def durations(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text says how long something took or has gone on."""
    return (found.span() for found in _DURATION.finditer(text))


def frequencies(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text says how often something happens."""
    return (found.span() for found in _OFTEN.finditer(text))


_CLOCK = pattern(
    r"\b(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m\b|\d{1,2}:\d\d\b|\d{1,2}\s+o['’]clock|noon\b|midnight\b)", re.IGNORECASE
)
_ASKS_CLOCK = pattern(r"(?i)\bwhat\s+(?:exact\s+)?(?:time|hour)\b")


def asks_clock(query: str) -> bool:
    """Say whether a question asks for the time of a day."""
    return _ASKS_CLOCK.search(query) is not None


def clock_times(text: str) -> Iterator[tuple[int, int]]:
    """Yield where a text names the time of a day."""
    return (found.span() for found in _CLOCK.finditer(text))


_HAPPENED = pattern(
    r"\b(?:\w{2,}ed|was|were|had|did|went|got|came|made|took|saw|met|bought|sold|won|lost|began|started|found|gave|left|told|said"
    r"|built|wrote|read|ran|broke|chose|drove|ate|drank|fell|felt|flew|forgot|heard|held|hid|hit|kept|knew|led|lent|paid|put|quit"
    r"|rode|rose|sang|sat|sent|set|shot|slept|spent|spoke|stole|stood|swam|taught|thought|threw|understood|woke|wore)\b"
    r"|(?:\b(?:am|is|are)|['’](?:m|re|s))\s+(?:currently\s+|now\s+)?\w{2,}ing\b",
    re.IGNORECASE,
)


def happened(text: str) -> bool:
    """Say whether a sentence tells of something that happened, or goes on while it is told."""
    return _HAPPENED.search(text) is not None
