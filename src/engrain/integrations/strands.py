"""Strands Agents: a session repository and a memory store over a memory."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from itertools import islice
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from engrain.errors import Conflict
from engrain.integrations.opening import Memory, Opened, framework, listed, plain_text, retried, threaded
from engrain.views import Records

with framework("strands"):
    from strands.memory.types import MemoryEntry, MemoryStore
    from strands.session.session_repository import SessionRepository
    from strands.types.exceptions import SessionException
    from strands.types.session import Session, SessionAgent, SessionMessage

if TYPE_CHECKING:
    from strands.memory.types import AddMessagesContext, SearchOptions
    from strands.multiagent.base import MultiAgentBase

_COLLECTION = "strands.session"
_SESSION, _AGENT, _MESSAGE, _MANY = "session", "agent", "message", "multi_agent"


class EngrainSessionRepository(Opened, SessionRepository):
    """Sessions, agents and messages as exact records of the session `session_id` of the memory's view.

    Give it to `RepositorySessionManager(session_id, repository)`. The text of messages is remembered.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
    """

    def create_session(self, session: Session, **_: Any) -> Session:
        """Make a session; a known id is a `SessionException`."""
        self._make(session.session_id, (_SESSION,), session.to_dict())
        return session

    def read_session(self, session_id: str, **_: Any) -> Session | None:
        """Return a session, None if there is none."""
        found = self._records(session_id).get((_SESSION,))
        return None if found is None else Session.from_dict(found.value)

    def create_agent(self, session_id: str, session_agent: SessionAgent, **_: Any) -> None:
        """Make an agent of a session."""
        self._make(session_id, (_AGENT, session_agent.agent_id), session_agent.to_dict())

    def read_agent(self, session_id: str, agent_id: str, **_: Any) -> SessionAgent | None:
        """Return an agent, None if there is none."""
        found = self._records(session_id).get((_AGENT, agent_id))
        return None if found is None else SessionAgent.from_dict(found.value)

    def update_agent(self, session_id: str, session_agent: SessionAgent, **_: Any) -> None:
        """Put an agent in the place of the one with its id."""
        self._replace(session_id, (_AGENT, session_agent.agent_id), session_agent.to_dict())

    def create_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **_: Any) -> None:
        """Append a message of an agent."""
        self._make(session_id, **_written(agent_id, session_message))

    def read_message(self, session_id: str, agent_id: str, message_id: int, **_: Any) -> SessionMessage | None:
        """Return a message, None if there is none."""
        found = self._records(session_id).get(_message_key(agent_id, message_id))
        return None if found is None else SessionMessage.from_dict(found.value)

    def update_message(self, session_id: str, agent_id: str, session_message: SessionMessage, **_: Any) -> None:
        """Replace the message with the same id, and its memory."""
        self._replace(session_id, **_written(agent_id, session_message))

    def list_messages(
        self, session_id: str, agent_id: str, limit: int | None = None, offset: int = 0, **_: Any
    ) -> list[SessionMessage]:
        """Return messages of an agent, the oldest first."""
        every = listed(self._records(session_id).list, (_MESSAGE, agent_id), order="key")
        found = islice(every, offset, None if limit is None else offset + limit)
        return [SessionMessage.from_dict(each.value) for each in found]

    def create_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **_: Any) -> None:
        """Make the state of several agents."""
        self._make(session_id, (_MANY, multi_agent.id), multi_agent.serialize_state())

    def read_multi_agent(self, session_id: str, multi_agent_id: str, **_: Any) -> dict[str, Any] | None:
        """Return the state of several agents, None if there is none."""
        found = self._records(session_id).get((_MANY, multi_agent_id))
        return None if found is None else found.value

    def update_multi_agent(self, session_id: str, multi_agent: MultiAgentBase, **_: Any) -> None:
        """Put the state of several agents in the place of the one before."""
        self._replace(session_id, (_MANY, multi_agent.id), multi_agent.serialize_state())

    def delete_session(self, session_id: str) -> None:
        """Remove a session with its messages and their memories."""
        self._records(session_id).delete_all()

    def _records(self, session_id: str) -> Records:
        return self.memory.scoped(session=session_id).records(_COLLECTION)

    def _make(self, session_id: str, key: tuple[str, ...], value: Any, **more: Any) -> None:
        records = self._records(session_id)
        if key != (_SESSION,) and records.get((_SESSION,)) is None:
            raise SessionException(f"there is no session {session_id}")
        try:
            records.put(key, value, expected=0, **more)
        except Conflict:
            raise SessionException(f"session {session_id} has {' '.join(key)} already") from None

    def _replace(self, session_id: str, key: tuple[str, ...], value: Mapping[str, Any], **more: Any) -> None:
        records = self._records(session_id)

        def attempt() -> None:
            if (found := records.get(key)) is None:
                raise SessionException(f"session {session_id} has no {' '.join(key)}")
            times = {"created_at": found.value.get("created_at"), "updated_at": datetime.now(UTC).isoformat()}
            kept = times if "created_at" in found.value else {}
            records.put(key, {**value, **kept}, expected=found.revision, **more)

        retried(attempt)


class EngrainMemoryStore(Opened, MemoryStore):
    """A store for Strands' `MemoryManager`: it recalls answers to a question, and remembers added texts.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        name: The store's name in Strands. Default `engrain`.
        description: What models read about the store.
        max_search_results: How many entries a search returns at most. Default 5.
        writable: Whether Strands may add to it. Default True.
        extraction: As of Strands: True takes up messages by itself. Default False.
    """

    def __init__(
        self,
        memory: Memory,
        *,
        name: str = "engrain",
        description: str | None = "Long-term memory of facts, preferences and past conversations.",
        max_search_results: int = 5,
        writable: bool = True,
        extraction: Any = False,
    ) -> None:
        Opened.__init__(self, memory)
        self.name = name
        self.description = description
        self.max_search_results: int | None = max_search_results
        self.writable = writable
        self.extraction = extraction
        self._run = uuid4().hex

    @threaded
    def search(self, query: str, options: SearchOptions | None = None) -> list[MemoryEntry]:
        """Return the memories that answer a query, best first; nothing for a blank one."""
        if not query.strip():
            return []
        k = (options or {}).get("max_search_results") or self.max_search_results or 5
        hits = self.memory.recall(plain_text(query), k=k)
        found = ((hit.content, {**hit.memory.metadata, "id": hit.id, "score": hit.relevance}) for hit in hits)
        return [MemoryEntry(content=content, store_name=self.name, metadata=about) for content, about in found]

    @threaded
    def add(self, content: str, metadata: dict[str, Any] | None = None) -> str:
        """Remember a text, and return its id; the same text again is the same memory."""
        return self.memory.remember(content, metadata=metadata).id

    @threaded
    def add_messages(self, messages: list[Any], context: AddMessagesContext | None = None) -> None:
        """Remember the text of messages; a message that is sent again is the same memory."""
        numbers = context.sequence_numbers if context is not None else None
        items = []
        for place, message in enumerate(messages):
            if text := _text(message):
                source = "user_input" if message["role"] == "user" else "llm_generated"
                item = {"content": text, "source_type": source, "kind": "episodic"}
                if numbers is not None:  # which restart with each run, so the text is part of the key
                    digest = sha256(text.encode()).hexdigest()[:32]
                    item["key"] = f"strands:{self._run}:{numbers[place]}:{digest}"
                items.append(item)
        self.memory.remember_many(items)


def _message_key(agent_id: str, message_id: int) -> tuple[str, str, str]:
    return (_MESSAGE, agent_id, f"{message_id:012}")


def _written(agent_id: str, message: SessionMessage) -> dict[str, Any]:
    """Return a message with the text to be remembered: the remaining part if it was redacted."""
    content, key = message.to_message(), _message_key(agent_id, message.message_id)
    source = "user_input" if content["role"] == "user" else "llm_generated"
    return {"key": key, "value": message.to_dict(), "index": _text(content) or None, "source_type": source}


def _text(message: Mapping[str, Any]) -> str:
    parts = [part["text"] for part in message.get("content") or () if isinstance(part.get("text"), str)]
    return plain_text("\n".join(parts)).strip()
