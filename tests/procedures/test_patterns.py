"""Sequences that recur are really there, as often as is said, and no longer one says the same."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engrain.lifecycle.mining import GAP, LONGEST, frequent, holds, occurrence

LISTS = st.lists(st.lists(st.sampled_from("ABCD"), max_size=9), max_size=8)


def found(lists: list[list[str]], least: int = 2) -> dict[str, tuple[int, ...]]:
    return {"".join(pattern.items): pattern.lists for pattern in frequent(lists, least)}


def test_a_sequence_is_found_with_others_in_between() -> None:
    assert found([list("AxB"), list("AyyB"), list("zAB")]) == {"AB": (0, 1, 2)}


def test_too_much_in_between_is_none() -> None:
    near, far = ["A", *"xy", "B"], ["A", *"xyz", "B"]
    assert occurrence(near, "AB") == (0, 3)
    assert occurrence(far, "AB") is None
    assert found([far, far[::-1]]) == {}


def test_a_later_beginning_is_found_where_the_first_leads_nowhere() -> None:
    assert occurrence([*"Axxx", *"AB"], "AB") == (4, 5)


def test_one_that_occurs_in_more_lists_is_kept_beside_a_longer_one() -> None:
    assert found([list("ABC"), list("ABC"), list("AB")]) == {"AB": (0, 1, 2), "ABC": (0, 1)}


def test_repeats_are_one_pattern() -> None:
    assert found([list("AAAA")] * 3) == {"AAAA": (0, 1, 2)}


def test_nothing_comes_of_nothing() -> None:
    assert frequent([], 1) == []
    assert frequent([[], ["A"]], 1) == []


@given(LISTS, st.integers(1, 4))
def test_every_pattern_occurs_in_the_lists_it_names_and_in_no_other(lists: list[list[str]], least: int) -> None:
    for pattern in frequent(lists, least):
        assert len(pattern.lists) >= least
        assert 2 <= len(pattern.items) <= LONGEST
        for number, items in enumerate(lists):
            places = occurrence(items, pattern.items)
            assert (places is not None) == (number in pattern.lists)
            if places is not None:
                assert [items[place] for place in places] == list(pattern.items)
                assert all(1 <= after - before <= GAP + 1 for before, after in pairwise(places))


@given(LISTS)
def test_no_pattern_is_said_by_a_longer_one_of_the_same_lists(lists: list[list[str]]) -> None:
    patterns = frequent(lists, 1)
    for one in patterns:
        for other in patterns:
            same = one.lists == other.lists and len(other.items) > len(one.items)
            assert not (same and holds(other.items, one.items))


def test_a_search_ends_and_finds_the_most_frequent_first() -> None:
    lists = [list("ABCDEFGH" * 20)] * 30
    some = frequent(lists, 3, effort=20_000)
    assert some
    assert all(len(pattern.lists) == 30 for pattern in some)
