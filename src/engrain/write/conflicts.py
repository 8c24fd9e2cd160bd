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

from engrain.config import ZONES, Settings
from engrain.language.analyzer import analyzer
from engrain.language.comparison import Relation, compare, same_statement
from engrain.language.statements import Statement
from engrain.model.choices import WriteStatus
from engrain.model.memory import Fact, Kind, Memory, Slot, SourceType, Status, slot
from engrain.model.results import Decision
from engrain.protocols import Judgement

EXACT, SLOT, SIMILAR, MARKERS, VERDICT = "1 exact", "2 slot", "3 similar", "4 markers", "5 verdict"
EXPLICIT = "explicit id"
MAX_RELATED = 3
SHOWN = 5  # neighbours named in a decision
INHERITED, MOST_INHERITED = 0.95, 0.95
_PLACES = ("lives_in", "located_in", "address")
_ROLES = ("assistant", "system", "tool")


@dataclass(frozen=True, slots=True)
class Rules:
    """What the settings say about conflicts; `cold` and `near` are cosines."""

    single_valued: frozenset[str]
    cold: float
    near: float
    settings: Settings

    @classmethod
    def of(cls, settings: Settings, embedder: str | None) -> Rules:
        """Return the rules for vectors of one embedder."""
        zones = _zones(settings.zones, embedder or "")
        return cls(_compared(tuple(settings.single_valued)), zones["cold"], zones["near"], settings)

    def stated(self, memory: Memory) -> Statement:
        """Return what a known memory's text states."""
        return stated(self.settings, memory)


@lru_cache(64)
def _compared(predicates: tuple[str, ...]) -> frozenset[str]:
    return frozenset(slot(Fact("x", name, "x")).predicate for name in predicates)


def _zones(zones: Mapping[str, object], embedder: str) -> Mapping[str, float]:
    """Return the zones of an embedder: those under the longest name that its id begins with, else the common ones."""
    named = [name for name, zone in zones.items() if isinstance(zone, Mapping) and embedder.startswith(name)]
    chosen = zones[max(named, key=len)] if named else zones
    assert isinstance(chosen, Mapping)
    return {**ZONES, **{name: value for name, value in chosen.items() if isinstance(value, int | float)}}


def stated(settings: Settings, memory: Memory) -> Statement:
    """Return what a memory's text states."""
    return analyzer().statement(memory.content, speaker=speaker(memory), languages=settings.languages)


UNREAD = Statement("")
"""What is read in a text that nobody may act on."""


def speaker(memory: Memory) -> str | None:
    """Return who says "I" in a memory: its actor, else the user; nobody for what the machine said."""
    if memory.actor is None or memory.actor == "user":
        said_by_user = memory.actor == "user" or memory.source.type is not SourceType.TOOL_RESULT
        return memory.scope.user if said_by_user else None
    return None if memory.actor in _ROLES else memory.actor


@dataclass(frozen=True, slots=True)
class Versions:
    """What is known of a slot: the `live` values at the new memory's time, and its place among the others in time.

    `later` begins next after it; `before` is the version that held when it begins. `ending` hold still and end of
    themselves before it begins.
    """

    live: tuple[Memory, ...] = ()
    later: Memory | None = None
    before: Memory | None = None
    ending: tuple[Memory, ...] = ()


@dataclass(frozen=True, slots=True)
class Near:
    """A live memory near the new one, and their cosine if both have vectors."""

    memory: Memory
    cosine: float | None = None


@dataclass(frozen=True, slots=True)
class New:
    """The memory that is written, what it states, and what its writer may do.

    `authority` is the application's own: it closes what is trusted more, too. `target` is a memory that its writer
    named; `judgement` a decider's verdict on it, `judged` the memory that the verdict is about. `read` says
    that its fact was read in its text and not given. `viewer` is the agent in whose view it is written, where it is
    not that agent's own.
    """

    memory: Memory
    statement: Statement
    authority: bool = False
    target: Memory | None = None
    judgement: Judgement | None = None
    judged: Memory | None = None
    reason: str = ""
    read: bool = False
    viewer: str | None = None

    @property
    def agent(self) -> str | None:
        """The agent whose own memories it may meet beside the common ones; None for those of all agents."""
        return self.memory.scope.agent or self.viewer


@dataclass(frozen=True, slots=True)
class Known:
    """What the new memory is compared with; `ended` are live memories whose fact its text says holds no longer."""

    versions: Versions = Versions()
    ended: tuple[Memory, ...] = ()
    near: tuple[Near, ...] = ()
    compared: bool = True  # False when there was no vector to compare by


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

    @property
    def changes_nothing(self) -> bool:
        """Nobody else is touched by it, nor linked with it."""
        touched = (*self.closes, *self.contests, *self.supports, *self.related)
        return not touched and self.later is None and not self.archived


