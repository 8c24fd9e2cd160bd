"""Many threads on one memory: one row for one statement, and nothing lost."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TypeVar

from engrain import Conflict, MemoryManager
from engrain.testing import FakeEmbedder, FrozenClock
from tests.behaviour import texts

T = TypeVar("T")


def at_once(number: int, work: Callable[[int], T]) -> list[T]:
    """Return what `work` returns for each number, all started together, each in a thread of its own."""
    start = threading.Barrier(number)

    def one(n: int) -> T:
        start.wait(timeout=60)
        return work(n)

    with ThreadPoolExecutor(number) as pool:
        return list(pool.map(one, range(number)))


def test_eight_threads_that_say_the_same_make_one_row(memory: MemoryManager) -> None:
    results = at_once(8, lambda _: memory.remember("Ana keeps bees"))
    assert sorted(result.status for result in results) == ["created", *["noop"] * 7]
    assert len({result.id for result in results}) == 1
    assert memory.count(status="all") == 1
    assert memory.verify_audit().ok


def test_eight_managers_of_one_file_make_one_row(tmp_path: Path, clock: FrozenClock) -> None:
    def remember(n: int) -> str:
        with MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock) as memory:
            return memory.remember("Ana keeps bees" if n % 2 else "ana  keeps BEES").status

    assert sorted(at_once(8, remember)) == ["created", *["noop"] * 7]
    with MemoryManager(tmp_path / "memory.db", embedder=None, clock=clock) as memory:
        assert memory.count(status="all") == 1


def test_eight_threads_on_one_key_make_one_memory_with_a_version_each(memory: MemoryManager) -> None:
    results = at_once(8, lambda n: memory.remember(f"Ana keeps {n} hives", key="hives"))
    assert sorted(result.status for result in results) == ["created", *["updated"] * 7]
    kept = memory.get(key="hives")
    assert kept is not None
    assert kept.version == 8
    assert sorted(texts(memory.history(kept.id))) == [f"Ana keeps {n} hives" for n in range(8)]


def test_two_hundred_writes_of_four_threads_are_two_hundred_memories(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), clock=clock) as memory:
        at_once(4, lambda n: [memory.remember(f"hive {n} gave jar {jar}", sync=jar == 49) for jar in range(50)])
        assert memory.flush()
        stats = memory.stats()
        assert (stats.total_notes, stats.vectors) == (200, {FakeEmbedder().id: 200})
        assert memory.verify_audit().entries == 200
        assert memory.verify_audit().ok


def test_positions_in_a_session_are_reported_once_each(memory: MemoryManager) -> None:
    results = at_once(8, lambda n: memory.remember(f"line {n}", session="monday"))
    assert sorted(getattr(result.memory, "position", -1) for result in results) == list(range(8))


def test_one_of_eight_edits_of_one_version_goes_through(memory: MemoryManager) -> None:
    kept = memory.remember("Ana keeps bees").id

    def edit(n: int) -> str:
        try:
            return memory.update(kept, content=f"Ana keeps {n} hives", expected_version=1).content
        except Conflict:
            return "conflict"

    results = at_once(8, edit)
    assert results.count("conflict") == 7
    assert [v.version for v in memory.history(kept)] == [1, 2]


def test_one_of_eight_forgets_counts(memory: MemoryManager) -> None:
    kept = memory.remember("Ana keeps bees").id
    assert sum(result.count for result in at_once(8, lambda _: memory.forget(kept))) == 1


def test_readers_never_meet_half_a_batch(memory: MemoryManager) -> None:
    stop = threading.Event()
    seen: set[int] = set()

    def work(n: int) -> None:
        if n:
            while not stop.is_set():
                seen.add(memory.count() % 10)
            return
        try:
            for batch in range(20):
                memory.remember_many({"content": f"hive {batch}, jar {jar}"} for jar in range(10))
        finally:
            stop.set()

    at_once(4, work)
    assert seen <= {0}
    assert memory.count() == 200
