"""What a new memory does to those that are known: the stages of conflict resolution after the exact one.

    2 slot      a single-valued predicate holds one value: the newer in event time closes the older
    3 similar   close by cosine: linked, never merged
    4 markers   "no longer", "is now", "actually": closes what it plainly ends or corrects
    5 verdict   a decider's judgement, which overrides 2 to 4

`Neighbourhood` looks up what a memory is compared with, `resolve` decides and reads no store. A memory is closed only
by one that may close it: active, trusted as much, and visible to everybody who can read the old one. Otherwise, and
where a marker leaves doubt, both stay and the new one is contested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache
from typing import Literal, NamedTuple

from engrain.arrays import Floats, np
from engrain.config import ZONES, Settings
from engrain.engine import Engine
from engrain.language import cues
from engrain.language.comparison import Relation, compare, same_statement
from engrain.language.cues import BANDS
from engrain.language.polarity import is_negative
from engrain.language.tokens import content_pairs
from engrain.model.choices import WriteStatus
from engrain.model.filters import Condition, Test
from engrain.model.memory import Fact, Kind, Memory, Scope, Slot, Status, slot
from engrain.model.results import Decision
from engrain.storage.interface import Transaction
from engrain.storage.queries import holders
from engrain.storage.rows import Record, Vector
from engrain.write.prepare import Prepared, probes, stated

EXACT, SLOT, SIMILAR, MARKERS, VERDICT = "1 exact", "2 slot", "3 similar", "4 markers", "5 verdict"
EXPLICIT = "explicit id"
MAX_RELATED = 3
SHOWN = 5  # neighbours named in a decision
INHERITED, MOST_INHERITED = 0.95, 0.95
_PLACES = ("lives_in", "located_in", "address")


class Rules(NamedTuple):
    """What the settings say about conflicts; `cold` and `near` are cosines."""

    single_valued: frozenset[str]
    cold: float
    near: float
    settings: Settings


def rules_of(engine: Engine) -> Rules:
    """Return the rules of conflict resolution for the vectors of the engine's embedder."""
    settings, embedder = engine.settings, "" if engine.embedder is None else engine.embedder.id
    zones: Mapping[str, object] = settings.zones
    named = [name for name, zone in zones.items() if isinstance(zone, Mapping) and embedder.startswith(name)]
    chosen = zones[max(named, key=len)] if named else zones  # the longest name that the embedder's id begins with
    assert isinstance(chosen, Mapping)
    found = {**ZONES, **{name: value for name, value in chosen.items() if isinstance(value, int | float)}}
    return Rules(_compared(tuple(settings.single_valued)), found["cold"], found["near"], settings)


@lru_cache(64)
def _compared(predicates: tuple[str, ...]) -> frozenset[str]:
    return frozenset(slot(Fact("x", name, "x")).predicate for name in predicates)


class Near(NamedTuple):
    """A live memory near the new one, and their cosine if both have vectors."""

    memory: Memory
    cosine: float | None


class Neighbours(NamedTuple):
    """The known memories that a new one is compared with.

    Of its fact's slot: `live` are the values at its time, `later` is the version that begins next after it, `before`
    the one that holds when it begins, `ending` those that hold still and end of themselves before it begins. `ended`
    are live memories whose fact its text says holds no longer. `target` is the memory that its writer named, `judged`
    the one that a decider's judgement is about.
    """

    live: tuple[Memory, ...] = ()
    later: Memory | None = None
    before: Memory | None = None
    ending: tuple[Memory, ...] = ()
    ended: tuple[Memory, ...] = ()
    near: tuple[Near, ...] = ()
    compared: bool = True  # False when there was no vector to compare by
    target: Memory | None = None
    judged: Memory | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """What becomes of the new memory and of those it meets.

    `closes` give way to it (`corrected`: they were never true), `contests` are contradicted and stay, `supports` say
    the same, `related` are near. `later` is the version it arrives before. `archived` stores it out of sight.
    """

    decision: Decision
    status: WriteStatus = "created"
    closes: tuple[Memory, ...] = ()
    corrected: bool = False
    contests: tuple[Memory, ...] = ()
    supports: tuple[Memory, ...] = ()
    related: tuple[Memory, ...] = ()
    later: Memory | None = None
    archived: bool = False


NOT_COMPARED = Resolution(Decision("add", EXACT, "nothing with this text is known"))
"""What becomes of a memory that is compared with nothing but identical texts."""


