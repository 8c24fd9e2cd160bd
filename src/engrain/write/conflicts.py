"""What a new memory does to those that are known: the stages of conflict resolution after the exact one. Pure.

    2 slot      a single-valued predicate holds one value: the newer in event time closes the older
    3 similar   close by cosine: linked, never merged
    4 markers   "no longer", "is now", "actually": closes what it plainly ends or corrects
    5 verdict   a decider's judgement, which stands above 2 to 4

Nothing here reads a store. A memory is closed only by one that may: active, trusted as much, and seen by everybody who
sees the old one. Where it may not, or where a marker leaves room for doubt, both stay and the new one waits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

from engrain.config import ZONES, Settings
from engrain.engine import Engine
from engrain.language.comparison import Relation, compare, same_statement
from engrain.model.choices import WriteStatus
from engrain.model.memory import Fact, Kind, Memory, Slot, Status, slot
from engrain.model.results import Decision
from engrain.write.prepare import Prepared, stated

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
