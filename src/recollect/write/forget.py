"""Forgetting: hidden from every read, kept for the audit trail; its text's slot and key become free."""

from __future__ import annotations

from dataclasses import replace

from recollect.engine import Engine
from recollect.filters import Test, reachable
from recollect.models import Memory, Scope, Status
from recollect.protocols import Record, Transaction
from recollect.results import Forgotten
from recollect.security.audit import Trail, who


def forget(engine: Engine, scope: Scope, where: Test, *, reason: str) -> Forgotten:
    """Hide the memory that `where` names, if the scope holds it and it is not forgotten yet."""
    now = engine.clock.now()
    wanted = reachable(scope).but(where, Test("status", "ne", Status.FORGOTTEN))

    def change(transaction: Transaction) -> Forgotten:
        found = transaction.find(Record, wanted)
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        for record in found:
            gone = _forgotten(record.memory, reason)
            transaction.update(
                Record,
                [Test("num", "eq", record.num)],
                status=gone.status,
                status_reason=gone.status_reason,
                believed_until=record.memory.believed_until or now,
                updated_at=now,
                identity=None,
            )
            trail.add("forget", gone, record.salt, reason=reason)
        trail.write()
        return Forgotten(len(found), tuple(record.memory.id for record in found))

    return engine.store.write(change)


def _forgotten(memory: Memory, reason: str) -> Memory:
    return replace(memory, status=Status.FORGOTTEN, status_reason=reason)
