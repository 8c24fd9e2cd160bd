"""From hits to evidence: which memories are worth quoting, and with which words of theirs."""

from __future__ import annotations

from datetime import datetime

from recollect.results import Hit, Recall
from recollect.synthesis.parts import Evidence, Quote
from recollect.synthesis.passages import lines, passage

_FIRST = (
    5  # hits that are quoted however little they say, if any is worth it: what they lack, their neighbours may have
)
_COPIES = 0.8  # of the words of both: from here on two passages say the same


def gathered(found: Recall, *, now: datetime, threshold: float, most: int = 20) -> Evidence:
    """Return what there is to answer with: a passage of each hit worth it, in rank order, the contested ones last.

    Hits below `threshold` are quoted only while they are among the first; without any that reaches it there are none.
    """
    hits = list(found)[: max(most, 0)]
    if max((hit.relevance for hit in hits), default=0.0) < threshold:
        return Evidence(found.query, found.intent, now, ())
    worth = [hit for place, hit in enumerate(hits) if hit.relevance >= threshold or place < _FIRST]
    quotes: list[Quote] = []
    known: list[frozenset[str]] = []
    for hit in sorted(worth, key=lambda hit: bool(hit.contested)):
        quote = Quote(hit, passage(hit.content, found.query))
        said = frozenset(term for line in lines(quote.text) for term in line.terms) or frozenset({quote.text})
        if not _is_copy(hit, said, quotes, known):
            quotes.append(quote)
            known.append(said)
    return Evidence(found.query, found.intent, now, tuple(quotes))


def _is_copy(hit: Hit, said: frozenset[str], quotes: list[Quote], known: list[frozenset[str]]) -> bool:
    """Say whether the same was quoted; what two people say, or one says twice on other days, is said twice."""
    return any(
        len(said & other) >= _COPIES * len(said | other)
        and quote.memory.actor == hit.memory.actor
        and quote.memory.valid_from.date() == hit.memory.valid_from.date()
        for quote, other in zip(quotes, known, strict=True)
    )
