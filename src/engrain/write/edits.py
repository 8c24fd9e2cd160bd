"""Edits of known memories by the caller: update, supersede, promote, pin, link, forget."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from engrain import validation as checks
from engrain.arguments import SuccessorFields
from engrain.engine import Engine
from engrain.errors import Conflict, NotFound
from engrain.graph.entity_store import read_topics
from engrain.language.timestamps import parse_when
from engrain.model.audit import Forgotten
from engrain.model.choices import LinkRelation, Tier, checked_choice
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import Expiry, Fact, Kind, Link, Memory, Scope, Source, SourceType, Status
from engrain.model.results import Remembered
from engrain.security.admission import BASE, Look, is_open
from engrain.security.audit import Trail, signed_again, who
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import STALE, SUPERSEDES, ConversationRow, Edge, Record, SummaryRow, TurnRow
from engrain.text import check_content, content_hash, normalise
from engrain.validation import MAX_TAGS, Lifetime, When, identifier, is_whole
from engrain.write.conflicts import Neighbourhood, inherited, resolve
from engrain.write.pipeline import remember, store
from engrain.write.prepare import (
    Intent,
    Prepared,
    derived_tags,
    describe,
    draft,
    embed,
    identity,
    index,
    index_text,
    merged,
    refused,
    screened,
    stated,
    withheld,
)
from engrain.write.transitions import (
    Closer,
    Edit,
    apply_edit,
    check_unsuperseded,
    checked_interval,
    is_fact_read,
    leads_to,
    merged_metadata,
    retained,
    targets,
    with_retention,
)
from engrain.write.verdicts import Review, Verdict

_SAME = 1e-9


class Unset(Enum):
    """The value of an argument that was left out, where None means something."""

    UNSET = "unset"


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True, kw_only=True)
class Changes:
    """The arguments of an `update`, as they were given; `UNSET` is what was left out."""

    content: str | Unset = UNSET
    fact: Fact | tuple[str, str, str] | Unset | None = UNSET
    importance: float | Unset = UNSET
    confidence: float | Unset = UNSET
    tags: Iterable[str] | Unset | None = UNSET
    metadata: Mapping[str, Any] | Unset | None = UNSET
    domain: str | Unset = UNSET
    tier: Tier | Unset = UNSET
    valid_from: When | Unset = UNSET
    valid_until: When | Unset | None = UNSET
    ttl: Lifetime | Unset | None = UNSET
    pinned: bool | Unset = UNSET


def checked_changes(engine: Engine, memory: Memory, changes: Changes) -> Memory:
    """Return `memory` with the arguments of an `update` applied; raises as a write of them would."""
    changes = _screened(engine, memory, changes)
    out = {
        **_changed_text(engine, memory, changes),
        **_changed_tags(memory, changes),
        **_changed_times(memory, changes),
    }
    for name in ("importance", "confidence"):
        share = getattr(changes, name)
        if not isinstance(share, Unset):
            out[name] = checks.checked_share(_needed(share, name), name)
    if not isinstance(changes.metadata, Unset):
        out["metadata"] = merged_metadata(memory.metadata, changes.metadata)
    if not isinstance(changes.tier, Unset):
        out["tier"] = checks.checked_tier(_needed(changes.tier, "tier"))
    if not isinstance(changes.pinned, Unset):
        out["pinned"] = checks.checked_bool(changes.pinned, "pinned")
    return checked_interval(replace(memory, **out))


def _screened(engine: Engine, memory: Memory, changes: Changes) -> Changes:
    """Return changes as the policies for secrets and personal data let them be kept; raises for what has to wait."""
    if is_open(engine.settings):
        return changes
    look = Look.under(engine.settings)
    if isinstance(changes.content, str):
        changes = replace(changes, content=look.text(changes.content))
    if not isinstance(changes.fact, Unset):
        changes = replace(changes, fact=look.fact(checks.checked_fact(changes.fact)))
    if not isinstance(changes.tags, Unset | None):
        changes = replace(changes, tags=look.texts(checks.checked_tags(changes.tags)))
    if not isinstance(changes.metadata, Unset | None):
        changes = replace(changes, metadata=look.value(checks.checked_metadata(changes.metadata)))
    look.settle(memory.source.id)
    if look.waits and memory.status is not Status.QUARANTINED:
        raise withheld(tuple(look.waits), memory.source.id)
    return changes


def _changed_text(engine: Engine, memory: Memory, changes: Changes) -> dict[str, Any]:
    """Return the content, what is derived from it, and the fact; a fact that was read in the text changes with it."""
    out: dict[str, Any] = {}
    if not isinstance(changes.content, Unset):
        text = check_content(changes.content, max_bytes=engine.settings.max_content_bytes)
        if text != memory.content:
            suspicious = screened(text, engine.settings, memory.source.type, source_id=memory.source.id)
            if suspicious and memory.status is not Status.QUARANTINED:
                raise refused(suspicious, memory.source.id)
            described = describe(text, engine.settings)
            source = replace(memory.source, content_hash=content_hash(text), signature=None)
            out = {"content": text, "summary": described.summary, "keywords": described.keywords, "source": source}
            if is_fact_read(engine.settings, memory):
                out["fact"] = stated(engine.settings, replace(memory, content=text)).fact
    if not isinstance(changes.fact, Unset):
        out["fact"] = checks.checked_fact(changes.fact)
    return out


def _changed_tags(memory: Memory, changes: Changes) -> dict[str, Any]:
    """Return the domain, and the tags with it among them."""
    out: dict[str, Any] = {}
    tags = tuple(tag for tag in memory.tags if tag != memory.domain)
    if not isinstance(changes.tags, Unset):
        tags = checks.checked_tags(changes.tags or ())
    if not isinstance(changes.domain, Unset):
        out["domain"] = identifier(_needed(changes.domain, "domain"), "domain")
    if out or not isinstance(changes.tags, Unset):
        out["tags"] = derived_tags(tags, out.get("domain", memory.domain))
    return out


def _changed_times(memory: Memory, changes: Changes) -> dict[str, Any]:
    """Return the interval and the expiry."""
    out: dict[str, Any] = {}
    if not isinstance(changes.valid_from, Unset):
        out["valid_from"] = parse_when(_needed(changes.valid_from, "valid_from"), name="valid_from")
    if not isinstance(changes.valid_until, Unset):
        ends = changes.valid_until
        out["valid_until"] = None if ends is None else parse_when(ends, name="valid_until")
    if not isinstance(changes.ttl, Unset):
        span = checks.checked_ttl(changes.ttl, memory.kind)
        try:
            out |= {"expires_at": None if span is None else memory.recorded_at + span, "expiry": Expiry.GIVEN}
        except OverflowError:
            raise ValueError(f"ttl of {span} reaches past the year 9999: pass None for no expiry") from None
    return out


def _needed(value: Any, name: str) -> Any:
    if value is None:
        raise ValueError(f"{name} cannot be cleared: leave it out to keep it as it is")
    return value


@dataclass(frozen=True, slots=True)
class EditRequest:
    """How an edit is requested: `source` is the trust class behind it, None for the application itself."""

    reason: str = ""
    expected_version: int | None = None
    source: SourceType | None = None
    propose: Callable[[Memory], Memory] = lambda wanted: wanted


def find_record(reader: Reader, scope: Scope, memory_id: str, *, expected_version: int | None = None) -> Record:
    """Return a memory that the scope reaches and that is not forgotten.

    Raises `NotFound`, and `Conflict` where it has another version than is expected.
    """
    where = reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))
    found = reader.find(Record, where)
    if not found:
        raise NotFound(memory_id)
    if expected_version is not None and found[0].memory.version != expected_version:
        raise Conflict(memory_id, expected=expected_version, found=found[0].memory.version)
    return found[0]


def update(engine: Engine, scope: Scope, memory_id: str, changes: Changes, request: EditRequest) -> Memory:
    """Edit one memory in scope and return it as it is now; see `MemoryManager.update`.

    Where its source may not make the change, `request.propose` stores it beside the memory, and that is returned.
    """
    expected, reason = request.expected_version, request.reason
    now = engine.clock.now()
    if expected is not None and not is_whole(expected):
        raise TypeError(f"expected_version must be a whole number, not {type(expected).__name__}")
    if not isinstance(changes.tags, Unset | None):  # they are read twice
        changes = replace(changes, tags=tuple(checks.strings(changes.tags, "tags")))
    with engine.store.read(scope.org) as reader:
        before = find_record(reader, scope, memory_id, expected_version=expected)
    wanted = checked_changes(engine, before.memory, changes)
    if request.source is not None and BASE[request.source] < before.memory.trust - 1e-9:
        if normalise(wanted.content) == normalise(before.memory.content):
            raise ValueError(f"{memory_id} keeps its text: who is trusted less can only propose another text")
        return request.propose(wanted)
    texts = [index_text(wanted, situate=engine.settings.situate)]
    embedder = engine.embedder
    vector = embed(embedder, texts)[0] if wanted.content != before.memory.content else None

    def change(transaction: Transaction) -> Memory:
        current = find_record(transaction, scope, memory_id, expected_version=expected)
        known = vector if engine.embedder is embedder else None  # another one has come into force meanwhile
        edit = Edit(checked_changes(engine, current.memory, changes), known)
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        after = apply_edit(engine, transaction, current, edit, trail, reason=reason)
        trail.write()
        return (current.memory if after is None else after).as_of_clock(now)

    return engine.store.write(change, scope.org)


def supersede(
    engine: Engine, scope: Scope, old_id: str, content: str, *, reason: str, fields: SuccessorFields
) -> Remembered:
    """Store a successor of a memory; see `MemoryManager.supersede`."""
    with engine.store.read(scope.org) as reader:
        old = find_record(reader, scope, old_id).memory
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


def restate(engine: Engine, scope: Scope, memory_id: str) -> Memory:
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
        mentions=read_topics(memory, engine.packs, fact_given=memory.fact is not None),
    )
    (result,) = store(engine, [proposed], now=now)
    return result.memory


def mark_superseded(engine: Engine, scope: Scope, old_id: str, new_id: str) -> bool:
    """Put one known memory in the place of another; see `MemoryManager.mark_superseded`."""
    if old_id == new_id:
        raise ValueError(f"{old_id} cannot supersede itself: name two memories")
    now = engine.clock.now()

    def change(transaction: Transaction) -> bool:
        try:
            old, new = (find_record(transaction, scope, one) for one in (old_id, new_id))
        except NotFound:
            return False
        _check_succession(transaction, old.memory, new.memory.as_of_clock(now))
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        closer = Closer(transaction, trail)
        closer.close(old, new.memory)
        given = new.memory.confidence != 1.0
        count, confidence = inherited(new.memory, [old.memory], confidence_given=given)
        columns: dict[str, Any] = {"evolution_count": max(count, new.memory.evolution_count), "confidence": confidence}
        if new.memory.is_contested and not _still_contradicts(engine, transaction, new, old, scope):
            columns["status_reason"] = ""
        closer.change(new, "succeed", reason=f"takes the place of {old_id}", **columns)
        transaction.put(Edge(new.num, SUPERSEDES, old.num))
        trail.write()
        return True

    return engine.store.write(change, scope.org)


def _still_contradicts(engine: Engine, transaction: Transaction, new: Record, old: Record, scope: Scope) -> bool:
    """Say whether a contested memory still contradicts another one now that `old` gave way to it."""
    others = (record.memory for record in targets(transaction, new) if record.num != old.num)
    if any(other.believed_until is None and not other.is_superseded for other in others):
        return True
    neighbourhood = Neighbourhood(engine, transaction, engine.clock.now())
    begins = replace(new.memory, status_reason="", valid_from=neighbourhood.now)
    again = Prepared(begins, intent=Intent(authority=True, agent=scope.agent), given=frozenset({"fact"}))
    found = resolve(again, neighbourhood.of_slot(again), neighbourhood.rules)
    return bool(found.closes or found.contests or found.later)


def _check_succession(transaction: Transaction, old: Memory, new: Memory) -> None:
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


_MORE_LASTING = {
    Kind.WORKING: (Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL),
    Kind.EPISODIC: (Kind.SEMANTIC, Kind.PROCEDURAL),
}
"""The kinds that last longer than a kind; what is semantic or procedural has nowhere to rise."""


def promote(engine: Engine, memory_id: str, to: Kind, verdict: Verdict) -> Memory:
    """Give a memory a more lasting kind under its own id; see `MemoryManager.promote`."""
    verdict = replace(verdict, authority=False, operation="promote")

    def change(transaction: Transaction) -> Memory:
        review = Review(engine, transaction, verdict)
        record = review.record(memory_id)
        promoted = _as_kind(record.memory.as_of_clock(verdict.now), to)
        twin = review.closer.holder(record, identity(promoted))
        if twin is not None:
            after = _one_more_witness(engine, transaction, review, record, twin)
        else:
            after = _promoted(engine, transaction, review, record, promoted)
        review.trail.write()
        return after

    return engine.store.write(change, verdict.scope.org)


def _as_kind(memory: Memory, to: Kind) -> Memory:
    """Return the memory as one of that kind; raises `ValueError` where it cannot become one."""
    if memory.status is not Status.ACTIVE or memory.is_superseded or memory.believed_until is not None:
        state = "superseded" if memory.is_superseded else memory.status.value
        raise ValueError(f"{memory.id} is {state}: only what is live can be promoted")
    if to not in _MORE_LASTING.get(memory.kind, ()):
        raise ValueError(f"{memory.id} is {memory.kind} and cannot become {to}: promotion leads upwards only")
    if to is Kind.PROCEDURAL and memory.expiry is Expiry.GIVEN and memory.expires_at is not None:
        raise ValueError(f"{memory.id} has a ttl, and procedural memories have none: update(ttl=None) first")
    return replace(memory, kind=to, version=memory.version + 1)


def _promoted(engine: Engine, transaction: Transaction, review: Review, record: Record, promoted: Memory) -> Memory:
    review.closer.make_room(engine.retention, promoted, flush=lambda: None)
    return review.admit(record, kind=promoted.kind, version=promoted.version)


def _one_more_witness(engine: Engine, transaction: Transaction, review: Review, record: Record, twin: Record) -> Memory:
    """Let a memory that says the same be derived from this one too, which stays what it is."""
    witness = replace(record.memory, kind=twin.memory.kind, links=(Link("derived_from", record.memory.id),))
    known = replace(merged(twin.memory, witness), updated_at=review.verdict.now)
    if len(known.links) > len(twin.memory.links) and known.evidence_count == twin.memory.evidence_count:
        known = replace(known, evidence_count=known.evidence_count + 1)  # of the same source, on another occasion
    known = signed_again(twin.memory, known, engine.signer)
    kept = retained(engine.retention, replace(twin, memory=known))
    transaction.put(kept)
    known = kept.memory
    transaction.put(Edge(twin.num, "derived_from", record.num))
    said = f"promote: {twin.memory.id} says the same"
    review.trail.add("noop", record.memory, record.salt, reason=said)
    review.trail.add("support", known, twin.salt, reason=f"by {record.memory.id}")
    return known


def pin(engine: Engine, scope: Scope, memory_id: str, pinned: bool) -> Memory:
    """Keep a memory whatever the defaults of retention say, or no longer; see `MemoryManager.pin`."""
    now = engine.clock.now()

    def change(transaction: Transaction) -> Memory:
        record = find_record(transaction, scope, memory_id)
        if record.memory.pinned == pinned:
            return record.memory
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        over = record.memory.as_of_clock(now).status is Status.EXPIRED  # swept or not: it stays so
        changes: dict[str, Any] = {"pinned": pinned}
        changes = changes if over else with_retention(engine.retention, record.memory, changes)
        after = Closer(transaction, trail).change(record, "pin" if pinned else "unpin", **changes)
        trail.write()
        return after

    return engine.store.write(change, scope.org).as_of_clock(now)


_BOTH_WAYS = ("related", "contradicts")


def link(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: LinkRelation) -> bool:
    """Draw a link; see `MemoryManager.link`."""
    _check_link(from_id, to_id, relation)

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        if _is_linked(transaction, one, other, relation):
            return False
        transaction.put(Edge(one.num, relation, other.num))
        memory = one.memory
        if relation == "derived_from" and BASE[other.memory.source.type] < BASE[memory.source.type]:
            memory = _with_trust_of(engine, transaction, one, other.memory)
        return _record_link(engine, transaction, scope, replace(one, memory=memory), f"link {relation} {to_id}")

    return engine.store.write(change, scope.org)


def unlink(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: LinkRelation) -> bool:
    """Take a link away; see `MemoryManager.unlink`."""
    _check_link(from_id, to_id, relation)
    if relation == "derived_from":
        raise ValueError("derived_from is provenance and stays: forget the memory instead")

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        ends = [(one, other), (other, one)] if relation in _BOTH_WAYS else [(one, other)]
        gone = sum(transaction.delete(Edge, _edge(source, target, relation)) for source, target in ends)
        return bool(gone) and _record_link(engine, transaction, scope, one, f"unlink {relation} {to_id}")

    return engine.store.write(change, scope.org)


def _check_link(from_id: str, to_id: str, relation: str) -> None:
    checked_choice(relation, "relation", LinkRelation)
    if from_id == to_id:
        raise ValueError(f"{from_id} cannot be linked to itself: name two memories")


def _ends(transaction: Transaction, scope: Scope, from_id: str, to_id: str) -> tuple[Record, Record]:
    one, other = (find_record(transaction, scope, memory_id) for memory_id in (from_id, to_id))
    if one.memory.scope.user != other.memory.scope.user:
        raise ValueError(f"{from_id} and {to_id} belong to different users: a link would show one to the other")
    return one, other


def _is_linked(transaction: Transaction, one: Record, other: Record, relation: str) -> bool:
    if transaction.find(Edge, _edge(one, other, relation)):
        return True
    return relation in _BOTH_WAYS and bool(transaction.find(Edge, _edge(other, one, relation)))


def _edge(source: Record, target: Record, relation: str) -> list[Test]:
    return [Test("source", "eq", source.num), Test("relation", "eq", relation), Test("target", "eq", target.num)]


def _with_trust_of(engine: Engine, transaction: Transaction, record: Record, source: Memory) -> Memory:
    """Give a memory the trust class of what it turns out to derive from."""
    kind = source.source.type
    after = replace(record.memory, source=replace(record.memory.source, type=kind), trust=BASE[kind])
    after = signed_again(record.memory, after, engine.signer)
    row = [Test("num", "eq", record.num)]
    transaction.update(Record, row, source_type=kind, trust=BASE[kind], signature=after.source.signature)
    return after


def _record_link(engine: Engine, transaction: Transaction, scope: Scope, record: Record, said: str) -> bool:
    trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())
    trail.add(said.split(maxsplit=1)[0], record.memory, record.salt, reason=said)
    trail.write()
    return True


def remove_turns(transaction: Transaction, nums: Iterable[int]) -> None:
    """Take the turns of these memories out of their windows; the summaries of those are made anew, without them."""
    turns = transaction.find(TurnRow, [Test("num", "in", tuple(nums))])
    conversations = tuple({turn.conversation for turn in turns})
    for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
        gone = [turn for turn in turns if turn.conversation == held.num and turn.position >= held.since]
        if gone:
            _remove_turns_of(transaction, held, gone)


def _remove_turns_of(transaction: Transaction, held: ConversationRow, gone: Sequence[TurnRow]) -> None:
    live = [turn for turn in gone if turn.live]
    places = tuple(turn.position for turn in live)
    transaction.update(TurnRow, [Test("conversation", "eq", held.num), Test("position", "in", places)], live=False)
    transaction.update(
        ConversationRow,
        [Test("num", "eq", held.num)],
        version=held.version + 1,  # whoever summarises them now has to begin again
        tokens=max(held.tokens - sum(turn.tokens for turn in live), 0),
    )
    if len(live) < len(gone):
        mark_summaries_stale(transaction, held)


def mark_summaries_stale(transaction: Transaction, held: ConversationRow) -> bool:
    """Let what left a window be summarised again, from the log; False when it never was."""
    if held.state and not held.is_stale:
        transaction.put(SummaryRow(held.num, STALE))
    return bool(held.state)


_FORGET_AT_ONCE = 500  # memories hidden in one transaction


def forget(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> Forgotten:
    """Hide the memories of the scope that a filter passes and that are not forgotten yet."""
    ids: list[str] = []
    while some := _forget_some(engine, scope, where, reason=reason):
        ids += some
        if len(some) < _FORGET_AT_ONCE:
            break
    return Forgotten(len(ids), tuple(ids))


def _forget_some(engine: Engine, scope: Scope, where: Filter, *, reason: str) -> list[str]:
    now = engine.clock.now()
    wanted = where.but(Test("status", "ne", Status.FORGOTTEN))

    def change(transaction: Transaction) -> list[str]:
        found = transaction.find(Record, wanted, limit=_FORGET_AT_ONCE)
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        closer = Closer(transaction, trail)
        for record in found:
            closer.change(
                record,
                "forget",
                reason=reason,
                status=Status.FORGOTTEN,
                status_reason=reason,
                believed_until=record.memory.believed_until or now,
                identity=None,
            )
        remove_turns(transaction, (record.num for record in found))
        trail.write()
        return [record.memory.id for record in found]

    return engine.store.write(change, scope.org)
