"""What a text names and states: the mentions of every pack, and the relations said between them. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice

from recollect.entities import NAME, Mention, Named, Triple, family, name_key
from recollect.foreign import guard
from recollect.graph.causes import CAUSAL, causal_triples
from recollect.graph.packs import Packs, labels
from recollect.graph.relations import stated, stated_same
from recollect.protocols import Domain

_CAUSES = 500  # of one text: a bound on what hostile text costs


@dataclass(frozen=True, slots=True)
class Extracted:
    """What was read in a text: its mentions in order, each name once, and the relations stated between entities.

    `same` holds pairs that the text says are one; somebody should look at those before they count.
    """

    mentions: tuple[Mention, ...] = ()
    triples: tuple[Triple, ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()


def extracted(text: str, *, domain: str, packs: Packs) -> Extracted:
    """Return what the packs find in a text of a memory with the label `domain`; a pack that fails finds nothing."""
    every = _every(text, domain, packs)
    triples: list[Triple] = []
    same: list[tuple[Named, Named]] = []
    if len(every) > 1:
        triples += stated(text, every, packs.sayings)
        same += stated_same(text, every)
    if domain in CAUSAL:
        triples += islice(causal_triples(text, every), _CAUSES)
    return Extracted(tuple(_once(every)), tuple(dict.fromkeys(triples)), tuple(dict.fromkeys(same)))


def mentioned(text: str, *, domain: str, packs: Packs) -> tuple[Mention, ...]:
    """Return the mentions alone."""
    return tuple(_once(_every(text, domain, packs)))


def _every(text: str, domain: str, packs: Packs) -> list[Mention]:
    return _apart(text, [mention for pack in packs.packs for mention in _found(text, domain, pack)])


def _found(text: str, domain: str, pack: Domain) -> Iterator[Mention]:
    found = guard(f"The domain pack {pack.name!r}", partial(_sound, text, pack)) or []
    counts = domain in labels(pack)
    return (mention for mention in found if mention.everywhere or counts)


def _sound(text: str, pack: Domain) -> list[Mention]:
    """Return the pack's mentions that name something and lie in the text."""
    return [each for each in pack.extract(text) if 0 <= each.start < each.end <= len(text) and each.name.strip()]


def _apart(text: str, mentions: Sequence[Mention]) -> list[Mention]:
    """Return mentions that do not overlap, in order: typed ones before mere names, then the longest."""
    if len(mentions) < 2:
        return list(mentions)
    taken, kept = bytearray(len(text)), []
    for mention in sorted(mentions, key=lambda each: (each.type == NAME, each.start - each.end)):
        if taken.find(1, mention.start, mention.end) < 0:
            taken[mention.start : mention.end] = b"\1" * (mention.end - mention.start)
            kept.append(mention)
    return sorted(kept, key=lambda each: each.start)


def _once(mentions: Iterable[Mention]) -> Iterator[Mention]:
    """Yield the first mention of each entity; a mere name that is also a typed one's is that one's."""
    mentions = list(mentions)
    keys = [(family(each.type), name_key(each.type, each.name)) for each in mentions]
    typed = {key for kind, key in keys if kind != NAME}
    seen = {(NAME, key) for key in typed}
    for mention, key in zip(mentions, keys, strict=True):
        if key[1] and key not in seen:
            seen.add(key)
            yield mention
