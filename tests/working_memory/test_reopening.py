"""A conversation opened under other settings, or with a damaged state, is still read and bounded."""

from __future__ import annotations

from itertools import product
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from tests.rows import behind

WINDOWS = tuple(product(("sliding", "summary", "progressive"), ("hybrid", "truncate"), (600, 40, 8)))
SAID = "Decision {}: Ana moved hive {} to Kutaisi on 3 May 2024, and she prefers honey."


def opened(place: Path, window: str = "sliding", strategy: str = "hybrid", tokens: int = 100) -> MemoryManager:
    working = {"window": window, "strategy": strategy, "max_tokens": tokens}
    chosen = Settings(worker="none", durability="normal", remember_turns=False, working=working)
    return MemoryManager(place, session="s", embedder=None, settings=chosen)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "before", [("progressive", "hybrid", 600), ("sliding", "hybrid", 600), ("summary", "hybrid", 40)]
)
def test_a_window_opened_under_other_settings_holds_its_budget_at_once(
    tmp_path: Path, before: tuple[str, str, int]
) -> None:
    with opened(tmp_path / "m.db", *before) as memory:
        for number in range(40):
            memory.add_message("user", SAID.format(number, number))
        assert memory.working.summary is not None
    for window, strategy, tokens in WINDOWS:
        with opened(tmp_path / "m.db", window, strategy, tokens) as memory:
            assert memory.working.token_count <= tokens
            memory.add_message("user", "Hello there, Ana.")
            assert memory.working.token_count <= tokens


def test_what_is_stated_at_a_level_that_is_no_more_joins_another(tmp_path: Path) -> None:
    with opened(tmp_path / "m.db", "progressive", "hybrid", 300) as memory:
        for number in range(40):
            memory.add_message("user", SAID.format(number, number))
        before = memory.get_messages()[0]
    with opened(tmp_path / "m.db", "sliding", "hybrid", 3000) as memory:
        after = memory.get_messages()[0]
    assert before.metadata["original_count"] == after.metadata["original_count"] > 0
    assert after.content == before.content


@pytest.mark.parametrize(
    "state",
    [
        "[]",
        "null",
        "3",
        '"x"',
        '{"summaries": 3}',
        '{"summaries": [3], "facts": [{"content": "a", "fact_type": "nothing"}, {"content": 5}]}',
        '{"summaries": [{"content": "no level"}, {"level": "1"}, {"level": 1, "content": 5}]}',
        '{"summaries": [{"level": 1, "content": "a", "token_count": -9000, "source_turn_count": null}]}',
    ],
)
def test_a_state_that_makes_no_sense_is_as_none(tmp_path: Path, state: str) -> None:
    with opened(tmp_path / "m.db") as memory:
        memory.add_message("user", "I keep bees.")
    with behind(tmp_path / "m.db") as connection:
        connection.execute("INSERT INTO summary (conversation, state) SELECT num, ? FROM conversation", (state,))
    with opened(tmp_path / "m.db") as memory:
        assert [turn.content for turn in memory.get_messages()] == ["I keep bees."]
        for number in range(12):
            memory.add_message("user", SAID.format(number, number))
        assert memory.working.token_count <= 100
        assert len(memory.working.history()) == 13
        assert memory.end_session().memories
