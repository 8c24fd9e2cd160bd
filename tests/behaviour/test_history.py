"""History: every version of a memory, oldest to newest."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock
from tests.behaviour import texts


def test_a_memory_that_was_never_edited_is_its_own_history(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana lives in Rome")
    assert memory.history(kept.id) == [kept]


def test_versions_come_oldest_first_as_they_were(memory: MemoryManager, clock: FrozenClock) -> None:
    kept, _ = memory.remember("Ana lives in Rome", tags=["home"])
    versions = [kept]
    changes: list[dict[str, Any]] = [{"content": "Ana lives in Oslo"}, {"tags": []}, {"content": "Ana lives in Rome"}]
    for change in changes:
        clock.advance(timedelta(hours=1))
        versions.append(memory.update(kept.id, **change))
    assert memory.history(kept.id) == versions
    assert [version.version for version in versions] == [1, 2, 3, 4]


def test_a_repetition_is_no_version(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana lives in Rome")
    memory.remember("Ana lives in Rome", tags=["home"])
    assert [(v.version, v.tags) for v in memory.history(kept.id)] == [(1, ("home", "place"))]


def test_a_forgotten_memory_still_has_its_history(memory: MemoryManager) -> None:
    kept, _ = memory.remember("Ana lives in Rome")
    memory.update(kept.id, content="Ana lives in Oslo")
    memory.forget(kept.id, reason="asked by Ana")
    old, gone = memory.history(kept.id)
    assert (old.content, old.status) == ("Ana lives in Rome", "active")
    assert (gone.content, gone.status, gone.status_reason) == ("Ana lives in Oslo", "forgotten", "asked by Ana")


def test_stored_afresh_is_a_history_of_its_own(memory: MemoryManager) -> None:
    gone = memory.remember("Ana lives in Rome").id
    memory.forget(gone)
    kept = memory.remember("Ana lives in Rome").id
    assert texts(memory.history(kept)) == texts(memory.history(gone)) == ["Ana lives in Rome"]
    assert [m.status for m in (*memory.history(gone), *memory.history(kept))] == ["forgotten", "active"]


def test_an_unknown_id_has_none(memory: MemoryManager) -> None:
    assert memory.history("mem_unknown") == []


@pytest.mark.parametrize(("memory_id", "error"), [("", ValueError), (" ", ValueError), (5, TypeError)])
def test_an_invalid_id_is_refused(memory: MemoryManager, memory_id: str, error: type[Exception]) -> None:
    with pytest.raises(error, match="memory_id"):
        memory.history(memory_id)
