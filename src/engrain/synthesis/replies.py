"""Replies of a language model, reduced to what their sources support."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import Any, cast

from engrain.language.cues import speaks_of_oneself
from engrain.language.dates import dates, day_words, is_known, known_days, times
from engrain.language.locales import LOCALES, expression, union
from engrain.language.names import folded, is_held, names
from engrain.language.numbers import Figure, Key, figures, plain
from engrain.language.polarity import Claims, claims, contradicts
from engrain.language.questions import refers_to_person
from engrain.language.sentences import sentences as split
from engrain.language.time_words import Day
from engrain.language.tokens import content_pairs, is_stop, stem, terms, words
from engrain.model.memory import Memory, SourceType
from engrain.model.results import Format
from engrain.security.injection.detector import suspicions
from engrain.synthesis.evidence import Event, Evidence, Quote, Said, Tie, Told, found_in, is_telling
from engrain.text import pattern

_COUNTED = 20  # the highest number that may be a count of what is cited
_LINK = pattern(r"(?i)\b(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.\w[\w.-]*")
_WRITTEN = 1500
"""Characters of a memory that are shown, and read."""


@dataclass(frozen=True, slots=True)
class Ground:
    """What a cited memory bears out: reckoned once, whatever rests on it."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    days: frozenset[Day]
    minutes: frozenset[int]
    keys: frozenset[Key]
    counted: dict[str, frozenset[Decimal]]
    claims: Claims
    speaks: bool


def shown(content: str, quote: str) -> str:
    """Return what of a memory is shown to a model: the whole when it is not long, else what is quoted of it."""
    return content if len(content) <= _WRITTEN else quote[:_WRITTEN]


def ground(memory: Memory, text: str) -> Ground:
    """Return what a memory bears out, by a part of its text."""
    text = plain(text)
    _, rest = dates(text)
    clock, rest = times(rest)
    found = figures(rest)
    days = known_days(text, memory.valid_from)
    by = f"{memory.actor or ''} {memory.scope.user or ''} {memory.scope.agent or ''} {' '.join(memory.entities)}"
    held = frozenset(words(f"{text} {by}")) | frozenset(map(folded, f"{text} {by}".split()))
    counted: dict[str, set[Decimal]] = defaultdict(set)
    for figure in found:
        counted[figure.noun] |= figure.values
    keys = {key for figure in found for key in figure.keys}
    keys |= {("num", value) for figure in found for value in figure.values}
    return Ground(
        text=text.casefold(),
        terms=frozenset(terms(f"{text} {by}")),
        names=held | day_words(days) | frozenset(map(stem, held)),
        days=days,
        minutes=frozenset(minute for each in clock for minute in each),
        keys=frozenset(keys),
        counted={noun: frozenset(values) for noun, values in counted.items()},
        claims=claims(text),
        speaks=(not memory.actor and speaks_of_oneself(text)) or refers_to_person(text),
    )


def is_founded(text: str, grounds: Sequence[Ground], query: str = "", *, counting: bool = True) -> bool:
    """Say whether a sentence may rest on memories; names of the question count where they speak as I, she or he.

    A bare yes or no may, and so may the number of memories when `counting`.
    """
    text = _without_yes_or_no(plain(text))
    if not text:
        return bool(grounds)
    return (
        _shares(text, grounds)
        and has_names(text, grounds, query)
        and all(any(link.casefold() in each.text for each in grounds) for link in _LINK.findall(text))
        and _has_figures(text, grounds, counting)
        and not contradicts(text, [each.claims for each in grounds])
    )


def _shares(text: str, grounds: Sequence[Ground]) -> bool:
    """Say whether a sentence and its memories share a word, a time or a figure."""
    there = frozenset(terms(text)) | frozenset(words(text))
    if any(not there.isdisjoint(each.terms | each.names) for each in grounds):
        return True
    said, rest = dates(text)
    clock, rest = times(rest)
    return bool(said or clock or figures(rest))


def has_names(text: str, grounds: Sequence[Ground], query: str) -> bool:
    """Say whether every name of a sentence is one of its memories."""
    held = frozenset(name for each in grounds for name in each.names)
    if any(each.speaks for each in grounds):
        held |= frozenset(map(folded, words(query)))
    rest = _LINK.sub(" ", dates(text)[1])
    return all(is_held(name, held) for name in names(rest))


