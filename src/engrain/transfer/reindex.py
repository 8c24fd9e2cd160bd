"""Indexing anew, while reads and writes go on: for another embedder, another analyser, or vectors that were never made.

What is done is recorded batch by batch, so a run that was stopped or killed goes on where it was. Until the end the old
embedder answers questions; then, where no write is under way, the new one comes into force and other vectors leave.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

from engrain.arrays import Floats
from engrain.engine import Engine
from engrain.graph.entity_store import Recorder, read_topics
from engrain.model.filters import Test
from engrain.model.memory import EMBED, Job, JobState, Status
from engrain.model.results import Reindexed
from engrain.protocols import Embedder
from engrain.storage.interface import Reader, Transaction
from engrain.storage.queries import highest
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
    return Reindexed(run.looked, run.embedded, run.texts, run.remove_other_vectors())


def _texts_done(engine: Engine) -> int | None:
    """Return the last row that a stopped run has indexed anew, 0 at the beginning, None when no text needs it."""
    read_by = reading(engine)
    if setting(engine.store, TOKENS) == read_by:
        return None
    begun, _, num = (setting(engine.store, TEXTS_DONE) or "").rpartition(" ")
    return int(num) if begun == read_by else 0


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
                self._report(self.looked + sum(num <= part[-1] for num in nums))
            self.looked += len(nums)
            self._report(self.looked)
        return done

    def _report(self, looked: int) -> None:
        if looked > self._reported:  # later passes look again at what is done
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
        made: dict[int, Floats] = {}
        if self.embedder is not None and missing:
            texts = [index_text(row.memory, situate=self.engine.settings.situate) for row in missing]
            made = dict(zip((row.num for row in missing), vectors(self.embedder, texts), strict=True))
        stale = [row.num for row in rows if self.texts_done is not None and row.num > self.texts_done]
        changing = [row for row in rows if row.num in made or row.num in stale]
        for org in sorted({row.memory.scope.org for row in changing}):
            of_org = [row for row in changing if row.memory.scope.org == org]
            self.embedded += self.engine.store.write(partial(self._write, of_org, made, frozenset(stale)), org)
        if stale:  # a run that is stopped before this is noted reads some texts again, which changes nothing
            self.texts_done = stale[-1]
            reached = Setting(TEXTS_DONE, f"{reading(self.engine)} {self.texts_done}")
            self.engine.store.write(lambda transaction: transaction.put(reached), STORE_ORG)
        self.texts += len(stale)
        return len(missing) + len(stale)

    def _write(
        self, rows: Sequence[Record], made: Mapping[int, Floats], stale: frozenset[int], transaction: Transaction
    ) -> int:
        """Put vectors, and words where they are stale, of the memories as they are now; return how many vectors."""
        nums = Test("num", "in", tuple(row.num for row in rows))
        now = {row.num: row for row in transaction.find(Record, [nums])}
        put = self._put_vectors([row for row in rows if row.num in made], made, now, transaction)
        again = [row.num for row in rows if row.num in stale]
        if again:
            transaction.delete(Posting, [Test("num", "in", tuple(again))])
        recorder = Recorder(transaction, self.engine.packs, self.engine.new_id, self.engine.clock.now())
        for num in again:
            if num in now:
                self._index(transaction, recorder, now[num])
        return put

    def _put_vectors(
        self, rows: Sequence[Record], made: Mapping[int, Floats], now: dict[int, Record], transaction: Transaction
    ) -> int:
        """Keep the vectors of unchanged texts; of the embedder in force they are the work of waiting jobs."""
        embedder, in_force = self.embedder, self.engine.embedder
        text, done = partial(index_text, situate=self.engine.settings.situate), list[str]()
        for row in rows if embedder is not None else ():
            current = now.get(row.num)
            if embedder is not None and current is not None and text(current.memory) == text(row.memory):
                transaction.put(Vector(_namespace(transaction, current), embedder.id, row.num, made[row.num]))
                done.append(current.memory.id)
        if done and embedder is not None and in_force is not None and in_force.id == embedder.id:
            queued = [Test("kind", "eq", EMBED), Test("state", "eq", JobState.QUEUED)]
            transaction.delete(Job, [*queued, Test("memory_id", "in", tuple(done))])
        return len(done)

    def _index(self, transaction: Transaction, recorder: Recorder, record: Record) -> None:
        """Index a text by the words it has, and put what it is about in place of what was read in it before."""
        engine, here = self.engine, [Test("num", "eq", record.num)]
        given = transaction.find(RelationRow, [*here, Test("origin", "eq", FACT)], order="id", limit=1)
        about = read_topics(record.memory, engine.packs, fact_given=bool(given))
        indexed = index(record.memory, situate=engine.settings.situate)
        namespace = _namespace(transaction, record)
        transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))
        names = about.names or record.memory.entities
        transaction.update(Record, here, length=indexed.length, marks=indexed.marks, entities=names)
        if record.memory.status is not Status.QUARANTINED:
            recorder.again(record.num, record.memory, about)

    def finish(self) -> None:
        """Put the embedder in force. A write that embeds with the old one right now finds out when it commits."""
        engine, before = self.engine, self.engine.embedder

        def change(transaction: Transaction) -> None:
            transaction.put(Setting(TOKENS, reading(engine)))
            transaction.delete(Setting, [Test("name", "eq", TEXTS_DONE)])
            if self.embedder is not None:
                self._put_in_force(transaction, self.embedder)
            engine.embedder = self.embedder  # here, as no other write of this process runs beside this one

        try:
            engine.store.write(change)
        except BaseException:
            engine.embedder = before
            raise
        self.texts_done = None

    def _put_in_force(self, transaction: Transaction, embedder: Embedder) -> None:
        transaction.put(*(Setting(name, value) for name, value in made_with(embedder).items()))
        transaction.delete(Job, [Test("kind", "eq", EMBED), Test("state", "eq", JobState.DEAD)])
        now, top = self.engine.clock.now(), highest(transaction, Record, "num") or 0
        for last in range(0, top, WINDOW):
            _, lacking = _window(transaction, embedder, last)
            for row in transaction.find(Record, [Test("num", "in", tuple(lacking))]) if lacking else ():
                if row.memory.status is not Status.FORGOTTEN:
                    transaction.put(embed_job(self.engine.new_id, row.memory, now))

    def remove_other_vectors(self) -> int:
        """Remove the vectors of other embedders, some at a time, so that no write waits long; return how many."""
        if self.embedder is None:
            return 0
        store, removed = self.engine.store, 0
        with store.read() as reader:
            top = highest(reader, Record, "num") or 0
        for last in range(0, top, WINDOW):
            others = [*_between(last), Test("embedder", "ne", self.embedder.id)]
            with store.read() as reader:
                nums = tuple(map(int, reader.count(Vector, others, by="num")))
                rows = reader.find(Record, [Test("num", "in", nums)]) if nums else []
            for org in sorted({row.memory.scope.org for row in rows}):
                of_org = Test("num", "in", tuple(row.num for row in rows if row.memory.scope.org == org))
                removed += store.write(partial(_delete_vectors, [*others, of_org]), org)
        return removed


def _delete_vectors(tests: Sequence[Test], transaction: Transaction) -> int:
    return transaction.delete(Vector, tests)


def _between(last: int) -> list[Test]:
    return [Test("num", "gt", last), Test("num", "le", last + WINDOW)]


def _window(reader: Reader, embedder: Embedder | None, last: int) -> tuple[list[int], set[int]]:
    """Return the rows after `last`, as many as a window holds, and those among them without a vector by `embedder`."""
    nums = sorted(map(int, reader.count(Record, _between(last), by="num")))
    if embedder is None:
        return nums, set()
    have = reader.count(Vector, [*_between(last), Test("embedder", "eq", embedder.id)], by="num")
    return nums, set(nums) - set(map(int, have))


def _namespace(transaction: Transaction, record: Record) -> int:
    return transaction.namespace(record.memory.scope.org, record.memory.scope.user)
