"""Model replies: `ReplyReader` keeps what the cited memories support, `quality` and `errors_of` check answers."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from engrain.engine import Engine
from engrain.language.antecedents import clauses_of
from engrain.language.calendar import Day
from engrain.language.comparison import Claims, claims, contradicts, dates, is_known, plain, times
from engrain.language.cues import without_yes_or_no, yes_or_no
from engrain.language.dates import time_expressions
from engrain.language.entailment import denies_opposite, follows
from engrain.language.locales import LOCALES, has_any, phrases
from engrain.language.names import folded, is_form_among, names
from engrain.language.query import parse
from engrain.language.questions import Key, figures, refers_to_person
from engrain.language.reading import Clause
from engrain.language.sameness import Speakers
from engrain.language.tokens import content_pairs, is_stop, sentences, stem, terms, terms_of_fields, words
from engrain.model.filters import Test, reachable
from engrain.model.memory import USER, Memory, Scope, SourceType, Status, speaker
from engrain.model.results import OFFLINE, Format
from engrain.read.request import PointInTime, conditions_at, point_in_time, reading
from engrain.security.injection import Signs
from engrain.storage.rows import Record
from engrain.synthesis import evidence as evidences
from engrain.synthesis.evidence import ENDS, MOST, AnswerParts, Cited, CitedRelation, Event, Evidence, is_meaningful
from engrain.text import pattern

_COUNTED = 20  # the highest number that may be a count of the cited memories
_LINK = pattern(r"(?i)\b(?:https?://|www\.)\S+|[\w.+-]+@[\w-]+\.\w[\w.-]*")
_SHOWN = 1500  # characters of a memory in a prompt
_LONGEST = 2000  # characters of a sentence
DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")
_RELATION = re.compile(r"[a-z][a-z0-9_]{1,40}")
_MARK = re.compile(r"\s*\[(\d{1,3})\]")
_UNPRINTED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff]")
_UNKNOWN = pattern(rf"\W*(?:sorry\W+)?(?:{phrases('unknown')})[^.!?]*[.!]?\W*", re.IGNORECASE)  # as the whole reply
LEAST = 0.3
"""The minimum confidence of an answer."""
_GRADES = ((0.8, "EXCELLENT"), (0.5, "GOOD"))
_STATEMENTS = 500  # sentences and relations of an answer that are checked
_LONGEST_ANSWER = 20_000  # characters of an answer that are checked
_AROUND = 1500  # characters around a quote that may support a sentence
_LONGEST_ID = 1000  # characters
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Ground:
    """The content that a cited memory supports: words, names, days, minutes, figures, claims; `speaks` of "I", "he"."""

    text: str
    terms: frozenset[str]
    names: frozenset[str]
    days: frozenset[Day]
    minutes: frozenset[int]
    keys: frozenset[Key]
    counted: Mapping[str, Collection[Decimal]]
    claims: Claims
    speaks: bool
    clauses: tuple[tuple[Clause, Speakers], ...]


def shown(content: str, quote: str) -> str:
    """Return the part of a memory that a prompt has: the whole if it is short, else what is quoted of it."""
    return content if len(content) <= _SHOWN else quote[:_SHOWN]


def ground(memory: Memory, text: str) -> Ground:
    """Return the content that a part of a memory's text supports."""
    text = plain(text)
    clock, rest = times(dates(text)[1])
    found = figures(rest)
    asker = (memory.scope.user or USER).lower()
    speakers = Speakers(asker, (speaker(memory) or ("" if memory.actor not in (None, "user") else asker)).lower())
    days = _known_days(text, memory.stated_at)
    by = f"{memory.actor or ''} {memory.scope.user or ''} {memory.scope.agent or ''} {' '.join(memory.entities)}"
    there = frozenset(words(f"{text} {by}")) | frozenset(map(folded, f"{text} {by}".split()))
    counted: dict[str, set[Decimal]] = defaultdict(set)
    for figure in found:
        counted[figure.noun] |= figure.values
    return Ground(
        text=text.casefold(),
        terms=frozenset(terms(f"{text} {by}")),
        names=there | _day_words(days) | frozenset(map(stem, there)),
        days=days,
        minutes=frozenset(minute for each in clock for minute in each),
        keys=frozenset(key for figure in found for key in (*figure.keys, *(("num", value) for value in figure.values))),
        counted=dict(counted),
        claims=claims(text),
        speaks=(not memory.actor and has_any(text, "first_person_words")) or refers_to_person(text),
        clauses=tuple((clause, speakers) for clause in clauses_of(text)),
    )


