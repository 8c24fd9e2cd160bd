"""Reindexing during reads and writes, recorded by batches: for another embedder or analyser, or missing vectors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from operator import methodcaller

from engrain.arguments import Progress
from engrain.engine import Engine
from engrain.graph.entity_store import Recorder, read_topics
from engrain.lazy import Floats
from engrain.model.filters import Test
from engrain.model.memory import EMBED, Job, JobState, Status
from engrain.model.results import Reindexed
from engrain.protocols import Embedder
from engrain.storage.interface import TOKENS, Reader, Transaction, batches, grouped, highest, setting
from engrain.storage.rows import FACT, STORE_ORG, Posting, Record, RelationRow, Setting, Vector
from engrain.transfer.declared import made_with, reading
from engrain.write.ingest import checked_progress, report_progress
from engrain.write.prepare import embed_job, index, index_text, vectors

BATCH = 256
WINDOW = 4_096  # row numbers compared at a time
TEXTS_DONE = "reindexed"


def reindex(engine: Engine, embedder: Embedder | None, *, progress: Progress | None = None) -> Reindexed:
    """Give every memory its postings and its vector by `embedder`, then make it the engine's embedder."""
    run = _Run(engine, embedder, checked_progress(progress), _texts_done(engine))
    for _ in range(5):  # over rows written meanwhile; the remaining ones without a vector then get a job
        if not run.go_through():
            break
    run.finish()
    run.go_through()
    return Reindexed(run.looked, run.embedded, run.texts, run.remove_other_vectors())


def _texts_done(engine: Engine) -> int | None:
    """Return the last row that an interrupted run has reindexed, 0 at the beginning, None if no text needs it."""
    read_by = reading(engine)
    if setting(engine.store, TOKENS) == read_by:
        return None
    begun, _, num = (setting(engine.store, TEXTS_DONE) or "").rpartition(" ")
    return int(num) if begun == read_by else 0


@dataclass(slots=True)
class _Run:
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
        """Process every memory that needs it; return how many did."""
        with self.engine.store.read() as reader:
            self._total = reader.count(Record)[""]
        self.looked = done = 0
        for nums, lacking in self._windows():
            stale = set() if self.texts_done is None else {num for num in nums if num > self.texts_done}
            for part in batches(sorted(lacking | stale), BATCH):
                done += self._embed([num for num in part if num in lacking])
                done += self._read_again([num for num in part if num in stale])
                self._report(self.looked + sum(num <= part[-1] for num in nums))
            self.looked += len(nums)
            self._report(self.looked)
        return done

    def _report(self, looked: int) -> None:
        if looked > self._reported:  # later passes repeat rows
            self._reported = looked
            label = f"{self.embedded:,} vectors, {self.texts:,} texts"
            report_progress(self.listener, looked, max(looked, self._total), label)

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

    def _by_org(self, nums: Sequence[int]) -> dict[str, list[Record]]:
        with self.engine.store.read() as reader:
            return grouped(reader.find(Record, [_among(nums)], order="num"), lambda row: row.memory.scope.org)

    def _embed(self, nums: Sequence[int]) -> int:
        """Make and put the vectors of memories; return how many need one."""
        embedder, situate = self.embedder, self.engine.settings.situate
        found = [row for rows in self._by_org(nums).values() for row in rows]
        rows = [row for row in found if row.memory.status is not Status.FORGOTTEN]
        if embedder is None or not rows:
            return 0
        texts = [index_text(row.memory, situate=situate) for row in rows]
        made = dict(zip((row.num for row in rows), zip(texts, vectors(embedder, texts), strict=True), strict=True))
        for org, of_org in grouped(rows, lambda row: row.memory.scope.org).items():
            some = {row.num: made[row.num] for row in of_org}
            self.embedded += self.engine.store.write(partial(self._put_vectors, embedder, some), org)
        return len(rows)

    def _put_vectors(self, embedder: Embedder, made: Mapping[int, tuple[str, Floats]], transaction: Transaction) -> int:
        """Keep the vectors of unchanged texts; of the embedder in force they are the work of waiting jobs."""
        in_force, done = self.engine.embedder, list[str]()
        for row in transaction.find(Record, [_among(made)]):
            text, vector = made[row.num]
            if index_text(row.memory, situate=self.engine.settings.situate) == text:
                transaction.put(Vector(_namespace(transaction, row), embedder.id, row.num, vector))
                done.append(row.memory.id)
        if done and in_force is not None and in_force.id == embedder.id:
            queued = [Test("kind", "eq", EMBED), Test("state", "eq", JobState.QUEUED)]
            transaction.delete(Job, [*queued, Test("memory_id", "in", tuple(done))])
        return len(done)

    def _read_again(self, nums: Sequence[int]) -> int:
        """Reindex texts; a run that is interrupted before that is recorded repeats some, which changes nothing."""
        if not nums:
            return 0
        for org, rows in self._by_org(nums).items():
            self.engine.store.write(partial(self._index, [row.num for row in rows]), org)
        self.texts_done = nums[-1]
        reached = Setting(TEXTS_DONE, f"{reading(self.engine)} {self.texts_done}")
        self.engine.store.write(lambda transaction: transaction.put(reached), STORE_ORG)
        self.texts += len(nums)
        return len(nums)

    def _index(self, nums: Sequence[int], transaction: Transaction) -> None:
        """Index texts by their words, and replace their extracted topics."""
        engine = self.engine
        transaction.delete(Posting, [_among(nums)])
        recorder = Recorder(transaction, engine.packs, engine.new_id, engine.clock.now())
        for record in transaction.find(Record, [_among(nums)]):
            here, memory = [Test("num", "eq", record.num)], record.memory
            given = transaction.find(RelationRow, [*here, Test("origin", "eq", FACT)], order="id", limit=1)
            about = read_topics(memory, engine.packs, fact_given=bool(given))
            indexed = index(memory, situate=engine.settings.situate)
            namespace = _namespace(transaction, record)
            transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))
            names = about.names or memory.entities
            transaction.update(Record, here, length=indexed.length, marks=indexed.marks, entities=names)
            if memory.status is not Status.QUARANTINED:
                recorder.again(record.num, memory, about)

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
            for row in transaction.find(Record, [_among(lacking)]) if lacking else ():
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
                rows = reader.find(Record, [_among(nums)]) if nums else []
            for org, of_org in grouped(rows, lambda row: row.memory.scope.org).items():
                tests = [*others, _among([row.num for row in of_org])]
                removed += store.write(methodcaller("delete", Vector, tests), org)
        return removed


def _among(nums: Iterable[int]) -> Test:
    return Test("num", "in", tuple(nums))


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
