"""Whether a sentence follows from what it cites, as far as that can be checked without understanding it.

Every number in it must stand in a cited memory, follow from its time words, or count what is cited; and the two must
share a word. What cannot be checked so is not claimed to be true: it is shown beside its quotes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from recollect.synthesis.parts import Quote
from recollect.timewords import windows
from recollect.words import terms

_COUNTED = 20  # the highest number that may be a count of what is cited


def is_founded(text: str, quotes: Sequence[Quote], query: str) -> bool:
    """Say whether a sentence may rest on these quotes; the words of the question may be said again."""
    there = frozenset(terms(text))
    held = frozenset(term for quote in quotes for term in terms(f"{quote.memory.content} {quote.memory.actor or ''}"))
    if not there or there.isdisjoint(held | _dates(quotes)):
        return False
    figures = {term for term in there if any(character.isdigit() for character in term)}
    return figures <= held | _dates(quotes) | _counts(quotes) | frozenset(terms(query))


def _counts(quotes: Sequence[Quote]) -> frozenset[str]:
    return frozenset([str(len(quotes))] if len(quotes) <= _COUNTED else [])


def _dates(quotes: Iterable[Quote]) -> frozenset[str]:
    """Return the terms by which the days of quotes, and the times that they speak of, may be written."""
    return frozenset(term for quote in quotes for day in _days(quote) for term in terms(_written(day)))


def _days(quote: Quote) -> Iterator[datetime]:
    told = quote.memory.valid_from
    yield told
    for window in windows(quote.memory.content, told):
        yield window.start
        yield window.end - timedelta(seconds=1)


def _written(day: datetime) -> str:
    parts = (
        f"{day:%Y-%m-%d}",
        f"{day:%Y-%m}",
        f"{day:%Y}",
        f"{day.month}",
        f"{day:%m}",
        f"{day.day}",
        f"{day:%d}",
        f"{day:%B %b %A}",
    )
    ordinal = "th" if day.day in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(day.day % 10, "th")
    return " ".join((*parts, f"{day.day}{ordinal}"))
