"""Background work: queued with its cause, done by the worker or by `flush`, tried again, never lost."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock

QUIET = Settings(worker="none")


class Late(FakeEmbedder):
    """An embedder that is not asked in the write, and notes what it was asked for."""

    inline = False

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        """Note, then embed."""
        self.texts += texts
        return super().embed(texts)


def test_with_nothing_to_do_flush_is_done(memory: MemoryManager) -> None:
    assert memory.flush()
    assert memory.flush(0)


def test_flush_says_when_time_ran_out(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=Late(), clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        assert not memory.flush(0)
        assert memory.stats().jobs == {"queued": 1}
        assert memory.flush(60)


def test_flush_says_that_a_failing_job_is_left(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=FailingEmbedder(), clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        assert not memory.flush()
        assert not memory.flush()
        assert memory.stats().jobs == {"queued": 1}


def test_the_thread_does_what_is_queued(tmp_path: Path) -> None:
    done = threading.Event()

    class Reporting(Late):
        def embed(self, texts: Sequence[str]) -> Any:
            done.set()
            return super().embed(texts)

    embedder = Reporting()
    with MemoryManager(tmp_path / "m.db", embedder=embedder) as memory:
        memory.remember("Ana drinks tea")
        assert done.wait(30)
        assert memory.flush(30)
        assert memory.stats().vectors == {embedder.id: 1}


def test_what_a_closed_manager_left_is_taken_up(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        assert memory.stats().jobs == {"queued": 1}
        assert memory.flush()
        assert memory.stats().vectors == {embedder.id: 1}


def test_work_waits_for_a_manager_that_has_an_embedder(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock, settings=QUIET) as memory:
        assert not memory.flush()
        assert memory.stats().jobs == {"queued": 1}


def test_a_forgotten_memory_is_not_embedded(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.forget(memory.remember("Ana drinks tea").id)
        assert memory.flush()
    assert embedder.texts == []


def test_an_edit_before_the_work_is_what_is_embedded(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.update(memory.remember("Ana brews tea").id, content="Ana brews coffee")
        assert memory.flush()
        assert memory.stats().vectors == {embedder.id: 1}
    assert set(embedder.texts) == {"Ana brews coffee"}


def test_a_refused_write_queues_nothing(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=Late(), clock=clock, settings=QUIET) as memory:
        memory.remember_many([{"content": " "}], on_error="skip")
        assert memory.stats().jobs == {}


def test_two_managers_do_each_job_once(tmp_path: Path, clock: FrozenClock) -> None:
    one, other = Late(), Late()
    with (
        MemoryManager(tmp_path / "m.db", embedder=one, clock=clock, settings=QUIET) as first,
        MemoryManager(tmp_path / "m.db", embedder=other, clock=clock, settings=QUIET) as second,
    ):
        first.remember_many({"content": f"note {number}"} for number in range(200))
        threads = [threading.Thread(target=manager.flush) for manager in (first, second)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert first.stats().vectors == {one.id: 200}
    assert sorted(one.texts + other.texts) == sorted(f"note {number}" for number in range(200))


def test_one_flush_tries_a_failing_job_once(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = FailingEmbedder(times=4)
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        assert [memory.flush() for _ in range(4)] == [False, False, False, True]
        assert embedder.calls == 5


class Turns(threading.Event):
    """Ends the worker that waits on it after some turns without a job."""

    left = 5

    def wait(self, timeout: float | None = None) -> bool:
        self.left -= 1
        if not self.left:
            self.set()
        return self.is_set()


@pytest.mark.sqlite("its file is deleted")
def test_a_failure_that_repeats_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=Settings(worker="none")) as memory:
        memory.remember("Ana likes tea")
        for file in tmp_path.glob("m.db*"):
            file.unlink()
        memory.work(Turns())
    logged = [each for each in caplog.records if "deleted or replaced" in each.getMessage()]
    assert [(each.name, each.levelname) for each in logged] == [("engrain", "WARNING")]