def _has_figures(text: str, grounds: Sequence[Ground], counting: bool) -> bool:
    """Say whether every date, time and number of a sentence is one of its memories."""
    said, rest = dates(_LINK.sub(" ", text))
    days = frozenset(day for each in grounds for day in each.days)
    keys = frozenset(key for each in grounds for key in each.keys)
    minutes = frozenset(minute for each in grounds for minute in each.minutes)
    if not all(is_known(day, days) or _is_plain_year(day, keys) for day in said):
        return False
    clock, rest = times(rest)
    if any(each.isdisjoint(minutes) for each in clock):
        return False
    counts = {("num", Decimal(len(grounds)).normalize())} if counting and len(grounds) <= _COUNTED else set()
    return all(_is_borne(figure, grounds, keys | counts) for figure in figures(rest))


def _is_plain_year(said: tuple[Day, ...], keys: frozenset[Key]) -> bool:
    return all(not month and not day and ("num", Decimal(year).normalize()) in keys for year, month, day in said)


def _is_borne(figure: Figure, grounds: Sequence[Ground], keys: frozenset[Key]) -> bool:
    """Say whether a number stands in memories, and they do not count other numbers of the same thing."""
    others = [each.counted for each in grounds if figure.noun and figure.noun in each.counted]
    told = [values for counted in others for values in (counted[figure.noun], counted.get("", frozenset()))]
    if others and all(figure.values.isdisjoint(values) for values in told):
        return False
    return not figure.sure or not figure.keys.isdisjoint(keys)


@cache
def _relation_groups() -> tuple[frozenset[str], ...]:
    groups = (group for locale in LOCALES.values() for group in locale.relation_groups)
    return tuple(frozenset(map(stem, group.split())) for group in groups)


@cache
def _plain_relations() -> frozenset[str]:
    return frozenset(map(stem, union("plain_relations")))


def is_named(name: str, held: Ground) -> bool:
    """Say whether a memory, or whoever says it, has a name as whole words; a word such as "an" is no name."""
    text = plain(name).casefold()
    if not text or all(map(is_stop, text.split())) or not content_pairs(text):
        return False
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", held.text):
        return True
    parts = words(text)
    return (bool(parts) and (all(part in held.names for part in parts) and len(parts) == 1)) or _unspaced(
        text, held.text
    )


def _unspaced(name: str, text: str) -> bool:
    return not name.isascii() and ord(max(name)) > _UNSPACED and name in text


_UNSPACED = 0xDFF  # from here on come the scripts that part no words


def is_borne(source: str, relation: str, target: str, held: Sequence[Ground]) -> bool:
    """Say whether memories state a relation, as far as their words show it."""
    if source.casefold() == target.casefold():
        return False
    if not all(any(is_named(end, each) for each in held) for end in (source, target)):
        return False
    said = relation.replace("_", " ")
    terms = {term for _, term in content_pairs(said)} - _plain_relations()
    there = frozenset(term for each in held for term in each.terms)
    kinds = [kind for kind in _relation_groups() if not kind.isdisjoint(terms)]
    if terms and terms.isdisjoint(there) and all(kind.isdisjoint(there) for kind in kinds):
        return False
    return not contradicts(f"{source} {said} {target}", [each.claims for each in held])


MOST_SAID, MOST_POINTS, MOST_EVENTS, MOST_TIES = 8, 7, 50, 60
"""What is kept of an answer at most."""
_LONGEST = 2000  # characters of a sentence as a model writes it down
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_RELATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


def _without_yes_or_no(text: str) -> str:
    """Return a text without a plain yes or no that it opens with."""
    return re.sub(rf"^\W*{expression('plain_yes_no').pattern}[\s,.;:!–—-]*", "", text, flags=re.IGNORECASE)


@cache
def _unknown() -> re.Pattern[str]:
    phrases = "|".join(locale.unknown for locale in LOCALES.values() if locale.unknown)
    return re.compile(rf"\W*(?:sorry\W+)?(?:{phrases})[^.!?]*[.!]?\W*", re.IGNORECASE)


def _is_unknown(text: str) -> bool:
    return _unknown().fullmatch(text) is not None


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
        if (not said and not rest) or (said and all(_is_unknown(each.text) for each in said)):
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
        if not _without_yes_or_no(text):
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
