"""Made-up statements that can all be true at once: what the library closes, loses or holds back of them is an error.

The statements come from a seed. What real conversations close may be right: it is listed for a person to judge.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from random import Random
from typing import Any, ClassVar, TypeAlias

from engrain import Decision, Memory, MemoryManager, Remembered, Status
from engrain.text import normalise, shorten

NEGATED = "pairs that differ by a negation"
"""The one population whose statements may wait for a verdict: they contradict each other."""

PHRASES: Mapping[str, Any] = tomllib.loads(Path(__file__).with_name("phrases.toml").read_text(encoding="utf-8"))


def lines_of(text: str) -> list[str]:
    """Return the lines of a text of `PHRASES`."""
    return text.strip().splitlines()


CITIES = """Aarhus Bergen Bristol Cairo Cork Dakar Denver Dresden Galway Geneva Ghent Graz Hanoi Izmir Kyoto Leeds Lima
Lyon Malmo Nairobi Oslo Perth Porto Quito Riga Seville Turin Utrecht Vienna Zagreb""".split()
_FOODS = (
    "almonds barley beans celery cheese eggs fish garlic honey kiwi lentils milk mustard nuts oats plums rye".split()
)
_THINGS = "bicycle boat cello drone garden kayak loom piano tent telescope van violin".split()
_TONGUES = "Arabic Basque Czech Danish Finnish Greek Hindi Korean Polish Swahili Thai Welsh".split()
_MANY = (  # predicate, sentence, what it takes
    ("likes", "{s} likes {o}.", _FOODS),
    ("speaks", "{s} speaks {o}.", _TONGUES),
    ("allergic_to", "{s} is allergic to {o}.", _FOODS),
    ("visited", "{s} has visited {o}.", CITIES),
    ("owns", "{s} owns a {o}.", _THINGS),
    ("plays", "{s} plays chess in {o}.", CITIES),
    ("studies", "{s} is studying {o}.", _TONGUES),
    ("cooks", "{s} cooks with {o} on Sundays.", _FOODS),
)
_SECTORS = "airlines banks clinics grids hotels insurers ministries ports retailers schools telcos universities".split()
_SINGLE = (
    ("lives_in", "{s} lives in {o}.", CITIES),
    ("works_at", "{s} works at {o}.", "Abel & Sons,Corvid Labs,Hollis Mills,Ostara,Pike Foods,Quill Press".split(",")),
    ("job_title", "{s} works as a {o}.", "baker,clerk,dentist,nurse,pilot,surveyor,teacher,welder".split(",")),
    ("age", "{s} is {o} years old.", [str(age) for age in range(19, 80)]),
    ("birthday", "{s}'s birthday is {o}.", [f"{day} May" for day in range(1, 31)]),
    ("timezone", "{s}'s time zone is UTC+{o}.", [str(hour) for hour in range(1, 12)]),
    ("phone", "{s}'s phone number is +31 20 555 {o}.", [str(end) for end in range(1000, 9999, 37)]),
)
_PHRASES = PHRASES["statements"]
_THREATS, _FIGURES, _OF_ONE, _NOTES = (
    lines_of(_PHRASES[name]) for name in ("threats", "figures", "of_one_person", "notes")
)
_DENIED, _HARMLESS = ([line.split(" | ") for line in lines_of(_PHRASES[name])] for name in ("denied", "harmless"))
_NOUNS = _PHRASES["nouns"].split()


class UniqueNames:
    """Random names, each given once."""

    def __init__(self, rng: Random) -> None:
        self._rng, self._given = rng, set[str]()

    def word(self, syllables: int = 2) -> str:
        """Return a capitalised word that was not given before."""
        while True:
            pick = self._rng.choice
            stem = "".join(pick("bdfghklmnprstvz") + pick("aeiou") for _ in range(syllables)) + pick("lmnrsx")
            if stem not in self._given:
                self._given.add(stem)
                return stem.capitalize()

    def person(self) -> str:
        """Return a first name and a surname."""
        return f"{self.word()} {self.word()}"


@dataclass(frozen=True, slots=True)
class Statement:
    """A statement of a population, as arguments of `remember`."""

    population: str
    item: Mapping[str, Any]


def compatible(count: int, seed: int) -> list[Statement]:
    """Return about `count` statements of all populations, mixed, no two with the same words."""
    rng = Random(seed)
    each = max(count // len(_POPULATIONS), 2)
    found: dict[str, Statement] = {}
    for name, make in _POPULATIONS.items():
        items, before = make(rng, UniqueNames(rng)), len(found)
        while len(found) < before + each:
            for item in next(items):
                found.setdefault(normalise(item["content"]), Statement(name, {"kind": "semantic", **item}))
    statements = list(found.values())
    rng.shuffle(statements)
    return statements


Items: TypeAlias = Iterator[list[dict[str, Any]]]


def _fact(rng: Random, item: dict[str, Any], *fact: str) -> dict[str, Any]:
    """Return the item with its fact given explicitly, or without, so that it has to be extracted."""
    return {**item, "fact": fact} if rng.random() < 0.5 else item


def _people(rng: Random, names: UniqueNames) -> Items:
    while True:
        person = names.person()
        known = [(name, text, thing) for name, text, things in _MANY for thing in rng.sample(things, 4)]
        for name, text, thing in rng.sample(known, 20):
            yield [_fact(rng, {"content": text.format(s=person, o=thing)}, person, name, thing)]


def _threats(rng: Random, names: UniqueNames) -> Items:
    groups, tools, products = ([names.word() for _ in range(count)] for count in (40, 5, 8))
    while True:
        group, other = rng.sample(groups, 2)
        text = rng.choice(_THREATS).format(
            group=group,
            other=other,
            tool=rng.choice(tools),
            product=rng.choice(products),
            sector=rng.choice(_SECTORS),
            city=rng.choice(CITIES),
            technique=f"T1{rng.randrange(1, 600):03}",
            cve=f"CVE-20{rng.randrange(19, 26)}-{rng.randrange(1000, 40000)}",
            number=rng.randrange(1, 90),
            low=rng.randrange(1, 250),
            port=rng.randrange(1000, 9999),
        )
        yield [{"content": text}]


def _digits(rng: Random, names: UniqueNames) -> Items:
    while True:
        figure = str(rng.randrange(1000, 10_000))
        other = figure[:2] + figure[:1:-1]
        yield [{"content": rng.choice(_FIGURES).format(n=n)} for n in {figure: 0, other: 0}]


def _names(rng: Random, names: UniqueNames) -> Items:
    while True:
        first, last, text = names.word(), names.word(), rng.choice(_OF_ONE)
        near = rng.choice("BDFGKLMNPRSTVZ") + last[1:]
        yield [{"content": text.format(s=f"{first} {name}")} for name in (last, near)]


def _negated(rng: Random, names: UniqueNames) -> Items:
    while True:
        person, thing = names.person(), names.word(3).lower()
        yield [{"content": text.format(s=person, t=thing)} for text in rng.choice(_DENIED)]


def _single_valued(rng: Random, names: UniqueNames) -> Items:
    while True:
        person = names.person()
        for name, text, values in rng.sample(_SINGLE, 3):
            value = rng.choice(values)
            yield [_fact(rng, {"content": text.format(s=person, o=value)}, person, name, value)]


def _harmless(rng: Random, names: UniqueNames) -> Items:
    while True:
        person, city, food = names.person(), rng.choice(CITIES), rng.choice(_FOODS)
        yield [{"content": text.format(s=person, c=city, f=food)} for text in rng.choice(_HARMLESS)]


def _notes(rng: Random, names: UniqueNames) -> Items:
    while True:
        words = rng.sample(_NOUNS, 4)
        yield [{"content": rng.choice(_NOTES).format(*words, c=rng.choice(CITIES), s=names.word())}]


_POPULATIONS: Mapping[str, Callable[[Random, UniqueNames], Items]] = {
    "people, predicates, objects": _people,
    "threats sharing names": _threats,
    "pairs that differ in digits": _digits,
    "pairs that differ in a name": _names,
    NEGATED: _negated,
    "one value each, many subjects": _single_valued,
    "words of change that end nothing": _harmless,
    "free notes": _notes,
}


# ----------------------------------------------------------------------------------------------------------- outcomes

TURNS, SENTENCES = "turns of conversations", "their sentences, one by one"
_REAL = (TURNS, SENTENCES)
_SHOWN = 160  # characters of a text in a report


@dataclass(frozen=True, slots=True)
class Written:
    """A statement, its population, and the outcome of the write."""

    population: str
    item: Mapping[str, Any]
    outcome: Remembered


@dataclass(frozen=True, slots=True)
class Clash:
    """A memory that another closed or contradicts, and the decision on the other."""

    old: str
    new: str
    stage: str
    reason: str

    def lines(self) -> list[str]:
        """Return it as lines of text."""
        old, new = (shorten(text, _SHOWN) for text in (self.old, self.new))
        return [f"      {old}", f"   <- {new}", f"      {self.stage}: {self.reason}"]


@dataclass(slots=True)
class PopulationFigures:
    """The figures of one population with one embedder.

    `closings` are memories that no read returns any more, `losses` texts that nothing returns, `waits` memories held
    back for a verdict, `quarantined` counts those taken for an attack.
    """

    population: str
    embedder: str
    written: int = 0
    distinct: int = 0
    quarantined: int = 0
    closings: list[Clash] = field(default_factory=list)
    waits: list[Clash] = field(default_factory=list)
    losses: list[str] = field(default_factory=list)

    HEAD: ClassVar[str] = (
        f"{'':36}{'embedder':>16}{'written':>9}{'distinct':>10}{'closed':>8}{'lost':>6}{'waiting':>9}{'quarantined':>13}"
    )

    @property
    def sound(self) -> bool:
        """Whether nothing was lost, and of what was made up nothing closed."""
        return not self.losses and (not self.closings or self.population in _REAL)

    @property
    def counts(self) -> dict[str, int]:
        """How many were closed, lost and made to wait."""
        return {"closed": len(self.closings), "lost": len(self.losses), "waiting": len(self.waits)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain JSON types, with the share of distinct texts that were closed."""
        rate = len(self.closings) / self.distinct if self.distinct else 0.0
        return {**asdict(self), **self.counts, "false_supersede_rate": rate}

    def lines(self) -> list[str]:
        """Return the row, and below it what was closed or lost, or waits and should not."""
        closed, lost, waiting = self.counts.values()
        counts = f"{closed:>8,}{lost:>6,}{waiting:>9,}{self.quarantined:>13,}"
        name = self.embedder.partition(":")[0][:15]
        shown = [f"{self.population:36}{name:>16}{self.written:>9,}{self.distinct:>10,}{counts}"]
        for what, clashes in (("closed", self.closings), ("waiting", [] if self.population == NEGATED else self.waits)):
            shown += [f"    {what}:"] if clashes else []
            shown += [line for clash in clashes for line in clash.lines()]
        return [*shown, *(f"    lost: {shorten(text, _SHOWN)}" for text in self.losses)]


