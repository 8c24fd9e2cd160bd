"""Changes of state, each with the state before it: closing, reopening, admitting, archiving, inside a transaction."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime
from typing import Any

from recollect.filters import Test
from recollect.models import Expiry, Memory, Status
from recollect.protocols import CORRECTS, SUPERSEDES, Edge, Record, Revision, Transaction
from recollect.security.audit import Trail
from recollect.write.corroboration import withdrawn
from recollect.write.duplicates import holds_its_slot, identity

_COLUMNS = {field.name for field in fields(Memory)}


@dataclass(frozen=True, slots=True)
class Closer:
    """Changes the state of memories in one transaction, at the trail's time, and says so in the audit trail."""

    transaction: Transaction
    trail: Trail

    def change(self, record: Record, operation: str, *, reason: str = "", **columns: Any) -> Memory:
        """Set columns of a memory; what it was before becomes a revision. Returns the memory as it is now.

        When it is due by its retention may be another time now: the next sweep looks.
        """
        before, now = record.memory, self.trail.at
        state = json.dumps(before.to_dict(), ensure_ascii=False)
        self.transaction.put(Revision(record.num, before.version, before.updated_at, now, state, operation))
        changes = {"due_at": now, **columns, "updated_at": now}
        self.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
        if columns.get("believed_until") is not None:  # what is believed no longer bears nothing out
            withdrawn(self.transaction, before.id, self.trail)
        after = replace(before, **{name: value for name, value in changes.items() if name in _COLUMNS})
        self.trail.add(operation, after, record.salt, reason=reason)
        return after

    def close(self, old: Record, successor: Memory, *, corrected: bool = False, reason: str = "") -> Memory:
        """Let `successor` take the place of a memory: from its beginning on, or as if the old had never been true."""
        ends = max(old.memory.valid_from, successor.valid_from)
        if old.memory.valid_until is not None:
            ends = min(ends, old.memory.valid_until)
        columns: dict[str, Any] = {"superseded_by": successor.id, **self._without_default_end(old.memory)}
        if corrected:
            columns["believed_until"] = old.memory.believed_until or self.trail.at
        else:
            columns["valid_until"] = ends
        if corrected or ends <= self.trail.at:  # until its successor's time has come, nothing else may say the same
            columns["identity"] = None
        return self.change(
            old, "correct" if corrected else "supersede", reason=reason or f"by {successor.id}", **columns
        )

    def _without_default_end(self, memory: Memory) -> dict[str, Any]:
        """Return the columns by which history loses the end of a policy, whenever the next sweep comes."""
        if memory.expiry is not Expiry.DEFAULT or memory.expires_at is None or memory.expires_at <= self.trail.at:
            return {}
        return {"expires_at": None, "expiry": Expiry.NONE}

    def reopen(self, successor: Record, *, reason: str) -> list[Memory]:
        """Give back their place to the memories that a rejected one had closed, or to its own successor if it has one.

        Each takes the interval it had before it was closed. What a live memory says in the same words by now gives way
        to that one.
        """
        closed = self.transaction.find(Record, [Test("superseded_by", "eq", successor.memory.id)])
        return [self._reopened(old, successor, reason) for old in closed]

    def _reopened(self, old: Record, successor: Record, reason: str) -> Memory:
        memory = replace(old.memory, superseded_by=None, valid_until=self._end_before(old, successor))
        if memory.status is Status.ACTIVE:
            memory = replace(memory, believed_until=None)
        slot = identity(memory) if holds_its_slot(memory, self.trail.at) else None
        heir = self._named(successor.memory.superseded_by) or (self.holder(old, slot) if slot else None)
        columns: dict[str, Any] = {"believed_until": memory.believed_until, "valid_until": memory.valid_until}
        if heir is not None:
            ends = max(memory.valid_from, heir.memory.valid_from)
            ends = ends if memory.valid_until is None else min(ends, memory.valid_until)
            self.transaction.put(Edge(heir.num, SUPERSEDES, old.num))
            return self.change(
                old, "reopen", reason=reason, **columns | {"valid_until": ends}, superseded_by=heir.memory.id
            )
        return self.change(old, "reopen", reason=reason, **columns, superseded_by=None, identity=slot)

    def _end_before(self, old: Record, successor: Record) -> datetime | None:
        """Return where a memory ended before it was closed; what arrived late ended with the other's beginning."""
        for before in self._states(old, ("supersede", "correct")):
            if not before.is_superseded:
                return before.valid_until
        ends = old.memory.valid_until
        return None if ends == successor.memory.valid_from else ends

    def _named(self, memory_id: str | None) -> Record | None:
        found = self.transaction.find(Record, [Test("id", "eq", memory_id)]) if memory_id is not None else []
        return found[0] if found else None

    def holder(self, old: Record, slot: str) -> Record | None:
        """Return the other memory that says the same now; a slot whose holder has gone is taken from it."""
        scope = old.memory.scope
        namespace = self.transaction.namespace(scope.org, scope.user)
        for other in self.transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", slot)]):
            if holds_its_slot(other.memory, self.trail.at):
                return other
            self.transaction.update(Record, [Test("num", "eq", other.num)], identity=None)
        return None

    def before(self, record: Record, changes: Sequence[str]) -> Memory | None:
        """Return the memory as it was before the last change of one of these kinds."""
        return next(self._states(record, changes, limit=1), None)

    def _states(self, record: Record, changes: Sequence[str], *, limit: int | None = None) -> Iterator[Memory]:
        """Return the states that changes of these kinds ended, the last first."""
        tests = [Test("num", "eq", record.num), Test("change", "in", tuple(changes))]
        found = self.transaction.find(Revision, tests, order="-seq", limit=limit)
        return (Memory.from_dict(json.loads(revision.memory)) for revision in found)


def targets(transaction: Transaction, record: Record) -> list[Record]:
    """Return the memories that a waiting or rejected one shall close, or had closed."""
    edges = transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "in", (SUPERSEDES, CORRECTS))])
    nums = tuple(edge.target for edge in edges)
    return transaction.find(Record, [Test("num", "in", nums)]) if nums else []


def corrects(transaction: Transaction, record: Record) -> set[int]:
    """Return the rows that a waiting memory says were never true."""
    return {
        edge.target
        for edge in transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "eq", CORRECTS)])
    }


def leads_to(transaction: Transaction, memory: Memory, wanted: str) -> bool:
    """Say whether `wanted` took a memory's place, or the place of what did."""
    seen: set[str] = set()
    following = memory.superseded_by
    while following is not None and following not in seen and following != wanted:
        seen.add(following)
        found = transaction.find(Record, [Test("id", "eq", following)])
        following = found[0].memory.superseded_by if found else None
    return following == wanted
