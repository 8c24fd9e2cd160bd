"""Changes of state inside a transaction: closing, reopening, eviction, edits, witnesses, retention."""

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
from engrain.model.audit import KEY, current_key
from engrain.model.filters import Condition, Test
from engrain.model.memory import AuditEntry, Expiry, Kind, Memory, MemoryEntry, SourceType, Status, Turn
from engrain.model.results import Remembered
from engrain.policies.garbage import entry_of
from engrain.policies.retention import KEPT_FROM, Retention
from engrain.security.admission import BASE
from engrain.security.audit import Trail, signed_again
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

# ------------------------------------------------------------------------------------------------------------ witnesses

_RAISED: Mapping[SourceType, float] = {
    SourceType.EXTERNAL_DATA: BASE[SourceType.TOOL_RESULT],
    SourceType.TOOL_RESULT: BASE[SourceType.LLM_GENERATED],
}
_SAME = 1e-9


def witnessed_trust(transaction: Transaction, memory: Memory, witnesses: Iterable[WitnessRow]) -> float:
    """Return the trust of a memory with these witnesses: raised when another author or source states the same."""
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
    return raised if len({row.author or (row.type, row.source) for row in fit}) > 1 else own


def witness(transaction: Transaction, new: Memory, num: int = 0, *, kept_as: str = "") -> WitnessRow | None:
    """Return a memory as a witness of another one with the same statement, None where it is none.

    `kept_as` is its id where it is kept beside that one: when it is retracted, it counts no more.
    """
    derived = any(link.relation == "derived_from" for link in new.links)
    if not new.source.id or derived or not _is_settled(new):
        return None
    return WitnessRow(num, new.source.type, new.source.id, _author(transaction, new), kept_as)


def add_witness(transaction: Transaction, num: int, known: Memory, new: Memory, *, kept_as: str = "") -> float:
    """Note that `new` states the same as a known memory; return the trust of that one now."""
    rows = transaction.find(WitnessRow, [Test("num", "eq", num)])
    row = None if known.status is Status.QUARANTINED else witness(transaction, new, num, kept_as=kept_as)
    pairs = {(each.type, each.source) for each in rows} | {(str(known.source.type), known.source.id)}
    if row is not None and (row.type, row.source) not in pairs:
        transaction.put(row)
        rows.append(row)
    return witnessed_trust(transaction, known, rows)


def note_author(transaction: Transaction, num: int, memory: Memory) -> None:
    """Note the author of a known memory from now on, where a key wrote it before or writes it now."""
    writer = current_key()
    if memory.source.id and (writer is not None or _key(transaction, memory) is not None):
        transaction.put(WitnessRow(num, memory.source.type, memory.source.id, writer or _named(memory)))


def current_trust(transaction: Transaction, num: int, memory: Memory) -> float:
    """Return the trust of a memory with the witnesses that it has."""
    return witnessed_trust(transaction, memory, transaction.find(WitnessRow, [Test("num", "eq", num)]))


def withdraw_witness(transaction: Transaction, memory_id: str, trail: Trail) -> None:
    """Count a memory no longer as a witness of others, and lower their trust to what it is without it."""
    kept = [Test("said_by", "eq", memory_id)]
    nums = tuple(row.num for row in transaction.find(WitnessRow, kept))
    if not nums:
        return
    transaction.delete(WitnessRow, kept)
    for record in transaction.find(Record, [Test("num", "in", nums)]):
        trust = current_trust(transaction, record.num, record.memory)
        if trust != record.memory.trust:
            transaction.update(Record, [Test("num", "eq", record.num)], trust=trust)
            trail.add("weigh", replace(record.memory, trust=trust), record.salt, reason=f"without {memory_id}")


