"""Durability: rows outlive the object that wrote them: reopening, copies of the whole, and erased bytes."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable

from engrain.errors import StoreUnavailable
from engrain.model.filters import Filter, Test
from engrain.storage.interface import Store, Transaction, imprints
from engrain.storage.rows import Record, Residue, Row, Setting
from engrain.testing.conformance.base import E1, E2, EVERYTHING, Conformance, find_alike, put_memory, remove, together
from engrain.testing.conformance.rows import samples
from engrain.testing.rows import full_memory, memory, raises, record

_MARK = "vexillographer"
_TEXT = f"The {_MARK} is in."
_VECTORS = {E1: (0.25, 0.5, -0.75), E2: (0.1, -0.7, 0.2)}


class Closing(Conformance):
    """A closed store says so."""

    def test_a_closed_store_is_unavailable_and_may_be_closed_again(self) -> None:
        self.put(record())
        self.store.close()
        self.store.close()
        calls: list[Callable[[], object]] = [lambda: self.put(record()), self.memories, lambda: self.words("tea")]
        calls.append(lambda: self.store.snapshot(self.beside("copy.db")))
        for call in calls:
            with raises(StoreUnavailable) as raised:
                call()
            assert "closed" in str(raised.error)


class Durability(Conformance):
    """Rows are still there when the place is opened again."""

    def _fill(self) -> Callable[[Store], list[str]]:
        """Put rows of every kind; return a function that lists the contents of a store, as its searches find them."""
        whole, where = full_memory(), Filter("acme", "ana", conditions=(Test("agent", "eq", "scout"),))
        self.add(whole, "tea чай", {E1: [1, 2, 3]})
        self.add(memory("more", user="ana"), "tea", {E1: [1, 0, 0]})
        rows = samples(self.store, "acme")
        self.put(*rows, org="acme")
        kinds: set[type[Row]] = {type(row) for row in rows}

        def held(store: Store) -> list[str]:
            with store.read("acme") as view:
                assert [row.memory for row in find_alike(view, where)] == [whole]
                assert len(view.search_text({"чай": 1.0}, where, limit=9).nums) == 1
            listed = []
            for org in ("acme", "default"):
                with store.read(org) as view:
                    listed += [repr(row) for row in view.find(Record, Filter(org))]
            with store.read() as view:
                return listed + [repr(row) for kind in sorted(kinds, key=repr) for row in view.find(kind)]

        return held

    def test_every_row_is_there_after_closing_and_opening(self) -> None:
        held = self._fill()
        before = held(self.store)
        self.store.close()
        assert held(self.open()) == before

    def test_row_numbers_are_never_given_twice(self) -> None:
        nums = self.put(record(), record(), record())
        self.delete(Record, Test("num", "in", tuple(nums)))
        self.store.close()
        self.store = self.open()
        assert self.put(record())[0] > max(nums)

    def test_a_snapshot_opens_as_a_store_and_equals_it(self) -> None:
        held = self._fill()
        copy = self.open_snapshot(self.store.snapshot(self.beside("copy.db")))
        assert sorted(held(copy)) == sorted(held(self.store))

    def test_a_snapshot_and_its_store_change_apart_and_neither_is_overwritten(self) -> None:
        self.add_found(memory("before"))
        path = self.store.snapshot(self.beside("copy.db"))
        for taken in [path, *[self.place] * os.path.exists(self.place)]:  # where a store is a file of its own
            with raises(StoreUnavailable):
                self.store.snapshot(taken)
        copy, mine = self.open_snapshot(path), self.store
        self.add_found(memory("here"))
        self.store: Store = copy
        self.add_found(memory("there"))
        for store, wanted in ((mine, "here"), (copy, "there")):
            assert {row.memory.content for row in self.alike(store=store)} == {"before", wanted}

    def test_a_snapshot_during_writes_is_one_moment(self) -> None:
        stop = threading.Event()

        def pair(tx: Transaction) -> None:
            for half in "ab":
                put_memory(tx, memory(half), "tea", {E1: [1, 0, 0]})

        def write() -> None:
            while not stop.is_set():
                self.write(pair)

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
            assert len(self.alike(store=self.open_snapshot(path))) % 2 == 0

    def test_size_is_positive_and_grows(self) -> None:
        before = self.store.size()
        self.put(record("x" * 500_000))
        assert self.store.size() > before > 0


class Erasure(Conformance):
    """The requirements of an erasure for a store that keeps files."""

    def _marked(self) -> tuple[int, list[bytes]]:
        """Put a memory with words and vectors; return its row and the bytes by which it would be known."""
        num = self.add(memory(_TEXT), _MARK, _VECTORS)
        vectors = self.write(lambda tx: imprints(tx, [num]))
        assert vectors
        assert all(len(trace) >= 3 for trace in vectors)
        return num, [_MARK.encode(), *vectors]

    def test_what_a_row_holds_is_shared(self) -> None:
        _, traces = self._marked()
        assert self.store.purge()
        found = self.store.residue([traces[0], b"nowhere to be found"])
        assert found in (None, Residue(frozenset(), frozenset([traces[0]])))  # None: it cannot be searched

    def test_what_was_deleted_is_gone_after_a_purge_or_at_last_after_rewriting(self) -> None:
        for number in range(50):
            self.add(memory(f"note {number}"), f"note n{number}", _VECTORS)
        num, traces = self._marked()
        self.put(Setting("told", _TEXT))
        self.write(lambda tx: remove(tx, num))
        self.delete(Setting, Test("name", "eq", "told"))
        assert self.store.purge()
        found = self.store.residue(traces)
        if found is None or found.left:
            assert self.store.purge(rewrite=True)
            found = self.store.residue(traces)
        assert found is None or found.left == frozenset()
        assert len(self.contents()) == 50

    def test_another_rows_equal_text_is_no_residue(self) -> None:
        num, traces = self._marked()
        self.add(memory(_TEXT, user="bo"), _MARK, _VECTORS)
        self.write(lambda tx: remove(tx, num))
        assert self.store.purge()
        found = self.store.residue(traces)
        assert found is None or (found.left, _MARK.encode() in found.shared) == (frozenset(), True)

    def test_other_store_objects_see_what_is_left(self) -> None:
        other = self.open()
        num, _ = self._marked()
        self.add(memory("note"), "note", _VECTORS)
        with other.read(self.org) as view:
            assert view.count(Record) == {"": 2}
        self.write(lambda tx: remove(tx, num))
        assert self.store.purge()
        assert self.store.purge(rewrite=True)
        with other.read(self.org) as view:
            assert [record.memory.content for record in view.find(Record, EVERYTHING)] == ["note"]

    def test_copies_beside_the_store_are_dropped(self) -> None:
        self.store.drop_copies()
        assert self.store.drop_copies() == 0
