"""Several store objects and processes on one place: what one commits the next read of another sees, whole."""

from __future__ import annotations

import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from datetime import timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

from engrain.errors import StoreError
from engrain.model.filters import Test
from engrain.model.memory import Job, Status
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import Posting, Record, Setting
from engrain.testing.conformance.base import E1, LIVE, Conformance, add, find_alike, put_memory, together
from engrain.testing.conformance.histories import History
from engrain.testing.conformance.rows import samples
from engrain.testing.conformance.transactions import add_one, find_or_put
from engrain.testing.rows import NOON, memory

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

PROCESSES = 4


class ConsistentReads(Conformance):
    """A read is one moment of the store."""

    def test_a_view_stays_as_it_was_at_its_first_look(self) -> None:
        (first,) = self.add_found(memory("first"))
        with self.store.read(self.org) as view:
            assert [row.num for row in find_alike(view, LIVE)] == [first]
            self.add_found(memory("second"))
            self.update(first, status=Status.FORGOTTEN)
            self.delete(Posting, Test("num", "eq", first))
            with self.store.read(self.org) as newer:
                assert [row.memory.content for row in find_alike(newer, LIVE)] == ["second"]
            assert [row.num for row in find_alike(view, LIVE)] == [first]
        assert [row.memory.content for row in self.alike(LIVE)] == ["second"]

    def test_threads_that_read_see_whole_commits_only(self) -> None:
        stop = threading.Event()

        def pairs(tx: Transaction, n: int) -> None:
            for half in "ab":
                put_memory(tx, memory(f"{n}{half}"), "tea", {E1: [1, 0, 0]})
            if n % 5 == 4:
                old = tx.find(Record, LIVE, limit=2)
                tx.update(Record, [Test("num", "in", tuple(row.num for row in old))], status=Status.FORGOTTEN)

        def write() -> None:
            try:
                for n in range(60):
                    self.write(partial(pairs, n=n))
            finally:
                stop.set()

        def read() -> None:
            while not stop.is_set():
                assert len(self.alike(LIVE)) % 2 == 0

        assert together([write, read, read, read]) == [None] * 4
        assert len(self.alike(LIVE)) == 96


class Freshness(Conformance):
    """Another store on the same place, in this process, is the stand-in for another process."""

    def _open_another(self) -> list[int]:
        """Open a second store and warm what either may hold in memory; return three rows."""
        self.other: Store = self.open()
        nums = self.add_found(*(memory(f"tea {n}") for n in range(3)))
        for store in (self.store, self.other):
            assert len(self.alike(store=store)) == 3
        return nums

    def test_any_history_by_turns_is_seen_by_both(self) -> None:
        stores = [self.store, self.open()]
        for seed in range(4):
            history = History(100 + seed, f"org {seed}")
            for _ in range(20):
                history.step(history.random.choice(stores))
                for store in history.random.sample(stores, 2):
                    history.look(store)

    def test_a_thousand_changes_at_once(self) -> None:
        self._open_another()

        def change(tx: Transaction) -> list[int]:
            return [put_memory(tx, memory(f"tea {n}"), "tea", {E1: [1, 0, 0]}) for n in range(500)]

        nums = self.write(change)
        assert len(self.alike(store=self.other)) == 503
        for num in nums[::5]:
            self.update(num, status=Status.FORGOTTEN)
        assert len(self.alike(LIVE, self.other)) == 403

    def test_rows_of_every_other_kind(self) -> None:
        self._open_another()
        rows = samples(self.store, "acme")
        self.put(*rows, org="acme")
        for kind in {type(row) for row in rows}:
            with self.store.read("acme") as one, self.other.read("acme") as two:
                assert one.find(kind) == two.find(kind) != [], kind

    def test_a_store_that_is_closed_takes_nothing_from_another(self) -> None:
        self._open_another()
        self.store.close()
        add(self.other, memory("later"), "tea", {E1: [1, 0, 0]})
        for store in (self.other, self.open()):
            assert len(self.alike(store=store)) == 4


