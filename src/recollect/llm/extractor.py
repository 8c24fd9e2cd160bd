"""A language model that finds facts: what it says is believed no further than the record goes."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from recollect.llm.mind import Mind
from recollect.llm.parts import Part, in_parts
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, several
from recollect.models import Fact, Turn
from recollect.protocols import Candidate
from recollect.words import terms

ANSWER = 2000
"""Tokens of an answer: a list of facts that breaks off is no list."""


@dataclass
class _Entry:
    """A fact as a model writes it down; it is lenient, for models call things by their own names."""

    fact: str | None = None
    content: str | None = None
    text: str | None = None
    subject: str | None = None
    predicate: str | None = None
    object: str | None = None
    object_value: str | None = None
    importance: Any = None
    rating: Any = None
    confidence: Any = None

    def __post_init__(self) -> None:
        if not self.said:
            raise ValueError("it states nothing")

    @property
    def triple(self) -> Fact | None:
        """What it states as a triple, None where that is not plain."""
        parts = [(part or "").strip() for part in (self.subject, self.predicate, self.object or self.object_value)]
        return Fact(*parts) if all(parts) else None

    @property
    def said(self) -> str:
        """Its sentence, else its triple as one."""
        texts = (text.strip() for text in (self.fact, self.content, self.text) if text)
        triple = self.triple
        plain = f"{triple.subject} {triple.predicate.replace('_', ' ')} {triple.object}" if triple is not None else ""
        return next(filter(None, texts), plain)


class ModelExtractor(Mind):
    """Finds facts by asking a language model.

    A fact with a number that the turns do not have, or with no word of theirs, is dropped. Turns that are long together
    are shown in parts, one call each. Raises what the model raises, and `ProviderError` when it answers twice with
    nothing that can be read: facts of some parts are not all that the turns state.
    """

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the facts that the turns state."""
        known = frozenset(terms("\n".join([context, *(f"{turn.actor or ''} {turn.content}" for turn in turns)])))
        found = [entry for part in in_parts(turns, context) for entry in self._entries(part)]
        return [_candidate(entry) for entry in found if is_founded(entry.said, known)]

    def _entries(self, part: Part) -> list[_Entry]:
        said = [_said(turn) for turn in part.turns]
        record = {"context": part.context, "said": said} if part.context.strip() else said
        text = json.dumps(record, ensure_ascii=False, indent=0)
        return asked(self._llm, prompt("extract"), several(_Entry), max_tokens=ANSWER, record=text)


def _said(turn: Turn) -> Mapping[str, Any]:
    said = {"role": turn.role, "by": turn.actor, "at": turn.at.isoformat() if turn.at else None, "says": turn.content}
    return {name: value for name, value in said.items() if value is not None}


def _candidate(entry: _Entry) -> Candidate:
    rating = _number(entry.importance, entry.rating)
    confidence = _number(entry.confidence)
    return Candidate(
        content=entry.said,
        rating=min(max(rating or 5.0, 1.0), 10.0),
        fact=entry.triple,
        confidence=None if confidence is None else min(max(confidence, 0.0), 1.0),
    )


def _number(*values: object) -> float | None:
    numbers = (float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))
    return next((number for number in numbers if math.isfinite(number)), None)


def is_founded(text: str, known: frozenset[str]) -> bool:
    """Say whether every number of a text is among the words of a record, and some word of it."""
    there = frozenset(terms(text))
    numbers = {term for term in there if any(character.isdigit() for character in term)}
    return numbers <= known and not there.isdisjoint(known)
