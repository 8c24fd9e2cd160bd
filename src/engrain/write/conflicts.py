"""Conflict resolution, after the exact stage: `resolve` decides what a new memory does to the known ones.

    2 slot      a single-valued predicate has one value: the newer in event time closes the older
    3 similar   near by cosine: linked, never merged
    4 markers   "no longer", "is now", "actually": closes what it clearly ends or corrects
    5 verdict   a decider's judgement, which overrides 2 to 4

`Neighbourhood` loads the memories to compare with; `resolve` decides and reads no store. A memory is closed only
by one that is active, at least as trusted, and visible to every reader of the old one. Otherwise, and
if a marker is ambiguous, both stay and the new one is contested.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cache, lru_cache
from itertools import pairwise
from typing import Any, Final, Literal, NamedTuple

from engrain.config import ZONES, Settings
from engrain.engine import Engine
from engrain.language.changes import CONTRAST, MAY_CHANGE, Change, changes_in, statements_in
from engrain.language.comparison import Relation, compare, same_statement
from engrain.language.cues import BANDS, speaks_of_persons
from engrain.language.entailment import slot_in
from engrain.language.facts import ANY_VALUE, changed_on
from engrain.language.locales import LOCALES, has_any, is_read
from engrain.language.names import sorts
from engrain.language.phrases import action_forms, concepts_of, in_all_languages, parts_of
from engrain.language.quantities import Kind as ValueKind
from engrain.language.quantities import differ, keys_of, words_for
from engrain.language.replacements import TIME_NOUNS, Fit, fit, last_value, near_synonyms, relative_named, replaced_text
from engrain.language.sameness import compounds_of
from engrain.language.statements import is_verb, root
from engrain.language.tokens import content_pairs, terms_of_fields
from engrain.language.tokens import terms as index_terms
from engrain.language.tokens import words as words_of
from engrain.lazy import Floats, np
from engrain.model.choices import WriteStatus
from engrain.model.filters import Condition, Test
from engrain.model.memory import Fact, Kind, Memory, Scope, Slot, Status, slot
from engrain.model.results import Decision
from engrain.storage.interface import Reader, Transaction, holders
from engrain.storage.rows import Edge, LookUp, Record, Vector
from engrain.write.prepare import SAMPLE, Prepared, probes, stated

EXACT, SLOT, SIMILAR, MARKERS, VERDICT = "1 exact", "2 slot", "3 similar", "4 markers", "5 verdict"
EXPLICIT = "explicit id"
MAX_RELATED = 3
SHOWN = 5  # neighbours named in a decision
INHERITED, MOST_INHERITED = 0.95, 0.95
_PLACES = ("lives_in", "located_in", "address")
_ONE_VALUE = "one value at a time, and this"
RARE = 32  # rows with a term from which on it proposes no candidates
MOST = 64  # the most candidates
FEW = 12  # both, for a text without a change, which is only to be linked
MARKED = 24  # the most texts that are compared with a text with a marker
MOST_REPLACED = 4  # the most texts that one change ends
HOLDERS = 65  # rows that are looked up for a term: with more it is common
PROBES = 3  # terms by which repeated texts are looked up
REPEATS = 64  # rows that are tested for each of them
READ = 8  # memories of those that are loaded and compared
_SLACK = 8  # one specific word in this many may be new
_LONGER = 2  # times the words of a text: a longer one contains it by chance
_JUST_UNDER = 0.01
_ACCENTS = str.maketrans("äöüéèêáíóúñç", "aoueeeaiounc")
_Term = tuple[str | None, str]  # a user, and an index term
_BEGINNING, _SUFFIX = 3, 3


class ConflictRules(NamedTuple):
    """The settings for conflicts; `cold` and `near` are cosines."""

    single_valued: frozenset[str]
    cold: float
    near: float
    settings: Settings


def conflict_rules(engine: Engine) -> ConflictRules:
    """Return the rules of conflict resolution for the vectors of the engine's embedder."""
    settings, embedder = engine.settings, "" if engine.embedder is None else engine.embedder.id
    zones: Mapping[str, object] = settings.zones
    named = [name for name, zone in zones.items() if isinstance(zone, Mapping) and embedder.startswith(name)]
    chosen = zones[max(named, key=len)] if named else zones  # the longest name that is a prefix of the embedder's id
    assert isinstance(chosen, Mapping)
    found = {**ZONES, **{name: value for name, value in chosen.items() if isinstance(value, int | float)}}
    return ConflictRules(_compared(tuple(settings.single_valued)), found["cold"], found["near"], settings)


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
    the one in force when it begins, `ending` those in force now that end before it begins. `ended` are live memories
    with a fact that its text ends. `target` is the memory that its writer named, `judged` the one of a
    decider's judgement.
    """

    live: tuple[Memory, ...] = ()
    later: Memory | None = None
    before: Memory | None = None
    ending: tuple[Memory, ...] = ()
    ended: tuple[Memory, ...] = ()
    near: tuple[Near, ...] = ()
    compared: bool = True  # False if there was no vector to compare by
    target: Memory | None = None
    judged: Memory | None = None


@dataclass(frozen=True, slots=True)
class Resolution:
    """The effect of a new memory: which known ones it closes, contests or supports.

    It closes `closes` (`corrected`: they were never true), contradicts `contests`, which stay, repeats
    `supports`, and is near `related`. `later` is the version it arrives before. `archived` excludes it from reads.
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
"""The resolution of a memory that is compared only with identical texts."""
UNRELATED = Resolution(Decision("add", MARKERS, "nothing known is ended or contradicted by it"))
"""The resolution of a memory without near ones."""


