"""A session of the OpenAI Agents SDK over a memory; run where the SDK is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("agents")
from engrain.integrations.openai_agents import EngrainSession

pytestmark = pytest.mark.parametrize("memory", ["library", "client"], indirect=True)
ITEMS: list[Any] = [
    {"role": "user", "content": "I keep bees in Tbilisi."},
    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": "{}"},
    {"type": "function_call_output", "call_id": "c1", "output": "cold \x00"},
    {"role": "assistant", "content": [{"type": "output_text", "text": "How many hives?", "annotations": []}]},
]


def test_items_come_back_and_only_spoken_ones_are_remembered(memory: MemoryManager) -> None:
    async def act(session: EngrainSession) -> None:
        await session.add_items(ITEMS)
        await session.add_items([])
        assert await session.get_items() == ITEMS
        assert [await session.get_items(n) for n in (2, 0, -1)] == [ITEMS[2:], [], []]
        assert {memory.content for memory in session.memory.list_memories()} == {
            "I keep bees in Tbilisi.",
            "How many hives?",
        }
        assert await session.pop_item() == ITEMS[-1]
        assert session.memory.count(status="all") == 1
        await session.clear_session()
        assert (await session.get_items(), await session.pop_item()) == ([], None)
        assert session.memory.count(status="all") == 0
        session.close()
        with pytest.raises(RuntimeError, match="closed"):
            await session.add_items(ITEMS)

    asyncio.run(act(EngrainSession(memory, session_id="monday")))
    assert memory.working("monday").last(9) == []
