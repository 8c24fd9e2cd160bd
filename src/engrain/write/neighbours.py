"""Known memories that a new one is compared with, and their resolution inside the transaction."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import lru_cache
from typing import Literal

from engrain.arrays import Floats, np
from engrain.errors import NotFound
from engrain.graph.entity_store import NOTHING, Seen
from engrain.language.analyzer import content_pairs, stem
from engrain.language.statements import Statement
from engrain.model.filters import Condition, Test
from engrain.model.memory import CONTESTED, Fact, Kind, Link, Memory, Scope, Slot, Status, slot
from engrain.model.memory import slot as slot_of
from engrain.model.results import Decision
from engrain.protocols import Embedder
from engrain.security.audit import Trail
from engrain.storage.interface import Transaction
from engrain.storage.queries import holders
from engrain.storage.rows import CORRECTS, SUPERSEDES, Edge, Record, Vector, WitnessRow
from engrain.write import prepare as signs
from engrain.write.conflicts import EXACT, Known, Near, New, Resolution, Rules, Versions, barrier, inherited, resolve
from engrain.write.draft import PLAIN, Intent
from engrain.write.prepare import BANDS, Indexed
from engrain.write.transitions import Closer, borne_out, targets, witness

RARE = 32  # memories that may hold a term before it proposes nobody
MOST = 64  # the most that are compared
FEW = 12  # both, for a text that changes nothing and is only to be linked with what is near
MARKED = 24  # the most whose texts are read for a text with a marker


@dataclass(frozen=True, slots=True)
class Fresh:
    """A memory of the same transaction that is not put yet, with its vector."""

    memory: Memory
    vector: Floats


@dataclass(slots=True)
class Neighbourhood:
    """Looks up, inside one transaction, what new memories meet; `records` are those it has found, by id."""

    transaction: Transaction
    rules: Rules
    embedder: Embedder | None
    now: datetime
    records: dict[str, Record] = field(default_factory=dict)

    def known(self, namespace: int, new: New, vector: Floats | None, fresh: Sequence[Fresh] = ()) -> Known:
        """Return what `new` meets among the memories that its writer sees; `fresh` are of the same transaction."""
        ended: dict[str, Memory] = {}
        for fact in new.statement.ended:
            ended |= {old.id: old for old in self._of_slot(namespace, new, fact, same_object=True)}
        marked = new.statement.change or new.statement.correction or new.statement.negation
        near = self._near(namespace, new, vector, marked) if vector is not None or marked else []
        near += self._fresh(vector, fresh)
        return Known(self._versions(namespace, new), tuple(ended.values()), tuple(near), vector is not None)

    def live(self, memory_id: str, new: New) -> Memory | None:
        """Return a memory by id if it is live and its writer sees it."""
        found = self._seen(self.transaction.find(Record, [Test("id", "eq", memory_id)]), new)
        scope = new.memory.scope
        mine = [m for m in found if (m.scope.org, m.scope.user) == (scope.org, scope.user) and m.is_live_at(self.now)]
        return mine[0] if mine else None

    # ------------------------------------------------------------------------------------------------------------ slot

    def _versions(self, namespace: int, new: New) -> Versions:
        fact = new.memory.fact
        if fact is None or new.memory.kind is not Kind.SEMANTIC:
            return Versions()
        if slot(fact).predicate not in self.rules.single_valued:
            return Versions(self._of_slot(namespace, new, fact, same_object=True))
        later = self._beside(namespace, new, "gt", "valid_from")
        before = self._beside(namespace, new, "le", "-valid_from") if later is not None else None
        if before is not None and before.valid_until is not None and before.valid_until <= new.memory.valid_from:
            before = None  # it had ended by then
        known, starts = self._unsuperseded(namespace, new, fact), new.memory.valid_from
        ending = tuple(m for m in known if m.valid_until is not None and self.now < m.valid_until <= starts)
        return Versions(_holding(known, starts), later, before, ending)

    def _of_slot(self, namespace: int, new: New, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that nothing has superseded, as they hold when the new memory begins."""
        return _holding(self._unsuperseded(namespace, new, fact, same_object=same_object), new.memory.valid_from)

    def _unsuperseded(self, namespace: int, new: New, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that nothing has superseded and that do not begin after the new memory."""
        wanted, starts = slot(fact), new.memory.valid_from
        tests = [*_in_slot(namespace, wanted), Test("superseded_by", "eq", None)]
        if same_object:
            tests.append(Test("object_key", "eq", wanted.object))
        # Any order but one that an index of the whole namespace has, which a planner would take for the limit's sake.
        found = self._seen(self.transaction.find(Record, tests, order="-importance", limit=MOST), new)
        return tuple(m for m in found if _established(m, self.now) and m.valid_from <= starts)

    def _beside(self, namespace: int, new: New, op: Literal["gt", "le"], order: str) -> Memory | None:
        """Return the version of the new memory's fact that stands next to it in time."""
        assert new.memory.fact is not None
        tests: list[Condition] = [
            *_in_slot(namespace, slot(new.memory.fact)),
            Test("valid_from", op, new.memory.valid_from),
            Test("status", "eq", Status.ACTIVE),
            Test("kind", "eq", Kind.SEMANTIC),
            Test("believed_until", "eq", None),
            Test("id", "ne", new.memory.id),
        ]
        found = self._seen(self.transaction.find(Record, tests, order=order, limit=MOST), new)
        readers = (None, new.memory.scope.agent)  # whoever sees the new one must see what ends it
        return next(
            (
                memory
                for memory in found
                if _established(memory, self.now)
                and memory.valid_until != memory.valid_from  # closed as it began: it never held
                and (op == "le" or memory.scope.agent in readers)
            ),
            None,
        )

    def _seen(self, found: Sequence[Record], new: New) -> list[Memory]:
        """Return the memories that the writer sees, in the order found, noting their records."""
        agent = new.agent
        seen = [r for r in found if agent is None or r.memory.scope.agent in (None, agent)]
        kept = [record for record in seen if record.memory.id != new.memory.id]
        self.records.update((record.memory.id, record) for record in kept)
        return [record.memory for record in kept]

    # ------------------------------------------------------------------------------------------------------------ near

    def _near(self, namespace: int, new: New, vector: Floats | None, marked: bool) -> list[Near]:
        """Return live memories that share rare words and are close by cosine, or that a marker may be about."""
        nums = self._proposed(namespace, new.memory, few=not marked)
        cosines = self._cosines(namespace, nums, vector)
        wanted = [num for num in nums if cosines.get(num, -1.0) >= self.rules.near]
        if marked:
            far = [n for n in nums if n not in wanted and cosines.get(n, 1.0) > self.rules.cold]
            wanted += far[:MARKED]
        if not wanted:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(wanted))])
        nums_of = {record.memory.id: record.num for record in found}
        live = [m for m in self._seen(found, new) if _established(m, self.now) and m.is_live_at(self.now)]
        return [Near(memory, cosines.get(nums_of[memory.id])) for memory in live]

    def _proposed(self, namespace: int, memory: Memory, *, few: bool) -> list[int]:
        """Return the rows that share rare words with a memory, those with the most and the rarest first.

        With `few` only those that share most of its rare words, as texts that are near do.
        """
        limit, most = (FEW, FEW) if few else (RARE, MOST)
        shares: dict[int, float] = {}
        shared: dict[int, int] = {}
        rare = 0
        scope = memory.scope
        for rows in holders(self.transaction, scope.org, scope.user, probes(memory), limit=limit + 1):
            if not 0 < len(rows) <= limit:
                continue
            rare += 1
            share = 1 / len(rows)
            for num in rows:
                shares[num] = shares.get(num, 0.0) + share
                shared[num] = shared.get(num, 0) + 1
        kept = [num for num in shares if not few or shared[num] * 3 >= rare * 2]
        return sorted(kept, key=lambda num: (-shares[num], num))[:most]

    def _cosines(self, namespace: int, nums: Sequence[int], vector: Floats | None) -> dict[int, float]:
        if vector is None or not nums or self.embedder is None:
            return {}
        tests = [
            Test("ns", "eq", namespace),
            Test("embedder", "eq", self.embedder.id),
            Test("num", "in", tuple(nums)),
        ]
        found = self.transaction.find(Vector, tests)
        return dict(zip((row.num for row in found), _cosines(vector, [row.values for row in found]), strict=True))

    def _fresh(self, vector: Floats | None, fresh: Sequence[Fresh]) -> list[Near]:
        if vector is None or not fresh:
            return []
        cosines = _cosines(vector, [one.vector for one in fresh])
        pairs = zip(fresh, cosines, strict=True)
        return [Near(one.memory, cosine) for one, cosine in pairs if cosine >= self.rules.near]