def resolve(new: Prepared, known: Neighbours, rules: ConflictRules) -> Resolution:
    """Return the decision of the first stage that makes one; similar memories are linked in any case."""
    found = _by_writer(new, known) if known.target is not None or new.intent.judgement is not None else None
    supports, related, linked = _similar(new, known, rules) if known.near else ((), (), "")
    if new.memory.kind is Kind.SEMANTIC:
        by_slot = _by_slot(new, known, rules) if new.memory.fact is not None else None
        if found is None:
            marked = known.ended or (known.near and new.is_marked)
            found = by_slot or (_by_markers(new, known, rules) if marked else None)
            if known.ended and found is by_slot and by_slot is not None:
                found = _with_ended(new, known.ended, by_slot)
        elif found.decision.kind == "supersede" and by_slot is not None and by_slot.decision.kind == "supersede":
            named = {old.id for old in found.closes}  # it also closes the other values of its fact
            found = replace(found, closes=(*found.closes, *(old for old in by_slot.closes if old.id not in named)))
    with_cosine = [(near.memory.id, round(near.cosine, 4)) for near in known.near if near.cosine is not None]
    shown = tuple(sorted(with_cosine, key=lambda pair: -pair[1])[:SHOWN])
    if found is not None:
        touched = {memory.id for memory in (*found.closes, *found.contests, *found.supports)}
        related = tuple(memory for memory in related if memory.id not in touched)
        return replace(found, decision=replace(found.decision, neighbours=shown), related=related)
    if linked:
        return Resolution(Decision("add", SIMILAR, linked, shown), supports=supports, related=related)
    if known.compared and not shown:
        return UNRELATED
    reason = UNRELATED.decision.reason
    if not known.compared:
        reason += "; without an embedder the similarity stage was skipped"
    return Resolution(Decision("add", MARKERS, reason, shown))


def barrier(new: Prepared, old: Memory) -> str:
    """Return the reason why the new memory may not close the old one; "" if it may."""
    if new.memory.stored_status is not Status.ACTIVE:
        return "it awaits a verdict itself"
    if new.memory.scope.agent not in (None, old.scope.agent):
        return "others see the older one and would not see this"
    return "the older one is trusted more" if not new.intent.authority and new.memory.trust < old.trust - 1e-9 else ""


def succession(
    new: Memory, closed: Sequence[Memory], later: Memory | None = None, *, confidence_given: bool | None = None
) -> dict[str, Any]:
    """Return the columns of a memory that follows those it closes and, arriving late, precedes `later`.

    Its confidence is min(.95, .95 x its predecessor's), unless it was given; None means that any but 1.0 was given.
    """
    columns: dict[str, Any] = {}
    if closed:
        columns["evolution_count"] = max(new.evolution_count, *(old.evolution_count + 1 for old in closed))
        if not (new.confidence != 1.0 if confidence_given is None else confidence_given):
            columns["confidence"] = min(MOST_INHERITED, round(INHERITED * max(old.confidence for old in closed), 6))
    if later is not None:
        columns["valid_until"] = min(later.valid_from, new.valid_until or later.valid_from)
        columns["superseded_by"] = later.id
    return columns


def _settled(new: Prepared, olds: Sequence[Memory], stage: str, reason: str, *, corrected: bool = False) -> Resolution:
    """Close the older memories, or, if one of them may not be closed, contest all of them."""
    barred = next((why for old in olds if (why := barrier(new, old))), "")
    if barred:
        return replace(_contested(olds, stage, "contradicts {}: " + barred), corrected=corrected)
    status: WriteStatus = "corrected" if corrected else "updated"
    return Resolution(Decision("supersede", stage, f"{reason} {_ids(olds)}"), status, tuple(olds), corrected)


def _contested(olds: Sequence[Memory], stage: str, reason: str) -> Resolution:
    """Contest the older memories; `{}` in the reason becomes their ids."""
    return Resolution(Decision("pending", stage, reason.format(_ids(olds))), "pending", contests=tuple(olds))


def _ids(memories: Sequence[Memory]) -> str:
    return ", ".join(memory.id for memory in memories)


def _by_writer(new: Prepared, known: Neighbours) -> Resolution | None:
    """Apply the writer's explicit target, or else a decider's judgement, None without either."""
    intent, judgement = new.intent, new.intent.judgement
    if known.target is not None:
        reason = f"{intent.reason}: " if intent.reason else ""
        return _settled(new, [known.target], EXPLICIT, f"{reason}its writer says it takes the place of")
    if judgement is None:
        return None
    reason = f"{judgement.reason}: " if judgement.reason else ""
    if judgement.operation == "ADD":
        return Resolution(Decision("add", VERDICT, f"{reason}judged to be new"))
    if known.judged is None:
        return None
    if judgement.operation == "NOOP":
        decision = Decision("duplicate", VERDICT, f"{reason}judged to be stated by {known.judged.id}")
        return Resolution(decision, "noop", supports=(known.judged,), archived=True)
    corrected = judgement.operation == "DELETE"
    reason += "judged to correct" if corrected else "judged to update"
    return _settled(new, [known.judged], VERDICT, reason, corrected=corrected)


