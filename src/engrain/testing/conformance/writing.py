"""Writes: all or nothing, each on its own, one after another; and what may exist once only."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from dataclasses import replace
from functools import partial

from engrain.errors import StoreError
from engrain.model.filters import Filter, Test
from engrain.model.memory import AuditEntry, Job, Status
from engrain.storage.interface import Transaction
from engrain.storage.rows import Edge, Head, Posting, Record, Revision, Setting, Vector
from engrain.testing.conformance.base import E1, EVERYTHING, Conformance, floats, put_memory
from engrain.testing.rows import NOON, memory, raises, record

WHO: ContextVar[int] = ContextVar("who", default=-1)


class Trouble(Exception):
    """Raised by a change that changes its mind."""


def together(jobs: Sequence[Callable[[], object]]) -> list[BaseException | None]:
    """Run each in a thread of its own, started at once; return what each raised."""
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        gate.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        running = [pool.submit(run, job) for job in jobs]
    return [each.exception() for each in running]


class Atomicity(Conformance):
    """A change commits whole or leaves nothing, whatever happens to those beside it."""

    def test_a_change_returns_its_result(self) -> None:
        assert self.store.write(lambda tx: ("any", 1), self.org) == ("any", 1)
        assert self.store.write(lambda tx: None, self.org) is None

    def test_a_failed_change_leaves_no_row_of_any_kind(self) -> None:
        kept = self.add(memory("kept"), "tea", {E1: [1, 0, 0]})

        def change(tx: Transaction) -> None:
            num = put_memory(tx, memory("lost", user="new"), "tea", {E1: [1, 0, 0]})
            tx.put(
                Revision(num, 1, NOON, NOON, "{}"),
                Edge(num, "related", kept),
                Setting("a", "b"),
                Head("default", 1, "h"),
            )
            tx.put(AuditEntry("default", 1, NOON, "remember", "m", "", "", ""), Job("j", "embed", "default", "m", NOON))
            tx.update(Record, [Test("num", "eq", kept)], status=Status.FORGOTTEN)
            tx.delete(Vector, [Test("num", "eq", kept)])
            raise Trouble

        with raises(Trouble):
            self.store.write(change, self.org)
        assert [each.status for each in self.memories()] == [Status.ACTIVE]
        assert self.memories(Filter("default", "new")) == []
        for kind, count in ((Revision, 0), (Edge, 0), (Setting, 0), (Head, 0), (AuditEntry, 0), (Job, 0)):
            assert len(self.find(kind)) == count, kind
        assert len(self.find(Posting)) == len(self.find(Vector)) == 1
        assert self.words("tea").nums.tolist() == self.similar([1, 0, 0]).nums.tolist() == [kept]

    def test_a_refused_row_leaves_nothing_of_its_change(self) -> None:
        first = record("first")
        self.put(first)
        with raises(StoreError):
            self.put(record("second"), replace(record("third"), identity=first.identity))
        assert self.contents() == {"first"}

    def test_a_change_may_go_on_after_reading_its_own_rows(self) -> None:
        def change(tx: Transaction) -> tuple[int, int, int]:
            num = put_memory(tx, memory("mine"), "tea", {E1: [1, 0, 0]})
            tx.update(Record, [Test("num", "eq", num)], tier="A")
            found = tx.find(Record, EVERYTHING.but(Test("tier", "eq", "A")))
            return len(found), tx.count(Record, EVERYTHING)[""], len(tx.find(Posting, [Test("num", "eq", num)]))

        assert self.store.write(change, self.org) == (1, 1, 1)

    def test_searches_inside_a_change_see_what_it_wrote_and_forget_what_it_undid(self) -> None:
        old = self.add(memory("old"), "tea", {E1: [1, 0, 0]})

        def change(tx: Transaction, fails: bool) -> None:
            new = put_memory(tx, memory("new"), "tea", {E1: [1, 0, 0]})
            assert tx.search_text({"tea": 1.0}, EVERYTHING, limit=9).nums.tolist() == [old, new]
            assert tx.search_vector(E1, floats([1, 0, 0]), EVERYTHING, limit=9).nums.tolist() == [old, new]
            if fails:
                raise Trouble

        with raises(Trouble):
            self.store.write(lambda tx: change(tx, True), self.org)
        assert self.words("tea").nums.tolist() == self.similar([1, 0, 0]).nums.tolist() == [old]
        self.store.write(lambda tx: change(tx, False), self.org)
        assert len(self.words("tea").nums) == len(self.similar([1, 0, 0]).nums) == 2

    def test_searches_inside_a_change_follow_each_of_its_steps(self) -> None:
        old = self.add(memory("old"), "tea", {E1: [1, 0, 0]})

        def found(tx: Transaction) -> tuple[list[int], list[int]]:
            text = tx.search_text({"tea": 1.0}, EVERYTHING.but(Test("status", "eq", Status.ACTIVE)), limit=9)
            near = tx.search_vector(E1, floats([1, 0, 0]), EVERYTHING.but(Test("status", "eq", Status.ACTIVE)), limit=9)
            return text.nums.tolist(), near.nums.tolist()

        def change(tx: Transaction) -> None:
            assert found(tx) == ([old], [old])
            new = put_memory(tx, memory("new"), "tea", {E1: [1, 0, 0]})
            assert found(tx) == ([old, new], [old, new])
            tx.update(Record, [Test("num", "eq", old)], status=Status.FORGOTTEN)
            assert found(tx) == ([new], [new])
            tx.delete(Posting, [Test("num", "eq", new)])
            tx.delete(Vector, [Test("num", "eq", new)])
            assert found(tx) == ([], [])
            assert tx.find(Record, EVERYTHING, order="-num", limit=1)[0].num == new

        self.store.write(change, self.org)

    def test_numbers_of_rows_undone_do_not_confuse_the_searches(self) -> None:
        self.add(memory("first"), "tea", {E1: [1, 0, 0]})

        def lost(tx: Transaction) -> None:
            put_memory(tx, memory("lost"), "cup", {E1: [0, 1, 0]})
            raise Trouble

        with raises(Trouble):
            self.store.write(lost, self.org)
        num = self.add(memory("second"), "milk", {E1: [0, 0, 1]})
        assert self.words("cup").nums.tolist() == []
        assert self.words("milk").nums.tolist() == [num]
        assert self.similar([0, 0, 1], limit=1).nums.tolist() == [num]

    def test_writers_that_queue_together_stand_or_fall_alone(self) -> None:
        entered, queued = threading.Event(), threading.Event()

        def slow(tx: Transaction) -> None:
            entered.set()
            queued.wait(10)
            tx.put(record("slow"))

        def good(n: int) -> int:
            return self.store.write(lambda tx: tx.put(record(f"good {n}"))[0], self.org)

        def bad(n: int) -> None:
            def change(tx: Transaction) -> None:
                tx.put(record(f"bad {n}"))
                raise Trouble

            self.store.write(change, self.org)

        def refused(n: int) -> None:
            same = record(f"refused {n}")
            self.store.write(lambda tx: tx.put(same, replace(same, salt="again")), self.org)

        first = threading.Thread(target=self.store.write, args=(slow, self.org))
        first.start()
        entered.wait(10)
        release = threading.Timer(0.2, queued.set)
        release.start()
        errors = together([partial(act, n) for n in range(10) for act in (good, bad, refused)])
        first.join()
        release.join()
        for n in range(0, 30, 3):
            assert errors[n] is None
            assert isinstance(errors[n + 1], Trouble)
            assert isinstance(errors[n + 2], StoreError)
        assert self.contents() == {"slow"} | {f"good {n}" for n in range(10)}

    def test_a_change_sees_the_context_of_its_caller_whatever_thread_it_runs_in(self) -> None:
        found: dict[int, int] = {}
        entered, queued = threading.Event(), threading.Event()

        def slow(tx: Transaction) -> None:
            entered.set()
            queued.wait(10)

        def write(n: int) -> None:
            WHO.set(n)
            found[n] = self.store.write(lambda tx: WHO.get(), self.org)
            assert WHO.get() == n

        first = threading.Thread(target=self.store.write, args=(slow, self.org))
        first.start()
        entered.wait(10)
        release = threading.Timer(0.2, queued.set)
        release.start()
        errors = together([partial(write, n) for n in range(20)])
        first.join()
        release.join()
        assert errors == [None] * 20
        assert found == {n: n for n in range(20)}
        assert self.store.write(lambda tx: WHO.get(), self.org) == -1

    def test_a_change_that_writes_to_its_own_store_fails_and_blocks_nobody(self) -> None:
        def change(tx: Transaction) -> None:
            tx.put(record("outer"))
            self.store.write(lambda inner: inner.put(record("inner")), self.org)

        with raises(RuntimeError, StoreError):
            self.store.write(change, self.org)
        self.put(record("after"))
        assert self.contents() == {"after"}

    def test_an_interrupted_change_leaves_nothing_and_blocks_nobody(self) -> None:
        def change(tx: Transaction) -> None:
            tx.put(record("interrupted"))
            raise KeyboardInterrupt

        with raises(KeyboardInterrupt):
            self.store.write(change, self.org)
        self.put(record("after"))
        assert self.contents() == {"after"}

    def test_an_error_inside_a_read_ends_the_read_only(self) -> None:
        self.put(record("kept"))
        with raises(Trouble), self.store.read(self.org) as view:
            assert view.count(Record, EVERYTHING) == {"": 1}
            raise Trouble
        self.put(record("more"))
        assert self.contents() == {"kept", "more"}

    def test_no_update_is_lost_between_threads(self) -> None:
        self.put(Setting("count", "0"))

        def add_one(tx: Transaction) -> None:
            (found,) = tx.find(Setting, [Test("name", "eq", "count")])
            tx.put(Setting("count", str(int(found.value) + 1)))

        assert together([lambda: [self.store.write(add_one, self.org) for _ in range(25)]] * 8) == [None] * 8
        assert self.find(Setting) == [Setting("count", "200")]


class Uniqueness(Conformance):
    """What may exist once only."""

    def test_an_identity_exists_once_in_a_namespace(self) -> None:
        one = replace(record("one"), identity="same")
        self.put(one)
        with raises(StoreError):
            self.put(replace(record("two"), identity="same"))
        self.put(replace(record("elsewhere", user="ana"), identity="same"))
        self.put(replace(record("another org", org="other"), identity="same"))
        assert self.contents() == {"one", "elsewhere"}

    def test_a_freed_identity_may_be_taken_again(self) -> None:
        (num,) = self.put(replace(record("one"), identity="same"))
        self.update(num, identity=None)
        self.put(replace(record("two"), identity="same"))
        assert self.contents() == {"one", "two"}

    def test_an_id_exists_once_in_an_org(self) -> None:
        self.put(record("one", id="mem_1"))
        for user in (None, "ana"):
            with raises(StoreError):
                self.put(replace(record("two", id="mem_1", user=user), identity="another"))
        assert self.contents() == {"one"}

    def test_a_key_exists_once_for_org_user_and_agent(self) -> None:
        views: list[dict[str, str]] = [{}, {"agent": "scout"}, {"user": "ana"}, {"user": "ana", "agent": "scout"}]
        for view in [*views, {"org": "other"}]:
            self.put(record(f"first {view}", key="k", **view))
            with raises(StoreError):
                self.put(record(f"second {view}", key="k", **view))
        assert self.contents() == {f"first {view}" for view in views}

    def test_a_forgotten_key_may_be_taken_again(self) -> None:
        (num,) = self.put(record("one", key="k"))
        self.update(num, status=Status.FORGOTTEN)
        self.put(record("two", key="k"))
        assert self.contents() == {"one", "two"}

    def test_threads_that_find_or_put_the_same_leave_one(self) -> None:
        def once(tx: Transaction) -> str:
            found = tx.find(Record, EVERYTHING.but(Test("identity", "eq", "same")))
            if not found:
                tx.put(replace(record("same"), identity="same"))
            return "found" if found else "made"

        results: list[str] = []
        errors = together([lambda: results.extend(self.store.write(once, self.org) for _ in range(5))] * 8)
        assert errors == [None] * 8
        assert sorted(results) == ["found"] * 39 + ["made"]
        assert len(self.memories()) == 1

    def test_threads_that_put_blindly_leave_one(self) -> None:
        errors = together([lambda: self.put(replace(record("same"), identity="same"))] * 8)
        assert sum(error is None for error in errors) == 1
        assert all(isinstance(error, StoreError) for error in errors if error is not None)
        assert len(self.memories()) == 1

    def test_threads_that_name_a_new_namespace_name_one(self) -> None:
        numbers: list[int] = []
        errors = together([lambda: numbers.append(self.store.write(lambda tx: tx.namespace("new", "new"), "new"))] * 8)
        assert errors == [None] * 8
        assert len(set(numbers)) == 1

    def test_two_hundred_writes_from_four_threads_are_two_hundred_rows(self) -> None:
        def many(part: int) -> None:
            for n in range(50):
                self.add(memory(f"{part} {n}"), f"tea t{n}", {E1: [1, n, part]})

        assert together([partial(many, part) for part in range(4)]) == [None] * 4
        assert len(self.contents()) == 200
        assert len(self.words("tea").nums) == len(self.similar([1, 0, 0]).nums) == 200
