"""Pydantic AI's conversation store over a memory, and over Pydantic AI's own: the same conversations."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path

import anyio
import pytest
from pydantic_ai import Conversation
from pydantic_ai.conversation_store import ConversationConflict, ConversationStore, InMemoryConversationStore
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import BinaryContent, ModelMessage, ModelRequest, ModelResponse, TextPart, UserPromptPart

from engrain import MemoryManager
from engrain.integrations.pydantic_ai import EngrainConversationStore

pytestmark = pytest.mark.anyio


def spoken(*texts: str) -> list[ModelMessage]:
    """Return a user's texts, each with an answer."""
    found: list[ModelMessage] = []
    for text in texts:
        found += [ModelRequest(parts=[UserPromptPart(text)]), ModelResponse(parts=[TextPart(f"You say: {text}")])]
    return found


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    """A memory without an embedder."""
    with MemoryManager(tmp_path / "memory.db", embedder=None) as manager:
        yield manager


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest, memory: MemoryManager) -> ConversationStore:
    """Each of the two stores."""
    return InMemoryConversationStore() if request.param == "theirs" else EngrainConversationStore(memory)


async def test_a_conversation_is_saved_loaded_and_continued(store: ConversationStore) -> None:
    first = Conversation(conversation_id="c", messages=spoken("I keep bees.", "In Tbilisi."))
    assert len(await store.save(first, scope="ana")) == 4
    loaded = await store.load("c")
    assert loaded is not None
    assert list(loaded.messages) == list(first.messages)
    loaded.messages.extend(spoken("And cats."))
    assert len(await store.save(loaded)) == 2
    window = await store.load("c", limit=1)
    assert window is not None
    assert [part.content for part in window.messages[0].parts if isinstance(part, TextPart)] == ["You say: And cats."]
    assert (await store.load("c", scope="bo"), await store.load("none")) == (None, None)
    with pytest.raises(ConversationConflict):
        await store.save(first)
    with pytest.raises(UserError):
        await store.load("c", limit=-1)


async def test_bytes_in_messages_come_back(store: ConversationStore) -> None:
    picture = BinaryContent(data=bytes(range(256)), media_type="application/pdf")
    await store.save(
        Conversation(conversation_id="c", messages=[ModelRequest(parts=[UserPromptPart([picture, "this"])])])
    )
    loaded = await store.load("c")
    assert loaded is not None
    assert loaded.messages[0].parts[0].content == [picture, "this"]  # type: ignore[union-attr]


async def test_branches_and_forks_share_what_came_before(store: ConversationStore) -> None:
    await store.save(Conversation(conversation_id="c", messages=spoken("one", "two")))
    (record,) = await store.read_records()
    branched = await store.branch("c", at=2, expected_revision=record.revision)
    branched.messages.extend(spoken("other"))
    await store.save(branched)
    entries = await store.load_entries("c")
    assert entries is not None
    forked = await store.fork("c", new_conversation_id="d")
    assert list(forked.messages) == list(branched.messages)
    assert [each.conversation_id for each in await store.read_records()] == ["d", "c"]
    await store.delete("c")
    kept = await store.load("d")
    assert kept is not None
    assert list(kept.messages) == list(branched.messages)
    await store.delete("d")
    with pytest.raises(LookupError):
        await store.read_entry(entries[0].id)
    assert await store.read_records() == []


async def test_conversations_are_listed_by_scope_the_last_saved_first(store: ConversationStore) -> None:
    for number, scope in enumerate(("ana", "bo", "ana")):
        await store.save(Conversation(conversation_id=str(number), messages=spoken("hello")), scope=scope)
    assert [each.conversation_id for each in await store.list_conversations(scope="ana")] == ["2", "0"]
    assert [each.conversation_id for each in await store.list_conversations(limit=2)] == ["2", "1"]


async def test_a_turn_is_remembered_and_goes_with_its_conversation(memory: MemoryManager) -> None:
    store = EngrainConversationStore(memory)
    await store.save(Conversation(conversation_id="c", messages=spoken("I keep bees in Tbilisi.")))
    hits = memory.recall("where are the bees?")
    assert {hit.memory.source.type.value for hit in hits} <= {"user_input", "llm_generated"}
    assert len(hits) > 0
    await store.delete("c")
    assert (memory.count(status="all"), memory.stats().records) == (0, {})


def test_of_two_saves_at_once_one_is_refused(memory: MemoryManager) -> None:
    store, refused = EngrainConversationStore(memory), list[Exception]()

    def save(number: int) -> None:
        try:
            anyio.run(store.save, Conversation(conversation_id="c", messages=spoken(f"number {number}")))
        except ConversationConflict as error:
            refused.append(error)

    threads = [threading.Thread(target=save, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(refused) == 3
