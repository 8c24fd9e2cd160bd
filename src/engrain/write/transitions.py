"""Changes of stored memories by an `Editor` inside a transaction: state, text, witnesses, retention."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import fields, replace
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from engrain.config import Settings
from engrain.engine import Engine
from engrain.errors import Conflict, NotFound
from engrain.graph.entity_store import Recorder, Topics, read_topics
from engrain.guard import notify
from engrain.language.tokens import index_counts
from engrain.lazy import Floats
from engrain.model import memory as models
from engrain.model.filters import Test, reachable, within
from engrain.model.memory import KEY, AuditEntry, Expiry, Kind, Memory, Scope, SourceType, Status, Turn
from engrain.model.results import Remembered
from engrain.policies.entries import entry_of
from engrain.policies.retention import KEPT_FROM, Retention
from engrain.security.admission import BASE
from engrain.security.audit import Trail, signed_again
from engrain.storage import rows
from engrain.storage.interface import Reader, Transaction, among, writers
from engrain.storage.rows import CORRECTS, SUPERSEDES, Edge, Posting, Record, Revision, Vector, WitnessRow
from engrain.validation import checked_metadata
from engrain.write import prepare
from engrain.write.prepare import Draft, Indexed

P = ParamSpec("P")
T = TypeVar("T")
OVER_CAP, EXPIRED = "retention_cap", "ttl_expiry"  # the reasons of an eviction and of an expiry
WAS_FORGOTTEN: Final = " was forgotten"  # behind the id of a source: why what derives from it was forgotten
HIDDEN: Final = "another memory"  # in place of its id where it is of an agent that other readers do not see
HEARD: Final = (Kind.EPISODIC, Kind.WORKING)
DERIVED: Final = Test("relation", "eq", "derived_from")
_FIRST_OUT = {Kind.WORKING: "used_at", Kind.PROCEDURAL: "confidence"}  # of other kinds the least important
_COLUMNS = {field.name for field in fields(Memory)}
_RAISED: Mapping[SourceType, float] = {
    SourceType.EXTERNAL_DATA: BASE[SourceType.TOOL_RESULT],
    SourceType.TOOL_RESULT: BASE[SourceType.LLM_GENERATED],
}
_SAME = 1e-9
_ACTIONS = {"noop": "none", "updated": "update", "corrected": "update", "rejected": "none"}


def find_by_id(reader: Reader, memory_id: str) -> Record | None:
    """Return a memory of the org by its id, in any scope and of any status."""
    found = reader.find(Record, [Test("id", "eq", memory_id)])
    return found[0] if found else None


def find_record(
    reader: Reader,
    scope: Scope,
    memory_id: str,
    *,
    expected_version: int | None = None,
    forgotten: bool = False,
    links: bool = True,
) -> Record:
    """Return a memory in reach, a forgotten one if wanted; raises `NotFound`, `Conflict` for another version."""
    where = reachable(scope).but(Test("id", "eq", memory_id))
    where = where if forgotten else where.but(Test("status", "ne", Status.FORGOTTEN))
    found = reader.find(Record, where, links=links)
    if not found:
        raise NotFound(memory_id)
    models.need_review("touching what waits for a verdict", [found[0].memory])
    if expected_version is not None and found[0].memory.version != expected_version:
        raise Conflict(memory_id, expected=expected_version, found=found[0].memory.version)
    return found[0]


def checked_sources(engine: Engine, item: Draft) -> Draft:
    """Return a draft; raises `NotFound` for an origin that is not seen, `AccessDenied` for one that waits."""
    if item.derived_from:
        where = within(item.scope).but(Test("id", "in", item.derived_from), Test("status", "ne", Status.FORGOTTEN))
        with engine.store.read(item.scope.org) as reader:
            records = [each.memory for each in reader.find(Record, where) if not models.is_hidden(each.memory)]
        found = {memory.id for memory in records}
        if unknown := [source_id for source_id in item.derived_from if source_id not in found]:
            raise NotFound(unknown[0])
        models.need_review("deriving from what waits for a verdict", records)
    return item


def find_by_key(transaction: Transaction, scope: Scope, key: str) -> Record | None:
    """Return the memory of a user and agent with the caller's key."""
    namespace = transaction.namespace(scope.org, scope.user)
    tests = [Test("ns", "eq", namespace), Test("agent", "eq", scope.agent), Test("key", "eq", key)]
    found = transaction.find(Record, [*tests, Test("status", "ne", Status.FORGOTTEN)])
    return found[0] if found else None


