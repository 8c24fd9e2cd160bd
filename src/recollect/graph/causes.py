"""What a report says led to what: causal triples between short noun phrases. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice

from recollect.entities import NAME, Mention, Named, Triple
from recollect.graph.clauses import asks, said_to_be_so
from recollect.patterns import pattern

CAUSAL = frozenset({"cti", "incident", "threat_intel"})
"""The labels of memories in which causes are read."""

EVENT = "event"
_STATED = 0.8
_MOST = 7  # words of a phrase that can stand for an event

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
                yield Triple(source, "causes", target, _STATED)
    if opening := _AFTER.search(text[begin : min(end, begin + 200)]):
        first = phrase(text, begin + opening.start(1), begin + opening.end(1), mentions)
        second = _after(text, begin + opening.end(), end, mentions)
        if first and second and first != second and said_to_be_so(text, begin, begin + opening.start(1), end):
            yield Triple(first, "precedes", second, _STATED)


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
    if len(words) > _MOST or _VERB.search(whole) or len(whole) < 3:
        return None
    return Named(EVENT, whole)
