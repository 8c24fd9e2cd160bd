"""Answers checked against the memories that they cite, and graded by their form."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from engrain.engine import Engine
from engrain.model.filters import Test, reachable
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import OFFLINE, Format
from engrain.read.history import PointInTime, conditions_at, point_in_time, reading
from engrain.storage.rows import Record
from engrain.synthesis.evidence import ENDS, MOST, is_meaningful
from engrain.synthesis.replies import DATE, Ground, ground, has_names, is_named, is_supported

LEAST = 0.3
"""The lowest confidence of an answer that is given."""
_SURE, _MANY = 0.7, 5  # the confidence and the sources of the best grade
_GRADES = ((0.8, "EXCELLENT"), (0.5, "GOOD"))
_STATEMENTS = 500  # sentences and relations of an answer that are looked at
_LONGEST = 20_000  # characters of an answer that are
_AROUND = 1500  # characters around a quote that a sentence may rest on
_LONGEST_ID = 1000  # characters


def quality(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an answer by its confidence, its sources, and whether it has a text: .4, .3 and .3 of the score.

    Raises `TypeError` for what is no answer at all.
    """
    _require_mapping(answer)
    content = answer.get("synthesis")
    texts = [content.get("answer"), content.get("summary")] if isinstance(content, Mapping) else [content]
    has_text = any(isinstance(text, str) and text.strip() for text in texts)
    confidence = min(max(_confidence(answer) or 0.0, 0.0), 1.0)
    sources: object = len(_entries(answer.get("sources")))
    if "sources" not in answer:  # it may state their number
        sources = _mapping(answer.get("metadata")).get("sources_count")
    count = max(sources, 0) if isinstance(sources, int) and not isinstance(sources, bool) else 0
    score = round(0.4 * min(1.0, confidence / _SURE) + 0.3 * min(count, _MANY) / _MANY + 0.3 * has_text, 4)
    grade = next((name for least, name in _GRADES if score >= least), "NEEDS_WORK")
    return {"score": score, "grade": grade, "quality": grade}


def errors_of(engine: Engine, scope: Scope, answer: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an answer, [] when its sources support it; raises `TypeError` for no answer at all."""
    _require_mapping(answer)
    return list(_Check(engine, scope, answer).errors())


def _require_mapping(answer: object) -> None:
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")


def _confidence(answer: Mapping[str, Any]) -> float | None:
    """Return the confidence that an answer states, None where it is no number."""
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
    """Return the items of a list, none of anything else."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


def _display(value: object) -> str:
    """Return a value as an error shows it: texts shortened, anything else by its type."""
    return repr(value[:80]) if isinstance(value, str) else "nothing" if value is None else f"a {type(value).__name__}"


# ------------------------------------------------------------------------------------------------------- cited memories


@dataclass(frozen=True, slots=True)
class CitedMemory:
    """A memory that an answer cites, and why it may not be; "" where it may."""

    memory: Memory
    wrong: str


def _cited_memories(
    engine: Engine, scope: Scope, ids: Sequence[str], metadata: Mapping[str, Any]
) -> dict[str, CitedMemory]:
    """Return the memories of these ids that the scope reaches, the organisation's shared ones included.

    Their text, and whether they may be cited, are those of the point in time that the question was asked at.
    """
    asked = _mapping(metadata.get("standpoint"))
    at = point_in_time(engine, now=asked.get("now"), as_of=asked.get("as_of"), known_at=asked.get("known_at"))
    usable = tuple(each for each in dict.fromkeys(ids) if len(each) <= _LONGEST_ID and not _has_surrogate(each))
    if not usable:
        return {}
    visible = replace(reachable(scope), shared=True).but(Test("id", "in", usable))
    conditions = conditions_at(at, exclude_superseded=asked.get("exclude_superseded") is not False)
    with reading(engine.store, visible, at.known_at) as reader:
        found = [each.memory for each in reader.find(Record, visible.but(Test("status", "ne", Status.FORGOTTEN)))]
        live = {each.memory.id for each in reader.find(Record, visible.but(*conditions))}
    return {each.id: CitedMemory(each, "" if each.id in live else _why_not_citable(each, at)) for each in found}


def _has_surrogate(text: str) -> bool:
    return any("\ud800" <= character <= "\udfff" for character in text)


def _why_not_citable(memory: Memory, at: PointInTime) -> str:
    if memory.status is Status.QUARANTINED:
        return "is quarantined, and no evidence"
    if memory.status is Status.EXPIRED or (memory.expires_at is not None and memory.expires_at <= at.clock):
        return "has expired"
    return "was superseded since" if memory.is_superseded_at(at.valid_at) else "is not in force"


# ------------------------------------------------------------------------------------------------------------- checking


class _Check:
    """Compares one answer with its sources."""

    def __init__(self, engine: Engine, scope: Scope, answer: Mapping[str, Any]) -> None:
        self._engine, self._scope, self._answer = engine, scope, answer
        self._metadata, self._content = _mapping(answer.get("metadata")), _mapping(answer.get("synthesis"))
        query = answer.get("query")
        self._query = query if isinstance(query, str) else ""
        sources = [_mapping(source) for source in _entries(answer.get("sources"))]
        given = [source.get("memory_id", source.get("note_id")) for source in sources]
        self._sources = [
            (each if isinstance(each, str) else None, source) for each, source in zip(given, sources, strict=True)
        ]
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
            elif len(text) > _LONGEST:
                yield f"its {name} has {len(text):,} characters: {_LONGEST:,} are looked at"
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
        """Yield the sentences that cite nothing or do not follow, and the citations of what is no source."""
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
        if "citations" not in self._content:  # an answer from elsewhere: all of its sources count for every sentence
            cited = {text: sorted(self._ids) for _, text in self._statements({})}
        for place, text in self._statements(cited):
            if text not in cited:
                yield f"{place} cites nothing: {_display(text)}"
            elif cited[text] and not self._follows(text, cited[text]):
                yield f"{place} does not follow from what it cites: {_display(text)}"

    def _is_source(self, one: object) -> bool:
        return isinstance(one, str) and one in self._ids

    def _follows(self, text: str, ids: Sequence[str]) -> bool:
        """Say whether memories have a sentence or support it; errors of their own are reported already."""
        if any(one not in self._grounds for one in ids):
            return True
        if any(text.strip(" .") in self._memories[one].memory.content for one in ids):
            return True
        grounds = [each for one in ids for each in self._grounds[one]]
        if self._metadata.get("model_used") == OFFLINE:  # its numbers are counted; its names are those of its memories
            return has_names(text, grounds, self._query)
        return is_supported(text, grounds, self._query)

    def _statements(self, cited: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield every sentence of an answer, with the part that it is in."""
        for name in ("answer", "summary"):
            text = self._content.get(name)
            if isinstance(text, str) and text.strip():
                yield from ((name, part) for part in _parts(text[:_LONGEST], cited))
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
    """Return the cited sentences that a text consists of, whole ones, and the rest of it."""
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
