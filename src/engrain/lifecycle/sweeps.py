"""Timed work: `run_round` expires or archives due memories and ends idle sessions; `timeline` counts memories."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import accumulate, pairwise
from operator import methodcaller
from typing import Any, cast

from engrain.conversation.sessions import end, idle_span
from engrain.engine import Engine
from engrain.errors import EngrainError
from engrain.guard import log, notify
from engrain.language.calendar import parse_when
from engrain.lifecycle.consolidation import UNLEARNT, asks_others, consolidate, may_be_learnt
from engrain.model.filters import AnyOf, Condition, Filter, Test, Where, reachable, within
from engrain.model.memory import Kind, Memory, MemoryEntry, Scope, Status, may_review
from engrain.model.results import Counts
from engrain.policies.entries import entry_of
from engrain.policies.retention import Retention, is_kept
from engrain.read.request import idle_minutes, last_activity, select
from engrain.security.audit import Trail, who
from engrain.storage.interface import Reader, Transaction, grouped, setting
from engrain.storage.rows import STORE_ORG, ConversationRow, LifeRow, Record, Revision, Setting, legible, stored
from engrain.validation import When
from engrain.write.transitions import Editor, retention_columns, transact

_BATCH = 500  # memories of one transaction
_ACTIVE = Test("status", "eq", Status.ACTIVE)
_EPISODES, _EPISODES_OF_A_MODEL = 50, 5  # of one run; of a model's, so few that a lease outlasts them
_RUNS = 10  # of a round that may be interrupted
MOST_POINTS = 400
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_STATUSES = tuple(field.name for field in fields(Counts))[1:]
_TIMES = LifeRow._fields[3:]
_LIVES = 20_000  # memories of one query, which reads few columns of each


@dataclass(slots=True)
class Round:
    """The memories that left in a round, as they were before, the sessions that ended, and whether work is left."""

    expired: list[Memory] = field(default_factory=list)
    archived: list[Memory] = field(default_factory=list)
    ended: int = 0
    unfinished: bool = False

    def add(self, memory: Memory, status: Status | None) -> None:
        """Note the status that a memory takes, if any."""
        if status is not None:
            (self.expired if status is Status.EXPIRED else self.archived).append(memory)


def run_round(
    engine: Engine, scope: Scope | None, *, dry_run: bool = False, going_on: Callable[[], bool] | None = None
) -> Round:
    """End idle sessions, learn from episodes and sweep a view or the whole store, while `going_on` renews the lease."""
    done, where = Round(unfinished=True), None if scope is None else within(scope)
    goes_on = going_on or (lambda: True)
    for session, since in idle_sessions(engine, where):
        if not goes_on():
            return done
        try:
            ended = None if dry_run else end(engine, session, idle_since=since)
            done.ended += ended is None or bool(ended.memories or ended.evicted)
        except EngrainError as error:
            log.warning("an idle session could not be ended, and is tried again: %s", error)
    size = _EPISODES_OF_A_MODEL if asks_others(engine) else _EPISODES
    more, runs = not dry_run, 0
    while more and (going_on is None or runs < _RUNS):
        if not goes_on():
            return done
        learnt = consolidate(engine, scope, batch_size=size)
        more, runs = bool(learnt.processed) and not learnt.paused, runs + 1
    if not goes_on():
        return done
    if dry_run:
        _foresee(engine, where, done)
    else:
        _sweep(engine, where, "worker" if scope is None else who(scope), done)
        if scope is None:
            engine.store.maintain()
    done.unfinished = more
    return done


def _tests(where: Filter | None, *tests: Condition) -> Where:
    return tests if where is None else where.but(*tests)


def _read(engine: Engine, where: Filter | None, order: str, *tests: Condition) -> list[Record]:
    """Return the first memories of a view, or of the whole store, that pass the tests."""
    with engine.store.read(None if where is None else where.org) as reader:
        return reader.find(Record, _tests(where, *tests), order=order, limit=_BATCH)


def idle_sessions(engine: Engine, where: Filter | None) -> Iterator[tuple[Scope, datetime]]:
    """Yield the sessions that were idle for long enough, each with its last activity."""
    if idle_minutes(engine) is None:
        return
    limit = engine.clock.now() - idle_span(engine)
    open_rows = (Test("ended_at", "eq", None), Test("touched_at", "le", limit))
    noted = Test("noted", "gt", "")  # in this form, and in its own order, it is read from an index
    with engine.store.read(None if where is None else where.org) as reader:
        rows = reader.find(ConversationRow, _tests(where, *open_rows), order="touched_at")
        records = reader.find(Record, _tests(where, noted), order="noted")
    found = dict.fromkeys([*(row.scope for row in rows), *(record.memory.scope for record in records)])
    for org, scopes in grouped(found, lambda scope: scope.org).items():
        with engine.store.read(org) as reader:
            last = {scope: last_activity(reader, scope) for scope in scopes}
        for scope, at in last.items():
            if at is not None and at <= limit:
                yield scope, at


def _sweep(engine: Engine, where: Filter | None, actor: str, done: Round) -> None:
    if engine.store.read_only:
        return
    reschedule(engine)
    now, retention = engine.clock.now(), engine.settings.retention_rules
    due = Test("due_at", "le", now)
    while found := _read(engine, where, "due_at", due):
        for org, some in grouped(found, _org).items():
            rows = [Test("num", "in", tuple(record.num for record in some)), due]
            gone = engine.store.write(partial(_swept, engine, rows, actor=actor, now=now), org)
            done.expired += gone.expired
            done.archived += gone.archived
    if done.expired or done.archived:
        log.info("swept: %d expired, %d archived", len(done.expired), len(done.archived))
    if done.expired:
        notify(engine.callbacks, "on_expiry_prune", [entry_of(memory) for memory in done.expired])
    if done.archived:
        least = retention.of(done.archived[0]).archive_below
        notify(engine.callbacks, "on_decay_prune", [entry_of(memory) for memory in done.archived], least)


def _swept(engine: Engine, rows: Sequence[Test], transaction: Transaction, *, actor: str, now: datetime) -> Round:
    """Archive or expire memories of one org that are due, and set the next date of those that stay."""
    gone, found, retention = Round(), transaction.find(Record, rows), engine.settings.retention_rules
    if not found:
        return gone
    editor = Editor(engine, transaction, Trail(engine, transaction, Scope(_org(found[0])), actor=actor, at=now))
    for record in found:
        memory = retention.expiring_at(record.memory, now)
        status = _next_status(retention, memory, now)
        gone.add(record.memory, status)
        if status is not None:
            editor.leave(record, status)
            continue
        due_at = retention.due_at(memory)
        if due_at is not None:  # not at once again for a memory that has nearly decayed
            due_at = max(due_at, now + timedelta(minutes=1))
        changes = {"due_at": due_at, "expires_at": memory.expires_at, "expiry": memory.expiry}
        transaction.update(Record, [Test("num", "eq", record.num)], **changes)
    editor.trail.write()
    return gone


def _foresee(engine: Engine, where: Filter | None, done: Round) -> None:
    """Note what a sweep would do, which learns from episodes before they leave."""
    now, retention = engine.clock.now(), engine.settings.retention_rules
    tests: list[Condition] = [_ACTIVE]
    if _unscheduled(engine) is None:  # by other policies than those of the last sweep any memory may be due
        tests.append(AnyOf(((Test("due_at", "le", now),), (UNLEARNT,))))
    last = 0
    while found := _read(engine, where, "num", Test("num", "gt", last), *tests):
        last = found[-1].num
        for record in found:
            memory = record.memory
            if may_be_learnt(memory, now):
                memory = replace(memory, consolidated_at=now)
            done.add(record.memory, _next_status(retention, retention.expiring_at(memory, now), now))


def _next_status(retention: Retention, memory: Memory, now: datetime) -> Status | None:
    if memory.stored_status is not Status.ACTIVE:
        return None
    if memory.expires_at is not None and memory.expires_at <= now:
        return Status.EXPIRED
    return Status.ARCHIVED if retention.has_faded(memory, now) else None


def _org(record: Record) -> str:
    return record.memory.scope.org


def _unscheduled(engine: Engine) -> int | None:
    """Return after which row dates are to be set anew, because the policies have changed; None if they have not."""
    found = setting(engine.store, "retention")
    state: dict[str, Any] = json.loads(found) if found else {"policies": Retention().digest, "done": None}
    return cast(int | None, state["done"]) if state["policies"] == engine.settings.retention_rules.digest else 0


def reschedule(engine: Engine) -> None:
    """Set the dates of all active memories anew, batch by batch, if the policies have changed since the last sweep."""
    retention, done = engine.settings.retention_rules, _unscheduled(engine)

    def change(now: datetime, nums: tuple[int, ...], transaction: Transaction) -> None:
        for record in transaction.find(Record, [Test("num", "in", nums), _ACTIVE]):
            memory, changes = record.memory, retention_columns(retention, record.memory, now)
            if (memory.expires_at, memory.expiry, record.due_at) != tuple(changes.values()):
                transaction.update(Record, [Test("num", "eq", record.num)], **changes)

    while done is not None:
        batch = _read(engine, None, "num", Test("num", "gt", done), _ACTIVE)
        for org, some in grouped(batch, _org).items():
            nums = tuple(record.num for record in some)
            engine.store.write(partial(change, engine.clock.now(), nums), org)
        done = batch[-1].num if len(batch) == _BATCH else None
        row = Setting("retention", json.dumps({"policies": retention.digest, "done": done}))
        engine.store.write(methodcaller("put", row), STORE_ORG)


class Entries:
    """The live memories of a view, except working ones, as the store of a `MemoryGarbageCollector`."""

    def __init__(self, engine: Engine, scope: Scope) -> None:
        self._engine, self._scope = engine, scope

    def now(self) -> datetime:
        """Return the time by the manager's clock."""
        return self._engine.clock.now()

    def list_all_unfiltered(self) -> list[MemoryEntry]:
        """Return all of them, including those that are due and not swept yet."""
        live = [_ACTIVE, Test("superseded_by", "eq", None), Test("kind", "ne", Kind.WORKING)]
        with self._engine.store.read(self._scope.org) as reader:
            return [entry_of(record.memory) for record in reader.find(Record, within(self._scope).but(*live))]

    def delete(self, entry_id: str) -> bool:
        """Remove a memory: one past its `expires_at` expires, another is archived.

        Args:
            entry_id: The id of the memory.

        Returns:
            False for a memory that no default may remove, and for an unknown one.
        """
        now = self.now()
        where = reachable(self._scope).but(Test("id", "eq", entry_id), _ACTIVE)

        def change(editor: Editor) -> bool:
            for record in editor.transaction.find(Record, where):
                ends = record.memory.expires_at
                over = ends is not None and ends <= now
                if over or not is_kept(record.memory):
                    editor.leave(record, Status.EXPIRED if over else Status.ARCHIVED)
                    return True
            return False

        return transact(self._engine, self._scope, change, now=now)


