"""A timeline without a model: what the evidence says happened, and when, by its words or by the day it was said."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date

from recollect.synthesis.offline.brief import in_time, telling, whole
from recollect.synthesis.offline.dates import dated
from recollect.synthesis.offline.question import Asked
from recollect.synthesis.offline.telling import Candidate, ranked
from recollect.synthesis.parts import Event, Evidence, Said, Told
from recollect.timewords import Window, windows

_MOST = 30  # events
_SENTENCES = 2
_LEAST = 0.3  # of the best sentence's score
_SAME = 0.7  # of the fewer words: two sentences of one date that share so many tell of one event

Dated = tuple[str, date, Candidate]


def timeline(asked: Asked, evidence: Evidence) -> Told:
    """Return what happened in order of date, as precise as is known, and the sentences that answer best."""
    candidates = [each for each in ranked(asked, evidence) if not each.idle and not each.line.is_picture]
    if not candidates:
        return Told(whole(evidence))
    least = _LEAST * candidates[0].score
    found = list(_happened([each for each in candidates if each.score >= least]))
    kept = sorted(_once(_within(windows(asked.text, evidence.now), found))[:_MOST], key=_order)
    events = tuple(Event(iso, Said(each.line.text, (each.place,))) for iso, _, each in kept)
    return Told(in_time(telling(candidates, _SENTENCES)), events=events)


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
