"""The base of every part of the suite: one place for each test, stores closed after it, builders and comparisons."""

from __future__ import annotations

import math
import os
import threading
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from tempfile import TemporaryDirectory
from typing import Any, TypeVar

from engrain.lazy import Floats, Ints, np
from engrain.model.filters import Condition, Filter, Test, Where
from engrain.model.memory import AuditEntry, Job, Memory, Status
from engrain.storage import rows as tables
from engrain.storage.interface import Reader, Store, Transaction
from engrain.storage.rows import STORE_ORG, AnswerRow, Head, KeyRow, Posting, Ranked, ReceiptRow, Record, Row, Setting

T = TypeVar("T")

EVERYTHING = Filter("default")
LIVE = EVERYTHING.but(Test("status", "eq", Status.ACTIVE))
OWNED = (Job, Head, AuditEntry, Setting, KeyRow, ReceiptRow, AnswerRow)
"""The kinds of rows that name their org, beside records."""
E1, E2 = "embedder/one/3", "embedder/two/3"
K1, B = 0.9, 0.4
SESSION_K1, SESSION_B = 1.2, 0.75


class Trouble(Exception):
    """Raised by a change that shall leave nothing."""


class Conformance(ABC):
    """Subclass with a name that starts with `Test` and give it `make_store`; pytest then runs every behaviour.

    Reads and writes are bound to the org that they concern, `org` unless a test names another.
    """

    org = "default"

    @abstractmethod
    def make_store(self, place: str) -> Store:
        """Open the store at `place` (a path of this test's own, which does not exist at first)."""

    def setup_method(self) -> None:
        """Open a fresh store as `self.store`."""
        self._folder = TemporaryDirectory(ignore_cleanup_errors=True)
        self._opened: list[Store] = []
        self.place: str = self.beside("store.db")
        self.store: Store = self.open()

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
        """Open a snapshot; override this for a store whose snapshots are another engine's files."""
        return self.open(path)

    # ------------------------------------------------------------------------------------------------- writing

    def write(self, change: Callable[[Transaction], T], org: str | None = org) -> T:
        """Run a change bound to an org."""
        return self.store.write(change, org)

    def put(self, *rows: Row, org: str | None = None) -> list[int]:
        """Put rows in one write, bound to `org` or to the one org that they name; return the numbers they get."""
        if org is None:
            named = {name for row in rows if (name := org_of(row)) is not None}
            org = None if len(named) > 1 else min(named, default=self.org)
        return list(self.write(lambda tx: tx.put(*rows), org))

    def add(self, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None) -> int:
        """Put a memory with its words indexed as they are, and its vectors by embedder; return its row number."""
        return add(self.store, memory, words, vectors)

    def add_found(self, *memories: Memory) -> list[int]:
        """Put memories that every search finds; see `find_alike`."""
        return [self.add(each, "tea", {E1: [1, 0.01 * n, 0]}) for n, each in enumerate(memories)]

    def change(self, kind: type[Row], /, *where: Condition, org: str | None = org, **changes: object) -> int:
        """Change columns of the rows that pass; return how many there were."""
        return self.write(lambda tx: tx.update(kind, where, **changes), org)

    def update(self, num: int, **changes: Any) -> None:
        """Change columns of one record."""
        assert self.change(Record, Test("num", "eq", num), **changes) == 1

    def delete(self, kind: type[Row], *where: Condition, org: str | None = org) -> int:
        """Remove the rows that pass; return how many there were."""
        return self.write(lambda tx: tx.delete(kind, where), org)

    def namespace(self, org: str = org, user: str | None = None) -> int:
        """Return the number of a namespace, which is made when it is new."""
        return self.write(lambda tx: tx.namespace(org, user), org)

    # ------------------------------------------------------------------------------------------------- reading

    def find(self, kind: type[T], where: Where = (), **options: Any) -> list[T]:
        """Find rows in a read of its own, bound to the org of the filter, or to the option `org`."""
        org = options.pop("org", where.org if isinstance(where, Filter) else self.org)
        with self.store.read(org) as view:
            return view.find(kind, where, **options)

    def memories(self, where: Filter = EVERYTHING) -> list[Memory]:
        """Return the memories inside the filter, in row order."""
        return [found.memory for found in self.find(Record, where)]

    def contents(self, where: Filter = EVERYTHING) -> set[str]:
        """Return the texts of the memories inside the filter."""
        return {memory.content for memory in self.memories(where)}

    def alike(self, where: Filter = EVERYTHING, store: Store | None = None) -> list[Record]:
        """Return the result of `find_alike` in a read of its own."""
        with (store or self.store).read(where.org) as view:
            return find_alike(view, where)

    def ranked(self, query: str | Mapping[str, float], where: Filter = EVERYTHING, limit: int = 1000) -> Ranked:
        """Search by words; those of a text weigh 1 each."""
        terms = dict.fromkeys(query.split(), 1.0) if isinstance(query, str) else query
        with self.store.read(where.org) as view:
            return view.search_text(terms, where, limit=limit)

    def words(self, query: str, where: Filter = EVERYTHING, limit: int = 1000) -> list[int]:
        """Return the rows that a search by words finds, best first."""
        return as_list(self.ranked(query, where, limit))

    def nearest(
        self, vector: Sequence[float] | Floats, where: Filter = EVERYTHING, limit: int = 1000, embedder: str = E1
    ) -> Ranked:
        """Search by vector."""
        with self.store.read(where.org) as view:
            return view.search_vector(embedder, floats(vector), where, limit=limit)

    def similar(self, vector: Sequence[float], where: Filter = EVERYTHING, limit: int = 1000) -> list[int]:
        """Return the rows that a search by vector finds, best first."""
        return as_list(self.nearest(vector, where, limit))


