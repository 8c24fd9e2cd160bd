"""A map of relations without a model: what the graph and the facts of memories say of the things in the evidence."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from recollect.entities import NAME, Relationship, name_key
from recollect.graph.lens import BESIDE
from recollect.patterns import pattern
from recollect.synthesis.offline.brief import in_time, telling, whole
from recollect.synthesis.offline.question import Asked
from recollect.synthesis.offline.telling import ranked
from recollect.synthesis.parts import Evidence, Tie, Told
from recollect.synthesis.passages import lines
from recollect.words import is_stop, query_terms

_DENIES = pattern(
    r"(?i)\b(?:not|never|no\s+longer|any\s*more|used\s+to|former(?:ly)?|neither|\w+n['’]t|cannot|kein\w*|nicht|ne\s+\w+\s+pas)\b"
)
_TIES = 40
_BESIDES = 15  # of them those that say no more than that both are named together
_ENTITIES = 60
_SENTENCES = 2


def relation_map(asked: Asked, evidence: Evidence, relationships: Sequence[Relationship]) -> Told:
    """Return the relations that the quoted memories bear out, the question's own first, and who they join."""
    ties = _ties(asked, evidence, relationships)
    candidates = ranked(asked, evidence)
    bearing = {place for tie in ties for place in tie.quotes}
    lead = in_time(telling([each for each in candidates if each.place in bearing] or candidates, _SENTENCES))
    return Told(lead or whole(evidence), entities=_entities(evidence, ties), ties=ties)


def _ties(asked: Asked, evidence: Evidence, relationships: Sequence[Relationship]) -> tuple[Tie, ...]:
    places = {quote.memory.id: place for place, quote in enumerate(evidence.quotes)}
    held = list(_held([*_of_facts(evidence), *_of_graph(relationships, places)], evidence))
    stated = [tie for tie in held if tie.relation != BESIDE]
    merged = _merged(stated)
    joined = {frozenset((_key(tie.source), _key(tie.target))) for tie in merged}
    beside = [
        tie
        for tie in _merged([tie for tie in held if tie.relation == BESIDE])
        if frozenset((_key(tie.source), _key(tie.target))) not in joined
    ]
    terms = frozenset(asked.terms)

    def order(tie: Tie) -> tuple[bool, int]:
        return terms.isdisjoint(query_terms(f"{tie.source} {tie.target}")), -len(tie.quotes)

    return (*sorted(merged, key=order)[:_TIES], *sorted(beside, key=order)[:_BESIDES])


def _held(ties: Iterable[Tie], evidence: Evidence) -> Iterator[Tie]:
    """Yield ties with the quotes that state them; what is denied or past in all of its quotes is none."""
    for tie in ties:
        if is_stop(tie.source) or is_stop(tie.target):
            continue  # a word that begins a sentence, taken for a name
        if quotes := tuple(place for place in tie.quotes if not _is_denied(tie, evidence.quotes[place].text)):
            yield replace(tie, quotes=quotes)


def _is_denied(tie: Tie, text: str) -> bool:
    """Say whether every sentence of a text that names both ends denies that they belong together, or says they did."""
    ends = tie.source.casefold(), tie.target.casefold()
    both = [line.text for line in lines(text) if all(end in line.text.casefold() for end in ends)]
    return bool(both) and all(_DENIES.search(line) for line in both)


def _of_graph(relationships: Sequence[Relationship], places: Mapping[str, int]) -> Iterator[Tie]:
    for each in relationships:
        if quotes := tuple(sorted(places[memory] for memory in each.evidence if memory in places)):
            yield Tie(each.source.name, each.relation, each.target.name, quotes)


def _of_facts(evidence: Evidence) -> Iterator[Tie]:
    for place, quote in enumerate(evidence.quotes):
        if (fact := quote.memory.fact) is not None:
            yield Tie(fact.subject, fact.predicate, fact.object, (place,))


def _merged(ties: Sequence[Tie]) -> list[Tie]:
    """Make one of ties that say the same, borne out by all their quotes."""
    found: dict[tuple[str, str, str], Tie] = {}
    for tie in ties:
        key = _key(tie.source), tie.relation, _key(tie.target)
        known = found.get(key, tie)
        quotes = tuple(sorted({*known.quotes, *tie.quotes}))
        found[key] = Tie(known.source, known.relation, known.target, quotes)
    return list(found.values())


def _entities(evidence: Evidence, ties: Sequence[Tie]) -> tuple[str, ...]:
    """Return whom and what the ties join, then what else the memories name, each once."""
    names = [end for tie in ties for end in (tie.source, tie.target)]
    names += [name for quote in evidence.quotes for name in quote.memory.entities]
    found: dict[str, str] = {}
    for name in names:
        if key := _key(name):
            found.setdefault(key, name)
    return tuple(found.values())[:_ENTITIES]


def _key(name: str) -> str:
    return name_key(NAME, name)
