"""Memories described by a language model in the background: asked first, then written if nothing has changed meanwhile.

What a memory says, how far it is trusted and what became of it never change by this; only what is derived from its text
does, and what the graph reads in it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from recollect.checks import MAX_TAGS
from recollect.engine import Engine
from recollect.filters import Condition, Test, within
from recollect.foreign import log
from recollect.graph.causes import CAUSAL
from recollect.graph.extraction import mentioned
from recollect.graph.recording import Recorder
from recollect.jobkinds import ENRICH
from recollect.lifecycle.adjudicating import Verdict, put, verdicts
from recollect.lifecycle.holding import Held
from recollect.llm.asking import asker
from recollect.llm.describing import Description, described, label
from recollect.llm.replies import Unreadable
from recollect.models import Job, JobState, Memory
from recollect.protocols import Record, Revision, Transaction
from recollect.security.audit import Trail
from recollect.security.injection import suspicions
from recollect.write.closing import Closer
from recollect.write.describing import is_described
from recollect.write.edit import put_terms
from recollect.write.enrichment import index, index_text

_AT_ONCE = 500  # jobs put off in one transaction
_WORKER = "worker"


@dataclass(frozen=True, slots=True)
class _Work:
    """What is to be written: the memory that was asked about, who answered in whose words, and the answers."""

    record: Record
    reason: str
    description: Description
    verdicts: Sequence[Verdict]


def enrich(engine: Engine, job: Job, mine: Sequence[Condition], going_on: Callable[[], bool]) -> None:
    """Have a memory described, and the job removed with that, if it is still `mine`.

    `going_on` holds on to the job, and says whether there is time for more. Raises `Spent`, `LeftForLater` when there
    was none, and what the model raises.
    """
    record, now = _record(engine, job), engine.clock.now()
    if record is None or not is_described(engine, record.memory, now):
        engine.store.write(lambda transaction: transaction.delete(Job, mine), job.org)
        return
    memory = record.memory
    llm = asker(engine, memory.scope, ENRICH)
    assert llm is not None  # a worker takes no such job without one
    held, causes = Held(llm, going_on), memory.domain in CAUSAL
    found = _described(engine, held, memory, causes=causes)
    settled = verdicts(engine, record, going_on) if going_on() else []
    work = _Work(record, f"by {held.name} ({label(causes=causes)})", found, settled)
    engine.store.write(lambda transaction: _written(engine, transaction, work, mine), job.org)


def _described(engine: Engine, llm: Held, memory: Memory, *, causes: bool) -> Description:
    """Ask for a description; nothing when what comes cannot be read, or reads like an order to who reads it next."""
    names = mentioned(memory.content, domain=memory.domain, packs=engine.packs) if causes else ()
    try:
        found = described(llm, memory.content, causes=causes, mentions=names)
    except Unreadable:
        log.warning("%s gave no description of %s that can be read: it keeps its own", llm.name, memory.id)
        return Description()
    if engine.settings.injection != "allow" and suspicions(found.summary, memory.source.type):
        return replace(found, summary="")
    return found


def _record(engine: Engine, job: Job) -> Record | None:
    with engine.store.read(job.org) as reader:
        found = reader.find(Record, [Test("id", "eq", job.memory_id)])
    return found[0] if found else None


def _written(engine: Engine, transaction: Transaction, work: _Work, mine: Sequence[Condition]) -> None:
    """Write the answers of a job that is still held; of a memory that was changed meanwhile it is done anew."""
    jobs, now = transaction.find(Job, list(mine), order="id"), engine.clock.now()
    if not jobs:
        return
    found = transaction.find(Record, [Test("num", "eq", work.record.num)])
    if found and is_described(engine, found[0].memory, now):
        if _asked(found[0].memory) != _asked(work.record.memory):
            transaction.put(replace(jobs[0], state=JobState.QUEUED, run_at=now, leased_by="", lease_until=None))
            return
        trail = Trail(transaction, found[0].memory.scope.org, actor=_WORKER, at=now)
        _describe(engine, transaction, replace(work, record=found[0]), trail)
        for verdict in work.verdicts:
            put(engine, transaction, verdict, found[0], trail)
        trail.write()
    transaction.delete(Job, list(mine))


def _asked(memory: Memory) -> tuple[object, ...]:
    """Return what must not have changed since a model was asked."""
    return memory.id, memory.version, memory.content, memory.domain


def _describe(engine: Engine, transaction: Transaction, work: _Work, trail: Trail) -> None:
    """Put a description in place of what a memory had, and its relations into the graph; one entry says so."""
    record, found = work.record, work.description
    recorder = Recorder(transaction, engine.packs, engine.new_id, trail.at)
    read = recorder.read(record.num, record.memory, found.triples)
    columns = _columns(transaction, record, found)
    if columns:
        after = Closer(transaction, trail).change(record, ENRICH, reason=work.reason, **columns)
        _reindexed(engine, transaction, record, after)
    elif read:
        trail.add(ENRICH, record.memory, record.salt, reason=work.reason)


def _columns(transaction: Transaction, record: Record, found: Description) -> dict[str, Any]:
    """Return what changes of a memory: the tags that the caller gave, and those of its entities, always stay."""
    old = record.memory
    kept = [tag for tag in old.tags if tag not in _tagged_before(transaction, record)]
    room = max(MAX_TAGS - len(kept), 0)
    new = [tag for tag in found.tags if tag not in kept][:room]
    wanted = {
        "summary": found.summary or old.summary,
        "keywords": found.keywords or old.keywords,
        "tags": (*kept, *new),
    }
    return {name: value for name, value in wanted.items() if value != getattr(old, name)}


def _tagged_before(transaction: Transaction, record: Record) -> frozenset[str]:
    """Return the tags that an earlier description gave, when the text was another."""
    states = transaction.find(Revision, [Test("num", "eq", record.num)], order="seq")
    given = frozenset[str]()
    for place, state in enumerate(states):
        if state.change == ENRICH:
            before = _tags(state)
            after = _tags(states[place + 1]) if place + 1 < len(states) else frozenset(record.memory.tags)
            given = (given & before) | (after - before)
    return given


def _tags(state: Revision) -> frozenset[str]:
    return frozenset(json.loads(state.memory)["tags"])


def _reindexed(engine: Engine, transaction: Transaction, record: Record, after: Memory) -> None:
    """Index a memory by the tags it has now, if words are indexed by its tags."""
    situate = engine.settings.situate
    if index_text(after, situate=situate) == index_text(record.memory, situate=situate):
        return
    indexed = index(after, situate=situate)
    here = [Test("num", "eq", record.num)]
    transaction.update(Record, here, length=indexed.length, marks=indexed.marks)
    namespace = transaction.namespace(after.scope.org, after.scope.user)
    put_terms(transaction, namespace, replace(record, memory=after), record.memory, indexed)


def put_off(engine: Engine, job: Job, mine: Sequence[Condition]) -> None:
    """Let a job whose budget is spent wait for the next day (UTC), and all others that are on the same account."""
    tomorrow = next_day(engine.clock.now())
    later = {"run_at": tomorrow, "state": JobState.QUEUED, "leased_by": "", "lease_until": None, "attempts": 0}
    engine.store.write(lambda transaction: transaction.update(Job, mine, **later), job.org)
    record = _record(engine, job)
    if record is None:
        return
    log.warning("the budget for the language model is spent: descriptions wait until %s", tomorrow.isoformat())
    account = within(replace(record.memory.scope, agent=None, session=None))
    due = [Test("kind", "eq", ENRICH), Test("state", "eq", JobState.QUEUED), Test("run_at", "lt", tomorrow)]

    def some(transaction: Transaction) -> int:
        ids = tuple(each.id for each in transaction.find(Job, account.but(*due), order="id", limit=_AT_ONCE))
        return transaction.update(Job, [Test("id", "in", ids), *due], run_at=tomorrow) if ids else 0

    while engine.store.write(some, job.org) == _AT_ONCE:
        pass


def next_day(now: datetime) -> datetime:
    """Return when the day after a moment begins."""
    return (now + timedelta(days=1)).replace(hour=0, minute=0, second=0, microsecond=0)
