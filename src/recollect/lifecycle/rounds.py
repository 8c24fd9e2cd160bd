"""A round: all that time asks for, in order.

Sessions that fell silent end, episodes settle into facts, then what is due leaves: nothing goes unlearnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime

from recollect.engine import Engine
from recollect.filters import Condition, Filter, Test, within
from recollect.foreign import tell
from recollect.lifecycle.sweeping import WORKER, Swept, sweep
from recollect.models import Scope
from recollect.policies.entries import entry_of
from recollect.protocols import Reader, Record
from recollect.read.silence import idle_minutes, last_said
from recollect.security.audit import who
from recollect.turnrows import ConversationRow
from recollect.working.ending import end
from recollect.working.idling import idle_span


def everything_due(
    engine: Engine, scope: Scope | None, *, dry_run: bool = False, going_on: Callable[[], object] = lambda: None
) -> tuple[Swept, int]:
    """Do a round in a view, or in the whole store with None; return what left, and how many sessions were ended.

    `going_on` is called now and then, so that whoever has leased this work may keep it.
    """
    where = None if scope is None else within(scope)
    ended = 0
    for session, since in silent_sessions(engine, where):
        going_on()
        ended += 1 if dry_run else bool(_ended(engine, session, since))
    swept = sweep(engine, where, actor=WORKER if scope is None else who(scope), dry_run=dry_run)
    if not dry_run:
        tell_swept(engine, swept)
    return swept, ended


def _ended(engine: Engine, session: Scope, since: datetime) -> bool:
    ended = end(engine, session, idle_since=since)
    return bool(ended.memories or ended.evicted)


def tell_swept(engine: Engine, swept: Swept) -> None:
    """Tell the callbacks what has left."""
    if swept.expired:
        tell(engine.callbacks, "on_expiry_prune", [entry_of(memory) for memory in swept.expired])
    if swept.archived:
        least = engine.settings.retaining.of(swept.archived[0]).archive_below
        tell(engine.callbacks, "on_decay_prune", [entry_of(memory) for memory in swept.archived], least)


def silent_sessions(engine: Engine, where: Filter | None) -> Iterator[tuple[Scope, datetime]]:
    """Yield the sessions in which nothing was said or noted for long enough, and when it last was."""
    if idle_minutes(engine) is None:
        return
    silent = engine.clock.now() - idle_span(engine)
    with engine.store.read() as reader:
        found = dict.fromkeys([*_talks(reader, where, silent), *_noted(reader, where)])
        last = {scope: last_said(reader, scope) for scope in found}
    for scope, at in last.items():
        if at is not None and at <= silent:
            yield scope, at


def _talks(reader: Reader, where: Filter | None, silent: datetime) -> list[Scope]:
    tests: list[Condition] = [Test("ended_at", "eq", None), Test("touched_at", "le", silent)]
    return [row.scope for row in reader.find(ConversationRow, tests if where is None else where.but(*tests))]


def _noted(reader: Reader, where: Filter | None) -> list[Scope]:
    noted = Test("noted", "ne", None)
    found = reader.find(Record, [noted] if where is None else where.but(noted))
    return [record.memory.scope for record in found]
