"""Changes of state inside a transaction: closing, reopening, archiving, caps, corroboration, retention."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from datetime import datetime
from typing import Any

from engrain.arrays import Floats
from engrain.config import Settings
from engrain.engine import Engine
from engrain.graph.entity_store import Recorder, Topics, read_topics
from engrain.guard import tell
from engrain.language.tokens import index_counts
from engrain.model.filters import Condition, Test
from engrain.model.memory import AuditEntry, Expiry, Kind, Memory, MemoryEntry, SourceType, Status, Turn
from engrain.model.results import Remembered
from engrain.model.scope import KEY, acting_key
from engrain.policies.garbage import entry_of
from engrain.policies.retention import KEPT_FROM, Retention
from engrain.security.audit import Trail
from engrain.security.signing import signed_again
from engrain.security.trust import BASE
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import (
    CORRECTS,
    SUPERSEDES,
    CounterRow,
    Edge,
    Posting,
    Record,
    Revision,
    TurnRow,
    Vector,
    WitnessRow,
)
from engrain.validation import checked_metadata
from engrain.write.prepare import (
    Indexed,
    Prepared,
    added_links,
    embed_job,
    holds_its_slot,
    identity,
    index,
    index_text,
    named,
    put_jobs,
    stated,
)

_RAISED: Mapping[SourceType, float] = {
    SourceType.EXTERNAL_DATA: BASE[SourceType.TOOL_RESULT],
    SourceType.TOOL_RESULT: BASE[SourceType.LLM_GENERATED],
}
_SAME = 1e-9
_TOLD = ("create", "import")  # the operations by which a memory comes to be


def witnessed_trust(transaction: Transaction, memory: Memory, witnesses: Iterable[WitnessRow]) -> float:
    """Return the trust of a memory whose source is borne out by these witnesses, or by none that counts."""
    base = BASE[memory.source.type]
    own = min(memory.trust, base)
    raised = _RAISED.get(memory.source.type)
    if raised is None or own < base - _SAME or not _is_settled(memory):
        return own
    fit = [row for row in witnesses if BASE[SourceType(row.type)] >= base - _SAME]
    if not fit:
        return own
    pair = (str(memory.source.type), memory.source.id)
    if memory.source.id and pair not in {(row.type, row.source) for row in fit}:
        fit.append(WitnessRow(0, *pair, _author(transaction, memory)))
    voices = {row.author or (row.type, row.source) for row in fit}
    return raised if len(voices) > 1 else own


def witness(transaction: Transaction, said: Memory, num: int = 0, *, said_by: str = "") -> WitnessRow | None:
    """Return a memory as a witness of what another one says, None where it is none.

    `said_by` is its id where it stays beside that one: taken back, it counts no more.
    """
    derived = any(link.relation == "derived_from" for link in said.links)
    if not said.source.id or derived or not _is_settled(said):
        return None
    return WitnessRow(num, said.source.type, said.source.id, _author(transaction, said), said_by)


def add_witness(transaction: Transaction, num: int, known: Memory, said: Memory, *, said_by: str = "") -> float:
    """Note that `said` says what a known memory says; return what that is worth now."""
    rows = _of(transaction, num)
    row = None if known.status is Status.QUARANTINED else witness(transaction, said, num, said_by=said_by)
    pairs = {(each.type, each.source) for each in rows} | {(str(known.source.type), known.source.id)}
    if row is not None and (row.type, row.source) not in pairs:
        transaction.put(row)
        rows.append(row)
    return witnessed_trust(transaction, known, rows)


def note_author(transaction: Transaction, num: int, memory: Memory) -> None:
    """Note whose word a known memory is from now on, where a key told it before or tells it now."""
    teller = acting_key()
    if memory.source.id and (teller is not None or _key(transaction, memory) is not None):
        transaction.put(WitnessRow(num, memory.source.type, memory.source.id, teller or _named(memory)))


def current_trust(transaction: Transaction, num: int, memory: Memory) -> float:
    """Return what a memory is worth by the witnesses that it has."""
    return witnessed_trust(transaction, memory, _of(transaction, num))


def restart_witnesses(transaction: Transaction, num: int, memory: Memory, trail: Trail) -> float:
    """Let go of the witnesses of a memory that says something else now, and of it as one; return what it is worth."""
    transaction.delete(WitnessRow, [Test("num", "eq", num)])
    withdraw_witness(transaction, memory.id, trail)
    note_author(transaction, num, memory)
    return witnessed_trust(transaction, memory, ())


def withdraw_witness(transaction: Transaction, memory_id: str, trail: Trail) -> None:
    """Count a memory no longer as a witness of others, which sink to what they are worth without it."""
    bore = [Test("said_by", "eq", memory_id)]
    nums = tuple(row.num for row in transaction.find(WitnessRow, bore))
    if not nums:
        return
    transaction.delete(WitnessRow, bore)
    for record in transaction.find(Record, [Test("num", "in", nums)]):
        trust = current_trust(transaction, record.num, record.memory)
        if trust != record.memory.trust:
            transaction.update(Record, [Test("num", "eq", record.num)], trust=trust)
            trail.add("weigh", replace(record.memory, trust=trust), record.salt, reason=f"without {memory_id}")


def _of(transaction: Transaction, num: int) -> list[WitnessRow]:
    return transaction.find(WitnessRow, [Test("num", "eq", num)])


def _is_settled(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and not memory.is_contested


def _author(transaction: Transaction, memory: Memory) -> str:
    """Return who chose the source's id: the key that told it, else who is named as having said it."""
    return _key(transaction, memory) or _named(memory)


