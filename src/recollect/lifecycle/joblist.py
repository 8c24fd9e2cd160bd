"""The queue, as it is looked at: what waits, what runs, what was given up, and how that is tried again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from recollect.engine import Engine
from recollect.errors import NotFound
from recollect.filters import Test, within
from recollect.models import Job, JobState, Scope
from recollect.protocols import Reader, Record, Transaction
from recollect.read.listing import checked_limit
from recollect.results import Page
from recollect.turnrows import ConversationRow


def jobs(engine: Engine, scope: Scope, *, state: str | None, limit: int, cursor: str | None) -> Page[Job]:
    """Return a page of the jobs for memories and conversations of a view, in the order of their ids."""
    checked_limit(limit)
    if state is not None and state not in list(JobState):
        raise ValueError(f"unknown state {state!r}: use one of {', '.join(JobState)}")
    if cursor is not None and not isinstance(cursor, str):
        raise TypeError(f"cursor is the `next` of a page, not a {type(cursor).__name__}")
    seen: list[Job] = []
    with engine.store.read() as reader:
        while len(seen) <= limit:
            tests = [Test("org", "eq", scope.org), Test("id", "gt", cursor or "")]
            tests += [] if state is None else [Test("state", "eq", state)]
            found = reader.find(Job, tests, order="id", limit=limit + 1)
            if not found:
                break
            seen += _visible(reader, scope, found)
            cursor = found[-1].id
    return Page(seen[:limit], seen[limit - 1].id if len(seen) > limit else None)


def _visible(reader: Reader, scope: Scope, found: Sequence[Job]) -> list[Job]:
    """Return those of the jobs that are for something in the view; the whole org sees all of them."""
    if scope.user is None and scope.agent is None:
        return list(found)
    ids = Test("id", "in", tuple(job.memory_id for job in found))
    held = {record.memory.id for record in reader.find(Record, within(scope).but(ids))}
    held |= {row.id for row in reader.find(ConversationRow, within(scope).but(ids))}
    return [job for job in found if job.memory_id in held]


def retry(engine: Engine, scope: Scope, job_id: str) -> Job:
    """Let a job be tried again now, as if it had never failed; one that is being done is left alone."""
    now = engine.clock.now()

    def change(transaction: Transaction) -> Job:
        found = transaction.find(Job, [Test("id", "eq", job_id), Test("org", "eq", scope.org)])
        if not _visible(transaction, scope, found):
            raise NotFound(job_id, what="job")
        if found[0].state is JobState.RUNNING:
            return found[0]
        again = replace(found[0], state=JobState.QUEUED, attempts=0, error="", run_at=now)
        transaction.put(again)
        return again

    return engine.store.write(change)