def _is_settled(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and not memory.is_contested


def _author(transaction: Transaction, memory: Memory) -> str:
    """Return who chose the source's id: the key that wrote it, else its actor or agent."""
    return _key(transaction, memory) or _named(memory)


def _named(memory: Memory) -> str:
    """Return the actor, else the agent; "" for the application, which is trusted to name sources."""
    if memory.actor is not None:
        return f"actor:{memory.actor}"
    return "" if memory.scope.agent is None else f"agent:{memory.scope.agent}"


def _key(transaction: Transaction, memory: Memory) -> str | None:
    """Return the key that wrote a memory; one that is not stored yet is written by the key of this call.

    The author of a memory that is derived from one with the same source is the author of that one.
    """
    visited: set[str] = set()
    origin: Memory | None = memory
    while origin is not None and origin.id not in visited:
        memory = origin
        visited.add(memory.id)
        ids = tuple(link.memory_id for link in memory.links if link.relation == "derived_from")
        found = transaction.find(Record, [Test("id", "in", ids)]) if ids else []
        same = (each.memory for each in found if each.memory.source.id == memory.source.id)
        origin = next((each for each in same if each.source.type is memory.source.type), None)
    record = find_by_id(transaction, memory.id)
    place = [Test("num", "eq", 0 if record is None else record.num), Test("type", "eq", memory.source.type)]
    if again := transaction.find(WitnessRow, [*place, Test("source", "eq", memory.source.id)]):
        author: str | None = again[0].author
    else:
        of = [Test("org", "eq", memory.scope.org), Test("memory_id", "eq", memory.id)]
        written = Test("operation", "in", ("create", "import"))
        entries = transaction.find(AuditEntry, [*of, written], order="-seq", limit=1)
        author = entries[0].actor if entries else current_key()
    return author if author is not None and author.startswith(KEY) else None


# --------------------------------------------------------------------------------------------------------------- states

OVER_CAP, EXPIRED = "retention_cap", "ttl_expiry"
"""Why a memory was evicted, and why it expired."""
_FIRST_OUT: Mapping[Kind, str] = {
    Kind.WORKING: "used_at",  # the least recently used
    Kind.EPISODIC: "importance",
    Kind.SEMANTIC: "importance",
    Kind.PROCEDURAL: "confidence",
}
_COLUMNS = {field.name for field in fields(Memory)}


@dataclass(frozen=True, slots=True)
class Closer:
    """Changes the state of memories in one transaction, at the trail's time, and records it in the audit trail."""

    transaction: Transaction
    trail: Trail
    _counts: dict[tuple[object, ...], int] = field(default_factory=dict)  # of live memories, by what a cap counts

    def change(self, record: Record, operation: str, *, reason: str = "", **columns: Any) -> Memory:
        """Set columns of a memory; its former state becomes a revision. Returns the memory as it is now.

        It may be due at another time by its retention, so the next sweep looks at it.
        """
        before, now = record.memory, self.trail.at
        state = json.dumps(before.to_dict(), ensure_ascii=False)
        self.transaction.put(Revision(record.num, before.version, before.updated_at, now, state, operation))
        changes = {"due_at": now, **columns, "updated_at": now}
        self.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
        if columns.get("believed_until") is not None:  # what is no longer believed is no witness
            withdraw_witness(self.transaction, before.id, self.trail)
        after = replace(before, **{name: value for name, value in changes.items() if name in _COLUMNS})
        self.trail.add(operation, after, record.salt, reason=reason)
        return after

    def close(self, old: Record, successor: Memory, *, corrected: bool = False, reason: str = "") -> Memory:
        """Let `successor` replace a memory: from its beginning on, or, `corrected`, as if the old had never been true.

        A superseded memory is history: an end that only its retention policy gave is removed.
        """
        memory, now = old.memory, self.trail.at
        ends = max(memory.valid_from, successor.valid_from)
        if memory.valid_until is not None:
            ends = min(ends, memory.valid_until)
        columns: dict[str, Any] = {"superseded_by": successor.id}
        if memory.expiry is Expiry.DEFAULT and memory.expires_at is not None and memory.expires_at > now:
            columns |= {"expires_at": None, "expiry": Expiry.NONE}
        if corrected:
            columns["believed_until"] = memory.believed_until or now
        else:
            columns["valid_until"] = ends
        if corrected or ends <= now:  # until its successor begins, no other memory may have the same text
            columns["identity"] = None
        operation = "correct" if corrected else "supersede"
        return self.change(old, operation, reason=reason or f"by {successor.id}", **columns)

    def count_predecessor(self, record: Record) -> None:
        """Count one predecessor more for a version and for all that came after it."""
        for each in (record, *successors(self.transaction, record.memory)):
            count = each.memory.evolution_count + 1
            self.transaction.update(Record, [Test("num", "eq", each.num)], evolution_count=count)

    def reopen(self, successor: Record, *, reason: str) -> list[Memory]:
        """Reopen the memories that a rejected one had closed, or let the successor of that one, if any, close them.

        Each takes the interval it had before it was closed. One with the text of a live memory is closed by that one.
        """
        reopened: list[Memory] = []
        heir_id = successor.memory.superseded_by
        for old in self.transaction.find(Record, [Test("superseded_by", "eq", successor.memory.id)]):
            states = self._states(old, ("supersede", "correct"))
            before = next((state for state in states if not state.is_superseded), None)
            if before is not None:
                ends = before.valid_until
            else:  # one that arrived late ended where the other begins
                ends = None if old.memory.valid_until == successor.memory.valid_from else old.memory.valid_until
            memory = replace(old.memory, superseded_by=None, valid_until=ends)
            if memory.status is Status.ACTIVE:
                memory = replace(memory, believed_until=None)
            slot = identity(memory) if holds_its_slot(memory, self.trail.at) else None
            heir = find_by_id(self.transaction, heir_id) if heir_id is not None else None
            heir = heir or (self.holder(old, slot) if slot else None)
            columns: dict[str, Any] = {"superseded_by": None, "identity": slot}
            if heir is not None:
                start = max(memory.valid_from, heir.memory.valid_from)
                ends = start if ends is None else min(start, ends)
                self.transaction.put(Edge(heir.num, SUPERSEDES, old.num))
                columns = {"superseded_by": heir.memory.id}
            columns |= {"believed_until": memory.believed_until, "valid_until": ends}
            reopened.append(self.change(old, "reopen", reason=reason, **columns))
        return reopened

    def holder(self, old: Record, slot: str) -> Record | None:
        """Return the other live memory with the identity `slot`; one that is not live loses that identity."""
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

    def make_room(self, retention: Retention, memory: Memory, *, flush: Callable[[], None]) -> tuple[str, ...]:
        """Evict what exceeds the cap when a new memory is stored; return the ids. `flush` puts what was not put yet.

        Memories that have expired and that no sweep has marked yet are expired first.
        """
        scope, kind = memory.scope, memory.kind
        cap = retention.of(memory).cap
        if (
            memory.status is not Status.ACTIVE
            or memory.is_superseded
            or scope.agent is None
            or not isinstance(cap, int)
        ):
            return ()
        apart = retention.capped_apart(kind, scope.agent)  # domains with a cap of their own
        place = (self.transaction.namespace(scope.org, scope.user), scope.agent, kind)
        key = (*place, memory.domain if memory.domain in apart else None)
        counted: list[Condition] = [
            Test(column, "eq", value) for column, value in zip(("ns", "agent", "counted"), place, strict=True)
        ]
        if memory.domain in apart:
            counted.append(Test("domain", "eq", memory.domain))
        elif apart:
            counted.append(Test("domain", "nin", tuple(apart)))
        if key not in self._counts:
            self._counts[key] = self._count(place, counted, exactly=bool(apart))
        if self._counts[key] >= cap:  # or some of those counted have been closed meanwhile, or are over
            flush()
            over = [*counted, Test("due_at", "le", self.trail.at), Test("expires_at", "le", self.trail.at)]
            gone: dict[str, Any] = {"status": Status.EXPIRED, "status_reason": "ttl", "identity": None, "due_at": None}
            for record in self.transaction.find(Record, over, order="due_at"):
                self.change(record, "expire", reason=EXPIRED, **gone)
            self._counts[key] = self._count(place, counted, exactly=bool(apart))
        excess = self._counts[key] + 1 - cap
        self._counts[key] += 1
        if excess <= 0:
            return ()
        loose = [*counted, Test("pinned", "eq", False), Test("importance", "lt", KEPT_FROM)]
        if kind is Kind.EPISODIC:
            loose.append(Test("consolidated_at", "ne", None))
        found = self.transaction.find(Record, loose, order=_FIRST_OUT[kind], limit=excess)
        gone = {"status": Status.ARCHIVED, "status_reason": OVER_CAP, "identity": None, "due_at": None}
        for record in found:
            self.change(record, "evict", reason=OVER_CAP, **gone)
        self._counts[key] -= len(found)
        return tuple(record.memory.id for record in found)

    def _count(self, place: Sequence[object], counted: Sequence[Condition], *, exactly: bool) -> int:
        """Count the live memories of a cap; the store keeps their number unless domains are counted apart."""
        if exactly:
            return self.transaction.count(Record, counted)[""]
        tests = [Test(column, "eq", value) for column, value in zip(("ns", "agent", "kind"), place, strict=True)]
        return sum(counter.live for counter in self.transaction.find(CounterRow, tests, order="kind"))


def targets(transaction: Transaction, record: Record) -> list[Record]:
    """Return the memories that a pending or rejected one shall close, or had closed."""
    edges = transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "in", (SUPERSEDES, CORRECTS))])
    nums = tuple(edge.target for edge in edges)
    return transaction.find(Record, [Test("num", "in", nums)]) if nums else []


