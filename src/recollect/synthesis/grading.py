"""Answers graded by their form: what `check_synthesis_quality` does."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

_SURE, _MANY = 0.7, 5  # the confidence and the sources with which an answer can be no better
_GRADES = ((0.8, "EXCELLENT"), (0.5, "GOOD"))


def quality(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an answer by its confidence, its sources, and whether it says anything: .4, .3 and .3 of the score.

    Raises `TypeError` for what is no answer at all.
    """
    needs_mapping(answer)
    held = answer.get("synthesis")
    said = [held.get("answer"), held.get("summary")] if isinstance(held, Mapping) else [held]
    answers = any(isinstance(text, str) and text.strip() for text in said)
    confidence = min(max(confidence_of(answer) or 0.0, 0.0), 1.0)
    sources = _count(answer)
    score = round(0.4 * min(1.0, confidence / _SURE) + 0.3 * min(1.0, sources / _MANY) + 0.3 * answers, 4)
    grade = next((name for least, name in _GRADES if score >= least), "NEEDS_WORK")
    return {"score": score, "grade": grade, "quality": grade}


def needs_mapping(answer: object) -> None:
    """Raise `TypeError` for what is no answer at all."""
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")


def _count(answer: Mapping[str, Any]) -> int:
    """Return how many sources an answer has; one without the list of them may say it."""
    if "sources" in answer:
        return len(entries(answer["sources"]))
    metadata = answer.get("metadata")
    said = metadata.get("sources_count") if isinstance(metadata, Mapping) else None
    return min(said, _MANY) if isinstance(said, int) and not isinstance(said, bool) and said > 0 else 0


def confidence_of(answer: Mapping[str, Any]) -> float | None:
    """Return the confidence that an answer states, None where it is no number."""
    for part in ("metadata", "synthesis"):
        held = answer.get(part)
        value = held.get("confidence") if isinstance(held, Mapping) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                found = float(value)
            except OverflowError:
                continue
            if math.isfinite(found):
                return found
    return None


def id_of(source: Mapping[str, Any]) -> str | None:
    """Return the id of the memory that a source is, None where it says none."""
    found = source.get("memory_id", source.get("note_id"))
    return found if isinstance(found, str) else None


def listed(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings of a list; anything else in it counts as an empty one."""
    return [entry if isinstance(entry, Mapping) else {} for entry in entries(value)]


def entries(value: object) -> list[Any]:
    """Return what is in a list, nothing where there is none."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []
