"""When a session has fallen silent: nothing was said or noted in it for longer than its settings allow.

Its working memories are out of sight from that moment on, whenever it is ended.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from recollect.config import WorkingSettings
from recollect.engine import Engine
from recollect.filters import Filter, Test, within
from recollect.models import Kind, Scope
from recollect.protocols import Reader, Record
from recollect.turnrows import ConversationRow, conversation_id

ENDED = "its session ended"
"""Why a working memory is archived."""


def idle_minutes(engine: Engine) -> float | None:
    """Return after how many minutes without a message a session is ended, None for never."""
    working = engine.settings.working
    return (working if isinstance(working, WorkingSettings) else WorkingSettings()).idle_minutes


def last_said(reader: Reader, scope: Scope) -> datetime | None:
    """Return when something was last said or noted in exactly this session; None when nothing was, or it has ended."""
    held = reader.find(ConversationRow, [Test("id", "eq", conversation_id(scope))])
    noted = within(scope).but(Test("noted", "eq", scope.session), Test("agent", "eq", scope.agent))
    others = scope.user is None  # whose sessions of this name the filter passes too
    found = reader.find(Record, noted, order="-recorded_at", limit=None if others else 1)
    times = [record.memory.recorded_at for record in found if record.memory.scope == scope]
    return max([*(row.touched_at for row in held if row.ended_at is None), *times[:1]], default=None)


def is_silent(engine: Engine, scope: Scope) -> bool:
    """Say whether the session of a scope has fallen silent; False without one."""
    minutes = idle_minutes(engine)
    if scope.session is None or minutes is None:
        return False
    with engine.store.read(scope.org) as reader:
        last = last_said(reader, scope)
    return last is not None and engine.clock.now() - last >= timedelta(minutes=minutes)


def heard(engine: Engine, scope: Scope, where: Filter) -> Filter:
    """Return a filter without the working memories of the scope's session if that has fallen silent."""
    return where.but(Test("kind", "ne", Kind.WORKING)) if is_silent(engine, scope) else where
