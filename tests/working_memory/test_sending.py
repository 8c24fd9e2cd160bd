"""Messages that are sent hold the budget as they are sent, with what became text because its other half is gone."""

from __future__ import annotations

import json
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.text import OfflineTokenizer

CALL = {"type": "function", "function": {"name": "look", "arguments": '{"place": "Kutaisi"}'}}


def counted(message: dict[str, Any]) -> int:
    """Return the tokens of what a message says and calls."""
    said, calls = message["content"] or "", message.get("tool_calls")
    return OfflineTokenizer().count_tokens(f"{said}\n{json.dumps(calls)}" if calls else said)


@pytest.mark.matrix
@pytest.mark.parametrize("tokens", [5, 60, 400])
def test_no_budget_is_exceeded_by_messages(tokens: int) -> None:
    chosen = Settings(worker="none", working={"max_tokens": tokens, "keep_last_n": 2})
    with MemoryManager(":memory:", session="s", embedder=None, settings=chosen) as memory:
        for number in range(8):
            memory.add_message("assistant", None, tool_calls=[{"id": f"c{number}", **CALL}])
            memory.add_message("tool", "rain" if number % 2 else "", tool_call_id=f"c{number}")
            memory.add_message("user", f"I keep {number} bees in Kutaisi.")
        for budget in (*range(60), 100, 200, 1000):
            sent: Any = memory.assemble("bees", token_budget=budget, format="openai")
            assert sum(counted(message) for message in sent) <= budget