def targets(transaction: Transaction, record: Record) -> list[Record]:
    """Return the memories that a pending memory is to close, or that a rejected one had closed."""
    edges = transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "in", (SUPERSEDES, CORRECTS))])
    nums = tuple(edge.target for edge in edges)
    return transaction.find(Record, [Test("num", "in", nums)]) if nums else []


def successors(reader: Reader, memory: Memory) -> Iterator[Record]:
    """Yield the successor of a memory, then its successor, and so on."""
    visited, following = {memory.id}, memory.superseded_by
    while following is not None and following not in visited:
        record = find_by_id(reader, following)
        if record is None:
            return
        yield record
        visited.add(following)
        following = record.memory.superseded_by


def leads_to(reader: Reader, memory: Memory, wanted: str) -> bool:
    """Return whether `wanted` superseded a memory, directly or through others."""
    return any(record.memory.id == wanted for record in successors(reader, memory))


def check_unsuperseded(reader: Reader, memory: Memory) -> None:
    """Raise `ValueError` naming the live head if a memory has been superseded already."""
    chain = list(successors(reader, memory))
    if chain:
        raise ValueError(f"{memory.id} is superseded already: {chain[-1].memory.id} took its place, supersede that one")


class Editor:
    """Changes memories in one transaction, at the trail's time, each with a revision and an audit entry."""

    def __init__(self, engine: Engine, transaction: Transaction, trail: Trail) -> None:
        self.engine = engine
        self.transaction: Transaction = transaction
        self.trail: Trail = trail
        self.now: datetime = trail.at
        self._counts: dict[tuple[object, ...], int] = {}  # of live memories, by the key of their cap

    def change(self, record: Record, operation: str, *, reason: str = "", **columns: Any) -> Memory:
        """Set columns of a memory, keep its former state as a revision, and let the next sweep check it; return it."""
        before = record.memory
        self.transaction.put(_revision(record, self.now, operation))
        changes = {"due_at": self.now, **columns, "updated_at": self.now}
        self.transaction.update(Record, [Test("num", "eq", record.num)], **changes)
        if columns.get("believed_until") is not None:  # a memory that is no longer believed is no witness
            withdraw_witness(self.transaction, before.id, self.trail)
        after = replace(before, **{name: value for name, value in changes.items() if name in _COLUMNS})
        self.trail.add(operation, after, record.salt, reason=reason)
        return after

    def close(
        self, old: Record, successor: Memory, *, corrected: bool = False, begins: datetime | None = None
    ) -> Memory:
        """Replace a memory by `successor` from its beginning or `begins` on; a `corrected` one was never true."""
        memory, now = old.memory, self.now
        ends = max(memory.valid_from, begins or successor.valid_from)
        if memory.valid_until is not None:
            ends = min(ends, memory.valid_until)
        columns: dict[str, Any] = {"superseded_by": successor.id}
        if memory.expiry is Expiry.DEFAULT and memory.expires_at is not None and memory.expires_at > now:
            columns |= {"expires_at": None, "expiry": Expiry.NONE}
        if corrected:
            columns["believed_until"] = memory.believed_until or now
        else:
            columns["valid_until"] = ends
        return self.change(old, "correct" if corrected else "supersede", reason=f"by {successor.id}", **columns)

    def support(self, known: Record, by: Memory, *, times: int = 1, **columns: Any) -> None:
        """Count a memory as evidence for a known one that states the same."""
        trust = add_witness(self.transaction, known.num, known.memory, by, kept_as=by.id)
        changes = {"evidence_count": known.memory.evidence_count + times, "trust": trust, **columns}
        self.transaction.update(Record, [Test("num", "eq", known.num)], **changes)
        self.trail.add("support", replace(known.memory, **changes), known.salt, reason=f"by {by.id}")

    def realign(self, successor: Memory, was: datetime, begins: datetime) -> None:
        """End the memories that a successor closed where it begins now, not where it `was`."""
        for old in self.transaction.find(Record, [Test("superseded_by", "eq", successor.id)]):
            memory, ends = old.memory, old.memory.valid_until
            own = ends if ends is not None and ends < was else self._own_end(old, was)
            new = max(memory.valid_from, begins if own is None else min(begins, own))
            if ends not in (None, new):  # None for one that was never true
                self.change(old, "supersede", reason=f"by {successor.id}", valid_until=new)
            if min(was, begins) < memory.valid_from:  # it is never in force, or was not
                self.realign(memory, min(was, memory.valid_from), min(begins, memory.valid_from))

    def reopen(self, successor: Record, *, reason: str, after: datetime | None = None) -> list[Memory]:
        """Reopen the memories that a rejected one had closed, with their intervals, or let its successor close them."""
        reopened: list[Memory] = []
        heir_id = successor.memory.superseded_by
        tests = [Test("superseded_by", "eq", successor.memory.id)]
        if after is not None:
            believed = Test("status", "eq", Status.ACTIVE), Test("believed_until", "eq", None)
            tests += (*believed, Test("valid_until", "gt", after))
        for old in self.transaction.find(Record, tests):
            ends = self._own_end(old, successor.memory.valid_from)
            memory = replace(old.memory, superseded_by=None, valid_until=ends)
            if memory.stored_status is Status.ACTIVE:
                memory = replace(memory, believed_until=None)
            slot = prepare.identity(memory) if prepare.holds_its_slot(memory, self.now) else None
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

    def _own_end(self, old: Record, begins: datetime) -> datetime | None:
        """Return the end that a memory had before a successor that begins there closed it."""
        before = next((one for one in self._states(old, "supersede", "correct") if not one.is_superseded), None)
        late = None if old.memory.valid_until == begins else old.memory.valid_until
        return late if before is None else before.valid_until  # one that arrived late ended where the other begins

    def holder(self, old: Record, slot: str) -> Record | None:
        """Return the other live memory with the identity `slot`; one that is not live loses that identity."""
        tests = [Test("ns", "eq", namespace_of(self.transaction, old.memory)), Test("identity", "eq", slot)]
        for other in self.transaction.find(Record, tests):
            if other.num == old.num:
                continue
            if prepare.holds_its_slot(other.memory, self.now):
                return other
            self.transaction.update(Record, [Test("num", "eq", other.num)], identity=None)
        return None

    def before(self, record: Record, *changes: str) -> Memory | None:
        """Return the state of a memory before the last change of one of these kinds."""
        return next(self._states(record, *changes, limit=1), None)

    def _states(self, record: Record, *changes: str, limit: int | None = None) -> Iterator[Memory]:
        """Yield the states that changes of these kinds ended, the last first."""
        tests = [Test("num", "eq", record.num), Test("change", "in", changes)]
        found = self.transaction.find(Revision, tests, order="-seq", limit=limit)
        return (Memory.from_dict(json.loads(revision.memory)) for revision in found)

    def put(self, current: Record, memory: Memory, identity: str | None, *, due: datetime | None = None) -> Record:
        """Store a changed memory instead of `current` with its index terms, retained unless it is `due`."""
        indexed = prepare.index(memory, situate=self.engine.settings.situate)
        after = replace(current, memory=memory, identity=identity, length=indexed.length, marks=indexed.marks)
        after = replace(after, due_at=due) if due is not None else retained(self.engine.retention, after)
        self.transaction.put(after)
        put_terms(self.transaction, after, current.memory, indexed)
        return after

    @property
    def recorder(self) -> Recorder:
        """The writer of a memory's mentions and relations."""
        return Recorder(self.transaction, self.engine.packs, self.engine.new_id, self.now)

    def edit(
        self,
        current: Record,
        memory: Memory,
        *,
        vector: Floats | None = None,
        mentions: Topics | None = None,
        reason: str = "",
    ) -> Memory | None:
        """Replace a memory by the given one; None if that changes nothing. `vector` is that of its new text."""
        old, num, engine, transaction = current.memory, current.num, self.engine, self.transaction
        if memory == old:
            return None
        memory = replace(memory, version=old.version + 1, updated_at=self.now)
        rewritten, moved = memory.content != old.content, memory.domain != old.domain
        if rewritten:
            memory = replace(memory, consolidated_at=None)  # the new text is not consolidated yet
        if rewritten or memory.fact != old.fact:  # it no longer agrees with its witnesses
            transaction.delete(WitnessRow, [Test("num", "eq", num)])
            withdraw_witness(transaction, memory.id, self.trail)
            note_author(transaction, num, memory)
            memory = replace(memory, trust=witnessed_trust(transaction, memory, ()))
        if mentions is None and (rewritten or moved or memory.fact != old.fact):
            mentions = read_topics(memory, engine.packs, fact_given=memory.fact != old.fact)
            memory = prepare.named(memory, mentions, read_topics(old, engine.packs))
        memory = signed_again(old, memory, engine.signer)
        slot = self._edited_identity(current, memory)
        if rewritten:  # a conversation keeps the original text of its turn
            transaction.update(rows.TurnRow, [Test("num", "eq", num), Test("content", "eq", None)], content=old.content)
        transaction.put(_revision(current, self.now))
        over = old.as_of_clock(self.now).status is Status.EXPIRED and memory.expires_at == old.expires_at
        record = self.put(current, memory, slot, due=self.now if over else None)
        memory, recorder = record.memory, self.recorder
        if rewritten or moved:  # a language model describes it again
            recorder.unread(num)
            prepare.put_jobs(engine, transaction, [memory], self.now)
        if mentions is not None and memory.status is not Status.QUARANTINED:
            recorder.again(num, memory, mentions)
        if rewritten:
            self._put_vector(record, vector)
        self.trail.add("update", memory, current.salt, reason=reason)
        self._follow(current, memory)
        return memory

    def _follow(self, before: Record, memory: Memory) -> None:
        """Let an edited memory's predecessors end where it begins now, and its derivatives leave with it."""
        old, end = before.memory, models.given_end(memory)
        if memory.valid_from != old.valid_from:
            self.realign(memory, old.valid_from, memory.valid_from)
        if end is not None and memory.expires_at != old.expires_at:
            left = [Test("num", "eq", before.num), Test("live", "eq", False)]  # the window, not the summary of it
            leave_windows(self.transaction, self.transaction.find(rows.TurnRow, left))
            for record, _ in derivatives(self.transaction, [before]).values():
                if (models.given_end(record.memory) or end) >= end:
                    self.change(record, "update", expires_at=end, expiry=Expiry.GIVEN)

    def _put_vector(self, record: Record, vector: Floats | None) -> None:
        """Replace the vectors of an edited memory, or queue that."""
        namespace, embedder = namespace_of(self.transaction, record.memory), self.engine.embedder
        self.transaction.delete(Vector, [Test("ns", "eq", namespace), Test("num", "eq", record.num)])
        if vector is not None and embedder is not None:
            self.transaction.put(Vector(namespace, embedder.id, record.num, vector))
        elif embedder is not None:
            self.transaction.put(prepare.embed_job(self.engine.new_id, record.memory, record.memory.updated_at))
            self.engine.counters.queued += 1

    def _edited_identity(self, current: Record, memory: Memory) -> str | None:
        """Return the identity of an edited memory; two live memories with one text are refused."""
        slot = prepare.identity(memory)
        if slot == current.identity:
            return slot
        if not prepare.holds_its_slot(memory, self.now):
            return None
        if other := self.holder(current, slot):
            raise ValueError(f"{other.memory.id} already says exactly this: forget one of the two instead")
        return slot

    def make_room(self, memory: Memory, flush: Callable[[], None] = lambda: None) -> tuple[str, ...]:
        """Evict memories above the cap when a new one is stored, expired ones first; return the ids."""
        retention, (kind, agent) = self.engine.retention, (memory.kind, memory.scope.agent)
        cap = retention.of(memory).cap
        if agent is None or not isinstance(cap, int) or memory.status is not Status.ACTIVE or memory.is_superseded:
            return ()
        apart = retention.capped_apart(kind, agent)  # domains with a cap of their own
        namespace = namespace_of(self.transaction, memory)
        place = (namespace, agent, kind, memory.domain if memory.domain in apart else None)
        counted = [Test("ns", "eq", namespace), Test("agent", "eq", agent), Test("counted", "eq", kind)]
        if apart:
            own = memory.domain in apart
            counted.append(Test("domain", "eq", memory.domain) if own else Test("domain", "nin", tuple(apart)))
        if place not in self._counts:
            self._counts[place] = self._count(counted, exactly=bool(apart))
        if self._counts[place] >= cap:  # or some of those counted have been closed meanwhile, or have ended
            flush()
            over = [*counted, Test("due_at", "le", self.now), Test("expires_at", "le", self.now)]
            for record in self.transaction.find(Record, over, order="due_at"):
                self.leave(record, Status.EXPIRED)
            self._counts[place] = self._count(counted, exactly=bool(apart))
        excess = self._counts[place] + 1 - cap
        self._counts[place] += 1
        if excess <= 0:
            return ()
        loose = [*counted, Test("pinned", "eq", False), Test("importance", "lt", KEPT_FROM)]
        if kind is Kind.EPISODIC:
            loose.append(Test("consolidated_at", "ne", None))
        found = self.transaction.find(Record, loose, order=_FIRST_OUT.get(kind, "importance"), limit=excess)
        for record in found:
            self.leave(record, Status.ARCHIVED, "evict", OVER_CAP)
        self._counts[place] -= len(found)
        return tuple(record.memory.id for record in found)

    def leave(self, record: Record, status: Status, operation: str = "archive", why: str = "decayed") -> None:
        """Expire or archive a memory; its text may be stored again."""
        operation, reason, why = ("expire", EXPIRED, "ttl") if status is Status.EXPIRED else (operation, why, why)
        self.change(record, operation, reason=reason, status=status, status_reason=why, identity=None, due_at=None)
        ended = record.memory.expires_at if status is Status.EXPIRED else None
        self.reopen(record, reason=f"{record.memory.id} has left", after=ended or self.now)
        if ended is not None and models.given_end(record.memory) is not None:
            leave_windows(self.transaction, self.transaction.find(rows.TurnRow, [Test("num", "eq", record.num)]))

    def _count(self, counted: Sequence[Test], *, exactly: bool) -> int:
        """Count the live memories of a cap; the store keeps their number unless domains are counted apart."""
        if exactly:
            return self.transaction.count(Record, counted)[""]
        namespace, agent, kind = counted
        tests = [namespace, agent, kind._replace(column="kind")]
        return sum(counter.live for counter in self.transaction.find(rows.CounterRow, tests, order="kind"))


