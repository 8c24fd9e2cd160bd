"""The backlog: texts that were stored without a vector get theirs."""

from __future__ import annotations

from collections.abc import Sequence

from recollect.engine import Engine
from recollect.filters import Condition, Test
from recollect.models import Job, Status
from recollect.numeric import Floats
from recollect.protocols import Embedder, Record, Transaction, Vector
from recollect.write.embedding import vectors
from recollect.write.enrichment import index_text

EMBED = "embed"
"""The kind of the job that gives a text its vector."""


def embed_all(engine: Engine, jobs: Sequence[Job], embedder: Embedder, mine: Sequence[Condition]) -> None:
    """Give the memories of leased jobs their vectors, and remove the jobs that are still `mine`, in one transaction.

    A text that was edited meanwhile keeps waiting for the job that its edit has put.
    """
    ids = tuple(job.memory_id for job in jobs)
    with engine.store.read() as reader:
        records = {r.memory.id: r for r in reader.find(Record, [Test("id", "in", ids)])}
    found = [records[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in records]
    wanted = [record for record in found if record.memory.status is not Status.FORGOTTEN]
    texts = [index_text(record.memory, situate=engine.settings.situate) for record in wanted]
    rows: Sequence[Floats] = list(vectors(embedder, texts)) if texts else []

    def change(transaction: Transaction) -> None:
        held = {r.num: r for r in transaction.find(Record, [Test("num", "in", tuple(r.num for r in wanted))])}
        for record, row in zip(wanted, rows, strict=True):
            now = held.get(record.num)
            if now is not None and now.memory.content == record.memory.content:
                scope = record.memory.scope
                transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, row))
        transaction.delete(Job, [Test("id", "in", tuple(job.id for job in jobs)), *mine])

    engine.store.write(change)
