"""Supersession, promotion and pinning by the caller."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from engrain.arguments import SuccessorFields
from engrain.engine import Engine
from engrain.errors import NotFound
from engrain.graph.entity_store import seen
from engrain.model.filters import Test, reachable
from engrain.model.memory import Expiry, Kind, Link, Memory, Scope, Source, Status
from engrain.model.results import Remembered
from engrain.protocols import Transaction
from engrain.security.audit import Trail, who
from engrain.security.signing import signed_again
from engrain.security.trust import BASE
from engrain.storerows import SUPERSEDES, Edge, Record
from engrain.text import normalise
from engrain.validation import MAX_TAGS
from engrain.write.conflicts import inherited, resolve
from engrain.write.draft import Intent, draft
from engrain.write.neighbours import Neighbourhood
from engrain.write.pipeline import remember, store
from engrain.write.prepare import Prepared, identity, index, merged, stated
from engrain.write.transitions import (
    Caps,
    Closer,
    check_unsuperseded,
    columns,
    leads_to,
    retained,
    targets,
)
from engrain.write.verdicts import Court, Verdict

_SAME = 1e-9


def supersede(
    engine: Engine, scope: Scope, old_id: str, content: str, *, reason: str, fields: SuccessorFields
) -> Remembered:
    """Store a successor of a memory; see `MemoryManager.supersede`."""
    with engine.store.read(scope.org) as reader:
        found = reader.find(Record, _named(scope, old_id))
    if not found:
        raise NotFound(old_id)
    old = found[0].memory
    # A version of the same fact is for the same readers: whoever saw the old one sees the new.
    place = Scope(scope.org, old.scope.user, old.scope.agent, scope.session or old.scope.session)
    intent = Intent(target=old_id, authority="source_type" not in fields, reason=reason, agent=scope.agent)
    given: SuccessorFields = {"kind": old.kind, "domain": old.domain, **fields}
    item = draft(content, scope=place, settings=engine.settings, intent=intent, **given)
    if (
        not intent.authority
        and BASE[item.source_type] < old.trust - _SAME
        and normalise(item.content) == normalise(old.content)
    ):
        raise ValueError(f"{old_id} says exactly this: who is trusted less can only propose another text")
    return remember(engine, [item])[0]


def said_again(engine: Engine, scope: Scope, memory_id: str) -> Memory:
    """Store anew what a memory says, from now on, with authority over the value that its fact has by now."""
    with engine.store.read(scope.org) as reader:
        found = reader.find(Record, reachable(scope).but(Test("id", "eq", memory_id)))
    if not found:
        raise NotFound(memory_id)
    old = found[0].memory
    item = draft(
        old.content,
        scope=old.scope,
        settings=engine.settings,
        kind=old.kind,
        domain=old.domain,
        source_type=old.source.type,
        source_id=old.source.id,
        source_ref=old.source.ref,
        actor=old.actor,
        fact=old.fact,
        importance=old.importance,
        tier=old.tier,
        tags=old.tags[:MAX_TAGS],
        metadata=old.metadata,
        intent=Intent(authority=True, reason=f"{old.id} is reinstated", copies=old.id, agent=scope.agent),
    )
    (result,) = remember(engine, [item])
    return result.memory


def propose(engine: Engine, scope: Scope, wanted: Memory, source: Source, *, reason: str) -> Memory:
    """Store a change that its source may not make itself as a contested memory, and return that."""
    now, old_id = engine.clock.now(), wanted.id
    source = replace(source, content_hash=wanted.source.content_hash)
    memory = replace(
        wanted,
        id=engine.new_id("mem"),
        key=None,
        position=None,
        source=source,
        trust=BASE[source.type],
        recorded_at=now,
        updated_at=now,
        links=(),
        supersedes=(),
        evidence_count=1,
        access_count=0,
        last_accessed=None,
        strength=1.0,
        evolution_count=0,
        version=1,
        pinned=False,
    )
    proposed = Prepared(
        memory,
        index(memory, situate=engine.settings.situate),
        stated(engine.settings, memory),
        given=frozenset({"confidence"}),
        intent=Intent(target=old_id, reason=reason, copies=old_id, agent=scope.agent),
        mentions=seen(memory, engine.packs, fact_given=memory.fact is not None),
    )
    (result,) = store(engine, [proposed], now=now)
    return result.memory


def mark_superseded(engine: Engine, scope: Scope, old_id: str, new_id: str) -> bool:
    """Put one known memory in the place of another; see `MemoryManager.mark_superseded`."""
    if old_id == new_id:
        raise ValueError(f"{old_id} cannot supersede itself: name two memories")
    now = engine.clock.now()

    def change(transaction: Transaction) -> bool:
        olds, news = (transaction.find(Record, _named(scope, one)) for one in (old_id, new_id))
        if not olds or not news:
            return False
        old, new = olds[0], news[0]
        _check(transaction, old.memory, new.memory.as_of_clock(now))
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        closer = Closer(transaction, trail)
        closer.close(old, new.memory)
        given = new.memory.confidence != 1.0
        count, confidence = inherited(new.memory, [old.memory], confidence_given=given)
        columns: dict[str, Any] = {"evolution_count": max(count, new.memory.evolution_count), "confidence": confidence}
        if new.memory.is_contested and not _contends(engine, transaction, new, old, scope):
            columns["status_reason"] = ""
        closer.change(new, "succeed", reason=f"takes the place of {old_id}", **columns)
        transaction.put(Edge(new.num, SUPERSEDES, old.num))
        trail.write()
        return True

    return engine.store.write(change, scope.org)


def _contends(engine: Engine, transaction: Transaction, new: Record, old: Record, scope: Scope) -> bool:
    """Say whether a contested memory still contradicts another one now that `old` gave way to it."""
    others = (record.memory for record in targets(transaction, new) if record.num != old.num)
    if any(other.believed_until is None and not other.is_superseded for other in others):
        return True
    neighbourhood = Neighbourhood(engine, transaction, engine.clock.now())
    begins = replace(new.memory, status_reason="", valid_from=neighbourhood.now)
    again = Prepared(begins, intent=Intent(authority=True, agent=scope.agent), given=frozenset({"fact"}))
    found = resolve(again, neighbourhood.of_slot(again), neighbourhood.rules)
    return bool(found.closes or found.contests or found.later)


def _check(transaction: Transaction, old: Memory, new: Memory) -> None:
    if old.scope.user != new.scope.user:
        raise ValueError(f"{new.id} and {old.id} belong to different users: a successor is for the same readers")
    if new.scope.agent is not None and new.scope.agent != old.scope.agent:
        raise ValueError(
            f"{new.id} is an agent's own and would take {old.id} from everybody else: remember it for all of them"
        )
    if new.superseded_by is not None and leads_to(transaction, new, old.id):
        raise ValueError(f"{new.id} was itself superseded by {old.id}: that would be a circle")
    check_unsuperseded(transaction, old)
    if new.status is not Status.ACTIVE:
        raise ValueError(f"{new.id} is {new.status}: only an active memory can take another's place")
    check_unsuperseded(transaction, new)


def _named(scope: Scope, memory_id: str) -> Any:
    return reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))


_ABOVE = {
    Kind.WORKING: (Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL),
    Kind.EPISODIC: (Kind.SEMANTIC, Kind.PROCEDURAL),
}
"""The kinds that last longer than a kind; what is semantic or procedural has nowhere to rise."""


def promote(engine: Engine, memory_id: str, to: Kind, verdict: Verdict) -> Memory:
    """Give a memory a more lasting kind under its own id; see `MemoryManager.promote`."""
    verdict = replace(verdict, authority=False, operation="promote")

    def change(transaction: Transaction) -> Memory:
        court = Court(engine, transaction, verdict)
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
