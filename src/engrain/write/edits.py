"""Edits of known memories: update, link, forget."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import Enum
from typing import Any

from engrain import validation as checks
from engrain.arrays import Floats
from engrain.config import Settings
from engrain.engine import Engine
from engrain.errors import Conflict, NotFound
from engrain.graph.entity_store import Recorder, Seen, seen
from engrain.language.analyzer import index_counts
from engrain.language.dates import parse_when
from engrain.model.audit import Forgotten
from engrain.model.filters import Filter, Test, reachable
from engrain.model.memory import RELATIONS, Expiry, Memory, Scope, SourceType, Status
from engrain.model.scope import identifier, is_whole
from engrain.security.admission import Look, is_open
from engrain.security.audit import Trail, who
from engrain.security.signing import signed_again
from engrain.security.trust import BASE
from engrain.storage.interface import Transaction
from engrain.storage.rows import STALE, ConversationRow, Edge, Posting, Record, Revision, SummaryRow, TurnRow, Vector
from engrain.text import check_content, content_hash, normalise
from engrain.write.conflicts import stated
from engrain.write.draft import refused, screened, withheld
from engrain.write.prepare import (
    Indexed,
    added_links,
    derived_tags,
    describe,
    embed,
    embed_job,
    holds_its_slot,
    identity,
    index,
    index_text,
    named,
    put_jobs,
)
from engrain.write.transitions import Closer, retained, unsaid

_EDIT_AT_ONCE = 500  # terms removed at a time


class Unset(Enum):
    """The value of an argument that was left out, where None means something."""

    UNSET = "unset"


UNSET = Unset.UNSET


@dataclass(frozen=True, slots=True)
class Edit:
    """The memory as it shall be, before its version and time are set, and the vector of its text if that is known."""

    memory: Memory
    vector: Floats | None = None
    seen: Seen | None = None

    @classmethod
    def of_write(
        cls, settings: Settings, old: Memory, new: Memory, given: Iterable[str], vector: Floats | None = None
    ) -> Edit:
        """Return the edit that writing `new` under the key of `old` means: what the writer gave, and no more."""
        names = {"ttl": "expires_at"}
        changes = {names.get(name, name): getattr(new, names.get(name, name)) for name in given}
        if "ttl" in given:
            changes["expiry"] = new.expiry
        if new.content != old.content:
            changes |= {"summary": new.summary, "keywords": new.keywords, "importance": new.importance}
            changes["source"] = new.source
            changes["trust"] = new.trust
            changes["entities"] = new.entities
            if "fact" not in changes and _is_read(settings, old):
                changes["fact"] = new.fact
        if "metadata" in given:
            changes["metadata"] = _merged(old.metadata, new.metadata)
        if new.procedure is not None and old.procedure is not None:
            known = new.procedure.following(old.procedure)
            changes |= {"procedure": known, "confidence": known.confidence}
        changes["links"] = (*old.links, *added_links(old, new))
        return cls(_in_order(replace(old, **changes)), vector)


def checked_changes(engine: Engine, memory: Memory, changes: Mapping[str, Any], now: datetime) -> Memory:
    """Return `memory` with the arguments of an `update` applied; raises as a write of them would."""
    out: dict[str, Any] = {}
    for name, value in _screened(engine, memory, changes).items():
        out |= _CHANGES[name](engine, memory, value)
    if "tags" in changes or "domain" in changes:
        given = out["tags"] if "tags" in out else _without_domain(memory)
        out["tags"] = derived_tags(given, out.get("domain", memory.domain))
    return _in_order(replace(memory, **out))


_LOOKED_AT: Mapping[str, Callable[[Look, Any], Any]] = {
    "content": lambda look, value: look.text(value) if isinstance(value, str) else value,
    "fact": lambda look, value: look.fact(checks.checked_fact(value)),
    "tags": lambda look, value: None if value is None else look.texts(checks.checked_tags(value)),
    "metadata": lambda look, value: None if value is None else look.value(checks.checked_metadata(value)),
}


def _screened(engine: Engine, memory: Memory, changes: Mapping[str, Any]) -> Mapping[str, Any]:
    """Return changes as the policies for secrets and personal data let them be kept; raises for what has to wait."""
    if is_open(engine.settings):
        return changes
    look = Look.under(engine.settings)
    changes = {name: _LOOKED_AT[name](look, value) if name in _LOOKED_AT else value for name, value in changes.items()}
    look.settle(memory.source.id)
    if look.waits and memory.status is not Status.QUARANTINED:
        raise withheld(tuple(look.waits), memory.source.id)
    return changes


def _in_order(memory: Memory) -> Memory:
    if memory.valid_until is not None and memory.valid_until < memory.valid_from:
        raise ValueError(f"valid_until {memory.valid_until} lies before valid_from {memory.valid_from}")
    return memory


def _content(engine: Engine, memory: Memory, value: Any) -> dict[str, Any]:
    text = check_content(value, max_bytes=engine.settings.max_content_bytes)
    if text == memory.content:
        return {}
    suspicious = screened(text, engine.settings, memory.source.type, source_id=memory.source.id)
    if suspicious and memory.status is not Status.QUARANTINED:
        raise refused(suspicious, memory.source.id)
    described = describe(text, engine.settings)
    source = replace(memory.source, content_hash=content_hash(text), signature=None)
    changed = {"content": text, "summary": described.summary, "keywords": described.keywords, "source": source}
    if _is_read(engine.settings, memory):
        changed["fact"] = stated(engine.settings, replace(memory, content=text)).fact
    return changed


def _is_read(settings: Settings, memory: Memory) -> bool:
    """Say whether a memory's fact, if it has one, was read in its text; else somebody gave it."""
    return memory.fact is None or memory.fact == stated(settings, memory).fact