def _known_days(text: str, at: datetime) -> frozenset[Day]:
    """Return the day on which a text was written, and the days that it may refer to; 0 for an open part."""
    today = at.date()
    days = {(today.year, today.month, today.day)}
    for each in time_expressions(text):
        years = set[int]()
        for span in (*each.spans(today), *each.spans(today, ahead=False)):
            wide, year = span.unit in ("month", "season", "year"), span.unit == "year"
            for edge in (span.first, span.last):
                days.add((edge.year, 0 if year else edge.month, 0 if wide else edge.day))
                years.add(edge.year)
        for year_, month, day in each.days:
            days |= {(one, month, day) for one in ([year_] if year_ else years)}
    return frozenset(days)


def _day_words(known: frozenset[Day]) -> frozenset[str]:
    """Return the names of the months and weekdays of the given days, in every language."""
    months, weekdays = set[int](), set[int]()
    for year, month, day in known:
        months.add(month)
        try:
            weekdays.add(date(year, month, day).weekday())
        except ValueError:  # no exact day
            continue
    named = [name for locale in LOCALES.values() for name, number in locale.months.items() if number in months]
    named += [name for locale in LOCALES.values() for name, number in locale.weekdays.items() if number in weekdays]
    return frozenset(named)


def is_supported(text: str, grounds: Sequence[Ground], query: str = "", *, counting: bool = True) -> bool:
    """Return whether memories support a sentence, a bare yes or no, or with `counting` their own number."""
    whole, text = text, without_yes_or_no(plain(text))
    stated = [part for each in grounds for part in each.clauses]
    if not follows(text, parse(query), stated, yes_or_no(whole)):
        return False
    if not text:
        return bool(grounds)
    return (
        _shares_content(text, grounds)
        and has_names(text, grounds, query)
        and all(any(link.casefold() in each.text for each in grounds) for link in _LINK.findall(text))
        and _has_figures(text, grounds, counting)
        and (denies_opposite(text, stated) or not contradicts(text, [each.claims for each in grounds]))
    )


def _shares_content(text: str, grounds: Sequence[Ground]) -> bool:
    """Return whether a sentence shares a word with its memories, or has a date, a time or a figure."""
    there = frozenset(terms(text)) | frozenset(words(text))
    if any(not there.isdisjoint(each.terms | each.names) for each in grounds):
        return True
    days, rest = dates(text)
    clock, rest = times(rest)
    return bool(days or clock or figures(rest))


def has_names(text: str, grounds: Sequence[Ground], query: str) -> bool:
    """Return whether every name of a sentence is in its memories."""
    known = frozenset(name for each in grounds for name in each.names)
    if any(each.speaks for each in grounds):
        known |= frozenset(map(folded, words(query)))
    return all(is_form_among(name, known) for name in names(_LINK.sub(" ", dates(text)[1])))


def _has_figures(text: str, grounds: Sequence[Ground], counting: bool) -> bool:
    """Return whether every date, time and number of a sentence is in its memories, with the same unit or noun."""
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


def is_named(name: str, memory: Ground) -> bool:
    """Return whether a memory or its author has a name as whole words; a word such as "an" is no name."""
    text = plain(name).casefold()
    if not text or all(map(is_stop, text.split())) or not content_pairs(text):
        return False
    parts = words(text)
    if re.search(rf"(?<!\w){re.escape(text)}(?!\w)", memory.text) or (len(parts) == 1 and parts[0] in memory.names):
        return True
    return ord(max(text)) > evidences.UNSPACED and text in memory.text


