"""A reranker's word on the best hits: it reads question and text side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import ProviderError
from recollect.foreign import guard
from recollect.llm.mind import Mind, credit, trouble
from recollect.models import Status
from recollect.protocols import Reranker
from recollect.results import Hit, Signal

DEPTH = 50  # hits that are read again


def reranked(hits: Sequence[Hit], query: str, reranker: Reranker) -> tuple[list[Hit], list[str]]:
    """Return the hits in a reranker's order, and what to note of it; in the order given if the reranker fails.

    The best `DEPTH` are read again and the others stand behind them; a language model is shown none that waits to be
    admitted. The scores are scaled to 0..1 and weighed by trust, so that no text argues its way past its source, and
    stay comparable within the result: those read again lie above 1, the others below.
    """
    asks = isinstance(reranker, Mind)
    head = [hit for hit in hits[:DEPTH] if not (asks and hit.memory.status is Status.QUARANTINED)]
    if asks and len(head) < 2:
        return list(hits), ["too few to be read again"]
    failed: list[Exception] = []
    scores = guard(
        f"the reranker {type(reranker).__name__}", lambda: _scores(head, query, reranker), failed=failed.append
    )
    if scores is None:
        why = [trouble(reranker, failed)] if asks else []
        return list(hits), ["the reranker failed: the order stays as it was", *why]
    again = {hit.id for hit in head}
    rest = [hit for hit in hits if hit.id not in again]
    notes = [f"the best {len(head)} read again", *([f"reranked by {credit(reranker)}"] if asks else [])]
    return _ordered(head, scores, rest), notes


def _ordered(head: Sequence[Hit], scores: Sequence[float], rest: Sequence[Hit]) -> list[Hit]:
    """Return those that were read again by their scores, and the others behind them."""
    halves = [score / 2 for score in scores]  # the span of two finite numbers need not be one, that of their halves is
    low, span = min(halves, default=0.0), max(halves, default=0.0) - min(halves, default=0.0)
    best = max((hit.score for hit in (*head, *rest)), default=0.0)
    again = []
    for hit, score in zip(head, scores, strict=True):
        scaled = (score / 2 - low) / span if span > 0 else 1.0
        signal = Signal("reranker", score)
        again.append(replace(hit, score=round(1 + scaled * _trust(hit), 6), signals=(*hit.signals, signal)))
    beneath = [replace(hit, score=round(hit.score / best, 6) if best > 0 else 0.0) for hit in rest]
    return [*sorted(again, key=lambda hit: -hit.score), *beneath]


def _scores(hits: Sequence[Hit], query: str, reranker: Reranker) -> list[float]:
    scores = [float(score) for score in reranker.rerank(query, [hit.content for hit in hits])]
    if len(scores) != len(hits) or not all(map(math.isfinite, scores)):
        raise ProviderError(f"the reranker gave {len(scores)} scores, not {len(hits)} finite ones")
    return scores


def _trust(hit: Hit) -> float:
    return next((signal.value for signal in hit.signals if signal.name == "x trust"), 1.0)
