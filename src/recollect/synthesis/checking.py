"""Answers held to what they cite, and graded: what `validate_synthesis` and `check_synthesis_quality` do."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from recollect.models import Memory
from recollect.synthesis.writing import MOST

LEAST = 0.3
"""The least confidence of an answer that is one."""
_SURE, _MANY = 0.7, 5  # the confidence and the sources with which an answer can be no better
_GRADES = ((0.8, "EXCELLENT"), (0.5, "GOOD"))


def errors_of(answer: Mapping[str, Any], known: Callable[[str], Memory | None]) -> list[str]:
    """Return what is wrong with an answer, nothing when it holds; `known` looks a memory up by its id.

    Raises `TypeError` for what is no answer at all.
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")
    return [*_wrong_confidence(answer), *_wrong_sources(answer, known), *_wrong_citations(answer)]


def _wrong_confidence(answer: Mapping[str, Any]) -> Iterator[str]:
    confidence = _confidence(answer)
    if confidence is None:
        yield "its confidence is no number"
    elif confidence < LEAST:
        yield f"its confidence is {confidence:g}, less than {LEAST}"


def _wrong_sources(answer: Mapping[str, Any], known: Callable[[str], Memory | None]) -> Iterator[str]:
    sources = _listed(answer.get("sources"))
    if not 1 <= len(sources) <= MOST:
        yield f"it has {len(sources)} sources: 1 to {MOST} are needed"
    for number, source in enumerate(sources, start=1):
        memory_id = _id_of(source)
        memory = known(memory_id) if memory_id is not None else None
        if memory is None:
            yield f"source {number} names no memory that this view knows: {memory_id!r}"
            continue
        quote = source.get("quote")
        if not isinstance(quote, str) or not quote.strip():
            yield f"source {number} quotes nothing"
        elif quote not in memory.content:
            yield f"source {number} quotes what does not stand in {memory_id}"


def _wrong_citations(answer: Mapping[str, Any]) -> Iterator[str]:
    """Yield the sentences that cite nothing, and the citations of what is no source."""
    held = answer.get("synthesis")
    if not isinstance(held, Mapping):
        yield "it has no `synthesis`"
        return
    ids = {_id_of(source) for source in _listed(answer.get("sources"))}
    cited: dict[str, Sequence[Any]] = {}
    for citation in _listed(held.get("citations")):
        cited[str(citation.get("text"))] = _strings(citation.get("memory_ids"))
    for place, text in _statements(held, cited):
        if not cited.get(text):
            yield f"{place} cites nothing: {text[:80]!r}"
    for place, each in [*cited.items(), *_named(held)]:
        yield from (f"{place[:80]!r} cites {one!r}, which is no source" for one in each if one not in ids)


def _statements(held: Mapping[str, Any], cited: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield every sentence of an answer, with where it stands."""
    for name in ("answer", "summary"):
        text = held.get(name)
        if isinstance(text, str) and text.strip():
            yield from ((name, part) for part in _parts(text, cited))
    yield from (("key_points", str(point)) for point in held.get("key_points") or ())
    yield from (("events", str(event.get("text"))) for event in _listed(held.get("events")))


def _parts(text: str, cited: Mapping[str, Any]) -> list[str]:
    """Return the cited sentences that a text is made of, and what of it is none."""
    rest, found = text, []
    for sentence in sorted(cited, key=len, reverse=True):
        if sentence and sentence in rest:
            found.append(sentence)
            rest = rest.replace(sentence, " ")
    left = " ".join(rest.split())
    return [*found, *([left] if any(map(str.isalnum, left)) else [])]


def _named(held: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    for event in _listed(held.get("events")):
        yield "an event", [event.get("memory_id")]
    for tie in _listed(held.get("relationships")):
        yield "a relationship", _strings(tie.get("memory_ids")) or [None]


def quality(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an answer by its confidence, its sources, and whether it says anything: .4, .3 and .3 of the score.

    Raises `TypeError` for what is no answer at all.
    """
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")
    held = answer.get("synthesis")
    said = [held.get("answer"), held.get("summary")] if isinstance(held, Mapping) else [held]
    answers = any(isinstance(text, str) and text.strip() for text in said)
    confidence = min(max(_confidence(answer) or 0.0, 0.0), 1.0)
    sources = _count(answer)
    score = round(0.4 * min(1.0, confidence / _SURE) + 0.3 * min(1.0, sources / _MANY) + 0.3 * answers, 4)
    grade = next((name for least, name in _GRADES if score >= least), "NEEDS_WORK")
    return {"score": score, "grade": grade, "quality": grade}


def _count(answer: Mapping[str, Any]) -> int:
    """Return how many sources an answer has; one without the list of them may say it."""
    if "sources" in answer:
        return len(_listed(answer["sources"]))
    metadata = answer.get("metadata")
    said = metadata.get("sources_count") if isinstance(metadata, Mapping) else None
    return said if isinstance(said, int) and said > 0 else 0


def _confidence(answer: Mapping[str, Any]) -> float | None:
    for part in ("metadata", "synthesis"):
        held = answer.get(part)
        value = held.get("confidence") if isinstance(held, Mapping) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value):
            return float(value)
    return None


def _id_of(source: Mapping[str, Any]) -> str | None:
    found = source.get("memory_id", source.get("note_id"))
    return found if isinstance(found, str) else None


def _listed(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings of a list; anything else in it counts as an empty one."""
    entries = list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []
    return [entry if isinstance(entry, Mapping) else {} for entry in entries]


def _strings(value: object) -> list[Any]:
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []
