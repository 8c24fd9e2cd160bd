"""Indexing anew, while reads and writes go on: for another embedder, another analyser, or vectors that were never made.

What is done is recorded batch by batch, so a run that was stopped or killed goes on where it was. Until the end the old
embedder answers questions; then, where no write is under way, the new one comes into force and other vectors leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from engrain.arrays import Floats
from engrain.engine import Engine
from engrain.graph.entity_store import Recorder, read_topics
from engrain.model.filters import Test
from engrain.model.memory import EMBED, Job, JobState, Status
from engrain.model.results import Reindexed
from engrain.protocols import Embedder
from engrain.storage.interface import Reader, Transaction, by_org, highest
from engrain.storage.rows import FACT, STORE_ORG, Posting, Record, RelationRow, Setting, Vector
from engrain.transfer.declared import TOKENS, made_with, reading, setting
from engrain.write.ingest import Progress, checked_progress, report_progress
from engrain.write.prepare import embed_job, index, index_text, vectors

BATCH = 256
WINDOW = 4_096  # row numbers compared at a time
PASSES = 5  # over what was written meanwhile; what is still without a vector then gets a job
TEXTS_DONE = "reindexed"


def reindex(engine: Engine, embedder: Embedder | None, *, progress: Progress | None = None) -> Reindexed:
    """Give every memory its postings and its vector by `embedder`, then put that in force; see `MemoryManager.reindex`.

    It is the engine's embedder from then on.
    """
    run = _Run(engine, embedder, checked_progress(progress), _texts_done(engine))
    for _ in range(PASSES):
        if not run.go_through():
            break
    run.finish()
    run.go_through()
    return Reindexed(run.looked, run.embedded, run.texts, run.clear())


def _texts_done(engine: Engine) -> int | None:
    """Return the last row that a stopped run has indexed anew, 0 at the beginning, None when no text needs it."""
    read_by = reading(engine)
    if setting(engine.store, TOKENS) == read_by:
        return None
    begun, _, num = (setting(engine.store, TEXTS_DONE) or "").rpartition(" ")
    return int(num) if begun == read_by else 0


@dataclass(frozen=True, slots=True)
class _Batch:
    """Memories that lack a vector, with it, and those whose terms are to be made anew."""

    missing: Sequence[tuple[Record, Floats]]
    stale: Sequence[Record]

    def by_org(self) -> dict[str, _Batch]:
        """Return it by the orgs that its memories are of."""
        missing = by_org(self.missing, lambda each: _org(each[0]))
        stale = by_org(self.stale, _org)
        return {org: _Batch(missing.get(org, ()), stale.get(org, ())) for org in {**missing, **stale}}


@dataclass(slots=True)
class _Run:
    """One run: what it is to do, and what it has done."""

    engine: Engine
    embedder: Embedder | None
    listener: Progress | None
    texts_done: int | None
    looked: int = 0
    embedded: int = 0
    texts: int = 0
    _total: int = field(default=0, init=False)
    _reported: int = field(default=-1, init=False)

    def go_through(self) -> int:
        """Look at every memory and do what is still to be done; return how many needed something."""
        with self.engine.store.read() as reader:
            self._total = reader.count(Record)[""]
        self.looked = done = 0
        for nums, lacking in self._windows():
            stale = () if self.texts_done is None else (num for num in nums if num > self.texts_done)
            wanted = sorted(lacking.union(stale))
            for start in range(0, len(wanted), BATCH):
                part = wanted[start : start + BATCH]
                done += self._do(part, lacking)
                self._tell(self.looked + sum(num <= part[-1] for num in nums))
            self.looked += len(nums)
            self._tell(self.looked)
        return done

    def _tell(self, looked: int) -> None:
        if looked <= self._reported:  # later passes look again at what is done
            return
        self._reported = looked
        report_progress(
            self.listener, looked, max(looked, self._total), f"{self.embedded:,} vectors, {self.texts:,} texts"
        )

    def _windows(self) -> Iterator[tuple[list[int], set[int]]]:
        """Yield the rows, some at a time, with those among them that lack a vector; rows written meanwhile too."""
        last = 0
        while True:
            with self.engine.store.read() as reader:
                top = highest(reader, Record, "num") or 0
                nums, lacking = _window(reader, self.embedder, last)
            if nums:
                yield nums, lacking
            if (last := last + WINDOW) >= top:
                return

    def _do(self, nums: Sequence[int], lacking: set[int]) -> int:
        with self.engine.store.read() as reader:
            rows = reader.find(Record, [Test("num", "in", tuple(nums))], order="num")
        missing = [row for row in rows if row.num in lacking and row.memory.status is not Status.FORGOTTEN]
        made: Sequence[Floats] = ()
        if self.embedder is not None and missing:
            texts = [index_text(row.memory, situate=self.engine.settings.situate) for row in missing]
            made = list(vectors(self.embedder, texts))  # while no transaction waits for it
        done = self.texts_done
        stale = [] if done is None else [row for row in rows if row.num > done]
        batch = _Batch(list(zip(missing, made, strict=False)), stale)
        for org, some in batch.by_org().items():
            self.embedded += self.engine.store.write(partial(_write, self.engine, self.embedder, some), org)
        if stale:  # whoever is stopped before this is noted reads some texts again, which changes nothing
            self.texts_done = stale[-1].num
            reached = Setting(TEXTS_DONE, f"{reading(self.engine)} {self.texts_done}")
            self.engine.store.write(lambda transaction: transaction.put(reached), STORE_ORG)
        self.texts += len(stale)
        return len(missing) + len(stale)

    def finish(self) -> None:
        """Put the embedder in force. A write that embeds with the old one right now finds out when it commits."""
        engine, before = self.engine, self.engine.embedder

        def change(transaction: Transaction) -> None:
            transaction.put(Setting(TOKENS, reading(engine)))
            transaction.delete(Setting, [Test("name", "eq", TEXTS_DONE)])
            if self.embedder is not None:
                self._come_into_force(transaction, self.embedder)
            engine.embedder = self.embedder  # here, as no other write of this process runs beside this one

        try:
            engine.store.write(change)
        except BaseException:
            engine.embedder = before
            raise
        self.texts_done = None

    def _come_into_force(self, transaction: Transaction, embedder: Embedder) -> None:
        transaction.put(*(Setting(name, value) for name, value in made_with(embedder).items()))
        transaction.delete(Job, [Test("kind", "eq", EMBED), Test("state", "eq", JobState.DEAD)])
        now, top = self.engine.clock.now(), highest(transaction, Record, "num") or 0
        for last in range(0, top, WINDOW):
            _, lacking = _window(transaction, embedder, last)
            for row in transaction.find(Record, [Test("num", "in", tuple(lacking))]) if lacking else ():
                if row.memory.status is not Status.FORGOTTEN:
                    transaction.put(embed_job(self.engine.new_id, row.memory, now))

    def clear(self) -> int:
        """Remove the vectors of other embedders, some at a time, so that no write waits long; return how many."""
        if self.embedder is None:
            return 0
        with self.engine.store.read() as reader:
            top = highest(reader, Record, "num") or 0
        removed = 0
        for last in range(0, top, WINDOW):
            others = [*_between(last), Test("embedder", "ne", self.embedder.id)]
            with self.engine.store.read() as reader:
                some = reader.count(Vector, others)[""]
            if some:
                removed += self._without(others)
        return removed

    def _without(self, others: Sequence[Test]) -> int:
        """Remove vectors, org by org; what one is of, its memory says."""
        with self.engine.store.read() as reader:
            nums = tuple(map(int, reader.count(Vector, others, by="num")))
            orgs = by_org(reader.find(Record, [Test("num", "in", nums)], order="num"), _org)
        writes = ([*others, Test("num", "in", tuple(row.num for row in rows))] for rows in orgs.values())
        return sum(self.engine.store.write(partial(_gone, some), org) for org, some in zip(orgs, writes, strict=True))


def _org(record: Record) -> str:
    return record.memory.scope.org


def _gone(others: Sequence[Test], transaction: Transaction) -> int:
    return transaction.delete(Vector, others)


def _between(last: int) -> list[Test]:
    return [Test("num", "gt", last), Test("num", "le", last + WINDOW)]


def _window(reader: Reader, embedder: Embedder | None, last: int) -> tuple[list[int], set[int]]:
    """Return the rows after `last`, as many as a window holds, and those among them without a vector by `embedder`."""
    nums = sorted(map(int, reader.count(Record, _between(last), by="num")))
    if embedder is None:
        return nums, set()
    have = reader.count(Vector, [*_between(last), Test("embedder", "eq", embedder.id)], by="num")
    return nums, set(nums) - set(map(int, have))


def _write(engine: Engine, embedder: Embedder | None, batch: _Batch, transaction: Transaction) -> int:
    """Put what a batch holds of the memories as they are now; return how many vectors that were."""
    nums = tuple({row.num for row in (*(record for record, _ in batch.missing), *batch.stale)})
    now = {row.num: row for row in transaction.find(Record, [Test("num", "in", nums)])}
    put = 0 if embedder is None else _put_vectors(engine, embedder, batch, now, transaction)
    if batch.stale:
        transaction.delete(Posting, [Test("num", "in", tuple(row.num for row in batch.stale))])
    recorder = Recorder(transaction, engine.packs, engine.new_id, engine.clock.now())
    for record in batch.stale:
        if current := now.get(record.num):
            _read_again(engine, transaction, recorder, current)
    return put


def _read_again(engine: Engine, transaction: Transaction, recorder: Recorder, record: Record) -> None:
    """Index a text by the words it has, and put what it is about in place of what was read in it before."""
    here = [Test("num", "eq", record.num)]
    given = transaction.find(RelationRow, [*here, Test("origin", "eq", FACT)], order="id", limit=1)
    about = read_topics(record.memory, engine.packs, fact_given=bool(given))
    indexed = index(record.memory, situate=engine.settings.situate)
    namespace = _namespace(transaction, record)
    transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))
    names = about.names or record.memory.entities
    transaction.update(Record, here, length=indexed.length, marks=indexed.marks, entities=names)
    if record.memory.status is not Status.QUARANTINED:
        recorder.again(record.num, record.memory, about)


def _put_vectors(
    engine: Engine, embedder: Embedder, batch: _Batch, now: dict[int, Record], transaction: Transaction
) -> int:
    """Keep the vectors of what says the same still; of the embedder in force they are the work of waiting jobs."""
    indexed, done = partial(index_text, situate=engine.settings.situate), list[str]()
    for record, vector in batch.missing:
        current = now.get(record.num)
        if current is not None and indexed(current.memory) == indexed(record.memory):
            transaction.put(Vector(_namespace(transaction, current), embedder.id, record.num, vector))
            done.append(current.memory.id)
    if done and engine.embedder is not None and engine.embedder.id == embedder.id:
        queued = [Test("kind", "eq", EMBED), Test("state", "eq", JobState.QUEUED)]
        transaction.delete(Job, [*queued, Test("memory_id", "in", tuple(done))])
    return len(done)


def _namespace(transaction: Transaction, record: Record) -> int:
    return transaction.namespace(record.memory.scope.org, record.memory.scope.user)
