"""LangChain's agent middleware over a memory; run where langchain is installed."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("langchain.agents")
from langchain.agents import create_agent
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langgraph.checkpoint.memory import InMemorySaver

from engrain.integrations.langchain_agents import EngrainMiddleware

ASKED = {"messages": [{"role": "user", "content": "Where does Ana keep bees?"}]}
MONDAY: Any = {"configurable": {"thread_id": "monday"}}


class Scripted(GenericFakeChatModel):
    """A model that answers from a list, and keeps what it is sent."""

    asked: list[list[BaseMessage]]

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> Any:
        self.asked.append(messages)
        return super()._generate(messages, *args, **kwargs)

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self


def look(place: str) -> str:
    """Look at a place."""
    return f"{place} is cold"


def answers() -> list[AIMessage]:
    call = {"name": "look", "args": {"place": "Tbilisi"}, "id": "c1"}
    return [AIMessage("", tool_calls=[call]), AIMessage("In Tbilisi."), AIMessage("Nothing.")]


@pytest.mark.parametrize("is_async", [False, True])
def test_an_agent_knows_and_remembers(memory: MemoryManager, is_async: bool) -> None:
    memory.remember("Ana keeps bees in Tbilisi")
    model = Scripted(messages=iter(answers()), asked=[])
    agent = create_agent(
        model,
        tools=[look],
        system_prompt="Be brief.",
        middleware=[EngrainMiddleware(memory, kinds=["semantic"])],
        checkpointer=InMemorySaver(),
    )

    def ask(messages: Any) -> Any:
        return asyncio.run(agent.ainvoke(messages, MONDAY)) if is_async else agent.invoke(messages, MONDAY)

    shown = ask(ASKED)
    assert [each.type for each in shown["messages"]] == ["human", "ai", "tool", "ai"]
    assert "engrain_context" not in shown
    for sent in model.asked:
        assert sent[0].type == "system"
        assert all(part in str(sent[0].text) for part in ("Be brief.", "Ana keeps bees in Tbilisi"))
    assert {each.content for each in memory.list_memories(session="monday")} == {
        "Where does Ana keep bees?",
        "In Tbilisi.",
    }
    ask({"messages": [{"role": "user", "content": "What else?"}]})
    assert [each.content for each in memory.list_memories(session="monday")][:2] == ["Nothing.", "What else?"]
    assert memory.count() == 5


def test_a_failing_memory_raises(memory: MemoryManager) -> None:
    agent = create_agent(Scripted(messages=iter(answers()), asked=[]), middleware=[EngrainMiddleware(memory)])
    memory.close()
    with pytest.raises(Exception, match="closed"):
        agent.invoke(ASKED)  # type: ignore[arg-type]
