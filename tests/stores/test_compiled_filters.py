"""Filters of one shape have one text; values are bound and never in the text, on both engines."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.filters import AnyOf, Condition, Logic, Meta, Tagged, Test, live, parse_where
from engrain.storage.postgres.reader import PostgresDialect
from engrain.storage.sql.reader import Dialect, compile_conditions
from engrain.storage.sqlite.reader import SQLiteDialect

NOON = datetime(2026, 3, 14, 12, 0, tzinfo=UTC)
DIALECTS: list[Dialect] = [SQLiteDialect(), PostgresDialect()]

names = st.text(alphabet="abcxyz'\"?;- é🏠", min_size=1, max_size=8).map(lambda text: f"secret {text}")
numbers = st.integers(min_value=10**6, max_value=10**7 - 1)
tests = st.one_of(
    st.builds(Test, st.just("agent"), st.sampled_from(["eq", "ne"]), names, st.booleans()),
    st.builds(Test, st.just("id"), st.sampled_from(["in", "nin"]), st.lists(names, min_size=1, max_size=20).map(tuple)),
    st.builds(Test, st.just("num"), st.just("in"), st.lists(numbers, min_size=1, max_size=20).map(tuple)),
    st.builds(Tagged, st.lists(names, min_size=1, max_size=3).map(tuple), st.booleans()),
    st.builds(Meta, names, st.sampled_from(["eq", "ne", "gt", "contains"]), st.one_of(names, numbers)),
    st.builds(Meta, names, st.sampled_from(["in", "nin"]), st.lists(st.one_of(names, numbers)).map(tuple)),
)
conditions = st.recursive(
    tests,
    lambda inner: st.builds(AnyOf, st.lists(st.lists(inner, max_size=2).map(tuple), min_size=1, max_size=3).map(tuple)),
    max_leaves=8,
)


@pytest.mark.parametrize("dialect", DIALECTS)
@given(some=st.lists(conditions, max_size=4))
def test_no_value_is_in_the_text_and_each_place_has_one(dialect: Dialect, some: list[Condition]) -> None:
    text, params = compile_conditions(some, dialect)
    assert "secret" not in text
    assert not re.search(r"\b\d{7}\b", text)
    assert text.count("?") == len(params)


@pytest.mark.parametrize("dialect", DIALECTS)
def test_filters_of_one_shape_have_one_text(dialect: Dialect) -> None:
    def asked(n: int) -> tuple[Condition, ...]:
        where: dict[str, Any] = {"project": f"p{n}", "year": {"in": list(range(n))}}
        nums = Test("num", "in", tuple(range(1, 20 + n)))
        return (*live(NOON + timedelta(days=n)), nums, Tagged(("a", "b")[: 1 + n % 2]), *parse_where(where))

    first, _ = compile_conditions(asked(1), dialect)
    texts = {compile_conditions(asked(n), dialect)[0] for n in range(2, 30)}
    assert texts == {first}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_values_of_different_shape_differ_in_text(dialect: Dialect) -> None:
    shapes: list[Condition] = [
        Test("agent", "eq", "a"),
        Test("agent", "eq", None),
        Test("agent", "ne", None),
        Test("agent", "eq", "a", or_null=True),
        Test("agent", "nin", ("a",)),
        Test("agent", "in", ()),
        Meta("k", "eq", "a"),
        Meta("k", "eq", 1),
        Meta("k", "eq", True),
        Meta("k", "eq", None),
        Meta("k", "exists", True),
        Meta("k", "exists", False),
        Logic("not", (Meta("k", "eq", 1),)),
        Tagged(("a",)),
        Tagged(("a",), every=True),
    ]
    texts = [compile_conditions((each,), dialect)[0] for each in shapes]
    assert len(set(texts)) == len(texts)