def probes(memory: Memory) -> list[str]:
    """Return the index terms that a memory looks for others by: those of its keywords."""
    return _stems(memory.keywords)


@lru_cache(4096)
def _stems(keywords: tuple[str, ...]) -> list[str]:
    return list(dict.fromkeys(map(stem, keywords)))


def _in_slot(namespace: int, wanted: Slot) -> list[Test]:
    return [
        Test("ns", "eq", namespace),
        Test("subject_key", "eq", wanted.subject),
        Test("predicate_key", "eq", wanted.predicate),
    ]


def _holding(known: Sequence[Memory], at: datetime) -> tuple[Memory, ...]:
    return tuple(memory for memory in known if memory.valid_until is None or memory.valid_until > at)


def _established(memory: Memory, now: datetime) -> bool:
    """Say whether a memory counts as known: a fact, active, believed, not expired, and not itself waiting."""
    return (
        memory.kind is Kind.SEMANTIC
        and memory.believed_until is None
        and memory.as_of_clock(now).status is Status.ACTIVE
        and not memory.is_contested
    )


def _cosines(one: Floats, others: Sequence[Floats]) -> list[float]:
    if not others:
        return []
    matrix = np.asarray(others, np.float32)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms > 0, norms, 1)]


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


PROBES = 3  # terms that a text is looked for by
REPETITION_MOST = 64  # rows that are looked at for each of them
READ = 8  # memories of those that are read and compared
_SAMPLE = 20_000  # characters of a long text that are compared
_SLACK = 8  # one telling word in so many may be new
_LONGER = 2  # times as many words as a text has: what has more of them covers it by chance
_JUST_UNDER = 0.01
_NEGATION = re.compile(
    r"\b(?:not?|never|nobody|nothing|none|without|cannot|\w+n['’]t|nicht|kein\w*|nie|niemals|ohne|nunca|jamás|ning[uú]n\w*"
    r"|sin|ne|pas|jamais|aucun\w*|sans)\b|\bn['’]",
    re.IGNORECASE,
)


