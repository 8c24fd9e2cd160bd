"""A new memory meets those that are known, inside the transaction that stores it: resolved, carried out, settled."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from recollect.errors import NotFound
from recollect.facts import slot as slot_of
from recollect.filters import Test
from recollect.graph.seen import NOTHING, Seen
from recollect.models import CONTESTED, Kind, Link, Memory, Scope, Status
from recollect.numeric import Floats
from recollect.protocols import CORRECTS, SUPERSEDES, Edge, Record, Transaction, WitnessRow
from recollect.results import Decision
from recollect.security.audit import Trail
from recollect.statements import Statement
from recollect.write.closing import Closer, targets
from recollect.write.conflicts import EXACT, Known, New, Resolution, barrier, inherited, resolve
from recollect.write.corroboration import borne_out, witness
from recollect.write.draft import PLAIN, Intent
from recollect.write.enrichment import Indexed
from recollect.write.neighbours import FEW, Fresh, Neighbourhood, probes


@dataclass(frozen=True, slots=True)
class Composed:
    """A memory ready to be stored: described, read, hashed and indexed.

    `given` are the fields its caller named, `seen` is what it is about, `redacted` what was taken out of it.
    """

    memory: Memory
    indexed: Indexed
    statement: Statement
    derived_from: tuple[str, ...] = ()
    given: frozenset[str] = frozenset()
    intent: Intent = PLAIN
    seen: Seen = NOTHING
    redacted: tuple[str, ...] = ()

    @property
    def writer(self) -> Scope:
        """In whose view it is written: its own scope, and for what is everybody's the agent's that says it."""
        scope = self.memory.scope
        return scope if self.intent.agent is None else replace(scope, agent=self.intent.agent)


@dataclass(slots=True)
class Waiting:
    """What the records that are not put yet say: the slots of their facts, and who holds which keyword's term."""

    slots: set[tuple[int, str, str]] = field(default_factory=set)
    terms: dict[tuple[int, str], list[Fresh]] = field(default_factory=dict)

    def add(self, namespace: int, memory: Memory, vector: Floats | None) -> None:
        """Note what a record says that will be put later."""
        if memory.fact is not None:
            self.slots.add((namespace, *slot_of(memory.fact)[:2]))
        if vector is not None:
            for term in probes(memory):
                self.terms.setdefault((namespace, term), []).append(Fresh(memory, vector))

    def near(self, namespace: int, memory: Memory) -> list[Fresh]:
        """Return who shares most of a memory's rare words."""
        holders = [some for term in probes(memory) if 0 < len(some := self.terms.get((namespace, term), [])) <= FEW]
        shared: dict[str, int] = {}
        found: dict[str, Fresh] = {}
        for some in holders:
            for fresh in some:
                name = fresh.memory.id
                shared[name], found[name] = shared.get(name, 0) + 1, fresh
        return [fresh for name, fresh in found.items() if shared[name] * 3 >= len(holders) * 2]


