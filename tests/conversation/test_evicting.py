"""What leaves a window and what fits into one, for any policy and any tokenizer."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.conversation.summaries import within
from engrain.conversation.window import evicted, fitted
from engrain.lazy import np
from engrain.model.memory import Turn
from engrain.policies import FIFOEviction
from engrain.protocols import Tokenizer
from tests.conversation.windows import (
    POLICIES,
    TEXTS,
    TOKENIZERS,
    Choosing,
    Constant,
    Failing,
    Letters,
    Overlong,
    Words,
    failing,
    turns_of,
)

FIVE = turns_of(3, 4, 2, 5, 1)


@given(counts=st.lists(st.integers(0, 9), max_size=8), wanted=st.integers(-3, 40), policy=POLICIES)
def test_enough_leaves_whatever_a_policy_says(counts: list[int], wanted: int, policy: Choosing | None):
    places = evicted(turns_of(*counts), wanted, policy)
    assert places == sorted(set(places))
    assert all(type(place) is int and 0 <= place < len(counts) for place in places)
    assert sum(counts[place] for place in places) >= min(wanted, sum(counts))


def test_a_policy_is_not_asked_when_nothing_must_leave():
    policy = Choosing(failing)
    assert evicted(FIVE, 0, policy) == evicted(FIVE, -4, policy) == []
    assert policy.calls == []


def test_a_good_answer_is_followed_to_the_letter():
    assert evicted(FIVE, 5, Choosing(lambda turns, tokens: [3])) == [3]
    assert evicted(FIVE, 5, Choosing(lambda turns, tokens: np.array([3, 4]))) == [3, 4]
    assert evicted(FIVE, 4, FIFOEviction()) == evicted(FIVE, 4, None) == [0, 1]


def test_an_answer_that_frees_too_little_is_completed_with_the_oldest():
    assert evicted(FIVE, 6, Choosing(lambda turns, tokens: [4])) == [0, 1, 4]
    assert evicted(FIVE, 3, Choosing(lambda turns, tokens: [])) == [0]


@pytest.mark.parametrize("said", [[3, 3, 3], [3, 3.0, "x", None, True, -1, 99]])
def test_an_invalid_value_evicts_no_one(said: list[object]):
    assert evicted(FIVE, 5, Choosing(lambda turns, tokens: said)) == [3]


def test_a_policy_cannot_change_the_window_through_what_it_is_shown():
    def emptied(shown: Any, tokens: int) -> None:
        shown.clear()

    turns = turns_of(1, 2)
    policy = Choosing(emptied)
    assert evicted(turns, 1, policy) == [0]
    assert len(turns) == 2


@given(text=TEXTS, budget=st.integers(1, 12), tokenizer=TOKENIZERS)
def test_a_turn_never_counts_more_than_the_budget(text: str, budget: int, tokenizer: Tokenizer):
    turn = fitted(Turn(role="user", content=text), budget, tokenizer)
    assert 0 <= turn.token_count <= budget
    assert turn.content == "" or tokenizer.count_tokens(turn.content) <= budget
    assert text.startswith(turn.content) or isinstance(tokenizer, Words)
    assert turn.metadata.get("truncated", False) == (tokenizer.count_tokens(text) > budget)
    kept, count = within(text, budget, tokenizer)
    assert (kept, count <= budget) == (turn.content, True)


def test_a_turn_that_fits_is_only_counted():
    turn = Turn(role="user", content="one two", metadata={"a": 1}, token_count=99)
    assert fitted(turn, 2, Words()) == Turn(role="user", content="one two", metadata={"a": 1}, token_count=2)


def test_a_turn_that_is_cut_keeps_its_metadata_and_counts_as_the_budget():
    turn = fitted(Turn(role="user", content="a" * 15, metadata={"a": 1}), 10, Overlong())
    assert turn.content == "a" * 10
    assert (turn.token_count, turn.metadata) == (10, {"a": 1, "truncated": True})
    assert fitted(Turn(role="user", content="abc"), 10, Constant(11)).content == ""


def test_an_error_of_a_tokenizer_is_passed_on():
    with pytest.raises(OSError, match="no vocabulary"):
        fitted(Turn(role="user", content="a"), 10, Failing())


def test_a_tokenizer_counts_in_whole_numbers_and_cuts_to_text():
    class Halves(Letters):
        def count_tokens(self, text: str) -> int:
            return len(text) / 2  # type: ignore[return-value]

    class Bytes(Letters):
        def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
            return text.encode()  # type: ignore[return-value]

    with pytest.raises(TypeError, match="Halves.count_tokens returned a float"):
        fitted(Turn(role="user", content="a"), 10, Halves())
    with pytest.raises(TypeError, match="Bytes.truncate_to_tokens returned a bytes"):
        fitted(Turn(role="user", content="abc"), 2, Bytes())
