"""What a memory is about: the names and relations read in its text, those of its fact, and those its writer stated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from recollect.entities import NAME, About, Entity, Mention, Named, Triple, family, name_key, relation_name
from recollect.graph.candidates import Candidate, candidates
from recollect.graph.extraction import extracted
from recollect.graph.packs import Packs
from recollect.graphrows import FACT, TEXT, TOLD
from recollect.models import Memory, Status

PAIRS = 12  # names of one memory up to which it says something that they stand together
MOST_ENTITIES = 64  # names that a memory shows; the graph knows them all
_SHORT = 4  # words of a part of a fact that was read in a text, up to which it is taken for a name
_UNTOLD = frozenset((NAME, "date", "event"))  # types that make no tag


@dataclass(frozen=True, slots=True)
class Seen:
    """What a memory is about.

    `triples` come with where they are from; `same` are names that the text calls one; `maybe` are spans that may be
    names which the store knows already.
    """

    named: tuple[Named, ...] = ()
    stated: tuple[Entity, ...] = ()
    triples: tuple[tuple[Triple, str], ...] = ()
    same: tuple[tuple[Named, Named], ...] = ()
    maybe: tuple[Candidate, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names that the memory shows, those its writer stated first."""
        told = [*(entity.name for entity in self.stated), *(named.name for named in self.named)]
        return tuple(dict.fromkeys(told))[:MOST_ENTITIES]

    @property
    def tags(self) -> tuple[str, ...]:
        """The types of its entities, for tags."""
        types = [*(entity.type for entity in self.stated), *(named.type for named in self.named)]
        return tuple(type_ for type_ in dict.fromkeys(types) if type_ not in _UNTOLD)

    @property
    def told(self) -> frozenset[Named]:
        """The entities that its writer stated outright."""
        stated = (Named(entity.type, entity.name) for entity in self.stated)
        triples = (triple for triple, origin in self.triples if origin == TOLD)
        return frozenset((*stated, *(end for triple in triples for end in (triple.source, triple.target))))

    @property
    def ends(self) -> tuple[Named, ...]:
        """Every entity that the memory is about, each once."""
        stated = (Named(entity.type, entity.name) for entity in self.stated)
        ends = (end for triple, _ in self.triples for end in (triple.source, triple.target))
        return tuple(dict.fromkeys((*self.named, *stated, *ends)))


NOTHING = Seen()
"""What a memory is about that names nothing, or that is not admitted."""


def seen(memory: Memory, packs: Packs, *, about: About | None = None, fact_given: bool = False) -> Seen:
    """Read what a memory is about; what is quarantined is not read.

    `fact_given` says that its fact is its writer's own: both ends are entities, however they look.
    """
    if memory.status is Status.QUARANTINED:
        return NOTHING
    found = extracted(memory.content, domain=memory.domain, packs=packs)
    named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
    triples = [(triple, TEXT) for triple in found.triples]
    stated = _of_fact(memory, named, fact_given)
    if stated is not None:
        triples.append((stated, FACT))
    if about is not None:
        triples += [(triple, TOLD) for triple in about.triples]
    maybe = candidates(memory.content, found.mentions)
    return Seen(named, about.entities if about is not None else (), tuple(triples), found.same, maybe)


def seen_again(before: Seen, memory: Memory, packs: Packs, known: Sequence[Mention]) -> Seen:
    """Read a text again with names in it that the store knew before; what was stated of it stays."""
    found = extracted(memory.content, domain=memory.domain, packs=packs, known=known)
    named = tuple(Named(mention.type, mention.name) for mention in found.mentions)
    triples = [(triple, TEXT) for triple in found.triples] + [each for each in before.triples if each[1] != TEXT]
    return Seen(named, before.stated, tuple(triples), found.same)


def _of_fact(memory: Memory, named: tuple[Named, ...], given: bool) -> Triple | None:
    """Return a memory's fact as a relation between two entities; None when an end of it is no name."""
    fact = memory.fact
    if fact is None:
        return None
    ends = []
    for part in (fact.subject, fact.object):
        known = next((each for each in named if name_key(each.type, each.name) == name_key(each.type, part)), None)
        if known is None and not (given or len(part.split()) <= _SHORT):
            return None
        ends.append(known or Named(NAME, part))
    keys = [(family(end.type), name_key(*end)) for end in ends]
    if keys[0] == keys[1] or not all(key for _, key in keys):
        return None
    return Triple(ends[0], relation_name(fact.predicate) or "related_to", ends[1])