def _time(name: str, *, clears: bool) -> _Change:
    def change(_engine: Engine, _memory: Memory, value: Any) -> dict[str, Any]:
        if value is None and clears:
            return {name: None}
        return {name: parse_when(_needed(value, name), name=name)}

    return change


def _share(name: str) -> _Change:
    return lambda _engine, _memory, value: {name: checks.checked_share(_needed(value, name), name)}


_Change = Callable[[Engine, Memory, Any], dict[str, Any]]
_CHANGES: Mapping[str, _Change] = {
    "content": _content,
    "fact": lambda _e, _m, value: {"fact": checks.checked_fact(value)},
    "importance": _share("importance"),
    "confidence": _share("confidence"),
    "tags": lambda _e, _m, value: {"tags": checks.checked_tags(() if value is None else value)},
    "metadata": lambda _e, memory, value: {"metadata": _merged(memory.metadata, value)},
    "domain": lambda _e, _m, value: {"domain": identifier(_needed(value, "domain"), "domain")},
    "tier": lambda _e, _m, value: {"tier": checks.checked_tier(_needed(value, "tier"))},
    "valid_from": _time("valid_from", clears=False),
    "valid_until": _time("valid_until", clears=True),
    "ttl": lambda _e, memory, value: {"expires_at": _expiry(memory, value), "expiry": Expiry.GIVEN},
    "pinned": lambda _e, _m, value: {"pinned": checks.checked_bool(value, "pinned")},
}


def _needed(value: Any, name: str) -> Any:
    if value is None:
        raise ValueError(f"{name} cannot be cleared: leave it out to keep it as it is")
    return value


def _without_domain(memory: Memory) -> tuple[str, ...]:
    return tuple(tag for tag in memory.tags if tag != memory.domain)


def _merged(old: Mapping[str, Any], changes: Mapping[str, Any] | None) -> Mapping[str, Any]:
    if changes is None:
        return {}
    merged = {**old, **checks.checked_metadata(changes)}
    return checks.checked_metadata({key: value for key, value in merged.items() if value is not None})


