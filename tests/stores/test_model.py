"""The store against a plain model: random work step by step, and random filters over random rows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from campaigns import fuzz
from campaigns.shapes import any_filter, any_memory, any_words
from engrain.model.filters import Filter, passes
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import E1, floats, put_memory
from tests.rounds import rounds


@pytest.mark.parametrize("seed", range(1, rounds(8) + 1))
def test_random_work_agrees_with_the_model(seed: int) -> None:
    assert fuzz.run(seed) == []


@pytest.fixture(scope="module")
def stocked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[SQLiteStore, list[Record]]]:
    """A store of random rows and those rows; the word `tea` and any vector find each of them."""
    rng = random.Random(20)
    store = SQLiteStore(Path(tmp_path_factory.mktemp("stocked")) / "memory.db")
    store.write(
        lambda tx: [
            put_memory(tx, any_memory(rng, str(n)), f"tea {any_words(rng)}", {E1: [1, rng.random(), rng.random()]})
            for n in range(200)
        ],
        "default",
    )
    with store.read("default") as view:
        rows = view.find(Record, Filter("default"))
    yield store, rows
    store.close()


@settings(max_examples=rounds(200))
@given(draw=st.randoms(use_true_random=False))
def test_the_mask_in_memory_and_the_where_in_the_file_pass_the_same_rows(
    stocked: tuple[SQLiteStore, list[Record]], draw: random.Random
) -> None:
    where = any_filter(draw)
    store, rows = stocked
    nums = {row.num for row in rows if passes(row.memory, where)}
    with store.read("default") as view:
        assert {row.num for row in view.find(Record, where)} == nums
        assert set(view.search_text({"tea": 1.0}, where, limit=10_000).nums.tolist()) == nums
        assert set(view.search_vector(E1, floats([1, 0, 0]), where, limit=10_000).nums.tolist()) == nums
        assert view.count(Record, where) == {"": len(nums)}