def _named(memory: Memory) -> str:
    """Return the actor, else the agent; "" for the application, which is believed in it."""
    if memory.actor is not None:
        return f"actor:{memory.actor}"
    return "" if memory.scope.agent is None else f"agent:{memory.scope.agent}"


def _key(transaction: Transaction, memory: Memory) -> str | None:
    """Return the key that told a memory; what is not stored yet is told by the one that acts now.

    What was learnt from a memory, and has its source, is told by whoever told that one.
    """
    seen = {memory.id}
    while (origin := _learnt_from(transaction, memory)) is not None and origin.id not in seen:
        seen.add(origin.id)
        memory = origin
    record = find_by_id(transaction, memory.id)
    num = 0 if record is None else record.num
    own = [Test("type", "eq", memory.source.type), Test("source", "eq", memory.source.id)]
    again = transaction.find(WitnessRow, [Test("num", "eq", num), *own])
    if again:
        return _if_key(again[0].author)
    of = [Test("org", "eq", memory.scope.org), Test("memory_id", "eq", memory.id), Test("operation", "in", _TOLD)]
    told = transaction.find(AuditEntry, of, order="-seq", limit=1)
    return _if_key(told[0].actor if told else acting_key())


def _if_key(name: str | None) -> str | None:
    return name if name is not None and name.startswith(KEY) else None


def _learnt_from(transaction: Transaction, memory: Memory) -> Memory | None:
    """Return the memory from which a derived one has its source, if there is one."""
    ids = tuple(link.memory_id for link in memory.links if link.relation == "derived_from")
    found = transaction.find(Record, [Test("id", "in", ids)]) if ids else []
    same = (memory.source.type, memory.source.id)
    return next((each.memory for each in found if (each.memory.source.type, each.memory.source.id) == same), None)


_COLUMNS = {field.name for field in fields(Memory)}


