"""Explanation of a missing hit: `why_not` returns the stage at which a memory was dropped, and by what margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from engrain.engine import Engine
from engrain.lazy import np
from engrain.model.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test, column, passes, reachable
from engrain.model.memory import Memory, Scope, Status, is_hidden
from engrain.model.results import Hit, WhyNot
from engrain.read.ranking import RankedCandidates
from engrain.read.recall import Run, begin, execute, hits_of
from engrain.read.request import Request, reading
from engrain.storage.interface import Reader, cosines, gains
from engrain.storage.rows import Ranked, Record

_AMONG = {"eq": "", "ne": "other than", "in": "one of", "nin": "none of"}
_WORDS = {**_AMONG, "lt": "under", "le": "at most", "gt": "over", "ge": "at least"}


def why_not(engine: Engine, scope: Scope, request: Request, memory_id: str, *, shared: bool) -> WhyNot:
    """Return where a memory drops out of a recall; `scope` and `shared` bound the visible memories, without filters."""
    known = replace(reachable(scope), shared=shared).but(Test("status", "ne", Status.FORGOTTEN))
    with reading(engine, request.where, request.known_at) as reader:
        found = reader.find(Record, known.but(Test("id", "eq", memory_id)))
        if not found or is_hidden(found[0].memory):
            return WhyNot("scope", 0.0, "this view knows no memory of that id, or it was forgotten")
        if not reader.find(Record, request.where.but(Test("id", "eq", memory_id))):
            return _filtered(found[0], request.where)
    if request.k <= 0:
        return WhyNot("rank", 0.0, f"k is {request.k}: nothing was asked for")
    run = begin(engine, request)
    hits = execute(run)
    rank = next((rank for rank, hit in enumerate(hits, start=1) if hit.memory.id == memory_id), None)
    if rank is not None:
        score = hits[rank - 1].score
        return WhyNot("found", 0.0, f"it is hit {rank} of {len(hits)}, with a score of {score:.3f}")
    if run.ranking is None:
        return WhyNot("rank", 0.0, "the question is empty, and others are newer or more important")
    with reading(engine, request.where, request.known_at) as reader:
        return _outranked(reader, run, run.ranking, found[0], hits)


def _outranked(reader: Reader, run: Run, ranking: RankedCandidates, record: Record, hits: Sequence[Hit]) -> WhyNot:
    request = run.request
    nums = ranking.candidates.nums
    at = int(np.searchsorted(nums, record.num))
    if at >= len(nums) or int(nums[at]) != record.num:
        return _unfound(reader, request.where, ranking, record.num)
    relevant = float(ranking.relevant[at])
    if relevant < request.min_score:
        lacking = request.min_score - relevant
        return WhyNot("relevance", lacking, f"its relevance is {relevant:.3f}, and min_score is {request.min_score}")
    hit = next((hit for hit in run.reordered if hit.memory.id == record.memory.id), None)
    last = hits[-1].score if hits else 0.0
    if hit is None:
        (hit,) = hits_of(ranking, {at: record})
        if request.reranker is not None:
            last = run.loaded[-1].score  # a reranker's scores have another scale
    place = int(np.flatnonzero(ranking.order == at)[0]) + 1
    signals = ", ".join(f"{s.name} {s.value:.3g}" + (f" (rank {s.rank})" if s.rank else "") for s in hit.signals)
    later = "; a later stage (policy, reranker, diversity or links) put others before it"
    return WhyNot(
        "rank",
        max(last - hit.score, 0.0),
        f"it ranks {place} of {len(ranking.order)} candidates with a score of {hit.score:.3f}, and the last of the "
        f"{len(hits)} hits has {last:.3f}: {signals}" + ("" if place > request.k else later),
    )


def _unfound(reader: Reader, where: Filter, ranking: RankedCandidates, num: int) -> WhyNot:
    """Return the distance of a memory from the result lists of the searches."""

    def last(ranked: Ranked) -> float:
        return float(ranked.scores[-1]) if len(ranked.scores) else 0.0

    nums, reasons, gaps = np.array([num], np.int64), list[str](), list[float]()
    question, matches = ranking.question, ranking.candidates.matches
    own = float(gains(reader, question.terms, nums, where).sum())
    if own > 0:
        gaps.append(last(matches.lexical) - own)
        reasons.append(f"by words it scores {own:.3f}, and the list ends at {last(matches.lexical):.3f}")
    else:
        reasons.append("it holds none of the question's words")
    if matches.embedded.vector is None:
        reasons.append("there was no search by meaning")
    else:
        cosine = float(cosines(reader, matches.embedded.embedder, matches.embedded.vector, nums, where)[0])
        if np.isnan(cosine):
            reasons.append("it has no vector by this embedder: flush() or reindex()")
        else:
            gaps.append(last(matches.vector) - cosine)
            reasons.append(f"its cosine is {cosine:.3f}, and the list ends at {last(matches.vector):.3f}")
    return WhyNot("search", max(min(gaps, default=0.0), 0.0), "; ".join(reasons))


def _filtered(record: Record, where: Filter) -> WhyNot:
    memory = record.memory
    bare = replace(where, conditions=())
    failing = [test for test in where.conditions if not passes(memory, bare.but(test), num=record.num)]
    if not failing:
        return WhyNot("filters", 0.0, "it is outside the scope of this recall")
    gap, first = 0.0, failing[0]
    if isinstance(first, Test) and first.op in ("lt", "le", "gt", "ge"):  # the distance as a number, or days
        found = column(memory, first.column)
        if isinstance(found, datetime) and isinstance(first.value, datetime):
            gap = abs(found - first.value) / timedelta(days=1)
        elif isinstance(found, int | float) and isinstance(first.value, int | float):
            gap = round(float(abs(found - first.value)), 5)
    return WhyNot("filters", gap, "; ".join(_description(memory, test) for test in failing))


def _description(memory: Memory, test: Condition) -> str:
    match test:
        case Test():
            wanted = f"{_WORDS.get(test.op, test.op)} {_value(test.value)}".strip()
            return f"its {test.column} is {_value(column(memory, test.column))}, and it must be {wanted}"
        case Tagged():
            tags = f"its tags are {_value(memory.tags)}" if memory.tags else "it has no tags"
            return f"{tags}, and it must have {'all' if test.every else 'any'} of {_value(test.tags)}"
        case Meta():
            there = test.key in memory.metadata
            found = f"its metadata {test.key!r} is {memory.metadata[test.key]!r}" if there else f"it lacks {test.key!r}"
            return f"{found}, and it must be {test.op} {test.value!r}"
        case AnyOf() if Test("superseded_by", "eq", None) in test.branches[0]:
            return f"it was superseded by {memory.superseded_by}"
        case AnyOf():
            branches = (", ".join(_description(memory, each) for each in branch) for branch in test.branches)
            return "none of these holds: " + " | ".join(branches)
        case Logic():
            return f"its metadata does not pass `{test.op}` of {len(test.terms)} conditions"


def _value(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, datetime):
        return value.isoformat(timespec="seconds")
    if isinstance(value, float):
        return f"{value:.5g}"
    return ", ".join(map(str, value)) if isinstance(value, tuple | list | frozenset) else str(value)