def resolve(new: Prepared, known: Neighbours, rules: Rules) -> Resolution:
    """Return the decision of the first stage that has one; the similar are linked whatever it is."""
    links = _links(new, known, rules)
    shown = tuple(
        sorted(
            ((near.memory.id, round(near.cosine, 4)) for near in known.near if near.cosine is not None),
            key=lambda pair: -pair[1],
        )[:SHOWN]
    )
    found = _by_writer(new, known) or _by_slot(new, known, rules) or _by_markers(new, known, rules)
    if found is not None and found.decision.kind == "supersede" and found.decision.stage in (EXPLICIT, VERDICT):
        slot_too = _by_slot(new, known, rules)  # the other values of its fact give way to it all the same
        if slot_too is not None and slot_too.decision.kind == "supersede":
            more = tuple(old for old in slot_too.closes if old.id not in {one.id for one in found.closes})
            found = replace(found, closes=(*found.closes, *more))
    if found is None and links is not None:
        return Resolution(Decision("add", SIMILAR, links.reason, shown), supports=links.supports, related=links.related)
    if found is None:
        reason = "nothing known is ended or contradicted by it"
        if not known.compared:
            reason += "; without an embedder the similarity stage was skipped"
        return Resolution(Decision("add", MARKERS, reason, shown))
    touched = {memory.id for memory in (*found.closes, *found.contests, *found.supports)}
    related = tuple(m for m in (links.related if links else ()) if m.id not in touched)
    return replace(found, decision=replace(found.decision, neighbours=shown), related=related)


def barrier(new: Prepared, old: Memory) -> str:
    """Return why the new memory may not close the old one; "" when it may."""
    if new.memory.status is not Status.ACTIVE:
        return "it waits itself"
    if new.memory.scope.agent not in (None, old.scope.agent):
        return "others see the older one and would not see this"
    if not new.intent.authority and new.memory.trust < old.trust - 1e-9:
        return "the older one is trusted more"
    return ""


def inherited(new: Memory, closed: Sequence[Memory], *, confidence_given: bool) -> tuple[int, float]:
    """Return the evolution count and confidence of a successor: min(.95, .95 x its predecessor's), unless given."""
    if not closed:
        return new.evolution_count, new.confidence
    count = max(old.evolution_count for old in closed) + 1
    if confidence_given:
        return count, new.confidence
    return count, min(MOST_INHERITED, round(INHERITED * max(old.confidence for old in closed), 6))


def _settled(new: Prepared, olds: Sequence[Memory], stage: str, reason: str, *, corrected: bool = False) -> Resolution:
    """Close the older ones, or, when one of them may not be closed, leave all as they are and wait."""
    named = ", ".join(old.id for old in olds)
    barred = next((why for old in olds if (why := barrier(new, old))), "")
    if barred:
        decision = Decision("pending", stage, f"contradicts {named}: {barred}")
        return Resolution(decision, "pending", contests=tuple(olds), corrected=corrected)
    status: WriteStatus = "corrected" if corrected else "updated"
    return Resolution(Decision("supersede", stage, f"{reason} {named}"), status, tuple(olds), corrected)


# ------------------------------------------------------------------------------------------------------------- stages


def _by_writer(new: Prepared, known: Neighbours) -> Resolution | None:
    """Do what the writer names by an id, else what a decider judged."""
    intent, judgement = new.intent, new.intent.judgement
    if known.target is not None:
        return _settled(new, [known.target], EXPLICIT, _said("its writer says it takes the place of", intent.reason))
    if judgement is None:
        return None
    if judgement.operation == "ADD":
        return Resolution(Decision("add", VERDICT, _said("judged to be new", judgement.reason)))
    if known.judged is None:
        return None
    if judgement.operation == "NOOP":
        decision = Decision("duplicate", VERDICT, _said(f"judged to be said by {known.judged.id}", judgement.reason))
        return Resolution(decision, "noop", supports=(known.judged,), archived=True)
    corrected = judgement.operation == "DELETE"
    word = "judged to correct" if corrected else "judged to update"
    return _settled(new, [known.judged], VERDICT, _said(word, judgement.reason), corrected=corrected)


def _said(what: str, reason: str) -> str:
    return f"{reason}: {what}" if reason else what


