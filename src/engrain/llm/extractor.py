"""Facts extracted by a language model, accepted only as far as the source text supports them."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engrain.language.tokens import sentence_parts, terms
from engrain.llm.replies import ModelTask, json_list
from engrain.model.memory import Fact, Turn
from engrain.protocols import Candidate
from engrain.text import OfflineTokenizer

PART_TOKENS = 2500
"""Tokens of a part: with instructions and answer it fits into 8,000, which every current model reads."""
CONTEXT_TOKENS = 300
"""Tokens of the text before a part: enough to resolve pronouns."""
_ANSWER_TOKENS = 2000  # a list of facts that is cut off cannot be parsed
_count = OfflineTokenizer().count_tokens


@dataclass
class _ExtractedFact:
    """A fact as a model writes it; several key names are accepted."""

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
        if not self.sentence:
            raise ValueError("it states nothing")

    @property
    def triple(self) -> Fact | None:
        """The triple, None unless all three parts are given."""
        parts = [(part or "").strip() for part in (self.subject, self.predicate, self.object or self.object_value)]
        return Fact(*parts) if all(parts) else None

    @property
    def sentence(self) -> str:
        """The sentence, else the triple as one."""
        given = (self.fact or "").strip() or (self.content or "").strip() or (self.text or "").strip()
        triple = self.triple
        return given or (f"{triple.subject} {triple.predicate.replace('_', ' ')} {triple.object}" if triple else "")

    def candidate(self) -> Candidate:
        """Return the fact with its numbers in their ranges."""
        rating, confidence = _number(self.importance, self.rating), _number(self.confidence)
        return Candidate(
            content=self.sentence,
            rating=min(max(rating or 5.0, 1.0), 10.0),
            fact=self.triple,
            confidence=None if confidence is None else min(max(confidence, 0.0), 1.0),
        )


class ModelExtractor(ModelTask):
    """Extracts facts by asking a language model.

    A fact with a number that the turns do not have, or with no word of theirs, is dropped. Long turns are sent in
    parts, one call each; when one part fails, the extraction fails.
    """

    def extract(self, turns: Sequence[Turn], *, context: str = "") -> list[Candidate]:
        """Return the facts that the turns state."""
        known = frozenset(terms("\n".join([context, *(f"{turn.actor or ''} {turn.content}" for turn in turns)])))
        facts: list[_ExtractedFact] = []
        for part in in_parts(turns, context):
            messages = [
                {"role": turn.role}
                | ({"by": turn.actor} if turn.actor is not None else {})
                | ({"at": turn.at.isoformat()} if turn.at else {})
                | {"says": turn.content}
                for turn in part.turns
            ]
            record = {"context": part.context, "said": messages} if part.context.strip() else messages
            facts += self._ask("extract", json_list(_ExtractedFact), record, max_tokens=_ANSWER_TOKENS)
        return [fact.candidate() for fact in facts if is_supported(fact.sentence, known)]


def _number(*values: object) -> float | None:
    numbers = (float(value) for value in values if isinstance(value, int | float) and not isinstance(value, bool))
    return next((number for number in numbers if math.isfinite(number)), None)


def is_supported(text: str, known: frozenset[str]) -> bool:
    """Return whether every number of a text is among the terms of a record, and at least one term of it."""
    own = frozenset(terms(text))
    numbers = {term for term in own if any(character.isdigit() for character in term)}
    return numbers <= known and not own.isdisjoint(known)


# ---------------------------------------------------------------------------------------------------------------- parts


class Part(NamedTuple):
    """Some of the turns, or a piece of one, and the text right before them."""

    turns: tuple[Turn, ...]
    context: str


def in_parts(turns: Sequence[Turn], context: str = "") -> Iterator[Part]:
    """Yield the turns in parts of at most `PART_TOKENS`; the texts of all parts joined are those of the turns.

    The context of a part is the end of the caller's `context` and of the parts before it.
    """
    part: list[Turn] = []
    size, before = 0, _last_sentences(context)
    for piece in (piece for turn in turns for piece in _pieces(turn)):
        tokens = _count(piece.content)
        if part and size + tokens > PART_TOKENS:
            yield Part(tuple(part), before)
            before = _last_sentences(" ".join([before, *(each.content for each in part)]))
            part, size = [], 0
        part.append(piece)
        size += tokens
    if part:
        yield Part(tuple(part), before)


def _pieces(turn: Turn) -> Iterator[Turn]:
    """Yield a turn, or pieces of one that is longer than a part: whole sentences, or words of a longer sentence."""
    if _count(turn.content) <= PART_TOKENS:
        yield turn
        return
    text, size = "", 0
    for sentence in sentence_parts(turn.content):
        while sentence:
            start = OfflineTokenizer().truncate_to_tokens(sentence, PART_TOKENS) or sentence[:PART_TOKENS]
            sentence, tokens = sentence[len(start) :], _count(start)
            if text and size + tokens > PART_TOKENS:
                yield replace(turn, content=text)
                text, size = "", 0
            text, size = text + start, size + tokens
    yield replace(turn, content=text)


def _last_sentences(text: str) -> str:
    """Return the sentences at the end of a text that fit into a context."""
    kept, size = "", 0
    for sentence in reversed(sentence_parts(text[-20 * CONTEXT_TOKENS :])):
        size += _count(sentence)
        if size > CONTEXT_TOKENS:
            break
        kept = sentence + kept
    return kept.strip()
