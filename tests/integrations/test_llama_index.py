"""LlamaIndex's memory block and chat store over a memory; run where llama-index-core is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("llama_index.core")
from llama_index.core.base.llms.types import ChatMessage, ImageBlock, MessageRole, TextBlock
from llama_index.core.memory import Memory
from llama_index.core.storage.chat_store.base_db import MessageStatus
from llama_index.core.storage.chat_store.sql import SQLAlchemyChatStore

from engrain.integrations.llama_index import EngrainChatStore, EngrainMemoryBlock

ACTIVE, ARCHIVED = MessageStatus.ACTIVE, MessageStatus.ARCHIVED


def run(act: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(act())  # type: ignore[arg-type]


@pytest.fixture(params=["theirs", "ours"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return SQLAlchemyChatStore(table_name="t") if request.param == "theirs" else EngrainChatStore(tmp_path / "m.db")


def users(*texts: str) -> list[ChatMessage]:
    return [ChatMessage(role=MessageRole.USER, content=text) for text in texts]


def texts(messages: list[ChatMessage]) -> list[str | None]:
    return [each.content for each in messages]


def test_a_chat_store_keeps_messages_as_theirs_does(store: Any) -> None:
    async def act() -> None:
        whole = ChatMessage(
            role=MessageRole.ASSISTANT,
            blocks=[TextBlock(text="look\0"), ImageBlock(image=b"\x00\xff", image_mimetype="image/png")],
            additional_kwargs={"tool_calls": [{"id": "c1"}]},
        )
        await store.add_message("k", whole)
        await store.add_messages("k", users("b", "b", "c"))
        found = await store.get_messages("k")
        assert found[0] == whole
        assert texts(found[1:]) == ["b", "b", "c"]
        assert texts(await store.get_messages("k", limit=2, offset=1)) == ["b", "b"]
        assert texts(await store.archive_oldest_messages("k", 2)) == ["look\0", "b"]
        assert texts(await store.get_messages("k")) == ["b", "c"]
        assert texts(await store.get_messages("k", status=ARCHIVED)) == ["look\0", "b"]
        assert len(await store.get_messages("k", status=None)) == 4
        assert [await store.count_messages("k", status=each) for each in (ACTIVE, ARCHIVED, None)] == [2, 2, 4]
        assert texts(await store.delete_oldest_messages("k", 1)) == ["b"]
        await store.delete_messages("k", status=ARCHIVED)
        assert texts(await store.get_messages("k", status=None)) == ["c"]
        await store.set_messages("k", users("x", "y"))
        await store.add_message("other", users("z")[0])
        assert texts(await store.get_messages("k")) == ["x", "y"]
        assert sorted(await store.get_keys()) == ["k", "other"]
        await store.delete_messages("k")
        assert (await store.get_messages("k"), await store.get_keys()) == ([], ["other"])
        assert await store.delete_oldest_messages("k", 3) == await store.archive_oldest_messages("k", 3) == []

    run(act)


def test_a_message_is_deleted_by_its_place(memory: MemoryManager) -> None:
    async def act() -> None:
        store = EngrainChatStore(memory)
        await store.add_messages("k", users("a", "b", "c"))
        removed = await store.delete_message("k", 1)
        assert removed is not None
        assert removed.content == "b"
        assert [await store.delete_message("k", each) for each in (9, -1)] == [None, None]
        assert texts(await store.get_messages("k")) == ["a", "c"]

    run(act)


def test_evicted_turns_are_remembered_and_recalled(memory: MemoryManager) -> None:
    async def act() -> None:
        block = EngrainMemoryBlock(memory, token_budget=200)
        chat = Memory.from_defaults(
            session_id="monday",
            token_limit=60,
            token_flush_size=20,
            chat_history_token_ratio=0.5,
            memory_blocks=[block],
            chat_store=EngrainChatStore(memory),
            tokenizer_fn=str.split,
        )
        await chat.aput(users("Ana keeps bees in Tbilisi")[0])
        for number in range(12):
            await chat.aput(users(f"Something else that is talked about, number {number}")[0])
        kept = {each.content: each.scope.session for each in memory.iter_memories()}
        assert kept["Ana keeps bees in Tbilisi"] == "monday"
        await chat.aput(users("Where does Ana keep bees?")[0])
        shown = await chat.aget()
        assert "Ana keeps bees in Tbilisi" in str(shown[0].content)
        assert await block.aget([]) == ""

    run(act)


def test_a_block_is_cut_at_lines(memory: MemoryManager) -> None:
    block = EngrainMemoryBlock(memory, name="long", priority=2)
    assert (block.name, block.priority) == ("long", 2)
    assert asyncio.run(block.atruncate("first line\nsecond line\nthird line", 4)) == "first line"
    assert asyncio.run(block.atruncate("only line", 2)) is None
