"""Forgetting: hidden from every read, kept for the audit trail; its text's slot and key become free."""

from __future__ import annotations

from recollect.engine import Engine
from recollect.filters import Test, reachable
from recollect.models import Scope, Status
from recollect.proofs import Forgotten
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who
from recollect.write.closing import Closer
from recollect.write.untelling import untell


def forget(engine: Engine, scope: Scope, where: Test, *, reason: str) -> Forgotten:
    """Hide the memory that `where` names, if the scope holds it and it is not forgotten yet."""
    now = engine.clock.now()
    wanted = reachable(scope).but(where, Test("status", "ne", Status.FORGOTTEN))

    def change(transaction: Transaction) -> Forgotten:
        found = transaction.find(Record, wanted)
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
        return Forgotten(len(found), tuple(record.memory.id for record in found))

    return engine.store.write(change)