def _with_ended(new: Prepared, ended: Sequence[Memory], by_slot: Resolution) -> Resolution:
    """Return a resolution that also closes the memories that the text ends, unless its fact contests another."""
    more = _settled(new, ended, MARKERS, "says that this is over:")
    if by_slot.contests or more.contests:
        return by_slot
    closes = {old.id: old for old in (*by_slot.closes, *more.closes)}
    supports = tuple(old for old in by_slot.supports if old.id not in closes)
    return replace(by_slot if by_slot.closes else more, closes=tuple(closes.values()), supports=supports)


def _by_slot(new: Prepared, known: Neighbours, rules: ConflictRules) -> Resolution | None:
    """Compare a memory with the other values of its fact, None if they give no decision."""
    fact, memory = new.memory.fact, new.memory
    assert fact is not None
    mine = slot(fact)
    alike = tuple(old for old in known.live if _agree(mine, old))
    single = _has_one_value(new, rules)
    if single and known.later is not None:
        return _late(new, mine, known, known.later)
    over = memory.valid_until is not None and memory.valid_until <= memory.recorded_at
    others = [old for old in known.live if old not in alike] if single and not over else []
    if mine.predicate in _PLACES and _is_country(fact.object) and not new.statement.change:
        others = [
            old for old in others if old.fact is not None and _is_country(old.fact.object)
        ]  # "Graz" is in "Austria"
    if others:
        if any(memory.confidence < old.confidence for old in others):
            found = _contested(others, SLOT, "contradicts {}, which has more confidence")
        elif _names_another(new, mine, others):
            found = _contested(others, SLOT, "contradicts {}, which is not the value that it says has ended")
        else:
            reason, corrected = f"{_ONE_VALUE} is newer than", new.statement.correction
            found = _settled(new, others, SLOT, reason, corrected=corrected)
        return replace(found, supports=alike)
    if alike:
        alike = alike[:MAX_RELATED]
        return Resolution(Decision("add", SLOT, f"states in other words what {_ids(alike)} states"), supports=alike)
    # An older one that ends before the new one begins is its predecessor; if it may not be, the two stay unlinked.
    olds = [old for old in known.ending if not _agree(mine, old) and not barrier(new, old)]
    olds = [old for old in olds if memory.confidence >= old.confidence]
    if not olds or _names_another(new, mine, olds):
        return None
    return _settled(new, olds, SLOT, f"{_ONE_VALUE} begins after the end of")


def _has_one_value(new: Prepared, rules: ConflictRules) -> bool:
    """Return whether a memory's fact is the only value of its slot: by its predicate, or by its text, "is now ..."."""
    fact, read = new.memory.fact, new.statement
    return fact is not None and (slot(fact).predicate in rules.single_valued or (read.is_one and read.fact == fact))


def _is_country(place: str) -> bool:
    return place.lower().removeprefix("the ").removeprefix("die ").removeprefix("der ") in sorts()["country"]


def _names_another(new: Prepared, mine: Slot, others: Sequence[Memory]) -> bool:
    """Return whether an extracted fact ends another value than the known ones, unless it is a change of home."""
    gone = [slot(each) for each in new.statement.ended if slot(each)[:2] == mine[:2]]
    if "fact" in new.given or mine.predicate in _PLACES or not gone:
        return False
    return not any(_agree(each, old) for each in gone for old in others)


def _late(new: Prepared, mine: Slot, known: Neighbours, later: Memory) -> Resolution:
    """Place a version that arrives late: it ends where the next begins, and the one that it overlaps is closed."""
    reason = f"arrives late: ends where {later.id} begins"
    cut = known.before if known.before is not None and not _agree(mine, known.before) else None
    if new.memory.valid_until is not None and new.memory.valid_until < later.valid_from:
        cut = None  # it had its own end, after which the previous value may apply again
    if cut is None:
        return Resolution(Decision("add", SLOT, reason), later=later)
    barred = barrier(new, cut) or ("it has more confidence" if new.memory.confidence < cut.confidence else "")
    if barred:
        decision = Decision("pending", SLOT, f"{reason}, and contradicts {cut.id}: {barred}")
        return Resolution(decision, "pending", contests=(cut,), later=later)
    return Resolution(Decision("add", SLOT, f"{reason}, where {cut.id} ends"), closes=(cut,), later=later)


def _agree(mine: Slot, old: Memory) -> bool:
    """Return whether an older fact has the same value, or the same place at another precision."""
    if old.fact is None:
        return False
    theirs = slot(old.fact).object
    longer, shorter = (mine.object, theirs) if len(mine.object) > len(theirs) else (theirs, mine.object)
    return longer == shorter or (mine.predicate in _PLACES and longer.startswith(f"{shorter}, "))


def _by_markers(new: Prepared, known: Neighbours, rules: ConflictRules) -> Resolution | None:
    """Compare a text that ends, changes, corrects or denies something with the texts near it."""
    statement, starts = new.statement, new.memory.valid_from
    if known.ended:
        read = [(old, compare(statement, stated(rules.settings, old))) for old in known.ended if statement.correction]
        if any(relation is Relation.CONTRADICTS for _, relation in read):
            return _by_relation(new, read)
        corrected = statement.correction and not statement.change
        return _settled(new, known.ended, MARKERS, "says that this is over:", corrected=corrected)
    fit = [near.memory for near in known.near if near.cosine is None or near.cosine > rules.cold]
    fit = [m for m in fit if m.kind is Kind.SEMANTIC and not _names_the_same(m.fact, new.memory.fact)]
    related = [(old, compare(statement, stated(rules.settings, old))) for old in fit]
    following = [old for old, relation in related if relation is Relation.REPLACES and old.valid_from > starts]
    if following:
        later = min(following, key=lambda old: (old.valid_from, old.id))
        return Resolution(Decision("add", MARKERS, f"arrives late: ends where {later.id} begins"), later=later)
    return _by_relation(new, [(old, relation) for old, relation in related if old.valid_from <= starts])