def namespace_of(transaction: Transaction, memory: Memory) -> int:
    """Return the number of a memory's namespace."""
    return transaction.namespace(memory.scope.org, memory.scope.user)


def derived_from(reader: Reader, above: Mapping[int, Record]) -> Iterator[tuple[int, Record]]:
    """Yield each memory that derives from one of these, and is not older, with the number of that one."""
    edges = reader.find(Edge, [Test("target", "in", tuple(above)), DERIVED]) if above else []
    records = among(reader, Record, "num", {edge.source for edge in edges}, order="num")
    found = {record.num: record for record in records}
    for edge in edges:
        record = found[edge.source]
        if record.memory.recorded_at >= above[edge.target].memory.recorded_at:
            yield edge.target, record


def sources(reader: Reader, records: Iterable[Record]) -> list[int]:
    """Return the rows that these memories derive from."""
    edges = reader.find(Edge, [Test("source", "in", tuple(record.num for record in records)), DERIVED])
    return list(dict.fromkeys(edge.target for edge in edges))


def derivatives(reader: Reader, gone: Sequence[Record]) -> dict[int, tuple[Record, str]]:
    """Return, by row, each summary of one of these, and what only turns among them state, with its source."""
    found: dict[int, tuple[Record, str]] = {}
    new, nums = {record.num: record for record in gone}, {record.num for record in gone}
    while new:
        below = [(new[num].memory, num in found, each) for num, each in derived_from(reader, new)]
        below = [each for each in below if each[1] or each[0].kind in HEARD or is_summary(each[2].memory)]
        lost = ((of, r) for of, _, r in below if r.num not in nums and not has_sources(reader, r, nums))
        some = {r.num: (r, of.id if of.scope.agent in (None, r.memory.scope.agent) else HIDDEN) for of, r in lost}
        found, nums, new = found | some, nums | some.keys(), {num: record for num, (record, _) in some.items()}
    return found


