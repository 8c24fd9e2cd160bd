"""A store on a server sees by itself to the index of vectors that have become many."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
import psycopg
import pytest

from engrain.model.filters import Filter
from engrain.storage.interface import Transaction
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import Vector
from engrain.testing.rows import record
from tests.postgres import servers

EMBEDDER, FEW, MANY = "made/up/8", 30, 9_000
EVERYTHING = Filter("default")


@pytest.fixture
def url() -> Iterator[str]:
    with servers.database() as made:
        yield made


def fill(store: PostgresStore, count: int) -> Any:
    values = np.random.default_rng(7).normal(size=(count, 8)).astype(np.float32)

    def change(tx: Transaction) -> None:
        ns = tx.namespace("default", None)
        nums = tx.put(*(record(f"text {n}") for n in range(count)))
        tx.put(*(Vector(ns, EMBEDDER, num, row) for num, row in zip(nums, values, strict=True)))

    store.write(change, "default")
    return values / np.linalg.norm(values, axis=1, keepdims=True)


def indexes(url: str) -> list[bool]:
    with psycopg.connect(url) as connection:
        found = connection.execute(
            "SELECT indisvalid FROM pg_index JOIN pg_class c ON c.oid = indexrelid JOIN pg_am a ON a.oid = relam"
            " WHERE amname = 'hnsw'"
        ).fetchall()
    return [valid for (valid,) in found]


def test_few_vectors_have_no_index_and_many_get_one_once(url: str) -> None:
    store = PostgresStore(url, indexed_from=FEW)
    fill(store, FEW)
    store.maintain()
    assert indexes(url) == []
    fill(store, 1)
    store.maintain()
    store.maintain()
    assert indexes(url) == [True]
    store.close()


def test_an_interrupted_index_is_rebuilt(url: str) -> None:
    store = PostgresStore(url, indexed_from=FEW)
    fill(store, FEW + 1)
    store.maintain()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(
            "UPDATE pg_index SET indisvalid = false FROM pg_class c JOIN pg_am a ON a.oid = relam"
            " WHERE c.oid = indexrelid AND amname = 'hnsw'"
        )
    assert indexes(url) == [False]
    store.maintain()
    assert indexes(url) == [True]
    store.close()


def test_a_role_that_owns_nothing_has_it_made_too(url: str) -> None:
    owner = PostgresStore(url, indexed_from=FEW)
    fill(owner, FEW + 1)
    owner.close()
    with servers.role("LOGIN IN ROLE engrain_app") as name:
        store = PostgresStore(servers.named(url.partition("?")[0].rpartition("/")[2], user=name), indexed_from=FEW)
        store.maintain()
        store.close()
    assert indexes(url) == [True]


def test_the_index_finds_the_nearest_and_their_exact_cosines(url: str) -> None:
    store = PostgresStore(url, indexed_from=FEW)
    units, question = fill(store, MANY), np.random.default_rng(11).normal(size=8).astype(np.float32)
    store.maintain()
    question /= np.linalg.norm(question)
    best = np.sort(units @ question)[::-1][:10]
    with store.read("default") as view:
        found = view.search_vector(EMBEDDER, question, EVERYTHING, limit=10)
    store.close()
    assert np.allclose(found.scores, best, atol=2e-3)
    assert searches(url) > 0


def searches(url: str) -> int:
    """Return how often the index was searched, as soon as the server has counted it."""
    for _ in range(100):
        with psycopg.connect(url) as connection:
            asked = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname ~ '^vector_[0-9a-f]{32}$'"
            (number,) = connection.execute(asked).fetchone() or (0,)
        if number:
            break
        time.sleep(0.05)
    return int(number)


def test_memories_stay_as_they_are(url: str) -> None:
    store = PostgresStore(url, indexed_from=FEW)
    fill(store, FEW + 1)
    before = looked(store)
    store.maintain()
    assert looked(store) == before
    store.close()


def looked(store: PostgresStore) -> Any:
    with store.read("default") as view:
        found = view.search_vector(EMBEDDER, np.ones(8, np.float32), EVERYTHING, limit=100)
        return found.nums.tolist(), np.round(found.scores, 5).tolist()
