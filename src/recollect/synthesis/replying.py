"""What a model replies, and what of it its sources bear out: the rest is left out, and counted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, cast

from recollect.answers import Format
from recollect.models import SourceType
from recollect.patterns import pattern
from recollect.security.injection.judging import suspicions
from recollect.synthesis.founded import Ground, ground, is_founded, shown
from recollect.synthesis.parts import Event, Evidence, Quote, Said, Tie, Told
from recollect.synthesis.quoting import found_in, is_telling
from recollect.synthesis.relating import is_borne, is_named
from recollect.text import sentences as split

MOST_SAID, MOST_POINTS, MOST_EVENTS, MOST_TIES = 8, 7, 50, 60
"""What is kept of an answer at most."""
_LONGEST = 2000  # characters of a sentence as a model writes it down
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_RELATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_YES_NO = pattern(r"(?i)\W*(?:yes|no|ja|nein|sí|si|oui|non)\W*")
_TELLS = r"(?:say|tell|mention|contain|answer|state|hold|provide|know)s?"
_UNKNOWN = pattern(
    r"(?i)\W*(?:sorry\W+)?(?:i (?:do not|don['’]t|cannot|can['’]t) (?:know|tell|say)"
    r"|(?:it is |that is |it['’]s )?(?:not known|unknown|unclear|not (?:mentioned|stated|specified|said))"
    rf"|(?:the |these )?memor(?:y|ies) (?:do not|does not|don['’]t|doesn['’]t) {_TELLS}|no memor(?:y|ies) {_TELLS}"
    r"|(?:there is )?no (?:answer|information|record)\b|not enough information|n/a"
    r"|(?:das )?(?:ich )?weiß (?:ich )?(?:es )?nicht|(?:das ist )?nicht bekannt|unbekannt"
    r"|no (?:lo )?s[eé]\b|no se sabe|desconocido|je ne sais pas|on ne sait pas|inconnu)[^.!?]*[.!]?\W*"
)


@dataclass
class Sentence:
    """A sentence as a model writes it down; cites are numbers, or objects with `memory` and `quote`."""

    text: str
    cites: list[Any] = field(default_factory=list)
    date: str = ""

    def __post_init__(self) -> None:
        self.text, self.date = _clean(self.text), _clean(self.date)


@dataclass
class Relation:
    """A relation as a model writes it down."""

    source: str
    relation: str
    target: str
    cites: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source, self.relation, self.target = map(_clean, (self.source, self.relation, self.target))


@dataclass
class Reply:
    """What a model answers in any of the formats."""

    answer: list[Sentence] | str | None = None
    summary: list[Sentence] | str | None = None
    key_points: list[Sentence | str] = field(default_factory=list)
    events: list[Sentence] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    relationships: list[Relation] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.answer is None and self.summary is None:
            raise ValueError("it has neither an answer nor a summary")

    def lead(self, form: Format) -> list[Sentence]:
        """Return the sentences of its answer or summary, whichever the format has."""
        first, second = (self.answer, self.summary) if form is Format.DIRECT_ANSWER else (self.summary, self.answer)
        return _sentences(first if first is not None else second)


@dataclass(frozen=True, slots=True)
class Composed:
    """What a model made of evidence: the answer, None when it found none in it, and the quotes as it gave them.

    `dropped` counts what it said that its sources do not bear out, `cut` what was more than an answer holds.
    """

    told: Told | None
    evidence: Evidence
    dropped: int = 0
    cut: int = 0


class Reader:
    """Reads one answer, and keeps of it what its sources bear out."""

    def __init__(self, form: Format, evidence: Evidence) -> None:
        self._form, self._evidence = form, evidence
        self._quotes = list(evidence.quotes)
        self._grounds: dict[int, Ground] = {}
        self._dropped = self._cut = 0

    def read(self, reply: Reply) -> Composed:
        """Return the sound part of an answer; raises `ValueError` when it says something and nothing of it is sound."""
        said = reply.lead(self._form)
        rest = reply.key_points or reply.events or reply.relationships
        if (not said and not rest) or (said and all(_UNKNOWN.fullmatch(each.text) for each in said)):
            return Composed(None, self._evidence)
        told = Told(
            lead=tuple(self._sound(said, MOST_SAID)),
            points=tuple(self._sound(_sentences(cast(Any, reply.key_points)), MOST_POINTS)),
            events=tuple(self._events(reply.events)),
            ties=tuple(self._ties(reply.relationships)),
        )
        names = dict.fromkeys([name for tie in told.ties for name in (tie.source, tie.target)])
        named = dict.fromkeys(self._named(reply.entities[:MOST_TIES]))
        told = replace(told, entities=tuple(names | named)[:MOST_TIES])
        if not told.lead:
            raise ValueError("no sentence of it follows from the memories that it cites")
        return Composed(told, replace(self._evidence, quotes=tuple(self._quotes)), self._dropped, self._cut)

    def _first(self, entries: Sequence[Any], most: int) -> Sequence[Any]:
        self._cut += max(len(entries) - most, 0)
        return entries[:most]

    def _sound(self, sentences: Sequence[Sentence], most: int) -> Iterator[Said]:
        kept = 0
        for sentence in self._first(sentences, 2 * most):
            cited = self._cited(sentence.cites)
            for text in split(" ".join(sentence.text[:_LONGEST].split())):
                if not cited or not self._holds(text, cited, sentence) or len(sentence.text) > _LONGEST:
                    self._dropped += 1
                elif kept == most:
                    self._cut += 1
                else:
                    kept += 1
                    yield Said(text, cited)

    def _events(self, events: Sequence[Sentence]) -> Iterator[Event]:
        for event in self._first(events, MOST_EVENTS):
            for said in list(self._sound([event], 1)):
                if _DATE.fullmatch(event.date) and is_founded(event.date, self._of(said.quotes), counting=False):
                    yield Event(event.date, said)
                else:
                    self._dropped += 1

    def _ties(self, relations: Sequence[Relation]) -> Iterator[Tie]:
        for each in self._first(relations, MOST_TIES):
            cited = self._cited(each.cites)
            source, target = (" ".join(end.split()) for end in (each.source, each.target))
            sound = cited and _RELATION.fullmatch(each.relation)
            if sound and is_borne(source, each.relation, target, [self._ground(place) for place in cited]):
                yield Tie(source, each.relation, target, cited)
            else:
                self._dropped += 1

    def _named(self, given: Sequence[str]) -> Iterator[str]:
        grounds = [self._ground(place) for place in range(len(self._quotes))]
        for name in (" ".join(_clean(each).split()) for each in given):
            if any(is_named(name, each) for each in grounds):
                yield name

    def _holds(self, text: str, cited: Sequence[int], sentence: Sentence) -> bool:
        if _YES_NO.fullmatch(text):
            return any(isinstance(cite, Mapping) and cite.get("quote") for cite in sentence.cites)
        if suspicions(text, SourceType.LLM_GENERATED):
            return False
        return is_founded(text, self._of(cited), self._evidence.query)

    def _of(self, cited: Sequence[int]) -> list[Ground]:
        return [self._ground(place) for place in cited]

    def _ground(self, place: int) -> Ground:
        """Return what a quote bears out; reckoned once."""
        if place not in self._grounds:
            quote = self._evidence.quotes[place]
            self._grounds[place] = ground(quote.memory, shown(quote.memory.content, quote.text))
        return self._grounds[place]

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
        """Say whether words stand in a memory as it was shown; if so, they are what is quoted from now on."""
        whole = self._evidence.quotes[place]
        seen = shown(whole.memory.content, whole.text)
        text = found_in(seen, words) if isinstance(words, str) else None
        if text is None or not is_telling(text, whole.memory.content):
            return False
        if self._quotes[place] == whole and len(text) < len(whole.text):
            self._quotes[place] = Quote(whole.hit, text)
        return True


def _clean(text: str) -> str:
    """Return a text without what no text can hold: lone surrogates and control characters."""
    return _UNPRINTED.sub("", text)


def _sentences(given: Sequence[Sentence | str] | str | None) -> list[Sentence]:
    """Return sentences as such; a plain text cites by marks such as [1]."""
    if given is None:
        return []
    parts = [given] if isinstance(given, str) else given
    return [_marked(part) if isinstance(part, str) else part for part in parts if part != ""]


def _marked(text: str) -> Sentence:
    return Sentence(_MARK.sub("", text).strip(), [int(found[1]) for found in _MARK.finditer(text)])