def _by_slot(new: Prepared, known: Neighbours, rules: Rules) -> Resolution | None:
    fact, memory = new.memory.fact, new.memory
    if fact is None or memory.kind is not Kind.SEMANTIC:
        return None
    mine = slot(fact)
    agreeing = tuple(old for old in known.live if _agree(mine, old))
    single = mine.predicate in rules.single_valued
    if single and known.later is not None:
        return _late(new, mine, known)
    over = memory.valid_until is not None and memory.valid_until <= memory.recorded_at
    others = [old for old in known.live if old not in agreeing] if single and not over else []
    if not others:
        return _supported(agreeing) if agreeing else _after(new, mine, known.ending)
    doubted = [old for old in others if memory.confidence < old.confidence]
    if doubted:
        named = ", ".join(old.id for old in others)
        decision = Decision("pending", SLOT, f"contradicts {named}, which is held with more confidence")
        return Resolution(decision, "pending", contests=tuple(others), supports=agreeing)
    if _names_another(new, mine, others):
        named = ", ".join(old.id for old in others)
        decision = Decision("pending", SLOT, f"contradicts {named}, which is not the value that it says has ended")
        return Resolution(decision, "pending", contests=tuple(others), supports=agreeing)
    corrected = new.statement.correction
    found = _settled(new, others, SLOT, "one value at a time, and this is newer than", corrected=corrected)
    return Resolution(found.decision, found.status, found.closes, found.corrected, found.contests, supports=agreeing)


def _names_another(new: Prepared, mine: Slot, others: Sequence[Memory]) -> bool:
    """Say whether a fact read in a text says that a value ended which is not the one that is known.

    A move says which slot it is about whatever place it names; "left Rome for Oslo" is no job if Rome never was one.
    """
    gone = [slot(each) for each in new.statement.ended if slot(each)[:2] == mine[:2]]
    if "fact" in new.given or mine.predicate in _PLACES or not gone:
        return False
    return not any(_agree(each, old) for each in gone for old in others)


def _supported(agreeing: tuple[Memory, ...]) -> Resolution:
    named = ", ".join(old.id for old in agreeing[:MAX_RELATED])
    return Resolution(Decision("add", SLOT, f"says in other words what {named} says"), supports=agreeing[:MAX_RELATED])


def _after(new: Prepared, mine: Slot, ending: Sequence[Memory]) -> Resolution | None:
    """Follow what ends of itself before the new one begins; where it may not be followed, the two stand unlinked."""
    olds = [old for old in ending if not _agree(mine, old) and not barrier(new, old)]
    olds = [old for old in olds if new.memory.confidence >= old.confidence]
    if not olds or _names_another(new, mine, olds):
        return None
    return _settled(new, olds, SLOT, "one value at a time, and this begins after the end of")


def _late(new: Prepared, mine: Slot, known: Neighbours) -> Resolution:
    """Place a version that arrives late: it ends where the next begins, and the one it cuts short ends with it."""
    assert known.later is not None
    reason = f"arrives late: ends where {known.later.id} begins"
    cut = known.before if known.before is not None and not _agree(mine, known.before) else None
    if new.memory.valid_until is not None and new.memory.valid_until < known.later.valid_from:
        cut = None  # it ended by itself, and what held before may have held again
    if cut is None:
        return Resolution(Decision("add", SLOT, reason), later=known.later)
    barred = barrier(new, cut) or ("it is held with more confidence" if new.memory.confidence < cut.confidence else "")
    if barred:
        decision = Decision("pending", SLOT, f"{reason}, and contradicts {cut.id}: {barred}")
        return Resolution(decision, "pending", contests=(cut,), later=known.later)
    return Resolution(Decision("add", SLOT, f"{reason}, where {cut.id} ends"), closes=(cut,), later=known.later)


def _agree(mine: Slot, old: Memory) -> bool:
    """Say whether an older fact gives the same value, or the same place more or less exactly."""
    if old.fact is None:
        return False
    theirs = slot(old.fact).object
    longer, shorter = (mine.object, theirs) if len(mine.object) > len(theirs) else (theirs, mine.object)
    return longer == shorter or (mine.predicate in _PLACES and longer.startswith(f"{shorter}, "))


