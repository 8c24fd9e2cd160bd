"""What every part of the suite stands on: one place a test, stores that are closed after it, and short verbs."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from tempfile import TemporaryDirectory
from typing import TypeVar

from engrain.arrays import Floats, Ints, np
from engrain.model.filters import Condition, Filter, Test
from engrain.model.memory import AuditEntry, Job, Memory
from engrain.storage.interface import Store, Transaction
from engrain.storage.rows import (
    STORE_ORG,
    AnswerRow,
    Head,
    KeyRow,
    Posting,
    Ranked,
    ReceiptRow,
    Record,
    Row,
    Setting,
    Vector,
)

T = TypeVar("T")

EVERYTHING = Filter("default")
OWNED = (Job, Head, AuditEntry, Setting, KeyRow, ReceiptRow, AnswerRow)
"""The kinds of rows that say whose they are, beside records."""
E1, E2 = "embedder/one/3", "embedder/two/3"


class Conformance(ABC):
    """Subclass with a name that starts with `Test` and give it `make_store`; pytest then runs every behaviour.

    Reads and writes are bound to the org that they concern, `org` unless a test says another.
    """

    org = "default"

    @abstractmethod
    def make_store(self, place: str) -> Store:
        """Open the store kept at `place` (a path of this test's own, which does not exist at first)."""

    def setup_method(self) -> None:
        """Open a fresh store as `self.store`."""
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self._opened: list[Store] = []
        self.place = self.beside("store.db")
        self.store = self.open()

    def teardown_method(self) -> None:
        """Close every store that `open` opened and remove the place."""
        for store in self._opened:
            store.close()
        self._folder.cleanup()

    def beside(self, name: str) -> str:
        """Return a path of that name in the test's own folder."""
        return os.path.join(self._folder.name, name)

    def open(self, place: str | None = None) -> Store:
        """Open one more store object, by default on the same place as `self.store`."""
        store = self.make_store(self.place if place is None else place)
        self._opened.append(store)
        return store

    def open_snapshot(self, path: str) -> Store:
        """Open a snapshot; a store whose snapshots are another engine's files says how by overriding this."""
        return self.open(path)

    # ------------------------------------------------------------------------------------------------- writing

    def put(self, *rows: Row, org: str | None = None) -> list[int]:
        """Put rows in one write and return the numbers of the records among them.

        It is bound to `org`, else to the org that the rows say; rows of several, which all say theirs, go unbound.
        """
        bound = self.whose(*rows) if org is None else org
        return list(self.store.write(lambda tx: tx.put(*rows), bound))

    def whose(self, *rows: Row) -> str | None:
        """Return the org that rows are of, None when they are of several."""
        said = {org for row in rows if (org := whose_is(row)) is not None}
        return None if len(said) > 1 else min(said, default=self.org)

    def add(self, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None) -> int:
        """Keep a memory with its words indexed as they stand, and its vectors by embedder; return its row number."""
        return add(self.store, memory, words, vectors)

    def update(self, num: int, **changes: object) -> None:
        """Change columns of one record."""
        assert self.store.write(lambda tx: tx.update(Record, [Test("num", "eq", num)], **changes), self.org) == 1

    # ------------------------------------------------------------------------------------------------- reading

    def find(self, kind: type[T], where: Filter | Sequence[Condition] = (), **options: object) -> list[T]:
        """Find rows in a read of its own, bound to the org of the filter; `org` says another, or None."""
        org = options.pop("org", where.org if isinstance(where, Filter) else self.org)
        with self.store.read(org) as view:  # type: ignore[arg-type]
            return view.find(kind, where, **options)  # type: ignore[arg-type]

    def memories(self, where: Filter = EVERYTHING) -> list[Memory]:
        """Return the memories inside the filter, in row order."""
        return [found.memory for found in self.find(Record, where)]

    def contents(self, where: Filter = EVERYTHING) -> set[str]:
        """Return the texts of the memories inside the filter."""
        return {memory.content for memory in self.memories(where)}

    def words(self, query: str | Mapping[str, float], where: Filter = EVERYTHING, limit: int = 1000) -> Ranked:
        """Search by words."""
        with self.store.read(where.org) as view:
            return view.search_text(weights(query), where, limit=limit)

    def similar(
        self, vector: Sequence[float], where: Filter = EVERYTHING, limit: int = 1000, embedder: str = E1
    ) -> Ranked:
        """Search by vector."""
        with self.store.read(where.org) as view:
            return view.search_vector(embedder, np.asarray(vector, dtype=np.float32), where, limit=limit)


def add(store: Store, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None) -> int:
    """Keep a memory with postings and vectors in one write; return its row number."""

    def change(tx: Transaction) -> int:
        return put_memory(tx, memory, words, vectors)

    return store.write(change, memory.scope.org)


def whose_is(row: Row) -> str | None:
    """Return the org that a row says it is of; None for one that does not say, and for a setting of the store's own."""
    if isinstance(row, Record):
        return row.memory.scope.org
    return row.org if isinstance(row, OWNED) and row.org != STORE_ORG else None


def put_memory(
    tx: Transaction, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None
) -> int:
    """Put a memory with postings and vectors; its identity is its id, its length the number of its words."""
    namespace = tx.namespace(memory.scope.org, memory.scope.user)
    (num,) = tx.put(Record(memory, identity=memory.id, salt="salt", length=len(words.split())))
    tx.put(*(Posting(namespace, term, num, times) for term, times in Counter(words.split()).items()))
    for embedder, values in (vectors or {}).items():
        tx.put(Vector(namespace, embedder, num, np.asarray(values, dtype=np.float32)))
    return num


def weights(query: str | Mapping[str, float]) -> Mapping[str, float]:
    """Return the terms of a query with their weights, 1 each for a text."""
    return dict.fromkeys(query.split(), 1.0) if isinstance(query, str) else query


def floats(values: Sequence[float] | Sequence[Sequence[float]]) -> Floats:
    """Return a vector, or a row for each of several."""
    return np.asarray(values, dtype=np.float32)


def ints(values: Sequence[int]) -> Ints:
    """Return row numbers as the searches take them."""
    return np.asarray(values, dtype=np.int64)


def close(found: Sequence[float] | Floats, wanted: Sequence[float] | Floats, tolerance: float = 1e-4) -> None:
    """Assert that two rows of numbers are equal within the tolerance."""
    assert len(found) == len(wanted), f"{len(found)} numbers, not {len(wanted)}"
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True), f"{found} is not {wanted}"
