"""The sweep: what is due is expired or archived, a batch at a time, at a cost that follows what is due.

Every memory that a policy may let go, or that has an end, carries the moment at which it is due. A sweep reads those
whose moment has come, and of each does what is to be done or notes when to look again. When the policies change, all
memories are looked at once, a batch at a time; a sweep that is stopped goes on where it was.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial

from recollect.engine import Engine
from recollect.filters import Condition, Filter, Test
from recollect.foreign import log
from recollect.lifecycle.unlearnt import UNLEARNT, may_be_learnt
from recollect.models import Memory, Status
from recollect.policies.retention import Retention
from recollect.protocols import NOBODYS, Record, Setting, Transaction
from recollect.scopes import by_org
from recollect.security.audit import Trail
from recollect.write.caps import EXPIRED
from recollect.write.closing import Closer
from recollect.write.retaining import noted

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
    with engine.store.read(NOBODYS) as reader:
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
    engine.store.write(lambda transaction: transaction.put(Setting(_POLICIES, value)), NOBODYS)
    return reached, len(found)


def _looked_at(retention: Retention, now: datetime, nums: Sequence[int], transaction: Transaction) -> None:
    for record in transaction.find(Record, [Test("num", "in", tuple(nums)), Test("status", "eq", Status.ACTIVE)]):
        memory, changes = record.memory, noted(retention, record.memory, now)
        if (memory.expires_at, memory.expiry, record.due_at) != tuple(changes.values()):
            transaction.update(Record, [Test("num", "eq", record.num)], **changes)
