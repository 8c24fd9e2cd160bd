"""What only an erased memory had, as the bytes by which its remains would be known. Pure."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from recollect.models import Memory
from recollect.patterns import pattern
from recollect.words import index_counts

_WORD = pattern(r"\w+")
_ID = pattern(r"(?:mem|rcp|ses|turn|job|ent|mrg)_[0-9a-f]{32}")  # which the audit trail keeps
_LONGEST = 64  # bytes of a word that are looked for
_SLICE = 48  # bytes of a text
_LEAST = 6


@dataclass(slots=True)
class Traces:
    """What is to be looked for; each word with the index terms that tell whether others have it too."""

    words: dict[str, frozenset[str]] = field(default_factory=dict)
    texts: set[bytes] = field(default_factory=set)
    salts: set[bytes] = field(default_factory=set)
    vectors: set[bytes] = field(default_factory=set)

    def read(self, *texts: str | None) -> None:
        """Take in the words of texts."""
        for text in texts:
            for word in words_of(text or ""):
                if word not in self.words and not _ID.fullmatch(word):
                    self.words[word] = frozenset(index_counts(word))

    def take(self, memory: Memory, salt: str) -> None:
        """Take in what a memory said, in each of the forms in which it is kept."""
        self.read(*_said(memory))
        self.texts |= set(_slices(memory.content))
        if salt:
            self.salts.add(salt.encode())

    @property
    def terms(self) -> frozenset[str]:
        """The index terms of all words."""
        return frozenset[str]().union(*self.words.values())

    def sought(self, living: Iterable[str]) -> tuple[set[bytes], int]:
        """Return the bytes to look for, and how many words are others' too: `living` are terms that these hold."""
        held = frozenset(living)
        own = {word: terms for word, terms in self.words.items() if not terms & held}
        forms = {form.encode()[:_LONGEST] for word, terms in own.items() for form in (word, word.casefold(), *terms)}
        forms = {form for form in forms if len(form) >= _LEAST}
        return forms | self.texts | self.vectors, len(self.words) - len(own)

    def counted(self) -> dict[str, int]:
        """Return how much there is of each."""
        return {name: len(getattr(self, name)) for name in ("words", "texts", "salts", "vectors")}


def words_of(text: str) -> set[str]:
    """Return the words of a text, as they are written."""
    return set(_WORD.findall(text))


def _said(memory: Memory) -> Iterator[str]:
    yield from (memory.content, memory.summary, *memory.keywords, *memory.tags, *memory.entities)
    yield from (memory.key or "", memory.actor or "", memory.status_reason)
    yield from (memory.source.origin, memory.source.id, memory.source.ref)
    if memory.fact is not None:
        yield from (memory.fact.subject, memory.fact.predicate, memory.fact.object)
    if memory.procedure is not None:
        yield from strings(memory.procedure.to_dict())
    yield from strings(memory.metadata)


def strings(value: Any) -> Iterator[str]:
    """Return every string in a JSON value, the names of its fields included."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inside in value.items():
            yield name
            yield from strings(inside)
    elif isinstance(value, list | tuple):
        for inside in value:
            yield from strings(inside)


def _slices(text: str) -> Iterator[bytes]:
    """Return the beginning, the middle and the end of a text, as they are and as JSON writes them."""
    middle = len(text) // 2
    for some in (text[:_SLICE], text[middle : middle + _SLICE], text[-_SLICE:]):
        for form in (some, json.dumps(some, ensure_ascii=False)[1:-1]):
            if len(form.encode()) >= 2 * _LEAST:
                yield form.encode()
