"""The queue, as it is looked at: what waits, what runs, what was given up, and how that is tried again."""

from __future__ import annotations

from dataclasses import replace

from recollect.engine import Engine
from recollect.errors import NotFound
from recollect.filters import Test, within
from recollect.models import Job, JobState, Scope
from recollect.protocols import Transaction
from recollect.read.listing import checked_limit
from recollect.results import Page


def jobs(engine: Engine, scope: Scope, *, state: str | None, limit: int, cursor: str | None) -> Page[Job]:
    """Return a page of the jobs for memories and conversations of a view, in the order of their ids."""
    checked_limit(limit)
    if state is not None and state not in list(JobState):
        raise ValueError(f"unknown state {state!r}: use one of {', '.join(JobState)}")
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