def add(store: Store, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None) -> int:
    """Put a memory with postings and vectors in one write; return its row number."""
    return store.write(lambda tx: put_memory(tx, memory, words, vectors), memory.scope.org)


def put_memory(
    tx: Transaction, memory: Memory, words: str = "", vectors: Mapping[str, Sequence[float]] | None = None
) -> int:
    """Put a memory with postings and vectors; its identity is its id, its length the number of its words."""
    namespace = tx.namespace(memory.scope.org, memory.scope.user)
    (num,) = tx.put(Record(memory, identity=memory.id, salt="salt", length=len(words.split())))
    put_postings(tx, namespace, num, words)
    tx.put(*(tables.Vector(namespace, embedder, num, floats(values)) for embedder, values in (vectors or {}).items()))
    return num


def put_postings(tx: Transaction, namespace: int, num: int, words: str) -> None:
    """Put how often a row holds each word."""
    tx.put(*(Posting(namespace, term, num, times) for term, times in Counter(words.split()).items()))


def reword(tx: Transaction, namespace: int, num: int, words: str) -> None:
    """Replace the words of a row."""
    tx.delete(Posting, [Test("num", "eq", num)])
    put_postings(tx, namespace, num, words)
    tx.update(Record, [Test("num", "eq", num)], length=len(words.split()))


def remove(tx: Transaction, *nums: int) -> None:
    """Delete records with their words and vectors."""
    for kind in (Posting, tables.Vector, Record):
        tx.delete(kind, [Test("num", "in", nums)])


def org_of(row: Row) -> str | None:
    """Return the org that a row names; None for one without, and for a setting of the store's own."""
    if isinstance(row, Record):
        return row.memory.scope.org
    return row.org if isinstance(row, OWNED) and row.org != STORE_ORG else None


def find_alike(view: Reader, where: Filter = EVERYTHING) -> list[Record]:
    """Return the records of a filter, each with `tea` and a vector by `E1`, that `count` and searches pass alike."""
    rows = view.find(Record, where)
    nums = [row.num for row in rows]
    assert view.count(Record, where) == {"": len(nums)}, where
    assert sorted(as_list(view.search_text({"tea": 1.0}, where, limit=10_000))) == nums, where
    assert sorted(as_list(view.search_vector(E1, floats([1, 0, 0]), where, limit=10_000))) == nums, where
    return rows


def as_list(ranked: Ranked) -> list[int]:
    """Return the rows of a ranking, best first."""
    assert len(ranked.nums) == len(ranked.scores)
    return [int(num) for num in ranked.nums]


def floats(values: Any) -> Floats:
    """Return a vector, or a row for each of several."""
    return np.asarray(values, dtype=np.float32)


def ints(values: Iterable[int]) -> Ints:
    """Return row numbers as the searches take them."""
    return np.asarray(list(values), dtype=np.int64)


def close(found: Any, wanted: Any, tolerance: float = 1e-4) -> None:
    """Assert that two rows of numbers are equal within the tolerance."""
    assert len(found) == len(wanted), f"{len(found)} numbers, not {len(wanted)}"
    assert np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True), f"{found} is not {wanted}"


def together(jobs: Sequence[Callable[[], object]]) -> list[BaseException | None]:
    """Run each function in a thread of its own, started together; return the errors."""
    gate = threading.Barrier(len(jobs))

    def run(job: Callable[[], object]) -> None:
        gate.wait()
        job()

    with ThreadPoolExecutor(len(jobs)) as pool:
        running = [pool.submit(run, job) for job in jobs]
        return [each.exception() for each in running]


def bm25(
    documents: Mapping[int, Sequence[str]], terms: Mapping[str, float], *, k1: float = K1, b: float = B
) -> dict[int, float]:
    """Return the BM25 score of each document (a number and its terms) that holds a term; one namespace's worth."""
    counts = {num: Counter(words) for num, words in documents.items()}
    mean = max(sum(map(len, documents.values())) / max(len(documents), 1), 1.0)
    scores: dict[int, float] = {}
    for term, weight in terms.items():
        holders = [num for num, count in counts.items() if count[term]]
        idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for num in holders:
            tf = counts[num][term]
            gain = tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(documents[num]) / mean))
            scores[num] = scores.get(num, 0.0) + weight * idf * gain
    return scores


def cosines(rows: Sequence[Sequence[float]] | Floats, vector: Sequence[float] | Floats) -> list[float]:
    """Return the cosine of each row with the vector, in double precision."""
    matrix, one = np.asarray(rows, dtype=np.float64), np.asarray(vector, dtype=np.float64)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms == 0, 1.0, norms)]
