"""The words of a text, cut once for everything that looks for some of them, and the stretches worth a closer look."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cached_property, lru_cache
from itertools import islice
from sys import maxsize

MOST = 10_000
"""How many of a kind are read in one text: a bound on what a text costs that is nothing but names."""

_WORD = re.compile(r"[^\W_]+")
_FOLDED = bytes(ord(chr(code).lower()) if code < 128 and chr(code).isalnum() else 32 for code in range(256))


class Wording:
    """A text with its words in small letters: `words` in order, `known` as a set."""

    def __init__(self, text: str) -> None:
        self.text = text
        if text.isascii():
            self.words = text.encode().translate(_FOLDED).decode().split()
        else:  # folding may lengthen it, and so cut it otherwise: each word is folded on its own
            self.words = [word.casefold() for word in _WORD.findall(text)]
        self.known = frozenset(self.words)

    @cached_property
    def places(self) -> list[re.Match[str]]:
        """Where each of the words stands."""
        return list(_WORD.finditer(self.text))


@lru_cache(1)
def wording(text: str) -> Wording:
    """Return the words of a text; those of the last one asked for are at hand."""
    return Wording(text)


def each(expression: re.Pattern[str], text: str, low: int = 0, high: int = maxsize) -> Iterator[re.Match[str]]:
    """Yield what fits an expression, as often as counts in one text."""
    return islice(expression.finditer(text, low, high), MOST)


def stretches(anchor: re.Pattern[str], text: str, before: int, after: int) -> Iterator[tuple[int, int]]:
    """Yield, in order and apart, the stretches of a text around whatever fits the anchor.

    An expression that is slow to search for, and ends in what is quick to, is searched for in these alone.
    """
    low = high = -1
    for found in each(anchor, text):
        start = max(0, found.start() - before)
        if start > high:
            if high >= 0:
                yield low, high
            low = start
        high = found.end() + after
    if high >= 0:
        yield low, high
