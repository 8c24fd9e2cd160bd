"""Vectors of a large namespace, searched by sketches: nearly always the exact ten, fresh, and in little memory."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engrain.lazy import Floats, Ints, Mask, np
from engrain.model.filters import Filter, Test
from engrain.storage.index.columns import IndexSource, NamespaceColumns
from engrain.storage.index.namespaces import SKETCHED_AT_ONCE, MatrixVectors, NamespaceIndex, SketchedVectors
from engrain.storage.interface import Transaction, cosines
from engrain.storage.rows import Record, Vector
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.rows import record

pytestmark = pytest.mark.sqlite("its vectors")

EMBEDDER = "e"
ROWS, DIMENSIONS = SKETCHED_AT_ONCE + 1500, 128
ALL = Filter("default")
SOME, RARE = 0.85, 0.98  # importance: of less than a quarter, and of a fiftieth


def crowd(rng: np.random.Generator, rows: int, *, centre: float = 0.0) -> Floats:
    """Return unit vectors in loose clusters; `centre` is how far all of them are drawn to one side."""
    clusters = rng.standard_normal((rows // 20 + 1, DIMENSIONS))
    vectors = clusters[rng.integers(0, len(clusters), rows)] + 0.7 * rng.standard_normal((rows, DIMENSIONS))
    vectors += centre * rng.standard_normal(DIMENSIONS)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), np.float32)


def keep(store: SQLiteStore, vectors: Floats, start: int = 0) -> list[int]:
    """Keep one memory for each vector, in one write; their importance rises from 0 to 1, again and again."""

    def change(tx: Transaction) -> list[int]:
        rows = (record(str(n), importance=(start + n) % 100 / 100) for n in range(len(vectors)))
        nums = list(tx.put(*rows))
        ns = tx.namespace("default", None)
        tx.put(*(Vector(ns, EMBEDDER, num, vector) for num, vector in zip(nums, vectors, strict=True)))
        return nums

    return store.write(change, "default")


def found(store: SQLiteStore, query: Floats, where: Filter = ALL, limit: int = 10) -> Ints:
    """Return what a search finds."""
    with store.read("default") as view:
        return view.search_vector(EMBEDDER, query, where, limit=limit).nums


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SQLiteStore, list[int], Floats]]:
    store = SQLiteStore(tmp_path_factory.mktemp("sketches") / "m.db", durability="normal", sketched_from=100)
    vectors = crowd(np.random.default_rng(1), ROWS)
    yield store, keep(store, vectors), vectors
    store.close()


@dataclass(frozen=True)
class Sketched:
    """Sketches beside the vectors they were made of."""

    vectors: Floats
    columns: NamespaceColumns
    source: IndexSource

    def share(self, mask: Mask, read: int, limit: int) -> float:
        """Return which share of the exactly nearest is found, over some queries near to a vector that passes."""
        sketches = SketchedVectors(self.columns, EMBEDDER, DIMENSIONS, read=read)
        sketches.refresh(self.source)
        assert sketches.held_bytes < self.vectors.nbytes / 8
        rng = np.random.default_rng(2)
        of = []
        for place in rng.choice(np.flatnonzero(mask), 20, replace=False).tolist():
            query = self.vectors[place] + rng.standard_normal(DIMENSIONS) / 20
            query = np.asarray(query / np.linalg.norm(query), np.float32)
            exact = np.where(mask, self.vectors @ query, -2.0)
            places, scores = sketches.search(self.source, query, mask, limit)
            assert mask[places].all()
            assert (np.diff(scores) <= 0).all()
            assert np.allclose(scores, exact[places], atol=1e-3)
            of.append(len(set(places.tolist()) & set(np.argsort(-exact)[:limit].tolist())) / limit)
        return float(np.mean(of))


@pytest.mark.matrix
@pytest.mark.parametrize("centre", [0.0, 1.0])
def test_the_exact_ten_are_found_although_few_rows_are_read(tmp_path: Path, centre: float) -> None:
    vectors = crowd(np.random.default_rng(3), ROWS, centre=centre)
    store = SQLiteStore(tmp_path / "m.db", durability="normal")
    keep(store, vectors)
    with store.read("default") as view:
        source: IndexSource = view._source  # type: ignore[attr-defined]
        columns, changes = NamespaceColumns(1), source.changes_since(1, None)
        assert changes is not None
        columns.apply(changes)
        sketched = Sketched(vectors, columns, source)
        assert sketched.share(columns.alive, 250, 10) >= 0.99
        some, rare = (columns.alive & (columns["importance"] >= passing) for passing in (SOME, RARE))
        assert sketched.share(some, 400, 10) >= 0.99
        assert sketched.share(some, 20, 1) >= 0.99
        assert sketched.share(rare, 400, 10) == 1.0
    store.close()


def test_a_filter_that_few_rows_pass_is_answered_exactly(large: tuple[SQLiteStore, list[int], Floats]) -> None:
    store, nums, vectors = large
    query = crowd(np.random.default_rng(4), 1)[0]
    passing = [place for place in range(ROWS) if place % 100 / 100 >= RARE]
    exact = sorted(passing, key=lambda place: -float(vectors[place] @ query))[:20]
    where = ALL.but(Test("importance", "ge", RARE))
    assert found(store, query, where, 20).tolist() == [nums[place] for place in exact]


def test_what_is_replaced_deleted_or_comes_later_is_searched_as_it_is_now(
    large: tuple[SQLiteStore, list[int], Floats],
) -> None:
    store, nums, vectors = large
    ns = 1
    old, gone = nums[17], nums[4711]
    assert [found(store, vectors[place])[0] for place in (17, 4711)] == [old, gone]
    store.write(lambda tx: tx.put(Vector(ns, EMBEDDER, old, -vectors[17])), "default")
    store.write(lambda tx: tx.delete(Vector, [Test("num", "eq", gone)]), "default")
    assert found(store, -vectors[17])[0] == old
    assert old not in found(store, vectors[17])
    assert gone not in found(store, vectors[4711])
    (late,) = store.write(lambda tx: tx.put(record("late")), "default")
    assert late not in found(store, vectors[4711])
    store.write(lambda tx: tx.put(Vector(ns, EMBEDDER, late, vectors[4711])), "default")
    assert found(store, vectors[4711])[0] == late
    store.write(lambda tx: tx.delete(Record, [Test("num", "eq", late)]), "default")
    assert late not in found(store, vectors[4711])


def test_given_rows_are_scored_before_and_after_a_search(large: tuple[SQLiteStore, list[int], Floats]) -> None:
    store, nums, vectors = large
    query, some = vectors[99], [nums[place] for place in (99, 2500, 7, 5000)]
    with store.read("default") as view:
        before = cosines(view, EMBEDDER, query, np.array(some), ALL)
        view.search_vector(EMBEDDER, query, ALL, limit=10)
        after = cosines(view, EMBEDDER, query, np.array(some), ALL)
    assert np.allclose(before, vectors[[99, 2500, 7, 5000]] @ query, atol=1e-3)
    assert np.allclose(before, after, atol=1e-6)


def test_vectors_that_come_in_dribs_are_found_as_if_they_had_come_at_once(tmp_path: Path) -> None:
    vectors = crowd(np.random.default_rng(5), 300, centre=2.0)
    store = SQLiteStore(tmp_path / "m.db", durability="normal", sketched_from=0)
    nums: list[int] = []
    for start in range(0, 300, 60):
        nums += keep(store, vectors[start : start + 60], start)
        assert found(store, vectors[start])[0] == nums[start]
    assert [found(store, vector)[0] for vector in vectors[::9]] == nums[::9]
    store.close()


def test_a_namespace_that_grows_large_is_sketched_and_one_embedder_at_a_time(tmp_path: Path) -> None:
    vectors = crowd(np.random.default_rng(6), 120)
    store = SQLiteStore(tmp_path / "m.db", durability="normal", sketched_from=100)
    nums = keep(store, vectors[:60])
    before = found(store, vectors[3]).tolist()
    keep(store, -vectors[60:])
    assert found(store, vectors[3])[:1].tolist() == before[:1] == [nums[3]]
    with store.read("default") as view:
        source = view._source  # type: ignore[attr-defined]
        for rows, kind in ((1000, MatrixVectors), (100, SketchedVectors)):
            index = NamespaceIndex(1, sketched_from=rows)
            index.refresh(source)
            assert type(index.vectors(source, EMBEDDER, DIMENSIONS)) is kind
    store.close()
