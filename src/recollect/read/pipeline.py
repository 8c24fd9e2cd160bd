"""The read path: a question in, ranked memories out, every step on record.

    phrase -> understand -> retrieve (words, meaning, time; all filters inside) -> fuse and boost -> read the best
    -> policy of the caller -> rerank -> diversify -> links -> cut to k -> Recall

Foreign code that may be slow or fail (a transformer, an embedder that asks a model, a reranker, a policy) is called
while no view of the store is held, and its failure is a note in the trace.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.filters import Test
from recollect.foreign import guard
from recollect.models import Memory
from recollect.protocols import RankingPolicy, Reader, Record
from recollect.read.contested import contested
from recollect.read.expansion import Reached, joined, reached
from recollect.read.hits import hits_of
from recollect.read.meant import meant
from recollect.read.packing import pack
from recollect.read.past import Past, reading
from recollect.read.phrasings import phrasings
from recollect.read.query import understand
from recollect.read.ranking.diversity import diversified, may_hold_copies
from recollect.read.ranking.reranking import DEPTH, reranked
from recollect.read.request import Request
from recollect.read.search import BREADTH, Ranking, Ways, rank, understood, ways_of
from recollect.read.trace import Trace
from recollect.results import Hit, Recall, Signal

_MOST = 2**31  # hits anybody can ask for
_PAGES = 5  # times k: how far diversity looks for hits that are no copies


@dataclass(frozen=True, slots=True)
class Pool:
    """The best hits as read, and how they came to be ranked."""

    intent: str
    hits: Sequence[Hit]
    ranking: Ranking | None = None


def recall(engine: Engine, request: Request) -> Recall:
    """Find the memories that answer a question, best first; see `MemoryManager.recall`."""
    trace, request = Trace(), replace(request, k=min(request.k, _MOST))
    engine = copy(engine)  # one embedder throughout, whatever is put in force meanwhile
    request = meant(engine, request, trace)
    asked, notes = phrasings(request)
    if notes:
        trace.add("phrase", 1, len(asked), *notes)
    ways = ways_of(engine, request, asked)
    pool = pooled(engine, request, ways, trace)
    hits = cut(engine, request, pool, placed(request, pool, trace), trace)
    best = max((hit.relevance for hit in hits), default=0.0)
    return Recall(
        hits,
        query=request.query,
        intent=pool.intent,
        trace=trace.stages,
        queries=[way.text for way in asked if not way.passage],
        abstained=bool(request.query.strip()) and request.k > 0 and best < engine.settings.abstain_below,
        pack=lambda found, budget: pack(found, engine.tokenizer, budget),
    )


def pooled(engine: Engine, request: Request, ways: Ways, trace: Trace) -> Pool:
    """Search the store and read the best hits, as many as the later stages need."""
    with reading(engine.store, request.where, request.known_at if request.k > 0 else None) as reader:
        if isinstance(reader, Past):
            count = len(reader.admitted(request.where))
            trace.add("known at", count, count, f"{count} memories seen in an earlier state")
        if request.k <= 0 or not request.query.strip():
            return _unasked(reader, request, trace)
        ranking = rank(reader, request, ways, trace)
        order = ranking.order[ranking.relevant[ranking.order] >= request.min_score].tolist()
        hits = _read(reader, request, ranking, order, _depth(request, ranking))
        return Pool(ranking.question.intent, contested(reader, request.where, hits), ranking)


def _depth(request: Request, ranking: Ranking) -> int:
    """Return how many hits the later stages want to see."""
    if ranking.policy.hits is not None:
        return len(ranking.order)
    return max(request.k, DEPTH) if request.reranker is not None else request.k


def _read(reader: Reader, request: Request, ranking: Ranking, order: Sequence[int], depth: int) -> list[Hit]:
    """Read the best hits, and some more when there are copies among them that are to make room."""
    hits = hits_of(ranking, order[:depth], reader, request.where)
    if ranking.policy.diverse and len(order) > len(hits) and may_hold_copies(hits):
        hits += hits_of(ranking, order[depth : _PAGES * depth], reader, request.where)
    return hits


def _unasked(reader: Reader, request: Request, trace: Trace) -> Pool:
    """Answer an empty question, and one for no hits."""
    question = understand(request.query, request.now, ())
    trace.add("understand", 1, len(question.terms), *understood(question))
    hits = contested(reader, request.where, _newest(reader, request, trace)) if request.k > 0 else []
    return Pool(question.intent, hits)


def placed(request: Request, pool: Pool, trace: Trace) -> list[Hit]:
    """Put the pool in its last order: by the caller's policy, by the reranker, near-copies behind."""
    hits, ranking = list(pool.hits), pool.ranking
    if ranking is None or not hits:
        return hits
    if ranking.policy.hits is not None:
        hits = _judged(hits, request, ranking.policy.name, ranking.policy.hits, trace)
    if request.reranker is not None:
        hits, notes = reranked(hits, request.query, request.reranker)
        trace.add("rerank", len(hits), len(hits), *notes)
    if ranking.policy.diverse and len(hits) > request.k:
        hits, copies = diversified(hits, request.k)
        if copies:
            trace.add("diversify", len(hits), len(hits), f"{len(copies)} near-copies of better hits moved back")
    return hits