def _by_relation(new: Prepared, related: Sequence[tuple[Memory, Relation]]) -> Resolution | None:
    for relation, word in ((Relation.CORRECTS, "corrects"), (Relation.REPLACES, "says what is now, instead of")):
        if olds := [old for old, found in related if found is relation]:
            if not all(same_statement(olds[0].content, old.content) for old in olds[1:]):
                return _contested(olds, MARKERS, "could be about several, so contradicts {}")
            return _settled(new, olds, MARKERS, word, corrected=relation is Relation.CORRECTS)
    doubtful = [old for old, found in related if found is Relation.CONTRADICTS]
    return _contested(doubtful, MARKERS, "contradicts {}") if doubtful else None


def _similar(
    new: Prepared, known: Neighbours, rules: ConflictRules
) -> tuple[tuple[Memory, ...], tuple[Memory, ...], str]:
    """Return the known memories that state the same, those that are near, and the reason; "" for none."""
    own = {link.memory_id for link in new.memory.links}  # its sources are linked already
    close = [near for near in known.near if near.cosine is not None and near.cosine >= rules.near]
    close = [near for near in close if near.memory.scope.agent == new.memory.scope.agent and near.memory.id not in own]
    close = sorted(close, key=lambda near: -(near.cosine or 0.0))[:MAX_RELATED]
    same = tuple(near.memory for near in close if same_statement(new.memory.content, near.memory.content))
    related = tuple(near.memory for near in close if near.memory not in same)
    if not close:
        return (), (), ""
    word = "states the same as" if same else "is near"
    return same, related, f"{word} {_ids(same or related)}; not the same text, so kept beside it"