def is_relation(source: str, relation: str, target: str, grounds: Sequence[Ground]) -> bool:
    """Return whether memories state a relation, as far as their words show it."""
    if source.casefold() == target.casefold():
        return False
    if not all(any(is_named(end, each) for each in grounds) for end in (source, target)):
        return False
    relation = relation.replace("_", " ")
    wanted = {term for _, term in content_pairs(relation)} - terms_of_fields("plain_relations")
    there = frozenset(term for each in grounds for term in each.terms)
    groups = [group for group in _relation_groups() if not group.isdisjoint(wanted)]
    if wanted and wanted.isdisjoint(there) and all(group.isdisjoint(there) for group in groups):
        return False
    return not contradicts(f"{source} {relation} {target}", [each.claims for each in grounds])


_LEADS, _POINTS, _EVENTS, _RELATIONS = 8, 7, 50, 60  # the maximum numbers in an answer


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
    """Return sentences in their structured form; a plain text cites by marks such as [1]."""
    return [
        ReplySentence(_MARK.sub("", part).strip(), [int(mark) for mark in _MARK.findall(part)])
        if isinstance(part, str)
        else part
        for part in ([given] if isinstance(given, str) else given)
        if part != ""
    ]


@dataclass(frozen=True, slots=True)
class Composed:
    """A model's answer: its supported parts, None if it found no answer, and the evidence with the quotes it chose.

    `dropped` counts the statements without support in their sources, `cut` those beyond the maximum numbers.
    """

    parts: AnswerParts | None
    evidence: Evidence
    dropped: int = 0
    cut: int = 0


class ReplyReader:
    """Parses one reply, and keeps the statements that its sources support."""

    def __init__(self, form: Format, evidence: Evidence, signs: Signs) -> None:
        self._form, self._evidence, self._signs = form, evidence, signs
        self._quotes = list(evidence.quotes)
        self._grounds: dict[int, Ground] = {}
        self._dropped = self._cut = 0

    def read(self, reply: SynthesisReply) -> Composed:
        """Return the supported parts of an answer; raises `ValueError` if it has statements and none is supported."""
        is_direct = self._form is Format.DIRECT_ANSWER
        first, second = (reply.answer, reply.summary) if is_direct else (reply.summary, reply.answer)
        lead = _sentences((first if first is not None else second) or [])
        rest = reply.key_points or reply.events or reply.relationships
        if (not lead and not rest) or (lead and all(_UNKNOWN.fullmatch(each.text) for each in lead)):
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
        is_quoted = any(isinstance(cite, Mapping) and cite.get("quote") for cite in sentence.cites)
        if not (is_quoted or without_yes_or_no(text)):
            return False
        if self._signs(text, SourceType.LLM_GENERATED):
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
        """Return the content that a quote supports; cached."""
        if place not in self._grounds:
            quote = self._evidence.quotes[place]
            self._grounds[place] = ground(quote.memory, shown(quote.memory.content, quote.text))
        return self._grounds[place]

    def _cited(self, cites: Sequence[Any]) -> tuple[int, ...]:
        """Return the indices of the cited quotes; () if one does not exist, or its words differ."""
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
        """Return whether words are in a memory as the prompt had it; if so, they become its quote."""
        whole = self._evidence.quotes[place]
        content = whole.memory.content
        text = evidences.found_in(shown(content, whole.text), quoted) if isinstance(quoted, str) else None
        if text is None or not is_meaningful(text, content):
            return False
        if self._quotes[place] == whole and len(text) < len(whole.text):
            self._quotes[place] = evidences.Quote(whole.hit, text)
        return True


_SURE, _MANY = 0.7, 5  # the confidence and the sources of the best grade


