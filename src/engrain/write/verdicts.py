"""Verdicts of a reviewer: `validate` and `reject` decide pending memories, `reinstate` restores removed ones."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime
from functools import partial, wraps
from typing import Any, Concatenate, Final, ParamSpec, TypeVar

from engrain.engine import Engine
from engrain.errors import Conflict, MemorySecurityError, NotFound
from engrain.graph.entity_store import read_topics
from engrain.language.statements import Statement
from engrain.lazy import Floats
from engrain.model.filters import Test
from engrain.model.memory import CONTESTED, Expiry, Kind, Link, Memory, Scope, Status
from engrain.model.results import Decision
from engrain.security.audit import signed_again
from engrain.security.injection import signs_by
from engrain.storage.interface import Reader
from engrain.storage.rows import CORRECTS, SUPERSEDES, Edge, Record, Vector
from engrain.write import conflicts, prepare, transitions
from engrain.write.conflicts import EXACT, Neighbourhood, Resolution
from engrain.write.prepare import SUSPECTED, UNREAD, Intent, Prepared

P = ParamSpec("P")
T = TypeVar("T")
REJECTED = "rejected"
IN_FORCE = "in_force"
"""In the metadata of an insight: how many of the memories that it is derived from held when it was drawn."""
_MORE_LASTING = {  # the kinds that last longer than a kind; semantic and procedural ones have none
    Kind.WORKING: (Kind.EPISODIC, Kind.SEMANTIC, Kind.PROCEDURAL),
    Kind.EPISODIC: (Kind.SEMANTIC, Kind.PROCEDURAL),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """A verdict, its author and time; without `authority` what it admits closes no more than its source may."""

    scope: Scope
    now: datetime
    reason: str = ""
    tier: str | None = None
    force: bool = False
    authority: bool = True
    operation: str = "validate"


def _check_forced(memory: Memory, verdict: Verdict, screened: Memory, signs: tuple[str, ...]) -> None:
    if memory.content != screened.content:
        raise Conflict(memory.id, expected=screened.version, found=memory.version)
    reasons = memory.status_reason.removeprefix(SUSPECTED)
    flagged = tuple(reasons.split(", ")) if reasons != memory.status_reason else ()
    found = tuple(dict.fromkeys((*signs, *flagged)))
    if found and not (verdict.force and verdict.reason.strip()):
        advice = "give force=True and a reason to admit it all the same"
        message = f"{memory.id} looks like an attack on its reader ({', '.join(found)}): {advice}"
        raise MemorySecurityError(message, code="FORCE_NEEDED", reasons=found, source_id=memory.source.id)


class Review:
    """One verdict, inside one transaction."""

    def __init__(self, editor: transitions.Editor, verdict: Verdict) -> None:
        self.transaction: Final = editor.transaction
        self.verdict = verdict
        self.editor = editor
        self.neighbourhood: Final = Neighbourhood(editor.engine, editor.transaction, verdict.now)

    def validate(self, screened: Memory, signs: tuple[str, ...]) -> Memory:
        """Admit a quarantined memory that was screened with these `signs`, or let a contested one close its rivals."""
        verdict, record = self.verdict, transitions.find_record(self.transaction, self.verdict.scope, screened.id)
        memory = record.memory.as_of_clock(verdict.now)
        if memory.status is Status.QUARANTINED and _is_over(memory, verdict.now):
            memory = replace(memory, status=Status.EXPIRED)
        if memory.status is Status.QUARANTINED:
            _check_forced(memory, verdict, screened, signs)
            if memory.metadata.get("is_insight") is True and not has_evidence(self.transaction, memory, verdict.now):
                raise ValueError(f"{memory.id} has lost what it is derived from: reject it")
        if memory.status is Status.QUARANTINED or memory.is_contested:
            return self.admit(record)
        if memory.stored_status is not Status.ACTIVE:
            raise ValueError(f"{memory.id} is {memory.status}: reinstate it first, there is nothing to validate")
        if verdict.tier in (None, record.memory.tier):
            return record.memory
        return self.editor.change(record, "validate", reason=verdict.reason, tier=verdict.tier)

    def admit(self, record: Record, **columns: Any) -> Memory:
        """Admit a memory, with `columns` changed, as if it were written now, and close those that it contests."""
        verdict, old = self.verdict, record.memory
        columns = {"status": Status.ACTIVE, "status_reason": "", "tier": verdict.tier or old.tier, **columns}
        memory = replace(old, **columns)
        statement = prepare.stated(self.editor.engine.settings, memory)
        memory = replace(memory, fact=memory.fact or statement.fact, updated_at=verdict.now)
        targets = transitions.targets(self.transaction, record)
        waited = [target for target in targets if self._may_end(record, target.memory)]
        found = Resolution(Decision("add", EXACT, ""))
        if memory.kind is Kind.SEMANTIC:
            new = self._restated(memory, statement)._replace(vector=self._vector(record))
            found = conflicts.resolve(new, self.neighbourhood.find(new), self.neighbourhood.rules)
        self.neighbourhood.records.update((target.memory.id, target) for target in waited)
        news = [m for m in found.closes if not transitions.leads_to(self.transaction, old, m.id)]
        closes = {m.id: m for m in (*news, *(target.memory for target in waited))}
        later = found.later
        leads_to = partial(transitions.leads_to, self.transaction)
        if later is not None and any(later.id == one or leads_to(later, one) for one in closes):
            found = replace(found, later=None)  # the memory it ends is the head of later versions
            closes = {m.id: m for m in self._resolved(replace(memory, valid_from=verdict.now)).closes} | closes
        contests = [m for m in found.contests if m.id not in closes]
        memory = replace(memory, **conflicts.succession(memory, tuple(closes.values()), found.later))
        memory = replace(memory, status_reason=CONTESTED) if contests else memory
        self._put(record, memory, contests, found)
        after = transitions.find_by_id(self.transaction, old.id)
        assert after is not None
        edges = self.transaction.find(Edge, [Test("source", "eq", record.num), Test("relation", "eq", CORRECTS)])
        wrong = {edge.target for edge in edges}
        for memory_id in closes:
            old_record = self.neighbourhood.records[memory_id]
            self.editor.close(old_record, after.memory, corrected=found.corrected or old_record.num in wrong)
            self.transaction.put(Edge(record.num, SUPERSEDES, old_record.num))
        return transitions.find_record(self.transaction, verdict.scope, old.id).memory

    def _put(self, record: Record, memory: Memory, contests: Sequence[Memory], found: Resolution) -> None:
        """Store the admitted memory, indexed under its current fact, and its links to others."""
        engine, editor, records = self.editor.engine, self.editor, self.neighbourhood.records
        changed = {"status": Status.ACTIVE, "status_reason": "", "kind": memory.kind, "version": memory.version}
        editor.change(record, self.verdict.operation, reason=self.verdict.reason, **changed)
        about = read_topics(memory, engine.packs, fact_given=record.memory.fact is not None)
        trust = transitions.current_trust(self.transaction, record.num, memory)
        memory = replace(prepare.named(memory, about), trust=trust)
        slot = record.identity if memory.kind is record.memory.kind else prepare.identity(memory)
        after = editor.put(record, memory, None if memory.is_superseded_at(self.verdict.now) else slot)
        editor.trail.left(after.memory, record.salt)
        if record.memory.status is Status.QUARANTINED:  # it is parsed only now
            editor.recorder.again(record.num, memory, about)
        prepare.put_jobs(engine, self.transaction, [after.memory], self.verdict.now)
        nums = [records[other.id].num for other in contests]
        edges = [Edge(record.num, relation, num) for relation in ("contradicts", SUPERSEDES) for num in nums]
        if found.later is not None:
            edges.append(Edge(records[found.later.id].num, SUPERSEDES, record.num))
        self.transaction.put(*edges)

    def _resolved(self, memory: Memory) -> Resolution:
        """Return the resolution against the other values of a fact, if it were stated with authority in this view."""
        new = self._restated(memory, UNREAD)
        new = new._replace(intent=replace(new.intent, authority=True))
        return conflicts.resolve(new, self.neighbourhood.of_slot(new), self.neighbourhood.rules)

    def _restated(self, memory: Memory, statement: Statement) -> Prepared:
        """Return a memory as if it were written in the view that gives the verdict."""
        intent = Intent(authority=self.verdict.authority, agent=self.verdict.scope.agent)
        return Prepared(memory, statement=statement, given=frozenset({"fact"}), intent=intent)

    def _may_end(self, record: Record, memory: Memory) -> bool:
        """Return whether another memory is still open to be closed by this one, which it has not replaced itself."""
        return _open(memory) and not transitions.leads_to(self.transaction, record.memory, memory.id)

    def _vector(self, record: Record) -> Floats | None:
        if self.editor.engine.embedder is None:
            return None
        namespace = transitions.namespace_of(self.transaction, record.memory)
        tests = [Test("ns", "eq", namespace), Test("embedder", "eq", self.editor.engine.embedder.id)]
        found = self.transaction.find(Vector, [*tests, Test("num", "eq", record.num)])
        return found[0].values if found else None

    def reject(self, memory_id: str) -> Memory:
        """Hide a quarantined memory, archive a contested one or a successor; memories that it closed are reopened."""
        record = transitions.find_record(self.transaction, self.verdict.scope, memory_id)
        memory, reason = record.memory.as_of_clock(self.verdict.now), self.verdict.reason
        hidden: dict[str, Any] = {"believed_until": memory.believed_until or self.verdict.now}
        if memory.status is Status.QUARANTINED:
            status, why = Status.FORGOTTEN, reason or REJECTED
            return self.editor.change(record, "reject", reason=reason, status=status, status_reason=why, **hidden)
        if memory.stored_status is not Status.ACTIVE or not (memory.is_contested or memory.supersedes):
            raise ValueError(f"{memory.id} is neither waiting nor a successor: forget it instead")
        hidden |= {"status": Status.ARCHIVED, "status_reason": REJECTED}
        after = self.editor.change(record, "reject", reason=reason, **hidden)
        for reopened in self.editor.reopen(record, reason=f"{memory.id} was rejected"):
            again = transitions.find_by_id(self.transaction, reopened.id)  # another agent's, too
            assert again is not None
            self._meet(again)
        return after

    def _meet(self, record: Record) -> None:
        """Compare a reopened memory with the other values that its fact has got meanwhile."""
        memory = record.memory
        if not _open(memory) or memory.is_contested or memory.kind is not Kind.SEMANTIC:
            return
        found = self._resolved(memory)
        if found.later is not None and found.later.scope.agent in (None, memory.scope.agent):
            memory = self.editor.close(record, found.later)
            self.transaction.put(Edge(self.neighbourhood.records[found.later.id].num, SUPERSEDES, record.num))
        for old in (*found.closes, *found.contests):
            if transitions.leads_to(self.transaction, memory, old.id):
                continue
            self.editor.close(self.neighbourhood.records[old.id], memory)
            self.transaction.put(Edge(record.num, SUPERSEDES, self.neighbourhood.records[old.id].num))

    def reinstate(self, memory_id: str) -> Memory | None:
        """Restore a memory in its earlier state; None if its fact has a new value, so that it must be written anew."""
        record = transitions.find_record(self.transaction, self.verdict.scope, memory_id, forgotten=True)
        memory = record.memory.as_of_clock(self.verdict.now)
        if memory.stored_status is Status.ACTIVE:
            return memory
        if memory.status is Status.QUARANTINED and not _is_over(memory, self.verdict.now):
            raise ValueError(f"{memory.id} is quarantined: validate it, or reject it")
        back = self._as_it_was(record)
        named = None if back.key is None else transitions.find_by_key(self.transaction, back.scope, back.key)
        if named is not None and named.num != record.num:  # the caller's own id names another memory by now
            back = replace(back, key=None)
        slot = prepare.identity(back)
        if prepare.holds_its_slot(back, self.verdict.now):
            other = self.editor.holder(record, slot)
            if other is not None:
                raise ValueError(f"{other.memory.id} says exactly this already: there is nothing to bring back")
        if back.status is Status.ACTIVE and not back.is_superseded and self._moved_on(record, back):
            return None
        names = "status_reason believed_until expires_at expiry superseded_by valid_until key last_accessed"
        columns: dict[str, Any] = {name: getattr(back, name) for name in names.split()} | {"status": back.stored_status}
        columns["identity"] = slot if prepare.holds_its_slot(back, self.verdict.now) else None
        after = self.editor.change(record, "reinstate", reason=self.verdict.reason, **columns)
        if after.stored_status is Status.ACTIVE and not after.is_contested:
            for target in transitions.targets(self.transaction, record):
                # The same successor closed both, because the one between them was gone.
                shared = target.memory.superseded_by is not None and target.memory.superseded_by == after.superseded_by
                if shared or self._may_end(record, target.memory):
                    known = self.editor.before(target, "reopen")  # with the date of an announced change
                    was = None if known is None or known.superseded_by != after.id else known.valid_until
                    self.editor.close(target, after, begins=was)
        self._bring_along(record)
        return transitions.find_record(self.transaction, self.verdict.scope, memory.id).memory

    def _bring_along(self, record: Record) -> None:
        """Restore what was forgotten with a memory, unless another of its sources is missing or it has moved on."""
        for _, other in transitions.derived_from(self.transaction, {record.num: record}):
            source, was, _ = other.memory.status_reason.rpartition(transitions.WAS_FORGOTTEN)
            is_known = source == transitions.HIDDEN or (was and transitions.find_by_id(self.transaction, source))
            if other.memory.status is Status.FORGOTTEN and is_known:
                with suppress(NotFound, ValueError):
                    if transitions.has_sources(self.transaction, other):
                        self.reinstate(other.memory.id)

    def promote(self, memory_id: str, to: Kind) -> Memory:
        """Give a memory a more lasting kind under its own id."""
        record = transitions.find_record(self.transaction, self.verdict.scope, memory_id)
        promoted = _as_kind(record.memory.as_of_clock(self.verdict.now), to)
        if twin := self.editor.holder(record, prepare.identity(promoted)):
            return self._one_more_witness(record, twin)
        self.editor.make_room(promoted)
        return self.admit(record, kind=promoted.kind, version=promoted.version)

    def _one_more_witness(self, record: Record, twin: Record) -> Memory:
        """Add this memory as a source of another with the same statement; this one stays unchanged."""
        editor = self.editor
        witness = replace(record.memory, kind=twin.memory.kind, links=(Link("derived_from", record.memory.id),))
        known = replace(prepare.merged(twin.memory, witness), updated_at=editor.now)
        if len(known.links) > len(twin.memory.links) and known.evidence_count == twin.memory.evidence_count:
            known = replace(known, evidence_count=known.evidence_count + 1)  # of the same source, on another occasion
        known = signed_again(twin.memory, known, editor.engine.signer)
        kept = transitions.retained(editor.engine.retention, replace(twin, memory=known))
        editor.transaction.put(kept, Edge(twin.num, "derived_from", record.num))
        editor.trail.add("noop", record.memory, record.salt, reason=f"promote: {twin.memory.id} says the same")
        editor.trail.add("support", kept.memory, twin.salt, reason=f"by {record.memory.id}")
        return kept.memory

    def _as_it_was(self, record: Record) -> Memory:
        """Return the memory in the state before its removal: pending if it was, superseded if it was."""
        memory = record.memory
        leaving = ("forget", "reject", "archive", "expire", "evict")
        before = memory if memory.status is Status.QUARANTINED else self.editor.before(record, *leaving)
        if before is None:
            before = replace(memory, status=Status.ACTIVE, status_reason="", believed_until=None)
        ended = memory.as_of_clock(self.verdict.now).status is Status.EXPIRED or _is_over(before, self.verdict.now)
        return replace(
            memory,
            status=Status.ACTIVE if before.status is Status.EXPIRED else before.status,
            status_reason=before.status_reason,
            believed_until=before.believed_until,
            expires_at=None if ended else before.expires_at,
            expiry=Expiry.GIVEN if ended else before.expiry,  # a restored memory stays
            last_accessed=self.verdict.now,  # and it fades from now on
        )

    def _moved_on(self, record: Record, memory: Memory) -> bool:
        """Return whether the fact has another value by now, so that the old one would have to close it."""
        if memory.kind is not Kind.SEMANTIC or memory.is_contested:
            return False
        found = self._resolved(replace(memory, valid_from=self.verdict.now))
        own = {target.memory.id for target in transitions.targets(self.transaction, record)}
        return any(old.id not in own for old in (*found.closes, *found.contests))


def _given(method: Callable[Concatenate[Review, P], T]) -> Callable[Concatenate[Engine, Verdict, P], T]:
    """Return a method of a review as a function of the engine and the verdict, run in one transaction."""

    @wraps(method)
    def given(engine: Engine, verdict: Verdict, /, *args: P.args, **kwargs: P.kwargs) -> T:
        return transitions.transact(
            engine, verdict.scope, lambda editor: method(Review(editor, verdict), *args, **kwargs), now=verdict.now
        )

    return given


_validate = _given(Review.validate)
reject: Final = _given(Review.reject)
reinstate: Final = _given(Review.reinstate)
promote: Final = _given(Review.promote)


def validate(engine: Engine, verdict: Verdict, memory_id: str) -> Memory:
    """Admit a pending memory, screened before the transaction; raises `Conflict` if the text was edited meanwhile."""
    with engine.store.read(verdict.scope.org) as reader:
        memory = transitions.find_record(reader, verdict.scope, memory_id).memory
    signs = signs_by(engine.settings)(memory.content, memory.source.type) if memory.status is Status.QUARANTINED else ()
    return _validate(engine, verdict, memory, signs)


def _as_kind(memory: Memory, to: Kind) -> Memory:
    """Return the memory as one of that kind; raises `ValueError` if that is not possible."""
    if not _open(memory):
        state = Status.SUPERSEDED if memory.is_superseded else memory.status
        raise ValueError(f"{memory.id} is {state}: only what is live can be promoted")
    if to not in _MORE_LASTING.get(memory.kind, ()):
        raise ValueError(f"{memory.id} is {memory.kind} and cannot become {to}: promotion leads upwards only")
    if to is Kind.PROCEDURAL and memory.expiry is Expiry.GIVEN and memory.expires_at is not None:
        raise ValueError(f"{memory.id} has a ttl, and procedural memories have none: update(ttl=None) first")
    return replace(memory, kind=to, version=memory.version + 1)


def is_evidence(memory: Memory, now: datetime) -> bool:
    """Return whether an insight may cite a memory: admitted, believed, not contested, and itself no summary."""
    is_believed = memory.believed_until is None and not memory.is_contested and not transitions.is_summary(memory)
    return is_believed and memory.as_of_clock(now).stored_status is Status.ACTIVE


def has_evidence(reader: Reader, insight: Memory, now: datetime, ids: Sequence[str] = ()) -> bool:
    """Return whether all that an insight is derived from may be cited, and no less of it is in force than then."""
    ids = ids or [link.memory_id for link in insight.links if link.relation == "derived_from"]
    found = [record.memory for record in reader.find(Record, [Test("id", "in", tuple(ids))])] if ids else []
    least = insight.metadata.get(IN_FORCE, 1)
    is_there = bool(found) and len(found) == len(ids) and all(is_evidence(each, now) for each in found)
    return is_there and isinstance(least, int) and sum(each.is_live_at(now) for each in found) >= least


def _is_over(memory: Memory, now: datetime) -> bool:
    return memory.expires_at is not None and memory.expires_at <= now


def _open(memory: Memory) -> bool:
    return memory.status is Status.ACTIVE and not memory.is_superseded and memory.believed_until is None
