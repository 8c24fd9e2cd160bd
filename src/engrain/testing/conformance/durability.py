"""What was written outlives the object that wrote it: closing, opening again, and copies of the whole."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from dataclasses import replace

from engrain.arrays import np
from engrain.errors import StoreUnavailable
from engrain.model.filters import Filter, Test
from engrain.model.memory import AuditEntry, Job
from engrain.storage.interface import Transaction
from engrain.storage.rows import Edge, Head, KeyRow, Posting, Record, Revision, Row, Setting, Vector
from engrain.testing.conformance.base import E1, EVERYTHING, Conformance, floats, put_memory
from engrain.testing.conformance.sharing import seen, tea
from engrain.testing.conformance.writing import together
from engrain.testing.rows import NOON, full_memory, memory, raises, record

KEY = KeyRow("key_1", "acme", "ana", None, "write", "a" * 64, NOON, None, "a laptop")
KINDS: tuple[type[Row], ...] = (Record, Revision, Edge, Posting, Vector, Head, KeyRow, Setting, AuditEntry, Job)


class Closing(Conformance):
    """A closed store says so."""

    def test_a_closed_store_is_unavailable_and_may_be_closed_again(self) -> None:
        self.put(record())
        self.store.close()
        self.store.close()
        calls: list[Callable[[], object]] = [
            lambda: self.put(record()),
            self.memories,
            lambda: self.words("tea"),
            lambda: self.store.snapshot(self.beside("copy.db")),
        ]
        for call in calls:
            with raises(StoreUnavailable) as raised:
                call()
            assert "closed" in str(raised.error)


class Durability(Conformance):
    """What was written is there when the place is opened again."""

    def test_every_row_is_there_after_closing_and_opening(self) -> None:
        whole = full_memory()
        num = self.add(whole, "tea", {E1: [1, 0, 0]})
        self.put(Setting("a", "b"), Head("acme", 1, "h"), Job("j", "k", "acme", "m", NOON))
        self.put(Revision(num, 1, NOON, NOON, "{}"), org="acme")
        self.put(AuditEntry("acme", 1, NOON, "remember", "m", "", "", ""), Edge(num, "related", num), KEY, org="acme")
        before = {kind: repr(self.find(kind, Filter("acme") if kind is Record else (), org="acme")) for kind in KINDS}
        self.store.close()
        self.store = self.open()
        after = {kind: repr(self.find(kind, Filter("acme") if kind is Record else (), org="acme")) for kind in KINDS}
        assert after == before
        assert self.words("tea", Filter("acme")).nums.tolist() == [num]
        assert self.similar([1, 0, 0], Filter("acme")).nums.tolist() == [num]

    def test_row_numbers_are_never_given_twice(self) -> None:
        nums = self.put(record(), record(), record())
        self.store.write(lambda tx: tx.delete(Record, [Test("num", "in", tuple(nums))]), self.org)
        self.store.close()
        self.store = self.open()
        assert self.put(record())[0] > max(nums)


class Snapshots(Conformance):
    """A copy made while the store is used is a store of its own."""

    def test_a_snapshot_opens_as_a_store_and_equals_it(self) -> None:
        whole = full_memory()
        num = self.add(whole, "tea чай", {E1: [1, 2, 3]})
        self.add(memory("more", user="ana"), "tea", {E1: [1, 0, 0]})
        self.put(Setting("a", "b"), Head("acme", 1, "h"), Job("j", "k", "acme", "m", NOON))
        self.put(Revision(num, 1, NOON, NOON, "{}"), org="acme")
        self.put(AuditEntry("acme", 1, NOON, "remember", "m", "", "", ""), Edge(num, "related", num), KEY, org="acme")
        copy = self.open_snapshot(self.store.snapshot(self.beside("copy.db")))
        for org in ("acme", "default"):
            with self.store.read(org) as one, copy.read(org) as two:
                assert repr(two.find(Record, Filter(org))) == repr(one.find(Record, Filter(org)))
        with self.store.read() as one, copy.read() as two:
            for kind in KINDS[1:]:
                assert sorted(map(repr, two.find(kind))) == sorted(map(repr, one.find(kind))), kind
        with copy.read("acme") as view:
            found = view.search_vector(E1, floats([1, 2, 3]), Filter("acme"), limit=9)
            assert found.nums.tolist() == [num]
            assert view.search_text({"чай": 1.0}, Filter("acme"), limit=9).nums.tolist() == [num]

    def test_a_snapshot_and_its_store_go_their_own_ways(self) -> None:
        tea(self.store, 1)
        copy = self.open_snapshot(self.store.snapshot(self.beside("copy.db")))
        tea(self.store, 2)
        tea(copy, 3)
        assert self.contents() == {"tea 1", "tea 2"}
        with copy.read(self.org) as view:
            assert {row.memory.content for row in view.find(Record, EVERYTHING)} == {"tea 1", "tea 3"}

    def test_a_snapshot_never_overwrites(self) -> None:
        tea(self.store, 1)
        self.store.snapshot(self.beside("copy.db"))
        with raises(StoreUnavailable):
            self.store.snapshot(self.beside("copy.db"))
        if os.path.exists(self.place):  # where a store is a file of its own
            with raises(StoreUnavailable):
                self.store.snapshot(self.place)
        assert self.contents() == {"tea 1"}

    def test_a_snapshot_during_writes_is_one_moment(self) -> None:
        stop = threading.Event()

        def pair(tx: Transaction) -> None:
            for half in "ab":
                put_memory(tx, memory(half), "tea", {E1: [1, 0, 0]})

        def write() -> None:
            while not stop.is_set():
                self.store.write(pair, self.org)

        copies: list[str] = []

        def copy() -> None:
            try:
                for n in range(3):
                    time.sleep(0.02)
                    copies.append(self.store.snapshot(self.beside(f"copy{n}.db")))
            finally:
                stop.set()

        assert together([write, copy]) == [None, None]
        for path in copies:
            with self.open_snapshot(path).read(self.org) as view:
                counts = seen(view)
            assert len(set(counts)) == 1
            assert counts[0] % 2 == 0

    def test_size_is_positive_and_grows(self) -> None:
        before = self.store.size()
        self.put(replace(record("x" * 500_000)))
        assert self.store.size() > before > 0
        assert np.isfinite(self.store.size())