@dataclass(frozen=True, slots=True)
class Closer:
    """Changes the state of memories in one transaction, at the trail's time, and says so in the audit trail."""

    transaction: Transaction
    trail: Trail

    def change(self, record: Record, operation: str, *, reason: str = "", **columns: Any) -> Memory:
        """Set columns of a memory; what it was before becomes a revision. Returns the memory as it is now.

        When it is due by its retention may be another time now: the next sweep looks.
        """
        before, now = record.memory, self.trail.at
        state = json.dumps(before.to_dict(), ensure_ascii=False)
        self.transaction.put(Revision(record.num, before.version, before.updated_at, now, state, operation))
        changes = {"due_at": now, **columns, "updated_at": now}
        self.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
        if columns.get("believed_until") is not None:  # what is believed no longer bears nothing out
            withdraw_witness(self.transaction, before.id, self.trail)
        after = replace(before, **{name: value for name, value in changes.items() if name in _COLUMNS})
        self.trail.add(operation, after, record.salt, reason=reason)
        return after

    def close(self, old: Record, successor: Memory, *, corrected: bool = False, reason: str = "") -> Memory:
        """Let `successor` take the place of a memory: from its beginning on, or as if the old had never been true."""
        ends = max(old.memory.valid_from, successor.valid_from)
        if old.memory.valid_until is not None:
            ends = min(ends, old.memory.valid_until)
        columns: dict[str, Any] = {"superseded_by": successor.id, **self._without_default_end(old.memory)}
        if corrected:
            columns["believed_until"] = old.memory.believed_until or self.trail.at
        else:
            columns["valid_until"] = ends
        if corrected or ends <= self.trail.at:  # until its successor's time has come, nothing else may say the same
            columns["identity"] = None
        return self.change(
            old, "correct" if corrected else "supersede", reason=reason or f"by {successor.id}", **columns
        )

    def _without_default_end(self, memory: Memory) -> dict[str, Any]:
        """Return the columns by which history loses the end of a policy, whenever the next sweep comes."""
        if memory.expiry is not Expiry.DEFAULT or memory.expires_at is None or memory.expires_at <= self.trail.at:
            return {}
        return {"expires_at": None, "expiry": Expiry.NONE}

    def count_predecessor(self, record: Record) -> None:
        """Count one predecessor more for a version and for all that came after it."""
        for each in (record, *successors(self.transaction, record.memory)):
            count = each.memory.evolution_count + 1
            self.transaction.update(Record, [Test("num", "eq", each.num)], evolution_count=count)

    def reopen(self, successor: Record, *, reason: str) -> list[Memory]:
        """Give back their place to the memories that a rejected one had closed, or to its own successor if it has one.

        Each takes the interval it had before it was closed. What a live memory says in the same words by now gives way
        to that one.
        """
        closed = self.transaction.find(Record, [Test("superseded_by", "eq", successor.memory.id)])
        return [self._reopened(old, successor, reason) for old in closed]

    def _reopened(self, old: Record, successor: Record, reason: str) -> Memory:
        memory = replace(old.memory, superseded_by=None, valid_until=self._end_before(old, successor))
        if memory.status is Status.ACTIVE:
            memory = replace(memory, believed_until=None)
        slot = identity(memory) if holds_its_slot(memory, self.trail.at) else None
        heir_id = successor.memory.superseded_by
        heir = find_by_id(self.transaction, heir_id) if heir_id is not None else None
        heir = heir or (self.holder(old, slot) if slot else None)
        columns: dict[str, Any] = {"believed_until": memory.believed_until, "valid_until": memory.valid_until}
        if heir is not None:
            ends = max(memory.valid_from, heir.memory.valid_from)
            ends = ends if memory.valid_until is None else min(ends, memory.valid_until)
            self.transaction.put(Edge(heir.num, SUPERSEDES, old.num))
            return self.change(
                old, "reopen", reason=reason, **columns | {"valid_until": ends}, superseded_by=heir.memory.id
            )
        return self.change(old, "reopen", reason=reason, **columns, superseded_by=None, identity=slot)

    def _end_before(self, old: Record, successor: Record) -> datetime | None:
        """Return where a memory ended before it was closed; what arrived late ended with the other's beginning."""
        for before in self._states(old, ("supersede", "correct")):
            if not before.is_superseded:
                return before.valid_until
        ends = old.memory.valid_until
        return None if ends == successor.memory.valid_from else ends

    def holder(self, old: Record, slot: str) -> Record | None:
        """Return the other memory that says the same now; a slot whose holder has gone is taken from it."""
        scope = old.memory.scope
        namespace = self.transaction.namespace(scope.org, scope.user)
        for other in self.transaction.find(Record, [Test("ns", "eq", namespace), Test("identity", "eq", slot)]):
            if other.num == old.num:
                continue
            if holds_its_slot(other.memory, self.trail.at):
                return other
            self.transaction.update(Record, [Test("num", "eq", other.num)], identity=None)
        return None

    def before(self, record: Record, changes: Sequence[str]) -> Memory | None:
        """Return the memory as it was before the last change of one of these kinds."""
        return next(self._states(record, changes, limit=1), None)

    def _states(self, record: Record, changes: Sequence[str], *, limit: int | None = None) -> Iterator[Memory]:
        """Return the states that changes of these kinds ended, the last first."""
        tests = [Test("num", "eq", record.num), Test("change", "in", tuple(changes))]
        found = self.transaction.find(Revision, tests, order="-seq", limit=limit)
        return (Memory.from_dict(json.loads(revision.memory)) for revision in found)


def targets(transaction: Transaction, record: Record) -> list[Record]:
    """Return the memories that a waiting or rejected one shall close, or had closed."""
    edges = transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "in", (SUPERSEDES, CORRECTS))])
    nums = tuple(edge.target for edge in edges)
    return transaction.find(Record, [Test("num", "in", nums)]) if nums else []