def timeline(engine: Engine, scope: Scope, *, since: When | None = None, until: When | None = None) -> list[Counts]:
    """Return the counts of a view by day, by hour for two days or less, in longer steps for more than 400 days."""
    where, now = select(scope), engine.clock.now()
    ends = now if until is None else min(parse_when(until, name="until"), now)
    begins = None if since is None else parse_when(since, name="since")
    if begins is not None and begins >= ends:
        raise ValueError(f"since is {begins.isoformat()}: it must be before until, {ends.isoformat()}")
    with engine.store.read(scope.org) as reader:
        first = reader.find(Record, where, order="recorded_at", limit=1)
        if not first:
            return []
        moments = _moments(begins or min(first[0].memory.recorded_at, ends), ends)
        places: list[int] = [stored(at) for at in moments]
        changes = {status: [0] * (len(moments) + 1) for status in _STATUSES}
        with legible():
            for start, stop, status in _spans(reader, where):
                changes[status][bisect_left(places, start)] += 1
                if stop is not None:
                    changes[status][bisect_left(places, stop)] -= 1
    counts = [accumulate(changes[status][:-1]) for status in _STATUSES]
    found = [Counts(*row) for row in zip(moments, *counts, strict=True)]
    return found if may_review() else [replace(each, quarantined=0) for each in found]


