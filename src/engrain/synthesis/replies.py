"""Replies of a language model, reduced to what the memories that they cite support."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from typing import Any

from engrain.language.comparison import (
    Claims,
    Key,
    claims,
    contradicts,
    dates,
    day_words,
    figures,
    is_known,
    known_days,
    plain,
    times,
)
from engrain.language.cues import speaks_of_oneself
from engrain.language.dates import Day
from engrain.language.locales import LOCALES, expression, union
from engrain.language.names import folded, is_form_among, names
from engrain.language.questions import refers_to_person
from engrain.language.tokens import content_pairs, is_stop, sentences, stem, terms, words
from engrain.model.memory import Memory, SourceType
from engrain.model.results import Format
from engrain.security.injection import suspicions
from engrain.synthesis.evidence import (
    UNSPACED,
    AnswerParts,
    Cited,
    CitedRelation,
    Event,
    Evidence,
    Quote,
    found_in,
    is_meaningful,
)
from engrain.text import pattern

# ----------------------------------------------------------------------------------------------- what a memory supports

_COUNTED = 20  # the highest number that may be a count of the cited memories
_LINK = pattern(r"(?i)\b(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.\w[\w.-]*")
_SHOWN = 1500  # characters of a memory that a model receives


@dataclass(frozen=True, slots=True)
class Ground:
    """What a cited memory supports: its words, names, days, minutes, figures and claims; `speaks` of I, she or he."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    days: frozenset[Day]
    minutes: frozenset[int]
    keys: frozenset[Key]
    counted: Mapping[str, Collection[Decimal]]
    claims: Claims
    speaks: bool


def shown(content: str, quote: str) -> str:
    """Return the part of a memory that a model receives: the whole when it is short, else what is quoted of it."""
    return content if len(content) <= _SHOWN else quote[:_SHOWN]


def ground(memory: Memory, text: str) -> Ground:
    """Return what a memory supports, by a part of its text."""
    text = plain(text)
    clock, rest = times(dates(text)[1])
    found = figures(rest)
    days = known_days(text, memory.valid_from)
    by = f"{memory.actor or ''} {memory.scope.user or ''} {memory.scope.agent or ''} {' '.join(memory.entities)}"
    there = frozenset(words(f"{text} {by}")) | frozenset(map(folded, f"{text} {by}".split()))
    counted: dict[str, set[Decimal]] = defaultdict(set)
    for figure in found:
        counted[figure.noun] |= figure.values
    return Ground(
        text=text.casefold(),
        terms=frozenset(terms(f"{text} {by}")),
        names=there | day_words(days) | frozenset(map(stem, there)),
        days=days,
        minutes=frozenset(minute for each in clock for minute in each),
        keys=frozenset(key for figure in found for key in (*figure.keys, *(("num", value) for value in figure.values))),
        counted=dict(counted),
        claims=claims(text),
        speaks=(not memory.actor and speaks_of_oneself(text)) or refers_to_person(text),
    )


def is_supported(text: str, grounds: Sequence[Ground], query: str = "", *, counting: bool = True) -> bool:
    """Say whether memories support a sentence; names of the question count where they speak as I, she or he.

    They support a bare yes or no, and with `counting` their own number.
    """
    text = _without_yes_or_no(plain(text))
    if not text:
        return bool(grounds)
    return (
        _shares_content(text, grounds)
        and has_names(text, grounds, query)
        and all(any(link.casefold() in each.text for each in grounds) for link in _LINK.findall(text))
        and _has_figures(text, grounds, counting)
        and not contradicts(text, [each.claims for each in grounds])
    )


def _shares_content(text: str, grounds: Sequence[Ground]) -> bool:
    """Say whether a sentence shares a word with its memories, or has a date, a time or a figure."""
    there = frozenset(terms(text)) | frozenset(words(text))
    if any(not there.isdisjoint(each.terms | each.names) for each in grounds):
        return True
    days, rest = dates(text)
    clock, rest = times(rest)
    return bool(days or clock or figures(rest))


def has_names(text: str, grounds: Sequence[Ground], query: str) -> bool:
    """Say whether every name of a sentence is in its memories."""
    known = frozenset(name for each in grounds for name in each.names)
    if any(each.speaks for each in grounds):
        known |= frozenset(map(folded, words(query)))
    return all(is_form_among(name, known) for name in names(_LINK.sub(" ", dates(text)[1])))


def _has_figures(text: str, grounds: Sequence[Ground], counting: bool) -> bool:
    """Say whether every date, time and number of a sentence is in its memories.

    A number is not where they count other numbers of the same thing.
    """
    stated, rest = dates(_LINK.sub(" ", text))
    clock, rest = times(rest)
    days = frozenset(day for each in grounds for day in each.days)
    keys = frozenset(key for each in grounds for key in each.keys)
    minutes = frozenset(minute for each in grounds for minute in each.minutes)
    for parts in stated:
        is_year = all(not month and not day and _number(year) in keys for year, month, day in parts)
        if not is_year and not is_known(parts, days):
            return False
    if any(each.isdisjoint(minutes) for each in clock):
        return False
    if counting and len(grounds) <= _COUNTED:
        keys |= {_number(len(grounds))}
    for figure in figures(rest):
        others = [each.counted for each in grounds if figure.noun and figure.noun in each.counted]
        if others and all(figure.values.isdisjoint((*each[figure.noun], *each.get("", ()))) for each in others):
            return False
        if figure.sure and figure.keys.isdisjoint(keys):
            return False
    return True


