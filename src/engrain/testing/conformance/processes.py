"""Several processes on one place: nothing lost, nothing doubled, no error, and each sees what the others did."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from engrain.errors import StoreError
from engrain.model.filters import Test
from engrain.model.memory import Job
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import Record, Setting
from engrain.testing.conformance.base import E1, EVERYTHING, Conformance, add
from engrain.testing.conformance.sharing import seen, tea
from engrain.testing.rows import NOON, memory

if TYPE_CHECKING:
    from multiprocessing.context import ForkServerContext, SpawnContext

PROCESSES = 4


def context() -> ForkServerContext | SpawnContext:
    """Return how processes are started: new ones, as forks of one that has done nothing yet where that can be had."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        return multiprocessing.get_context("forkserver")
    return multiprocessing.get_context("spawn")


def _take(environ: dict[str, str]) -> None:
    """Take the environment of whoever starts a process; a fork has that of the one it is a fork of."""
    os.environ.clear()
    os.environ.update(environ)


def _in_child(suite: type[Conformance], place: str, act: Callable[[Store, int], Any], part: int) -> Any:
    store = suite().make_store(place)
    try:
        return act(store, part)
    finally:
        store.close()


def write_many(store: Store, part: int) -> list[str]:
    """Keep twenty memories of one's own; return their ids."""
    ids = [f"mem_{part}_{n}" for n in range(20)]
    for each in ids:
        add(store, memory(each, id=each), "tea", {E1: [1, part, 0]})
    return ids


def write_the_same(store: Store, part: int) -> list[str]:
    """Find or put one identity ten times, then put it blindly once."""

    def once(tx: Transaction) -> str:
        found = tx.find(Record, EVERYTHING.but(Test("identity", "eq", "same")))
        if not found:
            tx.put(replace(Record(memory(id=f"mem_{part}"), "same", "")))
        return "found" if found else "made"

    results = [store.write(once, "default") for _ in range(10)]
    try:
        store.write(lambda tx: tx.put(Record(memory(id=f"mem_blind_{part}"), "same", "")), "default")
    except StoreError:
        results.append("refused")
    return results


def add_to_count(store: Store, part: int) -> None:
    """Read a number and write it back one larger, twenty times."""

    def add_one(tx: Transaction) -> None:
        (found,) = tx.find(Setting, [Test("name", "eq", "count")])
        tx.put(Setting("count", str(int(found.value) + 1)))

    for _ in range(20):
        store.write(add_one, "default")


def claim_all(store: Store, part: int) -> list[str]:
    """Claim until nothing is left."""
    claimed = []
    until = NOON + timedelta(hours=1)
    while found := store.write(lambda tx: tx.claim(["k"], worker=f"w{part}", now=NOON, lease_until=until)):
        claimed.append(found.id)
    return claimed


def look_and_write(store: Store, part: int) -> list[int]:
    """Write one memory and look at once, ten times; each look has to see at least one's own."""
    counts = []
    for n in range(10):
        add(store, memory(id=f"mem_{part}_{n}"), "tea", {E1: [1, 0, 0]})
        with store.read("default") as view:
            found = seen(view, EVERYTHING)
        assert len(set(found)) == 1, found
        counts.append(found[0])
    return counts


def count_all(store: Store, part: int) -> tuple[int, int, int, int]:
    """Return what is seen."""
    with store.read("default") as view:
        return seen(view, EVERYTHING)


class Processes(Conformance):
    """The suite's class has to be importable by name in a new process."""

    def everywhere(self, act: Callable[[Store, int], Any], processes: int = PROCESSES) -> list[Any]:
        """Run `act` in that many new processes at once, each with a store of its own; return their results."""
        with ProcessPoolExecutor(processes, context(), _take, (dict(os.environ),)) as pool:
            running = [pool.submit(_in_child, type(self), self.place, act, part) for part in range(processes)]
            return [each.result(timeout=120) for each in running]

    def test_nothing_is_lost_between_processes(self) -> None:
        ids = {each for part in self.everywhere(write_many) for each in part}
        assert {found.id for found in self.memories()} == ids
        assert len(self.words("tea").nums) == len(self.similar([1, 0, 0]).nums) == len(ids) == 20 * PROCESSES

    def test_an_identity_exists_once_between_processes(self) -> None:
        results = [result for part in self.everywhere(write_the_same) for result in part]
        assert len(self.memories()) == 1
        assert results.count("refused") == PROCESSES
        assert results.count("made") == 1

    def test_no_update_is_lost_between_processes(self) -> None:
        self.put(Setting("count", "0"))
        self.everywhere(add_to_count)
        assert self.find(Setting) == [Setting("count", str(20 * PROCESSES))]

    def test_processes_never_claim_the_same_job(self) -> None:
        self.put(*(Job(f"{n:03}", "k", "default", "m", NOON) for n in range(60)))
        claimed = [each for part in self.everywhere(claim_all) for each in part]
        assert sorted(claimed) == [f"{n:03}" for n in range(60)]

    def test_each_process_sees_its_own_and_in_the_end_everything(self) -> None:
        for counts in self.everywhere(look_and_write):
            assert counts == sorted(counts)
            assert all(count > n for n, count in enumerate(counts))
        assert self.everywhere(count_all, 1) == [(10 * PROCESSES,) * 4]
        with self.store.read("default") as view:
            assert seen(view, EVERYTHING) == (10 * PROCESSES,) * 4

    def test_a_process_that_opens_and_closes_takes_nothing_from_one_that_stays(self) -> None:
        again = self.open()
        tea(self.store, 1)
        again.close()
        assert self.everywhere(count_all, 1) == [(1, 1, 1, 1)]
        tea(self.store, 2)
        assert self.everywhere(count_all, 1) == [(2, 2, 2, 2)]
        fresh = self.open()
        with fresh.read("default") as view:
            assert seen(view, EVERYTHING) == (2, 2, 2, 2)
