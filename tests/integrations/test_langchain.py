"""LangChain's history and retriever over a memory; run where langchain-core is installed."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engrain import MemoryManager

pytest.importorskip("langchain_core")
from langchain_core.messages import AIMessage, BaseMessage, ChatMessage, HumanMessage, SystemMessage, ToolMessage

from engrain.integrations.langchain import EngrainChatMessageHistory, EngrainRetriever

MESSAGES: list[BaseMessage] = [
    HumanMessage("I keep bees.", id="h1"),
    AIMessage("How many?", tool_calls=[{"name": "look", "args": {"a": 1}, "id": "c1"}]),
    ToolMessage("cold", tool_call_id="c1", artifact={"x": [1]}),
    SystemMessage("be brief"),
    HumanMessage("I keep bees.", id="h1"),
    ChatMessage("x", role="critic"),
]


def test_messages_come_back_equal_and_are_recalled(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        one, other = (EngrainChatMessageHistory(memory, session_id="monday") for _ in range(2))
        one.add_messages(MESSAGES)
        assert other.messages == asyncio.run(other.aget_messages()) == MESSAGES
        assert EngrainChatMessageHistory(memory, session_id="tuesday").messages == []
        found = EngrainRetriever(memory=memory, k=1).invoke("who keeps bees?")
        assert [document.page_content for document in found] == ["I keep bees."]
        assert len(EngrainRetriever(memory=memory, k=1).invoke("how many bees?", k=5)) > 1
        asyncio.run(one.aclear())
        assert (other.messages, memory.count(status="all")) == ([], 0)