def _expiry(memory: Memory, ttl: timedelta | float | None) -> datetime | None:
    span = checks.checked_ttl(ttl, memory.kind)
    try:
        return None if span is None else memory.recorded_at + span
    except OverflowError:
        raise ValueError(f"ttl of {span} reaches past the year 9999: pass None for no expiry") from None


@dataclass(frozen=True, slots=True)
class Asked:
    """How an edit is asked for: `source` is the trust class behind it, None for the application itself."""

    reason: str = ""
    expected: int | None = None
    source: SourceType | None = None
    propose: Callable[[Memory], Memory] = lambda wanted: wanted


def update(engine: Engine, scope: Scope, memory_id: str, changes: Mapping[str, Any], asked: Asked) -> Memory:
    """Edit one memory in scope and return it as it is now; see `MemoryManager.update`.

    Where its source may not make the change, `asked.propose` stores it beside the memory, and that is returned.
    """
    expected, reason = asked.expected, asked.reason
    now = engine.clock.now()
    if expected is not None and not is_whole(expected):
        raise TypeError(f"expected_version must be a whole number, not {type(expected).__name__}")
    if changes.get("tags") is not None:  # they are gone through twice
        changes = {**changes, "tags": tuple(checks.strings(changes["tags"], "tags"))}
    where = reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))
    with engine.store.read(scope.org) as reader:
        before = _checked_version(reader.find(Record, where), memory_id, expected)
    wanted = checked_changes(engine, before.memory, changes, now)
    if asked.source is not None and BASE[asked.source] < before.memory.trust - 1e-9:
        if normalise(wanted.content) == normalise(before.memory.content):
            raise ValueError(f"{memory_id} keeps its text: who is trusted less can only propose another text")
        return asked.propose(wanted)
    texts = [index_text(wanted, situate=engine.settings.situate)]
    embedder = engine.embedder
    vector = embed(embedder, texts)[0] if wanted.content != before.memory.content else None

    def change(transaction: Transaction) -> Memory:
        current = _checked_version(transaction.find(Record, where), memory_id, expected)
        known = vector if engine.embedder is embedder else None  # another one has come into force meanwhile
        edit = Edit(checked_changes(engine, current.memory, changes, now), known)
        trail = Trail(transaction, scope.org, actor=who(scope), at=now)
        after = apply_edit(engine, transaction, current, edit, trail, reason=reason)
        trail.write()
        return (current.memory if after is None else after).as_of_clock(now)

    return engine.store.write(change, scope.org)


def _checked_version(found: list[Record], memory_id: str, expected: int | None) -> Record:
    if not found:
        raise NotFound(memory_id)
    if expected is not None and found[0].memory.version != expected:
        raise Conflict(memory_id, expected=expected, found=found[0].memory.version)
    return found[0]


def apply_edit(
    engine: Engine, transaction: Transaction, current: Record, edit: Edit, trail: Trail, *, reason: str = ""
) -> Memory | None:
    """Carry out an edit inside a transaction, at the trail's time; None when it changes nothing."""
    old, now = current.memory, trail.at
    if edit.memory == old:
        return None
    memory, about = replace(edit.memory, version=old.version + 1, updated_at=now), edit.seen
    if memory.content != old.content:
        memory = replace(memory, consolidated_at=None)  # what it says now is still to be learnt from
    if (memory.content, memory.fact) != (old.content, old.fact):
        memory = replace(memory, trust=unsaid(transaction, current.num, memory, trail))
    if about is None and _reads_otherwise(old, memory):
        about = seen(memory, engine.packs, fact_given=memory.fact != old.fact)
        memory = named(memory, about, seen(old, engine.packs))
    memory = signed_again(old, memory, engine.signer)
    namespace = transaction.namespace(old.scope.org, old.scope.user)
    slot = _slot(transaction, namespace, current, memory, now)
    indexed = index(memory, situate=engine.settings.situate)
    record = replace(current, memory=memory, identity=slot, length=indexed.length, marks=indexed.marks)
    over = old.as_of_clock(now).status is Status.EXPIRED and memory.expires_at == old.expires_at
    record = replace(record, due_at=now) if over else retained(engine.settings.retaining, record)
    memory = record.memory
    before = json.dumps(old.to_dict(), ensure_ascii=False)
    if memory.content != old.content:  # a conversation keeps what was said
        said = [Test("num", "eq", current.num), Test("content", "eq", None)]
        transaction.update(TurnRow, said, content=old.content)
    transaction.put(Revision(current.num, old.version, old.updated_at, now, before), record)
    put_terms(transaction, namespace, record, old, indexed)
    _read(engine, transaction, record, old, about)
    if memory.content != old.content:
        transaction.delete(Vector, [Test("ns", "eq", namespace), Test("num", "eq", current.num)])
        if edit.vector is not None and engine.embedder is not None:
            transaction.put(Vector(namespace, engine.embedder.id, current.num, edit.vector))
        elif engine.embedder is not None:
            transaction.put(embed_job(engine.new_id, memory, now))
            engine.counters.queued += 1
    trail.add("update", memory, current.salt, reason=reason)
    return memory