def cut(engine: Engine, request: Request, pool: Pool, placed: Sequence[Hit], trace: Trace) -> list[Hit]:
    """Add what is reached from the best, and cut."""
    hits, ranking = list(placed[: request.k]), pool.ranking
    if ranking is None:
        return hits
    candidates = len(ranking.found.nums)
    if request.expand_hops or (request.include_links and any(hit.memory.links for hit in hits)):
        together = joined(hits, _reached(engine, request, ranking, hits))
        if added := len(together) - len(hits):
            # A near-copy is one though a hit is linked to it.
            hits = diversified(together, request.k)[0] if ranking.policy.diverse else together
            candidates += added
            trace.add("links", len(hits) - added, len(hits), f"{added} reached from the hits")
    notes = (f"relevance at least {request.min_score}",) if request.min_score else ()
    trace.add("cut", candidates, min(len(hits), request.k), *notes)
    return hits[: request.k]


def _reached(engine: Engine, request: Request, ranking: Ranking, hits: Sequence[Hit]) -> list[Reached]:
    """Read what is reached from the best in their last order, which foreign code may have made meanwhile."""
    with reading(engine.store, request.where, request.known_at) as reader:
        found = reached(reader, request, ranking, hits, engine)
        found = [each for each in found if each.hit.relevance >= request.min_score]
        disputed = contested(reader, request.where, [each.hit for each in found])
    return [replace(each, hit=hit) for each, hit in zip(found, disputed, strict=True)]


def _judged(hits: Sequence[Hit], request: Request, name: str, policy: RankingPolicy, trace: Trace) -> list[Hit]:
    """Return the hits in the order of a policy that judges one at a time."""

    def scores() -> list[float]:
        found = [float(policy.score(hit, request.query, request.now)) for hit in hits]
        if not all(map(math.isfinite, found)):
            raise ProviderError(f"the ranking policy {name} gave a score that is not a finite number")
        return found

    found = guard(f"the ranking policy {name}", scores)
    if found is None:
        trace.add("policy", len(hits), len(hits), f"{name} failed: ranked by convex")
        return list(hits)
    trace.add("policy", len(hits), len(hits), name)
    ranked = sorted(zip(found, hits, strict=True), key=lambda pair: -pair[0])
    return [replace(hit, score=score, signals=(*hit.signals, Signal(name, score))) for score, hit in ranked]


def _newest(reader: Reader, request: Request, trace: Trace) -> list[Hit]:
    """Without a question, the newest and most important come first."""
    nums = tuple(reader.latest(request.where, limit=max(BREADTH, request.k)).tolist())
    found = reader.find(Record, request.where.but(Test("num", "in", nums)), order="-valid_from")
    newest = max((record.memory.valid_from for record in found), default=None)

    def worth(memory: Memory) -> float:
        assert newest is not None
        days = (newest - memory.valid_from).total_seconds() / 86_400
        return float(0.5 * 2 ** (-days / 30) + 0.5 * request.retention.effective(memory, request.now))

    ranked = sorted(found, key=lambda record: (-worth(record.memory), -record.num))[: request.k]
    trace.add("newest", len(found), len(ranked), "the question is empty: recency and importance alone")
    return [
        Hit(r.memory, round(worth(r.memory), 6), 0.0, (Signal("recency and importance", worth(r.memory)),))
        for r in ranked
    ]
