"""Microsoft Agent Framework's providers over a memory; run where agent-framework-core is installed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping, Sequence
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("agent_framework")
from agent_framework import Agent, AgentSession, BaseChatClient, ChatResponse, Content, Message, SessionContext

from engrain.integrations.agent_framework import EngrainContextProvider, EngrainHistoryProvider


class Scripted(BaseChatClient):
    """A chat client that answers with the number of its call, and keeps what it is sent."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[tuple[list[str], str]] = []

    def _inner_get_response(
        self, *, messages: Sequence[Message], stream: bool, options: Mapping[str, Any], **_: Any
    ) -> Awaitable[ChatResponse] | AsyncIterable[Any]:
        self.asked.append(([each.text for each in messages], str(options.get("instructions") or "")))

        async def answer() -> ChatResponse:
            return ChatResponse(messages=[Message("assistant", [f"answer {len(self.asked)}"])])

        return answer()


def run(act: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(act())  # type: ignore[arg-type]


def test_messages_come_back_equal_and_spoken_ones_are_remembered(memory: MemoryManager) -> None:
    async def act() -> None:
        one, other = EngrainHistoryProvider(memory), EngrainHistoryProvider(memory)
        call = Content.from_function_call("c1", "look", arguments={"a": [1, None]})
        sent = [
            Message("user", ["Ana keeps bees."], author_name="Ana", message_id="m1", additional_properties={"k": 1}),
            Message("assistant", [call]),
            Message("tool", [Content.from_function_result("c1", result="cold")]),
            Message("user", ["Ana keeps bees."]),
        ]
        await one.save_messages("monday", sent)
        await one.save_messages("monday", [])
        assert [each.to_dict() for each in await other.get_messages("monday")] == [each.to_dict() for each in sent]
        assert await other.get_messages("tuesday") == []
        assert {each.content for each in memory.list_memories()} == {"Ana keeps bees."}
        for missing in (None, ""):
            with pytest.raises(ValueError, match="session_id"):
                await one.get_messages(missing)

    run(act)


def test_an_agent_has_its_history_and_what_the_memory_knows(memory: MemoryManager) -> None:
    async def act() -> None:
        memory.remember("Ana keeps bees in Tbilisi")
        client = Scripted()
        providers = [EngrainHistoryProvider(memory), EngrainContextProvider(memory, remember=False)]
        agent = Agent(client, context_providers=providers)
        session = agent.create_session(session_id="monday")
        await agent.run("Where does Ana keep bees?", session=session)
        await agent.run("And what else?", session=session)
        texts, instructions = client.asked[0]
        assert texts[-1] == "Where does Ana keep bees?"
        assert "Ana keeps bees in Tbilisi" in " ".join([*texts, instructions])
        texts, _ = client.asked[1]
        assert texts[-3:] == ["Where does Ana keep bees?", "answer 1", "And what else?"]
        assert sum(each.kind == "episodic" for each in memory.iter_memories()) == 4

    run(act)


def test_what_is_put_in_is_not_remembered(memory: MemoryManager) -> None:
    async def act() -> None:
        memory.remember("Ana keeps bees in Tbilisi")
        provider = EngrainContextProvider(memory, token_budget=200)
        session = AgentSession(session_id="monday")
        state: dict[str, Any] = {}
        asked = SessionContext(session_id="monday", input_messages=[Message("user", ["Does Ana keep bees?"])])
        asked.extend_messages("other", [Message("user", ["from another provider"])])
        await provider.before_run(agent=None, session=session, context=asked, state=state)
        assert "Tbilisi" in "".join(asked.instructions)
        await provider.after_run(agent=None, session=session, context=asked, state=state)
        assert {each.content for each in memory.list_memories()} == {"Ana keeps bees in Tbilisi", "Does Ana keep bees?"}
        memory.close()
        with pytest.raises(Exception, match="closed"):
            await provider.before_run(agent=None, session=session, context=asked, state=state)

    run(act)
