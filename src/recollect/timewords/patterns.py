"""How dates are written: the pieces of patterns that stamps and questions share."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import cache

MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|[Mm]ar(?:ch)?|apr(?:il)?|[Mm]ay|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
DAY = r"(?:3[01]|[12]\d|0?[1-9])(?:st|nd|rd|th)?"
YEAR = r"(?:1[89]|20)\d\d"
WEEKDAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """Compile a pattern at its first use: together they take longer than an import may."""
    return re.compile(pattern)


def by_first(choices: Iterable[str]) -> str:
    """Put choices that begin alike together, so that at most places of a text one look at a letter rules out all.

    A choice begins with a letter, or with a pattern that matches a digit.
    """
    begun: dict[str, list[str]] = {}
    for choice in choices:
        first, rest = (choice[0], choice[1:]) if choice[0].isalpha() else (r"(?=\d)", choice)
        begun.setdefault(first, []).append(rest)
    return "|".join(f"{first}(?:{'|'.join(rest)})" for first, rest in begun.items())


def month_number(name: str) -> int:
    """Return 1 to 12 for the name of a month or its beginning."""
    return _MONTHS.index(name[:3].lower()) + 1


def weekday_number(name: str) -> int:
    """Return 0 for Monday to 6 for Sunday, for the name of a weekday or its beginning."""
    return _WEEKDAYS.index(name[:3].lower())


def day_number(word: str) -> int:
    """Return the number in "8", "08" or "8th"."""
    return int(word.rstrip("stndrhSTNDRH"))
