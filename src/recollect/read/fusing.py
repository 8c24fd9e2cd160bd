"""Lists of hits made into one, by rank and by the reranker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.policies import fuse_rrf
from recollect.protocols import Reranker
from recollect.read.ranking.reranking import reranked
from recollect.results import Hit, Signal


def fused(query: str, lists: Sequence[Sequence[Hit]], reranker: Reranker | None = None) -> list[Hit]:
    """Fuse lists of hits by reciprocal rank, then by the reranker unless it fails.

    Each hit keeps the best relevance it has in any list, and has a signal for every list it is in.
    """
    lists = [list(each) for each in lists]
    best: dict[str, Hit] = {}
    for hit in (hit for each in lists for hit in each):
        if not isinstance(hit, Hit):
            raise TypeError(f"lists hold hits, such as those of a recall, not {type(hit).__name__}")
        if hit.id not in best or hit.relevance > best[hit.id].relevance:
            best[hit.id] = hit
    ids = [list(dict.fromkeys(hit.id for hit in each)) for each in lists]
    ranks = [{memory_id: rank for rank, memory_id in enumerate(each, start=1)} for each in ids]
    found = []
    for memory_id, score in fuse_rrf(ids):
        held = [(i, place[memory_id]) for i, place in enumerate(ranks, start=1) if memory_id in place]
        signals = [Signal("rrf", score), *(Signal(f"rrf.list_{i}", 1.0, rank) for i, rank in held)]
        hit = best[memory_id]
        found.append(replace(hit, score=score, signals=(*hit.signals, *signals)))
    return found if reranker is None or not found else reranked(found, query, reranker)[0]
