"""The worker: one of several does a job, what it leaves behind is taken over, and what fails for good can be seen."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, NotFound, Settings
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.storage.rows import Revision
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock
from engrain.testing.rows import NOON
from tests.lifecycle.living import DAY, statuses

QUIET = Settings(worker="none")
QUICK = Settings(sweep_minutes=0.001)


class Late(FakeEmbedder):
    """An embedder that is not asked in the write."""

    inline = False


class Stumbling(Late):
    """An embedder that fails as long as it is asked to."""

    fails = True

    def embed(self, texts: Sequence[str]) -> Any:
        """Fail, or embed."""
        if self.fails:
            raise OSError("no route")
        return super().embed(texts)


def tried(memory: MemoryManager, clock: FrozenClock, times: int) -> None:
    """Let the queue be tried so many times, each when it is due."""
    for _ in range(times):
        memory.flush()
        clock.advance(2 * DAY)


def test_a_permanently_failed_job_waits_in_the_dead_letters(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Stumbling()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        stored = memory.remember("Ana drinks tea")
        tried(memory, clock, 10)
        assert memory.stats().dead_letters == memory.sweep().dead == 1
        (dead,) = memory.lifecycle.jobs(state="dead")
        assert (dead.memory_id, dead.kind, dead.state, dead.error) == (stored.id, "embed", JobState.DEAD, "OSError")
        assert memory.recall("tea").texts == ("Ana drinks tea",), "found by words all the while"
        embedder.fails = False
        again = memory.lifecycle.retry(dead.id)
        assert (again.state, again.attempts, again.error) == (JobState.QUEUED, 0, "")
        assert memory.sweep().jobs_done == 1
        assert (list(memory.lifecycle.jobs()), memory.stats().dead_letters) == ([], 0)
        assert memory.neighbors("Ana drinks tea")[0].id == stored.id


def test_jobs_are_shown_in_their_own_scope(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=FailingEmbedder(), clock=clock, settings=QUIET) as memory:
        ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
        ids = [ana.remember(f"thing {n}").id for n in range(5)]
        bo.remember("another thing")
        ana.add_message("user", "hello", session="s")
        assert len(memory.lifecycle.jobs()) == 8
        mine: list[Job] = []
        cursor: str | None = None
        while True:
            page = ana.lifecycle.jobs(limit=2, cursor=cursor)
            mine += page
            if (cursor := page.next) is None:
                break
        assert len(mine) == 7
        assert {job.memory_id for job in mine} > set(ids)
        theirs = next(job for job in memory.lifecycle.jobs() if job not in mine)
        with pytest.raises(NotFound, match="no job"):
            ana.lifecycle.retry(theirs.id)
        memory._view.worker._claim(("embed",))
        running = memory.lifecycle.jobs(state="running")[0]
        assert memory.lifecycle.retry(running.id) == running, "it is being done"
        with pytest.raises(ValueError, match="unknown state 'lost'"):
            ana.lifecycle.jobs(state="lost")  # type: ignore[arg-type]


def test_the_thread_sweeps_by_itself(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", settings=QUICK) as memory:
        memory.remember("the kettle is on", ttl=0.01)
        deadline = time.monotonic() + 60
        while not _revisions(memory) and time.monotonic() < deadline:
            time.sleep(0.05)
        assert [revision.change for revision in _revisions(memory)] == ["expire"]


def _revisions(memory: MemoryManager) -> list[Revision]:
    with memory.store.read() as reader:
        return reader.find(Revision, [])


def test_of_many_workers_one_does_it(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with MemoryManager(store, settings=QUIET, embedder=None) as memory:
        ids = [each.id for each in memory.remember_many({"content": f"thing {n}", "ttl": 0.001} for n in range(300))]
        time.sleep(0.01)
    threads, others = [], [MemoryManager(store, settings=QUIET, embedder=None) for _ in range(4)]
    found: list[int] = []
    for other in others:
        threads.append(threading.Thread(target=lambda m=other: found.append(m.sweep().expired)))
        threads[-1].start()
    for thread in threads:
        thread.join()
    assert sum(found) == 300
    assert statuses(others[0], *ids) == ["expired"] * 300
    assert others[0].verify_audit().ok
    for other in others:
        other.close()


def test_a_sweep_that_is_killed_leaves_nothing_half_done(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with MemoryManager(store, settings=QUIET, embedder=None) as memory:
        ids = [each.id for each in memory.remember_many({"content": f"thing {n}", "ttl": 0.001} for n in range(900))]
    script = (
        "import sys, time; from engrain import MemoryManager, Settings\n"
        "m = MemoryManager(sys.argv[1], settings=Settings(worker='none'), embedder=None)\n"
        "print('go', flush=True); m.sweep()\n"
    )
    child = subprocess.Popen([sys.executable, "-c", script, str(store)], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "go\n"
    time.sleep(0.15)
    child.send_signal(signal.SIGKILL)
    child.wait()
    child.stdout.close()
    with MemoryManager(store, settings=QUIET, embedder=None) as memory:
        memory.sweep()
        assert statuses(memory, *ids[::100]) == ["expired"] * 9
        assert len(_revisions(memory)) == 900, "each expired once"
        assert memory.verify_audit().ok


def test_a_worker_of_its_own_stops_when_it_is_asked_to(tmp_path: Path) -> None:
    store = tmp_path / "m.db"
    with MemoryManager(store, settings=Settings(worker="none"), embedder=Late()) as memory:
        memory.remember("Ana drinks tea")
        stop = threading.Event()
        worker = threading.Thread(target=memory.work, args=(stop,))
        worker.start()
        deadline = time.monotonic() + 60
        while memory.stats().jobs and time.monotonic() < deadline:
            time.sleep(0.02)
        stop.set()
        worker.join(60)
        assert not worker.is_alive()
        assert memory.stats().jobs == {}


def test_a_fork_leases_under_a_name_of_its_own(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=Late()) as memory:
        memory.remember("Ana drinks tea")
        name = memory._view.worker._name
        reading, writing = os.pipe()
        child = os.fork()
        if not child:
            memory.remember("Bo bakes bread")
            os.write(writing, memory._view.worker._name.encode())
            os._exit(0)
        os.waitpid(child, 0)
        assert os.read(reading, 100).decode() not in ("", name)
        os.close(reading)
        os.close(writing)


def test_the_sweeps_of_a_store_are_one_job(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", clock=clock, embedder=None) as memory:
        for _ in range(2):
            memory._view.worker._find_next()
        with memory.store.read() as reader:
            (job,) = reader.find(Job, [Test("kind", "eq", "sweep")])
        assert job.run_at == clock.now() + timedelta(minutes=5)
        assert memory.stats().jobs == {}, "it is nobody's"


@pytest.mark.sqlite("a trigger of its own")
def test_a_sweep_that_keeps_failing_is_never_given_up(tmp_path: Path, clock: FrozenClock) -> None:
    store = tmp_path / "m.db"
    with MemoryManager(store, clock=clock, embedder=None, settings=QUIET) as memory:
        stored = memory.remember("the kettle is on", ttl=60).id
        memory._view.worker._since -= 60
        with closing(sqlite3.connect(store)) as other, other:
            other.execute("CREATE TRIGGER stuck BEFORE UPDATE ON memory BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        for _ in range(15):
            memory._view.worker._work()
            clock.advance(timedelta(hours=2))
        with closing(sqlite3.connect(store)) as other, other:
            other.execute("DROP TRIGGER stuck")
        for _ in range(2):
            memory._view.worker._work()
            clock.advance(timedelta(hours=2))
        assert [revision.change for revision in _revisions(memory)] == ["expire"]
        assert statuses(memory, stored) == ["expired"]


class Counting(SQLiteStore):
    """A store that counts how often it is asked."""

    asked = 0

    def read(self, org: str | None = None) -> Any:
        """Count, and read."""
        self.asked += 1
        return super().read(org)


def test_the_thread_rests_while_accesses_wait_to_be_written(tmp_path: Path) -> None:
    store = Counting(tmp_path / "m.db")
    with MemoryManager(store, embedder=None) as memory:
        memory.remember("the kettle is on")
        memory.recall("kettle")
        before = store.asked
        time.sleep(0.6)
        assert memory._engine.accesses.waiting
        assert store.asked - before < 50


def test_later_jobs_set_the_time_of_the_next_check(tmp_path: Path) -> None:
    store = Counting(tmp_path / "m.db")
    with MemoryManager(store, embedder=None, settings=Settings(worker="none", sweep_minutes=600)) as memory:
        worker = memory._view.worker
        worker._work(rests=False)
        sweep = worker._next_due
        assert sweep is not None, "the first look of all puts the sweep down"
        memory.add_message("user", "the kettle is on", session="one")
        asked = []
        for rests in (False, False, True):
            before = store.asked
            worker._work(rests=rests)
            asked.append((store.asked - before, worker._next_due == sweep))
        (often, _), _, (rarely, _) = asked
        assert asked == [(often, True), (often, True), (rarely, False)]
        assert often < rarely


def test_what_a_fork_inherits_is_the_parents_to_write(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=QUIET) as memory:
        stored = memory.remember("Ana drinks tea")
        memory.recall("tea")
        child = os.fork()
        if not child:
            memory.flush()
            os._exit(0)
        os.waitpid(child, 0)
        memory.flush()
        found = memory.get(stored.id)
        assert found is not None
        assert found.access_count == 1


class Slow:
    """An extractor that takes its time, and says when it was asked."""

    def __init__(self) -> None:
        self.asked = 0

    def extract(self, turns: object, *, context: str = "") -> list[Any]:
        """Take a while."""
        self.asked += 1
        time.sleep(0.05)
        return []


def test_closing_waits_for_no_more_than_the_batch_at_hand(tmp_path: Path) -> None:
    slow = Slow()
    with MemoryManager(tmp_path / "m.db", settings=QUIET, embedder=None, extractor=slow) as memory:
        memory.remember_many({"content": f"event {n}", "kind": "episodic"} for n in range(400))
        stop = threading.Event()
        worker = threading.Thread(target=memory.work, args=(stop,))
        memory._view.worker._find_next()
        memory.store.write(lambda tx: tx.update(Job, [Test("kind", "eq", "sweep")], run_at=NOON))
        worker.start()
        deadline = time.monotonic() + 60
        while not slow.asked and time.monotonic() < deadline:
            time.sleep(0.01)
        stop.set()
        worker.join(60)
        assert 0 < slow.asked <= 10
        unlearnt = [m for m in memory.iter_memories() if m.consolidated_at is None]
        assert len(unlearnt) == 400 - slow.asked, "what is left waits for the next worker"


def test_a_job_that_another_has_taken_over_is_not_touched_by_who_failed(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=Late(), clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        mine = memory._view.worker._claim(("embed",))[0]
        memory.store.write(lambda tx: tx.update(Job, [Test("id", "eq", mine.id)], leased_by="another"))
        memory._view.worker._failed(mine, OSError("no route"))
        (job,) = memory.lifecycle.jobs()
        assert (job.leased_by, job.state, job.error) == ("another", JobState.RUNNING, "")