def _by_markers(new: Prepared, known: Neighbours, rules: Rules) -> Resolution | None:
    statement = new.statement
    if new.memory.kind is not Kind.SEMANTIC:
        return None
    if known.ended:
        reason = "says that this holds no longer:"
        return _settled(new, known.ended, MARKERS, reason, corrected=statement.correction and not statement.change)
    if not new.is_marked:
        return None
    related = [
        (near.memory, compare(statement, stated(rules.settings, near.memory)))
        for near in known.near
        if near.memory.kind is Kind.SEMANTIC and (near.cosine is None or near.cosine > rules.cold)
    ]
    later = [old for old, found in related if found is Relation.REPLACES and old.valid_from > new.memory.valid_from]
    if later:
        following = min(later, key=lambda old: (old.valid_from, old.id))
        decision = Decision("add", MARKERS, f"arrives late: ends where {following.id} begins")
        return Resolution(decision, later=following)
    related = [(old, found) for old, found in related if old.valid_from <= new.memory.valid_from]
    for relation, word in ((Relation.CORRECTS, "corrects"), (Relation.REPLACES, "says what is now, instead of")):
        olds = [memory for memory, found in related if found is relation]
        if olds and not all(same_statement(olds[0].content, old.content) for old in olds[1:]):
            return _doubtful(olds, "could be about several, so contradicts")
        if olds:
            return _settled(new, olds, MARKERS, word, corrected=relation is Relation.CORRECTS)
    doubtful = [memory for memory, found in related if found is Relation.CONTRADICTS]
    return _doubtful(doubtful, "contradicts") if doubtful else None


def _doubtful(olds: Sequence[Memory], word: str) -> Resolution:
    named = ", ".join(old.id for old in olds)
    return Resolution(Decision("pending", MARKERS, f"{word} {named}"), "pending", contests=tuple(olds))


class _Links(NamedTuple):
    supports: tuple[Memory, ...]
    related: tuple[Memory, ...]
    reason: str


def _links(new: Prepared, known: Neighbours, rules: Rules) -> _Links | None:
    """Link what is near by cosine; who sees one end of a link sees the other."""
    close = sorted(
        (near for near in known.near if near.cosine is not None and near.cosine >= rules.near),
        key=lambda near: -(near.cosine or 0.0),
    )
    own = {link.memory_id for link in new.memory.links}  # what it derives from is linked already
    close = [near for near in close if near.memory.scope.agent == new.memory.scope.agent and near.memory.id not in own][
        :MAX_RELATED
    ]
    if not close:
        return None
    same = tuple(near.memory for near in close if same_statement(new.memory.content, near.memory.content))
    related = tuple(near.memory for near in close if near.memory not in same)
    word = "says the same as" if same else "is near"
    named = ", ".join(memory.id for memory in same or related)
    return _Links(same, related, f"{word} {named}; not the same text, so kept beside it")


RARE = 32  # memories that may hold a term before it proposes nobody
MOST = 64  # the most that are compared
FEW = 12  # both, for a text that changes nothing and is only to be linked with what is near
MARKED = 24  # the most whose texts are read for a text with a marker
HOLDERS = 65  # memories that are looked up for a term: what more hold is common

_Term = tuple[int, str]
"""The number of a namespace, and an index term."""


