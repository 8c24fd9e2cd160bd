"""Relations and causal statements between the names of a text."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import islice, pairwise
from typing import NamedTuple

from engrain.model.entities import NAME, Mention, Named, RelationPattern, Triple, family, relation_name
from engrain.text import pattern

# One set of characters begins every break, so that the search for them is a plain scan.
_BREAK = pattern(r"[.!?;\n\r](?:(?<=[.!?])([\"'”’)\]]*+\s++(?=[\"'“‘(\[]?[A-Z0-9]))|(?<=[\n\r])[\n\r]*|(?<=;))")
_ABBREVIATED = re.compile(
    r"\b(?:Dr|Mr|Mrs|Ms|Prof|St|Sr|Jr|vs|Inc|Ltd|Co|Corp|e\.g|i\.e|Jan|Feb|Mar|Apr|Aug|Sept?|Oct|Nov|Dec|No)\.$"
)

_DENIED = r"\b(?:not|never|neither|nor|no longer|no evidence|without|hardly|rather than|instead of|unlike)\b|n['’]t\b"
_OPEN = (
    r"\b(?:if|unless|whether|suppos(?:e|ing|edly)|assum(?:e|ing)|imagine|hypothetical(?:ly)?|allegedly"
    r"|might|could|would|should"
    r"|cannot|(?-i:may)(?!\s+\d)|perhaps|maybe|possibly|potentially|theoretically|rumou?r(?:s|ed)?|pretend(?:s|ed)?"
    r"|wants? to|hopes? to|plans? to|tried to|failed to|fails to|unable to|unclear|doubt(?:s|ed|ful)?|in case)\b"
)
_DENIED_AHEAD = (
    r"\b(?:no (?:evidence|indication|sign|proof|reason)|den(?:y|ies|ied)|doubts?|refut(?:es?|ed)"
    r"|false(?:ly)?|untrue|myth"
    r"|not true|not (?:believe|think|the case)|n['’]t (?:believe|think))\b"
)
_UNSURE_BETWEEN = pattern(f"{_DENIED}|{_OPEN}", re.IGNORECASE)
_UNSURE_AHEAD = pattern(f"{_DENIED_AHEAD}|{_OPEN}", re.IGNORECASE)
_NEAR = 160  # characters before a statement in which it can be taken back


def sentences_of(text: str) -> Iterator[tuple[int, int]]:
    """Yield where each sentence or line begins and ends."""
    start = 0
    for found in _BREAK.finditer(text):
        stop = found.start(1) if found[1] else found.start()
        if text[stop - 1 : stop] != "." or not _ABBREVIATED.search(text, max(start, stop - 6), stop):
            yield start, stop
            start = found.end()
    yield start, len(text)


def said_to_be_so(text: str, begin: int, first_end: int, second: int) -> bool:
    """Say whether what stands between two names, in a sentence from `begin` on, is stated plainly.

    It is not when it is denied, asked, only possible or depends on something.
    """
    if _UNSURE_BETWEEN.search(text, first_end, second):
        return False
    return not _UNSURE_AHEAD.search(text, max(begin, first_end - _NEAR), first_end)


def asks(text: str, end: int) -> bool:
    """Say whether the sentence that ends here is a question."""
    return text[max(0, end - 3) : end + 1].rstrip("\"'”’) \n").endswith("?")


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


CAUSAL = frozenset({"cti", "incident", "threat_intel"})
"""The labels of memories in which causes are read."""

EVENT = "event"
_CAUSES_STATED = 0.8
_CAUSES_MOST = 7  # words of a phrase that can stand for an event

_FORWARD = pattern(
    r"\s(?:(?:has|have|had|that|which|then|also|directly|ultimately|eventually)\s)*"
    r"(?:caused|causes|led to|leads to|resulted in|results in|triggered|triggers|gave rise to|brought about)\s",
    re.IGNORECASE,
)
_BACKWARD = pattern(
    r"\s(?:(?:is|was|were|are|has been|had been)\s+)?(?:because of|due to|caused by|triggered by"
    r"|as a result of|owing to|resulted from)\s",
    re.IGNORECASE,
)
_AFTER = pattern(r"^(?:shortly |soon |immediately |right )?(?:after|following)\s([^,;.]{3,80}),\s", re.IGNORECASE)
_HINT = pattern(
    r"caus|led to|leads to|result|trigger|gave rise|brought about|due to|owing to|After|after|Following|following"
)
_SENTENCES = 1000  # that may tell of causes and are looked at
_PER_SENTENCE = 8
_STOP = pattern(
    r"[,;:()\[\]\"“”]|\s[–—-]\s|\b(?:and|but|which|that|who|when|while|because|after|before|so|then"
    r"|where|by|from|according|via)\b",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\s]+")
_EMPTY = re.compile(
    r"^(?:it|this|that|they|he|she|we|i|you|these|those|which|what|there|them|him|her|us|one|all|some|both)$",
    re.IGNORECASE,
)
_VERB = re.compile(r"\b(?:is|was|were|are|has|have|had|will|did|does|do|can|be|been|being)\b", re.IGNORECASE)
_LEADING = re.compile(r"^(?:the|a|an|this|these|those|its|their|his|her|our)\s+", re.IGNORECASE)


def may_cause(text: str) -> bool:
    """Say whether a text has a word of those by which causes are told."""
    return _HINT.search(text) is not None


def causal_triples(text: str, mentions: Sequence[Mention], sentences: Iterable[tuple[int, int]]) -> Iterator[Triple]:
    """Yield `causes` and `precedes` between what sentences name as cause and effect; mentions are in order."""
    place = looked = 0
    for begin, end in sentences:
        while place < len(mentions) and mentions[place].end <= begin:
            place += 1
        if end - begin < 8 or not _HINT.search(text, begin, end) or asks(text, end):
            continue
        looked += 1
        if looked > _SENTENCES:
            return
        inside = [mention for mention in mentions[place : place + 40] if mention.start < end]
        yield from _in_sentence(text, (begin, end), inside)


def _in_sentence(text: str, bounds: tuple[int, int], mentions: Sequence[Mention]) -> Iterator[Triple]:
    begin, end = bounds
    for expression, forward in ((_FORWARD, True), (_BACKWARD, False)):
        for found in islice(expression.finditer(text, begin, end), _PER_SENTENCE):
            left = _before(text, begin, found.start(), mentions)
            right = _after(text, found.end(), end, mentions)
            if (
                left
                and right
                and left != right
                and said_to_be_so(text, begin, max(begin, found.start() - 30), found.end())
            ):
                source, target = (left, right) if forward else (right, left)
                yield Triple(source, "causes", target, _CAUSES_STATED)
    if opening := _AFTER.search(text[begin : min(end, begin + 200)]):
        first = phrase(text, begin + opening.start(1), begin + opening.end(1), mentions)
        second = _after(text, begin + opening.end(), end, mentions)
        if first and second and first != second and said_to_be_so(text, begin, begin + opening.start(1), end):
            yield Triple(first, "precedes", second, _CAUSES_STATED)


def _before(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    begin = max(begin, end - 120)
    for stop in _STOP.finditer(text, begin, end):
        begin = stop.end()
    return phrase(text, begin, end, mentions)


def _after(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    end = min(end, begin + 120)
    if stop := _STOP.search(text, begin, end):
        end = stop.start()
    return phrase(text, begin, end, mentions)


def phrase(text: str, begin: int, end: int, mentions: Sequence[Mention]) -> Named | None:
    """Return what a stretch of text names: the entity it is, or an event; None where it is no short phrase."""
    words = _WORD.findall(text, begin, end)
    if not words or _EMPTY.match(words[0]):
        return None
    inside = [mention for mention in mentions if begin <= mention.start and mention.end <= end]
    whole = _LEADING.sub("", text[begin:end].strip(" \t.,!\"'"))
    for mention in inside:
        if mention.type != NAME and len(whole) - (mention.end - mention.start) <= 12:
            return Named(mention.type, mention.name)
    if len(words) > _CAUSES_MOST or _VERB.search(whole) or len(whole) < 3:
        return None
    return Named(EVENT, whole)
