"""The backlog: texts that were stored without a vector get theirs."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from recollect.engine import Engine
from recollect.filters import Condition, Test
from recollect.models import Job, Status
from recollect.numeric import Floats
from recollect.protocols import Embedder, Record, Transaction, Vector
from recollect.scopes import by_org
from recollect.write.embedding import vectors
from recollect.write.enrichment import index_text


def embed_all(engine: Engine, jobs: Sequence[Job], embedder: Embedder, mine: Sequence[Condition]) -> None:
    """Give the memories of leased jobs their vectors, and remove the jobs that are still `mine`, org by org.

    An org's vectors and jobs are of one transaction. A text that was edited meanwhile keeps waiting for the job that
    its edit has put.
    """
    groups = by_org(jobs, lambda job: job.org)
    wanted = {org: _wanted(engine, org, some) for org, some in groups.items()}
    texts = [index_text(r.memory, situate=engine.settings.situate) for records in wanted.values() for r in records]
    rows = iter(vectors(embedder, texts) if texts else ())  # all in one call, whosever they are
    made = {org: [(record, next(rows)) for record in records] for org, records in wanted.items()}
    for org, some in groups.items():
        done = [Test("id", "in", tuple(job.id for job in some)), *mine]
        engine.store.write(partial(_keep, embedder, made[org], done), org)


def _wanted(engine: Engine, org: str, jobs: Sequence[Job]) -> list[Record]:
    ids = tuple(job.memory_id for job in jobs)
    with engine.store.read(org) as reader:
        records = {r.memory.id: r for r in reader.find(Record, [Test("id", "in", ids)])}
    found = [records[memory_id] for memory_id in dict.fromkeys(ids) if memory_id in records]
    return [record for record in found if record.memory.status is not Status.FORGOTTEN]


def _keep(
    embedder: Embedder, made: Sequence[tuple[Record, Floats]], done: Sequence[Condition], transaction: Transaction
) -> None:
    held = {r.num: r for r in transaction.find(Record, [Test("num", "in", tuple(record.num for record, _ in made))])}
    for record, row in made:
        now = held.get(record.num)
        if now is not None and now.memory.content == record.memory.content:
            scope = record.memory.scope
            transaction.put(Vector(transaction.namespace(scope.org, scope.user), embedder.id, record.num, row))
    transaction.delete(Job, done)
