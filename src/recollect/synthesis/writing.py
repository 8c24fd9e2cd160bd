"""An answer written down: the keys of each format, its citations, and its sources in the order they are cited."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from recollect.answers import Format
from recollect.synthesis.parts import Evidence, Quote, Said, Told

MOST = 20
"""Sources that an answer has at most."""
ENDS = tuple(".!?…;:。！？")
"""What a sentence ends with."""


def written(form: Format, told: Told, evidence: Evidence) -> dict[str, Any]:
    """Return what `Synthesis.synthesis` holds in a format; `citations` name the memories of every sentence."""
    lead = _joined([said.text for said in told.lead])
    points = [said.text for said in told.points]
    held: dict[str, Any] = {"answer" if form is Format.DIRECT_ANSWER else "summary": lead}
    if form in (Format.DIRECT_ANSWER, Format.SYNTHESIZED_BRIEF):
        held["key_points"] = points
    if form is Format.TIMELINE_ANALYSIS:
        held["events"] = [
            {"date": event.date, "text": event.said.text, "memory_id": _ids(evidence, event.said.quotes)[0]}
            for event in sorted(told.events, key=lambda event: event.date)
        ]
    if form is Format.RELATIONSHIP_MAP:
        held["entities"] = list(told.entities)
        held["relationships"] = [
            {
                "source": tie.source,
                "relation": tie.relation,
                "target": tie.target,
                "memory_ids": _ids(evidence, tie.quotes),
            }
            for tie in told.ties
        ]
    lead_part = "answer" if form is Format.DIRECT_ANSWER else "summary"
    held["citations"] = [
        {"part": part, "text": said.text, "memory_ids": _ids(evidence, said.quotes)}
        for part, said in _sentences(lead_part, told)
    ]
    return held


def sources_of(evidence: Evidence, told: Told, *, threshold: float) -> list[dict[str, Any]]:
    """Return the quotes as sources: those that are cited, in the order in which the answer cites them, then the rest.

    What is neither cited nor relevant enough is no source.
    """
    cited = list(dict.fromkeys(_cited(told)))
    worth = [place for place, quote in enumerate(evidence.quotes) if quote.hit.relevance >= threshold]
    rest = [place for place in worth if place not in set(cited)]
    return [_source(evidence.quotes[place], cited=place in set(cited)) for place in [*cited, *rest][:MOST]]


def _joined(texts: Sequence[str]) -> str:
    """Return sentences as one text; a full stop parts those that have none."""
    *first, last = texts or [""]
    return " ".join([*(text if text[-1:] in ENDS else f"{text}." for text in first), last])


def _source(quote: Quote, *, cited: bool) -> dict[str, Any]:
    memory = quote.memory
    return {
        "memory_id": memory.id,
        "note_id": memory.id,
        "relevance_score": round(quote.hit.relevance, 4),
        "quote": quote.text,
        "tier": memory.tier,
        "date": memory.valid_from.date().isoformat(),
        "cited": cited,
        "contested_by": list(quote.hit.contested),
    }


def _sentences(lead: str, told: Told) -> Iterator[tuple[str, Said]]:
    yield from ((lead, said) for said in told.lead)
    yield from (("key_points", said) for said in told.points)
    yield from (("events", event.said) for event in told.events)


def _cited(told: Told) -> Iterator[int]:
    for _, said in _sentences("", told):
        yield from said.quotes
    for tie in told.ties:
        yield from tie.quotes


def _ids(evidence: Evidence, places: Sequence[int]) -> list[str]:
    return [evidence.quotes[place].memory.id for place in places]
