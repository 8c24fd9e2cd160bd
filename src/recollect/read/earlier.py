"""Memories as they were: the states that ended after a moment, put together again from their revisions."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property

from recollect.filters import Filter, Test
from recollect.models import Memory, Status
from recollect.protocols import Reader, Record, Revision
from recollect.words import index_counts

_AT_ONCE = 500


@dataclass(frozen=True)
class Earlier:
    """A memory in the state that it had, and in the one it has now."""

    record: Record
    now: Record

    @property
    def memory(self) -> Memory:
        """The memory as it was."""
        return self.record.memory

    @cached_property
    def reworded(self) -> bool:
        """It said something else: the index and its vector tell what it says now."""
        return _said(self.memory) != _said(self.now.memory)

    @cached_property
    def terms(self) -> Mapping[str, int]:
        """The index terms of what it said."""
        return index_counts(_said(self.memory))


def earlier(reader: Reader, walls: Filter, at: datetime) -> dict[int, Earlier]:
    """Return, by row number, the memories inside the walls that were in another state at `at`.

    Of a filter only whose memories it sees is asked here. A forgotten memory has no earlier state, and a memory that
    has expired is expired in all of them.
    """
    seen, walls = walls.walls, Filter(walls.org, walls.user, walls.shared)
    states: dict[int, Revision] = {}
    for revision in reader.find(Revision, walls.but(Test("believed_until", "gt", at)), order="seq"):
        states.setdefault(revision.num, revision)  # the first change after `at` ended the state in force at it
    nums, found = list(states), {}
    for start in range(0, len(nums), _AT_ONCE):
        some = Test("num", "in", tuple(nums[start : start + _AT_ONCE]))
        for record in reader.find(Record, seen.but(some, Test("status", "ne", Status.FORGOTTEN))):
            found[record.num] = Earlier(_restored(states[record.num], record, seen.agent), record)
    return found


def _restored(state: Revision, now: Record, viewer: str | None) -> Record:
    """Return the record of a revision; what was read of it since, and when it expires, are no matter of belief."""
    row, today = json.loads(state.memory), now.memory
    row |= {"access_count": today.access_count, "strength": today.strength}
    for name, at in (("expires_at", today.expires_at), ("last_accessed", today.last_accessed)):
        row[name] = at and at.isoformat()
    if today.status is Status.EXPIRED:
        row["status"] = today.status
    then = Memory.from_dict(row)
    links = tuple(link for link in then.links if link in today.links)  # of those of then, what this view may see
    before = tuple(each for each in then.supersedes if viewer is None or each in today.supersedes)
    causes = today.causal_chain if links else ()
    return replace(now, memory=replace(then, links=links, supersedes=before, causal_chain=causes))


def _said(memory: Memory) -> str:
    fact = memory.fact
    parts = () if fact is None else (fact.subject, fact.predicate.replace("_", " "), fact.object)
    return " ".join((memory.content, *parts, *memory.tags))
