"""A view's memories as entries for a garbage collector: nothing is deleted, everything can come back."""

from __future__ import annotations

from datetime import datetime

from recollect.engine import Engine
from recollect.filters import Test, reachable, within
from recollect.lifecycle.sweeping import leave
from recollect.models import Kind, MemoryEntry, Scope, Status
from recollect.policies.entries import entry_of
from recollect.policies.retention import is_kept
from recollect.protocols import Record, Transaction
from recollect.security.audit import Trail, who
from recollect.write.closing import Closer


class Entries:
    """The live memories of a view, working ones apart, as `MemoryGarbageCollector` wants them."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine, self._scope = engine, scope

    def now(self) -> datetime:
        """Return the time by the manager's clock."""
        return self._engine.clock.now()

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all of them, those whose time has come and which no sweep has seen yet too."""
        live = [
            Test("status", "eq", Status.ACTIVE),
            Test("superseded_by", "eq", None),
            Test("kind", "ne", Kind.WORKING),
        ]
        with self._engine.store.read(self._scope.org) as reader:
            return [entry_of(record.memory) for record in reader.find(Record, within(self._scope).but(*live))]

    def delete(self, entry_id: str) -> bool:
        """Let go of a memory: one whose time has come expires, another is archived.

        False for one that no default may touch, and for an unknown one.
        """
        now = self.now()
        where = reachable(self._scope).but(Test("id", "eq", entry_id), Test("status", "eq", Status.ACTIVE))

        def change(transaction: Transaction) -> bool:
            found = transaction.find(Record, where)
            if not found:
                return False
            ends = found[0].memory.expires_at
            over = ends is not None and ends <= now
            if not over and is_kept(found[0].memory):
                return False
            trail = Trail(transaction, self._scope.org, actor=who(self._scope), at=now)
            leave(Closer(transaction, trail), found[0], Status.EXPIRED if over else Status.ARCHIVED)
            trail.write()
            return True

        return self._engine.store.write(change, self._scope.org)
