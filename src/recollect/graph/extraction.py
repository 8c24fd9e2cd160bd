"""What a text names and states: the mentions of every pack, and the relations said between them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from recollect.entities import NAME, Mention, Named, Triple, family, name_key
from recollect.foreign import guard
from recollect.graph.causes import CAUSAL, causal_triples, may_cause
from recollect.graph.clauses import sentences_of
from recollect.graph.packs import Packs
from recollect.graph.relations import Roles, groups, stated, stated_same
from recollect.protocols import Domain

_CAUSES = 500  # of one text: a bound on what hostile text costs
_GUESSED = frozenset(("organization", "person"))  # types that are told by how a name looks, and by no table

READING = 2
"""How names are read in texts: with another number, `reindex` reads every text again."""


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was read in a text: its mentions in order, each name once, and the relations stated between entities.

    `same` holds pairs that the text says are one; somebody should look at those before they count.
    """

    mentions: tuple[Mention, ...] = ()
    triples: tuple[Triple, ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()


def extracted(text: str, *, domain: str, packs: Packs, known: Sequence[Mention] = ()) -> Extracted:
    """Return what the packs find in a text of a memory with the label `domain`; a pack that fails finds nothing.

    `known` are names that the store knew before: they count beside what the packs find.
    """
    named = _apart(text, [*known, *_found(text, domain, packs)])
    spoken = _unnamed(text, domain, packs) if named else []
    causal = domain in CAUSAL and may_cause(text)
    if len(named) + len(spoken) < 2 and not causal:
        return Extracted(tuple(_once(named)))
    sentences = list(sentences_of(text))
    several, roles = groups(text, named, sentences), Roles(set(), set())
    triples = list(stated(text, several, packs.sayings, roles))
    if causal:
        triples += islice(causal_triples(text, named, sentences), _CAUSES)
    same = dict.fromkeys(stated_same(text, several))
    if spoken:
        every, sure = _apart(text, spoken, beside=named), set(named)
        further = list(stated(text, groups(text, every, sentences), packs.sayings, roles, spoken))
        ends = {end for triple in further for end in (triple.source, triple.target)}
        named = [each for each in every if each in sure or (each.type, each.name) in ends]
        triples += further
    return Extracted(tuple(_once(named)), tuple(dict.fromkeys(triples)), tuple(same))


def mentioned(text: str, *, domain: str, packs: Packs) -> tuple[Mention, ...]:
    """Return the mentions alone, without what is spoken of without a name."""
    return tuple(_once(_apart(text, _found(text, domain, packs))))


def _found(text: str, domain: str, packs: Packs) -> list[Mention]:
    """Return the sound mentions of every pack: those that name something, lie in the text and count in it.

    What is told by its looks comes last: "Lazarus Group" looks like a firm, and a table says that it is none.
    """
    found: list[Mention] = []
    for pack, labels, what in packs.readers:
        read = guard(what, partial(_sound, text, pack))
        if read and domain in labels:
            found += read
        elif read:
            found += [mention for mention in read if mention.everywhere]
    return sorted(found, key=lambda each: each.type in _GUESSED)


def _unnamed(text: str, domain: str, packs: Packs) -> list[Mention]:
    """Return what the packs of the memory's own field find spoken of without a name, where they look for that."""
    return [
        mention
        for pack, labels, what in packs.readers
        if domain in labels and (look := getattr(pack, "phrases", None))
        for mention in guard(what, partial(look, text)) or ()
    ]


def _sound(text: str, pack: Domain) -> list[Mention]:
    """Return the pack's mentions that name something and lie in the text."""
    size = len(text)
    return [each for each in pack.extract(text) if 0 <= each.start < each.end <= size and each.name.strip()]


def _apart(text: str, mentions: Sequence[Mention], *, beside: Sequence[Mention] = ()) -> list[Mention]:
    """Return mentions that do not overlap, in order: those `beside`, typed ones before mere names, then the longest."""
    if len(mentions) < 2 and not beside:
        return list(mentions)
    taken, kept = bytearray(len(text)), list(beside)
    for mention in beside:
        taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
    for mention in sorted(mentions, key=lambda each: (each.type == NAME, each.start - each.end)):
        if taken.find(1, mention.start, mention.end) < 0:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    return sorted(kept, key=lambda each: each.start)


def _once(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Yield the first mention of each entity; a mere name that is also a typed one's is that one's."""
    written: dict[tuple[str, str], Mention] = {}
    for mention in mentions:
        written.setdefault((mention.type, mention.name), mention)
    keys = {named: (family(named[0]), name_key(*named)) for named in written}
    seen = {(NAME, key) for kind, key in keys.values() if kind != NAME}
    for named, mention in written.items():
        if keys[named][1] and keys[named] not in seen:
            seen.add(keys[named])
            yield mention
