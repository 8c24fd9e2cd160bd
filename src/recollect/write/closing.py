"""Changes of state, each with the state before it: closing, reopening, admitting, archiving, inside a transaction."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

from recollect.filters import Test
from recollect.models import Memory
from recollect.protocols import SUPERSEDES, Edge, Record, Revision, Transaction
from recollect.security.audit import Trail

_COLUMNS = {field.name for field in fields(Memory)}


@dataclass(frozen=True, slots=True)
class Closer:
    """Changes the state of memories in one transaction, at the trail's time, and says so in the audit trail."""

    transaction: Transaction
    trail: Trail

    def change(self, record: Record, operation: str, *, reason: str = "", **columns: Any) -> Memory:
        """Set columns of a memory; what it was before becomes a revision. Returns the memory as it is now."""
        before, now = record.memory, self.trail.at
        state = json.dumps(before.to_dict(), ensure_ascii=False)
        self.transaction.put(Revision(record.num, before.version, before.updated_at, now, state, operation))
        changes = {**columns, "updated_at": now}
        self.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
        after = replace(before, **{name: value for name, value in changes.items() if name in _COLUMNS})
        self.trail.add(operation, after, record.salt, reason=reason)
        return after

    def close(self, old: Record, successor: Memory, *, corrected: bool = False, reason: str = "") -> Memory:
        """Let `successor` take the place of a memory: from its beginning on, or as if the old had never been true."""
        ends = max(old.memory.valid_from, successor.valid_from)
        if old.memory.valid_until is not None:
            ends = min(ends, old.memory.valid_until)
        columns: dict[str, Any] = {"superseded_by": successor.id, "identity": None}
        if corrected:
            columns["believed_until"] = old.memory.believed_until or self.trail.at
        else:
            columns["valid_until"] = ends
        return self.change(
            old, "correct" if corrected else "supersede", reason=reason or f"by {successor.id}", **columns
        )

    def reopen(self, successor: Record, *, reason: str) -> list[Memory]:
        """Give back their place to the memories that a rejected one had closed, or to its own successor if it has one.

        Each takes the interval it had before it was closed.
        """
        closed = self.transaction.find(Record, [Test("superseded_by", "eq", successor.memory.id)])
        reopened = []
        for old in closed:
            before = self.before(old, ("supersede", "correct"))
            columns: dict[str, Any] = {"superseded_by": None, "believed_until": None, "valid_until": None}
            if before is not None:
                columns = {"superseded_by": None, "believed_until": None, "valid_until": before.valid_until}
            head = successor.memory.superseded_by
            later = self.transaction.find(Record, [Test("id", "eq", head)]) if head is not None else []
            if later:
                ends = max(old.memory.valid_from, later[0].memory.valid_from)
                columns |= {"superseded_by": head, "valid_until": min(ends, columns["valid_until"] or ends)}
                self.transaction.put(Edge(later[0].num, SUPERSEDES, old.num))
            reopened.append(self.change(old, "reopen", reason=reason, **columns))
        return reopened

    def before(self, record: Record, changes: Sequence[str]) -> Memory | None:
        """Return the memory as it was before the last change of one of these kinds."""
        tests = [Test("num", "eq", record.num), Test("change", "in", tuple(changes))]
        found = self.transaction.find(Revision, tests, order="-seq", limit=1)
        return Memory.from_dict(json.loads(found[0].memory)) if found else None


def targets(transaction: Transaction, record: Record) -> list[Record]:
    """Return the memories that a waiting or rejected one shall close, or had closed."""
    edges = transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "eq", SUPERSEDES)])
    nums = tuple(edge.target for edge in edges)
    return transaction.find(Record, [Test("num", "in", nums)]) if nums else []
