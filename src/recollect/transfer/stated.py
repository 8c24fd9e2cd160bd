"""What an export says of the graph: all that no text says, so that reading the texts again would not bring it back.

Entities that stand by themselves, their other names, relations and mentions stated by hand or by an import, and merges.
An entity is named by its type and its own name, whatever it counts as.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from recollect.filters import Filter, Test
from recollect.graph.chunks import among
from recollect.graphrows import (
    EVERYBODY,
    MERGED,
    PROPOSED,
    STATED,
    TOLD,
    EntityNote,
    EntityRow,
    MentionRow,
    MergeRow,
    RelationRow,
)
from recollect.protocols import Reader, Record

ROWS = ("entity", "mention", "relation", "alias", "merge")
"""The kinds of rows, in the order in which an import needs them."""
_AT_ONCE = 500
_BY_HAND = Test("origin", "in", (STATED, TOLD))


def stated(reader: Reader, where: Filter) -> Iterator[Mapping[str, Any]]:
    """Return what the view that a filter is sees of the graph beyond what its memories' texts say, as rows."""
    walls = Filter(where.org, where.user)
    rows = {row.id: row for row in reader.find(EntityRow, walls, order="id")}
    merges = reader.find(MergeRow, walls.but(Test("state", "ne", PROPOSED)), order="at")
    yield from _Stated(reader, where, rows).all(merges)


class _Stated:
    """The rows of one export; `rows` are the entities inside its walls."""

    def __init__(self, reader: Reader, where: Filter, rows: Mapping[int, EntityRow]) -> None:
        self.reader, self.where, self.rows = reader, where, rows
        self.owners = reader.owners(where)
        self.memories: dict[int, str | None] = {}  # of every row number met, the id if the view sees the memory

    def all(self, merges: Sequence[MergeRow]) -> Iterator[Mapping[str, Any]]:
        ids = list(self.rows)
        for note in among(self.reader, EntityNote, "entity", ids, order="entity"):
            if self._mine(note.agent or None):
                yield self._row("entity", note.entity, note.agent or None, metadata=json.loads(note.metadata))
        yield from self._mentions(ids)
        yield from self._relations(ids)
        merged = {row.other for row in merges if row.state == MERGED}
        for row in self.rows.values():
            if row.above(self.where.agent) in self.rows and row.id not in merged:
                yield self._row("alias", row.merged_into or 0, row.agent, alias=_name(row))
        for merge in merges:
            yield from self._merge(merge)

    def _mentions(self, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        found = among(self.reader, MentionRow, "entity", ids, _BY_HAND, order="num")
        self._meet({row.num for row in found})
        for row in found:
            if memory_id := self.memories[row.num]:
                yield self._row("mention", row.entity, None, memory_id=memory_id, origin=row.origin, pairs=row.pairs)

    def _relations(self, ids: Sequence[int]) -> Iterator[Mapping[str, Any]]:
        found = among(self.reader, RelationRow, "source", ids, _BY_HAND)
        self._meet({row.num for row in found if row.num is not None})
        for row in sorted(found, key=lambda row: row.id):
            evidence = None if row.num is None else self.memories[row.num]
            if row.target in self.rows and self._mine(row.agent) and (row.num is None or evidence is not None):
                yield {
                    **self._place("relation", row.source, row.agent),
                    "source": _name(self.rows[row.source]),
                    "relation": row.relation,
                    "target": _name(self.rows[row.target]),
                    "memory_id": evidence,
                    "origin": row.origin,
                    "weight": row.weight,
                    "valid_from": _time(row.valid_from),
                    "valid_until": _time(row.valid_until),
                    "recorded_at": _time(row.recorded_at),
                    "believed_until": _time(row.believed_until),
                }

    def _merge(self, merge: MergeRow) -> Iterator[Mapping[str, Any]]:
        if merge.num is not None:
            self._meet({merge.num})
        evidence = None if merge.num is None else self.memories[merge.num]
        inside = {merge.keep, merge.other} <= self.rows.keys()
        if inside and self._mine(merge.agent) and (merge.num is None or evidence is not None):
            yield {
                **self._place("merge", merge.other, merge.agent),
                "id": merge.id,
                "keep": _name(self.rows[merge.keep]),
                "other": _name(self.rows[merge.other]),
                "memory_id": evidence,
                "state": merge.state,
                "reason": merge.reason,
                "at": _time(merge.at),
            }

    def _meet(self, nums: set[int]) -> None:
        unknown = sorted(nums - self.memories.keys())
        self.memories.update(dict.fromkeys(unknown))
        for start in range(0, len(unknown), _AT_ONCE):
            some = self.where.but(Test("num", "in", tuple(unknown[start : start + _AT_ONCE])))
            self.memories.update((record.num, record.memory.id) for record in self.reader.find(Record, some))

    def _mine(self, agent: str | None) -> bool:
        return self.where.agent is None or agent in (None, EVERYBODY, self.where.agent)

    def _place(self, kind: str, entity: int, agent: str | None) -> dict[str, Any]:
        return {"type": kind, "user": self.owners[self.rows[entity].ns], "agent": agent}

    def _row(self, kind: str, entity: int, agent: str | None, **more: Any) -> Mapping[str, Any]:
        return {**self._place(kind, entity, agent), "entity": _name(self.rows[entity]), **more}


def _name(row: EntityRow) -> list[str]:
    return [row.type, row.name]


def _time(at: datetime | None) -> str | None:
    return None if at is None else at.isoformat()