class Neighbourhood:
    """Looks up, inside one transaction, what new memories are compared with.

    `records` are those it has found, by id. Memories that the transaction has not put yet are noted here, so that the
    later ones of a batch are compared with them too.
    """

    def __init__(self, engine: Engine, transaction: Transaction, now: datetime) -> None:
        self.transaction, self.now = transaction, now
        self.rules, self.embedder = rules_of(engine), engine.embedder
        self.records: dict[str, Record] = {}
        self._namespaces: dict[tuple[str, str | None], int] = {}
        self._holders: dict[_Term, Sequence[int]] = {}
        self._unwritten_slots: set[tuple[int, str, str]] = set()
        self._unwritten: dict[_Term, list[tuple[Memory, Floats]]] = {}

    def namespace(self, scope: Scope) -> int:
        """Return the number of a scope's namespace."""
        place = (scope.org, scope.user)
        if place not in self._namespaces:
            self._namespaces[place] = self.transaction.namespace(*place)
        return self._namespaces[place]

    def note(self, memory: Memory, vector: Floats | None) -> None:
        """Note a memory that will be put later in the transaction."""
        namespace = self.namespace(memory.scope)
        if memory.fact is not None:
            self._unwritten_slots.add((namespace, *slot(memory.fact)[:2]))
        if vector is not None:
            for term in probes(memory):
                self._unwritten.setdefault((namespace, term), []).append((memory, vector))

    def forget_notes(self) -> None:
        """Forget what was noted and looked up: all of it is put now."""
        self._unwritten_slots.clear()
        self._unwritten.clear()
        self._holders.clear()

    def may_meet_unwritten(self, new: Prepared) -> bool:
        """Say whether a new memory may be about the facts of memories that are not put yet."""
        namespace = self.namespace(new.memory.scope)
        facts = [*new.statement.ended, *filter(None, [new.memory.fact])]
        return new.is_marked or any((namespace, *slot(fact)[:2]) in self._unwritten_slots for fact in facts)

    def find(self, new: Prepared) -> Neighbours:
        """Return what a new memory is compared with, among the memories that its writer sees."""
        ended: dict[str, Memory] = {}
        for fact in new.statement.ended:
            values = _holding(self._values(new, fact, same_object=True), new.memory.valid_from)
            ended |= {old.id: old for old in values}
        near = [*self._near(new), *self._near_unwritten(new)]
        compared = new.vector is not None
        return self.of_slot(new)._replace(ended=tuple(ended.values()), near=tuple(near), compared=compared)

    def live(self, memory_id: str, new: Prepared) -> Memory | None:
        """Return a memory by id if it is live and the writer of a new one sees it."""
        found = self._visible(self.transaction.find(Record, [Test("id", "eq", memory_id)]), new)
        scope = new.memory.scope
        mine = [m for m in found if (m.scope.org, m.scope.user) == (scope.org, scope.user) and m.is_live_at(self.now)]
        return mine[0] if mine else None

    def num(self, memory: Memory) -> int:
        """Return the row number of a stored memory."""
        if memory.id not in self.records:
            self.records[memory.id] = self.transaction.find(Record, [Test("id", "eq", memory.id)])[0]
        return self.records[memory.id].num

    # ------------------------------------------------------------------------------------------------------------ slot

    def of_slot(self, new: Prepared) -> Neighbours:
        """Return the other values of a new memory's fact."""
        fact, starts = new.memory.fact, new.memory.valid_from
        if fact is None or new.memory.kind is not Kind.SEMANTIC:
            return Neighbours()
        if slot(fact).predicate not in self.rules.single_valued:
            return Neighbours(_holding(self._values(new, fact, same_object=True), starts))
        later = self._next_to(new, fact, "gt", "valid_from")
        before = self._next_to(new, fact, "le", "-valid_from") if later is not None else None
        if before is not None and before.valid_until is not None and before.valid_until <= starts:
            before = None  # it had ended by then
        known = self._values(new, fact)
        ending = tuple(m for m in known if m.valid_until is not None and self.now < m.valid_until <= starts)
        return Neighbours(_holding(known, starts), later, before, ending)

    def _values(self, new: Prepared, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that nothing has superseded and that do not begin after the new memory."""
        wanted = slot(fact)
        tests = [*self._in_slot(new, wanted), Test("superseded_by", "eq", None)]
        if same_object:
            tests.append(Test("object_key", "eq", wanted.object))
        # Any order but one that an index of the whole namespace has, which a planner would take for the limit's sake.
        found = self._visible(self.transaction.find(Record, tests, order="-importance", limit=MOST), new)
        return tuple(m for m in found if _is_known(m, self.now) and m.valid_from <= new.memory.valid_from)

    def _next_to(self, new: Prepared, fact: Fact, op: Literal["gt", "le"], order: str) -> Memory | None:
        """Return the version of the new memory's fact that is next to it in time."""
        tests: list[Condition] = [
            *self._in_slot(new, slot(fact)),
            Test("valid_from", op, new.memory.valid_from),
            Test("status", "eq", Status.ACTIVE),
            Test("kind", "eq", Kind.SEMANTIC),
            Test("believed_until", "eq", None),
            Test("id", "ne", new.memory.id),
        ]
        readers = (None, new.memory.scope.agent)  # whoever sees the new one must see what ends it
        for memory in self._visible(self.transaction.find(Record, tests, order=order, limit=MOST), new):
            never_held = memory.valid_until == memory.valid_from  # closed as it began
            if _is_known(memory, self.now) and not never_held and (op == "le" or memory.scope.agent in readers):
                return memory
        return None

    def _in_slot(self, new: Prepared, wanted: Slot) -> list[Condition]:
        return [
            Test("ns", "eq", self.namespace(new.memory.scope)),
            Test("subject_key", "eq", wanted.subject),
            Test("predicate_key", "eq", wanted.predicate),
        ]

    def _visible(self, found: Sequence[Record], new: Prepared) -> list[Memory]:
        """Return the memories that the writer sees, in the order found, noting their records."""
        agent = new.memory.scope.agent or new.intent.agent
        kept = [record for record in found if agent is None or record.memory.scope.agent in (None, agent)]
        kept = [record for record in kept if record.memory.id != new.memory.id]
        self.records.update((record.memory.id, record) for record in kept)
        return [record.memory for record in kept]

    # ------------------------------------------------------------------------------------------------------------ near

    def holders(self, scope: Scope, terms: Sequence[str]) -> list[Sequence[int]]:
        """Return the rows that hold each term, at most `HOLDERS` of them; those not known yet are looked up at once."""
        namespace = self.namespace(scope)
        unknown = [term for term in terms if (namespace, term) not in self._holders]
        if unknown:
            found = holders(self.transaction, scope.org, scope.user, unknown, limit=HOLDERS)
            self._holders.update(((namespace, term), nums) for term, nums in zip(unknown, found, strict=True))
        return [self._holders[namespace, term] for term in terms]

    def has_near(self, new: Prepared) -> bool:
        """Say whether memories with words in common count for a new one."""
        return new.memory.status is Status.ACTIVE and (new.vector is not None or new.is_marked)

    def _near(self, new: Prepared) -> list[Near]:
        """Return live memories that share rare words and are close by cosine, or that a marker may be about."""
        if not self.has_near(new):
            return []
        namespace = self.namespace(new.memory.scope)
        nums = self._sharing(namespace, new)
        cosines = dict[int, float]()
        if new.vector is not None and nums and self.embedder is not None:
            tests = [Test("ns", "eq", namespace), Test("embedder", "eq", self.embedder.id)]
            rows = self.transaction.find(Vector, [*tests, Test("num", "in", tuple(nums))])
            cosines = dict(zip((row.num for row in rows), _cosines(new.vector, [r.values for r in rows]), strict=True))
        wanted = [num for num in nums if cosines.get(num, -1.0) >= self.rules.near]
        if new.is_marked:
            far = [n for n in nums if n not in wanted and cosines.get(n, 1.0) > self.rules.cold]
            wanted += far[:MARKED]
        if not wanted:
            return []
        found = self.transaction.find(Record, [Test("num", "in", tuple(wanted))])
        visible = self._visible(found, new)
        live = [memory for memory in visible if _is_known(memory, self.now) and memory.is_live_at(self.now)]
        return [Near(memory, cosines.get(self.records[memory.id].num)) for memory in live]

    def _sharing(self, namespace: int, new: Prepared) -> list[int]:
        """Return the rows that share rare words with a memory, those with the most and the rarest first.

        For a text without a marker only those that share most of its rare words, as texts that are near do.
        """
        few = not new.is_marked
        limit, most = (FEW, FEW) if few else (RARE, MOST)
        rare = [nums for nums in self.holders(new.memory.scope, probes(new.memory)) if 0 < len(nums) <= limit]
        weights: dict[int, float] = {}
        for nums in rare:
            for num in nums:
                weights[num] = weights.get(num, 0.0) + 1 / len(nums)
        shared = Counter(num for nums in rare for num in nums)
        kept = [num for num in weights if not few or shared[num] * 3 >= len(rare) * 2]
        return sorted(kept, key=lambda num: (-weights[num], num))[:most]

    def _near_unwritten(self, new: Prepared) -> list[Near]:
        """Return the memories not put yet that share most of a memory's rare words and are close by cosine."""
        if new.vector is None or not self._unwritten:
            return []
        namespace = self.namespace(new.memory.scope)
        holders = [self._unwritten.get((namespace, term), []) for term in probes(new.memory)]
        rare = [some for some in holders if 0 < len(some) <= FEW]
        found = {memory.id: (memory, vector) for some in rare for memory, vector in some}
        shared = Counter(memory.id for some in rare for memory, _ in some)
        most = [pair for name, pair in found.items() if shared[name] * 3 >= len(rare) * 2]
        cosines = _cosines(new.vector, [vector for _, vector in most])
        close = zip((memory for memory, _ in most), cosines, strict=True)
        return [Near(memory, cosine) for memory, cosine in close if cosine >= self.rules.near]


def _holding(known: Sequence[Memory], at: datetime) -> tuple[Memory, ...]:
    return tuple(memory for memory in known if memory.valid_until is None or memory.valid_until > at)


def _is_known(memory: Memory, now: datetime) -> bool:
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


PROBES = 3  # terms that a text is looked for by
REPEATS = 64  # rows that are looked at for each of them
READ = 8  # memories of those that are read and compared
_SAMPLE = 20_000  # characters of a long text that are compared
_SLACK = 8  # one telling word in so many may be new
_LONGER = 2  # times as many words as a text has: what has more of them covers it by chance
_JUST_UNDER = 0.01


class Repeats:
    """Finds, in one transaction, who has said a text's words before: in the store, or in this transaction.

    Unless texts are `rated` by what they say, nothing is looked for.
    """

    def __init__(self, neighbourhood: Neighbourhood, *, rated: bool) -> None:
        self.neighbourhood, self.rated = neighbourhood, rated
        self._stored: dict[_Term, Sequence[int]] = {}
        self._unwritten: dict[_Term, list[Memory]] = {}

    def look_up(self, news: Sequence[Prepared]) -> None:
        """Note the rows that share words with new memories of one namespace, before any of these is put."""
        if not self.rated:
            return
        scope = news[0].memory.scope
        namespace = self.neighbourhood.namespace(scope)
        terms = sorted({term for new in news if _may_repeat(new) for term in probes(new.memory)[:PROBES]})
        for term, nums in zip(terms, self.neighbourhood.holders(scope, terms), strict=True):
            self._stored[namespace, term] = nums[:REPEATS]

    def lowered(self, memory: Memory, new: Prepared, found: Resolution) -> Memory:
        """Return a new memory, one band less important when it repeats a known one; note what it says.

        What closes or contradicts another says something new, in whatever words.
        """
        if not self.rated or not _may_repeat(new):
            return memory
        namespace = self.neighbourhood.namespace(memory.scope)
        decides = found.closes or found.contests or found.later is not None
        if not decides and any(_repeats(memory, other) for other in self._known(namespace, new.writer, memory)):
            memory = replace(memory, importance=_band_below(memory.importance))
        for term in new.indexed.terms:
            noted = self._unwritten.setdefault((namespace, term), [])
            if len(noted) < REPEATS:
                noted.append(memory)
        return memory

    def _known(self, namespace: int, writer: Scope, memory: Memory) -> list[Memory]:
        """Return the live memories that its writer sees and that share its most telling words."""
        terms = probes(memory)[:PROBES]
        least = len(terms) - (len(memory.keywords) > PROBES)  # a long text may have a new word among them
        shared = Counter(num for term in terms for num in self._stored.get((namespace, term), ()))
        nums = tuple(num for num, times in shared.most_common(READ) if times >= least)
        known = {other.id: other for term in terms for other in self._unwritten.get((namespace, term), ())}
        times = Counter(other.id for term in terms for other in self._unwritten.get((namespace, term), ()))
        found = [known[name] for name, shares in times.most_common(READ) if shares >= least]
        if nums:
            records = self.neighbourhood.transaction.find(Record, [Test("num", "in", nums)])
            found += [record.memory for record in records]
        return [other for other in found if self._is_seen(writer, memory, other)]

    def _is_seen(self, writer: Scope, memory: Memory, other: Memory) -> bool:
        """Say whether the writer of a memory sees another one, and that holds."""
        if writer.agent is not None and other.scope.agent not in (None, writer.agent):
            return False
        if other.kind is Kind.WORKING and other.scope.session != writer.session:
            return False
        return other.id != memory.id and other.is_live_at(max(self.neighbourhood.now, other.valid_from))


def _may_repeat(new: Prepared) -> bool:
    """Say whether a text is one to be lowered: rated by itself, not trivial anyway, and not drawn from others."""
    return (
        "importance" not in new.given
        and new.memory.importance >= BANDS[0]
        and new.memory.status is Status.ACTIVE
        and not new.derived_from
        and not (new.statement.change or new.statement.correction or new.statement.ended)
    )


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
    if is_negative(text) != is_negative(known):
        return False
    if memory.actor != other.actor and cues.speaks_of_persons(text):
        return False
    return memory.valid_from.date() == other.valid_from.date() or not cues.times_of(said)
