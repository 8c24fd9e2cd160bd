"""From hits to evidence: which memories are worth quoting, and with which words of theirs."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.results import Hit, Recall
from recollect.synthesis.parts import Evidence, Quote
from recollect.synthesis.passages import lines, passage

_FIRST = 8  # hits that are quoted though they are less relevant than the others: what they tell is rarely nothing
_FLOOR = 1 / 3  # of the threshold: what is less relevant is quoted at no rank
_NEAR = 0.6  # of the best hit's relevance: what reaches it is quoted at any rank
_COPIES = 0.8  # of the words of both: from here on two passages say the same


def gathered(found: Recall, *, now: datetime, threshold: float, most: int = 20) -> Evidence:
    """Return what there is to answer with: a passage of each hit worth it, in rank order.

    What is replaced or outweighed comes last. Nothing is, when no hit reaches the threshold.
    """
    hits = list(found)[: max(most, 0)]
    best = max((hit.relevance for hit in hits), default=0.0)
    if not hits or best < threshold:
        return Evidence(found.query, found.intent, now, ())
    near, floor = max(threshold, _NEAR * best), _FLOOR * threshold
    worth = [hit for place, hit in enumerate(hits) if hit.relevance >= (floor if place < _FIRST else near)]
    quotes: list[Quote] = []
    known: list[frozenset[str]] = []
    for hit in sorted(worth, key=lambda hit: hit.memory.is_superseded or is_outweighed(hit, hits)):
        quote = Quote(hit, passage(hit.content, found.query))
        said = frozenset(term for line in lines(quote.text) for term in line.terms) or frozenset({quote.text})
        if not _is_copy(hit, said, quotes, known):
            quotes.append(quote)
            known.append(said)
    return Evidence(found.query, found.intent, now, tuple(quotes))


def is_outweighed(hit: Hit, hits: Iterable[Hit]) -> bool:
    """Say whether a memory is contested, and waits for a verdict itself or is trusted no more than what it contradicts.

    What contradicts it and waits for a verdict does not outweigh it.
    """
    if not hit.contested or hit.memory.is_contested:
        return bool(hit.contested) or hit.memory.is_contested
    rivals = (other.memory for other in hits if other.memory.id in hit.contested)
    return any(not rival.is_contested and rival.trust >= hit.memory.trust for rival in rivals)


def _is_copy(hit: Hit, said: frozenset[str], quotes: list[Quote], known: list[frozenset[str]]) -> bool:
    """Say whether the same was quoted; what two people say, or one says twice on other days, is said twice."""
    return any(
        len(said & other) >= _COPIES * len(said | other)
        and quote.memory.actor == hit.memory.actor
        and quote.memory.valid_from.date() == hit.memory.valid_from.date()
        for quote, other in zip(quotes, known, strict=True)
    )
