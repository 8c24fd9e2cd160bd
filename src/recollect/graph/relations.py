"""Relations stated between the names of a text: what stands between two of them, held against patterns. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

from recollect.entities import NAME, Mention, Named, Triple, family, relation_name
from recollect.graph.clauses import asks, said_to_be_so
from recollect.graph.sayings import Saying, Sayings, fits
from recollect.patterns import pattern

REACH = 140  # characters between two names that may be related by what stands there
_AHEAD = 6  # names after one that it may be related to
_AHEAD_OF_PHRASES = 3
_MOST = 60  # names of a sentence that are looked at
_PAIRS = 10_000  # pairs of names of a text that are: a bound on what hostile text costs
_STATED = 0.9  # how plainly a pattern says so; a fact given by hand weighs 1

_DOES = (  # what makes "and" join a second thing that is done, and not a second name
    "us(?:es|ed)|exploit(?:s|ed)|target(?:s|ed)|deploy(?:s|ed)|drop(?:s|ped)|deliver(?:s|ed)|download(?:s|ed)"
    "|attack(?:s|ed)|compromised?|develop(?:s|ed)|creates?|created|installs?|installed|distributes?|distributed"
    "|communicates?|communicated|targeting|using|exploiting|deploying|works|worked|lives|lived|moved|joined|founded"
)
_FURTHER = pattern(r"(?:and|,)\s+(?!which\b|that\b|who\b|whose\b|where\b)", re.IGNORECASE)
_APPOSED = pattern(r"\s*,\s+(?!which\b|that\b|who\b)")
_LIST = pattern(
    r"^[\"'”’)]*(?:\s*\([^()]{0,40}\))?\s*(?:,|/|;|&|\band\b|\bor\b|\bplus\b|\bas well as\b|\balong with\b)"
    r"(?:\s*(?:and|or|also|&))?(?:\s+(?:the|a|an|its|their|then))?"
    rf"(?:\s+(?!(?:{_DOES})\b)[a-z][\w-]*){{0,2}}\s*[\"'“‘(]*$"
)
_SAME = pattern(
    r"^[\"'”’)]*\s*[,(]*\s*(?:(?:is|was|are|which is|who is)\s+)?(?:(?:also|previously|formerly"
    r"|otherwise|better|sometimes|\w{1,20} is)\s+)?"
    r"(?:a\.?k\.?a\.?|(?:commonly |publicly |widely )?(?:known|tracked|referred to|identified|dubbed"
    r"|named|designated|called)"
    r"(?:\s+(?:by\s+[\w .]{1,30}?\s+)?as)?|alias)[,:]?\s+(?:the\s+)?(?:name\s+)?[\"'“‘(]*$",
    re.IGNORECASE,
)
_ALIKE = {"actor", "software", "campaign", "person", "organization", "cve", NAME}


class Group(NamedTuple):
    """The names of one sentence, in order, and where it begins and ends."""

    mentions: list[Mention]
    begin: int
    end: int


def groups(text: str, mentions: Sequence[Mention], sentences: Iterable[tuple[int, int]]) -> list[Group]:
    """Return the sentences that have at least two of the mentions and are no questions; mentions are in order."""
    starts, found = [mention.start for mention in mentions], []
    for begin, end in sentences:
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        if high - low > 1 and not asks(text, end):
            found.append(Group(list(mentions[low : min(high, low + _MOST)]), begin, end))
    return found


class Roles(NamedTuple):
    """Where the names stand of which a sentence has said that they did something, and that something was done to."""

    subjects: set[int]
    objects: set[int]


def stated(
    text: str,
    sentences: Sequence[Group],
    sayings: Sayings,
    roles: Roles,
    phrases: Collection[Mention] = (),
) -> Iterator[Triple]:
    """Yield the relations that sentences state between names; given `phrases`, those between a name and one of them."""
    unnamed = {phrase.start for phrase in phrases}
    wanted, ahead = (1, _AHEAD_OF_PHRASES) if phrases else (0, _AHEAD)
    looked = 0
    for sentence in sentences:
        clause = _Clause(text, sentence, sayings, roles)
        names = clause.names
        for place, other in clause.pairs(ahead):
            if (names[place].start in unnamed) + (names[other].start in unnamed) != wanted:
                continue
            looked += 1
            if said := clause.saying(place, other):
                yield from clause.related(place, other, said)
            if looked > _PAIRS:
                return


class _Clause:
    """A sentence as it is read from left to right: which of its names did something, and to which it was done."""

    def __init__(self, text: str, sentence: Group, sayings: Sayings, roles: Roles) -> None:
        self._text, self._begin, self._sayings = text, sentence.begin, sayings
        self.names = _owned(text, sentence.mentions)
        self._roles = roles

    def pairs(self, ahead: int) -> Iterator[tuple[int, int]]:
        """Yield the places of two names near enough to each other."""
        names = self.names
        for place, first in enumerate(names):
            for other in range(place + 1, min(place + 1 + ahead, len(names))):
                if names[other].start - first.end > REACH:
                    break
                yield place, other

    def related(self, place: int, other: int, said: Saying) -> Iterator[Triple]:
        """Yield the triple that two names are said to be in, and the same for what is listed beside them."""
        if not said_to_be_so(self._text, self._begin, self.names[place].end, self.names[other].start):
            return
        lefts, rights = self._listed(place, -1), self._listed(other, 1)
        self._roles.subjects.update(self.names[left].start for left in lefts)
        self._roles.objects.update(self.names[right].start for right in rights)
        relation = relation_name(said.pattern.relation)
        for left in lefts:
            for right in rights:
                source, target = (right, left) if said.pattern.inverse else (left, right)
                ends = _named(self.names[source]), _named(self.names[target])
                fit = fits(self.names[left].type, said.left) and fits(self.names[right].type, said.right)
                if fit and ends[0] != ends[1]:
                    yield Triple(ends[0], relation, ends[1], _STATED)

    def saying(self, place: int, other: int) -> Saying | None:
        """Return the first way in which it is said that two names relate."""
        first, second = self.names[place], self.names[other]
        between = self._text[first.end : second.start]
        sayings = self._sayings.of(first.type, second.type, between)
        if not sayings:
            return None
        parts = [(start, between[start:]) for start in self._joints(place, between)]
        for saying in sayings:
            for skipped, part in parts:
                found = saying.expression.search(part)
                if found:
                    begin = first.end + skipped
                    if not self._another(saying, (place, other), begin, begin + saying.verb(found)):
                        return saying
        return None

    def _joints(self, place: int, between: str) -> Iterator[int]:
        """Yield where, between two names, something begins that is said of the first: at once, or as a further thing.

        Of a name to which something was done nothing further is said: that is said of who did it.
        """
        at = self.names[place].start
        if at not in self._roles.objects or not _APPOSED.match(between):
            yield 0
        if at not in self._roles.objects:
            joined, listed = between.rfind(" and "), between.rfind(", ")
            if joined >= 0 and _FURTHER.match(between, joined + 1):
                yield joined + 4
            if at in self._roles.subjects and listed >= 0 and _FURTHER.match(between, listed):
                yield listed + 1

    def _another(self, saying: Saying, ends: tuple[int, int], begin: int, verb: int) -> bool:
        """Say whether a name nearer to the verb, in the text from `begin` on, takes an outer one's place."""
        inner = self.names[ends[0] + 1 : ends[1]]
        return any(
            fits(each.type, saying.left if each.start < verb else saying.right) for each in inner if each.start >= begin
        )

    def _listed(self, place: int, step: int) -> list[int]:
        """Return the places of a name and of those that a list joins to it, going one way."""
        found = [place]
        while 0 <= place + step < len(self.names):
            low, high = sorted((place, place + step))
            if not _lists(self._text, self.names[low], self.names[high]):
                break
            place += step
            found.append(place)
        return found


