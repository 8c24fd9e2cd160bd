"""Relations and causal statements between the names of a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from functools import cache
from itertools import islice, pairwise
from typing import NamedTuple

from engrain.language.locales import LOCALES
from engrain.language.polarity import asks, is_stated
from engrain.model.entities import NAME, Mention, Named, RelationPattern, Triple, family, relation_name
from engrain.text import pattern

ENGLISH = LOCALES["en"]

_SAID = "(?P<said>"
_AFTER_SPACE = "\\s+"
_LITERAL = re.compile(r"[a-z][a-z0-9]+(?![?*{])")


class Saying(NamedTuple):
    """One way: its expression, and the first two letters that one of the words between must begin with, if known."""

    pattern: RelationPattern
    expression: re.Pattern[str]
    openings: frozenset[str] | None
    left: tuple[str, ...]
    right: tuple[str, ...]

    def verb(self, found: re.Match[str]) -> int:
        """Return where what is said begins."""
        return found.start("said" if "said" in self.expression.groupindex else 0)


class Sayings:
    """The ways in which relations are said, by the types of the names they are said of; the first that fits counts.

    A pattern's group `said`, if it has one, is the verb: no fitting third name may stand between it and either end.
    """

    def __init__(self, patterns: Iterable[RelationPattern]) -> None:
        self._all = [_saying(each) for each in patterns]
        self._of: dict[tuple[str, str], tuple[Saying, ...]] = {}

    def of(self, first: str, second: str, between: str) -> Sequence[Saying]:
        """Return those that may stand between names of two types in these words."""
        if (known := self._of.get((first, second))) is None:
            known = tuple(each for each in self._all if fits(first, each.left) and fits(second, each.right))
            self._of[first, second] = known
        if not known:
            return ()
        openings = {word[:2] for word in between.casefold().split()}
        return [each for each in known if each.openings is None or not each.openings.isdisjoint(openings)]


def fits(type_: str, types: tuple[str, ...]) -> bool:
    """Say whether a type is among those wanted, of which none means any."""
    return not types or type_ in types


def _saying(pattern: RelationPattern) -> Saying:
    left, right = pattern.source_types, pattern.target_types
    if pattern.inverse:
        left, right = right, left
    return Saying(pattern, re.compile(pattern.match, re.IGNORECASE), _openings(pattern.match), left, right)


def _openings(match: str) -> frozenset[str] | None:
    """Return the two letters that each alternative of what is said begins with, None where one begins otherwise."""
    before, marked, rest = match.partition(_SAID)
    found = set()
    for alternative in _alternatives(rest) if marked and before.endswith(_AFTER_SPACE) else ("",):
        if not (literal := _LITERAL.match(alternative)):
            return None
        found.add(literal[0][:2])
    return frozenset(found)


def _alternatives(rest: str) -> list[str]:
    """Return the alternatives of the group whose inside a text begins with; a group that one begins with is opened."""
    found, depth, start = [], 0, 0
    for place, sign in enumerate(rest):
        if rest[place - 1 : place] == "\\":
            continue
        if sign == "(":
            depth += 1
        if depth == 0 and sign in "|)":
            found.append(rest[start:place])
            start = place + 1
        if sign == ")":
            depth -= 1
            if depth < 0:
                break
    opened = []
    for each in found:
        closed = _closing(each)
        opened += _alternatives(each[3:]) if each.startswith("(?:") and closed else [each]
    return opened


def _closing(each: str) -> bool:
    """Say whether the group that a text begins with must be there: nothing after it makes it optional."""
    depth = 0
    for place, sign in enumerate(each):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return each[place + 1 : place + 2] not in ("?", "*", "{")
    return False


REACH = 140  # characters between two names that may be related by what stands there
_AHEAD = 6  # names after one that it may be related to
_AHEAD_OF_PHRASES = 3
_RELATIONS_MOST = 60  # names of a sentence that are looked at
_PAIRS = 10_000  # pairs of names of a text that are: a bound on what hostile text costs
_RELATIONS_STATED = 0.9  # how plainly a pattern says so; a fact given by hand weighs 1

_NOT_RELATIVE = rf"(?!(?:{'|'.join(sorted(ENGLISH.relatives))})\b)"
_FURTHER = pattern(rf"(?:and|,)\s+{_NOT_RELATIVE}", re.IGNORECASE)
_APPOSED = pattern(rf"\s*,\s+{_NOT_RELATIVE}")


@cache
def _list() -> re.Pattern[str]:
    """Return the expression of what joins two names of a list."""
    joined = "|".join(ENGLISH.joined | ENGLISH.list_words)
    determiners = "|".join(ENGLISH.articles | ENGLISH.determiners | ENGLISH.list_words)
    return re.compile(
        rf"^[\"'”’)]*(?:\s*\([^()]{{0,40}}\))?\s*(?:,|/|;|&|\b(?:{ENGLISH.listing})\b)(?:\s*(?:(?:{joined})\b|&))?"
        rf"(?:\s+(?:{determiners})\b)?(?:\s+(?!(?:{ENGLISH.further_verbs})\b)[a-z][\w-]*){{0,2}}\s*[\"'“‘(]*$"
    )


@cache
def _same() -> re.Pattern[str]:
    return re.compile(rf"^[\"'”’)]*\s*[,(]*\s*(?:{ENGLISH.also_known_as})[\"'“‘(]*$", re.IGNORECASE)


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
            found.append(Group(list(mentions[low : min(high, low + _RELATIONS_MOST)]), begin, end))
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
        if not is_stated(self._text, self._begin, self.names[place].end, self.names[other].start):
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
                    yield Triple(ends[0], relation, ends[1], _RELATIONS_STATED)

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
            if not 2 < len(between) <= REACH or not _same().match(between):
                continue
            if is_stated(text, begin, first.end, second.start):
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
    return high.start - low.end <= 60 and _list().match(text[low.end : high.start]) is not None


def _comparable(first: Mention, second: Mention) -> bool:
    families = {family(first.type), family(second.type)}
    return families <= _ALIKE and (len(families) == 1 or NAME in families) and _named(first) != _named(second)


def _named(mention: Mention) -> Named:
    return Named(mention.type, mention.name)


CAUSAL = frozenset({"cti", "incident", "threat_intel"})
"""The labels of memories in which causes are read."""

EVENT = "event"
_CAUSES_STATED = 0.8
_CAUSES_MOST = 7  # words of a phrase that can stand for an event


@cache
def _causal() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return what stands between cause and effect, between effect and cause, what opens a sentence, and any of them."""
    return (
        re.compile(rf"\s(?:{ENGLISH.causes})\s", re.IGNORECASE),
        re.compile(rf"\s(?:{ENGLISH.caused_by})\s", re.IGNORECASE),
        re.compile(rf"^(?:{ENGLISH.preceded_by})\s([^,;.]{{3,80}}),\s", re.IGNORECASE),
        re.compile(ENGLISH.cause_hints),
    )