@dataclass
class Meeting:
    """What new memories do to the others in one transaction; `flush` puts those that are not put yet."""

    transaction: Transaction
    hood: Neighbourhood
    flush: Callable[[], None]
    waiting: Waiting = field(default_factory=Waiting)

    def resolved(self, namespace: int, memory: Memory, composed: Composed, vector: Floats | None) -> Resolution | None:
        """Return what becomes of a new memory and those it meets; None when nothing is to be compared."""
        intent, statement = composed.intent, composed.statement
        named = intent.target is not None or intent.judgement is not None
        if intent.archived or not (named or intent.resolve):
            return None
        if memory.kind is not Kind.SEMANTIC and not named:
            return None
        facts = [*statement.ended, *([memory.fact] if memory.fact is not None else [])]
        marked = statement.change or statement.correction or statement.negation
        if marked or named or any((namespace, *slot_of(fact)[:2]) in self.waiting.slots for fact in facts):
            self.flush()
        new = New(memory, statement, intent.authority, reason=intent.reason, read="fact" not in composed.given)
        new = replace(new, viewer=composed.writer.agent)
        if intent.target is not None:
            new = replace(new, target=self._target(intent.target, new))
        if intent.judgement is not None:
            ends = intent.judgement.operation != "ADD"  # what is judged to be new ends nothing, whatever it names
            judged = intent.judgement.target if ends else None
            new = replace(new, judgement=intent.judgement, judged=self.hood.live(judged, new) if judged else None)
        if memory.status is not Status.ACTIVE:
            return resolve(new, Known(compared=vector is not None), self.hood.rules)
        known = self.hood.known(namespace, new, vector, self.waiting.near(namespace, memory))
        return resolve(new, known, self.hood.rules)

    def named(self, memory: Memory, item: Composed) -> Resolution:
        """Return what becomes of the memory that a writer names, when what shall take its place is known already."""
        new = New(memory, item.statement, item.intent.authority, reason=item.intent.reason)
        return resolve(replace(new, target=self._target(str(item.intent.target), new)), Known(), self.hood.rules)

    def waited(self, namespace: int, record: Record, memory: Memory, item: Composed) -> Resolution | None:
        """Return what becomes of the others when a better source says what was contested; None when it still waits."""
        new = New(memory, item.statement, item.intent.authority, read="fact" not in item.given)
        new = replace(new, viewer=item.writer.agent)
        found = resolve(new, self.hood.known(namespace, new, None), self.hood.rules)
        waiting = [
            target
            for target in targets(self.transaction, record)
            if target.memory.is_live_at(self.hood.now) and target.memory.valid_from <= memory.valid_from
        ]
        if found.contests or any(barrier(new, target.memory) for target in waiting):
            return None
        self.hood.records.update((target.memory.id, target) for target in waiting)
        closes = {one.id: one for one in (*found.closes, *(target.memory for target in waiting))}
        decision = Decision("supersede", EXACT, f"{record.memory.id} waited for a source that is trusted as much")
        return replace(found, decision=decision, status="updated", closes=tuple(closes.values()))

    def _target(self, memory_id: str, new: New) -> Memory:
        """Return the memory that is to give way; it must be there and at the head of its chain."""
        found = self.transaction.find(Record, [Test("id", "eq", memory_id), Test("status", "ne", Status.FORGOTTEN)])
        if not found:
            raise NotFound(memory_id)
        check_unsuperseded(self.transaction, found[0].memory)
        self.hood.records[memory_id] = found[0]
        return found[0].memory

    def carried_out(
        self, memory: Memory, composed: Composed, found: Resolution
    ) -> tuple[Memory, list[tuple[str, int, bool]]]:
        """Return the new memory with what it owes to the others, and its edges."""
        if found.changes_nothing:
            return memory, []
        linked = [("contradicts", found.contests), ("supports", found.supports), ("related", found.related)]
        if any(other.id not in self.hood.records for _, others in linked for other in others):
            self.flush()
        quarantined = memory.status is Status.QUARANTINED
        linked = linked[1:] if quarantined else linked  # what is hidden shows at no other's end
        edges = [(relation, self.num(other), True) for relation, others in linked for other in others]
        takes = CORRECTS if found.corrected else SUPERSEDES
        edges += [(takes, self.num(other), True) for other in (*found.closes, *found.contests)]
        links = tuple(Link(relation, other.id) for relation, others in linked for other in others)
        count, confidence = inherited(memory, found.closes, confidence_given="confidence" in composed.given)
        changes: dict[str, object] = {"links": (*memory.links, *links), "confidence": confidence}
        changes["evolution_count"] = count
        if found.contests and not quarantined:
            changes["status_reason"] = CONTESTED
        if found.archived:
            changes |= {"status": Status.ARCHIVED, "status_reason": "a decider judged that it is known"}
        if found.later is not None:
            ends = min(found.later.valid_from, memory.valid_until or found.later.valid_from)
            changes |= {"valid_until": ends, "superseded_by": found.later.id}
            edges.append((SUPERSEDES, self.num(found.later), False))
        if found.corrected and found.closes and "valid_from" not in composed.given:
            # What was never true leaves no gap behind: the right value holds from where the wrong one was said to.
            changes["valid_from"] = min(old.valid_from for old in found.closes)
        changes["supersedes"] = tuple(sorted(other.id for other in found.closes))
        memory = replace(memory, **changes)  # type: ignore[arg-type]
        return memory, edges

    def kept_beside(self, memory: Memory, found: Resolution) -> bool:
        """Say whether the words of a memory are kept already, archived beside the one that says it."""
        nums = [Test("target", "eq", self.num(found.supports[0])), Test("relation", "eq", "supports")]
        sources = tuple(edge.source for edge in self.transaction.find(Edge, nums))
        tests = [Test("num", "in", sources), Test("status", "eq", Status.ARCHIVED)]
        kept = self.transaction.find(Record, tests) if sources else []
        return any(record.memory.source.content_hash == memory.source.content_hash for record in kept)

    def witnesses(self, memory: Memory, found: Resolution) -> tuple[WitnessRow, ...]:
        """Return who bears out a new memory: those that it says the same as, unless that is a mere judgement."""
        if found.archived:
            return ()
        others = (witness(self.transaction, other, said_by=other.id) for other in found.supports)
        own = (memory.source.type, memory.source.id)
        return tuple(row for row in others if row is not None and (row.type, row.source) != own)

    def settled(self, memory: Memory, found: Resolution, trail: Trail) -> list[Record]:
        """Close what gives way, count the evidence, make room in the chain; return the records as they were before."""
        closer = Closer(self.transaction, trail)
        closed = [self.hood.records.pop(old.id) for old in found.closes]
        for record in closed:
            closer.close(record, memory, corrected=found.corrected)
        for old in found.supports:
            row = [Test("num", "eq", self.hood.records[old.id].num)]
            (record,) = self.transaction.find(Record, row)
            trust = borne_out(self.transaction, record.num, record.memory, memory, said_by=memory.id)
            after = replace(record.memory, evidence_count=record.memory.evidence_count + 1, trust=trust)
            self.transaction.update(Record, row, evidence_count=after.evidence_count, trust=after.trust)
            trail.add("support", after, record.salt, reason=f"by {memory.id}")
        if found.later is not None:
            self._count_on(self.hood.records[found.later.id])
        return closed

    def _count_on(self, record: Record) -> None:
        """Count one predecessor more for a version and for all that came after it."""
        following: Record | None = record
        seen: set[str] = set()
        while following is not None and following.memory.id not in seen:
            seen.add(following.memory.id)
            count = following.memory.evolution_count + 1
            self.transaction.update(Record, [Test("num", "eq", following.num)], evolution_count=count)
            found = self.transaction.find(Record, [Test("id", "eq", following.memory.superseded_by or "")])
            following = found[0] if found else None

    def num(self, memory: Memory) -> int:
        """Return the row number of a memory that is stored."""
        if memory.id not in self.hood.records:
            self.hood.records[memory.id] = self.transaction.find(Record, [Test("id", "eq", memory.id)])[0]
        return self.hood.records[memory.id].num


def check_unsuperseded(transaction: Transaction, memory: Memory) -> None:
    """Raise `ValueError` naming the live head when a memory has been superseded already."""
    head, seen = memory, {memory.id}
    while head.superseded_by is not None and head.superseded_by not in seen:
        seen.add(head.superseded_by)
        found = transaction.find(Record, [Test("id", "eq", head.superseded_by)])
        if not found:
            break
        head = found[0].memory
    if head is not memory:
        raise ValueError(f"{memory.id} is superseded already: {head.id} stands in its place, supersede that one")
