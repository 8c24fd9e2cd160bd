"""A reranker's word on the best hits: it reads question and text side by side."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from recollect.errors import ProviderError
from recollect.foreign import guard
from recollect.protocols import Reranker
from recollect.results import Hit, Signal

DEPTH = 50  # hits that are read again


def reranked(hits: Sequence[Hit], query: str, reranker: Reranker) -> list[Hit] | None:
    """Return the hits in a reranker's order, the best `DEPTH` read again and the others behind them; None if it fails.

    The reranker's scores are scaled to 0..1 and weighed by trust, so that no text argues its way past its source.
    Scores stay comparable within the result: those read again lie above 1, the others below.
    """
    head, rest = hits[:DEPTH], hits[DEPTH:]
    scores = guard(f"the reranker {type(reranker).__name__}", lambda: _scores(head, query, reranker))
    if scores is None:
        return None
    halves = [score / 2 for score in scores]  # the span of two finite numbers need not be one, that of their halves is
    low, span = min(halves, default=0.0), max(halves, default=0.0) - min(halves, default=0.0)
    best = max((hit.score for hit in hits), default=0.0)
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