def has_sources(reader: Reader, record: Record, gone: Set[int] = frozenset()) -> bool:
    """Return whether all sources of a summary, or one of a statement, are neither forgotten nor among these."""
    every = set(sources(reader, [record]))
    left = reader.find(Record, [Test("num", "in", tuple(every - gone)), Test("status", "ne", Status.FORGOTTEN)])
    return len(left) == len(every) if is_summary(record.memory) else bool(left)


def is_summary(memory: Memory) -> bool:
    """Return whether a memory is a summary of others, or a conclusion from them."""
    return memory.metadata.get("is_summary") is True


def _revision(record: Record, now: datetime, change: str = rows.EDIT) -> Revision:
    before = record.memory
    state = json.dumps(before.to_row(), ensure_ascii=False)
    return Revision(record.num, before.version, before.updated_at, now, state, change)


def transact(engine: Engine, scope: Scope, change: Callable[[Editor], T], *, now: datetime | None = None) -> T:
    """Run a change of memories in one transaction, and record it in the audit trail under the view `scope`."""
    at = engine.clock.now() if now is None else now

    def run(transaction: Transaction) -> T:
        editor = Editor(engine, transaction, Trail(engine, transaction, scope, at=at))
        result = change(editor)
        editor.trail.write()
        return result

    return engine.store.write(run, scope.org, writers(scope))


