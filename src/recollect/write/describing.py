"""Which memories a language model describes in the background, and the job that has it done."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from recollect.engine import Engine
from recollect.graph.causes import CAUSAL
from recollect.jobkinds import ENRICH
from recollect.models import Job, Kind, Memory, Status
from recollect.protocols import Transaction


def is_described(engine: Engine, memory: Memory, now: datetime) -> bool:
    """Say whether a memory is one of those that `settings.enrich` names, and counts now.

    What waits for a verdict is shown to no model, and what will be gone with its session is not worth it.
    """
    chosen = engine.settings.enrich
    if chosen == "off" or (chosen == "threats" and memory.domain not in CAUSAL) or memory.kind is Kind.WORKING:
        return False
    current = memory.as_of_clock(now)
    return current.status is Status.ACTIVE and not current.is_contested and not current.is_superseded_at(now)


def job_of(memory_id: str) -> str:
    """Return the id of the job that has a memory described: it has one at most."""
    return f"job_{ENRICH}_{memory_id}"


def put_jobs(engine: Engine, transaction: Transaction, memories: Iterable[Memory], now: datetime) -> None:
    """Put the jobs of what was written, in the transaction that writes it; none without a language model."""
    if engine.llm is None:
        return
    jobs = [
        Job(job_of(memory.id), ENRICH, memory.scope.org, memory.id, now)
        for memory in memories
        if is_described(engine, memory, now)
    ]
    if jobs:
        transaction.put(*jobs)
        engine.counters.queued += len(jobs)
