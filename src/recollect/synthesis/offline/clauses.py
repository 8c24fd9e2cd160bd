"""The parts of a sentence that stand side by side, and which of them a question is about."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from recollect.patterns import pattern
from recollect.synthesis.offline.question import Asked, Wanted
from recollect.words import terms

Span = tuple[int, int]

_SEAM = pattern(
    r"\s*[,;:](?=\s)\s*(?:(?:and|but|while|whereas|und|aber|sondern|y|pero|et|mais)\s+)?"
    r"|\s+[—–-]\s+|\s+(?:and|but|while|whereas|und|aber|sondern|y|pero|et|mais)\s+",
)


_FIGURE = pattern(r"\d")
_NEGATIVE = pattern(r"(?i)\b(?:not|never|nobody|no\s+one|\w+n['’]t)\b")
_IN_PARTS = frozenset(
    (
        Wanted.TIME,
        Wanted.DURATION,
        Wanted.FREQUENCY,
        Wanted.COUNT,
        Wanted.AMOUNT,
        Wanted.PLACE,
        Wanted.PERSON,
        Wanted.NAME,
    )
)
_COUNTED = frozenset((Wanted.COUNT, Wanted.AMOUNT, Wanted.DURATION))
_CELLS = 2  # bars in a row of a table


@dataclass(frozen=True, slots=True)
class Answer:
    """Words that may answer, as they are said, and where the sentence has them."""

    start: int
    stop: int
    text: str


def chosen(text: str, asked: Asked, answers: Iterable[Answer]) -> tuple[str, ...]:
    """Return those answers of a sentence that stand in the part which the question is about; none where that is unsure.

    It is where the part has a figure that is none of them, or the question asks who or what does not.
    """
    if is_row(text):
        return ()
    found = list(answers)
    if not found or asked.wanted not in _IN_PARTS:
        return tuple(each.text for each in found)
    if asked.wanted in (Wanted.PERSON, Wanted.NAME) and _NEGATIVE.search(asked.text):
        return ()
    part = spoken_of(text, asked)
    if part is not None and (not asked.several or asked.wanted in _COUNTED):
        inside = [each for each in found if part[0] <= each.start < part[1]]
        if not inside and _FIGURE.search(text, *part):
            return ()
        found = inside or found
    return tuple(each.text for each in found)


def is_row(text: str) -> bool:
    """Say whether a sentence is a row of a table, whose cells only their column tells apart."""
    return text.count("|") >= _CELLS


def parts(text: str) -> list[Span]:
    """Return the parts of a sentence that "and", "but", commas and semicolons keep apart."""
    seams = [(0, 0), *(found.span() for found in _SEAM.finditer(text)), (len(text), len(text))]
    return [(low, high) for (_, low), (high, _) in pairwise(seams) if text[low:high].strip()]


def spoken_of(text: str, asked: Asked) -> Span | None:
    """Return the part that a question is about, None where its words do not tell.

    It is the last with a word of the question that no other part has: what comes first is understood in what follows,
    as in "Ana moved to Paris in 2019 and to London in 2021".
    """
    spans = parts(text)
    if len(spans) < 2:
        return None
    held = [frozenset(terms(text[low:high])) for low, high in spans]
    best = None
    for place, span in enumerate(spans):
        elsewhere = frozenset[str]().union(*(some for other, some in enumerate(held) if other != place))
        if (held[place] - elsewhere) & frozenset(asked.terms):
            best = span
    return best
