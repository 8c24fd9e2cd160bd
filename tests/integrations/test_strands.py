"""Strands' session repository and memory store over a memory; run where strands-agents is installed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("strands")
from strands import Agent
from strands.memory.memory_manager import MemoryManager as StrandsMemory
from strands.memory.types import AddMessagesContext
from strands.models.model import Model
from strands.session.file_session_manager import FileSessionManager
from strands.session.repository_session_manager import RepositorySessionManager
from strands.types.exceptions import SessionException
from strands.types.session import Session, SessionAgent, SessionMessage, SessionType

from engrain.integrations.strands import EngrainMemoryStore, EngrainSessionRepository


class Scripted(Model):
    """A model that answers with the number of its call, and keeps what it is sent."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def update_config(self, **_: Any) -> None: ...

    def get_config(self) -> dict[str, Any]:
        return {}

    def structured_output(self, *_: Any, **__: Any) -> Any:
        raise AssertionError("no agent of the tests asks for it")

    async def stream(self, messages: Any, *_: Any, **__: Any) -> AsyncIterable[Any]:
        self.asked.append([part.get("text") for message in messages for part in message["content"]])
        yield {"messageStart": {"role": "assistant"}}
        yield {"contentBlockStart": {"start": {}}}
        yield {"contentBlockDelta": {"delta": {"text": f"answer {len(self.asked)}"}}}
        yield {"contentBlockStop": {}}
        yield {"messageStop": {"stopReason": "end_turn"}}


@pytest.fixture(params=["theirs", "ours"])
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    if request.param == "ours":
        return EngrainSessionRepository(tmp_path / "strands.db")
    return FileSessionManager(session_id="unused", storage_dir=str(tmp_path))


def message(number: int, text: str = "x", role: Any = "user", **more: Any) -> SessionMessage:
    return SessionMessage(message={"role": role, "content": [{"text": text}]}, message_id=number, **more)


def test_a_repository_keeps_sessions_as_theirs_does(repository: Any) -> None:
    assert repository.read_session("s") is None
    session = Session(session_id="s", session_type=SessionType.AGENT)
    repository.create_session(session)
    assert repository.read_session("s") == session
    agent = SessionAgent(agent_id="a", state={"k": [1]}, conversation_manager_state={"x": 1})
    assert repository.read_agent("s", "a") is None
    repository.create_agent("s", agent)
    assert repository.read_agent("s", "a") == agent
    made = agent.created_at
    agent.state, agent.created_at = {"k": 2}, "2020-01-01"
    repository.update_agent("s", agent)
    assert (repository.read_agent("s", "a").state, repository.read_agent("s", "a").created_at) == ({"k": 2}, made)
    picture = {"image": {"format": "png", "source": {"bytes": b"\x00\xff"}}}
    whole = SessionMessage(message={"role": "user", "content": [{"text": "look\0"}, picture]}, message_id=0)
    for each in (whole, *(message(number, str(number)) for number in range(1, 12))):
        repository.create_message("s", "a", each)
    assert repository.read_message("s", "a", 0) == whole
    assert repository.read_message("s", "a", 99) is None
    assert [each.message_id for each in repository.list_messages("s", "a")] == [*range(12)]
    assert [each.message_id for each in repository.list_messages("s", "a", limit=2, offset=9)] == [9, 10]
    changed = message(3, redact_message={"role": "user", "content": [{"text": "redacted"}]})
    repository.update_message("s", "a", changed)
    assert repository.read_message("s", "a", 3).to_message()["content"] == [{"text": "redacted"}]
    for wrong in (
        lambda: repository.create_session(session),
        lambda: repository.update_agent("s", SessionAgent(agent_id="b", state={}, conversation_manager_state={})),
        lambda: repository.update_message("s", "a", message(99)),
    ):
        with pytest.raises(SessionException):
            wrong()


def test_texts_of_messages_are_remembered_and_redacted(memory: MemoryManager) -> None:
    repository = EngrainSessionRepository(memory)
    with pytest.raises(SessionException, match="no session"):
        repository.create_agent("s", SessionAgent(agent_id="a", state={}, conversation_manager_state={}))
    repository.create_session(Session(session_id="s", session_type=SessionType.AGENT))
    repository.create_message("s", "a", message(0, "Ana keeps bees"))
    assert [each.content for each in memory.list_memories(session="s")] == ["Ana keeps bees"]
    redacted = message(0, "Ana keeps bees", redact_message={"role": "user", "content": [{"text": "[redacted]"}]})
    repository.update_message("s", "a", redacted)
    assert [each.content for each in memory.list_memories()] == ["[redacted]"]
    repository.delete_session("s")
    assert (repository.read_session("s"), memory.count(status="all")) == (None, 0)


def test_an_agent_goes_on_where_it_was(memory: MemoryManager) -> None:
    for number in (1, 2):
        sessions = RepositorySessionManager("s", EngrainSessionRepository(memory))
        model = Scripted()
        agent = Agent(model=model, agent_id="a", session_manager=sessions, callback_handler=None)
        agent(f"question {number}")
    assert model.asked == [["question 1", "answer 1", "question 2"]]


def test_a_store_recalls_and_remembers(memory: MemoryManager) -> None:
    async def act() -> None:
        store = EngrainMemoryStore(memory, max_search_results=1)
        added = await store.add("Ana keeps bees in Tbilisi", {"n": 1})
        assert await store.add("Ana keeps bees in Tbilisi") == added
        await store.add("Ana plays the cello")
        (found,) = await store.search("where does Ana keep bees?")
        assert (found.content, found.store_name) == ("Ana keeps bees in Tbilisi", "engrain")
        assert (found.metadata or {}) | {"score": 0} == {"n": 1, "id": added, "score": 0}
        assert len(await store.search("what does Ana do?", {"max_search_results": 2})) == 2
        assert await store.search(" ") == []

    asyncio.run(act())


def test_messages_that_are_sent_again_are_remembered_once(memory: MemoryManager) -> None:
    async def act() -> None:
        store = EngrainMemoryStore(memory)
        batch: list[Any] = [
            {"role": "user", "content": [{"text": "ok"}]},
            {"role": "assistant", "content": [{"toolUse": {"name": "look", "toolUseId": "t", "input": {}}}]},
            {"role": "user", "content": [{"text": "ok"}]},
        ]
        for _ in range(2):
            await store.add_messages(batch, AddMessagesContext(sequence_numbers=[0, 1, 2]))
        assert memory.count() == 2
        await store.add_messages(
            [{"role": "user", "content": [{"text": "other run"}]}], AddMessagesContext(sequence_numbers=[0])
        )
        assert memory.count() == 3

    asyncio.run(act())


def test_an_agent_is_shown_what_the_store_knows(memory: MemoryManager) -> None:
    memory.remember("Ana keeps bees in Tbilisi")
    model = Scripted()
    manager = StrandsMemory(stores=[EngrainMemoryStore(memory)])
    Agent(model=model, memory_manager=manager, callback_handler=None)("Where does Ana keep bees?")
    assert "Ana keeps bees in Tbilisi" in " ".join(filter(None, model.asked[0]))
