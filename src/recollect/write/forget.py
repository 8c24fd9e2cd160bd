"""Forgetting: hidden from every read, kept for the audit trail; its text's slot and key become free."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.filters import Filter, Test
from recollect.models import Scope, Status
from recollect.proofs import Forgotten
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who
from recollect.write.closing import Closer
from recollect.write.untelling import untell

_AT_ONCE = 500  # memories hidden in one transaction


def forget(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Hide the memories of the scope that a filter passes and that are not forgotten yet."""
    ids: list[str] = []
    while some := _forget_some(engine, scope, where, reason=reason):
        ids += some
        if len(some) < _AT_ONCE:
            break
    return Forgotten(len(ids), tuple(ids))


def _forget_some(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> list[str]:
    now = engine.clock.now()
    wanted = where.but(Test("status", "ne", Status.FORGOTTEN))

    def change(transaction: Transaction) -> list[str]:
        found = transaction.find(Record, wanted, limit=_AT_ONCE)
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        closer = Closer(transaction, trail)
        for record in found:
            closer.change(
                record,
                "forget",
                reason=reason,
                status=Status.FORGOTTEN,
                status_reason=reason,
                believed_until=record.memory.believed_until or now,
                identity=None,
            )
        untell(transaction, (record.num for record in found))
        trail.write()
        return [record.memory.id for record in found]

    return engine.store.write(change, scope.org)