def corrects(transaction: Transaction, record: Record) -> set[int]:
    """Return the rows that a waiting memory says were never true."""
    return {
        edge.target
        for edge in transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "eq", CORRECTS)])
    }


def find_by_id(reader: Reader, memory_id: str) -> Record | None:
    """Return a memory of the org by its id, whoever sees it and whatever its status."""
    found = reader.find(Record, [Test("id", "eq", memory_id)])
    return found[0] if found else None


def successors(reader: Reader, memory: Memory) -> Iterator[Record]:
    """Yield what took a memory's place, then what took the place of that, and so on."""
    passed, following = {memory.id}, memory.superseded_by
    while following is not None and following not in passed:
        record = find_by_id(reader, following)
        if record is None:
            return
        yield record
        passed.add(following)
        following = record.memory.superseded_by


def leads_to(reader: Reader, memory: Memory, wanted: str) -> bool:
    """Say whether `wanted` took a memory's place, or the place of what did."""
    return any(record.memory.id == wanted for record in successors(reader, memory))


def check_unsuperseded(reader: Reader, memory: Memory) -> None:
    """Raise `ValueError` naming the live head when a memory has been superseded already."""
    chain = list(successors(reader, memory))
    if chain:
        head = chain[-1].memory.id
        raise ValueError(f"{memory.id} is superseded already: {head} stands in its place, supersede that one")


_TERMS_AT_ONCE = 500  # index terms removed at a time


@dataclass(frozen=True, slots=True)
class Edit:
    """The memory as it shall be, before its version and time are set, and the vector of its text if that is known."""

    memory: Memory
    vector: Floats | None = None
    mentions: Topics | None = None

    @classmethod
    def of_write(cls, settings: Settings, old: Memory, written: Prepared) -> Edit:
        """Return the edit that writing `new` under the key of `old` means: what the writer gave, and no more."""
        new, given = written.memory, written.given
        changes = {name: getattr(new, name) for name in given - {"ttl"}}
        if "ttl" in given:
            changes |= {"expires_at": new.expires_at, "expiry": new.expiry}
        if new.content != old.content:
            changes |= {"summary": new.summary, "keywords": new.keywords, "importance": new.importance}
            changes["source"] = new.source
            changes["trust"] = new.trust
            changes["entities"] = new.entities
            if "fact" not in changes and is_fact_read(settings, old):
                changes["fact"] = new.fact
        if "metadata" in given:
            changes["metadata"] = merged_metadata(old.metadata, new.metadata)
        if new.procedure is not None and old.procedure is not None:
            known = new.procedure.following(old.procedure)
            changes |= {"procedure": known, "confidence": known.confidence}
        changes["links"] = (*old.links, *added_links(old, new))
        return cls(checked_interval(replace(old, **changes)), written.vector, written.mentions)


def checked_interval(memory: Memory) -> Memory:
    """Return a memory whose interval has its end after its beginning; raises `ValueError` for another."""
    if memory.valid_until is not None and memory.valid_until < memory.valid_from:
        raise ValueError(f"valid_until {memory.valid_until} lies before valid_from {memory.valid_from}")
    return memory


def is_fact_read(settings: Settings, memory: Memory) -> bool:
    """Say whether a memory's fact, if it has one, was read in its text; else somebody gave it."""
    return memory.fact is None or memory.fact == stated(settings, memory).fact


