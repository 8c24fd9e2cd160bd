"""Chats whose messages have no role and content are read too: those of Google, and items of OpenAI's responses."""

from __future__ import annotations

import pytest

from engrain import MemoryManager


def kept(memory: MemoryManager, *messages: object) -> list[tuple[str, str | None, str]]:
    """Return the source type, actor and text of what is kept of messages."""
    found = [result.memory for result in memory.remember_messages(list(messages))]
    return [(each.source.type.value, each.actor, each.content) for each in found]


def test_parts_are_read(memory: MemoryManager) -> None:
    said = {"role": "user", "parts": [{"text": "I keep bees in Kakheti."}]}
    answered = {"role": "model", "parts": [{"function_call": {"name": "hives", "args": {"place": "Kakheti"}}}]}
    found = {"role": "user", "parts": [{"function_response": {"name": "hives", "response": {"count": 4}}}]}
    sources = kept(memory, said, answered, found)
    assert sources[0] == ("user_input", "user", "I keep bees in Kakheti.")
    assert [source for source, _, _ in sources[1:]] == ["llm_generated", "tool_result"]
    assert "hives" in sources[1][2]
    assert "4" in sources[2][2]


def test_items_of_a_response_are_read(memory: MemoryManager) -> None:
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Four hives."}]}
    call = {"type": "function_call", "call_id": "c1", "name": "hives", "arguments": "{}"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "4"}
    sources = kept(memory, call, output, text)
    assert [source for source, _, _ in sources] == ["llm_generated", "tool_result", "llm_generated"]
    assert sources[2][2] == "Four hives."


def test_an_invalid_message_is_named_by_its_number(memory: MemoryManager) -> None:
    with pytest.raises(ValueError, match="message 1 cannot be read: it needs a role"):
        memory.remember_messages([{"role": "user", "content": "I keep bees"}, {"colour": "red"}])
    assert memory.count(status="all") == 0


def test_metadata_that_is_no_mapping_is_named(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="metadata must be a mapping, not int"):
        memory.remember_messages([{"role": "user", "content": "I keep bees"}], metadata=1)  # type: ignore[arg-type]