@dataclass(slots=True)
class Repetitions:
    """Finds, in one transaction, who has said a text's words before: in the store, or in this transaction.

    Unless the texts are `rated` by what they say, nothing is looked for.
    """

    transaction: Transaction
    now: datetime
    rated: bool
    stored: dict[tuple[int, str], Sequence[int]] = field(default_factory=dict)
    fresh: dict[tuple[int, str], list[Memory]] = field(default_factory=dict)

    def look_up(self, items: Iterable[tuple[int, Composed]]) -> None:
        """Find the rows that share words with the new memories, before any of them is put."""
        asked: dict[tuple[int, str, str | None], set[str]] = {}
        for namespace, item in items:
            if self.rated and _may_repeat(item):
                scope = item.memory.scope
                asked.setdefault((namespace, scope.org, scope.user), set()).update(_probes(item.memory))
        for (namespace, org, user), terms in asked.items():
            listed = sorted(terms)
            rows = holders(self.transaction, org, user, listed, limit=REPETITION_MOST)
            self.stored.update(((namespace, term), nums) for term, nums in zip(listed, rows, strict=True))

    def lowered(self, namespace: int, memory: Memory, item: Composed, found: Resolution | None) -> Memory:
        """Return a new memory, one band less important when it repeats a known one; note what it says.

        What closes or contradicts another says something new, in whatever words.
        """
        if not self.rated or not _may_repeat(item):
            return memory
        terms = _probes(memory)
        decides = found is not None and (found.closes or found.contests or found.later is not None)
        if not decides and any(_repeats(memory, other) for other in self._known(namespace, item.writer, memory, terms)):
            memory = replace(memory, importance=_band_below(memory.importance))
        for term in item.indexed.terms:
            said = self.fresh.setdefault((namespace, term), [])
            if len(said) < REPETITION_MOST:
                said.append(memory)
        return memory

    def _known(self, namespace: int, writer: Scope, memory: Memory, terms: Sequence[str]) -> list[Memory]:
        """Return the live memories that its writer sees and that share its most telling words."""
        least = len(terms) - (len(memory.keywords) > PROBES)  # a long text may have a new word among them
        shared = Counter(num for term in terms for num in self.stored.get((namespace, term), ()))
        nums = [num for num, times in shared.most_common(READ) if times >= least]
        stored = self.transaction.find(Record, [Test("num", "in", tuple(nums))]) if nums else []
        told = {id(other): other for term in terms for other in self.fresh.get((namespace, term), ())}
        times = Counter(id(other) for term in terms for other in self.fresh.get((namespace, term), ()))
        fresh = [told[place] for place, shares in times.most_common(READ) if shares >= least]
        return [other for other in (*fresh, *(record.memory for record in stored)) if self._sees(writer, memory, other)]

    def _sees(self, mine: Scope, memory: Memory, other: Memory) -> bool:
        """Say whether the writer of a memory sees another one, and that holds."""
        its = other.scope
        if mine.agent is not None and its.agent not in (None, mine.agent):
            return False
        if other.kind is Kind.WORKING and its.session != mine.session:
            return False
        return other.id != memory.id and other.is_live_at(max(self.now, other.valid_from))