def find_by_id(reader: Reader, memory_id: str) -> Record | None:
    """Return a memory of the org by its id, in any scope and of any status."""
    found = reader.find(Record, [Test("id", "eq", memory_id)])
    return found[0] if found else None


def successors(reader: Reader, memory: Memory) -> Iterator[Record]:
    """Yield what superseded a memory, then what superseded that, and so on."""
    visited, following = {memory.id}, memory.superseded_by
    while following is not None and following not in visited:
        record = find_by_id(reader, following)
        if record is None:
            return
        yield record
        visited.add(following)
        following = record.memory.superseded_by


def leads_to(reader: Reader, memory: Memory, wanted: str) -> bool:
    """Say whether `wanted` superseded a memory, directly or through others."""
    return any(record.memory.id == wanted for record in successors(reader, memory))


def check_unsuperseded(reader: Reader, memory: Memory) -> None:
    """Raise `ValueError` naming the live head when a memory has been superseded already."""
    chain = list(successors(reader, memory))
    if chain:
        head = chain[-1].memory.id
        raise ValueError(f"{memory.id} is superseded already: {head} took its place, supersede that one")


# ---------------------------------------------------------------------------------------------------------------- edits

_TERMS_AT_ONCE = 500  # index terms removed at a time


@dataclass(frozen=True, slots=True)
class Edit:
    """The memory as it shall be, before its version and time are set, and the vector of its text if that is known."""

    memory: Memory
    vector: Floats | None = None
    mentions: Topics | None = None


