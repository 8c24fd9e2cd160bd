"""Why a memory is not among the hits: the stage at which it fell out, and by how much."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from engrain.arrays import np
from engrain.engine import Engine
from engrain.model.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test, column, passes
from engrain.model.memory import Memory
from engrain.model.results import Hit, WhyNot
from engrain.read.history import reading
from engrain.read.question import Trace
from engrain.read.recall import Pool, Ranking, cut, hits_of, placed, pooled, ways_of
from engrain.read.request import Request
from engrain.read.variants import meant, phrasings
from engrain.storage.interface import Reader
from engrain.storage.queries import cosines, gains
from engrain.storage.rows import Ranked, Record

_DAY = timedelta(days=1)


def why_not(engine: Engine, request: Request, walls: Filter, memory_id: str) -> WhyNot:
    """Say where a memory falls out of a recall; `walls` are those of the view, without the recall's filters."""
    engine = copy(engine)  # as in a recall
    with reading(engine.store, request.where, request.known_at) as reader:
        found = reader.find(Record, walls.but(Test("id", "eq", memory_id)))
        if not found:
            return WhyNot("scope", 0.0, "this view knows no memory of that id, or it was forgotten")
        record = found[0]
        if not reader.find(Record, request.where.but(Test("id", "eq", memory_id))):
            return _filtered(record, request.where)
    if request.k <= 0:
        return WhyNot("rank", 0.0, f"k is {request.k}: nothing was asked for")
    request = meant(engine, request, Trace())
    asked, _ = phrasings(request)
    pool = pooled(engine, request, ways_of(engine, request, asked), Trace())
    whole = placed(request, pool, Trace())
    hits = cut(engine, request, pool, whole, Trace())
    rank = next((rank for rank, hit in enumerate(hits, start=1) if hit.id == memory_id), None)
    if rank is not None:
        hit = hits[rank - 1]
        return WhyNot("found", 0.0, f"it is hit {rank} of {len(hits)}, with a score of {hit.score:.3f}")
    if pool.ranking is None:
        return WhyNot("rank", 0.0, "the question is empty, and others are newer or more important")
    with reading(engine.store, request.where, request.known_at) as reader:
        return _outranked(engine, reader, request, pool.ranking, _Missed(record, pool, whole, hits))


@dataclass(frozen=True, slots=True)
class _Missed:
    """The memory that is missing, what was read and put in its last order, and the hits of that."""

    record: Record
    pool: Pool
    placed: Sequence[Hit]
    hits: Sequence[Hit]


def _outranked(engine: Engine, reader: Reader, request: Request, ranking: Ranking, missed: _Missed) -> WhyNot:
    num = missed.record.num
    at = int(np.searchsorted(ranking.found.nums, num))
    if at >= len(ranking.found.nums) or int(ranking.found.nums[at]) != num:
        return _unfound(engine, reader, request.where, ranking, num)
    relevant = float(ranking.relevant[at])
    if relevant < request.min_score:
        lacking = request.min_score - relevant
        return WhyNot("relevance", lacking, f"its relevance is {relevant:.3f}, and min_score is {request.min_score}")
    hit = next((hit for hit in missed.placed if hit.id == missed.record.memory.id), None)
    last, reread = missed.hits[-1].score if missed.hits else 0.0, request.reranker is not None
    if hit is None:
        hit = hits_of(ranking, [at], reader, request.where)[0]
        last = missed.pool.hits[-1].score if reread else last  # the reranker's scores are of another kind
    place = int(np.flatnonzero(ranking.order == at)[0]) + 1
    told = ", ".join(f"{s.name} {s.value:.3g}" + (f" (rank {s.rank})" if s.rank else "") for s in hit.signals)
    return WhyNot(
        "rank",
        max(last - hit.score, 0.0),
        f"it ranks {place} of {len(ranking.order)} candidates with a score of {hit.score:.3f}, and the last of the "
        f"{len(missed.hits)} hits has {last:.3f}: {told}" + _later(place, request),
    )


