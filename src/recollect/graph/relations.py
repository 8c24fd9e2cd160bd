"""Relations stated between the names of a text: what stands between two of them, held against patterns. Pure."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

from recollect.entities import NAME, Mention, Named, RelationPattern, Triple, family, relation_name
from recollect.graph.clauses import asks, said_to_be_so, sentences_of
from recollect.patterns import pattern

REACH = 140  # characters between two names that may be related by what stands there
_AHEAD = 6  # names after one that it may be related to
_MOST = 60  # names of a sentence that are looked at
_PAIRS = 8000  # pairs of names of a text that are: a bound on what hostile text costs
_STATED = 0.9  # how plainly a pattern says so; a fact given by hand weighs 1

_LIST = pattern(
    r"^[\"'”’)]*(?:\s*\([^()]{0,40}\))?\s*(?:,|/|;|&|\band\b|\bor\b|\bplus\b|\bas well as\b|\balong with\b)"
    r"(?:\s*(?:and|or|also|&))?(?:\s+(?:the|a|an|its|their|then))?(?:\s+[a-z][\w-]*){0,2}\s*[\"'“‘(]*$"
)
_SAME = pattern(
    r"^[\"'”’)]*\s*[,(]*\s*(?:(?:is|was|are|which is|who is)\s+)?(?:(?:also|previously|formerly"
    r"|otherwise|better|sometimes|\w{1,20} is)\s+)?"
    r"(?:a\.?k\.?a\.?|(?:commonly |publicly |widely )?(?:known|tracked|referred to|identified|dubbed"
    r"|named|designated|called)"
    r"(?:\s+(?:by\s+[\w .]{1,30}?\s+)?as)?|alias)[,:]?\s+(?:the\s+)?(?:name\s+)?[\"'“‘(]*$",
    re.IGNORECASE,
)
_Saying = tuple[re.Pattern[str], RelationPattern]
_ALIKE = {"actor", "software", "campaign", "person", "organization", "cve", NAME}


class Sayings:
    """The ways in which relations are said, by the types of the names they are said of; the first that fits counts.

    A pattern's group `said`, if it has one, is the verb: no fitting third name may stand between it and either end.
    """

    def __init__(self, patterns: Iterable[RelationPattern]) -> None:
        self._all = [(re.compile(each.match, re.IGNORECASE), each) for each in patterns]
        self._of: dict[tuple[str, str], tuple[_Saying, ...]] = {}

    def of(self, first: str, second: str) -> tuple[_Saying, ...]:
        """Return those that may stand between names of two types."""
        if (found := self._of.get((first, second))) is None:
            found = tuple(
                (expression, each)
                for expression, each in self._all
                if _fits(first, _left(each)) and _fits(second, _right(each))
            )
            self._of[first, second] = found
        return found


def stated(text: str, mentions: Sequence[Mention], sayings: Sayings) -> Iterator[Triple]:
    """Yield the relations that sentences state between mentions, which are in order and do not overlap."""
    looked = 0
    for group, begin, end in _by_sentence(text, mentions):
        if asks(text, end):
            continue
        for place, other in _pairs(group):
            looked += 1
            first, second = group[place], group[other]
            found = _relation(text, group[place : other + 1], sayings.of(first.type, second.type))
            if found and said_to_be_so(text, begin, first.end, second.start):
                yield from _spread(text, group, (place, other), found)
            if looked > _PAIRS:
                return


def _pairs(group: Sequence[Mention]) -> Iterator[tuple[int, int]]:
    """Yield the places of two names near enough to each other."""
    for place, first in enumerate(group):
        for other in range(place + 1, min(place + 1 + _AHEAD, len(group))):
            if group[other].start - first.end > REACH:
                break
            yield place, other


def stated_same(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[Named, Named]]:
    """Yield the pairs of names that a sentence says are one."""
    for group, begin, end in _by_sentence(text, mentions):
        for first, second in pairwise(group):
            between = text[first.end : second.start]
            if len(between) > REACH or not _SAME.search(between):
                continue
            if said_to_be_so(text, begin, first.end, second.start) and not asks(text, end):
                for other in _listed(text, group, group.index(second), 1):
                    if _comparable(first, other):
                        yield _named(first), _named(other)


def _by_sentence(text: str, mentions: Sequence[Mention]) -> Iterator[tuple[list[Mention], int, int]]:
    """Yield the mentions of each sentence that has at least two, and where it begins and ends."""
    starts = [mention.start for mention in mentions]
    for begin, end in sentences_of(text):
        low, high = bisect_left(starts, begin), bisect_left(starts, end)
        if high - low > 1:
            yield list(mentions[low : min(high, low + _MOST)]), begin, end


def _relation(text: str, span: Sequence[Mention], sayings: Iterable[_Saying]) -> RelationPattern | None:
    """Return the first pattern that says how the two outer mentions relate."""
    first, *inner, second = span
    between = text[first.end : second.start]
    joined = between.rfind(" and ") + 4  # where a second thing is said of the first name
    parts = [(0, between), (joined, between[joined:])] if joined > 3 else [(0, between)]
    for expression, candidate in sayings:
        for skipped, part in parts:
            found = expression.search(part)
            if found:
                verb = found.start("said") if "said" in expression.groupindex else found.start()
                if not _another(candidate, inner, first.end + skipped, first.end + skipped + verb):
                    return candidate
    return None


def _another(candidate: RelationPattern, inner: Sequence[Mention], begin: int, verb: int) -> bool:
    """Say whether a name nearer to the verb, in the text from `begin` on, takes an outer one's place."""
    left, right = _left(candidate), _right(candidate)
    return any(_fits(other.type, left if other.start < verb else right) for other in inner if other.start >= begin)


def _spread(text: str, group: Sequence[Mention], ends: tuple[int, int], found: RelationPattern) -> Iterator[Triple]:
    """Yield the triple, and the same for whatever is listed beside its ends."""
    place, other = ends
    relation = relation_name(found.relation)
    left, right = _left(found), _right(found)
    firsts = [each for each in _listed(text, group, place, -1) if _fits(each.type, left)]
    seconds = [each for each in _listed(text, group, other, 1) if _fits(each.type, right)]
    for first in firsts:
        for second in seconds:
            source, target = (second, first) if found.inverse else (first, second)
            if _named(source) != _named(target):
                yield Triple(_named(source), relation, _named(target), _STATED)


def _listed(text: str, group: Sequence[Mention], place: int, step: int) -> list[Mention]:
    """Return a mention and those that a list joins to it, going one way."""
    found = [group[place]]
    while 0 <= place + step < len(group):
        low, high = (group[place], group[place + 1]) if step > 0 else (group[place - 1], group[place])
        if high.start - low.end > 60 or not _LIST.search(text[low.end : high.start]):
            break
        place += step
        found.append(group[place])
    return found


def _left(pattern: RelationPattern) -> tuple[str, ...]:
    return pattern.target_types if pattern.inverse else pattern.source_types


def _right(pattern: RelationPattern) -> tuple[str, ...]:
    return pattern.source_types if pattern.inverse else pattern.target_types


def _fits(type_: str, types: tuple[str, ...]) -> bool:
    return not types or type_ in types


def _comparable(first: Mention, second: Mention) -> bool:
    families = {family(first.type), family(second.type)}
    return families <= _ALIKE and (len(families) == 1 or NAME in families) and _named(first) != _named(second)


def _named(mention: Mention) -> Named:
    return Named(mention.type, mention.name)