def edit_of_write(settings: Settings, old: Memory, written: Prepared) -> Edit:
    """Return the edit that a write under the key of `old` means: the fields that the writer gave, and no more."""
    new, given = written.memory, written.given
    changes = {name: getattr(new, name) for name in given - {"ttl"}}
    if "ttl" in given:
        changes |= {"expires_at": new.expires_at, "expiry": new.expiry}
    if new.content != old.content:
        for name in ("summary", "keywords", "importance", "source", "trust", "entities"):
            changes[name] = getattr(new, name)
        if "fact" not in changes and is_fact_read(settings, old):
            changes["fact"] = new.fact
    if "metadata" in given:
        changes["metadata"] = merged_metadata(old.metadata, new.metadata)
    if new.procedure is not None and old.procedure is not None:
        known = new.procedure.following(old.procedure)
        changes |= {"procedure": known, "confidence": known.confidence}
    changes["links"] = (*old.links, *added_links(old, new))
    return Edit(checked_interval(replace(old, **changes)), written.vector, written.mentions)


def checked_interval(memory: Memory) -> Memory:
    """Return a memory if its end is not before its beginning; raises `ValueError` for another."""
    if memory.valid_until is not None and memory.valid_until < memory.valid_from:
        raise ValueError(f"valid_until {memory.valid_until} is before valid_from {memory.valid_from}")
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
    old, now, num = current.memory, trail.at, current.num
    if edit.memory == old:
        return None
    memory, about = replace(edit.memory, version=old.version + 1, updated_at=now), edit.mentions
    rewritten, moved = memory.content != old.content, memory.domain != old.domain
    namespace = transaction.namespace(old.scope.org, old.scope.user)
    if rewritten:
        memory = replace(memory, consolidated_at=None)  # nothing was learnt from the new text yet
    if rewritten or memory.fact != old.fact:  # its witnesses stated something else, and so did it as a witness
        transaction.delete(WitnessRow, [Test("num", "eq", num)])
        withdraw_witness(transaction, memory.id, trail)
        note_author(transaction, num, memory)
        memory = replace(memory, trust=witnessed_trust(transaction, memory, ()))
    if about is None and (memory.content, memory.domain, memory.fact) != (old.content, old.domain, old.fact):
        about = read_topics(memory, engine.packs, fact_given=memory.fact != old.fact)
        memory = named(memory, about, read_topics(old, engine.packs))
    memory = signed_again(old, memory, engine.signer)
    slot = _edited_identity(Closer(transaction, trail), current, memory)
    indexed = index(memory, situate=engine.settings.situate)
    record = replace(current, memory=memory, identity=slot, length=indexed.length, marks=indexed.marks)
    over = old.as_of_clock(now).status is Status.EXPIRED and memory.expires_at == old.expires_at
    record = replace(record, due_at=now) if over else retained(engine.retention, record)
    memory = record.memory
    if rewritten:  # a conversation keeps the original text of its turn
        original = [Test("num", "eq", num), Test("content", "eq", None)]
        transaction.update(TurnRow, original, content=old.content)
    before = json.dumps(old.to_dict(), ensure_ascii=False)
    transaction.put(Revision(num, old.version, old.updated_at, now, before), record)
    put_terms(transaction, namespace, record, old, indexed)
    recorder = Recorder(transaction, engine.packs, engine.new_id, now)
    if rewritten or moved:  # a language model reads it anew
        recorder.unread(num)
        put_jobs(engine, transaction, [memory], now)
    if about is not None and memory.status is not Status.QUARANTINED:
        recorder.again(num, memory, about)
    if rewritten:
        _put_vector(engine, transaction, record, edit.vector)
    trail.add("update", memory, current.salt, reason=reason)
    return memory


