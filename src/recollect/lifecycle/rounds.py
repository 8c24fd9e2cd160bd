"""A round: all that time asks for, in order.

Sessions that fell silent end, episodes settle into facts, then what is due leaves: nothing goes unlearnt.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import count

from recollect.engine import Engine
from recollect.errors import RecollectError
from recollect.filters import Condition, Filter, Test, within
from recollect.foreign import log, tell
from recollect.lifecycle.consolidating import asks_others, consolidate
from recollect.lifecycle.sweeping import WORKER, Swept, sweep
from recollect.models import Scope
from recollect.policies.entries import entry_of
from recollect.protocols import Reader, Record
from recollect.read.silence import idle_minutes, last_said
from recollect.scopes import by_org
from recollect.security.audit import who
from recollect.turnrows import ConversationRow
from recollect.working.ending import end
from recollect.working.idling import idle_span

_BATCH, _ASKED = 50, 5  # episodes of a run; where others are asked, few enough that a lease outlasts them
_AT_A_TIME = 10  # runs of a round that is not asked to finish


@dataclass(frozen=True, slots=True)
class Round:
    """What a round did: what left, how many sessions ended, and whether episodes are left to be learnt from."""

    swept: Swept
    ended: int = 0
    unfinished: bool = False


def everything_due(
    engine: Engine, scope: Scope | None, *, dry_run: bool = False, going_on: Callable[[], bool] | None = None
) -> Round:
    """Do a round in a view, or in the whole store with None.

    With `going_on`, which is asked now and then, so that whoever leased this work may keep it or stop it, only so many
    episodes are learnt from at a time.
    """
    where, ended = None if scope is None else within(scope), 0
    for session, since in silent_sessions(engine, where):
        if not _still(going_on):
            return Round(Swept(), ended, True)
        ended += 1 if dry_run else bool(_ended(engine, session, since))
    unfinished = not dry_run and _learn(engine, scope, going_on)
    if not _still(going_on):
        return Round(Swept(), ended, True)
    swept = sweep(engine, where, actor=WORKER if scope is None else who(scope), dry_run=dry_run)
    if not dry_run:
        tell_swept(engine, swept)
        if scope is None:
            engine.store.tend()
    return Round(swept, ended, unfinished)


def _still(going_on: Callable[[], bool] | None) -> bool:
    return going_on is None or going_on()


def _learn(engine: Engine, scope: Scope | None, going_on: Callable[[], bool] | None) -> bool:
    """Learn from episodes, and say whether some are left that could be learnt from now."""
    size = _ASKED if asks_others(engine) else _BATCH
    for _ in count() if going_on is None else range(_AT_A_TIME):
        if not _still(going_on):
            return True
        done = consolidate(engine, scope, batch_size=size)
        if not done.processed or done.paused:
            return False
    return True


def _ended(engine: Engine, session: Scope, since: datetime) -> bool:
    """End a session; one that cannot be ended now keeps nothing else from being done."""
    try:
        ended = end(engine, session, idle_since=since)
    except RecollectError as error:
        log.warning("a silent session could not be ended, and is tried again: %s", error)
        return False
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
    with engine.store.read(None if where is None else where.org) as reader:
        found = dict.fromkeys([*_talks(reader, where, silent), *_noted(reader, where)])
    for org, scopes in by_org(found, lambda scope: scope.org).items():
        with engine.store.read(org) as reader:
            last = {scope: last_said(reader, scope) for scope in scopes}
        for scope, at in last.items():
            if at is not None and at <= silent:
                yield scope, at


def _talks(reader: Reader, where: Filter | None, silent: datetime) -> list[Scope]:
    tests: list[Condition] = [Test("ended_at", "eq", None), Test("touched_at", "le", silent)]
    found = reader.find(ConversationRow, tests if where is None else where.but(*tests), order="touched_at")
    return [row.scope for row in found]


def _noted(reader: Reader, where: Filter | None) -> list[Scope]:
    noted = Test("noted", "gt", "")  # said so, and in its own order, it is looked up in an index
    found = reader.find(Record, [noted] if where is None else where.but(noted), order="noted")
    return [record.memory.scope for record in found]