def _owned(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Return the names without those that only tell whose the next one is: of "Russia's GRU", GRU is spoken of."""
    kept = [first for first, second in pairwise(mentions) if text[first.end : second.start] not in ("'s ", "’s ")]
    return [*kept, mentions[-1]]


def stated_same(text: str, sentences: Iterable[Group]) -> Iterator[tuple[Named, Named]]:
    """Yield the pairs of names that a sentence says are one."""
    for mentions, begin, _ in sentences:
        for place, (first, second) in enumerate(pairwise(mentions)):
            between = text[first.end : second.start]
            if not 2 < len(between) <= REACH or not _SAME.match(between):
                continue
            if said_to_be_so(text, begin, first.end, second.start):
                for other in _beside(text, mentions, place + 1):
                    if _comparable(first, other):
                        yield _named(first), _named(other)


def _beside(text: str, mentions: Sequence[Mention], place: int) -> Iterator[Mention]:
    """Yield a name and those that a list joins to it."""
    yield mentions[place]
    for low, high in pairwise(mentions[place:]):
        if not _lists(text, low, high):
            return
        yield high


def _lists(text: str, low: Mention, high: Mention) -> bool:
    return high.start - low.end <= 60 and _LIST.match(text[low.end : high.start]) is not None


def _comparable(first: Mention, second: Mention) -> bool:
    families = {family(first.type), family(second.type)}
    return families <= _ALIKE and (len(families) == 1 or NAME in families) and _named(first) != _named(second)


def _named(mention: Mention) -> Named:
    return Named(mention.type, mention.name)