def _put_vector(engine: Engine, transaction: Transaction, record: Record, vector: Floats | None) -> None:
    """Replace the vectors of an edited memory, or queue that."""
    memory = record.memory
    namespace = transaction.namespace(memory.scope.org, memory.scope.user)
    transaction.delete(Vector, [Test("ns", "eq", namespace), Test("num", "eq", record.num)])
    if vector is not None and engine.embedder is not None:
        transaction.put(Vector(namespace, engine.embedder.id, record.num, vector))
    elif engine.embedder is not None:
        transaction.put(embed_job(engine.new_id, memory, memory.updated_at))
        engine.counters.queued += 1


def _edited_identity(closer: Closer, current: Record, memory: Memory) -> str | None:
    """Return the identity of an edited memory; two live memories with one text are refused."""
    slot = identity(memory)
    if slot == current.identity:
        return slot
    if not holds_its_slot(memory, closer.trail.at):
        return None
    if other := closer.holder(current, slot):
        raise ValueError(f"{other.memory.id} already says exactly this: forget one of the two instead")
    return slot


def put_terms(transaction: Transaction, namespace: int, record: Record, old: Memory, indexed: Indexed) -> None:
    """Index a memory that was `old` under the terms it has now."""
    if index_text(record.memory, situate=True) == index_text(old, situate=True):
        return
    gone = list({**index_counts(index_text(old, situate=True)), **index_counts(old.content)})
    row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
    for start in range(0, len(gone), _TERMS_AT_ONCE):
        transaction.delete(Posting, [*row, Test("term", "in", tuple(gone[start : start + _TERMS_AT_ONCE]))])
    transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))


# ------------------------------------------------------------------------------------------------------------ retention


def retained(retention: Retention, record: Record) -> Record:
    """Return a record with the end that its policy gives it, and the moment at which it is due."""
    memory = retention.expiring(record.memory)
    return replace(record, memory=memory, due_at=retention.due_at(memory))


def with_retention(retention: Retention, before: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a memory's columns together with what follows from them: its end, and when it is due.

    `changes` are fields of a memory; other columns, such as its identity, are left as they are.
    """
    known = {name: value for name, value in changes.items() if hasattr(before, name)}
    after = retention.expiring(replace(before, **known))
    return {**changes, "expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}


def retention_columns(retention: Retention, memory: Memory, now: datetime) -> dict[str, Any]:
    """Return the columns to write, without a revision, for the retention of a memory from now on.

    An end in the past is left to the next sweep, which records it: until then the memory was live, and stays recorded
    as that.
    """
    after = retention.expiring_at(memory, now)
    if after.expires_at is not None and after.expires_at <= now and after.expires_at != memory.expires_at:
        return {"expires_at": memory.expires_at, "expiry": memory.expiry, "due_at": now}
    return {"expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}


# ------------------------------------------------------------------------------------------------------------ callbacks

_ACTIONS = {"noop": "none", "updated": "update", "corrected": "update", "rejected": "none"}


def report_consolidated(
    callbacks: Sequence[object], results: Iterable[Remembered[Memory | None]], known: Callable[[str], Memory | None]
) -> None:
    """Report what each write did to known memories: add, update or none; `known` looks up the superseded ones."""
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


def report_extracted(callbacks: Sequence[object], turns: Sequence[Turn], results: Iterable[Remembered]) -> None:
    """Report the facts that were found in turns."""
    entries = [entry_of(result.memory) for result in results]
    if entries:
        tell(callbacks, "on_extraction", list(turns), entries)