def context() -> ForkServerContext | SpawnContext:
    """Return how processes are started: new ones, as forks of one that has done nothing yet where that can be had."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")


def _take(environ: dict[str, str]) -> None:
    """Take the environment of the process that started this one, which may be a fork of another."""
    os.environ.clear()
    os.environ.update(environ)


def _in_child(suite: type[Conformance], place: str, act: Callable[[Store, int], Any], part: int) -> Any:
    with closing(suite().make_store(place)) as store:
        return act(store, part)


def _write_the_same(store: Store, part: int) -> list[str]:
    """Find or put one identity ten times, then put it blindly once."""
    results = [store.write(find_or_put, "default") for _ in range(10)]
    try:
        store.write(lambda tx: tx.put(Record(memory(), "same", "")), "default")
    except StoreError:
        results.append("refused")
    return results


def _add_to_count(store: Store, part: int) -> None:
    for _ in range(20):
        store.write(add_one, "default")


def _claim_all(store: Store, part: int) -> list[str]:
    claimed = []
    until = NOON + timedelta(hours=1)
    while found := store.write(lambda tx: tx.claim(["k"], worker=f"w{part}", now=NOON, lease_until=until)):
        claimed.append(found.id)
    return claimed


def _look_and_write(store: Store, part: int) -> list[int]:
    """Write ten memories, and count after each what every search finds."""
    counts = []
    for n in range(10):
        add(store, memory(id=f"mem_{part}_{n}"), "tea", {E1: [1, part, n]})
        counts += _count(store, part)
    return counts


def _count(store: Store, part: int) -> list[int]:
    with store.read("default") as view:
        return [len(find_alike(view))]


class Processes(Conformance):
    """Nothing is lost or doubled; the suite's class has to be importable by name in a new process."""

    def _everywhere(self, act: Callable[[Store, int], Any], processes: int = PROCESSES) -> list[Any]:
        """Run `act` in that many new processes at once, each with a store of its own; return their results."""
        with ProcessPoolExecutor(processes, context(), _take, (dict(os.environ),)) as pool:
            running = [pool.submit(_in_child, type(self), self.place, act, part) for part in range(processes)]
            return [each.result(timeout=120) for each in running]

    def test_each_process_sees_its_own_and_in_the_end_everything(self) -> None:
        for counts in self._everywhere(_look_and_write):
            assert counts == sorted(counts)
            assert all(count > n for n, count in enumerate(counts))
        assert self._everywhere(_count, 1) == [[10 * PROCESSES]]
        ids = {f"mem_{part}_{n}" for part in range(PROCESSES) for n in range(10)}
        assert {row.memory.id for row in self.alike()} == ids

    def test_an_identity_exists_once_between_processes(self) -> None:
        results = [result for part in self._everywhere(_write_the_same) for result in part]
        assert len(self.memories()) == 1
        assert results.count("refused") == PROCESSES
        assert results.count("made") == 1

    def test_no_update_is_lost_between_processes(self) -> None:
        self.put(Setting("count", "0"))
        self._everywhere(_add_to_count)
        assert self.find(Setting) == [Setting("count", str(20 * PROCESSES))]

    def test_processes_never_claim_the_same_job(self) -> None:
        self.put(*(Job(f"{n:03}", "k", "default", "m", NOON) for n in range(60)))
        claimed = [each for part in self._everywhere(_claim_all) for each in part]
        assert sorted(claimed) == [f"{n:03}" for n in range(60)]

    def test_a_process_that_opens_and_closes_takes_nothing_from_one_that_stays(self) -> None:
        again = self.open()
        self.add_found(memory("one"))
        again.close()
        assert self._everywhere(_count, 1) == [[1]]
        self.add_found(memory("two"))
        assert self._everywhere(_count, 1) == [[2]]
        assert len(self.alike(store=self.open())) == 2
