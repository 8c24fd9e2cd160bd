"""Timed sweeps: what is due expires or is archived, idle sessions end."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import count

from engrain.conversation.durable import idle_span
from engrain.conversation.session_end import end
from engrain.engine import Engine
from engrain.errors import EngrainError
from engrain.guard import log, tell
from engrain.lifecycle.consolidation import asks_others, consolidate
from engrain.lifecycle.episodes import UNLEARNT, may_be_learnt
from engrain.model.filters import Condition, Filter, Test, reachable, within
from engrain.model.memory import Kind, Memory, MemoryEntry, Scope, Status
from engrain.model.scope import by_org
from engrain.policies.garbage import entry_of
from engrain.policies.retention import Retention, is_kept
from engrain.read.request import idle_minutes, last_activity
from engrain.security.audit import Trail, who
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import STORE_ORG, ConversationRow, Record, Setting
from engrain.write.transitions import EXPIRED, Closer, retention_columns

FADED = "decayed"
"""Why a sweep archived a memory."""
WORKER = "worker"
"""Who an audit entry says has swept, when nobody asked for it."""
BATCH = 500
_POLICIES = "retention"
_PATIENCE = timedelta(minutes=1)  # between two looks at what has all but faded


@dataclass(slots=True)
class Swept:
    """What a sweep did: the memories as they were before they expired or were archived."""

    expired: list[Memory] = field(default_factory=list)
    archived: list[Memory] = field(default_factory=list)


def sweep(engine: Engine, where: Filter | None, *, actor: str, dry_run: bool = False) -> Swept:
    """Expire and archive what is due in a view, or with None in the whole store, and return what has gone.

    A dry run changes nothing, and returns what would go.
    """
    now, swept = engine.clock.now(), Swept()
    if engine.store.read_only and not dry_run:
        return swept
    everything = dry_run and _reached(engine, engine.settings.retaining) is not None
    if not dry_run:
        reschedule(engine)
    for batch in _live(engine, where) if everything else _due(engine, where, now, goes_on=dry_run):
        if dry_run:
            _foresee(engine.settings.retaining, batch, now, swept)
        else:
            for org, some in by_org(batch, _org).items():
                gone = engine.store.write(partial(_carried_out, engine.settings.retaining, some, now, actor), org)
                swept.expired += gone.expired
                swept.archived += gone.archived
    for batch in _live(engine, where, *UNLEARNT) if dry_run and not everything else ():
        _foresee(engine.settings.retaining, [r for r in batch if r.due_at is None or r.due_at > now], now, swept)
    if not dry_run and (swept.expired or swept.archived):
        log.info("swept: %d expired, %d archived", len(swept.expired), len(swept.archived))
    return swept


def _due(engine: Engine, where: Filter | None, now: datetime, *, goes_on: bool) -> Iterator[list[Record]]:
    """Yield what is due, a batch at a time; what has been dealt with is due no longer, so one looks from the start.

    Where nothing is dealt with it `goes_on` after the batch before.
    """
    since: datetime | None = None
    seen: set[int] = set()
    while True:
        tests = [Test("due_at", "le", now)] + ([] if since is None else [Test("due_at", "ge", since)])
        limit = BATCH + len(seen)
        with engine.store.read(None if where is None else where.org) as reader:
            found = reader.find(Record, tests if where is None else where.but(*tests), order="due_at", limit=limit)
        fresh = [record for record in found if record.num not in seen]
        if not fresh:
            return
        yield fresh
        if goes_on:
            since = fresh[-1].due_at
            seen = {record.num for record in found if record.due_at == since}


def _live(engine: Engine, where: Filter | None, *more: Condition) -> Iterator[list[Record]]:
    """Yield all live memories, a batch at a time: which of them are due under new policies is not noted yet."""
    last = 0
    while True:
        tests = [Test("num", "gt", last), Test("status", "eq", Status.ACTIVE), *more]
        with engine.store.read(None if where is None else where.org) as reader:
            found = reader.find(Record, tests if where is None else where.but(*tests), order="num", limit=BATCH)
        if not found:
            return
        yield found
        last = found[-1].num


def _foresee(retention: Retention, batch: Sequence[Record], now: datetime, swept: Swept) -> None:
    for record in batch:
        memory = record.memory
        if may_be_learnt(memory, now):  # before a sweep lets anything go, it learns from it
            memory = replace(memory, consolidated_at=now)
        _sort(swept, record.memory, _fate(retention, retention.expiring_at(memory, now), now))


def _fate(retention: Retention, memory: Memory, now: datetime) -> Status | None:
    """Return the status that a memory takes now; None when it stays."""
    if memory.status is not Status.ACTIVE:
        return None
    if memory.expires_at is not None and memory.expires_at <= now:
        return Status.EXPIRED
    return Status.ARCHIVED if retention.has_faded(memory, now) else None


def _sort(swept: Swept, memory: Memory, fate: Status | None) -> None:
    if fate is Status.EXPIRED:
        swept.expired.append(memory)
    elif fate is Status.ARCHIVED:
        swept.archived.append(memory)


def _org(record: Record) -> str:
    return record.memory.scope.org


def _carried_out(
    retention: Retention, batch: Sequence[Record], now: datetime, actor: str, transaction: Transaction
) -> Swept:
    """Let go what is due among the memories of an org, and note of the others when to look again."""
    gone, nums = Swept(), tuple(record.num for record in batch)
    trail = Trail(transaction, _org(batch[0]), actor=actor, at=now)
    for record in transaction.find(Record, [Test("num", "in", nums), Test("due_at", "le", now)]):
        memory = retention.expiring_at(record.memory, now)
        fate = _fate(retention, memory, now)
        _sort(gone, record.memory, fate)
        if fate is None:
            _look_again(transaction, retention, replace(record, memory=memory), now)
        else:
            leave(Closer(transaction, trail), record, fate)
    trail.write()
    return gone


def leave(closer: Closer, record: Record, fate: Status) -> None:
    """Let a memory expire or be archived for having faded; its text may be said anew."""
    operation, reason = ("expire", EXPIRED) if fate is Status.EXPIRED else ("archive", FADED)
    said = "ttl" if fate is Status.EXPIRED else FADED
    closer.change(record, operation, reason=reason, status=fate, status_reason=said, identity=None, due_at=None)


def _look_again(transaction: Transaction, retention: Retention, record: Record, now: datetime) -> None:
    """Note when a memory that stays is due next."""
    memory, due = record.memory, retention.due_at(record.memory)
    if due is not None:
        due = max(due, now + _PATIENCE)
    changes = {"due_at": due, "expires_at": memory.expires_at, "expiry": memory.expiry}
    transaction.update(Record, [Test("num", "eq", record.num)], **changes)


def reschedule(engine: Engine) -> int:
    """Look at every live memory once when other policies are in force than at the last look; return how many.

    The place that was reached is kept in the store, so that the next one goes on from there.
    """
    retention = engine.settings.retaining
    looked, done = 0, _reached(engine, retention)
    while done is not None:
        done, count = _rescheduled(engine, retention, done)
        looked += count
    return looked


def _reached(engine: Engine, retention: Retention) -> int | None:
    """Return the row after which memories have not been looked at under these policies; None when all have been."""
    with engine.store.read(STORE_ORG) as reader:
        found = reader.find(Setting, [Test("name", "eq", _POLICIES)], order="name")
    held = json.loads(found[0].value) if found else {"policies": Retention().digest, "done": None}
    if held["policies"] != retention.digest:
        return 0
    return None if held["done"] is None else int(held["done"])


def _rescheduled(engine: Engine, retention: Retention, done: int) -> tuple[int | None, int]:
    """Look at the memories of a batch, and note how far one has come: None when all is done.

    Each org's are looked at in a transaction of their own, and the place is noted after the last: who is stopped
    between them looks at some memories again, which changes nothing.
    """
    tests = [Test("num", "gt", done), Test("status", "eq", Status.ACTIVE)]
    with engine.store.read() as reader:
        found = reader.find(Record, tests, order="num", limit=BATCH)
    for org, some in by_org(found, _org).items():
        engine.store.write(partial(_looked_at, retention, engine.clock.now(), [record.num for record in some]), org)
    reached = found[-1].num if len(found) == BATCH else None
    value = json.dumps({"policies": retention.digest, "done": reached})
    engine.store.write(lambda transaction: transaction.put(Setting(_POLICIES, value)), STORE_ORG)
    return reached, len(found)


def _looked_at(retention: Retention, now: datetime, nums: Sequence[int], transaction: Transaction) -> None:
    for record in transaction.find(Record, [Test("num", "in", tuple(nums)), Test("status", "eq", Status.ACTIVE)]):
        memory, changes = record.memory, retention_columns(retention, record.memory, now)
        if (memory.expires_at, memory.expiry, record.due_at) != tuple(changes.values()):
            transaction.update(Record, [Test("num", "eq", record.num)], **changes)


class Entries:
    """The live memories of a view, working ones apart, as `MemoryGarbageCollector` wants them."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine, self._scope = engine, scope

    def now(self) -> datetime:
        """Return the time by the manager's clock."""
        return self._engine.clock.now()

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all of them, those whose time has come and which no sweep has seen yet too."""
        live = [
            Test("status", "eq", Status.ACTIVE),
            Test("superseded_by", "eq", None),
            Test("kind", "ne", Kind.WORKING),
        ]
        with self._engine.store.read(self._scope.org) as reader:
            return [entry_of(record.memory) for record in reader.find(Record, within(self._scope).but(*live))]

    def delete(self, entry_id: str) -> bool:
        """Let go of a memory: one whose time has come expires, another is archived.

        False for one that no default may touch, and for an unknown one.
        """
        now = self.now()
        where = reachable(self._scope).but(Test("id", "eq", entry_id), Test("status", "eq", Status.ACTIVE))

        def change(transaction: Transaction) -> bool:
            found = transaction.find(Record, where)
            if not found:
                return False
            ends = found[0].memory.expires_at
            over = ends is not None and ends <= now
            if not over and is_kept(found[0].memory):
                return False
            trail = Trail(transaction, self._scope.org, actor=who(self._scope), at=now)
            leave(Closer(transaction, trail), found[0], Status.EXPIRED if over else Status.ARCHIVED)
            trail.write()
            return True

        return self._engine.store.write(change, self._scope.org)


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
            engine.store.maintain()
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
    except EngrainError as error:
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
            last = {scope: last_activity(reader, scope) for scope in scopes}
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