def _number(value: int) -> Key:
    return "num", Decimal(value).normalize()


@cache
def _relation_groups() -> tuple[frozenset[str], ...]:
    groups = (group for locale in LOCALES.values() for group in locale.relation_groups)
    return tuple(frozenset(map(stem, group.split())) for group in groups)


@cache
def _plain_relations() -> frozenset[str]:
    return frozenset(map(stem, union("plain_relations")))


def is_named(name: str, memory: Ground) -> bool:
    """Say whether a memory, or its author, has a name as whole words; a word such as "an" is no name."""
    text = plain(name).casefold()
    if not text or all(map(is_stop, text.split())) or not content_pairs(text):
        return False
    parts = words(text)
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", memory.text) or (len(parts) == 1 and parts[0] in memory.names):
        return True
    return ord(max(text)) > UNSPACED and text in memory.text


def is_relation(source: str, relation: str, target: str, grounds: Sequence[Ground]) -> bool:
    """Say whether memories state a relation, as far as their words show it."""
    if source.casefold() == target.casefold():
        return False
    if not all(any(is_named(end, each) for each in grounds) for end in (source, target)):
        return False
    relation = relation.replace("_", " ")
    wanted = {term for _, term in content_pairs(relation)} - _plain_relations()
    there = frozenset(term for each in grounds for term in each.terms)
    groups = [group for group in _relation_groups() if not group.isdisjoint(wanted)]
    if wanted and wanted.isdisjoint(there) and all(group.isdisjoint(there) for group in groups):
        return False
    return not contradicts(f"{source} {relation} {target}", [each.claims for each in grounds])


# ------------------------------------------------------------------------------------------------------ what is replied

_LEADS, _POINTS, _EVENTS, _RELATIONS = 8, 7, 50, 60  # of an answer that are kept at most
_LONGEST = 2000  # characters of a sentence
DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_RELATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")


@dataclass
class ReplySentence:
    """A sentence of a reply; cites are numbers, or objects with `memory` and `quote`."""

    text: str
    cites: list[Any] = field(default_factory=list)
    date: str = ""

    def __post_init__(self) -> None:
        self.text, self.date = _clean(self.text), _clean(self.date)


@dataclass
class ReplyRelation:
    """A relation of a reply."""

    source: str
    relation: str
    target: str
    cites: list[Any] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.source, self.relation, self.target = map(_clean, (self.source, self.relation, self.target))


@dataclass
class SynthesisReply:
    """The reply of a model in any of the formats."""

    answer: list[ReplySentence] | str | None = None
    summary: list[ReplySentence] | str | None = None
    key_points: list[ReplySentence | str] = field(default_factory=list)
    events: list[ReplySentence] = field(default_factory=list)
    entities: list[str] = field(default_factory=list)
    relationships: list[ReplyRelation] = field(default_factory=list)

    def __post_init__(self) -> None:
        if self.answer is None and self.summary is None:
            raise ValueError("it has neither an answer nor a summary")


def _clean(text: str) -> str:
    """Return a text without lone surrogates and control characters."""
    return _UNPRINTED.sub("", text)


def _sentences(given: Sequence[ReplySentence | str] | str) -> list[ReplySentence]:
    """Return sentences as such; a plain text cites by marks such as [1]."""
    return [
        ReplySentence(_MARK.sub("", part).strip(), [int(mark) for mark in _MARK.findall(part)])
        if isinstance(part, str)
        else part
        for part in ([given] if isinstance(given, str) else given)
        if part != ""
    ]


def _without_yes_or_no(text: str) -> str:
    """Return a text without the plain yes or no that it begins with."""
    return re.sub(rf"^\W*{expression('plain_yes_no').pattern}[\s,.;:!–—-]*", "", text, flags=re.IGNORECASE)


