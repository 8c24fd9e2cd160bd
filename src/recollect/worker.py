"""Queued jobs, run by a thread of the process or in a caller's own: leased, retried with back-off, dead-lettered.

A job is written in the transaction that made it necessary and removed in the one that did its work, so a worker
killed at any instant neither loses it nor does it twice.
"""

from __future__ import annotations

import os
import threading
import time
import uuid
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from recollect.engine import Engine
from recollect.errors import ProviderError, StoreError
from recollect.filters import Test
from recollect.foreign import log
from recollect.models import Job, JobState, Memory, Status
from recollect.numeric import Floats
from recollect.protocols import Embedder, Record, Transaction, Vector
from recollect.read.access import AccessLog
from recollect.working.ending import end_idle
from recollect.working.idling import IDLE as IDLE_SESSION
from recollect.write.embedding import vectors
from recollect.write.enrichment import index_text

MAX_ATTEMPTS, LONGEST_WAIT = 10, 3600  # seconds: a provider that is down for three hours loses no job
LEASE = timedelta(seconds=60)
BATCH = 32
IDLE, PAUSE = 30.0, 0.5  # seconds until an idle thread ends, and between looks
LONGEST_PAUSE = 60.0  # seconds, while what is left is due later
_EMBED = "embed"


class Worker:
    """Runs the jobs of one store. The thread starts with the first reason to and ends when there is nothing to do."""

    def __init__(self, engine: Engine, accesses: AccessLog) -> None:
        self._engine = engine
        self._accesses = accesses
        self._name = f"{os.getpid()}-{uuid.uuid4().hex[:12]}"
        self._lock = threading.Lock()
        self._wanted = threading.Event()
        self._stopping = False
        self._thread: threading.Thread | None = None
        self._owner = os.getpid()
        self._later: datetime | None = None  # when the next session may have to be ended

    def wake(self) -> None:
        """Say that there is something to do."""
        if self._engine.settings.worker == "none":
            if self._accesses.due():
                self._accesses.write(self._engine)
            return
        if self._owner != os.getpid():  # a fork: the thread stayed with the parent
            self._owner, self._thread, self._lock = os.getpid(), None, threading.Lock()
        with self._lock:
            self._wanted.set()
            if not self._stopping and (self._thread is None or not self._thread.is_alive()):
                self._thread = threading.Thread(target=self._loop, name="recollect-worker", daemon=True)
                self._thread.start()

    def _loop(self) -> None:
        idle_since = time.monotonic()
        while not self._stopping:
            try:
                busy = self._work()
            except Exception as error:
                log.warning("the worker stumbled and goes on: %s", error, exc_info=not isinstance(error, StoreError))
                busy = False
            if busy or self._accesses.waiting:
                idle_since = time.monotonic()
            with self._lock:
                if self._later is None and time.monotonic() - idle_since > IDLE and not self._wanted.is_set():
                    self._thread = None
                    return
            if not busy:
                self._wanted.wait(self._pause(time.monotonic() - idle_since))
                self._wanted.clear()

    def _pause(self, idle: float) -> float:
        """Return for how many seconds to wait: a long time once all there is to wait for is a session's end."""
        if self._later is None or idle <= IDLE:
            return PAUSE
        return min(max((self._later - self._engine.clock.now()).total_seconds(), PAUSE), LONGEST_PAUSE)

    def _work(self) -> bool:
        if self._accesses.due():
            self._accesses.write(self._engine)
        self._engine.counters.queued = 0
        jobs = self._claim()
        self.run(jobs)
        self._later = self._next_end()
        return bool(jobs)

    def _next_end(self) -> datetime | None:
        """Return when the next session may have to be ended, None when none is open."""
        if self._engine.store.read_only:
            return None
        with self._engine.store.read() as reader:
            open_ = [Test("kind", "eq", IDLE_SESSION), Test("state", "ne", JobState.DEAD)]
            found = reader.find(Job, open_, order="run_at", limit=1)
        return found[0].run_at if found else None

    # ----------------------------------------------------------------------------------------------------------- jobs

    def _claim(self) -> list[Job]:
        """Lease what is due; the store is asked for the write lock only when there is something."""
        engine = self._engine
        if engine.store.read_only:
            return []
        now, first = engine.clock.now(), self._first(due=True)
        if first is None:
            return []

        def change(transaction: Transaction) -> list[Job]:
            claimed: list[Job] = []
            while len(claimed) < BATCH:
                job = transaction.claim(self._kinds, worker=self._name, now=now, lease_until=now + LEASE)
                if job is None:
                    break
                claimed.append(job)
            return claimed

        return engine.store.write(change)

    def run(self, jobs: Sequence[Job]) -> None:
        """Do leased jobs: together if that works, else one by one, so that one bad text spoils no other."""
        texts = [job for job in jobs if job.kind == _EMBED]
        for some in (texts, *([job] for job in jobs if job.kind == IDLE_SESSION)):
            if some:
                self._run(some)

    def _run(self, jobs: Sequence[Job]) -> None:
        embedder = self._engine.embedder
        try:
            if jobs[0].kind == IDLE_SESSION:
                self._end(jobs[0])
            elif embedder is not None:
                self._embed(jobs, embedder)
        except Exception as error:
            if len(jobs) > 1:
                for job in jobs:
                    self._run([job])
                return
            log.warning("job %s failed (attempt %d): %s", jobs[0].id, jobs[0].attempts, error)
            self._failed(jobs[0], error)

    def _end(self, job: Job) -> None:
        """End a session in which nothing was said for long enough, or look again when that may be so."""
        later = end_idle(self._engine, job)
        mine = [Test("id", "eq", job.id), Test("leased_by", "eq", self._name)]
        if later is None:
            self._engine.store.write(lambda transaction: transaction.delete(Job, mine))
        else:
            again = {"run_at": later, "state": JobState.QUEUED, "leased_by": "", "lease_until": None, "attempts": 0}
            self._engine.store.write(lambda transaction: transaction.update(Job, mine, **again))

    @property
    def _kinds(self) -> tuple[str, ...]:
        """The jobs that can be done here."""
        return (IDLE_SESSION,) if self._engine.embedder is None else (_EMBED, IDLE_SESSION)

    def _embed(self, jobs: Sequence[Job], embedder: Embedder) -> None:
        engine = self._engine
        ids = tuple(job.memory_id for job in jobs)
        with engine.store.read() as reader:
            records = {r.memory.id: r for r in reader.find(Record, [Test("id", "in", ids)])}
        wanted = [records[i] for i in dict.fromkeys(ids) if i in records and _needed(records[i].memory)]
        texts = [index_text(record.memory, situate=engine.settings.situate) for record in wanted]
        rows: Sequence[Floats] = list(vectors(embedder, texts)) if texts else []

        def change(transaction: Transaction) -> None:
            held = {r.num: r for r in transaction.find(Record, [Test("num", "in", tuple(r.num for r in wanted))])}
            for record, row in zip(wanted, rows, strict=True):
                now = held.get(record.num)
                if now is not None and now.memory.content == record.memory.content:
                    scope = record.memory.scope
                    transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, row))
            done = [Test("id", "in", tuple(job.id for job in jobs)), Test("leased_by", "eq", self._name)]
            transaction.delete(Job, done)

        engine.store.write(change)

    def _failed(self, job: Job, error: BaseException) -> None:
        dead = job.attempts >= MAX_ATTEMPTS
        later = self._engine.clock.now() + timedelta(seconds=min(4 ** (job.attempts - 1), LONGEST_WAIT))
        after = replace(
            job,
            state=JobState.DEAD if dead else JobState.QUEUED,
            error=f"{type(error).__name__}: {error}"[:500]
            if isinstance(error, ProviderError)
            else type(error).__name__,
            run_at=later,
            leased_by="",
            lease_until=None,
        )
        self._engine.store.write(lambda transaction: transaction.put(after))

    # ---------------------------------------------------------------------------------------------------------- ending

    def flush(self, timeout: float | None, *, early: bool = True) -> bool:
        """Do what is queued now, in this thread; `early` also takes what failed before and waits to be tried again.

        What fails is left for later, so that an embedder that is down does not use up a job's attempts. False when
        something is left: time ran out, it failed, or there is no embedder.
        """
        engine = self._engine
        until = None if timeout is None else time.monotonic() + timeout
        self._accesses.write(engine)
        engine.counters.queued = 0
        if early:
            self._hasten()
        while first := self._first(due=True) or self._first():
            out_of_time = until is not None and time.monotonic() >= until
            if out_of_time or first.kind not in self._kinds or engine.store.read_only:
                return False
            if jobs := self._claim():
                self.run(jobs)
            elif first.state is JobState.QUEUED and first.run_at > engine.clock.now():
                return False
            else:
                time.sleep(0.01)  # another worker has them
        return True

    def _hasten(self) -> None:
        """Let what waits to be tried again be due now."""
        now, store = self._engine.clock.now(), self._engine.store
        waiting = [Test("kind", "eq", _EMBED), Test("state", "eq", JobState.QUEUED), Test("run_at", "gt", now)]
        with store.read() as reader:
            found = reader.find(Job, waiting, order="run_at", limit=1)
        if found and not store.read_only:
            store.write(lambda transaction: transaction.update(Job, waiting, run_at=now))

    def _first(self, *, due: bool = False) -> Job | None:
        """Return the job that has been due longest, whoever has it now; None when there is none left to do.

        One that is not `due` counts as left when it is a text's: a session that may still be spoken in has no end yet.
        """
        wanted = [Test("kind", "eq", _EMBED), Test("state", "ne", JobState.DEAD)]
        if due:
            wanted = [Test("kind", "in", self._kinds), wanted[1], Test("run_at", "le", self._engine.clock.now())]
        with self._engine.store.read() as reader:
            return next(iter(reader.find(Job, wanted, order="run_at", limit=1)), None)

    def close(self) -> None:
        """Finish the running job, leave the rest queued, write the access counts."""
        self._stopping = True
        self._wanted.set()
        thread = self._thread
        if thread is not None and self._owner == os.getpid() and thread is not threading.current_thread():
            thread.join()
        self._accesses.write(self._engine)


def _needed(memory: Memory) -> bool:
    return memory.status is not Status.FORGOTTEN