def _moments(begins: datetime, ends: datetime) -> list[datetime]:
    step = _HOUR if ends - begins <= 2 * _DAY else _DAY * max(1, -(-(ends - begins) // (_DAY * (MOST_POINTS - 2))))
    start = begins.replace(minute=0, second=0, microsecond=0)
    start = start if step == _HOUR else start.replace(hour=0)
    steps = -(-(ends - start) // step)
    return [max(start + number * step, begins) for number in range(steps)] + [ends]


def _spans(reader: Reader, where: Filter) -> Iterator[tuple[int, int | None, str]]:
    """Yield from when until when (None: open) each memory counts under which status."""
    past: dict[int, list[tuple[LifeRow, int]]] = {}  # the states of a memory, and when each ended
    for revision in reader.find(Revision, Filter(where.org, where.user, where.shared), order="seq"):
        state = json.loads(revision.memory)
        at = (state.get(name) for name in _TIMES)
        times: Iterator[Any] = (None if each is None else stored(datetime.fromisoformat(each)) for each in at)
        life = LifeRow(revision.num, Status(state["status"]), state.get("superseded_by"), *times)
        past.setdefault(revision.num, []).append((life, stored(revision.believed_until)))
    last = 0
    while found := reader.find(LifeRow, where.but(Test("num", "gt", last)), order="num", limit=_LIVES):
        last = found[-1].num
        for now in found:
            start = now.recorded_at
            for life, until in (*past.get(now.num, ()), (now, None)):
                own = {life.valid_from, life.valid_until, life.expires_at}
                turns = sorted(at for at in own if at is not None and start < at and (until is None or at < until))
                for begins, ends in pairwise((start, *turns, until)):
                    status = None if begins is None or begins == ends else _counted_as(life, begins)
                    if begins is not None and status is not None:
                        yield begins, ends, status
                start = start if until is None else max(start, until)


def _counted_as(life: LifeRow, at: int) -> str | None:
    """Return the status that a state of a memory counts under at a moment; None outside its validity."""
    if life.status != Status.ACTIVE:
        return life.status
    if life.expires_at is not None and life.expires_at <= at:
        return "expired"
    ended = life.valid_until is not None and life.valid_until <= at
    if life.superseded_by is not None and (ended or life.valid_until is None):
        return "superseded"
    return "active" if life.believed_until is None and life.valid_from <= at and not ended else None