def edits(change: Callable[Concatenate[Editor, Scope, P], T]) -> Callable[Concatenate[Engine, Scope, P], T]:
    """Return a change of memories in the view of a scope as a function of the engine, run by `transact`."""

    @wraps(change)
    def edited(engine: Engine, scope: Scope, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return transact(engine, scope, lambda editor: change(editor, scope, *args, **kwargs))

    return edited


def put_terms(transaction: Transaction, record: Record, old: Memory, indexed: Indexed) -> None:
    """Replace the index terms of a memory that was `old`."""
    if prepare.index_text(record.memory, situate=True) == prepare.index_text(old, situate=True):
        return
    namespace = namespace_of(transaction, old)
    gone = tuple({**index_counts(prepare.index_text(old, situate=True)), **index_counts(old.content)})
    row = [Test("ns", "eq", namespace), Test("num", "eq", record.num)]
    transaction.delete(Posting, [*row, Test("term", "in", gone)])
    transaction.put(*(Posting(namespace, term, record.num, n) for term, n in indexed.terms.items()))


def leave_windows(transaction: Transaction, turns: Sequence[rows.TurnRow]) -> None:
    """Remove turns from their windows; the summaries of these are made again without them."""
    conversations = tuple({turn.conversation for turn in turns})
    for row in transaction.find(rows.ConversationRow, [Test("num", "in", conversations)]) if conversations else ():
        gone = [turn for turn in turns if turn.conversation == row.num and turn.position >= row.since]
        live = [turn for turn in gone if turn.live]
        if gone:
            own, places = [Test("num", "eq", row.num)], Test("position", "in", tuple(turn.position for turn in live))
            transaction.update(rows.TurnRow, [Test("conversation", "eq", row.num), places], live=False)
            tokens = max(row.tokens - sum(turn.tokens for turn in live), 0)
            # With another version, a concurrent summariser has to start again.
            transaction.update(rows.ConversationRow, own, version=row.version + 1, tokens=tokens)
        if len(live) < len(gone):
            mark_summaries_stale(transaction, row)


def mark_summaries_stale(transaction: Transaction, row: rows.ConversationRow) -> bool:
    """Queue the turns that left a window for a new summary, from the log; False if there was no summary."""
    if row.state and not row.is_stale:
        transaction.put(rows.SummaryRow(row.num, rows.STALE))
    return bool(row.state)


def checked_interval(memory: Memory) -> Memory:
    """Return a memory if its end is not before its beginning; otherwise raises `ValueError`."""
    if memory.valid_until is not None and memory.valid_until < memory.valid_from:
        raise ValueError(f"valid_until {memory.valid_until} is before valid_from {memory.valid_from}")
    return memory


def is_fact_read(settings: Settings, memory: Memory) -> bool:
    """Return whether a memory's fact, if any, was extracted from its text rather than given."""
    return memory.fact is None or memory.fact == prepare.fact_in(settings, memory)


def merged_metadata(old: Mapping[str, Any], changes: Mapping[str, Any] | None) -> Mapping[str, Any]:
    """Return metadata with changes; a value of None removes a name, None for all of them removes everything."""
    if changes is None:
        return {}
    merged = {**old, **checked_metadata(changes)}
    return checked_metadata({key: value for key, value in merged.items() if value is not None})


def witnessed_trust(transaction: Transaction, memory: Memory, witnesses: Iterable[WitnessRow]) -> float:
    """Return the trust of a memory with these witnesses: raised if another author or source states the same."""
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
    """Return a memory as a witness of one with the same statement, or None; `kept_as` is its id if both are kept."""
    if not new.source.id or any(link.relation == "derived_from" for link in new.links) or not _is_settled(new):
        return None
    return WitnessRow(num, new.source.type, new.source.id, _author(transaction, new), kept_as)


def add_witness(transaction: Transaction, num: int, known: Memory, new: Memory, *, kept_as: str = "") -> float:
    """Note that `new` states the same as a known memory; return the new trust of that one."""
    row = None if known.status is Status.QUARANTINED else witness(transaction, new, num, kept_as=kept_as)
    if row is not None and (row.type, row.source) != (known.source.type, known.source.id):
        same = [Test("num", "eq", num), Test("type", "eq", row.type), Test("source", "eq", row.source)]
        if not transaction.find(WitnessRow, same):
            transaction.put(row)
    return current_trust(transaction, num, known)


def note_author(transaction: Transaction, num: int, memory: Memory) -> None:
    """Note the author of a known memory if a key wrote it before or writes it now."""
    writer = models.current_key()
    if memory.source.id and (writer is not None or _key(transaction, memory) is not None):
        transaction.put(WitnessRow(num, memory.source.type, memory.source.id, writer or _named(memory)))


def current_trust(transaction: Transaction, num: int, memory: Memory) -> float:
    """Return the trust of a memory with its witnesses; only the witnesses that decide it are loaded."""
    base, of = BASE[memory.source.type], Test("num", "eq", num)
    fit = [of, Test("type", "in", tuple(type_ for type_ in SourceType if BASE[type_] >= base - _SAME))]
    found = transaction.find(WitnessRow, fit, limit=2)
    if found and found[0].author:
        found += transaction.find(WitnessRow, [*fit, Test("author", "ne", found[0].author)], limit=1)
    own = [of, Test("type", "eq", memory.source.type), Test("source", "eq", memory.source.id)]
    return witnessed_trust(transaction, memory, [*found, *transaction.find(WitnessRow, own)])


def withdraw_witness(transaction: Transaction, memory_id: str, trail: Trail) -> None:
    """Remove a memory from the witnesses of others, and lower their trust accordingly."""
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
    return memory.stored_status is Status.ACTIVE and not memory.is_contested


def _author(transaction: Transaction, memory: Memory) -> str:
    """Return the author who chose the source's id: the key that wrote it, else its actor or agent."""
    return _key(transaction, memory) or _named(memory)


def _named(memory: Memory) -> str:
    """Return the actor, else the agent; "" for the application, which is trusted to name sources."""
    if memory.actor is not None:
        return f"actor:{memory.actor}"
    return "" if memory.scope.agent is None else f"agent:{memory.scope.agent}"


def _key(transaction: Transaction, memory: Memory) -> str | None:
    """Return the key that wrote a memory, or the original of the same source that it is derived from."""
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
        entries = transaction.find(AuditEntry, [*of, written], order="-at", limit=1)
        author = entries[0].actor if entries else models.current_key()
    return author if author is not None and author.startswith(KEY) else None


def retained(retention: Retention, record: Record) -> Record:
    """Return a record with the end that its policy gives it, and the moment at which it is due."""
    memory = retention.expiring(record.memory)
    return replace(record, memory=memory, due_at=retention.due_at(memory))


def with_retention(retention: Retention, before: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a memory's fields and other columns, together with its new end and due time."""
    known = {name: value for name, value in changes.items() if name in _COLUMNS}
    return {**changes, **_end_of(retention, retention.expiring(replace(before, **known)))}


def retention_columns(retention: Retention, memory: Memory, now: datetime) -> dict[str, Any]:
    """Return the columns for a memory's retention from now on; an end in the past is left to the next sweep."""
    after = retention.expiring_at(memory, now)
    if after.expires_at is not None and after.expires_at <= now and after.expires_at != memory.expires_at:
        return {"expires_at": memory.expires_at, "expiry": memory.expiry, "due_at": now}
    return _end_of(retention, after)


def _end_of(retention: Retention, memory: Memory) -> dict[str, Any]:
    return {"expires_at": memory.expires_at, "expiry": memory.expiry, "due_at": retention.due_at(memory)}


def report_consolidated(
    callbacks: Sequence[object], results: Iterable[Remembered[Memory | None]], known: Callable[[str], Memory | None]
) -> None:
    """Report the effect of each write on known memories: add, update or none; `known` looks up the superseded ones."""
    for result in results:
        if result.memory is None:
            continue
        action = _ACTIONS.get(result.status, "add")
        new, old = entry_of(result.memory), None
        if action == "update":
            found = [memory for name in result.memory.supersedes if (memory := known(name)) is not None]
            old = entry_of(found[0]) if found else None
        notify(callbacks, "on_consolidation", action, *((None, new) if action == "none" else (new, old)))


def report_extracted(callbacks: Sequence[object], turns: Sequence[Turn], results: Iterable[Remembered]) -> None:
    """Report the facts extracted from turns."""
    entries = [entry_of(result.memory) for result in results]
    if entries:
        notify(callbacks, "on_extraction", list(turns), entries)
