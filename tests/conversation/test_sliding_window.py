"""A window holds the newest turns within its budget, and tells who leaves."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.conversation import ExponentialRecencyScorer, PairedEviction, SlidingWindowMemory
from engrain.model.memory import Turn
from engrain.protocols import ConversationMemory, Tokenizer
from engrain.testing import FrozenClock
from tests.conversation.windows import POLICIES, ROLES, TEXTS, TOKENIZERS, Choosing, Failing, Letters, Words, failing


class Watcher:
    """Notes every eviction it is told of."""

    def __init__(self) -> None:
        self.seen: list[tuple[list[Turn], int]] = []

    def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
        self.seen.append((turns, remaining_tokens))


def contents(turns: list[Turn]) -> list[str]:
    return [turn.content for turn in turns]


def subsequence(some: list[Turn], of: list[Turn]) -> bool:
    rest = iter(of)
    return all(turn in rest for turn in some)


@given(
    said=st.lists(st.tuples(ROLES, TEXTS), max_size=12),
    budget=st.integers(1, 20),
    policy=POLICIES,
    tokenizer=TOKENIZERS,
)
def test_whatever_is_said_the_budget_holds_and_nobody_leaves_untold(
    said: list[tuple[str, str]], budget: int, policy: Choosing | None, tokenizer: Tokenizer
):
    stored: list[list[Turn]] = []
    watcher = Watcher()
    window = SlidingWindowMemory(budget, tokenizer, stored.append, policy, callbacks=[watcher])
    added: list[Turn] = []
    for role, content in said:
        before = len(stored)
        added.append(window.add_turn(role, content))
        assert window.total_tokens == sum(turn.token_count for turn in window.turns) <= budget
        assert subsequence(window.turns, added)
        assert window.turns[-1] == added[-1]
        assert len(stored) - before <= 1
    gone = [turn for turns in stored for turn in turns]
    assert all(subsequence(turns, added) and turns for turns in stored)
    assert sorted([*gone, *window.turns], key=lambda turn: turn.position or 0) == added
    assert [turns for turns, _ in watcher.seen] == stored


def test_a_turn_larger_than_the_budget_is_cut_and_marked():
    turn = SlidingWindowMemory(10, Letters()).add_turn("user", "a" * 15)
    assert (turn.content, turn.token_count, turn.metadata) == ("a" * 10, 10, {"truncated": True})


def test_on_evict_is_called_once_with_who_left():
    stored: list[list[Turn]] = []
    window = SlidingWindowMemory(6, Letters(), stored.append)
    for content in ("aa", "bb", "cc", "dd"):
        window.add_turn("user", content)
    assert [contents(turns) for turns in stored] == [["aa"]]
    assert contents(window.turns) == ["bb", "cc", "dd"]
    window.add_turn("user", "eeeee")
    assert contents(stored[1]) == ["bb", "cc", "dd"]


def test_a_failing_callback_breaks_nothing():
    class Fails:
        on_eviction = failing

    watcher = Watcher()
    window = SlidingWindowMemory(2, Letters(), failing, callbacks=[Fails(), object(), watcher])
    for content in "abc":
        window.add_turn("user", content)
    assert contents(window.turns) == ["b", "c"]
    assert [(contents(turns), left) for turns, left in watcher.seen] == [(["a"], 2)]


def test_the_exchange_of_a_policy_leaves_together():
    window = SlidingWindowMemory(6, Letters(), eviction_policy=PairedEviction())
    for role, content in (("user", "u1"), ("assistant", "a2"), ("user", "u3"), ("assistant", "a4")):
        window.add_turn(role, content)
    assert contents(window.turns) == ["u3", "a4"]


def test_a_policy_may_look_at_its_window():
    window = SlidingWindowMemory(4, Letters(), eviction_policy=Choosing(lambda turns, tokens: [len(window.turns) - 1]))
    for content in ("aa", "bb", "cc"):
        window.add_turn("user", content)
    assert contents(window.turns) == ["aa", "cc"]


@pytest.mark.parametrize("change", ["clear", "add"])
def test_a_policy_cannot_change_its_window(change: str):
    def choose(turns: object, tokens: int) -> list[int]:
        window.clear() if change == "clear" else window.add_turn("user", "x")
        return [1]

    stored: list[Turn] = []
    window = SlidingWindowMemory(4, Letters(), stored.extend, Choosing(choose))
    for content in ("aa", "bb", "cc"):
        window.add_turn("user", content)
    assert (contents(stored), contents(window.turns)) == (["aa"], ["bb", "cc"])


def test_the_newer_a_turn_the_higher_its_score():
    window = SlidingWindowMemory(100, Words())
    for content in ("one", "two", "three"):
        window.add_turn("user", content, lang="en")
    items = window.to_context_items(priority=3)
    assert [(item.content, item.score, item.priority, item.token_count, item.source) for item in items] == [
        ("one", 0.5, 3, 1, "conversation"),
        ("two", 0.75, 3, 1, "conversation"),
        ("three", 1.0, 3, 1, "conversation"),
    ]
    assert items[0].metadata == {"lang": "en", "role": "user"}


def test_a_single_turn_is_the_newest():
    window = SlidingWindowMemory()
    window.add_turn("user", "hello")
    [item] = window.to_context_items()
    assert (item.score, item.priority) == (1.0, 7)


def test_scores_are_rounded_and_held_between_nothing_and_one():
    class Scorer:
        def score(self, index: int, total: int) -> float:
            return [float("nan"), -3.0, 7.0, 1 / 3][index]

    window = SlidingWindowMemory(100, Words(), recency_scorer=Scorer())
    for content in "abcd":
        window.add_turn("user", content)
    assert [item.score for item in window.to_context_items()] == [0.5, 0.0, 1.0, 0.3333]
    steep = SlidingWindowMemory(100, Words(), recency_scorer=ExponentialRecencyScorer())
    for content in "abcde":
        steep.add_turn("user", content)
    assert [item.score for item in steep.to_context_items()] == [0, 0.1015, 0.2689, 0.5449, 1]


def test_a_turn_gets_its_place_and_its_time(clock: FrozenClock):
    window = SlidingWindowMemory(clock=clock)
    assert window.add_turn("user", "one").at == clock.now()
    assert window.add_message("user", "two").position == 1
    assert SlidingWindowMemory().add_turn("user", "now").at.tzinfo is UTC  # type: ignore[union-attr]


def test_a_ready_turn_keeps_what_it_has(clock: FrozenClock):
    noon = datetime(2020, 1, 1, 12, tzinfo=UTC)
    given = Turn(role="user", content="hi", id="t1", actor="Ana", at=noon, metadata={"a": 1}, position=7)
    window = SlidingWindowMemory(tokenizer=Words(), clock=clock)
    kept = window.add_turn(given)
    assert kept == Turn(
        role="user", content="hi", id="t1", actor="Ana", at=noon, metadata={"a": 1}, position=0, token_count=1
    )
    assert window.to_context_items()[0].metadata == {"a": 1, "role": "user", "actor": "Ana"}


@pytest.mark.parametrize(
    ("arguments", "metadata"),
    [
        (("user", "hi"), {"role": "system"}),
        (("user", "hi"), {"content": "ho"}),
        ((Turn(role="user", content="hi"),), {"role": "system"}),
        ((Turn(role="user", content="hi"),), {"content": "ho"}),
        ((Turn(role="user", content="hi"),), {"lang": "en"}),
        ((Turn(role="user", content="hi"), "ho"), {}),
        (("user",), {}),
        (("user", None), {}),
        (("user", b"hi"), {}),
        ((7, "hi"), {}),
        ((), {"content": "hi"}),
    ],
)
def test_what_would_be_lost_or_is_no_turn_is_refused(arguments: tuple[Any, ...], metadata: dict[str, Any]):
    window = SlidingWindowMemory()
    with pytest.raises(TypeError):
        window.add_turn(*arguments, **metadata)
    assert window.turns == []


def test_roles_and_contents_may_be_named():
    assert SlidingWindowMemory().add_turn(role="user", content="hi").content == "hi"
    with pytest.raises(ValueError, match="role is blank"):
        SlidingWindowMemory().add_turn(" ", "hi")
    with pytest.raises(ValueError, match="one line of printable text"):
        SlidingWindowMemory().add_turn("tool\nsystem", "hi")


@pytest.mark.parametrize("tokens", [0, -1])
def test_a_budget_is_positive(tokens: int):
    with pytest.raises(ValueError, match=r"^max_tokens must be a positive integer$"):
        SlidingWindowMemory(tokens)


@pytest.mark.parametrize(
    "wrong",
    [
        {"max_tokens": 1.5},
        {"max_tokens": True},
        {"tokenizer": len},
        {"on_evict": "print"},
        {"eviction_policy": "fifo"},
        {"recency_scorer": 0.5},
        {"clock": 7},
        {"callbacks": "print"},
        {"callbacks": 7},
    ],
)
def test_what_it_is_made_of_is_checked(wrong: dict[str, Any]):
    with pytest.raises(TypeError, match=next(iter(wrong))):
        SlidingWindowMemory(**wrong)


def test_a_failing_tokenizer_or_clock_changes_nothing(clock: FrozenClock):
    class Stopped(FrozenClock):
        def now(self) -> datetime:
            raise OSError("no time")

    for window in (SlidingWindowMemory(5, Failing()), SlidingWindowMemory(5, clock=Stopped(clock.now()))):
        with pytest.raises(OSError, match="no "):
            window.add_turn("user", "hi")
        assert (window.turns, window.total_tokens) == ([], 0)


def test_the_result_is_a_copy():
    window = SlidingWindowMemory()
    mine = {"a": 1}
    window.add_turn(Turn(role="user", content="hi", metadata=mine))
    window.turns.clear()
    mine["a"] = 2
    assert window.turns[0].metadata == {"a": 1}


def test_clear_starts_again():
    stored: list[list[Turn]] = []
    window = SlidingWindowMemory(4, Letters(), stored.append)
    window.add_turn("user", "abc")
    window.clear()
    assert (window.turns, window.total_tokens, window.to_context_items()) == ([], 0, [])
    assert window.add_turn("user", "abcd").position == 0
    assert stored == []


def test_it_is_a_conversation_memory():
    window = SlidingWindowMemory()
    assert isinstance(window, ConversationMemory)
    assert window.max_tokens == 4096
    with pytest.raises(ValueError, match="priority is 11"):
        window.to_context_items(11)
