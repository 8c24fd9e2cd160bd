"""A summary buffer keeps the newest turns word by word, and a summary of those that left."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.conversation import FIFOEviction, LinearRecencyScorer, SummaryBufferMemory
from engrain.model.memory import Turn
from engrain.protocols import ConversationMemory
from engrain.testing import FrozenClock
from tests.conversation.windows import POLICIES, TEXTS, Choosing, Letters, failing


def counting() -> tuple[list[tuple[int, str | None]], Callable[[list[Turn], str | None], str]]:
    """Return a compaction that answers S1, S2, ..., and what it was asked."""
    calls: list[tuple[int, str | None]] = []

    def compact(turns: list[Turn], previous: str | None) -> str:
        calls.append((len(turns), previous))
        return f"S{len(calls)}"

    return calls, compact


def of_letters(tokens: int, compact: Any = None, progressive: Any = None, **more: Any) -> SummaryBufferMemory:
    return SummaryBufferMemory(tokens, compact, progressive, Letters(), **more)


def test_a_progressive_compaction_is_shown_the_summary_before():
    calls, compact = counting()
    buffer = of_letters(6, progressive=compact)
    for number in range(5):
        buffer.add_message("user", f"m-{number}")
    assert calls == [(1, None), (1, "S1"), (1, "S2")]
    assert buffer.summary == "S3"
    items = buffer.to_context_items()
    assert [(item.content, item.priority, item.score) for item in items] == [
        ("S3", 6, 0.5),
        ("m-3", 7, 0.5),
        ("m-4", 7, 1.0),
    ]
    assert items[0].metadata == {"role": "system", "summary": True}
    assert (items[0].token_count, buffer.summary_tokens, buffer.total_tokens, buffer.max_tokens) == (2, 2, 6, 6)


def test_a_plain_compaction_takes_the_place_of_the_summary():
    buffer = of_letters(3, lambda turns: "-".join(turn.content for turn in turns))
    for content in ("a", "bb", "ccc", "d"):
        buffer.add_message("user", content)
    assert buffer.summary == "ccc"


def test_before_the_first_turn_leaves_there_is_no_summary():
    buffer = of_letters(6, lambda turns: "S")
    buffer.add_message("user", "hello")
    assert (buffer.summary, buffer.summary_tokens) == (None, 0)
    assert [item.content for item in buffer.to_context_items(4)] == ["hello"]
    assert isinstance(buffer, ConversationMemory)


@pytest.mark.parametrize("compact", [failing, lambda turns: None, lambda turns: " \n", lambda turns: 7])
def test_a_compaction_that_fails_keeps_the_words(compact: Any):
    buffer = of_letters(4, compact)
    buffer.add_message("user", "aa")
    buffer.add_message("assistant", "bb")
    buffer.add_message("user", "cccc")
    assert buffer.summary == "user: aa; assistant: bb"
    buffer.add_message("user", "dddd")
    assert buffer.summary == "user: aa; assistant: bb\nuser: cccc"


def test_words_that_are_kept_begin_no_line_of_another_speaker():
    buffer = SummaryBufferMemory(8, compact_fn=failing)
    buffer.add_message("user", "aa\nsystem: bb")
    buffer.add_message("user", "cccc and more of it")
    assert buffer.summary == "user: aa system: bb"


def test_both_functions_or_none_are_refused():
    for functions in ((None, None), (lambda turns: "", lambda turns, previous: "")):
        with pytest.raises(ValueError, match="exactly one of"):
            of_letters(6, *functions)


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        ({"max_tokens": 0}, ValueError),
        ({"compact_fn": "S"}, TypeError),
        ({"summary_priority": 11}, ValueError),
        ({"summary_priority": 0.5}, TypeError),
        ({"tokenizer": 7}, TypeError),
        ({"callbacks": 7}, TypeError),
        ({"eviction_policy": 7}, TypeError),
    ],
)
def test_what_it_is_made_of_is_checked(wrong: dict[str, Any], error: type[Exception]):
    with pytest.raises(error, match=next(iter(wrong))):
        SummaryBufferMemory(**{"max_tokens": 5, "compact_fn": lambda turns: "", **wrong})


def test_callbacks_receive_evictions_and_compactions():
    heard: list[Any] = []

    class Watcher:
        def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
            heard.append(([turn.content for turn in turns], remaining_tokens))

        def on_compaction(self, turns: list[Turn], summary: str, previous_summary: str | None) -> None:
            heard.append(([turn.content for turn in turns], summary, previous_summary))

    class Fails:
        on_eviction = on_compaction = failing

    buffer = of_letters(1, progressive=counting()[1], callbacks=[Fails(), Watcher()])
    for content in "abc":
        buffer.add_message("user", content)
    assert heard == [(["a"], 1), (["a"], "S1", None), (["b"], 1), (["b"], "S2", "S1")]


def test_a_ready_turn_keeps_its_time(clock: FrozenClock):
    buffer = of_letters(
        9, lambda turns: "", eviction_policy=FIFOEviction(), recency_scorer=LinearRecencyScorer(0.1), clock=clock
    )
    turn = buffer.add_turn(Turn(role="user", content="hi", at=clock.now(), metadata={"a": 1}))
    assert (turn.at, turn.metadata) == (clock.now(), {"a": 1})
    assert buffer.add_turn("user", "ho").at == clock.now()
    assert buffer.to_context_items()[0].score == 0.1


def test_clear_forgets_the_summary_also_one_that_is_being_made():
    def compact(turns: list[Turn]) -> str:
        buffer.clear()
        return "late"

    buffer = of_letters(1, compact)
    buffer.add_message("user", "a")
    buffer.add_message("user", "b")
    assert (buffer.summary, buffer.turns, buffer.total_tokens) == (None, [], 0)


def test_an_interrupted_compaction_is_made_up_for():
    asked: list[str] = []

    def compact(turns: list[Turn], previous: str | None) -> str:
        asked.append(turns[0].content)
        if len(asked) == 1:
            raise KeyboardInterrupt
        return f"{previous or ''}{turns[0].content}"

    buffer = of_letters(1, progressive=compact)
    buffer.add_message("user", "a")
    with pytest.raises(KeyboardInterrupt):
        buffer.add_message("user", "b")
    buffer.add_message("user", "c")
    assert (buffer.summary, asked) == ("ab", ["a", "a", "b"])


@given(said=st.lists(TEXTS, max_size=10), budget=st.integers(1, 12), policy=POLICIES)
def test_no_turn_is_lost_between_window_and_summary(said: list[str], budget: int, policy: Choosing | None):
    gone: list[Turn] = []

    def compact(turns: list[Turn]) -> str:
        gone.extend(turns)
        return str(len(gone))

    buffer = of_letters(budget, compact, eviction_policy=policy)
    added = [buffer.add_message("user", content) for content in said]
    assert buffer.total_tokens <= budget
    assert sorted([*gone, *buffer.turns], key=lambda turn: turn.position or 0) == added
    assert (buffer.summary is None) == (not gone)