@cache
def _unknown() -> re.Pattern[str]:
    """Return the pattern of a sentence that says the answer is not known."""
    phrases = "|".join(locale.unknown for locale in LOCALES.values() if locale.unknown)
    return re.compile(rf"\W*(?:sorry\W+)?(?:{phrases})[^.!?]*[.!]?\W*", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Composed:
    """A model's answer: its supported parts, None when it found no answer, and the evidence with the quotes it chose.

    `dropped` counts the statements that their sources do not support, `cut` those beyond what an answer keeps.
    """

    parts: AnswerParts | None
    evidence: Evidence
    dropped: int = 0
    cut: int = 0


class ReplyReader:
    """Reads one reply, and keeps what its sources support."""

    def __init__(self, form: Format, evidence: Evidence) -> None:
        self._form, self._evidence = form, evidence
        self._quotes = list(evidence.quotes)
        self._grounds: dict[int, Ground] = {}
        self._dropped = self._cut = 0

    def read(self, reply: SynthesisReply) -> Composed:
        """Return the supported parts of an answer; raises `ValueError` when it has statements and none is supported."""
        first, second = reply.answer, reply.summary
        if self._form is not Format.DIRECT_ANSWER:
            first, second = second, first
        lead = _sentences((first if first is not None else second) or [])
        rest = reply.key_points or reply.events or reply.relationships
        if (not lead and not rest) or (lead and all(_unknown().fullmatch(each.text) for each in lead)):
            return Composed(None, self._evidence)
        parts = AnswerParts(
            lead=tuple(self._supported(lead, _LEADS)),
            points=tuple(self._supported(_sentences(reply.key_points), _POINTS)),
            events=tuple(self._events(reply.events)),
            relations=tuple(self._relations(reply.relationships)),
        )
        if not parts.lead:
            raise ValueError("no sentence of it follows from the memories that it cites")
        every = [self._ground(place) for place in range(len(self._quotes))]
        listed = (" ".join(_clean(name).split()) for name in reply.entities[:_RELATIONS])
        names = [end for each in parts.relations for end in (each.source, each.target)]
        names += [name for name in listed if any(is_named(name, each) for each in every)]
        parts = replace(parts, entities=tuple(dict.fromkeys(names))[:_RELATIONS])
        return Composed(parts, replace(self._evidence, quotes=tuple(self._quotes)), self._dropped, self._cut)

    def _supported(self, given: Sequence[ReplySentence], most: int) -> Iterator[Cited]:
        kept = 0
        self._cut += max(len(given) - 2 * most, 0)
        for sentence in given[: 2 * most]:
            cited = self._cited(sentence.cites)
            for text in sentences(" ".join(sentence.text[:_LONGEST].split())):
                if not cited or not self._supports(text, cited, sentence) or len(sentence.text) > _LONGEST:
                    self._dropped += 1
                elif kept == most:
                    self._cut += 1
                else:
                    kept += 1
                    yield Cited(text, cited)

    def _supports(self, text: str, cited: Sequence[int], sentence: ReplySentence) -> bool:
        if not _without_yes_or_no(text):
            return any(isinstance(cite, Mapping) and cite.get("quote") for cite in sentence.cites)
        if suspicions(text, SourceType.LLM_GENERATED):
            return False
        return is_supported(text, [self._ground(place) for place in cited], self._evidence.query)

    def _events(self, events: Sequence[ReplySentence]) -> Iterator[Event]:
        self._cut += max(len(events) - _EVENTS, 0)
        for event in events[:_EVENTS]:
            for sentence in list(self._supported([event], 1)):
                grounds = [self._ground(place) for place in sentence.quotes]
                if DATE.fullmatch(event.date) and is_supported(event.date, grounds, counting=False):
                    yield Event(event.date, sentence)
                else:
                    self._dropped += 1

    def _relations(self, relations: Sequence[ReplyRelation]) -> Iterator[CitedRelation]:
        self._cut += max(len(relations) - _RELATIONS, 0)
        for each in relations[:_RELATIONS]:
            cited = self._cited(each.cites)
            source, target = (" ".join(end.split()) for end in (each.source, each.target))
            grounds = [self._ground(place) for place in cited]
            if cited and _RELATION.fullmatch(each.relation) and is_relation(source, each.relation, target, grounds):
                yield CitedRelation(source, each.relation, target, cited)
            else:
                self._dropped += 1

    def _ground(self, place: int) -> Ground:
        """Return what a quote supports; computed once."""
        if place not in self._grounds:
            quote = self._evidence.quotes[place]
            self._grounds[place] = ground(quote.memory, shown(quote.memory.content, quote.text))
        return self._grounds[place]

    def _cited(self, cites: Sequence[Any]) -> tuple[int, ...]:
        """Return the places of the cited quotes; () when one does not exist, or is quoted in other words."""
        places: dict[int, None] = {}
        for cite in cites:
            number, quoted = (cite.get("memory"), cite.get("quote")) if isinstance(cite, Mapping) else (cite, None)
            if type(number) is not int or not 1 <= number <= len(self._quotes):
                return ()
            if quoted is not None and not self._quoted(number - 1, quoted):
                return ()
            places[number - 1] = None
        return tuple(places)

    def _quoted(self, place: int, quoted: object) -> bool:
        """Say whether words are in a memory as the model received it; if so, they become its quote."""
        whole = self._evidence.quotes[place]
        content = whole.memory.content
        text = found_in(shown(content, whole.text), quoted) if isinstance(quoted, str) else None
        if text is None or not is_meaningful(text, content):
            return False
        if self._quotes[place] == whole and len(text) < len(whole.text):
            self._quotes[place] = Quote(whole.hit, text)
        return True