_SENTENCES = 1000  # that may tell of causes and are looked at
_PER_SENTENCE = 8
_WORD = re.compile(r"[^\s]+")


@cache
def _edges() -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    """Return what ends a phrase, what no phrase is, the verbs that none has, and what it begins with for nothing."""
    stops = "|".join(ENGLISH.coordinating | ENGLISH.subordinating | ENGLISH.cause_ends)
    empty = "|".join(
        ENGLISH.first_person
        | ENGLISH.third_person
        | ENGLISH.pointing
        | ENGLISH.subjects
        | ENGLISH.partial
        | ENGLISH.no_causes
    )
    verbs = "|".join(filter(str.isalpha, ENGLISH.auxiliaries | ENGLISH.auxiliary_forms | ENGLISH.copulas))
    leading = "|".join(ENGLISH.articles | ENGLISH.determiners)
    return (
        re.compile(rf"[,;:()\[\]\"“”]|\s[–—-]\s|\b(?:{stops})\b", re.IGNORECASE),
        re.compile(rf"^(?:{empty})$", re.IGNORECASE),
        re.compile(rf"\b(?:{verbs})\b", re.IGNORECASE),
        re.compile(rf"^(?:{leading})\s+", re.IGNORECASE),
    )


def may_cause(text: str) -> bool:
    """Say whether a text has a word of those by which causes are told."""
    return _causal()[3].search(text) is not None


def causal_triples(text: str, mentions: Sequence[Mention], sentences: Iterable[tuple[int, int]]) -> Iterator[Triple]:
    """Yield `causes` and `precedes` between what sentences name as cause and effect; mentions are in order."""
    place = looked = 0
    for begin, end in sentences:
        while place < len(mentions) and mentions[place].end <= begin:
            place += 1
        if end - begin < 8 or not _causal()[3].search(text, begin, end) or asks(text, end):
            continue
        looked += 1
        if looked > _SENTENCES:
            return
        inside = [mention for mention in mentions[place : place + 40] if mention.start < end]
        yield from _in_sentence(text, (begin, end), inside)


def _in_sentence(text: str, bounds: tuple[int, int], mentions: Sequence[Mention]) -> Iterator[Triple]:
    begin, end = bounds
    causes, caused_by, preceded_by, _ = _causal()
    for expression, forward in ((causes, True), (caused_by, False)):
        for found in islice(expression.finditer(text, begin, end), _PER_SENTENCE):
            left = _before(text, begin, found.start(), mentions)
            right = _after(text, found.end(), end, mentions)
            if left and right and left != right and is_stated(text, begin, max(begin, found.start() - 30), found.end()):
                source, target = (left, right) if forward else (right, left)
                yield Triple(source, "causes", target, _CAUSES_STATED)
    if opening := preceded_by.search(text[begin : min(end, begin + 200)]):
        first = phrase(text, begin + opening.start(1), begin + opening.end(1), mentions)
        second = _after(text, begin + opening.end(), end, mentions)
        if first and second and first != second and is_stated(text, begin, begin + opening.start(1), end):
            yield Triple(first, "precedes", second, _CAUSES_STATED)


def _before(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    begin = max(begin, end - 120)
    for stop in _edges()[0].finditer(text, begin, end):
        begin = stop.end()
    return phrase(text, begin, end, mentions)


def _after(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    end = min(end, begin + 120)
    if stop := _edges()[0].search(text, begin, end):
        end = stop.start()
    return phrase(text, begin, end, mentions)


def phrase(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    """Return what a stretch of text names: the entity it is, or an event; None where it is no short phrase."""
    words = _WORD.findall(text, begin, end)
    if not words or _edges()[1].match(words[0]):
        return None
    inside = [mention for mention in mentions if begin <= mention.start and mention.end <= end]
    whole = _edges()[3].sub("", text[begin:end].strip(" \t.,!\"'"))
    for mention in inside:
        if mention.type != NAME and len(whole) - (mention.end - mention.start) <= 12:
            return Named(mention.type, mention.name)
    if len(words) > _CAUSES_MOST or _edges()[2].search(whole) or len(whole) < 3:
        return None
    return Named(EVENT, whole)
