"""Two stores on one place: what one commits the next read of the other sees, and no read sees half of it."""

from __future__ import annotations

import threading
from functools import partial
from typing import Any

from engrain.model.filters import Filter, Meta, Tagged, Test
from engrain.model.memory import Job, Status
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import Head, Posting, Record, Row, Setting, Vector
from engrain.testing.conformance.base import E1, EVERYTHING, Conformance, add, close, floats, ints, put_memory
from engrain.testing.conformance.writing import together
from engrain.testing.rows import NOON, memory

LIVE = EVERYTHING.but(Test("status", "eq", Status.ACTIVE))


def seen(view: Reader, where: Filter = LIVE) -> tuple[int, int, int, int]:
    """Return how many rows each way of looking finds: find, count, words, vectors."""
    return (
        len(view.find(Record, where)),
        view.count(Record, where)[""],
        len(view.search_text({"tea": 1.0}, where, limit=10_000).nums),
        len(view.search_vector(E1, floats([1, 0, 0]), where, limit=10_000).nums),
    )


def tea(store: Store, n: int = 0, **fields: Any) -> int:
    """Keep a memory that every search finds."""
    return add(store, memory(f"tea {n}", **fields), "tea", {E1: [1, 0.01 * n, 0]})


class Isolation(Conformance):
    """A read is one moment of the store."""

    def test_a_view_stays_as_it_was_at_its_first_look(self) -> None:
        first = tea(self.store)
        with self.store.read(self.org) as view:
            assert seen(view) == (1, 1, 1, 1)
            tea(self.store, 1)
            self.update(first, status=Status.FORGOTTEN)
            self.store.write(lambda tx: tx.delete(Posting, [Test("num", "eq", first)]), self.org)
            with self.store.read(self.org) as newer:
                assert seen(newer) == (1, 1, 1, 1)
                assert newer.find(Record, LIVE)[0].memory.content == "tea 1"
            assert seen(view) == (1, 1, 1, 1)
            assert view.find(Record, LIVE)[0].num == first
            assert view.search_text({"tea": 1.0}, LIVE, limit=9).nums.tolist() == [first]
            assert view.search_vector(E1, floats([1, 0, 0]), LIVE, limit=9).nums.tolist() == [first]
        with self.store.read(self.org) as view:
            assert view.find(Record, LIVE)[0].memory.content == "tea 1"

    def test_threads_that_read_see_whole_commits_only(self) -> None:
        stop = threading.Event()
        odd: list[object] = []

        def pairs(tx: Transaction, n: int) -> None:
            for half in "ab":
                put_memory(tx, memory(f"{n}{half}"), "tea", {E1: [1, 0, 0]})
            if n % 5 == 4:
                old = tx.find(Record, LIVE, limit=2)
                tx.update(Record, [Test("num", "in", tuple(row.num for row in old))], status=Status.FORGOTTEN)

        def write() -> None:
            try:
                for n in range(60):
                    self.store.write(partial(pairs, n=n), self.org)
            finally:
                stop.set()

        def read() -> None:
            while not stop.is_set():
                with self.store.read(self.org) as view:
                    counts = seen(view)
                if len(set(counts)) > 1 or counts[0] % 2:
                    odd.append(counts)

        assert together([write, read, read, read]) == [None] * 4
        assert odd == []
        with self.store.read(self.org) as view:
            assert seen(view) == (96, 96, 96, 96)


