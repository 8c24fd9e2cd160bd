"""Indexing anew, while reads and writes go on: for another embedder, another analyser, or vectors that were never made.

What is done is recorded row by row, so a run that was stopped goes on where it was; only at the end does the new
embedder come into force and do the vectors of others leave.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.engine import Engine
from recollect.filters import Test
from recollect.models import Job, JobState
from recollect.numeric import Floats
from recollect.protocols import Embedder, Posting, Record, Setting, Transaction, Vector
from recollect.results import Reindexed
from recollect.words import ANALYSER
from recollect.write.embedding import vectors
from recollect.write.enrichment import index, index_text

BATCH = 256
IN_FORCE, DIMENSIONS, TOKENS = "embedder", "dimensions", "analyser"


def in_force(engine: Engine) -> tuple[str | None, int | None]:
    """Return the id and dimensions of the embedder whose vectors the store was made with, None before the first."""
    dimensions = _setting(engine, DIMENSIONS)
    return _setting(engine, IN_FORCE), int(dimensions) if dimensions is not None else None


def declare(engine: Engine) -> None:
    """Record which embedder and analyser a new store is made with; an older store's stay as they are."""
    values = {TOKENS: ANALYSER} | _named(engine.embedder)
    with engine.store.read() as reader:
        held = {row.name for row in reader.find(Setting, order="name")}
    if engine.store.read_only or not values.keys() - held:
        return

    def change(transaction: Transaction) -> None:
        held = {row.name for row in transaction.find(Setting, order="name")}
        transaction.put(*(Setting(name, value) for name, value in values.items() if name not in held))

    engine.store.write(change)


def _named(embedder: Embedder | None) -> dict[str, str]:
    return {} if embedder is None else {IN_FORCE: embedder.id, DIMENSIONS: str(embedder.dimensions)}


@dataclass(frozen=True, slots=True)
class _Batch:
    """Rows to look at, and what of them is to be made anew."""

    missing: list[Record]
    vectors: Sequence[Floats]
    stale: list[Record]


def reindex(engine: Engine, embedder: Embedder | None) -> Reindexed:
    """Give every memory of the store its postings and its vector by `embedder`; see `MemoryManager.reindex`."""
    texts_too = _setting(engine, TOKENS) != ANALYSER
    looked = embedded = texts = last = 0
    while rows := _next(engine, last):
        looked, last = looked + len(rows), rows[-1].num
        batch = _planned(engine, rows, embedder, texts_too=texts_too)
        if batch.missing or batch.stale:
            engine.store.write(partial(_write, engine, embedder, batch))
        embedded, texts = embedded + len(batch.missing), texts + len(batch.stale)
    return Reindexed(looked, embedded, texts, engine.store.write(partial(_finish, embedder)))


def _next(engine: Engine, last: int) -> list[Record]:
    with engine.store.read() as reader:
        return reader.find(Record, [Test("num", "gt", last)], order="num", limit=BATCH)


def _planned(engine: Engine, rows: list[Record], embedder: Embedder | None, *, texts_too: bool) -> _Batch:
    missing: list[Record] = []
    if embedder is not None:
        tests = [Test("num", "in", tuple(row.num for row in rows)), Test("embedder", "eq", embedder.id)]
        with engine.store.read() as reader:
            have = {int(num) for num in reader.count(Vector, tests, by="num")}
        missing = [row for row in rows if row.num not in have]
    texts = [index_text(row.memory, situate=engine.settings.situate) for row in missing]
    made = list(vectors(embedder, texts)) if embedder is not None and texts else []
    return _Batch(missing, made, rows if texts_too else [])


def _setting(engine: Engine, name: str) -> str | None:
    with engine.store.read() as reader:
        found = reader.find(Setting, [Test("name", "eq", name)], order="name")
    return found[0].value if found else None


def _write(engine: Engine, embedder: Embedder | None, batch: _Batch, transaction: Transaction) -> None:
    nums = tuple(row.num for row in (*batch.missing, *batch.stale))
    now = {row.num: row for row in transaction.find(Record, [Test("num", "in", nums)])}
    for record, vector in zip(batch.missing, batch.vectors, strict=True):
        current = now.get(record.num)
        if embedder is not None and current is not None and current.memory.content == record.memory.content:
            transaction.put(Vector(_namespace(transaction, current), embedder.id, record.num, vector))
    if batch.stale:
        transaction.delete(Posting, [Test("num", "in", tuple(row.num for row in batch.stale))])
    for record in batch.stale:
        if current := now.get(record.num):
            indexed, namespace = (
                index(current.memory, situate=engine.settings.situate),
                _namespace(transaction, current),
            )
            transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))
            row = [Test("num", "eq", record.num)]
            transaction.update(Record, row, length=indexed.length, marks=indexed.marks)


def _namespace(transaction: Transaction, record: Record) -> int:
    return transaction.namespace(record.memory.scope.org, record.memory.scope.user)


def _finish(embedder: Embedder | None, transaction: Transaction) -> int:
    transaction.put(Setting(TOKENS, ANALYSER))
    if embedder is None:
        return 0
    removed = transaction.delete(Vector, [Test("embedder", "ne", embedder.id)])
    transaction.put(*(Setting(name, value) for name, value in _named(embedder).items()))
    transaction.delete(Job, [Test("kind", "eq", "embed"), Test("state", "eq", JobState.DEAD)])  # none lacks one now
    return removed