def merged_metadata(old: Mapping[str, Any], changes: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return metadata with changes; a value of None takes a name out, None for all of them leaves nothing."""
    if changes is None:
        return {}
    merged = {**old, **checked_metadata(changes)}
    return checked_metadata({key: value for key, value in merged.items() if value is not None})


def apply_edit(
    engine: Engine, transaction: Transaction, current: Record, edit: Edit, trail: Trail, *, reason: str = ""
) -> Memory | None:
    """Carry out an edit inside a transaction, at the trail's time; None when it changes nothing."""
    old, now = current.memory, trail.at
    if edit.memory == old:
        return None
    memory, about = replace(edit.memory, version=old.version + 1, updated_at=now), edit.mentions
    if memory.content != old.content:
        memory = replace(memory, consolidated_at=None)  # what it says now is still to be learnt from
    if (memory.content, memory.fact) != (old.content, old.fact):
        memory = replace(memory, trust=restart_witnesses(transaction, current.num, memory, trail))
    if about is None and _reads_otherwise(old, memory):
        about = read_topics(memory, engine.packs, fact_given=memory.fact != old.fact)
        memory = named(memory, about, read_topics(old, engine.packs))
    memory = signed_again(old, memory, engine.signer)
    namespace = transaction.namespace(old.scope.org, old.scope.user)
    slot = _edited_identity(Closer(transaction, trail), current, memory)
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


def _read(engine: Engine, transaction: Transaction, record: Record, old: Memory, about: Topics | None) -> None:
    """Put what an edited memory says into the graph; a language model is asked anew about another text."""
    memory = record.memory
    recorder = Recorder(transaction, engine.packs, engine.new_id, memory.updated_at)
    if (memory.content, memory.domain) != (old.content, old.domain):
        recorder.unread(record.num)
        put_jobs(engine, transaction, [memory], memory.updated_at)
    if about is not None and memory.status is not Status.QUARANTINED:
        recorder.again(record.num, memory, about)


def _edited_identity(closer: Closer, current: Record, memory: Memory) -> str | None:
    """Return the identity of an edited memory; two live memories with one text are refused."""
    slot = identity(memory)
    if slot == current.identity:
        return slot
    if not holds_its_slot(memory, closer.trail.at):
        return None
    other = closer.holder(current, slot)
    if other is not None:
        raise ValueError(f"{other.memory.id} already says exactly this: forget one of the two instead")
    return slot


def _reads_otherwise(old: Memory, memory: Memory) -> bool:
    """Say whether an edit changes what is read of entities in a memory."""
    return (old.content, old.domain, old.fact) != (memory.content, memory.domain, memory.fact)


def put_terms(transaction: Transaction, namespace: int, record: Record, old: Memory, indexed: Indexed) -> None:
    """Index a memory that is `old` no longer under the terms it has now."""
    if index_text(record.memory, situate=True) == index_text(old, situate=True):
        return
    held = list({**index_counts(index_text(old, situate=True)), **index_counts(old.content)})
    row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
    for start in range(0, len(held), _TERMS_AT_ONCE):
        transaction.delete(Posting, [*row, Test("term", "in", tuple(held[start : start + _TERMS_AT_ONCE]))])
    transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))


OVER_CAP, EXPIRED = "retention_cap", "ttl_expiry"
"""Why a memory was evicted, and why it expired."""
_FIRST_OUT: Mapping[Kind, str] = {
    Kind.WORKING: "used_at",  # the least recently used
    Kind.EPISODIC: "importance",
    Kind.SEMANTIC: "importance",
    Kind.PROCEDURAL: "confidence",
}


