"""The history of a fact: the memories that took one another's place, both ways from one, and how each was worded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from heapq import heapify, heappop, heappush
from typing import Any

from recollect.engine import Engine
from recollect.filters import Filter, Test, reachable
from recollect.models import Memory, Scope
from recollect.passing import passes
from recollect.protocols import EDIT, Reader, Record, Revision

_AT_ONCE = 500


def history(engine: Engine, scope: Scope, memory_id: str) -> list[Memory]:
    """Return all versions of what a memory says, oldest to newest; [] for an id that the scope does not hold.

    They are the memory, those it superseded and those that superseded it, forgotten ones included, and before each the
    texts it had until it was edited.
    """
    now = engine.clock.now()
    with engine.store.read(scope.org) as reader:
        where = reachable(scope)
        nums = [record.num for record in _chain(reader, where, memory_id)]
        # Read again with the view's own eyes: what links tell depends on whose they are.
        found = (reader.find(Record, where.walls.but(Test("num", "in", some))) for some in _parts(nums))
        chain = [record for part in found for record in part]
        edits: dict[int, list[Memory]] = {}
        for some in _parts([record.num for record in chain]):
            tests = [Test("num", "in", some), Test("change", "eq", EDIT)]
            for row in reader.find(Revision, tests, order="seq"):
                edits.setdefault(row.num, []).append(Memory.from_dict(json.loads(row.memory)))
    ordered = _oldest_first(chain)
    return [
        memory
        for record in ordered
        for memory in (
            *(replace(edit, **ties(record.memory)) for edit in edits.get(record.num, ())),
            record.memory.as_of_clock(now),
        )
    ]


def ties(memory: Memory) -> dict[str, Any]:
    """Return what a memory is tied to, as the view sees it: an earlier state of it tells no more."""
    return {"links": memory.links, "supersedes": memory.supersedes, "causal_chain": memory.causal_chain}


def _oldest_first(chain: Sequence[Record]) -> list[Record]:
    """Return what gave way before what took its place, and what nothing orders by its time."""
    times = {r.memory.id: (r.memory.valid_from, r.memory.recorded_at, r.num) for r in chain}
    records = {record.memory.id: record for record in chain}
    waits = Counter(record.memory.superseded_by for record in chain)  # for how many before it
    ready = [(times[name], name) for name in records if not waits[name]]
    heapify(ready)
    ordered: dict[str, Record] = {}
    while ready:
        _, name = heappop(ready)
        ordered[name] = records[name]
        following = records[name].memory.superseded_by
        waits[following] -= 1
        if following in records and not waits[following]:
            heappush(ready, (times[following], following))
    circle = sorted(records.keys() - ordered.keys(), key=times.__getitem__)
    return [*ordered.values(), *(records[name] for name in circle)]


def _chain(reader: Reader, where: Filter, memory_id: str) -> list[Record]:
    """Return the records that superseding joins to a memory, each once, however they are joined."""
    known: dict[str, Record] = {}
    found = reader.find(Record, where.but(Test("id", "eq", memory_id)))
    while found:
        fresh = {record.memory.id: record for record in found if record.memory.id not in known}
        known |= fresh
        heads = {r.memory.superseded_by for r in fresh.values() if r.memory.superseded_by is not None} - known.keys()
        # Without the walls in the query: by what superseded it, a memory is found at once, by whose it is it is not.
        tests = [Test("id", "in", some) for some in _parts(sorted(heads))]
        tests += [Test("superseded_by", "in", some) for some in _parts(list(fresh))]
        found = [r for test in tests for r in reader.find(Record, [test]) if passes(r.memory, where, num=r.num)]
    return list(known.values())


def _parts(values: list[int] | list[str]) -> Iterable[tuple[int | str, ...]]:
    return (tuple(values[start : start + _AT_ONCE]) for start in range(0, len(values), _AT_ONCE))
