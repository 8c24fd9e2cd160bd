"""Google ADK's session service and memory service over a memory. Events come back exactly."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from typing import Any, NamedTuple
from uuid import uuid4

from engrain.integrations.opening import Memory, Opened, framework, in_thread, listed, plain_text, retried, threaded
from engrain.model.memory import Memory as Stored
from engrain.model.results import ExactRecord
from engrain.views import Records

with framework("google-adk"):
    from google.adk.errors import StaleSessionError
    from google.adk.errors.already_exists_error import AlreadyExistsError
    from google.adk.errors.session_not_found_error import SessionNotFoundError
    from google.adk.events.event import Event
    from google.adk.memory.base_memory_service import BaseMemoryService, SearchMemoryResponse
    from google.adk.memory.memory_entry import MemoryEntry
    from google.adk.sessions.base_session_service import BaseSessionService, GetSessionConfig, ListSessionsResponse
    from google.adk.sessions.session import Session
    from google.adk.sessions.state import State
    from google.genai import types

_SESSIONS, _MEMORIES = "google_adk.sessions", "google_adk.memories"
_SESSION, _EVENT, _STATE = "session", "event", "state"


class EngrainSessionService(Opened, BaseSessionService):
    """ADK's session service: sessions, events and state are exact records of the app's and the user's scope.

    `app_name` is the agent and `user_id` the user. An append is one transaction; one by a session object that is behind
    the store is a `StaleSessionError`. `app:` state belongs to all users of the app, which a memory that is bound to a
    user cannot share.

    Args:
        memory: A memory, or the store for `MemoryManager` to open.
    """

    @threaded
    def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Make a session; a known id is an `AlreadyExistsError`."""
        named = (session_id or "").strip() or str(uuid4())
        records, reaches = self._records(app_name, user_id), _reaches(state or {})
        head = {"state": reaches.session, "last_update_time": time.time()}
        self._share(app_name, reaches.app)

        def attempt() -> None:
            if records.get((_SESSION, named)) is not None:
                raise AlreadyExistsError(f"there is a session {named} already")
            put = {"op": "put", "key": (_SESSION, named), "value": head, "expected": 0}
            records.batch([put, *_merging(records, reaches.user)])

        retried(attempt)
        return self._session(app_name, user_id, self._existing(records, named))

    @threaded
    def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session with its events, or with the last of them; None if there is none."""
        records, named, asked = self._records(app_name, user_id), session_id.strip(), config or GetSessionConfig()
        found, recent, after = records.get((_SESSION, named)), asked.num_recent_events, asked.after_timestamp
        if found is None:
            return None
        where = None if after is None or recent is not None else {"timestamp": {"gte": after}}
        newest = islice(listed(records.list, (_EVENT, named), where=where, order="-position"), recent)
        events = [Event.model_validate(each.value) for each in newest][::-1]
        session = self._session(app_name, user_id, found)
        session.events = [event for event in events if after is None or event.timestamp >= after]
        return session

    @threaded
    def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """Return the sessions of a user, or of all users, without their events, the one changed last at the end."""
        records = self._records(app_name, user_id)
        heads = listed(records.list, (_SESSION,), include_narrower=user_id is None)
        found = [self._session(app_name, each.scope.user or "", each) for each in heads]
        return ListSessionsResponse(sessions=sorted(found, key=lambda each: each.last_update_time))

    @threaded
    def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Remove a session with its events; memories made of it stay."""
        records, named = self._records(app_name, user_id), session_id.strip()
        keys = [(_SESSION, named), *listed(records.keys, (_EVENT, named))]
        records.batch({"op": "delete", "key": key} for key in keys)

    @threaded
    def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state of a user in an app, without the prefix `user:`."""
        return _state(self._records(app_name, user_id))[0]

    async def append_event(self, session: Session, event: Event) -> Event:
        """Store an event and its changes of the states; partial events are not stored."""
        if event.partial:
            return event
        if (marker := await in_thread(partial(self._append, session, event))) is not None:  # else it is known
            await super().append_event(session, event)
            session.last_update_time, session._storage_update_marker = event.timestamp, marker
        return event

    def _records(self, app_name: str, user_id: str | None = None) -> Records:
        """Return the records of a user in an app, or those that all of its users share."""
        return self.memory.scoped(user=user_id, agent=app_name).records(_SESSIONS)

    def _append(self, session: Session, event: Event) -> str | None:
        """Store an event and return the session's revision; None if the event is stored already."""
        records = self._records(session.app_name, session.user_id)
        value = event.model_dump(mode="json", exclude_none=True)
        delta = value["actions"].get("state_delta", {})
        value["actions"]["state_delta"] = {k: v for k, v in delta.items() if not k.startswith(State.TEMP_PREFIX)}
        reaches = _reaches(value["actions"]["state_delta"])
        alike = [*listed(records.list, (_EVENT, session.id, event.id))]
        if any(each.value == value for each in alike):
            return None
        key = (_EVENT, session.id, event.id, *([str(len(alike))] if alike else []))

        def head() -> ExactRecord:
            found = self._existing(records, session.id)
            if session._storage_update_marker not in (None, str(found.revision)):
                raise StaleSessionError(f"session {session.id} has been modified in storage: read it again")
            return found

        def attempt() -> str:
            found = head()
            moved = {"state": {**found.value["state"], **reaches.session}, "last_update_time": event.timestamp}
            todo = [
                {"op": "put", "key": found.key, "value": moved, "expected": found.revision},
                {"op": "put", "key": key, "value": value},
                *_merging(records, reaches.user),
            ]
            return str(records.batch(todo)[0])

        head()
        self._share(session.app_name, reaches.app)
        return retried(attempt)

    def _share(self, app_name: str, state: Mapping[str, Any]) -> None:
        """Put state of the app, which all of its users share."""
        if state:
            records = self._records(app_name)
            retried(lambda: records.batch(_merging(records, state)))

    def _existing(self, records: Records, session_id: str) -> ExactRecord:
        if (found := records.get((_SESSION, session_id))) is None:
            raise SessionNotFoundError(f"there is no session {session_id}")
        return found

    def _session(self, app_name: str, user_id: str, head: ExactRecord) -> Session:
        """Return a session without its events, with the state of all reaches."""
        state = dict(head.value["state"])
        reaches = {State.APP_PREFIX: self._records(app_name), State.USER_PREFIX: self._records(app_name, user_id)}
        for prefix, records in reaches.items():
            state |= {prefix + name: value for name, value in _state(records)[0].items()}
        moved = head.value["last_update_time"]
        session = Session(id=head.key[1], app_name=app_name, user_id=user_id, state=state, last_update_time=moved)
        session._storage_update_marker = str(head.revision)
        return session