class Freshness(Conformance):
    """Another store on the same place, in this process, is the stand-in for another process."""

    def open_another(self) -> None:
        """Open a second store and warm what either may hold in memory."""
        self.other = self.open()
        self.nums = [tea(self.store, n) for n in range(3)]
        for store in (self.store, self.other):
            with store.read(self.org) as view:
                assert seen(view) == (3, 3, 3, 3)

    def seen_there(self) -> tuple[int, int, int, int]:
        """Return what the other store sees."""
        with self.other.read(self.org) as view:
            return seen(view)

    def found_there(self, terms: str, where: Filter = LIVE) -> list[int]:
        """Search by words in the other store."""
        with self.other.read(self.org) as view:
            return [int(num) for num in view.search_text({terms: 1.0}, where, limit=99).nums]

    def nearest_there(self, vector: list[float]) -> list[int]:
        """Search by vector in the other store."""
        with self.other.read(self.org) as view:
            return [int(num) for num in view.search_vector(E1, floats(vector), LIVE, limit=99).nums]

    def test_new_rows(self) -> None:
        self.open_another()
        num = tea(self.store, 4)
        assert self.seen_there() == (4, 4, 4, 4)
        assert num in self.found_there("tea")
        assert num in self.nearest_there([1, 0, 0])

    def test_rows_written_by_turns(self) -> None:
        self.open_another()
        for n in range(4, 14):
            tea(self.store if n % 2 else self.other, n)
            for store in (self.store, self.other):
                with store.read(self.org) as view:
                    assert seen(view) == (n,) * 4

    def test_a_changed_status(self) -> None:
        self.open_another()
        self.update(self.nums[0], status=Status.FORGOTTEN)
        assert self.seen_there() == (2, 2, 2, 2)
        self.update(self.nums[0], status=Status.ACTIVE)
        assert self.seen_there() == (3, 3, 3, 3)

    def test_any_changed_column_that_is_filtered_by(self) -> None:
        self.open_another()
        changes: list[tuple[Test, dict[str, object]]] = [
            (Test("superseded_by", "ne", None), {"superseded_by": "mem_x"}),
            (Test("expires_at", "le", NOON), {"expires_at": NOON}),
            (Test("valid_from", "lt", NOON), {"valid_from": NOON.replace(year=2000)}),
            (Test("valid_until", "eq", NOON), {"valid_until": NOON}),
            (Test("believed_until", "ne", None), {"believed_until": NOON}),
            (Test("domain", "eq", "cti"), {"domain": "cti"}),
            (Test("tier", "eq", "A"), {"tier": "A"}),
            (Test("importance", "gt", 0.9), {"importance": 0.95}),
            (Test("trust", "lt", 0.4), {"trust": 0.3}),
            (Test("actor", "eq", "Ana"), {"actor": "Ana"}),
            (Test("access_count", "eq", 9), {"access_count": 9}),
        ]
        for test, change in changes:
            where = EVERYTHING.but(test)
            with self.other.read(self.org) as view:
                assert seen(view, where) == (0, 0, 0, 0), test
            self.update(self.nums[1], **change)
            with self.other.read(self.org) as view:
                assert seen(view, where) == (1, 1, 1, 1), test
                assert view.find(Record, where)[0].num == self.nums[1]

    def test_changed_tags_and_metadata(self) -> None:
        self.open_another()
        self.update(self.nums[2], tags=("home",), metadata={"x": 1})
        with self.other.read(self.org) as view:
            assert seen(view, LIVE.but(Tagged(("home",)))) == (1, 1, 1, 1)
            assert seen(view, LIVE.but(Meta("x", "eq", 1))) == (1, 1, 1, 1)

    def test_changed_words(self) -> None:
        self.open_another()

        def reword(tx: Transaction) -> None:
            tx.delete(Posting, [Test("num", "eq", self.nums[0])])
            tx.put(Posting(tx.namespace("default", None), "milk", self.nums[0], 3))
            tx.update(Record, [Test("num", "eq", self.nums[0])], length=3)

        self.store.write(reword, self.org)
        assert self.found_there("milk") == [self.nums[0]]
        assert self.found_there("tea") == self.nums[1:]

    def test_changed_new_and_deleted_vectors(self) -> None:
        self.open_another()
        space = self.store.write(lambda tx: tx.namespace("default", None), self.org)
        bare = self.add(memory("bare"))
        assert bare not in self.nearest_there([0, 0, 1])
        self.store.write(lambda tx: tx.put(Vector(space, E1, bare, floats([0, 0, 1]))), self.org)
        assert self.nearest_there([0, 0, 1])[0] == bare
        self.store.write(lambda tx: tx.put(Vector(space, E1, bare, floats([0, 0, -1]))), self.org)
        assert self.nearest_there([0, 0, 1])[-1] == bare
        self.store.write(lambda tx: tx.delete(Vector, [Test("num", "eq", bare)]), self.org)
        assert bare not in self.nearest_there([0, 0, 1])

    def test_deleted_rows(self) -> None:
        self.open_another()

        def remove(tx: Transaction) -> None:
            for kind in (Posting, Vector, Record):
                tx.delete(kind, [Test("num", "eq", self.nums[0])])

        self.store.write(remove, self.org)
        assert self.seen_there() == (2, 2, 2, 2)
        tea(self.store, 5)
        assert self.seen_there() == (3, 3, 3, 3)

    def test_a_thousand_changes_at_once(self) -> None:
        self.open_another()

        def change(tx: Transaction) -> list[int]:
            return [put_memory(tx, memory(f"tea {n}"), "tea", {E1: [1, 0, 0]}) for n in range(500)]

        nums = self.store.write(change, self.org)
        assert self.seen_there() == (503,) * 4
        for num in nums[::5]:
            self.update(num, status=Status.FORGOTTEN)
        assert self.seen_there() == (403,) * 4

    def test_sessions_and_columns(self) -> None:
        self.open_another()
        a, b = (self.add(memory(session="s", position=n), "tea") for n in range(2))
        with self.other.read(self.org) as view:
            assert view.describe(ints([a]), EVERYTHING, span=1).around.tolist() == [[-1, b]]
            before = view.describe(ints([a]), EVERYTHING, terms={"tea": 1.0}).sessions[0]
        c = self.add(memory(session="s", position=2), "tea tea")
        self.update(a, importance=0.125)
        with self.other.read(self.org) as view:
            assert view.describe(ints([b]), EVERYTHING, span=1).around.tolist() == [[a, c]]
            assert view.describe(ints([a]), EVERYTHING, terms={"tea": 1.0}).sessions[0] > before
            close(view.describe(ints([a]), EVERYTHING).columns.importance, [0.125])
        self.update(c, session="t", position=0)
        with self.other.read(self.org) as view:
            assert view.describe(ints([b]), EVERYTHING, span=1).around.tolist() == [[a, -1]]

    def test_a_new_namespace_and_an_administrators_view(self) -> None:
        self.open_another()
        tea(self.store, 7, user="new")
        with self.other.read(self.org) as view:
            assert seen(view, Filter("default", "new")) == (1, 1, 1, 1)
            assert seen(view, EVERYTHING) == (4, 4, 4, 4)

    def test_settings_heads_and_jobs(self) -> None:
        self.open_another()
        rows: list[Row] = [Setting("a", "1"), Head("o", 1, "h"), Job("j", "k", "o", "m", NOON)]
        self.put(*rows)
        with self.other.read("o") as view:
            assert [view.find(type(row)) for row in rows] == [[row] for row in rows]

    def test_a_store_that_is_closed_takes_nothing_from_another(self) -> None:
        self.open_another()
        self.store.close()
        tea(self.other, 8)
        assert self.seen_there() == (4, 4, 4, 4)
        again = self.open()
        with again.read(self.org) as view:
            assert seen(view) == (4, 4, 4, 4)
