"""How a procedure went: counted, believed accordingly, and archived when it keeps failing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recollect.engine import Engine
from recollect.filters import Filter, Test, reachable
from recollect.models import Kind, Memory, Scope, Status
from recollect.procedure import Procedure
from recollect.procedures.keeping import procedure_of
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who
from recollect.write.closing import Closer
from recollect.write.retaining import columns

_NAMES = {"validated": "validate", "demoted": "demote", "failed": "archive", "": "recover"}


def procedural(scope: Scope, memory_id: str) -> Filter:
    """Return what names one procedural memory of a view that is not forgotten."""
    tests = (Test("id", "eq", memory_id), Test("kind", "eq", Kind.PROCEDURAL))
    return reachable(scope).but(*tests, Test("status", "ne", Status.FORGOTTEN))


def record_outcome(engine: Engine, scope: Scope, memory_id: str, *, success: bool) -> bool:
    """Count one outcome of a procedure in one transaction; see `Procedures.record_outcome`."""
    now = engine.clock.now()

    def change(transaction: Transaction) -> bool:
        found = transaction.find(Record, procedural(scope, memory_id))
        if not found:
            return False
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        _count(engine, Closer(transaction, trail), found[0], success=success)
        trail.write()
        return True

    return engine.store.write(change, scope.org)


def _count(engine: Engine, closer: Closer, record: Record, *, success: bool) -> None:
    """Change the procedure of a memory, and its state where the outcome changes that.

    A revision is kept only of a change of standing: counts are no more a change of what is said than accesses are.
    """
    memory = record.memory
    before = procedure_of(memory)
    after = before.used(success=success, at=closer.trail.at)
    changes: dict[str, Any] = {"procedure": after, "confidence": after.confidence}
    fails = after.standing == "failed" and not success and memory.status is Status.ACTIVE
    why = _why(after)
    if fails:
        changes |= {"status": Status.ARCHIVED, "status_reason": why, "identity": None}
        changes = columns(engine.settings.retaining, memory, changes)
    if fails or after.standing != before.standing:
        closer.change(record, _operation(after, memory, archives=fails), reason=why, **changes)
        return
    closer.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
    closer.trail.add("outcome", replace(memory, **changes), record.salt, reason="success" if success else "failure")


def _operation(after: Procedure, memory: Memory, *, archives: bool) -> str:
    """Return what a change of standing is called in the audit trail; one that is no change of status is a demotion."""
    if after.standing == "failed" and not archives:
        return "demote"
    return "outcome" if memory.status is Status.QUARANTINED else _NAMES[after.standing]


def _why(after: Procedure) -> str:
    return f"{after.success_count} of {after.uses} uses went well: confidence {after.confidence:.2f}"
