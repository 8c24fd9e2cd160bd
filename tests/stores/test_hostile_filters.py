"""Filters as large, deep and odd as they may be are answered; larger ones are refused before the store sees them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain.model.filters import Filter, Tagged, Test, parse_where
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import E1, floats, put_memory
from engrain.testing.rows import memory


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SQLiteStore]:
    """A store of twenty memories, numbered in their metadata and tags."""
    made = SQLiteStore(Path(tmp_path_factory.mktemp("hostile")) / "memory.db")
    made.write(
        lambda tx: [
            put_memory(tx, memory(str(n), metadata={"x": n}, tags=(f"t{n}",)), "tea", {E1: [1, 0, 0]})
            for n in range(20)
        ],
        "default",
    )
    yield made
    made.close()


def passing(store: SQLiteStore, where: Filter) -> set[str]:
    """Return the texts that pass, and assert that every search agrees."""
    with store.read(where.org) as view:
        found = view.find(Record, where)
        nums = {row.num for row in found}
        assert set(view.search_text({"tea": 1.0}, where, limit=99).nums.tolist()) == nums
        assert set(view.search_vector(E1, floats([1, 0, 0]), where, limit=99).nums.tolist()) == nums
    return {row.memory.content for row in found}


def nested(depth: int) -> dict[str, Any]:
    """Return `x == 3`, negated so many times."""
    where: dict[str, Any] = {"x": 3}
    for _ in range(depth):
        where = {"not": where}
    return where


@pytest.mark.parametrize(
    ("where", "wanted"),
    [
        ({"or": [{"x": n} for n in range(3, 490)]}, {str(n) for n in range(3, 20)}),
        ({"and": [{"x": {"ne": n}} for n in range(3, 490)]}, {"0", "1", "2"}),
        ({"x": {"in": list(range(5, 505))}}, {str(n) for n in range(5, 20)}),
        ({"or": [{"x": {"in": list(range(500))}}] * 10}, {str(n) for n in range(20)}),
        ({"x": {"in": [*map(str, range(250)), *range(0, 250, 5)]}}, {"0", "5", "10", "15"}),
        (nested(18), {"3"}),
        (nested(19), {str(n) for n in range(20)} - {"3"}),
        ({"y" * 100_000: {"exists": False}, "x": 1}, {"1"}),
        ({"x": {"contains": "z" * 1_000_000}}, set()),
    ],
)
def test_the_largest_filters_are_answered(store: SQLiteStore, where: dict[str, Any], wanted: set[str]) -> None:
    assert passing(store, Filter("default", conditions=parse_where(where))) == wanted


@pytest.mark.parametrize(
    "where",
    [
        {"or": [{"x": n} for n in range(501)]},
        {"or": [{"x": {"in": list(range(500))}}] * 11},
        {f"k{n}": {"gt": 1, "lt": 2, "ne": 3, "eq": 4, "exists": True, "gte": 1} for n in range(100)},
        {"x": {"in": list(range(501))}},
        nested(30),
    ],
)
def test_larger_ones_are_refused(where: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        parse_where(where)


def test_forty_thousand_tags_and_values_are_answered(store: SQLiteStore) -> None:
    tags = tuple(f"t{n}" for n in range(0, 80_000, 2))
    assert passing(store, Filter("default", conditions=(Tagged(tags),))) == {str(n) for n in range(0, 20, 2)}
    assert passing(store, Filter("default", conditions=(Tagged(tags, every=True),))) == set()
    assert passing(store, Filter("default", conditions=(Tagged(("t1", "t1"), every=True),))) == {"1"}
    places = tuple(range(30_000))
    assert passing(store, Filter("default", conditions=(Test("version", "in", places),))) == {str(n) for n in range(20)}


@pytest.mark.parametrize(
    "text", ["'; DROP TABLE memory; --", '" OR 1=1 --', "\\", "%", "_", "$.x", "\ufeff", "a" * 1_000_000]
)
def test_text_in_a_filter_is_only_ever_text(store: SQLiteStore, text: str) -> None:
    for where in (
        Filter(text),
        Filter("default", text, shared=False),
        Filter("default", conditions=(Test("actor", "eq", text),)),
        Filter("default", conditions=(Tagged((text,)),)),
        Filter("default", conditions=parse_where({text: 1})),
        Filter("default", conditions=parse_where({"x": text})),
    ):
        assert passing(store, where) == set()
    with store.read("default") as view:
        assert view.count(Record, Filter("default")) == {"": 20}
        assert view.search_text({text: 1.0}, Filter("default"), limit=9).nums.tolist() == []
