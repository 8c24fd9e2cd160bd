"""The garbage collector: over entries it deletes, over a manager it lets go, and it says what it did."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from engrain import MemoryManager, RetentionPolicy, Settings
from engrain.conversation import InMemoryEntryStore
from engrain.model.memory import MemoryEntry
from engrain.policies import EbbinghausDecay, GCStats, LinearDecay, MemoryGarbageCollector
from engrain.testing import FrozenClock
from tests.lifecycle.living import learnt, opened, statuses

HOUR = timedelta(hours=1)


class Watcher:
    """Notes what it is told."""

    def __init__(self) -> None:
        self.stored: list[tuple[str, list[str], float | None]] = []

    def on_expiry_prune(self, pruned: list[MemoryEntry]) -> None:
        """Note what has expired."""
        self.stored.append(("expiry", [entry.content for entry in pruned], None))

    def on_decay_prune(self, pruned: list[MemoryEntry], threshold: float) -> None:
        """Note what has faded."""
        self.stored.append(("decay", [entry.content for entry in pruned], threshold))


def filled() -> InMemoryEntryStore:
    """Return a store with an expired entry, one of three hours ago and a fresh one."""
    store, now = InMemoryEntryStore(), datetime.now(UTC)
    store.add(MemoryEntry(content="over", expires_at=now - HOUR))
    store.add(MemoryEntry(content="old", last_accessed=now - 3 * HOUR))
    store.add(MemoryEntry(content="fresh"))
    return store


def test_it_prunes_what_has_expired_and_what_has_faded() -> None:
    store, watcher = filled(), Watcher()
    collector = MemoryGarbageCollector(store, EbbinghausDecay(), [watcher])
    assert collector.collect(dry_run=True) == GCStats(1, 1, 1, True)
    assert len(store.list_all_unfiltered()) == 3
    assert collector.collect() == GCStats(1, 1, 1, False)
    assert [entry.content for entry in store.list_all_unfiltered()] == ["fresh"]
    assert watcher.stored == [("expiry", ["over"], None), ("decay", ["old"], 0.1)] * 2
    assert collector.collect().total_pruned == 0
    assert len(watcher.stored) == 4, "nothing was pruned, and nothing is told"


def test_without_a_decay_only_the_expired_go() -> None:
    collector = MemoryGarbageCollector(filled())
    assert collector.collect() == GCStats(1, 0, 2, False)
    with pytest.raises(ValueError, match="Cannot collect decayed entries without a decay function"):
        collector.collect_decayed()


def test_each_half_alone() -> None:
    store = filled()
    collector = MemoryGarbageCollector(store, EbbinghausDecay())
    assert [entry.content for entry in collector.collect_decayed(dry_run=True)] == ["old"]
    assert [entry.content for entry in collector.collect_expired()] == ["over"]
    assert [entry.content for entry in collector.collect_decayed()] == ["old"]
    assert MemoryGarbageCollector(filled(), LinearDecay()).collect_decayed() == []


def test_bad_input_is_said_before_anything_is_touched() -> None:
    with pytest.raises(TypeError, match="cannot be collected"):
        MemoryGarbageCollector(object())
    with MemoryManager(":memory:", embedder=None) as memory, pytest.raises(TypeError, match="give a MemoryManager"):
        MemoryGarbageCollector(memory.store)
    with pytest.raises(TypeError, match="is no decay"):
        MemoryGarbageCollector(filled(), object())  # type: ignore[arg-type]
    for wrong in (1.5, -0.1, True, "a"):
        with pytest.raises(ValueError, match="retention_threshold"):
            MemoryGarbageCollector(filled(), EbbinghausDecay()).collect(wrong)  # type: ignore[arg-type]


def test_over_a_manager_nothing_is_deleted(clock: FrozenClock) -> None:
    with opened(clock, retention="keep") as memory:
        over = memory.remember("over", ttl=60)
        old = memory.remember("old", importance=0.3)
        kept = memory.remember("kept", importance=0.9)
        untold = memory.remember("not learnt from", kind="episodic", importance=0.3)
        stored = memory.remember("learnt from", kind="episodic", importance=0.3)
        learnt(memory, stored.id)
        clock.advance(3 * HOUR)
        fresh = memory.remember("fresh", importance=0.3)
        collector = MemoryGarbageCollector(memory, EbbinghausDecay())
        stats = collector.collect()
        assert (stats.expired_pruned, stats.decayed_pruned, stats.dry_run) == (1, 2, False)
        assert statuses(memory, over.id, old.id, kept.id, untold.id, stored.id, fresh.id) == [
            *("expired", "archived", "active", "active", "archived", "active")
        ]
        assert memory.reinstate(old.id).status == "active"
        assert memory.verify_audit().ok
        assert memory.scoped(user="user").lifecycle.entries.delete("mem_unknown") is False


def test_callbacks_of_a_manager_receive_sweeps(clock: FrozenClock, tmp_path: object) -> None:
    watcher = Watcher()
    policy = RetentionPolicy(kind="semantic", curve="step", threshold=1, archive_below=0.05)
    settings = Settings(worker="none", policies=[policy])
    with MemoryManager(f"{tmp_path}/m.db", clock=clock, callbacks=[watcher], settings=settings) as memory:
        memory.remember("over", ttl=60)
        memory.remember("faded", importance=0.3)
        clock.advance(timedelta(days=2))
        memory.sweep(dry_run=True)
        assert watcher.stored == []
        memory.sweep()
        assert watcher.stored == [("expiry", ["over"], None), ("decay", ["faded"], 0.05)]
