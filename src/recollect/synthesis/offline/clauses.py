"""The parts of a sentence that stand side by side, and which of them a question is about."""

from __future__ import annotations

from itertools import pairwise

from recollect.patterns import pattern
from recollect.synthesis.offline.question import Asked
from recollect.words import terms

Span = tuple[int, int]

_SEAM = pattern(
    r"\s*[,;:](?=\s)\s*(?:(?:and|but|while|whereas|und|aber|sondern|y|pero|et|mais)\s+)?"
    r"|\s+[—–-]\s+|\s+(?:and|but|while|whereas|und|aber|sondern|y|pero|et|mais)\s+",
)


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
