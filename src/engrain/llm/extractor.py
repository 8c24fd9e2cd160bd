"""Facts found by a language model, accepted only as far as the source text supports them."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from engrain.errors import ProviderError
from engrain.language.sentences import sentence_parts
from engrain.language.tokens import terms
from engrain.llm.client import Usage, name_of
from engrain.llm.replies import asked, prompt, several
from engrain.model.memory import Fact, Turn
from engrain.protocols import LLM, Candidate
from engrain.text import OfflineTokenizer


class Mind:
    """A language model at one kind of work, on the account that it was given with."""

    def __init__(self, llm: LLM) -> None:
        self._llm = llm

    @property
    def name(self) -> str:
        """What the model is called in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage | None:
        """What was asked so far, None where the model does not count."""
        found = getattr(self._llm, "usage", None)
        return found if isinstance(found, Usage) else None


def credit(one: object) -> str:
    """Return who did something and what it took, as in "openai:gpt-5-mini (312 tokens)"."""
    usage = one.usage if isinstance(one, Mind) else None
    return name_of(one) if usage is None else f"{name_of(one)} ({usage.tokens:,} tokens)"


def trouble(one: object, failed: list[Exception]) -> str:
    """Return why somebody did not do it; only what a model of ours says of itself is known to hold no text."""
    if not failed:
        return f"{name_of(one)} gave nothing that can be used"
    error = failed[0]
    known = isinstance(one, Mind) and isinstance(error, ProviderError)
    return str(error) if known else f"{name_of(one)} failed ({type(error).__name__})"


PART = 2500
"""Tokens of a part: with its instructions and its answer it fits into 8,000, which every model in use reads."""
CONTEXT = 300
"""Tokens of what stands before a part: enough to tell whom its pronouns mean."""
_count = OfflineTokenizer().count_tokens


class Part(NamedTuple):
    """Some of the turns, or of one, and the words right before them."""

    turns: tuple[Turn, ...]
    context: str


def in_parts(turns: Sequence[Turn], context: str = "") -> Iterator[Part]:
    """Yield the turns in parts of at most `PART` tokens; the texts of all parts joined are those of the turns.

    What was said before, the caller's `context` or the end of the part before, is context of a part, cut to its end.
    """
    held: list[Turn] = []
    size, before = 0, _end(context)
    for turn in turns:
        for piece in _pieces(turn):
            tokens = _count(piece.content)
            if held and size + tokens > PART:
                yield Part(tuple(held), before)
                before = _end(" ".join([before, *(each.content for each in held)]))
                held, size = [], 0
            held.append(piece)
            size += tokens
    if held:
        yield Part(tuple(held), before)


def _pieces(turn: Turn) -> Iterator[Turn]:
    """Yield a turn, or pieces of one that is longer than a part."""
    if _count(turn.content) <= PART:
        yield turn
        return
    text, size = "", 0
    for sentence in (short for span in sentence_parts(turn.content) for short in _short(span)):
        tokens = _count(sentence)
        if text and size + tokens > PART:
            yield replace(turn, content=text)
            text, size = "", 0
        text, size = text + sentence, size + tokens
    yield replace(turn, content=text)


def _short(sentence: str) -> Iterator[str]:
    """Yield a sentence, or pieces of one that is longer than a part: cut at a word where there is one."""
    while sentence:
        first = OfflineTokenizer().truncate_to_tokens(sentence, PART) or sentence[:PART]
        yield first
        sentence = sentence[len(first) :]


def _end(text: str) -> str:
    """Return the sentences at the end of a text that fit into a context."""
    kept, size = "", 0
    for sentence in reversed(sentence_parts(text[-20 * CONTEXT :])):
        size += _count(sentence)
        if size > CONTEXT:
            break
        kept = sentence + kept
    return kept.strip()


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
