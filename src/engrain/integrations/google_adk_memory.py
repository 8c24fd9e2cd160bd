"""Google ADK's memory service over a memory. The content of events comes back exactly."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from uuid import uuid4

from engrain.integrations.opening import Memory, Opened, framework, in_thread, plain_text, retried
from engrain.model.memory import Memory as Stored
from engrain.views import Records

with framework("google-adk"):
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.session import Session
    from google.genai import types

_MEMORIES = "google_adk.memories"


class EngrainMemoryService(Opened, BaseMemoryService):
    """ADK's memory service: the content of events is recalled by words and meaning, and comes back exactly.

    An event is known by its id, so a session may be added again and again. What else the memory holds of the app's and
    the user's scope is found too, as text.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
        k: How many memories a search returns at most. Default 10.
        min_score: The lowest relevance of what a search returns, 0 to 1. Default 0, no limit.
    """

    def __init__(self, memory: Memory, *, k: int = 10, min_score: float = 0.0) -> None:
        Opened.__init__(self, memory)
        self.k = k
        self.min_score = min_score

    async def add_session_to_memory(self, session: Session) -> None:
        """Remember the events of a session that are not known yet."""
        await self.add_events_to_memory(
            app_name=session.app_name, user_id=session.user_id, events=session.events, session_id=session.id
        )

    async def add_events_to_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        events: Sequence[Event],
        session_id: str | None = None,
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember those of some events that are not known yet and have words."""
        entries = [
            MemoryEntry(
                id=event.id,
                content=event.content,
                author=event.author,
                timestamp=datetime.fromtimestamp(event.timestamp, UTC).isoformat(),
                custom_metadata={**(custom_metadata or {}), **({"session_id": session_id} if session_id else {})},
            )
            for event in events
            if event.content is not None and not event.partial
        ]
        await in_thread(partial(self._add, app_name, user_id, entries))

    async def add_memory(
        self,
        *,
        app_name: str,
        user_id: str,
        memories: Sequence[MemoryEntry],
        custom_metadata: Mapping[str, object] | None = None,
    ) -> None:
        """Remember entries; one with the id of a known one is that one."""
        more = dict(custom_metadata or {})
        entries = [
            each.model_copy(update={"id": each.id or str(uuid4()), "custom_metadata": {**more, **each.custom_metadata}})
            for each in memories
        ]
        await in_thread(partial(self._add, app_name, user_id, entries))

    async def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the memories that answer a query, best first; nothing for a blank one."""
        return await in_thread(partial(self._search, app_name, user_id, query))

    async def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Remove a memory by the id that a search returned; it is not taken up again from its session."""
        if memory_id is None:
            raise ValueError("delete_memory needs the memory_id that search_memory returned")
        await in_thread(partial(self._withdraw, app_name, user_id, memory_id))

    def _records(self, app_name: str, user_id: str) -> Records:
        return self.memory.scoped(user=user_id, agent=app_name).records(_MEMORIES)

    def _add(self, app_name: str, user_id: str, entries: Sequence[MemoryEntry]) -> None:
        records = self._records(app_name, user_id)
        wanted = {each.id: (each, text) for each in entries if (text := plain_text(_words(each.content))).strip()}

        def attempt() -> None:
            found = records.batch({"op": "get", "key": (each,)} for each in wanted)
            new = [each for each, known in zip(wanted.values(), found, strict=True) if known is None]
            records.batch(
                {
                    "op": "put",
                    "key": (entry.id,),
                    "value": entry.model_dump(mode="json", exclude_none=True),
                    "index": text,
                    "source_type": "user_input" if entry.author == "user" else "llm_generated",
                    "expected": 0,
                }
                for entry, text in new
            )

        retried(attempt)

    def _search(self, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        view, records = self.memory.scoped(user=user_id, agent=app_name), self._records(app_name, user_id)
        hits = view.recall(query, k=self.k, min_score=self.min_score) if query.strip() else ()
        return SearchMemoryResponse(memories=[_entry(records, hit.memory) for hit in hits])

    def _withdraw(self, app_name: str, user_id: str, memory_id: str) -> None:
        view, records = self.memory.scoped(user=user_id, agent=app_name), self._records(app_name, user_id)
        if records.get((memory_id,)) is not None:
            records.put((memory_id,), None)  # which keeps the id, and takes the text with its memory away
        else:
            view.forget(memory_id)


def _words(content: types.Content) -> str:
    return "\n".join(part.text for part in content.parts or () if part.text and not part.thought)


def _entry(records: Records, memory: Stored) -> MemoryEntry:
    """Return a memory as it was added; one of another origin by its text."""
    found = records.get((memory.source.ref,)) if memory.source.id == _MEMORIES else None
    if found is not None and found.value is not None:
        return MemoryEntry.model_validate(found.value)
    content = types.Content(parts=[types.Part(text=memory.content)])
    when = memory.valid_from.isoformat()
    return MemoryEntry(id=memory.id, content=content, author=memory.actor, timestamp=when, custom_metadata={})