def _read(engine: Engine, transaction: Transaction, record: Record, old: Memory, about: Seen | None) -> None:
    """Put what an edited memory says into the graph; a language model is asked anew about another text."""
    memory = record.memory
    recorder = Recorder(transaction, engine.packs, engine.new_id, memory.updated_at)
    if (memory.content, memory.domain) != (old.content, old.domain):
        recorder.unread(record.num)
        put_jobs(engine, transaction, [memory], memory.updated_at)
    if about is not None and memory.status is not Status.QUARANTINED:
        recorder.again(record.num, memory, about)


def _reads_otherwise(old: Memory, memory: Memory) -> bool:
    """Say whether an edit changes what is read of entities in a memory."""
    return (old.content, old.domain, old.fact) != (memory.content, memory.domain, memory.fact)


def put_terms(transaction: Transaction, namespace: int, record: Record, old: Memory, indexed: Indexed) -> None:
    """Index a memory that is `old` no longer under the terms it has now."""
    if index_text(record.memory, situate=True) == index_text(old, situate=True):
        return
    held = list({**index_counts(index_text(old, situate=True)), **index_counts(old.content)})
    row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
    for start in range(0, len(held), _EDIT_AT_ONCE):
        transaction.delete(Posting, [*row, Test("term", "in", tuple(held[start : start + _EDIT_AT_ONCE]))])
    transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))


def _slot(transaction: Transaction, namespace: int, current: Record, memory: Memory, now: datetime) -> str | None:
    """Return the identity of the edited memory; two live memories with one text are refused."""
    slot = identity(memory)
    if slot == current.identity:
        return slot
    if not holds_its_slot(memory, now):
        return None
    found = transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", slot)])
    if found and holds_its_slot(found[0].memory, now):
        raise ValueError(f"{found[0].memory.id} already says exactly this: forget one of the two instead")
    if found:
        transaction.update(Record, [Test("num", "eq", found[0].num)], identity=None)
    return slot


_BOTH_WAYS = ("related", "contradicts")


def link(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: str) -> bool:
    """Draw a link; see `MemoryManager.link`."""
    _check(from_id, to_id, relation)

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        if _drawn(transaction, one, other, relation):
            return False
        transaction.put(Edge(one.num, relation, other.num))
        memory = one.memory
        if relation == "derived_from" and BASE[other.memory.source.type] < BASE[memory.source.type]:
            memory = _lowered(engine, transaction, one, other.memory)
        return _noted(engine, transaction, scope, replace(one, memory=memory), f"link {relation} {to_id}")

    return engine.store.write(change, scope.org)


