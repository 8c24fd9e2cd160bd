"""Queued jobs and timed sweeps, run by a thread of the process or in a caller's own.

Jobs are leased, retried with back-off, dead-lettered. A job is written in the transaction that made it necessary and
removed in the one that did its work: a worker killed at any instant neither loses it nor does it twice. The sweep is a
job too, one for a store, put off by `settings.sweep_minutes` when it has run. Language models are asked last.
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
from typing import TYPE_CHECKING

from engrain.conversation import session_end as ending
from engrain.engine import Engine
from engrain.errors import ProviderError, StoreError
from engrain.guard import log
from engrain.lazy import Later
from engrain.llm.asker import Spent
from engrain.model.filters import Condition, Test, within
from engrain.model.memory import EMBED, ENRICH, IDLE, PROVE, SWEEP, Job, JobState, Scope
from engrain.model.results import Sweep
from engrain.model.scope import acting
from engrain.read.access import AccessLog
from engrain.storage.interface import Transaction
from engrain.storage.rows import STORE_ORG
from engrain.write.prepare import job_of

if TYPE_CHECKING:
    from engrain.erasure import receipts
    from engrain.lifecycle import enrichment as backlog
    from engrain.lifecycle import enrichment as enriching
    from engrain.lifecycle import enrichment as holding
    from engrain.lifecycle import sweeps as rounds
else:
    receipts = Later("engrain.erasure.receipts")
    backlog, enriching, holding, rounds = [
        Later("engrain.lifecycle.enrichment"),
        Later("engrain.lifecycle.enrichment"),
        Later("engrain.lifecycle.enrichment"),
        Later("engrain.lifecycle.sweeps"),
    ]

MAX_ATTEMPTS, LONGEST_WAIT = 10, 3600  # seconds: a provider that is down for three hours loses no job
LEASE, BATCH = timedelta(seconds=60), 32
AWHILE, PAUSE = 30.0, 0.5  # seconds until an idle thread takes longer pauses, and between looks until then
LONGEST_PAUSE = 60.0  # seconds, while what is left is due later
_TOGETHER = 500  # jobs that are looked for together
REST = 300.0  # seconds at most for which nobody asks a language model that fails
_BREATH = _AGAIN = timedelta(seconds=10)  # to the next sweep while many episodes wait, or look at what is pinned
_SWEEP_ID = "job_sweep"
_SETTLED = 5.0  # seconds that a thread lives before it sweeps: a program that asks one question is not kept waiting


class Worker:
    """Runs the jobs of one store. The thread starts with the first reason to, and ends with the manager."""

    def __init__(self, engine: Engine, accesses: AccessLog) -> None:
        self._engine = engine
        self._accesses = accesses
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._stopping = False
        self._told = threading.Event()  # by whoever lends a thread
        self._here = threading.local()  # until when this thread has time, and whether it does a job
        self._begin()

    def _begin(self) -> None:
        """Take a name of one's own: what is leased under it was leased by this process."""
        self._owner = os.getpid()
        self._name = f"{self._owner}-{uuid.uuid4().hex[:12]}"
        self._thread: threading.Thread | None = None
        self._since = time.monotonic()
        self._later: datetime | None = None  # when there may be something to do next
        self._failures, self._resting = 0, 0.0  # of the language model, one after another; until when it is left alone

    def wake(self, *, now: bool = True) -> None:
        """Say that there is something to do `now`, or else only that there will be."""
        if self._engine.settings.worker == "none":
            if self._accesses.due():
                self._accesses.write(self._engine)
            return
        self._notice_fork()
        with self._lock:
            if now:
                self._wanted.set()
            if not self._stopping and (self._thread is None or not self._thread.is_alive()):
                self._since = time.monotonic()
                self._thread = threading.Thread(target=self._loop, name="engrain-worker", daemon=True)
                self._thread.start()

    def _notice_fork(self) -> None:
        if self._owner != os.getpid():  # the thread stayed with the parent, and so does what it has leased
            self._lock = threading.Lock()
            self._begin()

    def serve(self, stop: threading.Event) -> None:
        """Work in this thread until `stop` is set: what is due first, then whatever comes up."""
        self._since -= _SETTLED
        self._told = stop
        while not stop.is_set():
            if not self._turn(rests=False):
                stop.wait(PAUSE)

    def _loop(self) -> None:
        idle_since = time.monotonic()
        while not self._stopping:
            rests = time.monotonic() - idle_since > AWHILE
            busy = self._turn(rests)
            if busy or self._accesses.waiting:
                idle_since, rests = time.monotonic(), False
            if not busy:
                self._wanted.wait(self._pause() if rests else PAUSE)
                self._wanted.clear()

    def _turn(self, rests: bool) -> bool:
        """Do some of what is due; say whether there was anything."""
        try:
            return self._work(rests)
        except Exception as error:
            log.warning("the worker stumbled and goes on: %s", error, exc_info=not isinstance(error, StoreError))
            return False

    def _pause(self) -> float:
        """Return for how many seconds to rest: a long time once all there is to wait for is due later."""
        left = LONGEST_PAUSE if self._later is None else (self._later - self._engine.clock.now()).total_seconds()
        return min(max(left, PAUSE), LONGEST_PAUSE)

    def _work(self, rests: bool = True) -> bool:
        """Do some of what is due; what is due later is asked for, of every org, by who is to rest until then."""
        if self._accesses.due():
            self._accesses.write(self._engine)
        self._engine.counters.queued = 0
        settled = time.monotonic() - self._since >= _SETTLED
        jobs = self._claim((*self._kinds, SWEEP) if settled else [kind for kind in self._kinds if kind != IDLE])
        if not jobs and time.monotonic() >= self._resting:
            jobs = self._claim(self._asking, most=1)
        self.run(jobs)
        if rests or self._later is None:
            self._later = self._next()
        return bool(jobs)

    def _next(self) -> datetime | None:
        """Return when there may be something to do next: a session that ends, a sweep, which is put down if need be."""
        engine = self._engine
        if engine.store.read_only:
            return None
        with engine.store.read() as reader:
            timed = [Test("kind", "in", (IDLE, SWEEP)), Test("state", "ne", JobState.DEAD)]
            found = reader.find(Job, timed, order="run_at", limit=1)
        with engine.store.read(STORE_ORG) as reader:
            swept = reader.find(Job, [Test("id", "eq", _SWEEP_ID)], limit=1)
        if swept:
            return found[0].run_at if found else None
        later = engine.clock.now() + self._interval
        first = Job(_SWEEP_ID, SWEEP, "", "", later)
        engine.store.write(lambda tx: tx.find(Job, [Test("id", "eq", _SWEEP_ID)]) or tx.put(first), STORE_ORG)
        return min(found[0].run_at, later) if found else later

    @property
    def _interval(self) -> timedelta:
        return timedelta(minutes=self._engine.settings.sweep_minutes)

    # ----------------------------------------------------------------------------------------------------------- jobs

    def _claim(self, kinds: Sequence[str], *, most: int = BATCH, by: datetime | None = None) -> list[Job]:
        """Lease what is due, if some of it was `by` then; the write lock is asked for only when there is something."""
        engine = self._engine
        self._notice_fork()
        if engine.store.read_only:
            return []
        now = engine.clock.now()
        if self._first(kinds, by or now, late=True) is None:
            return []

        def change(transaction: Transaction) -> list[Job]:
            claimed: list[Job] = []
            while len(claimed) < most:
                job = transaction.claim(kinds, worker=self._name, now=now, lease_until=now + LEASE)
                if job is None:
                    break
                claimed.append(job)
            return claimed

        return engine.store.write(change)

    @acting(None)  # nobody's, whoever waits for it
    def run(self, jobs: Sequence[Job]) -> None:
        """Do leased jobs: texts together if that works, else one by one, so that one bad text spoils no other."""
        texts = [job for job in jobs if job.kind == EMBED]
        for some in (texts, *([job] for job in jobs if job.kind != EMBED)):
            if some:
                self._run(some)

    def _run(self, jobs: Sequence[Job]) -> None:
        """Do jobs; what took down every worker that tried it is given up, and what is broken off given back."""
        if len(jobs) == 1 and jobs[0].attempts > MAX_ATTEMPTS:
            self._failed(jobs[0], ProviderError("no worker lived to the end of it"))
            return
        outer, self._here.busy = self._busy, True
        try:
            self._do(jobs)
        except Spent:
            enriching.put_off(self._engine, jobs[0], self._held(jobs[0]))
        except holding.LeftForLater:
            self._give_back(jobs[0], attempts=jobs[0].attempts - 1)
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
                    self._give_back(job)
            raise
        finally:
            self._here.busy = outer

    @property
    def _busy(self) -> bool:
        """Whether this thread does a job: what is asked of it meanwhile is asked by that job."""
        return getattr(self._here, "busy", False)

    def _give_back(self, job: Job, **more: int) -> None:
        """Let a job be done by whoever comes next."""
        free = {"state": JobState.QUEUED, "leased_by": "", "lease_until": None, **more}
        self._engine.store.write(lambda transaction: transaction.update(Job, self._held(job), **free), job.org)

    def _do(self, jobs: Sequence[Job]) -> None:
        """Do jobs of one kind: several texts at once, of all else one."""
        engine, job = self._engine, jobs[0]
        if job.kind == IDLE:
            self._put_off(job, ending.end_idle(engine, job))
        elif job.kind == PROVE:
            self._put_off(job, None if receipts.finish(engine, job) else engine.clock.now() + _AGAIN)
        elif job.kind == SWEEP:
            done = rounds.everything_due(engine, None, going_on=lambda: self._keep(job))
            soon = min(self._interval, _BREATH) if done.unfinished else self._interval
            self._put_off(job, engine.clock.now() + soon)
        elif job.kind == ENRICH:
            enriching.enrich(engine, job, self._held(job), lambda: self._keep(job))
            self._failures, self._resting = 0, 0.0
        elif (embedder := engine.embedder) is not None:
            backlog.embed_all(engine, jobs, embedder, self._mine)

    @property
    def _mine(self) -> list[Condition]:
        """What holds of a job as long as no other worker has taken it over."""
        return [Test("leased_by", "eq", self._name)]

    def _held(self, job: Job) -> list[Condition]:
        """What finds a job as long as no other worker has taken it over, and nobody has put it anew."""
        return [Test("id", "eq", job.id), Test("state", "eq", JobState.RUNNING), *self._mine]

    @property
    def _asking(self) -> tuple[str, ...]:
        """The jobs that a language model is asked for, where there is one."""
        return () if self._engine.llm is None else (ENRICH,)

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The jobs that can be done here at any time."""
        return (PROVE, IDLE) if self._engine.embedder is None else (EMBED, PROVE, IDLE)

    def _keep(self, job: Job) -> bool:
        """Hold on to a job that takes long; False when it is to be left for later."""
        answer = timedelta(seconds=3 * self._engine.settings.llm_timeout) if job.kind == ENRICH else timedelta(0)
        leased = self._engine.clock.now() + LEASE + answer
        mine = [Test("id", "eq", job.id), *self._mine]
        self._engine.store.write(lambda transaction: transaction.update(Job, mine, lease_until=leased), job.org)
        until = getattr(self._here, "until", None)
        return not (self._stopping or self._told.is_set() or (until is not None and time.monotonic() >= until))

    def _put_off(self, job: Job, later: datetime | None) -> None:
        """Do a job again later; None when it is done for good."""
        mine = [Test("id", "eq", job.id), *self._mine]
        if later is None:
            self._engine.store.write(lambda transaction: transaction.delete(Job, mine), job.org)
        else:
            again = {"run_at": later, "state": JobState.QUEUED, "leased_by": "", "lease_until": None, "attempts": 0}
            self._engine.store.write(lambda transaction: transaction.update(Job, mine, **again), job.org)

    def _failed(self, job: Job, error: BaseException) -> None:
        if job.kind == ENRICH:
            self._failures += 1
            self._resting = time.monotonic() + min(2.0**self._failures, REST)
        dead = job.attempts >= MAX_ATTEMPTS and job.kind != SWEEP  # without which nothing would ever leave
        rested = job.attempts > MAX_ATTEMPTS and job.kind == SWEEP  # it has been left alone once, and is tried again
        later = self._engine.clock.now() + timedelta(seconds=min(4 ** (job.attempts - 1), LONGEST_WAIT))
        after = replace(
            job,
            state=JobState.DEAD if dead else JobState.QUEUED,
            error=f"{type(error).__name__}: {error}"[:500]
            if isinstance(error, ProviderError)
            else type(error).__name__,
            run_at=later,
            attempts=0 if rested else job.attempts,
            leased_by="",
            lease_until=None,
        )
        mine = [Test("id", "eq", job.id), *self._mine]
        self._engine.store.write(lambda transaction: transaction.find(Job, mine) and transaction.put(after), job.org)

    # ---------------------------------------------------------------------------------------------------------- ending

    def flush(self, timeout: float | None) -> bool:
        """Do what is queued now, in this thread, and what failed before and waits to be tried again.

        What fails is left for later, so that an embedder or a model that is down does not use up a job's attempts.
        False when something is left: time ran out, it failed, there is no embedder, an erasure is pending; not what
        waits for a model where there is none, or for tomorrow's budget. Within a job no model is asked: False.
        """
        until = None if timeout is None else time.monotonic() + timeout
        self._accesses.write(self._engine)
        self._engine.counters.queued = 0
        self._hasten()
        self._resting = 0.0
        outer, self._here.until = getattr(self._here, "until", None), until
        try:
            return self._finish(until, () if self._busy else None) and not self._busy and not self._first((PROVE,))
        finally:
            self._here.until = outer

    def settle(self, memory_ids: Sequence[str]) -> None:
        """Do what writes left to do; of what a language model is asked for only what these memories wait for."""
        self._accesses.write(self._engine)
        self._engine.counters.queued = 0
        for start in range(0, max(len(memory_ids), 1), _TOGETHER):
            self._finish(None, tuple(job_of(each) for each in memory_ids[start : start + _TOGETHER]))

    def _finish(self, until: float | None, own: tuple[str, ...] | None = None) -> bool:
        """Do what is due, of the questions to a language model the `own` jobs alone; False when something is left."""
        engine, began = self._engine, self._engine.clock.now()  # what was to be proven by then is tried once
        kinds = tuple(kind for kind in self._kinds if kind != PROVE)
        proof = partial(self._first, (PROVE,), began)
        while first := self._first(kinds, engine.clock.now()) or proof() or self._asked(own) or self._first((EMBED,)):
            out_of_time = until is not None and time.monotonic() >= until
            if out_of_time or (first.kind == EMBED and engine.embedder is None) or engine.store.read_only:
                return False
            if jobs := self._claim(kinds) or self._claim((PROVE,), most=1, by=began) or self._claim_asked(own):
                self.run(jobs)
            elif self._busy or (first.state is JobState.QUEUED and first.run_at > engine.clock.now()):
                return False
            else:
                time.sleep(0.01)  # another worker has them
        return not self._failing

    def _asked(self, own: tuple[str, ...] | None) -> Job | None:
        """Return the question to a language model that has been due longest; None while the model is left alone."""
        if time.monotonic() < self._resting:
            return None
        return self._first(self._asking, self._engine.clock.now(), own)

    def _claim_asked(self, own: tuple[str, ...] | None) -> list[Job]:
        """Lease one question to a language model."""
        if (first := self._asked(own)) is None:
            return []
        if own is None:
            return self._claim(self._asking, most=1)
        now = self._engine.clock.now()

        def change(transaction: Transaction) -> list[Job]:
            job = next(iter(transaction.find(Job, [Test("id", "eq", first.id)], order="id")), None)
            taken = job is None or (job.state is not JobState.QUEUED and (job.lease_until or now) > now)
            if job is None or taken or job.state is JobState.DEAD:
                return []
            leased = {"state": JobState.RUNNING, "leased_by": self._name, "lease_until": now + LEASE}
            transaction.update(Job, [Test("id", "eq", job.id)], attempts=job.attempts + 1, **leased)
            return transaction.find(Job, [Test("id", "eq", job.id)], order="id")

        return self._engine.store.write(change, first.org)

    @property
    def _failing(self) -> bool:
        """Whether a question to a language model was tried in vain, and will be tried again."""
        if not self._asking:
            return False
        tried = [Test("kind", "eq", ENRICH), Test("state", "eq", JobState.QUEUED), Test("attempts", "gt", 0)]
        with self._engine.store.read() as reader:
            return bool(reader.find(Job, tried, order="run_at", limit=1))

    def _hasten(self) -> None:
        """Let what waits to be tried again be due now; what waits for tomorrow's budget was not tried."""
        now, store = self._engine.clock.now(), self._engine.store
        later = [Test("state", "eq", JobState.QUEUED), Test("run_at", "gt", now)]
        tried = [Test("kind", "in", self._asking), Test("attempts", "gt", 0)] if self._asking else []
        for those in ([Test("kind", "in", (EMBED, PROVE))], tried):
            waiting: list[Condition] = [*those, *later]
            with store.read() as reader:
                found = reader.find(Job, waiting, order="run_at", limit=1) if those else []
            if found and not store.read_only:
                store.write(partial(_due, waiting, now))

    def _first(
        self, kinds: Sequence[str], by: datetime | None = None, ids: Sequence[str] | None = None, *, late: bool = False
    ) -> Job | None:
        """Return the job that has been due longest, whoever has it, or had it for too long if `late`; None for none.

        One that is not due `by` now is none for a session: that may still be spoken in.
        """
        if not kinds:
            return None
        wanted: list[Condition] = [Test("kind", "in", tuple(kinds))]
        wanted += [Test("run_at", "le", by)] if by is not None else []
        wanted += [Test("id", "in", tuple(ids))] if ids is not None else []
        gone = [Test("lease_until", "le", self._engine.clock.now())] if late else []
        with self._engine.store.read() as reader:  # each state in the order of its index
            found = reader.find(Job, [Test("state", "eq", JobState.QUEUED), *wanted], order="run_at", limit=1)
            found += reader.find(Job, [Test("state", "eq", JobState.RUNNING), *wanted, *gone], order="run_at", limit=1)
        return min(found, key=lambda job: job.run_at, default=None)

    def sweep(self, scope: Scope, *, dry_run: bool) -> Sweep:
        """Do now, in this thread, all that time asks for in a view; see `MemoryManager.sweep`."""
        if not dry_run:
            self._accesses.write(self._engine)
        round_ = rounds.everything_due(self._engine, scope, dry_run=dry_run)
        done = self._waiting(scope)
        if not dry_run:
            self.flush(None)
            done = max(done - self._waiting(scope), 0)
        gone = len(round_.swept.expired), len(round_.swept.archived)
        return Sweep(*gone, round_.ended, done, self._dead(scope), dry_run)

    def _waiting(self, scope: Scope) -> int:
        """Count the texts of a view that wait for their vectors, or to be described."""
        kinds = tuple(kind for kind in (*self._kinds, *self._asking) if kind in (EMBED, ENRICH))
        if not kinds:
            return 0
        with self._engine.store.read(scope.org) as reader:
            where = within(scope).but(Test("kind", "in", kinds), Test("state", "ne", JobState.DEAD))
            return reader.count(Job, where)[""]

    def _dead(self, scope: Scope) -> int:
        with self._engine.store.read(scope.org) as reader:
            return reader.count(Job, within(scope).but(Test("state", "eq", JobState.DEAD)))[""]

    def close(self) -> None:
        """Finish the running job, leave the rest queued, write the access counts."""
        self._stopping = True
        self._wanted.set()
        thread = self._thread
        if thread is not None and self._owner == os.getpid() and thread is not threading.current_thread():
            thread.join()
        self._accesses.write(self._engine)


def _due(waiting: Sequence[Condition], now: datetime, transaction: Transaction) -> int:
    return transaction.update(Job, waiting, run_at=now)
