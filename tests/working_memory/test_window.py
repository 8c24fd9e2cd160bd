"""The window of a conversation: within its budget whatever is said, the same after a reopening, and never the log."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import MemoryManager, Settings, Turn
from engrain.testing import FrozenClock
from tests.rounds import rounds

SIZES = st.lists(st.tuples(st.sampled_from(("user", "assistant", "tool", "system")), st.integers(0, 60)), max_size=40)
WINDOWS = st.fixed_dictionaries(
    {
        "window": st.sampled_from(("sliding", "summary", "progressive")),
        "strategy": st.sampled_from(("hybrid", "summarise", "truncate")),
        "eviction": st.sampled_from(("fifo", "paired", "importance")),
        "max_tokens": st.integers(1, 300),
        "threshold_fraction": st.sampled_from((0.3, 0.8, 1.0)),
        "keep_last_n": st.integers(0, 12),
    }
)


class Words:
    """A tokenizer that counts words."""

    def count_tokens(self, text: str) -> int:
        """Count them."""
        return len(text.split())

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        """Keep the first of them."""
        return " ".join(text.split()[:max_tokens])


def opened(path: Path | str = ":memory:", **working: Any) -> MemoryManager:
    """Return a memory whose tokens are words, with a window as given."""
    chosen = Settings(working=working, worker="none")
    return MemoryManager(path, session="s", embedder=None, tokenizer=Words(), settings=chosen)


def say(memory: MemoryManager, count: int, words: int = 5) -> None:
    """Let a user say `count` things of `words` words."""
    for number in range(count):
        memory.add_message("user", " ".join([f"hive{number}", *["bee"] * (words - 1)]))


def summary_of(turns: list[Turn]) -> Turn | None:
    """Return the summary among turns."""
    return next((turn for turn in turns if turn.metadata.get("is_summary")), None)


@given(said=SIZES, working=WINDOWS)
@settings(max_examples=rounds(60))
def test_the_budget_holds_the_order_holds_and_the_log_has_everything(
    said: list[tuple[str, int]], working: dict[str, Any]
) -> None:
    with opened(**working) as memory:
        for number, (role, words) in enumerate(said):
            memory.add_message(role, " ".join([f"n{number}", *["bee"] * words]))
            window = memory.get_messages()
            assert sum(turn.token_count for turn in window) == memory.working.token_count <= working["max_tokens"]
            positions = [turn.position for turn in window if not turn.metadata.get("is_summary")]
            assert all(one < other for one, other in pairwise(positions))  # type: ignore[operator]
        log = list(memory.working.history(limit=1000))
        assert [(turn.role, len(turn.content.split()) - 1) for turn in log] == said


def test_a_hybrid_window_keeps_the_system_a_summary_and_the_last_n() -> None:
    with opened(max_tokens=100, keep_last_n=10) as memory:
        memory.add_message("system", "answer briefly please now")
        say(memory, 15)
        assert summary_of(memory.get_messages()) is None  # 79 tokens
        say(memory, 1)
        system, stored, *last = memory.get_messages()
        assert system.role == "system"
        assert (stored.role, stored.metadata) == ("assistant", {"is_summary": True, "original_count": 6})
        assert len(last) == 10
        assert memory.working.summary == stored.content
        assert len(memory.working.history(limit=100)) == 17


def test_a_summary_counts_every_turn_that_it_is_for() -> None:
    with opened(max_tokens=100, keep_last_n=4) as memory:
        say(memory, 60)
        stored, *live = memory.get_messages()
        assert stored.metadata["original_count"] + len(live) == 60


def test_summarise_shows_all_but_the_system() -> None:
    with opened(max_tokens=100, strategy="summarise") as memory:
        memory.add_message("system", "answer briefly please now and always")
        say(memory, 15)
        assert [turn.role for turn in memory.get_messages()] == ["system", "assistant"]


def test_truncate_lets_go_of_the_oldest_when_the_budget_is_full() -> None:
    with opened(max_tokens=100, strategy="truncate") as memory:
        memory.add_message("system", "answer briefly")
        say(memory, 19)
        assert len(memory.get_messages()) == 20
        say(memory, 1)
        assert [turn.position for turn in memory.get_messages()] == [0, *range(2, 21)]
        assert memory.working.summary is None


def test_a_summary_window_shows_what_it_lets_go_of() -> None:
    with opened(max_tokens=80, window="summary") as memory:
        say(memory, 30)
        stored, *rest = memory.get_messages()
        assert stored.metadata["is_summary"]
        assert stored.metadata["original_count"] + len(rest) == 30


def test_a_progressive_window_keeps_tiers_and_facts() -> None:
    with opened(max_tokens=256, window="progressive") as memory:
        for number in range(40):
            memory.add_message(
                "user", f"We decided to move hive {number} behind barn {number} on May {number % 28 + 1}"
            )
        facts = [item for item in memory.working.items() if "fact_type" in item.metadata]
        assert facts
        assert memory.working.token_count <= 256
        assert memory.working.summary


def test_a_turn_larger_than_the_window_is_cut_there_and_whole_in_the_history() -> None:
    with opened(max_tokens=10, strategy="truncate") as memory:
        memory.add_message("user", " ".join(["bee"] * 15))
        (turn,) = memory.get_messages()
        assert (turn.token_count, turn.metadata["truncated"], turn.content) == (10, True, " ".join(["bee"] * 10))
        assert len(memory.working.history()[0].content.split()) == 15


def test_it_is_the_same_after_a_reopening(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", max_tokens=100) as memory:
        say(memory, 38)
        before = memory.get_messages()
    with opened(tmp_path / "m.db", max_tokens=100) as memory:
        assert memory.get_messages() == before
        say(memory, 1)
        assert memory.get_messages()[:-1] == before
        assert len(memory.working.history(limit=100)) == 39


def test_a_smaller_budget_holds_as_soon_as_it_is_set(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", max_tokens=1000) as memory:
        say(memory, 40)
    with opened(tmp_path / "m.db", max_tokens=50) as memory:
        assert memory.working.token_count <= 50
        say(memory, 1)
        assert memory.working.token_count <= 50


def test_clearing_empties_the_window_and_nothing_else() -> None:
    with opened(max_tokens=100) as memory:
        say(memory, 30)
        memory.working.clear()
        assert (memory.get_messages(), memory.working.summary, memory.working.token_count) == ([], None, 0)
        assert len(memory.working.history(limit=100)) == memory.count() == 30
        say(memory, 1)
        assert len(memory.get_messages()) == 1
        assert memory.verify_audit().ok


def test_a_forgotten_turn_leaves_the_window_and_stays_in_the_history() -> None:
    with opened(max_tokens=100) as memory:
        turn = memory.add_message("user", "my password is hunter2")
        say(memory, 1)
        memory.forget(turn.id)
        assert [each.position for each in memory.get_messages()] == [1]
        assert len(memory.working.history()) == 2
        assert memory.working.token_count == 5


def test_callbacks_receive_each_evicted_turn_once() -> None:
    seen: list[Turn] = []
    stored: list[tuple[int, str, str | None]] = []

    class Watcher:
        def on_eviction(self, turns: list[Turn], remaining_tokens: int) -> None:
            seen.extend(turns)

        def on_compaction(self, turns: list[Turn], summary: str, previous: str | None) -> None:
            stored.append((len(turns), summary, previous))
            raise RuntimeError("a watcher breaks nothing")

    chosen = Settings(working={"max_tokens": 100, "keep_last_n": 3}, worker="none")
    watcher = Watcher()
    with MemoryManager(
        ":memory:", session="s", embedder=None, tokenizer=Words(), settings=chosen, callbacks=[watcher]
    ) as memory:
        say(memory, 60)
        live = [turn.position for turn in memory.get_messages() if turn.position is not None]
        assert [turn.position for turn in seen] + live == list(range(60))
        assert sum(count for count, _, _ in stored) == len(seen)
        assert [previous for _, _, previous in stored[1:]] == [summary for _, summary, _ in stored[:-1]]


@pytest.mark.parametrize(
    "working",
    [
        {"window": "round"},
        {"max_tokens": 0},
        {"strategy": "hope"},
        {"idle_minutes": -1},
        {"keep_last_n": -1},
        {"size": 3},
    ],
)
def test_settings_that_make_no_window_are_refused(working: dict[str, Any]) -> None:
    with pytest.raises(Exception, match="working"):
        Settings(working=working)


def test_the_environment_sets_it_piece_by_piece() -> None:
    found = Settings.load(environ={"ENGRAIN_WORKING__MAX_TOKENS": "4000", "ENGRAIN_WORKING__IDLE_MINUTES": "none"})
    assert (found.working.max_tokens, found.working.idle_minutes) == (4000, None)  # type: ignore[union-attr]
    assert found.sources["working"] == "environment ENGRAIN_WORKING__IDLE_MINUTES, ENGRAIN_WORKING__MAX_TOKENS"


def test_a_model_shows_what_left_after_the_append_has_committed(clock: FrozenClock) -> None:
    class Model:
        """A model that looks into the store while it is asked."""

        memory: MemoryManager
        prompts: list[str] = []  # noqa: RUF012

        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            self.prompts.append(prompt)
            assert len(self.memory.working.history(limit=100)) == 16  # the newest is there already
            return "They spoke of a bee."

    model = Model()
    chosen = Settings(working={"max_tokens": 100}, worker="none")
    with MemoryManager(":memory:", session="s", embedder=None, tokenizer=Words(), settings=chosen, llm=model) as memory:
        model.memory = memory
        say(memory, 16)
        assert memory.working.summary == "They spoke of a bee."
        assert model.prompts


def test_a_call_larger_than_the_window_is_shown_with_its_arguments_cut() -> None:
    arguments = json.dumps({"text": " ".join(["bee"] * 500)})
    call = {"id": "c1", "type": "function", "function": {"name": "write", "arguments": arguments}}
    with opened(max_tokens=100, strategy="truncate") as memory:
        memory.add_message("assistant", "I write it down.", tool_calls=[call])
        (turn,) = memory.get_messages()
        (shown,) = turn.metadata["tool_calls"]
        assert (turn.content, turn.metadata["truncated"], turn.token_count) == ("I write it down.", True, 100)
        assert list(json.loads(shown["function"]["arguments"])) == ["truncated"]
        assert Words().count_tokens(str(shown)) <= 100
        assert memory.working.history()[0].metadata["tool_calls"] == [call]