class Neighbourhood:
    """Looks up, inside one transaction, the memories that new ones are compared with.

    `records` are those it has found, by id. Memories that the transaction has not put yet are noted here, so that the
    later ones of a batch are compared with them too.
    """

    def __init__(self, engine: Engine, transaction: Transaction, now: datetime) -> None:
        self.transaction = transaction
        self.now = now
        self.rules: Final = conflict_rules(engine)
        self.embedder: Final = engine.embedder
        self.records: dict[str, Record] = {}
        self._nums: dict[str, int] = {}  # of put memories, by id
        self._holders: dict[_Term, list[int]] = {}
        self._unwritten_slots: set[tuple[str | None, str, str]] = set()
        self._unwritten: dict[_Term, list[tuple[Memory, Floats]]] = {}
        self._repeatable: dict[_Term, Sequence[int]] = {}
        self._written: dict[_Term, list[tuple[Memory, Mapping[str, int]]]] = {}

    def note(self, memory: Memory, vector: Floats | None) -> None:
        """Note a memory that will be put later in the transaction."""
        user = memory.scope.user
        if memory.fact is not None:
            self._unwritten_slots.add((user, *slot(memory.fact)[:2]))
        if vector is not None:
            for term in probes(memory.keywords):
                self._unwritten.setdefault((user, term), []).append((memory, vector))

    def put(self, written: Iterable[tuple[int, Prepared]]) -> None:
        """Record that the noted memories have been put, as these rows."""
        for num, new in written:
            self._nums[new.memory.id] = num
            for term in new.indexed.terms:
                known = self._holders.get((new.memory.scope.user, term))
                if known is not None and len(known) < HOLDERS:
                    known.append(num)
        self._unwritten_slots.clear()
        self._unwritten.clear()

    def reworded(self) -> None:
        """Clear the looked-up terms, since a known memory has other ones now."""
        self._holders.clear()

    def may_meet_unwritten(self, new: Prepared) -> bool:
        """Return whether a new memory may concern the facts of memories that are not put yet."""
        facts, user = [*new.statement.ended, *filter(None, [new.memory.fact])], new.memory.scope.user
        return new.is_marked or any((user, *slot(fact)[:2]) in self._unwritten_slots for fact in facts)

    def find(self, new: Prepared) -> Neighbours:
        """Return the memories that a new one is compared with, among those that its writer sees."""
        ended: dict[str, Memory] = {}
        for fact in new.statement.ended:
            is_given = fact.object != ANY_VALUE
            values = _in_force(self._values(new, fact, same_object=is_given), new.memory.valid_from)
            if is_given or len(values) == 1:  # without a value it is ambiguous which of several it ends
                ended |= {old.id: old for old in values}
        has_words = has_any(new.memory.content, *MAY_CHANGE) or CONTRAST.search(new.memory.content)
        if (new.intent.closes or has_words) and new.memory.kind is Kind.SEMANTIC and new.intent.resolve:
            ended |= self._changed(new)
        near = self._near(new) if new.vector is not None or new.is_marked else []
        known = self.of_slot(new) if new.memory.fact is not None else Neighbours()
        text = new.memory.content[:_LONGEST_CLOSING]
        may_be_dated = has_words or new.memory.fact is not None
        day = changed_on(text, new.memory.valid_from) if may_be_dated else None  # "I moved to Rome in 2010"
        if day is not None:  # what was stated after it is newer
            live = tuple(old for old in known.live if old.valid_from.year <= day.year)
            named = {
                key: old for key, old in ended.items() if key in new.intent.closes or old.valid_from.year <= day.year
            }
            near = [each for each in near if each.memory.valid_from.year <= day.year]
            known, ended = known._replace(live=live), named
        return known._replace(ended=tuple(ended.values()), near=tuple(near), compared=new.vector is not None)

    def _changed(self, new: Prepared) -> dict[str, Memory]:
        """Return the memories that the text of a new one changes, or that its writer says it closes."""
        memory, found = new.memory, dict[str, Memory]()
        for memory_id in new.intent.closes:
            if (old := self.live(memory_id, new)) is not None:
                found[old.id] = old
        is_long = len(memory.content) > _LONGEST_CLOSING
        if new.intent.closes or is_long or not is_read(memory.content, self.rules.settings.languages):
            return found

        def visible(records: Sequence[Record], _: object) -> list[Memory]:
            return [m for m in self._visible(records, new) if _is_known(m, self.now) and m.is_live_at(self.now)]

        for change in changes_in(memory.content, memory.valid_from):
            found |= {old.id: old for old in replaced(self.transaction, change, memory, visible)}
        return found

    def live(self, memory_id: str, new: Prepared) -> Memory | None:
        """Return a memory by id if it is live and visible to the writer of a new one."""
        found = self._visible(self.transaction.find(Record, [Test("id", "eq", memory_id)]), new)
        scope = new.memory.scope
        mine = [m for m in found if (m.scope.org, m.scope.user) == (scope.org, scope.user) and m.is_live_at(self.now)]
        return mine[0] if mine else None

    def num(self, memory: Memory) -> int:
        """Return the row number of a stored memory."""
        if memory.id in self._nums:
            return self._nums[memory.id]
        if memory.id not in self.records:
            self.records[memory.id] = self.transaction.find(Record, [Test("id", "eq", memory.id)])[0]
        return self.records[memory.id].num

    def of_slot(self, new: Prepared) -> Neighbours:
        """Return the other values of a new memory's fact."""
        fact, starts = new.memory.fact, new.memory.valid_from
        if fact is None or new.memory.kind is not Kind.SEMANTIC:
            return Neighbours()
        if not _has_one_value(new, self.rules):
            return Neighbours(_in_force(self._values(new, fact, same_object=True), starts))
        later = self._next_to(new, fact, "gt", "valid_from")
        before = self._next_to(new, fact, "le", "-valid_from") if later is not None else None
        if before is not None and before.valid_until is not None and before.valid_until <= starts:
            before = None  # it had ended by then
        known = self._values(new, fact)
        ending = tuple(m for m in known if m.valid_until is not None and self.now < m.valid_until <= starts)
        return Neighbours(_in_force(known, starts), later, before, ending)

    def _values(self, new: Prepared, fact: Fact, *, same_object: bool = False) -> tuple[Memory, ...]:
        """Return the values of a fact that are not superseded and do not begin after the new memory."""
        wanted = slot(fact)
        tests = [*in_slot(self.transaction, new.memory.scope, wanted), Test("superseded_by", "eq", None)]
        if same_object:
            tests.append(Test("object_key", "eq", wanted.object))
        # Any order without an index of the whole namespace, which a planner would choose because of the limit.
        found = self._visible(self.transaction.find(Record, tests, order="-importance", limit=MOST), new)
        known = (m for m in found if _is_known(m, self.now) and m.valid_from <= new.memory.valid_from)
        is_given = same_object or ("fact" in new.given and not new.derived_from)
        return tuple(m for m in known if is_given or not _names_the_same(m.fact, fact))

    def _next_to(self, new: Prepared, fact: Fact, op: Literal["gt", "le"], order: str) -> Memory | None:
        """Return the version of the new memory's fact that is next to it in time."""
        tests: list[Condition] = [
            *in_slot(self.transaction, new.memory.scope, slot(fact)),
            Test("valid_from", op, new.memory.valid_from),
            Test("status", "eq", Status.ACTIVE),
            Test("kind", "eq", Kind.SEMANTIC),
            Test("believed_until", "eq", None),
            Test("id", "ne", new.memory.id),
        ]
        readers = (None, new.memory.scope.agent)  # every reader of the new one must see the one that ends it
        for memory in self._visible(self.transaction.find(Record, tests, order=order, limit=MOST), new):
            was_in_force = memory.valid_until != memory.valid_from  # unless it was closed as it began
            if _is_known(memory, self.now) and was_in_force and (op == "le" or memory.scope.agent in readers):
                return memory
        return None

    def _visible(self, found: Sequence[Record], new: Prepared) -> list[Memory]:
        """Return the memories that the writer sees, in the order found, and note their records."""
        agent = new.memory.scope.agent or new.intent.agent
        kept = [record for record in found if agent is None or record.memory.scope.agent in (None, agent)]
        kept = [record for record in kept if record.memory.id != new.memory.id]
        self.records.update((record.memory.id, record) for record in kept)
        return [record.memory for record in kept]

    def look_up(
        self,
        scope: Scope,
        *,
        identities: Sequence[str],
        near: Sequence[Prepared],
        repeating: Sequence[Prepared],
        names: Sequence[str],
    ) -> LookUp:
        """Look up a namespace's state before a write: `near` are compared, `repeating` may be repeats."""
        active = (new for new in near if new.memory.stored_status is Status.ACTIVE)
        meeting = (new for new in active if new.vector is not None or new.is_marked)
        terms = {term for new in (*meeting, *repeating) for term in probes(new.memory.keywords)}
        probed = {term for new in repeating for term in probes(new.memory.keywords)[:PROBES]}
        wanted = sorted(terms)
        found = self.transaction.look_up(
            scope.org, scope.user, identities=identities, terms=wanted, rows=HOLDERS, names=names
        )
        for term, nums in zip(wanted, found.holders, strict=True):
            self._holders[scope.user, term] = [*nums]
            if term in probed:
                self._repeatable[scope.user, term] = nums[:REPEATS]
        return found

    def _near(self, new: Prepared) -> list[Near]:
        """Return live memories near by most rare words and by cosine, or that a marker may refer to, best first."""
        org, user, terms = new.memory.scope.org, new.memory.scope.user, probes(new.memory.keywords)
        marked = new.is_marked
        if unknown := [term for term in terms if (user, term) not in self._holders]:
            found = holders(self.transaction, org, user, unknown, limit=HOLDERS)
            self._holders.update(((user, term), [*nums]) for term, nums in zip(unknown, found, strict=True))
        limit, most = (RARE, MOST) if marked else (FEW, FEW)
        rare = [nums for term in terms if 0 < len(nums := self._holders[user, term]) <= limit]
        weights: dict[int, float] = {}
        for nums in rare:
            for num in nums:
                weights[num] = weights.get(num, 0.0) + 1 / len(nums)
        shared = Counter(num for nums in rare for num in nums)
        sharing = [num for num in weights if marked or shared[num] * 3 >= len(rare) * 2]
        sharing = sorted(sharing, key=lambda num: (-weights[num], num))[:most]
        cosines = dict[int, float]()
        if new.vector is not None and sharing and self.embedder is not None:
            tests = [Test("ns", "eq", self.transaction.namespace(org, user)), Test("embedder", "eq", self.embedder.id)]
            rows = self.transaction.find(Vector, [*tests, Test("num", "in", tuple(sharing))])
            cosines = dict(zip((row.num for row in rows), _cosines(new.vector, [r.values for r in rows]), strict=True))
        wanted = [num for num in sharing if cosines.get(num, -1.0) >= self.rules.near]
        if marked:
            wanted += [n for n in sharing if n not in wanted and cosines.get(n, 1.0) > self.rules.cold][:MARKED]
        near: list[Near] = []
        if wanted:
            records = self.transaction.find(Record, [Test("num", "in", tuple(wanted))], links=False)
            visible = [m for m in self._visible(records, new) if _is_known(m, self.now) and m.is_live_at(self.now)]
            near = [Near(memory, cosines.get(self.records[memory.id].num)) for memory in visible]
        return near + self._near_unwritten(user, terms, new.vector) if self._unwritten else near

    def _near_unwritten(self, user: str | None, terms: Sequence[str], vector: Floats | None) -> list[Near]:
        """Return the memories not put yet that share most of a memory's rare words and are near by cosine."""
        if vector is None:
            return []
        rare = [some for term in terms if 0 < len(some := self._unwritten.get((user, term), [])) <= FEW]
        found = {memory.id: (memory, theirs) for some in rare for memory, theirs in some}
        shared = Counter(memory.id for some in rare for memory, _ in some)
        most = [pair for name, pair in found.items() if shared[name] * 3 >= len(rare) * 2]
        close = zip((memory for memory, _ in most), _cosines(vector, [theirs for _, theirs in most]), strict=True)
        return [Near(memory, cosine) for memory, cosine in close if cosine >= self.rules.near]

    def lowered(self, memory: Memory, new: Prepared, found: Resolution) -> Memory:
        """Return a new memory, one band less important if it only repeats a known one; note its terms."""
        if not (found.closes or found.contests or found.later is not None) and self._is_repeat(memory, new):
            band = max(start for start in BANDS if start <= memory.importance)
            memory = replace(memory, importance=round(band - _JUST_UNDER, 4))
        for term in new.indexed.terms:
            noted = self._written.setdefault((memory.scope.user, term), [])
            if len(noted) < REPEATS:
                noted.append((memory, new.indexed.terms))
        return memory

    def _is_repeat(self, memory: Memory, new: Prepared) -> bool:
        """Return whether a visible live memory contains the specific words of a text, which then adds nothing."""
        terms, user = probes(memory.keywords)[:PROBES], memory.scope.user
        agent = memory.scope.agent or new.intent.agent
        least = len(terms) - (len(memory.keywords) > PROBES)  # a long text may have one new word among them
        noted = [pair for term in terms for pair in self._written.get((user, term), ())]
        by_id, times = {pair[0].id: pair for pair in noted}, Counter(other.id for other, _ in noted)
        likely = [by_id[name] for name, shares in times.most_common(READ) if shares >= least]
        shared = Counter(num for term in terms for num in self._repeatable.get((user, term), ()))
        nums = tuple(num for num, shares in shared.most_common(READ) if shares >= least)
        words = {term: surface for surface, term in content_pairs(memory.content[:SAMPLE])} if likely or nums else {}
        new_words = len(words) // _SLACK
        known = [other for other, theirs in likely if len(words.keys() - theirs.keys()) <= new_words]
        if nums:  # at most as many words as they are known to lack; common ones were not looked up in full
            lists = [rows for term in words if (rows := self._holders.get((user, term))) is not None]
            lists = [rows for rows in lists if len(rows) < HOLDERS]
            nums = tuple(num for num in nums if sum(num not in rows for rows in lists) <= new_words)
        if nums:
            known += [record.memory for record in self.transaction.find(Record, [Test("num", "in", nums)], links=False)]
        for other in known:
            if agent is not None and other.scope.agent not in (None, agent):
                continue
            if other.kind is Kind.WORKING and other.scope.session != memory.scope.session:
                continue
            live = other.id != memory.id and other.is_live_at(max(self.now, other.valid_from))
            if live and _repeats(memory, words, other):
                return True
        return False


