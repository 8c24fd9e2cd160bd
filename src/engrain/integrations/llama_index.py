"""LlamaIndex: a memory block and a chat store over a memory."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any
from uuid import uuid4

from engrain.integrations.opening import Memory, Opened, framework, listed, plain_text, threaded
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("llama-index"):
    from llama_index.core.base.llms.types import ChatMessage
    from llama_index.core.memory import BaseMemoryBlock
    from llama_index.core.storage.chat_store.base_db import AsyncDBChatStore, MessageStatus
    from pydantic import PrivateAttr, SkipValidation

_COLLECTION = "llama_index.messages"
_SPOKEN = ("user", "assistant")


class EngrainMemoryBlock(BaseMemoryBlock[str]):
    """A memory block: messages that leave the short-term memory are remembered, and relevant memories are inserted.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        token_budget: How many tokens the block may have. Default 1000.
        **more: Fields of LlamaIndex's blocks: `name`, `description`, `priority`, `accept_short_term_memory`.
    """

    memory: SkipValidation[Any]
    token_budget: int = 1000
    name: str = "engrain"
    _opened: Opened = PrivateAttr()

    def __init__(self, memory: Memory, **more: Any) -> None:
        super().__init__(memory=memory, **more)
        self._opened = Opened(memory)

    def close(self) -> None:
        """Close the memory if it was opened here."""
        self._opened.close()

    @threaded
    def _aget(self, messages: list[ChatMessage] | None = None, **_: Any) -> str:
        asked = next((text for m in reversed(messages or []) if m.role == "user" and (text := _text(m)).strip()), "")
        if not asked:
            return ""
        return self._opened.memory.context(asked, token_budget=self.token_budget)

    @threaded
    def _aput(self, messages: list[ChatMessage]) -> None:
        turns = [(m.additional_kwargs.get("session_id"), m.role.value, _text(m)) for m in messages if m.role in _SPOKEN]
        for session in dict.fromkeys(name for name, _, text in turns if text.strip()):
            texts = [{"role": role, "content": text} for name, role, text in turns if name == session and text.strip()]
            self._opened.memory.remember_messages(texts, session=session)

    async def atruncate(self, content: str, tokens_to_truncate: int) -> str | None:
        """Return a block without as many last lines as have that many tokens, None if none is left."""
        kept = content[: max(len(content) - 4 * tokens_to_truncate, 0)]
        return kept[: kept.rfind("\n")] if "\n" in kept else None


class EngrainChatStore(AsyncDBChatStore):
    """A chat store for LlamaIndex's `Memory`: messages are exact records of the memory's view, active or archived.

    Nothing of it is searched: that is what `EngrainMemoryBlock` is for.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
    """

    memory: SkipValidation[Any]
    _opened: Opened = PrivateAttr()

    def __init__(self, memory: Memory, **more: Any) -> None:
        super().__init__(memory=memory, **more)
        self._opened = Opened(memory)

    def close(self) -> None:
        """Close the memory if it was opened here."""
        self._opened.close()

    @threaded
    def get_messages(
        self,
        key: str,
        status: MessageStatus | None = MessageStatus.ACTIVE,
        limit: int | None = None,
        offset: int | None = None,
    ) -> list[ChatMessage]:
        """Return messages of a key, the oldest first."""
        start = offset or 0
        end = None if limit is None else start + limit
        return [*map(_message, islice(self._all(key, status), start, end))]

    @threaded
    def count_messages(self, key: str, status: MessageStatus | None = MessageStatus.ACTIVE) -> int:
        """Count the messages of a key."""
        return sum(1 for _ in self._all(key, status))

    async def add_message(self, key: str, message: ChatMessage, status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Append a message."""
        await self.add_messages(key, [message], status)

    @threaded
    def add_messages(self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Append messages in one transaction."""
        self._records.batch(_puts(key, messages, status))

    @threaded
    def set_messages(self, key: str, messages: list[ChatMessage], status: MessageStatus = MessageStatus.ACTIVE) -> None:
        """Put messages in the place of all messages of a key, in one transaction."""
        self._records.batch([*_deletes(self._all(key)), *_puts(key, messages, status)])

    @threaded
    def delete_message(self, key: str, idx: int) -> ChatMessage | None:
        """Remove the message at an index, counted from the oldest, and return it; None if there is none."""
        found = self._take(islice(self._all(key), idx, idx + 1) if idx >= 0 else ())
        return found[0] if found else None

    @threaded
    def delete_messages(self, key: str, status: MessageStatus | None = None) -> None:
        """Remove the messages of a key."""
        self._take(self._all(key, status))

    @threaded
    def delete_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Remove the oldest active messages of a key, and return them."""
        return self._take(islice(self._all(key, MessageStatus.ACTIVE), n))

    @threaded
    def archive_oldest_messages(self, key: str, n: int) -> list[ChatMessage]:
        """Archive the oldest active messages of a key, and return them."""
        found = [*islice(self._all(key, MessageStatus.ACTIVE), n)]
        status = MessageStatus.ARCHIVED.value
        self._records.batch({"op": "put", "key": e.key, "value": {**e.value, "status": status}} for e in found)
        return [*map(_message, found)]

    @threaded
    def get_keys(self) -> list[str]:
        """Return all keys."""
        return [key for (key,) in listed(self._records.keys, depth=1)]

    @property
    def _records(self) -> Records:
        return self._opened.memory.records(_COLLECTION)

    def _all(self, key: str, status: MessageStatus | None = None) -> Iterator[ExactRecord]:
        where = None if status is None else {"status": status.value}
        return listed(self._records.list, (key,), where=where, order="position")

    def _take(self, records: Iterable[ExactRecord]) -> list[ChatMessage]:
        found = [*records]
        self._records.batch(_deletes(found))
        return [*map(_message, found)]


def _puts(key: str, messages: Sequence[ChatMessage], status: MessageStatus) -> list[dict[str, Any]]:
    values = [{"status": status.value, "message": message.model_dump(mode="json")} for message in messages]
    return [{"op": "put", "key": (key, uuid4().hex), "value": value, "expected": 0} for value in values]


def _deletes(records: Iterable[ExactRecord]) -> list[dict[str, Any]]:
    return [{"op": "delete", "key": each.key} for each in records]


def _message(record: ExactRecord) -> ChatMessage:
    return ChatMessage.model_validate(record.value["message"])


def _text(message: ChatMessage) -> str:
    return plain_text(message.content or "")
