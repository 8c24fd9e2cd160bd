"""What a language model says a text states of who did what: held against the text before it is believed. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple

from recollect.entities import Mention, Named, Triple, family, name_key, relation_name
from recollect.graph.causes import phrase
from recollect.graph.clauses import asks, said_to_be_so, sentences_of

RELATIONS = frozenset(
    "affects affiliated_with attributed_to based_in causes communicates_with compromises conducts controls delivers "
    "develops downloads drops exfiltrates_to exploits hosts impersonates implements indicates located_at mitigates "
    "originates_from part_of participates_in patched precedes targets uses variant_of".split()
)
"""The relations of the graph that a model may state."""
WEIGHT = 0.6
"""How plainly a relation is stated that a model has read: less than one that a pattern found in the words."""
MOST = 12
_LOOKED_AT, _TIMES = 40, 8  # entries of an answer; places at which an end stands
_REACH = 400  # characters between two ends


class _End(NamedTuple):
    """Where an end of a triple stands in a text, and what it names there."""

    named: Named
    start: int
    end: int


def stated(said: Iterable[Any], text: str, mentions: Sequence[Mention]) -> tuple[Triple, ...]:
    """Return the triples whose relation the graph knows, and whose two ends a text names and relates plainly."""
    sentences = list(sentences_of(text))
    found: dict[tuple[tuple[str, str], str, tuple[str, str]], Triple] = {}
    for each in islice(said, _LOOKED_AT):
        triple = _founded(each, text, mentions, sentences)
        if triple is not None:
            found.setdefault((_key(triple.source), triple.relation, _key(triple.target)), triple)
    return tuple(found.values())[:MOST]


def _founded(
    said: object, text: str, mentions: Sequence[Mention], sentences: Sequence[tuple[int, int]]
) -> Triple | None:
    if not isinstance(said, Mapping):
        return None
    subject, relation, target = (said.get(name) for name in ("subject", "relation", "object"))
    if not (isinstance(subject, str) and isinstance(relation, str) and isinstance(target, str)):
        return None
    named = relation_name(relation)
    if named not in RELATIONS:
        return None
    ends = list(_places(target, text, mentions))
    for one in _places(subject, text, mentions):
        for other in ends:
            if _key(one.named) != _key(other.named) and _plainly(text, one, other, sentences):
                return Triple(one.named, named, other.named, WEIGHT)
    return None


def _key(named: Named) -> tuple[str, str]:
    return family(named.type), name_key(*named)


def _places(said: str, text: str, mentions: Sequence[Mention]) -> Iterator[_End]:
    """Yield where a text names what an end says: an entity under any name it has there, or a short phrase."""
    wanted = " ".join(said.split())
    if not name_key("name", wanted):
        return
    for each in mentions:
        if name_key(each.type, wanted) in (
            name_key(each.type, each.name),
            name_key(each.type, text[each.start : each.end]),
        ):
            surface = re.escape(text[each.start : each.end])
            found = re.finditer(rf"(?<!\w){surface}(?!\w)", text)
            yield from (_End(Named(each.type, each.name), at.start(), at.end()) for at in islice(found, _TIMES))
            return
    spaced = r"\s+".join(map(re.escape, wanted.split()))
    for at in islice(re.finditer(rf"(?<!\w){spaced}(?!\w)", text, re.IGNORECASE), _TIMES):
        around = (each for each in mentions if each.start <= at.start() and at.end() <= each.end)
        whole = next((Named(each.type, each.name) for each in around), None)  # a part of a name is said of all of it
        named = whole or phrase(text, at.start(), at.end(), mentions)
        if named is not None and name_key(*named):
            yield _End(Named(named.type, " ".join(named.name.split())), at.start(), at.end())


def _plainly(text: str, one: _End, other: _End, sentences: Sequence[tuple[int, int]]) -> bool:
    """Say whether two ends stand near each other where nothing is denied, asked or only possible."""
    first, second = sorted((one, other), key=lambda each: each.start)
    if first.end > second.start or second.start - first.end > _REACH:
        return False
    about = [(begin, end) for begin, end in sentences if begin < second.end and first.start < end]
    if not about or any(asks(text, end) for _, end in about):
        return False
    return said_to_be_so(text, about[0][0], first.end, second.start)
