"""Answers without a model: sentences and words of the quotes, chosen by rules."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date

from engrain.graph.traversal import RELATED
from engrain.language.dates import Window, dated, windows
from engrain.language.polarity import is_over
from engrain.language.tokens import is_stop, query_terms
from engrain.model.entities import NAME, Relationship, name_key
from engrain.model.results import Format
from engrain.synthesis.direct import direct
from engrain.synthesis.evidence import Event, Evidence, Said, Tie, Told, lines
from engrain.synthesis.question import Asked, Candidate, apart, asked, ranked

_BRIEF_SENTENCES = 4
_POINTS = 7
_BRIEF_LEAST = 0.35  # of the best sentence's score: what scores less is of another thing


def brief(asked: Asked, evidence: Evidence) -> Told:
    """Return two to four sentences as they were said, in order of time, and further ones as points."""
    candidates = ranked(asked, evidence)
    chosen = telling(candidates, _BRIEF_SENTENCES + _POINTS)
    if not chosen:
        return Told(whole(evidence))
    return Told(in_time(chosen[:_BRIEF_SENTENCES]), tuple(each.said for each in chosen[_BRIEF_SENTENCES:]))


def telling(candidates: Sequence[Candidate], most: int) -> list[Candidate]:
    """Return the best sentences that do not repeat each other and are of the question's matter."""
    best = candidates[0].score if candidates else 0.0
    return apart([each for each in candidates if not each.idle], most, least=_BRIEF_LEAST * best)


def in_time(candidates: Sequence[Candidate]) -> tuple[Said, ...]:
    """Return sentences in the order in which they were said."""
    ordered = sorted(candidates, key=lambda each: (each.quote.memory.valid_from, each.quote.memory.id, each.line.start))
    return tuple(each.said for each in ordered)


def whole(evidence: Evidence) -> tuple[Said, ...]:
    """Return the first quote as it stands: what there is to say of a text that has no sentences."""
    return tuple(Said(quote.text, (place,)) for place, quote in enumerate(evidence.quotes[:1]))


_MOST = 30  # events
_TIMELINE_SENTENCES = 2
_TIMELINE_LEAST = 0.3  # of the best sentence's score
_SAME = 0.7  # of the fewer words: two sentences of one date that share so many tell of one event

Dated = tuple[str, date, Candidate]


def timeline(asked: Asked, evidence: Evidence) -> Told:
    """Return what happened in order of date, as precise as is known, and the sentences that answer best."""
    candidates = [each for each in ranked(asked, evidence) if not each.idle and not each.line.is_picture]
    if not candidates:
        return Told(whole(evidence))
    least = _TIMELINE_LEAST * candidates[0].score
    found = list(_happened([each for each in candidates if each.score >= least]))
    kept = sorted(_once(_within(windows(asked.text, evidence.now), found))[:_MOST], key=_order)
    events = tuple(Event(iso, Said(each.line.text, (each.place,))) for iso, _, each in kept)
    return Told(in_time(telling(candidates, _TIMELINE_SENTENCES)), events=events)


def _order(event: Dated) -> tuple[date, str, int, int]:
    iso, first, candidate = event
    return first, iso, candidate.place, candidate.line.start


def _happened(candidates: Sequence[Candidate]) -> Iterator[Dated]:
    """Yield the sentences that name a time, and of quotes in which none does the best one, with the day it was said."""
    undated = dict[int, Dated]()
    told = set[int]()
    for each in candidates:
        said = each.quote.memory.valid_from
        times = dated(each.line.text, said)
        if times:
            told.add(each.place)
            yield times[0].iso, times[0].first, each
        else:
            undated.setdefault(each.place, (said.date().isoformat(), said.date(), each))
    yield from (event for place, event in undated.items() if place not in told)


def _within(asked: Sequence[Window], events: list[Dated]) -> list[Dated]:
    """Return the events of the times that the question names, all of them when there are none."""
    inside = [event for event in events if any(each.start.date() <= event[1] < each.end.date() for each in asked)]
    return inside or events


def _once(events: Sequence[Dated]) -> list[Dated]:
    kept: list[Dated] = []
    for event in events:
        said = event[2].line.terms
        same = (other for other in kept if other[0] == event[0])
        if not any(len(said & o[2].line.terms) >= _SAME * min(len(said), len(o[2].line.terms)) for o in same):
            kept.append(event)
    return kept


_TIES = 40
_BESIDES = 15  # of them those that say no more than that both are named together
_ENTITIES = 60
_RELATIONS_SENTENCES = 2


def relation_map(asked: Asked, evidence: Evidence, relationships: Sequence[Relationship]) -> Told:
    """Return the relations that the quoted memories bear out, the question's own first, and who they join."""
    ties = _ties(asked, evidence, relationships)
    candidates = ranked(asked, evidence)
    bearing = {place for tie in ties for place in tie.quotes}
    lead = in_time(telling([each for each in candidates if each.place in bearing] or candidates, _RELATIONS_SENTENCES))
    return Told(lead or whole(evidence), entities=_entities(evidence, ties), ties=ties)


def _ties(asked: Asked, evidence: Evidence, relationships: Sequence[Relationship]) -> tuple[Tie, ...]:
    places = {quote.memory.id: place for place, quote in enumerate(evidence.quotes)}
    held = list(_held([*_of_facts(evidence), *_of_graph(relationships, places)], evidence))
    stated = [tie for tie in held if tie.relation != RELATED]
    merged = _merged(stated)
    joined = {frozenset((_key(tie.source), _key(tie.target))) for tie in merged}
    beside = [
        tie
        for tie in _merged([tie for tie in held if tie.relation == RELATED])
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
    return bool(both) and all(map(is_over, both))


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


__all__ = ["told"]


def told(form: Format, evidence: Evidence, *, relationships: Sequence[Relationship] = ()) -> Told:
    """Return an answer in a format; one with nothing in it when there is no evidence.

    `relationships` are those that the graph has of the quoted memories; only the map of relations looks at them.
    """
    if not evidence.quotes:
        return Told(())
    question = asked(evidence.query)
    if form is Format.RELATIONSHIP_MAP:
        return relation_map(question, evidence, relationships)
    return {Format.DIRECT_ANSWER: direct, Format.SYNTHESIZED_BRIEF: brief, Format.TIMELINE_ANALYSIS: timeline}[form](
        question, evidence
    )
