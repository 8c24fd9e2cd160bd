"""Ranked lists become one: by rank, by weighted rank, or by scaled scores."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.policies import fuse_convex, fuse_rrf, fuse_weighted
from tests.rounds import rounds

ranked = st.lists(st.sampled_from("abcdefgh"), max_size=8)
lists = st.lists(ranked, max_size=5)
score = st.floats(-100, 100, allow_subnormal=False)
scored = st.lists(st.lists(st.tuples(st.sampled_from("abcdefgh"), score), max_size=8), max_size=5)


def test_the_worked_example() -> None:
    found = [(item, round(worth, 6)) for item, worth in fuse_rrf([["a", "b", "c"], ["b", "d"]])]
    assert found == [("b", 0.032522), ("a", 0.016393), ("d", 0.016129), ("c", 0.015873)]


def test_nothing_becomes_nothing() -> None:
    assert fuse_rrf([]) == fuse_rrf([[], []]) == fuse_weighted([], [1.0]) == fuse_convex([]) == fuse_convex([[]]) == []


@settings(max_examples=rounds(40))
@given(lists)
def test_every_item_comes_once_and_best_first(given_lists: list[list[str]]) -> None:
    found = fuse_rrf(given_lists)
    assert sorted(item for item, _ in found) == sorted({item for each in given_lists for item in each})
    worths = [worth for _, worth in found]
    assert worths == sorted(worths, reverse=True)


@settings(max_examples=rounds(40))
@given(lists, st.integers(1, 100))
def test_the_score_is_the_sum_of_reciprocal_ranks(given_lists: list[list[str]], k: int) -> None:
    for item, worth in fuse_rrf(given_lists, k=k):
        once = [list(dict.fromkeys(each)) for each in given_lists]
        assert math.isclose(worth, sum(1 / (k + each.index(item) + 1) for each in once if item in each))


@settings(max_examples=rounds(40))
@given(lists)
def test_of_equal_scores_the_first_seen_comes_first(given_lists: list[list[str]]) -> None:
    seen = list(dict.fromkeys(item for each in given_lists for item in each))
    found = fuse_rrf(given_lists)
    for (one, worth), (other, next_worth) in pairwise(found):
        assert worth > next_worth or seen.index(one) < seen.index(other)


def test_an_item_twice_in_a_list_counts_at_its_better_rank() -> None:
    assert fuse_rrf([["a", "b", "a"]]) == fuse_rrf([["a", "b"]])


@settings(max_examples=rounds(40))
@given(lists, st.sampled_from([None, (), (math.nan,) * 5, (-1.0,) * 5, (-math.inf,) * 5, (None,) * 5, (1.0, 1)]))
def test_a_missing_or_senseless_weight_is_1(
    given_lists: list[list[str]], weights: Sequence[float | None] | None
) -> None:
    assert fuse_weighted(given_lists, weights) == fuse_rrf(given_lists)
    scored = [[(item, 1.0) for item in each] for each in given_lists]
    assert fuse_convex(scored, weights) == fuse_convex(scored)


def test_a_list_counts_as_its_weight_says() -> None:
    assert fuse_weighted([["a"], ["b"]], [1, 2])[0] == ("b", 2 / 61)
    assert fuse_weighted([["a"], ["b"]], [0, 0.5]) == [("b", 0.5 / 61), ("a", 0.0)]


@settings(max_examples=rounds(40))
@given(lists, st.floats(0.1, 10))
def test_one_weight_for_all_changes_no_order(given_lists: list[list[str]], weight: float) -> None:
    found = fuse_weighted(given_lists, [weight] * len(given_lists))
    assert {item for item, _ in found} == {item for item, _ in fuse_rrf(given_lists)}
    for item, worth in fuse_rrf(given_lists):
        assert math.isclose(dict(found)[item], weight * worth)


@pytest.mark.parametrize("k", [0, -1, math.nan, -math.inf])
def test_k_must_be_positive(k: float) -> None:
    with pytest.raises(ValueError, match="k must be positive"):
        fuse_rrf([["a"]], k=k)


def test_a_confident_margin_survives() -> None:
    found = fuse_convex([[("a", 10.0), ("b", 1.0)], [("b", 0.3), ("a", 0.27)]])
    assert [(item, round(worth, 6)) for item, worth in found] == [("a", 1.9), ("b", 1.1)]


@settings(max_examples=rounds(40))
@given(scored)
def test_scaled_scores_sum_up(given_lists: list[list[tuple[str, float]]]) -> None:
    found = fuse_convex(given_lists)
    assert {item for item, _ in found} == {item for each in given_lists for item, _ in each}
    worths = [worth for _, worth in found]
    assert worths == sorted(worths, reverse=True)
    assert max(worths, default=0) <= len(given_lists) + 1e-9


@settings(max_examples=rounds(40))
@given(scored, st.floats(0.01, 100))
def test_the_unit_of_a_list_does_not_matter(given_lists: list[list[tuple[str, float]]], unit: float) -> None:
    scaled = [[(item, worth * unit) for item, worth in each] for each in given_lists]
    one, other = dict(fuse_convex(given_lists)), dict(fuse_convex(scaled))
    assert one == pytest.approx(other)


def test_a_list_without_a_positive_score_brings_its_items_alone() -> None:
    assert fuse_convex([[("a", 0.0), ("b", -3.0)]]) == [("a", 0.0), ("b", 0.0)]


def test_the_smallest_scores_are_scaled_too() -> None:
    assert fuse_convex([[("a", 5e-324), ("b", 0.0)]]) == [("a", 1.0), ("b", 0.0)]


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_a_score_that_is_not_finite_is_an_error(bad: float) -> None:
    with pytest.raises(ValueError, match="scores must be finite"):
        fuse_convex([[("a", 1.0), ("b", bad)]])


@settings(max_examples=rounds(40))
@given(lists)
def test_the_given_argument_is_not_changed(given_lists: list[list[str]]) -> None:
    before = [list(each) for each in given_lists]
    fuse_rrf(given_lists)
    assert given_lists == before
