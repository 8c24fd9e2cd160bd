"""Writes: all or nothing, each on its own, one after another; what may exist once only; and the queue of jobs."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from engrain.errors import StoreError
from engrain.model.filters import Filter, Test
from engrain.model.memory import Job, JobState, Status
from engrain.storage.interface import Transaction, cosines, text_stats
from engrain.storage.rows import Posting, Record, Setting, Vector
from engrain.testing.conformance import base
from engrain.testing.conformance.base import E1, E2, EVERYTHING, LIVE, Conformance, Trouble, floats, ints, together
from engrain.testing.conformance.rows import plain, samples
from engrain.testing.rows import NOON, memory, raises, record

CALLER: ContextVar[int] = ContextVar("caller", default=-1)
MINUTE = timedelta(minutes=1)


class Atomicity(Conformance):
    """A change commits whole or leaves nothing, whatever happens to those beside it."""

    def test_a_change_returns_its_result(self) -> None:
        assert self.write(lambda tx: ("any", 1)) == ("any", 1)
        assert self.write(lambda tx: None) is None

    def test_a_failed_change_leaves_no_row_of_any_kind(self) -> None:
        (kept,) = self.add_found(memory("kept"))
        rows = samples(self.store, "default")
        before = self.contents()

        def change(tx: Transaction) -> None:
            base.put_memory(tx, memory("lost", user="new"), "tea", {E1: [1, 0, 0]})
            tx.put(*rows)
            tx.update(Record, [Test("num", "eq", kept)], status=Status.FORGOTTEN)
            tx.delete(Vector, [Test("num", "eq", kept)])
            raise Trouble

        with raises(Trouble):
            self.write(change)
        assert self.contents() == before
        assert self.memories(Filter("default", "new")) == []
        assert [row.num for row in self.alike(EVERYTHING.but(Test("num", "eq", kept)))] == [kept]
        for kind in {type(row) for row in rows} - {Posting}:
            assert plain(self.find(kind)) == [], kind
        assert len(self.find(Posting)) == 1

    def test_a_change_that_has_searched_sees_what_it_puts_after_that(self) -> None:
        (first,) = self.add_found(memory("first", importance=0.25))

        def numbers(tx: Transaction, where: Filter) -> tuple[list[int], int, float]:
            """Assert that every search finds the same rows; return them, and the statistics of a word of theirs."""
            found, stats = [row.num for row in base.find_alike(tx, where)], text_stats(tx, ["tea"], where)
            return found, stats.frequency["tea"], stats.average_length

        def change(tx: Transaction) -> None:
            nobody: tuple[list[int], int, float] = ([], 0, 0.0)
            ana, (kept,) = Filter(self.org, "ana"), tx.find(Record, EVERYTHING)
            assert (numbers(tx, LIVE), numbers(tx, ana)) == (([first], 1, 1.0), nobody)
            assert base.as_list(tx.search_vector(E2, floats([1, 0]), EVERYTHING, limit=9)) == []
            second = base.put_memory(tx, memory("second", user="ana"), "tea cup milk", {E1: [0, 1, 0], E2: [1, 0]})
            assert (numbers(tx, LIVE), numbers(tx, ana)) == (([first, second], 2, 2.0), ([second], 1, 3.0))
            assert base.as_list(tx.search_vector(E2, floats([0, 1]), EVERYTHING, limit=9)) == [second]
            assert cosines(tx, E1, floats([1, 0, 0]), ints([second]), LIVE).tolist() == [0.0]
            assert tx.describe(ints([first]), LIVE).columns.importance.tolist() == [0.25]
            tx.put(replace(kept, memory=replace(kept.memory, importance=0.75), length=5))
            assert tx.describe(ints([first]), LIVE).columns.importance.tolist() == [0.75]
            assert numbers(tx, LIVE) == ([first, second], 2, 4.0)
            tx.put(Vector(tx.namespace(self.org, "ana"), E1, second, floats([1, 0, 0])))
            assert cosines(tx, E1, floats([1, 0, 0]), ints([second]), LIVE).tolist() == [1.0]
            tx.put(replace(kept, memory=replace(kept.memory, status=Status.FORGOTTEN)))
            assert numbers(tx, LIVE)[0] == [second]

        self.write(change)

    def test_a_refused_row_leaves_nothing_of_its_change(self) -> None:
        first = record("first")
        self.put(first)
        with raises(StoreError):
            self.put(record("second"), replace(record("third"), identity=first.identity))
        assert self.contents() == {"first"}

    @contextmanager
    def _queueing(self) -> Iterator[None]:
        """Queue the writes of a block behind a slow one, which puts `slow`."""
        entered, queued = threading.Event(), threading.Event()

        def slow(tx: Transaction) -> None:
            entered.set()
            queued.wait(10)
            tx.put(record("slow"))

        first, release = threading.Thread(target=self.write, args=(slow,)), threading.Timer(0.2, queued.set)
        first.start()
        entered.wait(10)
        release.start()
        yield
        first.join()
        release.join()

    def test_writers_that_queue_together_succeed_or_fail_alone(self) -> None:
        def good(n: int) -> None:
            self.put(record(f"good {n}"))

        def bad(n: int) -> None:
            def change(tx: Transaction) -> None:
                tx.put(record(f"bad {n}"))
                raise Trouble

            self.write(change)

        def refused(n: int) -> None:
            same = record(f"refused {n}")
            self.put(same, replace(same, salt="again"))

        with self._queueing():
            errors = together([partial(act, n) for n in range(10) for act in (good, bad, refused)])
        for n in range(0, 30, 3):
            assert errors[n] is None
            assert isinstance(errors[n + 1], Trouble)
            assert isinstance(errors[n + 2], StoreError)
        assert self.contents() == {"slow"} | {f"good {n}" for n in range(10)}

    def test_a_change_sees_the_context_of_its_caller_whatever_thread_it_runs_in(self) -> None:
        found: dict[int, int] = {}

        def write(n: int) -> None:
            CALLER.set(n)
            found[n] = self.write(lambda tx: CALLER.get())

        with self._queueing():
            assert together([partial(write, n) for n in range(20)]) == [None] * 20
        assert found == {n: n for n in range(20)}
        assert self.write(lambda tx: CALLER.get()) == -1

    def test_a_change_that_fails_blocks_no_other(self) -> None:
        def nested(tx: Transaction) -> None:
            tx.put(record("outer"))
            self.put(record("inner"))

        def interrupted(tx: Transaction) -> None:
            tx.put(record("interrupted"))
            raise KeyboardInterrupt

        with raises(RuntimeError, StoreError):
            self.write(nested)
        with raises(KeyboardInterrupt):
            self.write(interrupted)
        with raises(Trouble), self.store.read(self.org):
            raise Trouble
        self.put(record("after"))
        assert self.contents() == {"after"}

    def test_no_update_is_lost_between_threads(self) -> None:
        self.put(Setting("count", "0"))
        assert together([lambda: [self.write(add_one) for _ in range(25)]] * 8) == [None] * 8
        assert self.find(Setting) == [Setting("count", "200")]


def add_one(tx: Transaction) -> None:
    """Read a number and write it back one larger."""
    (found,) = tx.find(Setting, [Test("name", "eq", "count")])
    tx.put(Setting("count", str(int(found.value) + 1)))


def find_or_put(tx: Transaction) -> str:
    """Find the memory with the identity `same`, or put one; say which."""
    if tx.find(Record, EVERYTHING.but(Test("identity", "eq", "same"))):
        return "found"
    tx.put(replace(record("same"), identity="same"))
    return "made"


class Uniqueness(Conformance):
    """Tests of unique values."""

    def _refuse(self, *rows: Record) -> None:
        for row in rows:
            with raises(StoreError):
                self.put(row)

    def test_an_identity_exists_once_in_a_namespace_until_it_is_free(self) -> None:
        (num,) = self.put(replace(record("one"), identity="same"))
        self._refuse(replace(record("two"), identity="same"))
        self.put(replace(record("elsewhere", user="ana"), identity="same"))
        self.put(replace(record("another org", org="other"), identity="same"))
        self.update(num, identity=None)
        self.put(replace(record("three"), identity="same"))
        assert self.contents() == {"one", "elsewhere", "three"}

    def test_an_id_exists_once_in_an_org(self) -> None:
        self.put(record("one", id="mem_1"))
        self._refuse(*(replace(record("two", id="mem_1", user=user), identity="another") for user in (None, "ana")))
        assert self.contents() == {"one"}

    def test_a_key_exists_once_for_org_user_and_agent_until_it_is_forgotten(self) -> None:
        views: list[dict[str, str]] = [{}, {"agent": "scout"}, {"user": "ana"}, {"user": "ana", "agent": "scout"}]
        for view in [{"org": "other"}, *views]:
            (num,) = self.put(record(f"first {view}", key="k", **view))
            self._refuse(record(f"second {view}", key="k", **view))
        assert self.contents() == {f"first {view}" for view in views}
        self.update(num, status=Status.FORGOTTEN)
        self.put(record("again", key="k", **views[-1]))

    def test_threads_that_put_the_same_leave_one(self) -> None:
        results: list[str] = []
        assert together([lambda: results.extend(self.write(find_or_put) for _ in range(5))] * 8) == [None] * 8
        assert sorted(results) == ["found"] * 39 + ["made"]
        blind = together([lambda: self.put(replace(record("blind"), identity="blind"))] * 8)
        assert sum(error is None for error in blind) == 1
        assert all(isinstance(error, StoreError) for error in blind if error is not None)
        assert len(self.memories()) == 2
        numbers: list[int] = []
        assert together([lambda: numbers.append(self.namespace("new", "new"))] * 8) == [None] * 8
        assert len(set(numbers)) == 1

    def test_two_hundred_writes_from_four_threads_are_two_hundred_rows(self) -> None:
        def many(part: int) -> None:
            self.add_found(*(memory(f"{part} {n}") for n in range(50)))

        assert together([partial(many, part) for part in range(4)]) == [None] * 4
        assert len({row.memory.content for row in self.alike()}) == 200


class Jobs(Conformance):
    """A job is leased to one worker at a time, and a lease that ran out may be taken over."""

    def _put_jobs(self, **due: datetime) -> None:
        self.put(*(Job(name, "embed", "default", "mem_1", at) for name, at in due.items()))

    def _claim(self, worker: str = "w", now: datetime = NOON, kinds: Sequence[str] = ("embed",)) -> Any:
        return self.write(lambda tx: tx.claim(kinds, worker=worker, now=now, lease_until=now + MINUTE), None)

    def test_a_claimed_job_is_leased_and_running_until_its_lease_runs_out(self) -> None:
        self._put_jobs(a=NOON)
        claimed = self._claim("first")
        assert (claimed.id, claimed.state, claimed.leased_by) == ("a", JobState.RUNNING, "first")
        assert (claimed.lease_until, claimed.attempts) == (NOON + MINUTE, 1)
        assert self.find(Job) == [claimed]
        assert self._claim("second", NOON + MINUTE - timedelta(microseconds=1)) is None
        running = [Test("state", "eq", JobState.RUNNING), Test("run_at", "le", NOON)]  # also after one looked in vain
        assert self.find(Job, running, order="run_at", org=None) == [claimed]
        taken = self._claim("second", NOON + MINUTE)
        assert (taken.leased_by, taken.attempts) == ("second", 2)
        assert self._claim("first", NOON + MINUTE) is None
        assert self.change(Job, Test("id", "eq", "a"), Test("leased_by", "eq", "first"), state=JobState.DONE) == 0
        assert self.find(Job)[0].state is JobState.RUNNING

    def test_the_longest_due_comes_first_and_nothing_due_is_none(self) -> None:
        assert self._claim() is None
        self._put_jobs(late=NOON + timedelta(microseconds=1), c=NOON - MINUTE, a=NOON - 3 * MINUTE, b=NOON - 2 * MINUTE)
        claimed = [self._claim() for _ in range(4)]
        assert [each and each.id for each in claimed] == ["a", "b", "c", None]
        assert self._claim(now=NOON + timedelta(microseconds=1)).id == "late"

    def test_only_queued_jobs_of_the_kinds_asked_for(self) -> None:
        self._put_jobs(a=NOON, done=NOON, dead=NOON)
        for name, changes in (
            ("a", {"kind": "sweep"}),
            ("done", {"state": JobState.DONE}),
            ("dead", {"state": JobState.DEAD, "lease_until": NOON - MINUTE}),
        ):
            self.change(Job, Test("id", "eq", name), **changes)
        assert self._claim(kinds=()) is self._claim(now=NOON + 100 * MINUTE) is None
        assert self._claim(kinds=("sweep", "enrich")).id == "a"

    def test_a_job_put_back_is_claimed_when_it_is_due_again(self) -> None:
        self._put_jobs(a=NOON)
        later = {"run_at": NOON + 5 * MINUTE, "lease_until": None, "leased_by": "", "error": "e"}
        self.put(replace(self._claim(), state=JobState.QUEUED, **later))
        assert self._claim(now=NOON + 4 * MINUTE) is None
        again = self._claim(now=NOON + 5 * MINUTE)
        assert (again.attempts, again.error) == (2, "e")

    def test_a_claim_undone_is_no_claim(self) -> None:
        self._put_jobs(a=NOON)
        before = self.find(Job)

        def change(tx: Transaction) -> None:
            assert tx.claim(["embed"], worker="w", now=NOON, lease_until=NOON + MINUTE) is not None
            raise Trouble

        with raises(Trouble):
            self.write(change, None)
        assert self.find(Job) == before

    def test_threads_never_claim_the_same_job(self) -> None:
        names = [f"job_{n:03}" for n in range(60)]
        self._put_jobs(**dict.fromkeys(names, NOON))
        claimed: list[str] = []

        def work(worker: str) -> None:
            while found := self._claim(worker):
                claimed.append(found.id)

        assert together([partial(work, f"w{n}") for n in range(6)]) == [None] * 6
        assert sorted(claimed) == names