def in_slot(transaction: Transaction, scope: Scope, wanted: Slot) -> list[Condition]:
    """Return the conditions of the facts in a slot, whatever their object, in the namespace of a user."""
    return [
        Test("ns", "eq", transaction.namespace(scope.org, scope.user)),
        Test("subject_key", "eq", wanted.subject),
        Test("predicate_key", "eq", wanted.predicate),
    ]


def _names_the_same(known: Fact | None, fact: Fact | None) -> bool:
    """Return whether one of two objects is a longer name or the translation of the other: "Acme", "Acme Corp."."""
    if not (known and fact) or any(map(str.isdigit, fact.object)) or words_of(known.object) == words_of(fact.object):
        return False
    one, other = (set(index_terms(each.object)) for each in (known, fact))
    is_longer = fact.object[:1].isupper() and (one < other or other < one)
    return bool(one and other) and (one == other or is_longer)


def _in_force(known: Sequence[Memory], at: datetime) -> tuple[Memory, ...]:
    return tuple(memory for memory in known if memory.valid_until is None or memory.valid_until > at)


def _is_known(memory: Memory, now: datetime) -> bool:
    """Return whether a memory is a fact that is active, believed, not expired and not contested."""
    is_believed = memory.kind is Kind.SEMANTIC and memory.believed_until is None and not memory.is_contested
    return is_believed and memory.as_of_clock(now).stored_status is Status.ACTIVE