def _later(place: int, request: Request) -> str:
    return "" if place > request.k else "; a later stage (policy, reranker, diversity or links) put others before it"


def _unfound(engine: Engine, reader: Reader, where: Filter, ranking: Ranking, num: int) -> WhyNot:
    """Say how far a memory is from the lists of the searches."""
    nums, reasons, gaps = np.array([num], np.int64), list[str](), list[float]()
    terms = ranking.sought.words.terms
    own = float(gains(reader, tuple(terms), nums, where).sum())
    if own > 0:
        gaps.append(_last(ranking.found.lexical) - own)
        reasons.append(f"by words it scores {own:.3f}, and the list ends at {_last(ranking.found.lexical):.3f}")
    else:
        reasons.append("it holds none of the question's words")
    meaning = ranking.sought.meaning
    if meaning.query is None or engine.embedder is None:
        reasons.append("there was no search by meaning")
    else:
        cosine = float(cosines(reader, meaning.embedder, meaning.query, nums, where)[0])
        if np.isnan(cosine):
            reasons.append("it has no vector by this embedder: flush() or reindex()")
        else:
            gaps.append(_last(ranking.found.vector) - cosine)
            reasons.append(f"its cosine is {cosine:.3f}, and the list ends at {_last(ranking.found.vector):.3f}")
    return WhyNot("search", max(min(gaps, default=0.0), 0.0), "; ".join(reasons))


def _last(ranked: Ranked) -> float:
    return float(ranked.scores[-1]) if len(ranked.scores) else 0.0


# ------------------------------------------------------------------------------------------------------------- filters


def _filtered(record: Record, where: Filter) -> WhyNot:
    memory = record.memory
    bare = replace(where, conditions=())
    failing = [test for test in where.conditions if not passes(memory, bare.but(test), num=record.num)]
    if not failing:
        return WhyNot("filters", 0.0, "it lies outside the walls of this recall")
    return WhyNot("filters", _lacking(memory, failing[0]), "; ".join(_told(memory, test) for test in failing))


def _told(memory: Memory, test: Condition) -> str:
    if isinstance(test, Test):
        held = column(memory, test.column)
        wanted = f"{_WORDS.get(test.op, test.op)} {_value(test.value)}".strip()
        return f"its {test.column} is {_value(held)}, and it must be {wanted}"
    if isinstance(test, Tagged):
        wanted = "all" if test.every else "any"
        held = f"its tags are {_value(memory.tags)}" if memory.tags else "it has no tags"
        return f"{held}, and it must have {wanted} of {_value(test.tags)}"
    if isinstance(test, Meta):
        there = test.key in memory.metadata
        held = f"its metadata {test.key!r} is {memory.metadata[test.key]!r}" if there else f"it lacks {test.key!r}"
        return f"{held}, and it must be {test.op} {test.value!r}"
    if isinstance(test, AnyOf) and Test("superseded_by", "eq", None) in test.branches[0]:
        return f"it was superseded by {memory.superseded_by}"
    if isinstance(test, AnyOf):
        return "none of these holds: " + " | ".join(", ".join(_told(memory, t) for t in b) for b in test.branches)
    assert isinstance(test, Logic)
    return f"its metadata does not pass `{test.op}` of {len(test.terms)} conditions"


_WORDS = {
    "eq": "",
    "ne": "other than",
    "lt": "under",
    "le": "at most",
    "gt": "over",
    "ge": "at least",
    "in": "one of",
    "nin": "none of",
}


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, float):
        return f"{value:.5g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list | frozenset) else str(value)


def _lacking(memory: Memory, test: Condition) -> float:
    """Return by how much a value misses a bound: a number's units, or days."""
    if not isinstance(test, Test) or test.op not in ("lt", "le", "gt", "ge"):
        return 0.0
    held = column(memory, test.column)
    if isinstance(held, datetime) and isinstance(test.value, datetime):
        return float(abs(held - test.value) / _DAY)
    if isinstance(held, int | float) and isinstance(test.value, int | float):
        return round(float(abs(held - test.value)), 5)
    return 0.0
