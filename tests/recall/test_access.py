"""Access counts: one for each memory returned, seen by `get` at once, written by `flush`."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock

EARLIER = timedelta(hours=1)


def counts(memory: MemoryManager, memory_id: str) -> tuple[int, float]:
    """Return how often a memory was recalled, and its strength."""
    found = memory.get(memory_id)
    assert found is not None
    return found.access_count, found.strength


def stored(memory: MemoryManager, memory_id: str) -> int:
    """Return the count that is written, as others see it."""
    (found,) = (each for each in memory.list_memories() if each.id == memory_id)
    return found.access_count


@pytest.fixture
def tea(memory: MemoryManager) -> str:
    """The id of a memory of tea."""
    memory_id: str = memory.remember("Ana drinks tea").id
    return memory_id


def test_a_new_memory_was_never_recalled(memory: MemoryManager, tea: str) -> None:
    found = memory.get(tea)
    assert found is not None
    assert (found.access_count, found.last_accessed, found.strength) == (0, None, 1.0)


def test_get_sees_a_recall_at_once(memory: MemoryManager, clock: FrozenClock, tea: str) -> None:
    clock.advance(EARLIER)
    memory.recall("tea")
    found = memory.get(tea)
    assert found is not None
    assert (found.access_count, found.last_accessed, found.strength) == (1, clock.now(), 1.1)


def test_every_recall_counts_one_however_many_lists_found_it(memory: MemoryManager, tea: str) -> None:
    for question in ("tea", "Ana drinks tea", ""):
        memory.recall(question)
    assert counts(memory, tea) == (3, 1.3)


def test_only_what_was_returned_counts(memory: MemoryManager, tea: str) -> None:
    other = memory.remember("The bus leaves at eight").id
    memory.recall("tea", k=1)
    assert (counts(memory, tea)[0], counts(memory, other)[0]) == (1, 0)


def test_context_counts_as_recall_does(memory: MemoryManager, tea: str) -> None:
    memory.context("tea")
    assert counts(memory, tea)[0] == 1


def test_looking_without_touching_counts_nothing(memory: MemoryManager, tea: str) -> None:
    memory.recall("tea", touch=False)
    memory.context("tea", touch=False)
    memory.flush()
    assert counts(memory, tea) == (0, 1.0)


def test_reading_by_id_counts_nothing(memory: MemoryManager, tea: str) -> None:
    memory.get(tea)
    memory.list_memories()
    memory.history(tea)
    assert counts(memory, tea) == (0, 1.0)


def test_flush_writes_the_counts(memory: MemoryManager, tea: str) -> None:
    memory.recall("tea")
    assert memory.flush()
    assert stored(memory, tea) == counts(memory, tea)[0] == 1


def test_closing_writes_the_counts(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "memory.db"
    with MemoryManager(path, embedder=None, clock=clock) as memory:
        tea = memory.remember("Ana drinks tea").id
        memory.recall("tea")
    with MemoryManager(path, embedder=None, clock=clock) as memory:
        assert counts(memory, tea) == (1, 1.1)


def test_another_manager_sees_them_after_flush(tmp_path: Path, clock: FrozenClock) -> None:
    path = tmp_path / "memory.db"
    with (
        MemoryManager(path, embedder=None, clock=clock) as one,
        MemoryManager(path, embedder=None, clock=clock) as other,
    ):
        tea = one.remember("Ana drinks tea").id
        one.recall("tea")
        other.recall("tea")
        assert one.flush()
        assert other.flush()
        assert counts(one, tea) == counts(other, tea) == (2, 1.2)


def test_strength_ends_at_two(memory: MemoryManager, tea: str) -> None:
    for _ in range(15):
        memory.recall("tea")
    assert counts(memory, tea) == (15, 2.0)
    memory.flush()
    memory.recall("tea")
    memory.flush()
    assert counts(memory, tea) == (16, 2.0)


def test_views_share_the_counts(memory: MemoryManager) -> None:
    ana = memory.scoped(user="ana")
    tea = ana.remember("Ana drinks tea").id
    ana.recall("tea")
    assert counts(memory, tea) == counts(ana, tea) == (1, 1.1)


def test_a_recall_is_no_change_to_audit_or_version(memory: MemoryManager, tea: str) -> None:
    entries = memory.verify_audit().entries
    memory.recall("tea")
    memory.flush()
    found = memory.get(tea)
    assert found is not None
    assert (found.version, found.updated_at == found.recorded_at) == (1, True)
    assert memory.verify_audit().entries == entries


def test_an_edit_keeps_the_counts(memory: MemoryManager, tea: str) -> None:
    memory.recall("tea")
    assert memory.update(tea, content="Ana drinks green tea").access_count == 1
    memory.flush()
    assert counts(memory, tea) == (1, 1.1)