class _Reaches(NamedTuple):
    """State by how far it reaches, each without its prefix."""

    app: dict[str, Any]
    user: dict[str, Any]
    session: dict[str, Any]


def _reaches(state: Mapping[str, Any]) -> _Reaches:
    parts = _Reaches({}, {}, {})
    for name, value in state.items():
        if name.startswith(State.APP_PREFIX):
            parts.app[name.removeprefix(State.APP_PREFIX)] = value
        elif name.startswith(State.USER_PREFIX):
            parts.user[name.removeprefix(State.USER_PREFIX)] = value
        elif not name.startswith(State.TEMP_PREFIX):
            parts.session[name] = value
    return parts


def _state(records: Records) -> tuple[dict[str, Any], int]:
    found = records.get(_STATE)
    return ({}, 0) if found is None else (found.value, found.revision)


def _merging(records: Records, state: Mapping[str, Any]) -> list[dict[str, Any]]:
    known, revision = _state(records) if state else ({}, 0)
    return [{"op": "put", "key": _STATE, "value": {**known, **state}, "expected": revision}] if state else []


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

    @threaded
    def add_events_to_memory(
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
        self._add(app_name, user_id, entries)

    @threaded
    def add_memory(
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
        self._add(app_name, user_id, entries)

    @threaded
    def search_memory(self, *, app_name: str, user_id: str, query: str) -> SearchMemoryResponse:
        """Return the memories that answer a query, best first; nothing for a blank one."""
        view = self.memory.scoped(user=user_id, agent=app_name)
        hits = view.recall(query, k=self.k, min_score=self.min_score) if query.strip() else ()
        return SearchMemoryResponse(memories=[_entry(view.records(_MEMORIES), hit.memory) for hit in hits])

    @threaded
    def delete_memory(self, *, app_name: str, user_id: str, memory_id: str | None = None) -> None:
        """Remove a memory by the id that a search returned; it is not taken up again from its session."""
        if memory_id is None:
            raise ValueError("delete_memory needs the memory_id that search_memory returned")
        view = self.memory.scoped(user=user_id, agent=app_name)
        records = view.records(_MEMORIES)
        if records.get((memory_id,)) is not None:
            records.put((memory_id,), None)  # which keeps the id, and takes the text with its memory away
        else:
            view.forget(memory_id)

    def _add(self, app_name: str, user_id: str, entries: Sequence[MemoryEntry]) -> None:
        records = self.memory.scoped(user=user_id, agent=app_name).records(_MEMORIES)
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
