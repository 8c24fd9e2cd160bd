"""Answers told by a language model, and held to their sources: what it cites must be there, word for word.

A sentence that cites nothing, cites a memory that it was not shown, quotes what does not stand there, or has a number
that its memories do not have, is left out. When nothing is left it is asked once more.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from recollect.answers import Format
from recollect.llm.prompting import prompt
from recollect.llm.replies import asked, one
from recollect.protocols import LLM
from recollect.synthesis.founded import is_founded
from recollect.synthesis.parts import Event, Evidence, Quote, Said, Tie, Told
from recollect.text import sentences as split

_LONGEST, _TOGETHER = 1500, 24_000  # characters of a memory that are shown; of all of them
_ANSWER = {  # tokens
    Format.DIRECT_ANSWER: 700,
    Format.SYNTHESIZED_BRIEF: 1200,
    Format.TIMELINE_ANALYSIS: 1500,
    Format.RELATIONSHIP_MAP: 1500,
}
_SHORTEST_QUOTE = 8  # characters
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_RELATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")


@dataclass
class _Sentence:
    """A sentence as a model writes it down; cites are numbers, or objects with `memory` and `quote`."""

    text: str
    cites: list[Any] = field(default_factory=list)
    date: str = ""


@dataclass
class _Relation:
    source: str
    relation: str
    target: str
    cites: list[Any] = field(default_factory=list)


@dataclass
class _Reply:
    """What a model answers in any of the formats."""

    answer: list[_Sentence] | str | None = None
    summary: list[_Sentence] | str | None = None
    key_points: list[_Sentence | str] = field(default_factory=list)
    events: list[_Sentence] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    relationships: list[_Relation] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.answer is None and self.summary is None:
            raise ValueError("it has neither an answer nor a summary")


@dataclass(frozen=True, slots=True)
class Composed:
    """What a model made of evidence: the answer, None when it found none in it, and the quotes as it gave them.

    `dropped` counts what it said that its sources do not bear out.
    """

    told: Told | None
    evidence: Evidence
    dropped: int = 0


def compose(llm: LLM, form: Format, evidence: Evidence) -> Composed:
    """Ask a model for an answer; raises `ProviderError` when it twice gives none that follows from its sources."""

    def read(answer: str) -> Composed:
        return _Reader(form, evidence).read(one(_Reply)(answer))

    memories = json.dumps(list(_shown(evidence)), ensure_ascii=False, indent=0)
    most = _ANSWER[form]
    return asked(llm, prompt(form.value), read, max_tokens=most, question=evidence.query, memories=memories)


def _shown(evidence: Evidence) -> Iterator[Mapping[str, Any]]:
    """Yield the memories as a model is shown them, each as much as there is room for."""
    left = _TOGETHER
    for number, quote in enumerate(evidence.quotes, start=1):
        memory = quote.memory
        whole = memory.content if len(memory.content) <= _LONGEST else quote.text[:_LONGEST]
        text = whole[: max(left, 0)]
        left -= len(text)
        if not text:
            return
        shown = {"memory": number, "date": memory.valid_from.date().isoformat(), "source": memory.source.type.value}
        by = {"by": memory.actor} if memory.actor else {}
        yield {**shown, **by, **({"disputed": True} if quote.hit.contested else {}), "text": text}


class _Reader:
    """Reads one answer, and keeps of it what its sources bear out."""

    def __init__(self, form: Format, evidence: Evidence) -> None:
        self._form, self._evidence = form, evidence
        self._quotes = list(evidence.quotes)
        self._dropped = 0

    def read(self, reply: _Reply) -> Composed:
        """Return the sound part of an answer; raises `ValueError` when it says something and nothing of it is sound."""
        lead = reply.answer if self._form is Format.DIRECT_ANSWER else reply.summary
        lead = lead if lead is not None else (reply.answer or reply.summary)
        said = _sentences(lead)
        if not said and not (reply.key_points or reply.events or reply.relationships):
            return Composed(None, self._evidence)
        told = Told(
            lead=tuple(self._sound(said)),
            points=tuple(self._sound(_sentences(cast(Any, reply.key_points)))),
            events=tuple(self._events(reply.events)),
            ties=tuple(self._ties(reply.relationships)),
        )
        names = dict.fromkeys([name for tie in told.ties for name in (tie.source, tie.target)])
        told = replace(told, entities=tuple(names | dict.fromkeys(self._named(reply.entities))))
        if not told.lead:
            raise ValueError("no sentence of it follows from the memories that it cites")
        return Composed(told, replace(self._evidence, quotes=tuple(self._quotes)), self._dropped)

    def _sound(self, sentences: Sequence[_Sentence]) -> Iterator[Said]:
        for sentence in sentences:
            cited = self._cited(sentence.cites)
            for text in split(" ".join(sentence.text.split())):
                if cited and self._holds(text, cited):
                    yield Said(text, cited)
                else:
                    self._dropped += 1

    def _events(self, events: Sequence[_Sentence]) -> Iterator[Event]:
        for event in events:
            for said in list(self._sound([event]))[:1]:
                if _DATE.fullmatch(event.date) and self._holds(event.date, said.quotes):
                    yield Event(event.date, said)
                else:
                    self._dropped += 1

    def _ties(self, relations: Sequence[_Relation]) -> Iterator[Tie]:
        for each in relations:
            cited = self._cited(each.cites)
            held = " ".join(self._quotes[place].memory.content.casefold() for place in cited)
            ends = [" ".join(end.split()) for end in (each.source, each.target)]
            if cited and _RELATION.fullmatch(each.relation) and all(end and end.casefold() in held for end in ends):
                yield Tie(ends[0], each.relation, ends[1], cited)
            else:
                self._dropped += 1

    def _named(self, names: Sequence[str]) -> Iterator[str]:
        held = " ".join(quote.memory.content.casefold() for quote in self._quotes)
        yield from (name for name in (" ".join(each.split()) for each in names) if name and name.casefold() in held)

    def _holds(self, text: str, cited: Sequence[int]) -> bool:
        return is_founded(text, [self._quotes[place] for place in cited], self._evidence.query)

    def _cited(self, cites: Sequence[Any]) -> tuple[int, ...]:
        """Return the places of the quotes that are cited; () when one is not there, or quoted in other words."""
        places: dict[int, None] = {}
        for cite in cites:
            number, words = (cite.get("memory"), cite.get("quote")) if isinstance(cite, Mapping) else (cite, None)
            if type(number) is not int or not 1 <= number <= len(self._quotes):
                return ()
            if words is not None and not self._quoted(number - 1, words):
                return ()
            places[number - 1] = None
        return tuple(places)

    def _quoted(self, place: int, words: object) -> bool:
        """Say whether words stand in a memory; if they do, they are what is quoted of it from now on."""
        quote = self._quotes[place]
        if not isinstance(words, str) or not words.strip():
            return False
        text = words.strip()
        if text not in quote.memory.content:
            return " ".join(text.split()) in " ".join(quote.memory.content.split())
        if quote == self._evidence.quotes[place] and _SHORTEST_QUOTE <= len(text) < len(quote.text):
            self._quotes[place] = Quote(quote.hit, text)
        return True


def _sentences(given: Sequence[_Sentence | str] | str | None) -> list[_Sentence]:
    """Return sentences as such; a plain text cites by marks such as [1]."""
    if given is None:
        return []
    parts = [given] if isinstance(given, str) else given
    return [_marked(part) if isinstance(part, str) else part for part in parts if part != ""]


def _marked(text: str) -> _Sentence:
    return _Sentence(_MARK.sub("", text).strip(), [int(found[1]) for found in _MARK.finditer(text)])
