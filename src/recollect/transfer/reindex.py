"""Indexing anew, while reads and writes go on: for another embedder, another analyser, or vectors that were never made.

What is done is recorded row by row, so a run that was stopped goes on where it was; only at the end does the new embedder
come into force and do the vectors of others leave.
"""

from __future__ import annotations

from recollect.engine import Engine
from recollect.filters import Test
from recollect.numeric import np
from recollect.protocols import Embedder, Posting, Record, Setting, Transaction, Vector
from recollect.results import Reindexed
from recollect.words import ANALYSER
from recollect.write.embedding import vectors
from recollect.write.enrichment import index, index_text

BATCH = 256
IN_FORCE, TOKENS = "embedder", "analyser"


def in_force(engine: Engine) -> str | None:
    """Return the id of the embedder whose vectors the store was made with, None before the first."""
    with engine.store.read() as reader:
        found = reader.find(Setting, [Test("name", "eq", IN_FORCE)], order="name")
    return found[0].value if found else None


def declare(engine: Engine) -> None:
    """Record which embedder and analyser a new store is made with; an older store's stay as they are."""
    values = {TOKENS: ANALYSER} | ({IN_FORCE: engine.embedder.id} if engine.embedder is not None else {})
    with engine.store.read() as reader:
        held = {row.name for row in reader.find(Setting, order="name")}
    if engine.store.read_only or not values.keys() - held:
        return

    def change(transaction: Transaction) -> None:
        held = {row.name for row in transaction.find(Setting, order="name")}
        transaction.put(*(Setting(name, value) for name, value in values.items() if name not in held))

    engine.store.write(change)


def reindex(engine: Engine, embedder: Embedder | None) -> Reindexed:
    """Give every memory of the store its postings and its vector by `embedder`; see `MemoryManager.reindex`."""
    texts_too = _setting(engine, TOKENS) != ANALYSER
    looked = embedded = texts = last = 0
    while True:
        with engine.store.read() as reader:
            batch = reader.find(Record, [Test("num", "gt", last)], order="num", limit=BATCH)
            nums = tuple(record.num for record in batch)
            have = (
                _embedded(reader.count(Vector, [Test("num", "in", nums), *_by(embedder)], by="num")) if batch else set()
            )
        if not batch:
            break
        last = nums[-1]
        looked += len(batch)
        missing = [record for record in batch if embedder is not None and record.num not in have]
        made = _vectors(engine, missing, embedder)
        stale = batch if texts_too else []
        if missing or stale:
            engine.store.write(lambda t: _write(engine, t, missing, made, stale, embedder))
        embedded, texts = embedded + len(missing), texts + len(stale)
    return Reindexed(looked, embedded, texts, engine.store.write(lambda t: _finish(t, embedder)))


def _by(embedder: Embedder | None) -> list[Test]:
    return [Test("embedder", "eq", embedder.id if embedder is not None else "")]


def _embedded(counts: object) -> set[int]:
    assert isinstance(counts, dict)
    return {int(num) for num in counts}


def _setting(engine: Engine, name: str) -> str | None:
    with engine.store.read() as reader:
        found = reader.find(Setting, [Test("name", "eq", name)], order="name")
    return found[0].value if found else None


def _vectors(engine: Engine, records: list[Record], embedder: Embedder | None) -> object:
    if not records or embedder is None:
        return ()
    return vectors(embedder, [index_text(r.memory, situate=engine.settings.situate) for r in records])


def _write(
    engine: Engine,
    transaction: Transaction,
    missing: list[Record],
    made: object,
    stale: list[Record],
    embedder: Embedder | None,
) -> None:
    now = {r.num: r for r in transaction.find(Record, [Test("num", "in", tuple(r.num for r in (*missing, *stale)))])}
    for record, row in zip(missing, np.asarray(made), strict=True):
        current = now.get(record.num)
        if embedder is not None and current is not None and current.memory.content == record.memory.content:
            scope = current.memory.scope
            transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, row))
    if stale:
        transaction.delete(Posting, [Test("num", "in", tuple(r.num for r in stale))])
    for record in stale:
        current = now.get(record.num)
        if current is None:
            continue
        scope, indexed = current.memory.scope, index(current.memory, situate=engine.settings.situate)
        namespace = transaction.namespace(scope.org, scope.user)
        transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))
        where = [Test("num", "eq", record.num)]
        transaction.update(Record, where, length=indexed.length, marks=indexed.marks)


def _finish(transaction: Transaction, embedder: Embedder | None) -> int:
    transaction.put(Setting(TOKENS, ANALYSER))
    if embedder is None:
        return 0
    removed = transaction.delete(Vector, [Test("embedder", "ne", embedder.id)])
    transaction.put(Setting(IN_FORCE, embedder.id))
    return removed