def _may_repeat(item: Composed) -> bool:
    """Say whether a text is one to be lowered: rated by itself, not trivial anyway, and not drawn from others."""
    memory = item.memory
    return (
        "importance" not in item.given
        and memory.importance >= BANDS[0]
        and memory.status is Status.ACTIVE
        and not item.derived_from
        and not (item.statement.change or item.statement.correction or item.statement.ended)
    )


def _probes(memory: Memory) -> list[str]:
    return probes(memory)[:PROBES]


def _band_below(importance: float) -> float:
    return round(max(start for start in BANDS if start <= importance) - _JUST_UNDER, 4)


def _repeats(memory: Memory, other: Memory) -> bool:
    """Say whether a text says nothing that the other does not: no word, number, name, day, speaker or denial."""
    text, known = memory.content[:_SAMPLE], other.content[:_SAMPLE]
    said = {term: surface for surface, term in content_pairs(text)}
    there = {term for _, term in content_pairs(known)}
    new = said.keys() - there
    if len(new) > len(said) // _SLACK or len(there) > _LONGER * len(said) + 1:
        return False
    if any(surface[0].isupper() or any(map(str.isdigit, surface)) for surface in map(said.__getitem__, new)):
        return False
    if bool(_NEGATION.search(text)) != bool(_NEGATION.search(known)):
        return False
    if memory.actor != other.actor and not (signs.ONESELF | signs.OTHER).isdisjoint(text.split()):
        return False
    return memory.valid_from.date() == other.valid_from.date() or signs.WHEN.isdisjoint(said)
