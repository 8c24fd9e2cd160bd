"""Google ADK's services over a memory; run where google-adk is installed."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager

pytest.importorskip("google.adk")
from google.adk.errors import StaleSessionError
from google.adk.errors.already_exists_error import AlreadyExistsError
from google.adk.errors.session_not_found_error import SessionNotFoundError
from google.adk.events.event import Event
from google.adk.events.event_actions import EventActions
from google.adk.memory.memory_entry import MemoryEntry
from google.adk.sessions import InMemorySessionService
from google.adk.sessions.base_session_service import GetSessionConfig
from google.genai import types

from engrain.integrations.google_adk import EngrainMemoryService, EngrainSessionService

ANA: dict[str, Any] = {"app_name": "app", "user_id": "ana"}
BO: dict[str, Any] = {"app_name": "app", "user_id": "bo"}


@pytest.fixture(params=["theirs", "ours"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Any:
    return InMemorySessionService() if request.param == "theirs" else EngrainSessionService(tmp_path / "adk.db")


def run(act: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(act())  # type: ignore[arg-type]


def event(text: str = "", author: str = "user", **more: Any) -> Event:
    content = types.Content(role="user", parts=[types.Part(text=text)]) if text else None
    return Event(author=author, content=content, invocation_id="i1", **more)


def changing(**delta: Any) -> Event:
    return event(actions=EventActions(state_delta={name.replace("__", ":"): value for name, value in delta.items()}))


# ------------------------------------------------------------------------- sessions, compared with theirs in memory


def test_a_session_comes_back_as_it_was_made(service: Any) -> None:
    async def act() -> None:
        assert await service.get_session(**ANA, session_id="none") is None
        made = await service.create_session(**ANA, session_id=" s ", state={"a": 1, "user:b": 2, "app:c": 3})
        assert (made.id, made.state) == ("s", {"a": 1, "user:b": 2, "app:c": 3})
        assert await service.get_session(**ANA, session_id="s ") == made
        assert (await service.create_session(**ANA)).id
        with pytest.raises(AlreadyExistsError):
            await service.create_session(**ANA, session_id="s", state={"app:c": 4})
        assert await service.get_user_state(**ANA) == {"b": 2}
        assert await service.get_user_state(**BO) == {}

    run(act)


def test_events_come_back_equal(service: Any) -> None:
    async def act() -> None:
        session = await service.create_session(**ANA, session_id="s")
        parts = [types.Part(text="x\0y"), types.Part.from_bytes(data=b"\x00\xff", mime_type="image/png")]
        call = types.Part(function_call=types.FunctionCall(name="look", args={"a": [1, None]}))
        first = Event(
            author="user",
            content=types.Content(role="user", parts=[*parts, call]),
            long_running_tool_ids={"t"},
            custom_metadata={"k": {"n": 1.5}},
            actions=EventActions(artifact_delta={"f": 0}, transfer_to_agent="other"),
        )
        for each in (first, event("again"), event("again"), event()):
            assert await service.append_event(session, each) is each
        assert await service.append_event(session, event("half", partial=True))
        again = await service.get_session(**ANA, session_id="s")
        assert again == session
        assert len(again.events) == 4
        again.events.clear()
        assert len((await service.get_session(**ANA, session_id="s")).events) == 4

    run(act)


def test_an_event_that_is_sent_again_is_appended_once(service: Any) -> None:
    async def act() -> None:
        session = await service.create_session(**ANA, session_id="s")
        one = event("x")
        for _ in range(2):
            await service.append_event(session, one)
        await service.append_event(session, one.model_copy(update={"author": "agent"}))
        assert [each.author for each in (await service.get_session(**ANA, session_id="s")).events] == ["user", "agent"]

    run(act)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ({}, [1, 2, 3, 4, 5]),
        ({"num_recent_events": 0}, []),
        ({"num_recent_events": 2}, [4, 5]),
        ({"num_recent_events": 9}, [1, 2, 3, 4, 5]),
        ({"after_timestamp": 4.0}, [4, 5]),
        ({"after_timestamp": 9.0}, []),
        ({"after_timestamp": 2.0, "num_recent_events": 3}, [3, 4, 5]),
        ({"after_timestamp": 4.0, "num_recent_events": 3}, [4, 5]),
    ],
)
def test_a_session_is_read_in_part(service: Any, config: dict[str, Any], expected: list[int]) -> None:
    async def act() -> None:
        session = await service.create_session(**ANA, session_id="s")
        for number in range(1, 6):
            await service.append_event(session, event(timestamp=float(number)))
        found = await service.get_session(**ANA, session_id="s", config=GetSessionConfig(**config))
        assert [each.timestamp for each in found.events] == expected

    run(act)


def test_state_reaches_as_far_as_its_prefix_says(service: Any) -> None:
    async def act() -> None:
        session = await service.create_session(**ANA, session_id="s")
        change = changing(own=1, user__mine=2, app__all=3, temp__now=4)
        await service.append_event(session, change)
        assert session.state == {"own": 1, "user:mine": 2, "app:all": 3, "temp:now": 4}
        assert "temp:now" not in change.actions.state_delta
        read = await service.get_session(**ANA, session_id="s")
        assert read.state == {"own": 1, "user:mine": 2, "app:all": 3}
        assert (await service.create_session(**ANA, session_id="t")).state == {"user:mine": 2, "app:all": 3}
        assert (await service.create_session(**BO, session_id="s")).state == {"app:all": 3}
        assert (await service.create_session(app_name="other", user_id="ana")).state == {}

    run(act)


def test_sessions_are_listed_and_deleted(service: Any) -> None:
    async def act() -> None:
        for number, who in enumerate((ANA, ANA, BO)):
            session = await service.create_session(**who, session_id=f"s{number}", state={"n": number})
            await service.append_event(session, event("x", timestamp=session.last_update_time + 9 - number))
        listed = (await service.list_sessions(**ANA)).sessions
        assert [(each.id, each.state, each.events) for each in listed] == [("s1", {"n": 1}, []), ("s0", {"n": 0}, [])]
        every = (await service.list_sessions(app_name="app")).sessions
        assert [(each.user_id, each.id) for each in every] == [("bo", "s2"), ("ana", "s1"), ("ana", "s0")]
        assert (await service.list_sessions(app_name="other")).sessions == []
        await service.delete_session(**ANA, session_id="s0")
        await service.delete_session(**ANA, session_id="s0")
        assert await service.get_session(**ANA, session_id="s0") is None
        assert (await service.create_session(**ANA, session_id="s0")).events == []
        session.id = "gone"
        with pytest.raises(SessionNotFoundError):
            await service.append_event(session, event("x"))

    run(act)


# ------------------------------------------------------------------------------------------------------- sessions, ours


def test_a_session_that_is_behind_the_store_appends_nothing(memory: MemoryManager) -> None:
    async def act() -> None:
        service = EngrainSessionService(memory)
        one = await service.create_session(**ANA, session_id="s")
        other = await service.get_session(**ANA, session_id="s")
        assert other is not None
        await service.append_event(one, event("first"))
        with pytest.raises(StaleSessionError, match="modified in storage"):
            await service.append_event(other, changing(app__x=1))
        assert other.events == []
        found = await service.get_session(**ANA, session_id="s")
        assert found == one
        copies = [one.model_copy(deep=True) for _ in range(4)]
        sent = [service.append_event(each, event(str(n))) for n, each in enumerate(copies)]
        outcomes = await asyncio.gather(*sent, return_exceptions=True)
        assert sorted(isinstance(each, StaleSessionError) for each in outcomes) == [False, True, True, True]

    run(act)


def test_a_user_is_erased_with_sessions(memory: MemoryManager) -> None:
    async def act() -> None:
        service = EngrainSessionService(memory)
        session = await service.create_session(**ANA, session_id="s", state={"user:a": 1})
        await service.append_event(session, event("secret"))
        memory.forget_all(user="ana", hard=True)
        assert await service.get_session(**ANA, session_id="s") is None
        assert await service.get_user_state(**ANA) == {}

    run(act)


# --------------------------------------------------------------------------------------------------------------- memory


def test_events_are_remembered_once_and_found_as_they_were(memory: MemoryManager) -> None:
    async def act() -> None:
        service, sessions = EngrainMemoryService(memory), EngrainSessionService(memory)
        session = await sessions.create_session(**ANA, session_id="s")
        parts = [types.Part(text="Ana keeps bees."), types.Part.from_bytes(data=b"\x00", mime_type="image/png")]
        first = Event(author="user", timestamp=1.7e9, content=types.Content(role="user", parts=parts))
        for each in (first, event("How many hives?", "guide"), event(), changing(a=1)):
            await sessions.append_event(session, each)
        for _ in range(2):
            await service.add_session_to_memory(session)
        assert memory.count() == 2
        entry = (await service.search_memory(**ANA, query="who keeps bees?")).memories[0]
        assert (entry.content, entry.author, entry.id) == (first.content, "user", first.id)
        assert (entry.timestamp, entry.custom_metadata) == ("2023-11-14T22:13:20+00:00", {"session_id": "s"})
        assert (await service.search_memory(**BO, query="bees")).memories == []
        assert (await service.search_memory(app_name="other", user_id="ana", query="bees")).memories == []
        assert (await service.search_memory(**ANA, query=" ")).memories == []
        await service.delete_memory(**ANA, memory_id=first.id)
        await service.add_session_to_memory(session)
        assert [each.author for each in (await service.search_memory(**ANA, query="bees hives")).memories] == ["guide"]
        assert memory.count(status="all") == 1

    run(act)


def test_entries_and_other_memories_are_found_too(memory: MemoryManager) -> None:
    async def act() -> None:
        service = EngrainMemoryService(memory, k=1)
        entry = MemoryEntry(content=types.Content(parts=[types.Part(text="Ana plays the cello.")]), author="user")
        await service.add_memory(**ANA, memories=[entry], custom_metadata={"n": 1})
        (found,) = (await service.search_memory(**ANA, query="what does Ana play?")).memories
        assert (found.content, found.custom_metadata) == (entry.content, {"n": 1})
        memory.scoped(user="ana", agent="app").remember("Ana is allergic to nuts")
        (found,) = (await service.search_memory(**ANA, query="allergic to what?")).memories
        assert found.content.parts[0].text == "Ana is allergic to nuts"
        assert found.id is not None
        await service.delete_memory(**ANA, memory_id=found.id)
        assert memory.count() == 1

    run(act)


def test_a_failing_memory_raises(memory: MemoryManager) -> None:
    async def act() -> None:
        services = EngrainMemoryService(memory), EngrainSessionService(memory)
        memory.close()
        with pytest.raises(Exception, match="closed"):
            await services[0].search_memory(**ANA, query="bees")
        with pytest.raises(Exception, match="closed"):
            await services[1].get_session(**ANA, session_id="s")

    run(act)
