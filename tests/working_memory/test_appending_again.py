"""A message with a time is appended once, whatever it says, and two messages of one moment stay two."""

from __future__ import annotations

from typing import Any

from engrain import MemoryManager


def call(name: str) -> dict[str, Any]:
    return {"id": name, "type": "function", "function": {"name": "look", "arguments": "{}"}}


CHAT = [
    {"role": "system", "content": "Be kind.", "at": "2026-01-01T10:00:00Z"},
    {"role": "assistant", "content": None, "tool_calls": [call("a"), call("b")], "at": "2026-01-01T10:00:00Z"},
    {"role": "tool", "tool_call_id": "a", "content": "ok", "at": "2026-01-01T10:00:01Z"},
    {"role": "tool", "tool_call_id": "b", "content": "ok", "at": "2026-01-01T10:00:01Z"},
    {"role": "user", "content": "", "at": "2026-01-01T10:00:02Z"},
]


def test_a_chat_that_is_appended_again_is_there_once(memory: MemoryManager) -> None:
    first = memory.working("s").extend(CHAT)
    again = memory.working("s").extend(CHAT)
    assert [turn.id for turn in again] == [turn.id for turn in first]
    assert [turn.id for turn in memory.working("s").history()] == [turn.id for turn in first]
    assert len({turn.id for turn in first}) == len(CHAT)


def test_it_is_known_again_when_its_memory_says_something_else_by_now(memory: MemoryManager) -> None:
    said = {"role": "user", "content": "I keep bees.", "at": "2026-01-01T10:00:00Z"}
    (turn,) = memory.working("s").extend([said])
    memory.update(turn.id, content="I keep bees and goats.")
    assert memory.working("s").extend([said])[0].id == turn.id
    memory.forget(turn.id)
    assert memory.working("s").extend([said])[0].id == turn.id
    assert len(memory.working("s").history()) == 1
    assert memory.stats().notes_created == 1