def resolve(new: New, known: Known, rules: Rules) -> Resolution:
    """Return the decision of the first stage that has one; the similar are linked whatever it is."""
    shown = _shown(known.near)
    links = _links(new, known, rules)
    found = (
        _explicit(new)
        or (_judged(new) if new.judged is not None else None)
        or (_added(new) if new.judgement is not None and new.judgement.operation == "ADD" else None)
        or _by_slot(new, known.versions, rules)
        or _by_markers(new, known, rules)
    )
    if found is not None and found.decision.kind == "supersede" and found.decision.stage in (EXPLICIT, VERDICT):
        slot_too = _by_slot(new, known.versions, rules)  # the other values of its fact give way to it all the same
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


def barrier(new: New, old: Memory) -> str:
    """Return why the new memory may not close the old one; "" when it may."""
    if new.memory.status is not Status.ACTIVE:
        return "it waits itself"
    if new.memory.scope.agent not in (None, old.scope.agent):
        return "others see the older one and would not see this"
    if not new.authority and new.memory.trust < old.trust - 1e-9:
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


def _settled(new: New, olds: Sequence[Memory], stage: str, reason: str, *, corrected: bool = False) -> Resolution:
    """Close the older ones, or, when one of them may not be closed, leave all as they are and wait."""
    named = ", ".join(old.id for old in olds)
    barred = next((why for old in olds if (why := barrier(new, old))), "")
    if barred:
        decision = Decision("pending", stage, f"contradicts {named}: {barred}")
        return Resolution(decision, "pending", contests=tuple(olds), corrected=corrected)
    status: WriteStatus = "corrected" if corrected else "updated"
    return Resolution(Decision("supersede", stage, f"{reason} {named}"), status, tuple(olds), corrected)


# ------------------------------------------------------------------------------------------------------------- stages


def _explicit(new: New) -> Resolution | None:
    if new.target is None:
        return None
    return _settled(new, [new.target], EXPLICIT, _said("its writer says it takes the place of", new.reason))


def _added(new: New) -> Resolution:
    reason = new.judgement.reason if new.judgement is not None else ""
    return Resolution(Decision("add", VERDICT, _said("judged to be new", reason)))


def _judged(new: New) -> Resolution:
    assert new.judgement is not None
    assert new.judged is not None
    reason, old = new.judgement.reason, new.judged
    if new.judgement.operation == "NOOP":
        decision = Decision("duplicate", VERDICT, _said(f"judged to be said by {old.id}", reason))
        return Resolution(decision, "noop", supports=(old,), archived=True)
    corrected = new.judgement.operation == "DELETE"
    word = "judged to correct" if corrected else "judged to update"
    return _settled(new, [old], VERDICT, _said(word, reason), corrected=corrected)


def _said(what: str, reason: str) -> str:
    return f"{reason}: {what}" if reason else what


def _by_slot(new: New, known: Versions, rules: Rules) -> Resolution | None:
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


def _names_another(new: New, mine: Slot, others: Sequence[Memory]) -> bool:
    """Say whether a fact read in a text says that a value ended which is not the one that is known.

    A move says which slot it is about whatever place it names; "left Rome for Oslo" is no job if Rome never was one.
    """
    gone = [slot(each) for each in new.statement.ended if slot(each)[:2] == mine[:2]]
    if not new.read or mine.predicate in _PLACES or not gone:
        return False
    return not any(_agree(each, old) for each in gone for old in others)


def _supported(agreeing: tuple[Memory, ...]) -> Resolution:
    named = ", ".join(old.id for old in agreeing[:MAX_RELATED])
    return Resolution(Decision("add", SLOT, f"says in other words what {named} says"), supports=agreeing[:MAX_RELATED])


def _after(new: New, mine: Slot, ending: Sequence[Memory]) -> Resolution | None:
    """Follow what ends of itself before the new one begins; where it may not be followed, the two stand unlinked."""
    olds = [old for old in ending if not _agree(mine, old) and not barrier(new, old)]
    olds = [old for old in olds if new.memory.confidence >= old.confidence]
    if not olds or _names_another(new, mine, olds):
        return None
    return _settled(new, olds, SLOT, "one value at a time, and this begins after the end of")


def _late(new: New, mine: Slot, known: Versions) -> Resolution:
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


def _by_markers(new: New, known: Known, rules: Rules) -> Resolution | None:
    statement = new.statement
    if new.memory.kind is not Kind.SEMANTIC:
        return None
    if known.ended:
        reason = "says that this holds no longer:"
        return _settled(new, known.ended, MARKERS, reason, corrected=statement.correction and not statement.change)
    if not (statement.change or statement.correction or statement.negation):
        return None
    related = [
        (near.memory, compare(statement, rules.stated(near.memory)))
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


@dataclass(frozen=True, slots=True)
class _Links:
    supports: tuple[Memory, ...]
    related: tuple[Memory, ...]
    reason: str


def _links(new: New, known: Known, rules: Rules) -> _Links | None:
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


def _shown(near: Sequence[Near]) -> tuple[tuple[str, float], ...]:
    cosines = [(found.memory.id, round(found.cosine, 4)) for found in near if found.cosine is not None]
    return tuple(sorted(cosines, key=lambda pair: -pair[1])[:SHOWN])