def _cosines(one: Floats, others: Sequence[Floats]) -> list[float]:
    if not others:
        return []
    matrix = np.asarray(others, np.float32)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms > 0, norms, 1)]


def _repeats(memory: Memory, words: Mapping[str, str], other: Memory) -> bool:
    """Return whether a text adds nothing to another: no word, number, name, day, speaker or negation."""
    text, known = memory.content[:SAMPLE], other.content[:SAMPLE]
    there = {term for _, term in content_pairs(known)}
    new = words.keys() - there
    if len(new) > len(words) // _SLACK or len(there) > _LONGER * len(words) + 1:
        return False
    if any(surface[0].isupper() or any(map(str.isdigit, surface)) for surface in map(words.__getitem__, new)):
        return False
    if has_any(text, "negation") != has_any(known, "negation"):
        return False
    if memory.actor != other.actor and speaks_of_persons(text):
        return False
    return memory.valid_from.date() == other.valid_from.date() or terms_of_fields("timely").isdisjoint(words)


def earlier(reader: Reader, memory: Memory, change: Change) -> list[Record]:
    """Return the memories of a user with the words of a change, of any kind."""
    terms, scope = _terms_of(change), memory.scope
    if not terms:
        return []
    rows = holders(reader, scope.org, scope.user, terms, limit=HOLDERS)
    nums = {num for some in rows if len(some) < HOLDERS for num in some}
    found = reader.find(Record, [Test("num", "in", tuple(sorted(nums)))], links=False) if nums else []
    return [record for record in found if record.memory.superseded_by is None and record.memory.id != memory.id]


def completed(change: Change, near: Iterable[Memory], others: Iterable[Memory]) -> tuple[str, list[Memory]] | None:
    """Return the whole text of an elliptical change, and the memory `near` it, or among `others`, that it replaces."""

    def completions(known: Iterable[Memory]) -> Iterator[tuple[str, list[Memory]]]:
        for old in known:
            for each in reversed(statements_in(old.content, old.stated_at)):
                if (value := last_value(change, each)) is not None:
                    yield replaced_text(change, each, value), [old]

    if (last := next(completions(near), None)) is not None or change.swap is None:
        return last
    whole = {olds[0].id: (text, olds) for text, olds in reversed([*completions(others)])}  # of each the last one
    return next(iter(whole.values())) if len(whole) == 1 else None


Known = Callable[[Sequence[Record], Callable[[str], bool]], Iterable[Memory]]
"""Returns the statements of records, without those that are only in texts that fail a test."""


def replaced(reader: Reader, change: Change, memory: Memory, known: Known) -> list[Memory]:
    """Return the known memories that a change replaces or ends; a fact with other clauses stays, unless derived."""
    if change.reading.is_vague or change.is_elliptical:  # "no wait, Thursday"
        return []
    records = earlier(reader, memory, change)
    facts = {each.memory.id: each.num for each in records if each.memory.kind is Kind.SEMANTIC}
    olds = _fitting(change, memory, records, known)
    derived = Test("relation", "eq", "derived_from")
    stated = {old.id: [Test("source", "eq", facts[old.id]), derived] for old in olds if old.id in facts}
    own = {name for name, tests in stated.items() if not reader.find(Edge, tests, limit=1)}
    return [old for old in olds if old.id not in own or not _says_more(change, memory, old)]