@dataclass
class Caps:
    """The caps of one transaction."""

    transaction: Transaction
    retention: Retention
    _held: dict[tuple[object, ...], int] = field(default_factory=dict)

    def apply_to(self, memory: Memory) -> bool:
        """Say whether a new memory counts for a cap."""
        live = memory.status is Status.ACTIVE and not memory.is_superseded
        return live and memory.scope.agent is not None and self._cap(memory) is not None

    def make_room(self, namespace: int, memory: Memory, trail: Trail, *, flush: Callable[[], None]) -> tuple[str, ...]:
        """Evict what a new memory leaves no room for; return the ids. `flush` puts what was not put yet.

        Those whose time has come and which no sweep has seen yet expire first.
        """
        cap, counted = self._cap(memory) or 0, self._counted(namespace, memory)
        place = (namespace, memory.scope.agent, memory.kind, self._apart(memory))
        if place not in self._held:
            self._held[place] = self._count(namespace, memory, counted)
        if self._held[place] >= cap:  # or some of those counted have been closed meanwhile, or are over
            flush()
            self._expire(counted, trail)
            self._held[place] = self._count(namespace, memory, counted)
        excess = self._held[place] + 1 - cap
        self._held[place] += 1
        if excess <= 0:
            return ()
        loose, order = [*counted, *_loose(memory.kind)], _FIRST_OUT[memory.kind]
        found = self.transaction.find(Record, loose, order=order, limit=excess)
        self._let_go(found, trail, "evict", OVER_CAP, Status.ARCHIVED)
        self._held[place] -= len(found)
        return tuple(record.memory.id for record in found)

    def _count(self, namespace: int, memory: Memory, counted: list[Condition]) -> int:
        """Count what counts for the same cap; the store knows it but where domains are counted apart."""
        if self.retention.capped_apart(memory.kind, memory.scope.agent):
            return self.transaction.count(Record, counted)[""]
        place = [Test("ns", "eq", namespace), Test("agent", "eq", memory.scope.agent), Test("kind", "eq", memory.kind)]
        return sum(counter.live for counter in self.transaction.find(CounterRow, place, order="kind"))

    def _expire(self, counted: list[Condition], trail: Trail) -> None:
        over = [*counted, Test("due_at", "le", trail.at), Test("expires_at", "le", trail.at)]
        self._let_go(self.transaction.find(Record, over, order="due_at"), trail, "expire", EXPIRED, Status.EXPIRED)

    def _let_go(self, found: Sequence[Record], trail: Trail, operation: str, reason: str, status: Status) -> None:
        closer = Closer(self.transaction, trail)
        said = "ttl" if status is Status.EXPIRED else reason
        gone = {"status": status, "status_reason": said, "identity": None, "due_at": None}
        for record in found:
            closer.change(record, operation, reason=reason, **gone)

    def _cap(self, memory: Memory) -> int | None:
        cap = self.retention.of(memory).cap
        return cap if isinstance(cap, int) else None

    def _apart(self, memory: Memory) -> str | None:
        """Return the domain of a memory when it has a cap of its own."""
        apart = self.retention.capped_apart(memory.kind, memory.scope.agent)
        return memory.domain if memory.domain in apart else None

    def _counted(self, namespace: int, memory: Memory) -> list[Condition]:
        """Return which memories count for the same cap as this one."""
        own = self._apart(memory)
        apart = tuple(self.retention.capped_apart(memory.kind, memory.scope.agent))
        tests: list[Condition] = [
            Test("ns", "eq", namespace),
            Test("agent", "eq", memory.scope.agent),
            Test("counted", "eq", memory.kind),
        ]
        if own is not None:
            tests.append(Test("domain", "eq", own))
        elif apart:
            tests.append(Test("domain", "nin", apart))
        return tests


def _loose(kind: Kind) -> list[Condition]:
    """Return which of them a default may touch."""
    tests: list[Condition] = [Test("pinned", "eq", False), Test("importance", "lt", KEPT_FROM)]
    return [*tests, Test("consolidated_at", "ne", None)] if kind is Kind.EPISODIC else tests


def retained(retention: Retention, record: Record) -> Record:
    """Return a record with the end that its policy gives it, and the moment at which it is due."""
    memory = retention.expiring(record.memory)
    return replace(record, memory=memory, due_at=retention.due_at(memory))


def with_retention(retention: Retention, before: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a memory's columns together with what follows from them: its end, and when it is due.

    `changes` are fields of a memory; others, such as its identity, are left as they are.
    """
    known = {name: value for name, value in changes.items() if hasattr(before, name)}
    after = retention.expiring(replace(before, **known))
    more = {"expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}
    return {**changes, **more}


def retention_columns(retention: Retention, memory: Memory, now: datetime) -> dict[str, Any]:
    """Return the columns to note, without a revision, for what retention says of a memory from now on.

    An end that would have come already is left to the next sweep, which records it: until now the memory was there, and
    that stays what was known.
    """
    after = retention.expiring_at(memory, now)
    if after.expires_at is not None and after.expires_at <= now and after.expires_at != memory.expires_at:
        return {"expires_at": memory.expires_at, "expiry": memory.expiry, "due_at": now}
    return {"expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}


_ACTIONS = {"noop": "none", "updated": "update", "corrected": "update", "rejected": "none"}


def tell_consolidated(
    callbacks: Sequence[object], results: Iterable[Remembered[Memory | None]], known: Callable[[str], Memory | None]
) -> None:
    """Tell of each write what it did to what is known: add, update or none; `known` looks up what gave way."""
    for result in results:
        if result.memory is None:
            continue
        action = _ACTIONS.get(result.status, "add")
        new: MemoryEntry | None = entry_of(result.memory)
        old: MemoryEntry | None = None
        if action == "none":
            new, old = None, new
        elif action == "update":
            found = [memory for name in result.memory.supersedes if (memory := known(name)) is not None]
            old = entry_of(found[0]) if found else None
        tell(callbacks, "on_consolidation", action, new, old)


def tell_extracted(callbacks: Sequence[object], turns: Sequence[Turn], results: Iterable[Remembered]) -> None:
    """Tell which facts were found in turns."""
    entries = [entry_of(result.memory) for result in results]
    if entries:
        tell(callbacks, "on_extraction", list(turns), entries)
