"""Memories that have been learnt from, and what a sweep left, for the tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

from engrain import MemoryManager, RetentionPolicy, Settings
from engrain.model.filters import Test
from engrain.model.memory import AuditEntry
from engrain.storage.rows import Record
from engrain.testing import FrozenClock
from engrain.write.transitions import with_retention

DAY = timedelta(days=1)


def settings(*policies: RetentionPolicy, retention: str = "bounded", **more: Any) -> Settings:
    """Return settings under which only what a test sweeps is swept."""
    return Settings(retention=retention, policies=policies, worker="none", **more)


@contextmanager
def opened(clock: FrozenClock, *policies: RetentionPolicy, **more: Any) -> Iterator[MemoryManager]:
    """Open a memory of Ana's agent, by words only."""
    scope = {name: more.pop(name, name) for name in ("user", "agent")}
    store, extractor = more.pop("store", ":memory:"), more.pop("extractor", None)
    chosen = settings(*policies, **more)
    with MemoryManager(store, clock=clock, embedder=None, extractor=extractor, settings=chosen, **scope) as memory:
        yield memory


def learnt(memory: MemoryManager, *ids: str) -> None:
    """Note that episodes have been learnt from, as consolidation does."""
    retention, now = memory.settings.retention_rules, memory._engine.clock.now()

    def change(transaction: Any) -> None:
        for record in transaction.find(Record, [Test("id", "in", ids)]):
            changes = with_retention(retention, record.memory, {"consolidated_at": now})
            transaction.update(Record, [Test("num", "eq", record.num)], **changes)

    memory.store.write(change, memory.scope.org)


def statuses(memory: MemoryManager, *ids: str) -> list[str]:
    """Return the statuses of memories."""
    return [str(found.status) if (found := memory.get(one)) is not None else "gone" for one in ids]


def audited(memory: MemoryManager, memory_id: str) -> list[tuple[str, str]]:
    """Return what the audit trail says of a memory: operations and reasons."""
    with memory.store.read() as reader:
        found = reader.find(AuditEntry, [Test("memory_id", "eq", memory_id)], order="seq")
    return [(entry.operation, entry.reason) for entry in found]
