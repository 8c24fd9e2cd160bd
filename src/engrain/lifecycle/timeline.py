"""Counts of memories by status over time, and the queue of jobs."""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from itertools import accumulate, pairwise
from typing import Any

from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.language.timestamps import parse_when
from engrain.model.choices import JobStateName, checked_choice
from engrain.model.filters import Filter, Test, within
from engrain.model.memory import Job, JobState, Memory, Scope, Status
from engrain.model.results import Counts, Page
from engrain.read.listing import checked_limit
from engrain.read.request import select
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Record, Revision
from engrain.validation import When

MOST = 400
"""Points in time that are counted at, at most."""
_AT_ONCE = 1000
_HOUR, _DAY = timedelta(hours=1), timedelta(days=1)
_STATUSES = tuple(field.name for field in fields(Counts))[1:]


@dataclass(frozen=True, slots=True)
class _State:
    """What of a memory decides where it is counted, and until when it was so; None for what is so today."""

    status: str
    is_superseded: bool
    is_believed: bool
    valid_from: datetime
    valid_until: datetime | None
    expires_at: datetime | None
    until: datetime | None = None

    def counted(self, at: datetime) -> str | None:
        """Return the status that it is counted under at a moment, None for what is true at another time."""
        if self.status != Status.ACTIVE:
            return self.status
        if self.expires_at is not None and self.expires_at <= at:
            return "expired"
        ended = self.valid_until is not None and self.valid_until <= at
        if self.is_superseded and (ended or self.valid_until is None):
            return "superseded"
        return "active" if self.is_believed and self.valid_from <= at and not ended else None


def timeline(engine: Engine, scope: Scope, *, since: When | None = None, until: When | None = None) -> list[Counts]:
    """Return the counts of what the view sees, day by day from its first memory until now, the last ones at the end.

    Two days or less are told hour by hour; more than 400 days by so many days at once that there are no more points.
    An empty view has none. Raises `ValueError` when `since` is not before `until`.
    """
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
        changes = {status: [0] * (len(moments) + 1) for status in _STATUSES}
        for start, stop, status in _spans(reader, where):
            changes[status][bisect_left(moments, start)] += 1
            if stop is not None:
                changes[status][bisect_left(moments, stop)] -= 1
    counts = {status: accumulate(changes[status][:-1]) for status in _STATUSES}
    return [Counts(*row) for row in zip(moments, *counts.values(), strict=True)]


def _moments(begins: datetime, ends: datetime) -> list[datetime]:
    """Return the points in time that are counted at, the end last."""
    step = _HOUR if ends - begins <= 2 * _DAY else _DAY * max(1, -(-(ends - begins) // (_DAY * (MOST - 2))))
    start = begins.replace(minute=0, second=0, microsecond=0)
    start = start if step == _HOUR else start.replace(hour=0)
    count = -(-(ends - start) // step)
    return [max(start + number * step, begins) for number in range(count)] + [ends]


def _spans(reader: Reader, where: Filter) -> Iterator[tuple[datetime, datetime | None, str]]:
    """Yield from when until when, None for ever, a memory of the filter counted under which status."""
    past: dict[int, list[_State]] = {}
    for revision in reader.find(Revision, Filter(where.org, where.user, where.shared), order="seq"):
        past.setdefault(revision.num, []).append(_then(json.loads(revision.memory), revision.believed_until))
    last = 0
    while found := reader.find(Record, where.but(Test("num", "gt", last)), order="num", limit=_AT_ONCE):
        last = found[-1].num
        for record in found:
            yield from _of(record.memory.recorded_at, [*past.get(record.num, ()), _now(record.memory)])


def _of(recorded_at: datetime, states: Sequence[_State]) -> Iterator[tuple[datetime, datetime | None, str]]:
    start = recorded_at
    for state in states:
        own = (state.valid_from, state.valid_until, state.expires_at)
        turns = sorted(
            {at for at in own if at is not None and start < at and (state.until is None or at < state.until)}
        )
        for begins, ends in pairwise([start, *turns, state.until]):
            status = None if begins is None else state.counted(begins)
            if begins is not None and status is not None and begins != ends:
                yield begins, ends, status
        start = start if state.until is None else max(start, state.until)


def _now(memory: Memory) -> _State:
    return _State(
        memory.status,
        memory.is_superseded,
        memory.believed_until is None,
        memory.valid_from,
        memory.valid_until,
        memory.expires_at,
    )


def _then(row: Mapping[str, Any], until: datetime) -> _State:
    starts, ends, expires = (
        row[name] and datetime.fromisoformat(row[name]) for name in ("valid_from", "valid_until", "expires_at")
    )
    superseded = row["superseded_by"] is not None
    return _State(row["status"], superseded, row["believed_until"] is None, starts, ends, expires, until)


def jobs(
    engine: Engine, scope: Scope, *, state: JobStateName | JobState | None, limit: int, cursor: str | None
) -> Page[Job]:
    """Return a page of the jobs for memories and conversations of a view, in the order of their ids."""
    checked_limit(limit)
    if state is not None:
        checked_choice(state, "state", JobStateName)
    if cursor is not None and not isinstance(cursor, str):
        raise TypeError(f"cursor is the `next` of a page, not a {type(cursor).__name__}")
    tests = [Test("id", "gt", cursor or "")] + ([] if state is None else [Test("state", "eq", state)])
    with engine.store.read(scope.org) as reader:
        found = reader.find(Job, within(scope).but(*tests), order="id", limit=limit + 1)
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


def retry(engine: Engine, scope: Scope, job_id: str) -> Job:
    """Let a job be tried again now, as if it had never failed; one that is being done is left alone."""
    now = engine.clock.now()

    def change(transaction: Transaction) -> Job:
        found = transaction.find(Job, within(scope).but(Test("id", "eq", job_id)), order="id")
        if not found:
            raise NotFound(job_id, what="job")
        if found[0].state is JobState.RUNNING:
            return found[0]
        again = replace(found[0], state=JobState.QUEUED, attempts=0, error="", run_at=now)
        transaction.put(again)
        return again

    return engine.store.write(change, scope.org)