def unlink(engine: Engine, scope: Scope, from_id: str, to_id: str, relation: str) -> bool:
    """Take a link away; see `MemoryManager.unlink`."""
    _check(from_id, to_id, relation)
    if relation == "derived_from":
        raise ValueError("derived_from is provenance and stays: forget the memory instead")

    def change(transaction: Transaction) -> bool:
        one, other = _ends(transaction, scope, from_id, to_id)
        ends = [(one, other), (other, one)] if relation in _BOTH_WAYS else [(one, other)]
        gone = sum(transaction.delete(Edge, _edge(source, target, relation)) for source, target in ends)
        return bool(gone) and _noted(engine, transaction, scope, one, f"unlink {relation} {to_id}")

    return engine.store.write(change, scope.org)


def _check(from_id: str, to_id: str, relation: str) -> None:
    if relation not in RELATIONS:
        raise ValueError(f"unknown relation {relation!r}: use one of {', '.join(RELATIONS)}")
    if from_id == to_id:
        raise ValueError(f"{from_id} cannot be linked to itself: name two memories")


def _ends(transaction: Transaction, scope: Scope, from_id: str, to_id: str) -> tuple[Record, Record]:
    found = []
    for memory_id in (from_id, to_id):
        where = reachable(scope).but(Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN))
        held = transaction.find(Record, where)
        if not held:
            raise NotFound(memory_id)
        found.append(held[0])
    one, other = found
    if one.memory.scope.user != other.memory.scope.user:
        raise ValueError(f"{from_id} and {to_id} belong to different users: a link would show one to the other")
    return one, other


def _drawn(transaction: Transaction, one: Record, other: Record, relation: str) -> bool:
    if transaction.find(Edge, _edge(one, other, relation)):
        return True
    return relation in _BOTH_WAYS and bool(transaction.find(Edge, _edge(other, one, relation)))


def _edge(source: Record, target: Record, relation: str) -> list[Test]:
    return [Test("source", "eq", source.num), Test("relation", "eq", relation), Test("target", "eq", target.num)]


def _lowered(engine: Engine, transaction: Transaction, record: Record, source: Memory) -> Memory:
    """Give a memory the trust class of what it turns out to derive from."""
    kind = source.source.type
    after = replace(record.memory, source=replace(record.memory.source, type=kind), trust=BASE[kind])
    after = signed_again(record.memory, after, engine.signer)
    row = [Test("num", "eq", record.num)]
    transaction.update(Record, row, source_type=kind, trust=BASE[kind], signature=after.source.signature)
    return after


def _noted(engine: Engine, transaction: Transaction, scope: Scope, record: Record, said: str) -> bool:
    trail = Trail(transaction, scope.org, actor=who(scope), at=engine.clock.now())
    trail.add(said.split(maxsplit=1)[0], record.memory, record.salt, reason=said)
    trail.write()
    return True


def untell(transaction: Transaction, nums: Iterable[int]) -> None:
    """Take the turns of these memories out of their windows, and let what left those be told anew, without them."""
    turns = transaction.find(TurnRow, [Test("num", "in", tuple(nums))])
    conversations = tuple({turn.conversation for turn in turns})
    for held in transaction.find(ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
        gone = [turn for turn in turns if turn.conversation == held.num and turn.position >= held.since]
        if gone:
            _untell(transaction, held, gone)


def _untell(transaction: Transaction, held: ConversationRow, gone: Sequence[TurnRow]) -> None:
    live = [turn for turn in gone if turn.live]
    places = tuple(turn.position for turn in live)
    transaction.update(TurnRow, [Test("conversation", "eq", held.num), Test("position", "in", places)], live=False)
    transaction.update(
        ConversationRow,
        [Test("num", "eq", held.num)],
        version=held.version + 1,  # whoever tells them now has to begin again
        tokens=max(held.tokens - sum(turn.tokens for turn in live), 0),
    )
    if len(live) < len(gone):
        tell_anew(transaction, held)


def tell_anew(transaction: Transaction, held: ConversationRow) -> bool:
    """Let what left a window be told again, from the log; False when nothing was told."""
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
        untell(transaction, (record.num for record in found))
        trail.write()
        return [record.memory.id for record in found]

    return engine.store.write(change, scope.org)
