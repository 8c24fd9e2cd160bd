"""Queued jobs and timed sweeps, run by a thread of the process or in the caller's own.

Jobs are leased, retried with back-off, dead-lettered. A job is written in the transaction that made it necessary and
removed in the one that did its work: a worker killed at any instant neither loses it nor does it twice. The sweep is a
job too, one for a store, postponed by `settings.sweep_minutes` after each run. Jobs for a language model come last.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from itertools import islice
from operator import methodcaller
from typing import TYPE_CHECKING
from weakref import WeakSet

from engrain.engine import Engine
from engrain.errors import NotFound, ProviderError, StoreError
from engrain.guard import log
from engrain.lazy import later
from engrain.model.choices import JobStateName, checked_choice
from engrain.model.filters import Condition, Test, within
from engrain.model.memory import EMBED, ENRICH, IDLE, PROVE, SWEEP, Job, JobState, Scope, actor_context
from engrain.model.results import Page, Sweep
from engrain.storage.interface import Transaction
from engrain.storage.rows import STORE_ORG
from engrain.validation import checked_limit

if TYPE_CHECKING:
    from engrain import records
    from engrain.conversation import sessions
    from engrain.erasure import receipts
    from engrain.lifecycle import enrichment, sweeps
    from engrain.llm import asker
    from engrain.write import prepare
else:
    enrichment, sweeps = later("engrain.lifecycle", "enrichment", "sweeps")
    receipts, records, sessions = later("engrain", "erasure.receipts", "records", "conversation.sessions")
    asker, prepare = later("engrain", "llm.asker", "write.prepare")

MAX_ATTEMPTS = 10  # attempts at a job before it is dead-lettered
_LONGEST_WAIT = 3600  # seconds between attempts: a provider that is down for three hours loses no job
_LEASE, _BATCH = timedelta(seconds=60), 32
_AWHILE, _PAUSE = 30.0, 0.5  # seconds until an idle thread takes longer pauses, and between looks until then
_LONGEST_PAUSE = 60.0  # seconds, while all that is left is due later
_IDS_AT_ONCE = 500
_LONGEST_REST = 300.0  # seconds without a call of a language model that fails
_SOON = timedelta(seconds=10)  # to the next sweep while many episodes wait, or the next attempt at a proof of erasure
_SWEEP_ID = "job_sweep"
_SETTLED = 5.0  # seconds of a thread before its first sweep: a program that asks one question is not delayed
_FREE = {"state": JobState.QUEUED, "leased_by": "", "lease_until": None}


class Worker:
    """Runs the jobs of one store. The thread starts when it is first needed, and ends with the manager."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._stopping = False
        self._stop = threading.Event()  # of a thread that serves
        self._local = threading.local()  # until when this thread has time, and whether it does a job
        self._begin()
        _workers.add(self)

    def _begin(self) -> None:
        """Initialise the state of this process: a name for leases, and no thread, as in the child of a fork."""
        self.is_running: bool = False
        self._lock = threading.Lock()
        self.wanted: threading.Event = threading.Event()
        self._name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._thread: threading.Thread | None = None
        self._since = time.monotonic()
        self._next_due: datetime | None = None
        self._logged = ""  # the failure that was logged last, while it goes on
        self._failures, self._resting = 0, 0.0  # of the language model in a row; until when it is not called

    def wake(self, *, now: bool = True) -> None:
        """Start the thread if need be; with `now` it looks for jobs at once."""
        if self._engine.settings.worker == "none":
            if self._engine.accesses.due():
                self._engine.accesses.write(self._engine.store)
            return
        with self._lock:
            if now:
                self.wanted.set()
            if not self._stopping and (self._thread is None or not self._thread.is_alive()):
                self._since = time.monotonic()
                self._thread = threading.Thread(target=self._loop, name="engrain-worker", daemon=True)
                self._thread.start()
                self.is_running = True

    def serve(self, stop: threading.Event) -> None:
        """Work in this thread until `stop` is set: jobs that are due first, then those that come up."""
        self._since -= _SETTLED
        self._stop = stop
        while not stop.is_set():
            if not self._turn(rests=False):
                stop.wait(_PAUSE)

    def _loop(self) -> None:
        idle_since = time.monotonic()
        try:
            while not self._stopping:
                rests = time.monotonic() - idle_since > _AWHILE
                busy = self._turn(rests)
                if busy or self._engine.accesses.waiting:
                    idle_since, rests = time.monotonic(), False
                if not busy:
                    left = _LONGEST_PAUSE
                    if self._next_due is not None:
                        left = (self._next_due - self._engine.clock.now()).total_seconds()
                    self.wanted.wait(min(max(left, _PAUSE), _LONGEST_PAUSE) if rests else _PAUSE)
                    self.wanted.clear()
        finally:
            self.is_running = False

    def _turn(self, rests: bool) -> bool:
        """Do some of the jobs that are due, and return whether there were any; an error is logged and ends nothing."""
        try:
            found = self._work(rests)
        except Exception as error:
            if str(error) != self._logged:
                log.warning("the worker failed and goes on: %s", error, exc_info=not isinstance(error, StoreError))
            self._logged = str(error)
            return False
        self._logged = ""
        return found

    def _work(self, rests: bool = True) -> bool:
        if self._engine.accesses.due():
            self._engine.accesses.write(self._engine.store)
        self._engine.counters.queued = 0
        settled = time.monotonic() - self._since >= _SETTLED
        kinds = (*self._kinds, SWEEP) if settled else [kind for kind in self._kinds if kind != IDLE]
        jobs = self._claim(kinds) or self._claim_for_model(None)
        self.run(jobs)
        if rests or self._next_due is None:
            self._next_due = self._find_next()
        return bool(jobs)

    def _find_next(self) -> datetime | None:
        """Return when the next timed job is due, of any org; the sweep is queued if it is not yet."""
        engine = self._engine
        if engine.store.read_only:
            return None
        with engine.store.read() as reader:
            timed = [Test("kind", "in", (IDLE, SWEEP)), Test("state", "ne", JobState.DEAD)]
            found = reader.find(Job, timed, order="run_at", limit=1)
        sweep = [Test("id", "eq", _SWEEP_ID)]
        with engine.store.read(STORE_ORG) as reader:
            if reader.find(Job, sweep, limit=1):
                return found[0].run_at if found else None
        later = engine.clock.now() + self._interval
        first = Job(_SWEEP_ID, SWEEP, "", "", later)
        engine.store.write(lambda transaction: transaction.find(Job, sweep) or transaction.put(first), STORE_ORG)
        return min(found[0].run_at, later) if found else later

    @property
    def _interval(self) -> timedelta:
        return timedelta(minutes=self._engine.settings.sweep_minutes)

    # ----------------------------------------------------------------------------------------------------------- jobs

    def _claim(self, kinds: Sequence[str], *, most: int = _BATCH, by: datetime | None = None) -> list[Job]:
        """Lease jobs that are due, if one of them was due `by` then; the write lock is taken only for these."""
        engine = self._engine
        if engine.store.read_only:
            return []
        now = engine.clock.now()
        if self._first(kinds, by or now, late=True) is None:
            return []

        def change(transaction: Transaction) -> list[Job]:
            lease = partial(transaction.claim, kinds, worker=self._name, now=now, lease_until=now + _LEASE)
            return [*islice(iter(lease, None), most)]

        return engine.store.write(change)

    @actor_context(None)  # under no key, for any caller
    def run(self, jobs: Sequence[Job]) -> None:
        """Do leased jobs: texts together if that works, else one by one, so that one bad text spoils no other."""
        texts = [job for job in jobs if job.kind == EMBED]
        for some in (texts, *([job] for job in jobs if job.kind != EMBED)):
            if some:
                self._run(some)

    def _run(self, jobs: Sequence[Job]) -> None:
        """Do jobs; one that ended every worker that tried it is given up, and an interrupted one is given back."""
        if len(jobs) == 1 and jobs[0].attempts > MAX_ATTEMPTS:
            self._failed(jobs[0], ProviderError("every worker that tried it ended"))
            return
        outer, self._local.busy = self._busy, True
        try:
            self._do(jobs)
        except asker.Spent:
            enrichment.put_off(self._engine, jobs[0], self._leased(jobs[0]))
        except enrichment.Interrupted:
            self._update(jobs[0], **_FREE, attempts=jobs[0].attempts - 1)
        except Exception as error:
            if len(jobs) > 1:
                for job in jobs:
                    self._run([job])
                return
            log.warning("job %s failed (attempt %d): %s", jobs[0].id, jobs[0].attempts, error)
            self._failed(jobs[0], error)
        except BaseException:
            with suppress(StoreError):
                for job in jobs:
                    self._update(job, **_FREE)
            raise
        finally:
            self._local.busy = outer

    @property
    def _busy(self) -> bool:
        """Whether this thread does a job, which may call a memory itself."""
        return getattr(self._local, "busy", False)

    def _do(self, jobs: Sequence[Job]) -> None:
        """Do jobs of one kind: several texts at once, else one job."""
        engine, job = self._engine, jobs[0]
        if job.kind == IDLE:
            self._postpone(job, sessions.end_idle(engine, job))
        elif job.kind == PROVE:
            self._postpone(job, None if receipts.finish(engine, job) else engine.clock.now() + _SOON)
        elif job.kind == SWEEP:
            records.remove_expired(engine)
            done = sweeps.run_round(engine, None, going_on=lambda: self._renew(job))
            soon = min(self._interval, _SOON) if done.unfinished else self._interval
            self._postpone(job, engine.clock.now() + soon)
        elif job.kind == ENRICH:
            enrichment.enrich(engine, job, self._leased(job), lambda: self._renew(job))
            self._failures, self._resting = 0, 0.0
        elif (embedder := engine.embedder) is not None:
            enrichment.embed_all(engine, jobs, embedder, self._leased())

    def _leased(self, *jobs: Job) -> list[Condition]:
        """Return the conditions of these jobs, or any, as long as this worker has leased them."""
        tests = [Test("state", "eq", JobState.RUNNING), Test("leased_by", "eq", self._name)]
        return [*(Test("id", "eq", job.id) for job in jobs), *tests]

    def _update(self, job: Job, **changes: object) -> None:
        mine = self._leased(job)
        self._engine.store.write(lambda transaction: transaction.update(Job, mine, **changes), job.org, ())

    @property
    def _model_kinds(self) -> tuple[str, ...]:
        """The kinds of jobs that call a language model, if there is one."""
        return () if self._engine.llm is None else (ENRICH,)

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The kinds of jobs that can be done at any time."""
        return (PROVE, IDLE) if self._engine.embedder is None else (EMBED, PROVE, IDLE)

    def _renew(self, job: Job) -> bool:
        """Renew the lease of a job that takes long; False if it is to be interrupted."""
        answer = timedelta(seconds=3 * self._engine.settings.llm_timeout) if job.kind == ENRICH else timedelta(0)
        self._update(job, lease_until=self._engine.clock.now() + _LEASE + answer)
        until = getattr(self._local, "until", None)
        return not (self._stopping or self._stop.is_set() or (until is not None and time.monotonic() >= until))

    def _postpone(self, job: Job, until: datetime | None) -> None:
        """Queue a job again for a later time; with None it is done for good."""
        if until is None:
            mine = self._leased(job)
            self._engine.store.write(lambda transaction: transaction.delete(Job, mine), job.org, ())
        else:
            self._update(job, **_FREE, run_at=until, attempts=0)

    def _failed(self, job: Job, error: BaseException) -> None:
        """Queue a failed job again after a pause, or dead-letter it; a sweep is always tried again."""
        if job.kind == ENRICH:
            self._failures += 1
            self._resting = time.monotonic() + min(2.0**self._failures, _LONGEST_REST)
        name = type(error).__name__
        changes = {
            "error": f"{name}: {error}"[:500] if isinstance(error, ProviderError) else name,
            "run_at": self._engine.clock.now() + timedelta(seconds=min(4 ** (job.attempts - 1), _LONGEST_WAIT)),
            "attempts": 0 if job.attempts > MAX_ATTEMPTS and job.kind == SWEEP else job.attempts,
        }
        if job.attempts >= MAX_ATTEMPTS and job.kind != SWEEP:
            changes["state"] = JobState.DEAD
        self._update(job, **{**_FREE, **changes})

    # --------------------------------------------------------------------------------------------- waiting for the end

    def flush(self, timeout: float | None) -> bool:
        """Do in this thread what is queued now, and what failed before and waits for its next attempt.

        What fails here waits again, so that an embedder or a model that is down does not use up a job's attempts.
        False if something is left: time ran out, it failed, there is no embedder, an erasure is pending; not what
        waits for a model if there is none, or for tomorrow's budget. Within a job no model is called: False.
        """
        until = None if timeout is None else time.monotonic() + timeout
        self._engine.accesses.write(self._engine.store)
        self._engine.counters.queued = 0
        self._hasten()
        self._resting = 0.0
        outer, self._local.until = getattr(self._local, "until", None), until
        try:
            return self._finish(until, () if self._busy else None) and not self._busy and not self._first((PROVE,))
        finally:
            self._local.until = outer

    def settle(self, memory_ids: Sequence[str]) -> None:
        """Do the jobs that writes left; of those for a language model only the ones of these memories."""
        self._engine.accesses.write(self._engine.store)
        self._engine.counters.queued = 0
        for start in range(0, max(len(memory_ids), 1), _IDS_AT_ONCE):
            self._finish(None, tuple(prepare.job_of(each) for each in memory_ids[start : start + _IDS_AT_ONCE]))

    def _finish(self, until: float | None, own: tuple[str, ...] | None = None) -> bool:
        """Run due jobs, of those for a language model only `own` ones; False if something is left."""
        engine, began = self._engine, self._engine.clock.now()  # proofs that were due by then are tried once
        kinds = tuple(kind for kind in self._kinds if kind != PROVE)
        while first := (
            self._first(kinds, engine.clock.now())
            or self._first((PROVE,), began)
            or self._first_for_model(own)
            or self._first((EMBED,))
        ):
            out_of_time = until is not None and time.monotonic() >= until
            if out_of_time or (first.kind == EMBED and engine.embedder is None) or engine.store.read_only:
                return False
            if jobs := self._claim(kinds) or self._claim((PROVE,), most=1, by=began) or self._claim_for_model(own):
                self.run(jobs)
            elif self._busy or (first.state is JobState.QUEUED and first.run_at > engine.clock.now()):
                return False
            else:
                time.sleep(0.01)  # another worker has them
        if not self._model_kinds:
            return True
        retried = [Test("kind", "eq", ENRICH), Test("state", "eq", JobState.QUEUED), Test("attempts", "gt", 0)]
        with engine.store.read() as reader:
            return not reader.find(Job, retried, order="run_at", limit=1)

    def _claim_for_model(self, own: tuple[str, ...] | None) -> list[Job]:
        """Lease one job for a language model, of `own` ones if they are given."""
        if own is None:
            return self._claim(self._model_kinds, most=1) if time.monotonic() >= self._resting else []
        if (first := self._first_for_model(own)) is None:
            return []
        now, where = self._engine.clock.now(), [Test("id", "eq", first.id)]

        def change(transaction: Transaction) -> list[Job]:
            for job in transaction.find(Job, where, order="id"):
                expired = job.state is JobState.RUNNING and (job.lease_until or now) <= now
                if job.state is JobState.QUEUED or expired:
                    leased = {"state": JobState.RUNNING, "leased_by": self._name, "lease_until": now + _LEASE}
                    transaction.update(Job, where, attempts=job.attempts + 1, **leased)
                    return transaction.find(Job, where, order="id")
            return []

        return self._engine.store.write(change, first.org)

    def _first_for_model(self, own: tuple[str, ...] | None) -> Job | None:
        """Return the job for a language model that has been due longest; None while the model is not called."""
        resting = time.monotonic() < self._resting
        return None if resting else self._first(self._model_kinds, self._engine.clock.now(), own)

    def _hasten(self) -> None:
        """Make jobs due that wait for their next attempt, except those that wait for tomorrow's budget."""
        now, store = self._engine.clock.now(), self._engine.store
        later = [Test("state", "eq", JobState.QUEUED), Test("run_at", "gt", now)]
        waiting: list[list[Condition]] = [[Test("kind", "in", (EMBED, PROVE)), *later]]
        if self._model_kinds:
            waiting.append([Test("kind", "in", self._model_kinds), Test("attempts", "gt", 0), *later])
        for where in waiting:
            with store.read() as reader:
                found = reader.find(Job, where, order="run_at", limit=1)
            if found and not store.read_only:
                store.write(methodcaller("update", Job, where, run_at=now))

    def _first(
        self, kinds: Sequence[str], by: datetime | None = None, ids: Sequence[str] | None = None, *, late: bool = False
    ) -> Job | None:
        """Return the job that has been due longest, queued or running, or if `late` with an expired lease."""
        if not kinds:
            return None
        wanted: list[Condition] = [Test("kind", "in", tuple(kinds))]
        wanted += [Test("run_at", "le", by)] if by is not None else []
        wanted += [Test("id", "in", tuple(ids))] if ids is not None else []
        expired = [Test("lease_until", "le", self._engine.clock.now())] if late else []
        with self._engine.store.read() as reader:  # each state in the order of its index
            found = reader.find(Job, [Test("state", "eq", JobState.QUEUED), *wanted], order="run_at", limit=1)
            running = [Test("state", "eq", JobState.RUNNING), *wanted, *expired]
            found += reader.find(Job, running, order="run_at", limit=1)
        return min(found, key=lambda job: job.run_at, default=None)

    def sweep(self, scope: Scope, *, dry_run: bool) -> Sweep:
        """Do in this thread all timed work of a view; see `MemoryManager.sweep`."""
        if not dry_run:
            self._engine.accesses.write(self._engine.store)
            records.remove_expired(self._engine, scope)
        done = sweeps.run_round(self._engine, scope, dry_run=dry_run)
        kinds = tuple(kind for kind in (*self._kinds, *self._model_kinds) if kind in (EMBED, ENRICH))

        def count(*tests: Test) -> int:
            with self._engine.store.read(scope.org) as reader:
                return reader.count(Job, within(scope).but(*tests))[""]

        texts = Test("kind", "in", kinds), Test("state", "ne", JobState.DEAD)
        jobs = count(*texts) if kinds else 0
        if not dry_run:
            self.flush(None)
            jobs = max(jobs - (count(*texts) if kinds else 0), 0)
        dead = count(Test("state", "eq", JobState.DEAD))
        return Sweep(len(done.expired), len(done.archived), done.ended, jobs, dead, dry_run)

    def close(self) -> None:
        """Finish the running job, leave the rest queued, write the access counts."""
        self._stopping = True
        self.wanted.set()
        thread = self._thread
        if thread is not None and thread is not threading.current_thread():
            thread.join()
        self._engine.accesses.write(self._engine.store)


_workers: WeakSet[Worker] = WeakSet()


def _begin_in_child() -> None:
    for worker in list(_workers):
        worker._begin()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_begin_in_child)


def job_page(
    engine: Engine, scope: Scope, *, state: JobStateName | JobState | None, limit: int, cursor: str | None
) -> Page[Job]:
    """Return a page of the jobs of a view, ordered by id; see `Lifecycle.jobs`."""
    checked_limit(limit)
    if state is not None:
        checked_choice(state, "state", JobStateName)
    if cursor is not None and not isinstance(cursor, str):
        raise TypeError(f"cursor is the `next` of a page, not a {type(cursor).__name__}")
    tests = [Test("id", "gt", cursor or "")] + ([] if state is None else [Test("state", "eq", state)])
    with engine.store.read(scope.org) as reader:
        found = reader.find(Job, within(scope).but(*tests), order="id", limit=limit + 1)
    return Page(found[:limit], found[limit - 1].id if len(found) > limit else None)


def retry_job(engine: Engine, scope: Scope, job_id: str) -> Job:
    """Queue a job again now with all its attempts; a running one stays as it is."""
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