class Tally:
    """The figures of each population with one embedder, over several scopes."""

    def __init__(self, embedder: str) -> None:
        self._embedder = embedder
        self._populations: dict[str, PopulationFigures] = {}

    def add(self, view: MemoryManager, written: Sequence[Written]) -> None:
        """Count what became of everything that was written in one scope."""
        kept = {memory.id: memory for memory in view.iter_memories(status="all")}
        decisions = {one.outcome.id: one.outcome.decision for one in reversed(written)}
        seen: set[str] = set()
        for one in written:
            figures = self._populations.setdefault(one.population, PopulationFigures(one.population, self._embedder))
            figures.written += 1
            text = normalise(one.item["content"])
            if text in seen:
                continue
            seen.add(text)
            figures.distinct += 1
            listed, found = kept.get(one.outcome.id), view.get(one.outcome.id)
            if listed is None or found is None or not normalise(listed.content) == normalise(found.content) == text:
                figures.losses.append(one.item["content"])
                continue
            _count(figures, listed, kept, decisions)

    def figures(self) -> list[PopulationFigures]:
        """Return the figures of each population."""
        return [figures for _, figures in sorted(self._populations.items())]


def _count(
    figures: PopulationFigures, memory: Memory, kept: Mapping[str, Memory], decisions: Mapping[str, Decision]
) -> None:
    if memory.superseded_by is not None or memory.believed_until is not None or memory.valid_until is not None:
        by = kept.get(memory.superseded_by or "", memory)
        decision = decisions.get(by.id, decisions[memory.id])  # what is derived in a write has none of its own
        figures.closings.append(Clash(memory.content, by.content, decision.stage, decision.reason))
    if memory.is_contested:
        others = [kept[link.memory_id].content for link in memory.links if link.relation == "contradicts"]
        decision = decisions[memory.id]
        figures.waits.append(Clash(" / ".join(others), memory.content, decision.stage, decision.reason))
    figures.quarantined += memory.status is Status.QUARANTINED
