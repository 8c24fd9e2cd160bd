"""Promotion and pinning: a memory becomes one of a more lasting kind, or is kept whatever the defaults say."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from recollect.engine import Engine
from recollect.errors import NotFound
from recollect.filters import Test, reachable
from recollect.models import Expiry, Kind, Link, Memory, Scope, Status
from recollect.protocols import Edge, Record, Transaction
from recollect.security.audit import Trail, who
from recollect.security.signing import signed_again
from recollect.write.caps import Caps
from recollect.write.closing import Closer
from recollect.write.conflicts import Rules
from recollect.write.duplicates import identity, merged
from recollect.write.retaining import columns, retained
from recollect.write.verdicts import Court, Verdict

_ABOVE = {
    Kind.WORKING: (Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL),
    Kind.EPISODIC: (Kind.SEMANTIC, Kind.PROCEDURAL),
}
"""The kinds that last longer than a kind; what is semantic or procedural has nowhere to rise."""


def promote(engine: Engine, memory_id: str, to: Kind, verdict: Verdict) -> Memory:
    """Give a memory a more lasting kind under its own id; see `MemoryManager.promote`."""
    rules = Rules.of(engine.settings, None if engine.embedder is None else engine.embedder.id)
    verdict = replace(verdict, authority=False, operation="promote")

    def change(transaction: Transaction) -> Memory:
        court = Court(engine, transaction, verdict, rules)
        record = court.record(memory_id)
        risen = _risen(record.memory.as_of_clock(verdict.now), to)
        twin = court.closer.holder(record, identity(risen))
        if twin is not None:
            after = _one_more_witness(engine, transaction, court, record, twin)
        else:
            after = _promoted(engine, transaction, court, record, risen)
        court.trail.write()
        return after

    return engine.store.write(change, verdict.scope.org)


def _risen(memory: Memory, to: Kind) -> Memory:
    """Return the memory as one of that kind; raises `ValueError` where it cannot become one."""
    if memory.status is not Status.ACTIVE or memory.is_superseded or memory.believed_until is not None:
        state = "superseded" if memory.is_superseded else memory.status.value
        raise ValueError(f"{memory.id} is {state}: only what is live can be promoted")
    if to not in _ABOVE.get(memory.kind, ()):
        raise ValueError(f"{memory.id} is {memory.kind} and cannot become {to}: promotion leads upwards only")
    if to is Kind.PROCEDURAL and memory.expiry is Expiry.GIVEN and memory.expires_at is not None:
        raise ValueError(f"{memory.id} has a ttl, and procedural memories have none: update(ttl=None) first")
    return replace(memory, kind=to, version=memory.version + 1)


def _promoted(engine: Engine, transaction: Transaction, court: Court, record: Record, risen: Memory) -> Memory:
    caps = Caps(transaction, engine.settings.retaining)
    if caps.apply_to(risen):
        namespace = transaction.namespace(risen.scope.org, risen.scope.user)
        caps.make_room(namespace, risen, court.trail, flush=lambda: None)
    return court.admit(record, kind=risen.kind, version=risen.version)


def _one_more_witness(engine: Engine, transaction: Transaction, court: Court, record: Record, twin: Record) -> Memory:
    """Let a memory that says the same be derived from this one too, which stays what it is."""
    witness = replace(record.memory, kind=twin.memory.kind, links=(Link("derived_from", record.memory.id),))
    known = replace(merged(twin.memory, witness), updated_at=court.verdict.now)
    if len(known.links) > len(twin.memory.links) and known.evidence_count == twin.memory.evidence_count:
        known = replace(known, evidence_count=known.evidence_count + 1)  # of the same source, on another occasion
    known = signed_again(twin.memory, known, engine.signer)
    kept = retained(engine.settings.retaining, replace(twin, memory=known))
    transaction.put(kept)
    known = kept.memory
    transaction.put(Edge(twin.num, "derived_from", record.num))
    said = f"promote: {twin.memory.id} says the same"
    court.trail.add("noop", record.memory, record.salt, reason=said)
    court.trail.add("support", known, twin.salt, reason=f"by {record.memory.id}")
    return known


def pin(engine: Engine, scope: Scope, memory_id: str, pinned: bool) -> Memory:
    """Keep a memory whatever the defaults of retention say, or no longer; see `MemoryManager.pin`."""
    now = engine.clock.now()
    where = reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))

    def change(transaction: Transaction) -> Memory:
        found = transaction.find(Record, where)
        if not found:
            raise NotFound(memory_id)
        if found[0].memory.pinned == pinned:
            return found[0].memory
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        over = found[0].memory.as_of_clock(now).status is Status.EXPIRED  # swept or not: it stays so
        changes: dict[str, Any] = {"pinned": pinned}
        changes = changes if over else columns(engine.settings.retaining, found[0].memory, changes)
        after = Closer(transaction, trail).change(found[0], "pin" if pinned else "unpin", **changes)
        trail.write()
        return after

    return engine.store.write(change, scope.org).as_of_clock(now)