def _says_more(change: Change, memory: Memory, old: Memory) -> bool:
    """Return whether a memory has other clauses that a change does not concern: "Ana paints and Ben does judo"."""
    parts = [each for each in statements_in(old.content, old.stated_at) if each.part is not None]
    same = old.actor == memory.actor
    ended = [each for each in parts if fit(change, each, same_speaker=same) is not None]
    about = frozenset[str]().union(*(each.leading for each in ended))
    others = (each for each in parts if each not in ended and each.leading and not each.is_own)
    return bool(ended) and any(about.isdisjoint(each.leading) for each in others)


_LONGEST_CLOSED, _LONGEST_CLOSING = 300, 600  # characters of a memory that a change closes, and of one that makes it


def _fitting(change: Change, memory: Memory, records: Sequence[Record], known: Known) -> list[Memory]:
    """Return the statements of records that match a change best; none if they disagree in the value."""
    fits: list[tuple[Memory, Fit]] = []
    mentions, texts = _mentioning(change), {each.memory.id: each.memory.content for each in records}
    for old in known(records, mentions):
        if old.valid_from > memory.valid_from or old.id == memory.id or len(old.content) > _LONGEST_CLOSED:
            continue
        text = texts.get(old.id, old.content)
        if not mentions(text) or (change.cue == "obtained" and not has_any(old.content, "waiting_list")):
            continue
        same, readings = old.actor == memory.actor, statements_in(old.content, old.stated_at, text)
        found = (fit(change, reading, same_speaker=same) for reading in readings)
        distinct = {(each.old, each.extra): each for each in found if each is not None}  # of a sentence and its clauses
        fits += [(old, each) for each in distinct.values()]
    least = min((each.extra for _, each in fits), default=0)
    best = [pair for pair in fits if pair[1].extra == least]
    values = [(each.value,) if each.value is not None else each.reading.values for _, each in best]
    agree = all(len(one) == len(values[0]) and not any(map(differ, one, values[0])) for one in values)
    if agree and any(relative_named(change, each.reading) is not None for _, each in best):  # "my sister"
        every = (each for old in known(records, bool) for each in statements_in(old.content, old.stated_at))
        agree = len({name.low for each in every if (name := relative_named(change, each)) is not None}) < 2
    return [old for old, _ in best] if agree and len(best) <= MOST_REPLACED else []


def _terms_of(change: Change) -> list[str]:
    """Return index terms, in all languages, at least one of which an older statement contains."""
    if change.swap is not None:
        return sorted(index_terms(change.swap[0]))
    text, locale = change.reading.text, change.reading.locale
    words = [each for word in change.about for each in (word, *parts_of(word, locale))]
    words += [word._replace(low=root, root=root) for word in words for root in near_synonyms(word.root)]
    shown = [each for word in words for each in (*in_all_languages(word), *_forms().get(word.root, ()))]
    shown += [*change.before, *(one.low + other.low for one, other in pairwise(change.about))]  # "Alarmcode"
    named = {"works_at"} if change.cue == "exchanged" else change.reading.relations & {"lives_in"}  # in other words
    shown += [w.lstrip("+~=") for each in LOCALES.values() for name in named for w in each.concepts[name].split()]
    sorts = {key[0] for each in change.reading.states for key in keys_of(each)}
    shown += [word for sort in sorts for word in words_for(sort)]
    return sorted({term for each in (*shown, *compounds_of(change.about, text, locale)) for term in index_terms(each)})


def _mentioning(change: Change) -> Callable[[str], bool]:
    """Return a predicate whether a text names everything a change is about, a condition of any match."""
    locale, names = change.reading.locale, {word.start for word in change.reading.names}
    counts = any(each.kind is ValueKind.NUMBER for each in change.reading.values)  # "road 5": its word may be omitted
    things = [w for w in change.about if w.start not in names and not (counts and w is change.about[-1])]
    light = locale.price_nouns | TIME_NOUNS | action_forms(locale) | locale.light_verbs | locale.located | locale.trips
    things = [w for w in things if not (is_verb(w.low, "", locale) or concepts_of(w, locale) or w.low in light)]
    states, one = change.reading.states, slot_in(change.reading.text)
    things = [w for w in things if one is None or w.root in one[0]]
    things = [w for w in things if not (near_synonyms(w.root) or any(s.start <= w.start < s.stop for s in states))]
    shown = [{form for each in (w, *parts_of(w, locale)) for form in in_all_languages(each)} for w in things]
    needed = [[_plain(form)[: max(_BEGINNING, len(form) - _SUFFIX)] for form in forms] for forms in shown]

    def mentions(text: str) -> bool:
        plain = _plain(text)
        return all(any(form in plain for form in forms) for forms in needed)

    return mentions


def _plain(text: str) -> str:
    return text.lower().translate(_ACCENTS)


@cache
def _forms() -> dict[str, set[str]]:
    """Return the forms of verbs in all languages by their root."""
    found: dict[str, set[str]] = {}
    for locale in LOCALES.values():
        for verb, forms in locale.actions.items():
            found.setdefault(root(verb, LOCALES["en"]), {verb}).update(forms.split())
    return found
