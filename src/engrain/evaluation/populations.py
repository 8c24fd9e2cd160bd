"""Statements made up from a seed that can all be true at once: nothing that is written of them may close another."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from random import Random
from typing import Any

from engrain.text import normalise

NEGATED = "pairs that differ by a negation"
"""The one population whose statements may wait for a verdict: they contradict each other."""

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
_THREATS = (
    "{group} uses {tool}.",
    "{group} targets {sector} in {city}.",
    "{tool} exploits {cve}.",
    "{group} was seen using {technique} against {sector}.",
    "{tool} implements {technique}.",
    "{group} shares servers with {other}.",
    "{cve} affects {product} {number}.",
    "{product} {number} ships a fix for {cve}.",
    "{group} delivers {tool} by e-mail to {sector}.",
    "{tool} talks to 10.{low}.{number}.7 over port {port}.",
)
_FIGURES = (
    "Patient {n} is allergic to latex.",
    "The locker code is {n}.",
    "Ticket {n} was opened by the night shift.",
    "Invoice {n} is paid.",
    "The pump in hall {n} leaks.",
    "Order {n} ships on Friday.",
)
_OF_ONE = (
    "{s} keeps bees.",
    "{s} is allergic to latex.",
    "{s} signed the contract.",
    "{s} leads the choir.",
    "{s} was born in June.",
    "{s} lives in Lisbon.",
    "{s} works at Hollis Mills.",
)
_DENIED = (
    ("{s} eats meat.", "{s} does not eat meat."),
    ("{s} has a driving licence.", "{s} has no driving licence."),
    ("{s} can swim.", "{s} cannot swim."),
    ("{s} likes the new office.", "{s} doesn't like the new office."),
    ("The {t} sensor is calibrated.", "The {t} sensor is not calibrated."),
    ("The {t} service retries failed calls.", "The {t} service never retries failed calls."),
)
_SINGLE = (
    ("lives_in", "{s} lives in {o}.", CITIES),
    ("works_at", "{s} works at {o}.", "Abel & Sons,Corvid Labs,Hollis Mills,Ostara,Pike Foods,Quill Press".split(",")),
    ("job_title", "{s} works as a {o}.", "baker,clerk,dentist,nurse,pilot,surveyor,teacher,welder".split(",")),
    ("age", "{s} is {o} years old.", [str(age) for age in range(19, 80)]),
    ("birthday", "{s}'s birthday is {o}.", [f"{day} May" for day in range(1, 31)]),
    ("timezone", "{s}'s time zone is UTC+{o}.", [str(hour) for hour in range(1, 12)]),
    ("phone", "{s}'s phone number is +31 20 555 {o}.", [str(end) for end in range(1000, 9999, 37)]),
)
_HARMLESS = (  # what is known, and what sounds like a change and ends nothing of it
    ("{s} drinks tea.", "{s} no longer drinks coffee."),
    ("{s} likes fish.", "{s} stopped eating meat."),
    ("{s} lives in {c}.", "{s} moved to the back row."),
    ("{s} works at Pike Foods.", "{s} switched to a window seat."),
    ("{s} plays the violin.", "{s} used to play the cello."),
    ("{s} is a nurse.", "{s} is now a godmother too."),
    ("{s} likes {f}.", "Actually, {s} likes jazz as well."),
    ("{s} owns a van.", "{s} replaced the tyres of the trailer."),
    ("{s} has visited {c}.", "{s} has stopped visiting trade fairs."),
    ("{s} speaks Danish.", "{s} is now learning Greek."),
    ("{s}'s sister lives in {c}.", "{s} has moved to Tallinn."),
    ("{s}'s brother is 30 years old.", "{s} turned 34."),
    ("{s} runs on Sundays.", "{s} changed the oil of the mower."),
    ("{s} prefers aisle seats on trains.", "{s} now prefers window seats on planes."),
)
_WORDS = """agenda archive autumn basket bridge candle cargo cedar cellar charter copper corridor courier draft ferry
filter garage glacier hammer harbour hedge index island jacket kettle ladder lantern ledger marble meadow mirror needle
orchard parcel pebble permit pillar planet quarry rafter ribbon rocket saddle shelter signal sketch stable stove tailor
tunnel valley vessel voyage wallet weaver willow window winter workshop""".split()
_NOTES = (
    "Remember that the {0} by the {1} needs a new {2} before the {3} is opened",
    "We talked about the {0}, the {1} and how the {2} came to {c}",
    "Idea: let the {0} carry the {1}, and put a {2} where the {3} was",
    "The {0} was late again because of the {1}; nobody had told the {2}",
    "note to self - {0} {1} {2}, ask {s} about the {3}",
)


class Coiner:
    """Names that belong to nobody, each given once."""

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
class Said:
    """A statement of a population, as arguments of `remember`."""

    population: str
    item: Mapping[str, Any]


def compatible(count: int, seed: int) -> list[Said]:
    """Return about `count` statements of all populations, mixed, no two with the same words."""
    rng = Random(seed)
    each = max(count // len(_POPULATIONS), 2)
    found: dict[str, Said] = {}
    for name, make in _POPULATIONS.items():
        items, had = make(rng, Coiner(rng)), len(found)
        while len(found) < had + each:
            for item in next(items):
                found.setdefault(normalise(item["content"]), Said(name, {"kind": "semantic", **item}))
    said = list(found.values())
    rng.shuffle(said)
    return said


Items = Iterator[list[dict[str, Any]]]


def _fact(rng: Random, item: dict[str, Any], *fact: str) -> dict[str, Any]:
    """Give a statement its fact in so many words, or leave it to be read."""
    return {**item, "fact": fact} if rng.random() < 0.5 else item


def _people(rng: Random, coin: Coiner) -> Items:
    while True:
        person = coin.person()
        known = [(name, text, thing) for name, text, things in _MANY for thing in rng.sample(things, 4)]
        for name, text, thing in rng.sample(known, 20):
            yield [_fact(rng, {"content": text.format(s=person, o=thing)}, person, name, thing)]


def _threats(rng: Random, coin: Coiner) -> Items:
    groups, tools, products = ([coin.word() for _ in range(count)] for count in (40, 5, 8))
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


def _digits(rng: Random, coin: Coiner) -> Items:
    while True:
        figure = str(rng.randrange(1000, 10_000))
        other = figure[:2] + figure[:1:-1]
        yield [{"content": rng.choice(_FIGURES).format(n=n)} for n in {figure: 0, other: 0}]


def _names(rng: Random, coin: Coiner) -> Items:
    while True:
        first, last, text = coin.word(), coin.word(), rng.choice(_OF_ONE)
        near = rng.choice("BDFGKLMNPRSTVZ") + last[1:]
        yield [{"content": text.format(s=f"{first} {name}")} for name in (last, near)]


def _negated(rng: Random, coin: Coiner) -> Items:
    while True:
        person, thing = coin.person(), coin.word(3).lower()
        yield [{"content": text.format(s=person, t=thing)} for text in rng.choice(_DENIED)]


def _single_valued(rng: Random, coin: Coiner) -> Items:
    while True:
        person = coin.person()
        for name, text, values in rng.sample(_SINGLE, 3):
            value = rng.choice(values)
            yield [_fact(rng, {"content": text.format(s=person, o=value)}, person, name, value)]


def _harmless(rng: Random, coin: Coiner) -> Items:
    while True:
        person, city, food = coin.person(), rng.choice(CITIES), rng.choice(_FOODS)
        yield [{"content": text.format(s=person, c=city, f=food)} for text in rng.choice(_HARMLESS)]


def _notes(rng: Random, coin: Coiner) -> Items:
    while True:
        words = rng.sample(_WORDS, 4)
        yield [{"content": rng.choice(_NOTES).format(*words, c=rng.choice(CITIES), s=coin.word())}]


_POPULATIONS: Mapping[str, Callable[[Random, Coiner], Items]] = {
    "people, predicates, objects": _people,
    "threats sharing names": _threats,
    "pairs that differ in digits": _digits,
    "pairs that differ in a name": _names,
    NEGATED: _negated,
    "one value each, many subjects": _single_valued,
    "words of change that end nothing": _harmless,
    "free notes": _notes,
}
