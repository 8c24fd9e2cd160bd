"""The traces that a view sees: sessions with tool calls, out of the log of conversations and out of episodes."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from recollect.chatlogs import role_named
from recollect.engine import Engine
from recollect.filters import Meta, Test, within
from recollect.models import Kind, Memory, Scope, SourceType, Status
from recollect.procedures.traces import Episode, Trace, trace_of
from recollect.protocols import Reader, Record
from recollect.security.trust import classify
from recollect.turnrows import ConversationRow, TurnRow, conversation_id
from recollect.working.log import is_silent

MOST_SESSIONS = 2_000
"""Sessions that are looked at: those that called tools last."""
_CALLING = 20_000  # messages with calls that are looked at to find them
_AT_ONCE = 100  # sessions read at once
_MESSAGES = 50_000  # of so many sessions
_USERS = ("user", "human")


class _Placed(NamedTuple):
    """A message, and where in its session it stands."""

    position: int
    episode: Episode


def traces(engine: Engine, scope: Scope) -> dict[str | None, list[Trace]]:
    """Return, by user, what was done in the sessions that a view sees; nothing of one user is beside another's."""
    now = engine.clock.now()
    found: dict[str | None, list[Trace]] = {}
    with engine.store.read(scope.org) as reader:
        places = _places(reader, scope)
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            said = _said(engine, reader, scope, some, now)
            for place in some:
                episodes = [each.episode for each in sorted(said[place], key=lambda each: each.position)]
                trace = trace_of(place.session or "", episodes, agent=place.agent)
                if trace.calls:
                    found.setdefault(place.user, []).append(trace)
    return found


def _places(reader: Reader, scope: Scope) -> list[Scope]:
    """Return the sessions in which tools were called, the last first."""
    calling = (Test("kind", "eq", Kind.EPISODIC), Test("session", "ne", None), Meta("tool_calls", "exists", True))
    records = reader.find(Record, within(scope).but(*calling), order="-recorded_at", limit=_CALLING)
    found = dict.fromkeys(record.memory.scope for record in records)
    talks = reader.find(ConversationRow, within(scope), order="-num", limit=MOST_SESSIONS)
    silent = {row.num: row for row in talks if row.scope not in found}
    for row in reader.find(TurnRow, [Test("conversation", "in", tuple(silent)), Test("num", "eq", None)]):
        if row.metadata.get("tool_calls"):
            found.setdefault(silent[row.conversation].scope)
    return list(found)[:MOST_SESSIONS]


def _said(
    engine: Engine, reader: Reader, scope: Scope, places: Sequence[Scope], now: datetime
) -> dict[Scope, list[_Placed]]:
    """Return the messages of some sessions: what is a memory, and what only the log holds."""
    said: dict[Scope, list[_Placed]] = {place: [] for place in places}
    names = tuple({place.session for place in places})
    episodic = within(scope).but(Test("kind", "eq", Kind.EPISODIC), Test("session", "in", names))
    for record in reader.find(Record, episodic, order="num", limit=_MESSAGES):
        if record.memory.scope in said:
            said[record.memory.scope].append(_remembered(record.memory, now))
    ids = tuple(map(conversation_id, places))
    held = {row.num: row.scope for row in reader.find(ConversationRow, [Test("id", "in", ids)])}
    logged = [Test("conversation", "in", tuple(held)), Test("num", "eq", None)]
    for row in reader.find(TurnRow, logged, order="position", limit=_MESSAGES):
        if held[row.conversation] in said:
            said[held[row.conversation]].append(_logged(engine, row))
    return said


def _remembered(memory: Memory, now: datetime) -> _Placed:
    """Return a memory as a message of its session; what is not in force tells nothing."""
    role = "assistant"
    if memory.source.type is SourceType.TOOL_RESULT or "tool_call_id" in memory.metadata:
        role = "tool"
    elif memory.source.type is SourceType.USER_INPUT or (memory.actor or "").lower() in _USERS:
        role = "user"
    hidden = memory.as_of_clock(now).status is not Status.ACTIVE
    episode = Episode(role, memory.content, memory.metadata, memory.id, memory.source.type, hidden)
    return _Placed(memory.position or 0, episode)


def _logged(engine: Engine, row: TurnRow) -> _Placed:
    """Return a turn that is no memory as a message of its session."""
    role, source = role_named(row.role)
    trust = classify(source, engine.settings.origins)[0]
    return _Placed(row.position, Episode(role, row.content or "", row.metadata, "", trust, is_silent(row, engine)))