def quality(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an answer by its confidence, sources and text; raises `TypeError` for another value."""
    _require_mapping(answer)
    content = answer.get("synthesis")
    texts = [content.get("answer"), content.get("summary")] if isinstance(content, Mapping) else [content]
    has_text = any(isinstance(text, str) and text.strip() for text in texts)
    confidence = min(max(_confidence(answer) or 0.0, 0.0), 1.0)
    sources: object = len(_entries(answer.get("sources")))
    if "sources" not in answer:  # it may give their number
        sources = _mapping(answer.get("metadata")).get("sources_count")
    count = max(sources, 0) if isinstance(sources, int) and not isinstance(sources, bool) else 0
    score = round(0.4 * min(1.0, confidence / _SURE) + 0.3 * min(count, _MANY) / _MANY + 0.3 * has_text, 4)
    grade = next((name for least, name in _GRADES if score >= least), "NEEDS_WORK")
    return {"score": score, "grade": grade, "quality": grade}


def errors_of(engine: Engine, scope: Scope, answer: Mapping[str, Any]) -> list[str]:
    """Return the errors of an answer, [] if its sources support it; raises `TypeError` for another value."""
    _require_mapping(answer)
    return list(_Check(engine, scope, answer).errors())


def _require_mapping(answer: object) -> None:
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")


def _confidence(answer: Mapping[str, Any]) -> float | None:
    """Return the confidence that an answer states, None if it is not a number."""
    for part in ("metadata", "synthesis"):
        value = _mapping(answer.get(part)).get("confidence")
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                found = float(value)
            except OverflowError:
                continue
            if math.isfinite(found):
                return found
    return None


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _entries(value: object) -> list[Any]:
    """Return the items of a list, none of another value."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def _display(value: object) -> str:
    """Return a value for an error message: texts shortened, anything else by its type."""
    return repr(value[:80]) if isinstance(value, str) else "nothing" if value is None else f"a {type(value).__name__}"


@dataclass(frozen=True, slots=True)
class CitedMemory:
    """A memory that an answer cites, and the reason why it may not; "" if it may."""

    memory: Memory
    wrong: str


def _cited_memories(
    engine: Engine, scope: Scope, ids: Sequence[str], metadata: Mapping[str, Any]
) -> dict[str, CitedMemory]:
    """Return the memories of these ids that the scope reaches, with their text at the question's point in time."""
    asked = _mapping(metadata.get("standpoint"))
    at = point_in_time(engine, now=asked.get("now"), as_of=asked.get("as_of"), known_at=asked.get("known_at"))
    usable = tuple(each for each in dict.fromkeys(ids) if len(each) <= _LONGEST_ID and not _SURROGATE.search(each))
    if not usable:
        return {}
    visible = replace(reachable(scope), shared=True).but(Test("id", "in", usable))
    conditions = conditions_at(at, exclude_superseded=asked.get("exclude_superseded") is not False)
    with reading(engine, visible, at.known_at) as reader:
        found = [each.memory for each in reader.find(Record, visible.but(Test("status", "ne", Status.FORGOTTEN)))]
        live = {each.memory.id for each in reader.find(Record, visible.but(*conditions))}
    return {each.id: CitedMemory(each, "" if each.id in live else _why_not_citable(each, at)) for each in found}


def _why_not_citable(memory: Memory, at: PointInTime) -> str:
    if memory.status is Status.QUARANTINED:
        return "is quarantined, and no evidence"
    if memory.status is Status.EXPIRED or (memory.expires_at is not None and memory.expires_at <= at.clock):
        return "has expired"
    return "was superseded since" if memory.is_superseded_at(at.valid_at) else "is not in force"


class _Check:
    """Checks one answer against its sources."""

    def __init__(self, engine: Engine, scope: Scope, answer: Mapping[str, Any]) -> None:
        self._engine, self._scope, self._answer = engine, scope, answer
        self._metadata, self._content = _mapping(answer.get("metadata")), _mapping(answer.get("synthesis"))
        query = answer.get("query")
        self._query = query if isinstance(query, str) else ""
        sources = [_mapping(source) for source in _entries(answer.get("sources"))]
        given = [(source.get("memory_id", source.get("note_id")), source) for source in sources]
        self._sources = [(each if isinstance(each, str) else None, source) for each, source in given]
        self._ids = {memory_id for memory_id, _ in self._sources if memory_id is not None}
        self._memories: Mapping[str, CitedMemory] = {}
        self._grounds: dict[str, list[Ground]] = {}

    def errors(self) -> Iterator[str]:
        """Yield the errors, one sentence each."""
        yield from self._wrong_metadata()
        ids = [memory_id for memory_id, _ in self._sources[: MOST + 1] if memory_id is not None]
        try:
            self._memories = _cited_memories(self._engine, self._scope, ids, self._metadata)
        except (TypeError, ValueError, OverflowError) as error:
            yield f"its standpoint cannot be read: {error}"
            return
        yield from self._wrong_sources()
        if not isinstance(self._answer.get("synthesis"), Mapping):
            yield "it has no `synthesis`"
            return
        yield from self._wrong_shape()
        yield from self._wrong_statements()
        yield from self._wrong_events()
        yield from self._wrong_relations()

    def _wrong_metadata(self) -> Iterator[str]:
        confidence = _confidence(self._answer)
        if confidence is None:
            yield "its confidence is no number"
        elif not LEAST <= confidence <= 1:
            yield f"its confidence is {confidence:g}, {f'less than {LEAST}' if confidence < LEAST else 'more than 1'}"
        if self._metadata.get("abstained") is True:
            yield "it abstained: there is nothing to check against its sources"
        form = self._answer.get("format")
        if form is not None and (not isinstance(form, str) or form not in list(Format)):
            yield f"its format is {_display(form)}: one of {', '.join(Format)}"

    def _wrong_sources(self) -> Iterator[str]:
        if not 1 <= len(self._sources) <= MOST:
            yield f"it has {len(self._sources)} sources: 1 to {MOST} are needed"
        for number, (memory_id, source) in enumerate(self._sources[: MOST + 1], start=1):
            cited = self._memories.get(memory_id or "")
            if cited is None:
                yield f"source {number} names no memory that this view knows: {_display(memory_id)}"
                continue
            if cited.wrong:
                yield f"source {number} {cited.wrong}: {memory_id}"
            memory, quote = cited.memory, source.get("quote")
            if not isinstance(quote, str) or not quote.strip():
                yield f"source {number} quotes nothing"
            elif quote not in memory.content:
                yield f"source {number} quotes what is not in {memory.id}"
            elif not is_meaningful(quote, memory.content):
                yield f"source {number} quotes too little of {memory.id} to mean anything: {_display(quote)}"
            else:
                at = memory.content.index(quote)
                part = memory.content[max(at - _AROUND, 0) : at + min(len(quote), _AROUND) + _AROUND]
                self._grounds.setdefault(memory.id, []).append(ground(memory, part))

    def _wrong_shape(self) -> Iterator[str]:
        form = self._answer.get("format")
        names: Sequence[str] = ["answer" if form == Format.DIRECT_ANSWER else "summary"]
        if form not in list(Format):
            names = [name for name in ("answer", "summary") if name in self._content] or ["answer"]
        for name in names:
            text = self._content.get(name)
            if not isinstance(text, str):
                yield f"its {name} is no text but {type(text).__name__}"
            elif not text.strip():
                yield f"its {name} is empty"
            elif len(text) > _LONGEST_ANSWER:
                yield f"its {name} has {len(text):,} characters: {_LONGEST_ANSWER:,} are looked at"
        for name in ("key_points", "events", "relationships", "entities", "citations"):
            value = self._content.get(name)
            if value is not None and (isinstance(value, str | bytes) or not isinstance(value, Sequence)):
                yield f"its {name} are no list but {type(value).__name__}"
            elif len(_entries(value)) > _STATEMENTS:
                yield f"its {name} are {len(_entries(value))}: {_STATEMENTS} are looked at"
        if any(not isinstance(point, str) for point in _entries(self._content.get("key_points"))):
            yield "a key point is no text"

    def _first(self, name: str) -> list[Mapping[str, Any]]:
        """Return the mappings of a list of the answer; anything else in it counts as an empty one."""
        return list(map(_mapping, _entries(self._content.get(name))[:_STATEMENTS]))

    def _wrong_statements(self) -> Iterator[str]:
        """Yield errors for sentences without a citation or support, and for citations of a memory that is no source."""
        cited: dict[str, list[str]] = {}
        for citation in self._first("citations"):
            text, named = citation.get("text"), _entries(citation.get("memory_ids"))
            if not isinstance(text, str):
                yield "a citation has no text"
                continue
            for one in named:
                if not self._is_source(one):
                    yield f"{_display(text)} cites {_display(one)}, which is no source"
            if named:
                cited[text] = list(filter(self._is_source, named))
            else:
                cited.pop(text, None)
        if "citations" not in self._content:  # an imported answer: all of its sources count for every sentence
            cited = {text: sorted(self._ids) for _, text in self._statements({})}
        for place, text in self._statements(cited):
            if text not in cited:
                yield f"{place} cites nothing: {_display(text)}"
            elif cited[text] and not self._follows(text, cited[text]):
                yield f"{place} does not follow from what it cites: {_display(text)}"

    def _is_source(self, one: object) -> bool:
        return isinstance(one, str) and one in self._ids

    def _follows(self, text: str, ids: Sequence[str]) -> bool:
        """Return whether memories contain or support a sentence; errors of their own are reported already."""
        if any(one not in self._grounds for one in ids):
            return True
        if any(text.strip(" .") in self._memories[one].memory.content for one in ids):
            return True
        grounds = [each for one in ids for each in self._grounds[one]]
        if self._metadata.get("model_used") == OFFLINE:  # its numbers are counted; its names are those of its memories
            return has_names(text, grounds, self._query)
        return is_supported(text, grounds, self._query)

    def _statements(self, cited: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield every sentence of an answer, with the part that contains it."""
        for name in ("answer", "summary"):
            text = self._content.get(name)
            if isinstance(text, str) and text.strip():
                yield from ((name, part) for part in _parts(text[:_LONGEST_ANSWER], cited))
        points = _entries(self._content.get("key_points"))[:_STATEMENTS]
        yield from (("key_points", point) for point in points if isinstance(point, str))
        texts = (event.get("text") for event in self._first("events"))
        yield from (("events", text if isinstance(text, str) else "") for text in texts)

    def _wrong_events(self) -> Iterator[str]:
        for event in self._first("events"):
            one, day = event.get("memory_id"), event.get("date")
            if not self._is_source(one):
                yield f"an event cites {_display(one)}, which is no source"
            elif not isinstance(day, str) or not DATE.fullmatch(day):
                yield f"an event has no date: {_display(day)}"
            elif one in self._grounds and not is_supported(day, self._grounds[one], counting=False):
                yield f"an event is dated {day}, which {one} does not say"

    def _wrong_relations(self) -> Iterator[str]:
        for relation in self._first("relationships"):
            named = _entries(relation.get("memory_ids")) or [None]
            for one in named:
                if not self._is_source(one):
                    yield f"a relationship cites {_display(one)}, which is no source"
            grounds = [each for one in named if self._is_source(one) for each in self._grounds.get(one, ())]
            ends = (relation.get("source"), relation.get("target"))
            for end in ends if grounds else ():
                if not isinstance(end, str) or not any(is_named(end, each) for each in grounds):
                    yield f"a relationship names {_display(end)}, which is not named in what it cites"
            if ends[0] == ends[1]:
                yield f"a relationship is one of {_display(ends[0])} with itself"


def _parts(text: str, cited: Mapping[str, Any]) -> list[str]:
    """Return the cited whole sentences of a text, and the rest of it."""
    rest, found = text, []
    for sentence in sorted(cited, key=len, reverse=True):
        at = rest.find(sentence) if sentence.strip() else -1
        while at >= 0:
            before, after = rest[:at].rstrip(" "), rest[at + len(sentence) :]
            begins = not before or before.endswith(("\n", *ENDS))
            if begins and (not after.strip() or sentence[-1] in ENDS or after[0] in ("\n", *ENDS)):
                found.append(sentence)
                rest = f"{rest[:at]}\n{after.removeprefix('.')}"
            at = rest.find(sentence, at + 1)
    left = " ".join(rest.split())
    return [*dict.fromkeys(found), *([left] if any(map(str.isalnum, left)) else [])]
