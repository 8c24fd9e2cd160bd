"""Forgetting: gone from every read, kept in history and in the audit trail."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import Forgotten, MemoryManager
from engrain.model.choices import StatusFilter
from engrain.testing import FrozenClock
from tests.behaviour import texts


@pytest.fixture
def gone(memory: MemoryManager) -> str:
    """The id of a memory that was forgotten; another one stays."""
    memory.remember("Ana keeps goats")
    memory_id: str = memory.remember("Ana keeps bees", key="bees", tags=["farm"]).id
    assert memory.forget(memory_id, reason="asked by Ana") == Forgotten(1, (memory_id,))
    return memory_id


class TestItIsGone:
    def test_from_get(self, memory: MemoryManager, gone: str) -> None:
        assert memory.get(gone) is None
        assert memory.get(key="bees") is None

    @pytest.mark.parametrize("query", ["bees", "Ana keeps bees", "farm", ""])
    def test_from_recall(self, memory: MemoryManager, gone: str, query: str) -> None:
        assert gone not in [hit.id for hit in memory.recall(query)]

    def test_from_context(self, memory: MemoryManager, gone: str) -> None:
        assert "bees" not in memory.context("what does Ana keep?")

    @pytest.mark.parametrize("status", ["active", "superseded", "quarantined", "archived", "expired"])
    def test_from_lists_and_counts(self, memory: MemoryManager, gone: str, status: StatusFilter) -> None:
        assert gone not in [m.id for m in memory.list_memories(status=status)]
        assert gone not in [m.id for m in memory.iter_memories(status=status)]
        assert memory.count(status=status) == (1 if status == "active" else 0)

    def test_from_stats(self, memory: MemoryManager, gone: str) -> None:
        stats = memory.stats()
        assert (stats.total_notes, dict(stats.by_status)) == (1, {"active": 1, "forgotten": 1})


@pytest.mark.parametrize("status", ["forgotten", "all"])
def test_who_asks_for_the_forgotten_is_reported(memory: MemoryManager, gone: str, status: StatusFilter) -> None:
    (found,) = (m for m in memory.list_memories(status=status) if m.id == gone)
    assert (found.status, found.status_reason) == ("forgotten", "asked by Ana")


def test_it_is_no_longer_believed(memory: MemoryManager, clock: FrozenClock, gone: str) -> None:
    assert memory.history(gone)[-1].believed_until == clock.now()


def test_a_key_forgets_its_memory(memory: MemoryManager) -> None:
    kept = memory.remember("Ana keeps bees", key="bees").id
    assert memory.forget(key="bees") == Forgotten(1, (kept,))
    assert memory.count() == 0


@pytest.mark.parametrize("name", [{"memory_id": "mem_unknown"}, {"key": "unknown"}])
def test_an_unknown_id_counts_nothing(memory: MemoryManager, name: dict[str, Any]) -> None:
    assert memory.forget(**name) == Forgotten(0)


def test_twice_counts_once(memory: MemoryManager, gone: str) -> None:
    assert memory.forget(gone) == Forgotten(0)
    assert memory.forget(key="bees") == Forgotten(0)


@pytest.mark.parametrize("name", [{}, {"memory_id": "mem_1", "key": "bees"}])
@pytest.mark.parametrize("call", ["forget", "get"])
def test_one_name_is_needed(memory: MemoryManager, call: str, name: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="name one memory: by its id, or by key="):
        getattr(memory, call)(**name)


@pytest.mark.parametrize(
    ("arguments", "error", "says"),
    [
        ({"memory_id": ""}, ValueError, "memory_id is blank: give a name"),
        ({"key": "x" * 257}, ValueError, "key is 257 characters long, the limit is 256"),
        ({"memory_id": 5}, TypeError, "memory_id must be a string, not int"),
        ({"memory_id": "mem_1", "reason": 5}, TypeError, "reason must be a string, not int"),
    ],
)
def test_an_argument_that_names_nothing_is_refused(
    memory: MemoryManager, arguments: dict[str, Any], error: type[Exception], says: str
) -> None:
    with pytest.raises(error, match=says):
        memory.forget(**arguments)


def test_an_expired_memory_may_be_forgotten(memory: MemoryManager, clock: FrozenClock) -> None:
    kept, _ = memory.remember("Ana keeps bees", ttl=60)
    assert kept.expires_at is not None
    clock.advance(kept.expires_at - clock.now())
    assert memory.forget(kept.id).count == 1
    assert memory.get(kept.id) is None
    assert memory.count(status="expired") == 0


def test_the_audit_trail_grows_with_each_change_and_holds(memory: MemoryManager) -> None:
    counts = [memory.verify_audit().entries]
    kept = memory.remember("Ana keeps bees").id
    counts.append(memory.verify_audit().entries)
    memory.update(kept, tier="A")
    counts.append(memory.verify_audit().entries)
    memory.forget(kept)
    counts.append(memory.verify_audit().entries)
    memory.forget(kept)
    counts.append(memory.verify_audit().entries)
    assert counts == [0, 1, 2, 3, 3]
    assert memory.verify_audit().ok


def test_its_text_and_key_are_free_again(memory: MemoryManager, gone: str) -> None:
    again = memory.remember("Ana keeps bees", key="bees")
    assert (again.status, again.id != gone) == ("created", True)
    assert "Ana keeps bees" in memory.recall("bees").texts
    assert sorted(texts(memory.list_memories(status="all"))) == ["Ana keeps bees", "Ana keeps bees", "Ana keeps goats"]


def test_a_memory_derived_from_it_stays(memory: MemoryManager) -> None:
    source = memory.remember("Ana said so").id
    kept, _ = memory.remember("Ana keeps bees", derived_from=[source])
    memory.forget(source)
    assert memory.get(kept.id) == kept
