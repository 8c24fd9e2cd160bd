"""Which turns leave a window that is full."""

from __future__ import annotations

import pytest

from engrain.policies import FIFOEviction, ImportanceEviction, PairedEviction
from engrain.protocols import EvictionPolicy
from tests.conversation.windows import turns_of

FIVE = turns_of(3, 4, 2, 5, 1)


@pytest.mark.parametrize("policy", [FIFOEviction(), ImportanceEviction(lambda turn: 0), PairedEviction()])
def test_each_is_a_policy_that_frees_nothing_unasked(policy: EvictionPolicy):
    assert isinstance(policy, EvictionPolicy)
    assert policy.select_for_eviction(FIVE, 0) == []
    assert policy.select_for_eviction(FIVE, -1) == []
    assert policy.select_for_eviction([], 5) == []
    assert sorted(policy.select_for_eviction(FIVE, 1000)) == [0, 1, 2, 3, 4]


def test_the_oldest_leave_until_enough_is_free():
    assert FIFOEviction().select_for_eviction(FIVE, 4) == [0, 1]
    assert FIFOEviction().select_for_eviction(FIVE, 3) == [0]


def test_the_least_important_leave_first():
    assert ImportanceEviction(lambda turn: -turn.token_count).select_for_eviction(FIVE, 6) == [3, 1]


def test_of_equally_important_turns_the_oldest_leaves_first():
    assert ImportanceEviction(lambda turn: 1.0).select_for_eviction(FIVE, 4) == [0, 1]


def test_importance_needs_a_function():
    with pytest.raises(TypeError, match="importance_fn"):
        ImportanceEviction(0.5)  # type: ignore[arg-type]


def test_an_exchange_leaves_together():
    turns = turns_of(2, 2, 2, 2, 2, roles="uauau")
    assert PairedEviction().select_for_eviction(turns, 1) == [0, 1]
    assert PairedEviction().select_for_eviction(turns, 8) == [0, 1, 2, 3]
    assert PairedEviction().select_for_eviction(turns, 9) == [0, 1, 2, 3, 4]


def test_a_turn_without_an_answer_leaves_alone():
    turns = turns_of(2, 2, 2, 2, roles="auua")
    assert PairedEviction().select_for_eviction(turns, 1) == [0]
    assert PairedEviction().select_for_eviction(turns, 3) == [0, 1]
    assert PairedEviction().select_for_eviction(turns, 5) == [0, 1, 2, 3]
