"""LangChain: a chat message history and a retriever over a memory, each sync and async."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from engrain.integrations.opening import ALL, Memory, Opened, awaited, framework, in_thread, plain_text
from engrain.model.memory import Turn
from engrain.model.results import Hit
from engrain.views import Working

with framework("langchain"):
    from langchain_core.callbacks import AsyncCallbackManagerForRetrieverRun, CallbackManagerForRetrieverRun
    from langchain_core.chat_history import BaseChatMessageHistory
    from langchain_core.documents import Document
    from langchain_core.messages import BaseMessage, message_to_dict, messages_from_dict
    from langchain_core.retrievers import BaseRetriever
    from pydantic import Field, PrivateAttr, SkipValidation

_ROLES = {"human": "user", "ai": "assistant", "system": "system"}


class EngrainChatMessageHistory(Opened, BaseChatMessageHistory):
    """The messages of a session: exact items in the turn log of the session `session_id` of the memory's view.

    The text of human and AI messages is remembered as any turn is; calls and their outputs are not.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        session_id: The name of the session, at most 256 characters.
    """

    def __init__(self, memory: Memory, *, session_id: str) -> None:
        super().__init__(memory)
        self.session_id = session_id

    @property
    def messages(self) -> list[BaseMessage]:
        """The messages, the oldest first."""
        return messages_from_dict([_item(turn) for turn in self._log.last(ALL)])

    def add_messages(self, messages: Sequence[BaseMessage]) -> None:
        """Append messages in one transaction: all of them, or none."""
        if turns := [_turn(message) for message in messages]:
            self._log.extend(turns)

    def clear(self) -> None:
        """Remove all messages of the session with their memories."""
        self._log.replace([])

    async def aget_messages(self) -> list[BaseMessage]:
        """The async variant of `messages`."""
        return await in_thread(lambda: self.messages)

    aadd_messages: Final = awaited(add_messages)
    aclear: Final = awaited(clear)

    @property
    def _log(self) -> Working:
        return self.memory.working(self.session_id)


class EngrainRetriever(BaseRetriever):
    """A retriever that recalls: the memories for a question as documents, best first.

    A document has the id of its memory, and score, dates, kind, source and the memory's own metadata beside its text.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        k: How many documents to return at most; a call may name another number. Default 5.
        filters: Filters of `recall`, such as `{"kinds": ["semantic"]}`.
    """

    memory: SkipValidation[Any]
    k: int = 5
    filters: dict[str, Any] = Field(default_factory=dict)
    _opened: Opened = PrivateAttr()

    def model_post_init(self, _: Any) -> None:
        """Open the memory where it is not one yet."""
        self._opened = Opened(self.memory)

    def close(self) -> None:
        """Close the memory if it was opened here."""
        self._opened.close()

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun, k: int | None = None, **filters: Any
    ) -> list[Document]:
        wanted = {**self.filters, **filters}
        return [_document(hit) for hit in self._opened.memory.recall(query, k=self.k if k is None else k, **wanted)]

    async def _aget_relevant_documents(
        self, query: str, *, run_manager: AsyncCallbackManagerForRetrieverRun, **given: Any
    ) -> list[Document]:
        return await in_thread(lambda: self._get_relevant_documents(query, run_manager=run_manager.get_sync(), **given))


def _turn(message: BaseMessage) -> Turn:
    role = _ROLES.get(message.type)
    text = plain_text(str(message.text)) if role else ""
    return Turn(role=role or "tool", content=text, data=message_to_dict(message))


def _item(turn: Turn) -> Mapping[str, Any]:
    """Return the item of a turn; of one that another program has appended its role and text."""
    if turn.data is not None:
        return turn.data  # type: ignore[no-any-return]
    kind = {"user": "human", "assistant": "ai"}.get(turn.role, turn.role)
    if kind not in _ROLES:
        return {"type": "chat", "data": {"role": turn.role, "content": turn.content}}
    return {"type": kind, "data": {"content": turn.content}}


def _document(hit: Hit) -> Document:
    memory, source = hit.memory, hit.memory.source
    times = {"recorded_at": memory.recorded_at.isoformat(), "valid_from": memory.valid_from.isoformat()}
    origin = {"source": source.ref or source.id, "trust": source.type.value}
    about = {"score": hit.score, "kind": memory.kind.value, **times, **origin}
    return Document(page_content=memory.content, id=memory.id, metadata={**memory.metadata, **about})
