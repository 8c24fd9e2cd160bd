"""Answers checked against what they cite, and graded by their form."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from engrain.engine import Engine
from engrain.model.filters import Test, reachable
from engrain.model.memory import Memory, Scope, Status
from engrain.model.results import OFFLINE, Format
from engrain.read.history import PointInTime, conditions_at, point_in_time, reading
from engrain.storage.rows import Record
from engrain.synthesis.evidence import ENDS, MOST, is_telling
from engrain.synthesis.replies import Ground, ground, has_names, is_founded, is_named

_SURE, _MANY = 0.7, 5  # the confidence and the sources with which an answer can be no better
_GRADES = ((0.8, "EXCELLENT"), (0.5, "GOOD"))


def quality(answer: Mapping[str, Any]) -> dict[str, Any]:
    """Grade an answer by its confidence, its sources, and whether it says anything: .4, .3 and .3 of the score.

    Raises `TypeError` for what is no answer at all.
    """
    needs_mapping(answer)
    held = answer.get("synthesis")
    said = [held.get("answer"), held.get("summary")] if isinstance(held, Mapping) else [held]
    answers = any(isinstance(text, str) and text.strip() for text in said)
    confidence = min(max(confidence_of(answer) or 0.0, 0.0), 1.0)
    sources = _count(answer)
    score = round(0.4 * min(1.0, confidence / _SURE) + 0.3 * min(1.0, sources / _MANY) + 0.3 * answers, 4)
    grade = next((name for least, name in _GRADES if score >= least), "NEEDS_WORK")
    return {"score": score, "grade": grade, "quality": grade}


def needs_mapping(answer: object) -> None:
    """Raise `TypeError` for what is no answer at all."""
    if not isinstance(answer, Mapping):
        raise TypeError(f"an answer is a Synthesis or a dict of its keys, not {type(answer).__name__}")


def _count(answer: Mapping[str, Any]) -> int:
    """Return how many sources an answer has; one without the list of them may say it."""
    if "sources" in answer:
        return len(entries(answer["sources"]))
    metadata = answer.get("metadata")
    said = metadata.get("sources_count") if isinstance(metadata, Mapping) else None
    return min(said, _MANY) if isinstance(said, int) and not isinstance(said, bool) and said > 0 else 0


def confidence_of(answer: Mapping[str, Any]) -> float | None:
    """Return the confidence that an answer states, None where it is no number."""
    for part in ("metadata", "synthesis"):
        held = answer.get(part)
        value = held.get("confidence") if isinstance(held, Mapping) else None
        if isinstance(value, int | float) and not isinstance(value, bool):
            try:
                found = float(value)
            except OverflowError:
                continue
            if math.isfinite(found):
                return found
    return None


def id_of(source: Mapping[str, Any]) -> str | None:
    """Return the id of the memory that a source is, None where it says none."""
    found = source.get("memory_id", source.get("note_id"))
    return found if isinstance(found, str) else None


def listed(value: object) -> list[Mapping[str, Any]]:
    """Return the mappings of a list; anything else in it counts as an empty one."""
    return [entry if isinstance(entry, Mapping) else {} for entry in entries(value)]


def entries(value: object) -> list[Any]:
    """Return what is in a list, nothing where there is none."""
    return list(value) if isinstance(value, Sequence) and not isinstance(value, str | bytes) else []


LEAST = 0.3
"""The least confidence of an answer that is one."""
_MOST_SAID = 500  # sentences and relations of an answer that are looked at
_LONGEST = 20_000  # characters of an answer that are
_AROUND = 1500  # characters around a quote that a sentence may rest on
_LONGEST_ID = 1000  # characters
_DATE = re.compile(r"\d{4}(?:-\d{2}(?:-\d{2})?)?")


@dataclass(frozen=True, slots=True)
class Standing:
    """A memory that an answer names, and why it may not be quoted; nothing where it may."""

    memory: Memory
    wrong: str = ""


Look = Callable[[Sequence[str], Mapping[str, Any]], Mapping[str, Standing]]
"""Looks memories up by their ids, at the point in time that an answer was asked for."""


def errors_of(engine: Engine, scope: Scope, answer: Mapping[str, Any]) -> list[str]:
    """Return what is wrong with an answer, nothing when it holds; raises `TypeError` for what is no answer at all."""
    needs_mapping(answer)
    return list(_Check(answer, partial(_citable, engine, scope)).errors())


def _citable(engine: Engine, scope: Scope, ids: Sequence[str], metadata: Mapping[str, Any]) -> Mapping[str, Standing]:
    """Return the memories that an answer of a view may cite, the organisation's common ones among them.

    Their text, and whether they may be cited, are those of the point in time that the answer was asked for.
    """
    held = metadata.get("standpoint")
    asked = held if isinstance(held, Mapping) else {}
    at = point_in_time(engine, now=asked.get("now"), as_of=asked.get("as_of"), known_at=asked.get("known_at"))
    usable = tuple(dict.fromkeys(each for each in ids if _may_be_id(each)))
    if not usable:
        return {}
    visible = replace(reachable(scope), shared=True).but(Test("id", "in", usable))
    conditions = conditions_at(at, exclude_superseded=asked.get("exclude_superseded") is not False)
    with reading(engine.store, visible, at.known_at) as reader:
        found = [each.memory for each in reader.find(Record, visible.but(Test("status", "ne", Status.FORGOTTEN)))]
        live = {each.memory.id for each in reader.find(Record, visible.but(*conditions))}
    return {memory.id: Standing(memory, "" if memory.id in live else _why_not_citable(memory, at)) for memory in found}


def _may_be_id(given: str) -> bool:
    """Say whether a text may be an id: a lone surrogate is in none."""
    return len(given) <= _LONGEST_ID and not any("\ud800" <= character <= "\udfff" for character in given)


def _why_not_citable(memory: Memory, at: PointInTime) -> str:
    if memory.status is Status.QUARANTINED:
        return "is held back (quarantined), and no evidence"
    if memory.status is Status.EXPIRED or (memory.expires_at is not None and memory.expires_at <= at.clock):
        return "has expired"
    if memory.is_superseded_at(at.valid_at):
        return "was superseded since"
    return "is not in force"


class _Check:
    """Holds one answer to its sources."""

    def __init__(self, answer: Mapping[str, Any], look: Look) -> None:
        self._answer, self._look = answer, look
        metadata, held, query = (answer.get(key) for key in ("metadata", "synthesis", "query"))
        self._metadata: Mapping[str, Any] = metadata if isinstance(metadata, Mapping) else {}
        self._held: Mapping[str, Any] = held if isinstance(held, Mapping) else {}
        self._query = query if isinstance(query, str) else ""
        self._sources = listed(answer.get("sources"))
        self._known: Mapping[str, Standing] = {}
        self._grounds: dict[str, list[Ground]] = {}

    def errors(self) -> Iterator[str]:
        """Yield what is wrong, one clear sentence each."""
        yield from self._wrong_frame()
        try:
            ids = [each for source in self._sources[: MOST + 1] if (each := id_of(source)) is not None]
            self._known = self._look(ids, self._metadata)
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
        yield from self._wrong_ties()

    def _wrong_frame(self) -> Iterator[str]:
        confidence = confidence_of(self._answer)
        if confidence is None:
            yield "its confidence is no number"
        elif not LEAST <= confidence <= 1:
            yield f"its confidence is {confidence:g}, {f'less than {LEAST}' if confidence < LEAST else 'more than 1'}"
        if self._metadata.get("abstained") is True:
            yield "it abstained: there is nothing to hold to its sources"
        form = self._answer.get("format")
        if form is not None and (not isinstance(form, str) or form not in list(Format)):
            yield f"its format is {_told(form)}: one of {', '.join(Format)}"

    def _wrong_sources(self) -> Iterator[str]:
        if not 1 <= len(self._sources) <= MOST:
            yield f"it has {len(self._sources)} sources: 1 to {MOST} are needed"
        for number, source in enumerate(self._sources[: MOST + 1], start=1):
            memory_id = id_of(source)
            standing = self._known.get(memory_id) if memory_id is not None else None
            if memory_id is None or standing is None:
                yield f"source {number} names no memory that this view knows: {_told(memory_id)}"
                continue
            if standing.wrong:
                yield f"source {number} {standing.wrong}: {memory_id}"
            yield from (f"source {number} {wrong}" for wrong in self._wrong_quote(source, standing.memory))

    def _wrong_quote(self, source: Mapping[str, Any], memory: Memory) -> Iterator[str]:
        quote = source.get("quote")
        if not isinstance(quote, str) or not quote.strip():
            yield "quotes nothing"
        elif quote not in memory.content:
            yield f"quotes what does not stand in {memory.id}"
        elif not is_telling(quote, memory.content):
            yield f"quotes too little of {memory.id} to tell anything: {_told(quote)}"
        else:
            at = memory.content.index(quote)
            part = memory.content[max(at - _AROUND, 0) : at + min(len(quote), _AROUND) + _AROUND]
            self._grounds.setdefault(memory.id, []).append(ground(memory, part))

    def _wrong_shape(self) -> Iterator[str]:
        form = self._answer.get("format")
        leads = ("answer",) if form == Format.DIRECT_ANSWER else ("summary",) if form in list(Format) else ()
        names = leads or tuple(name for name in ("answer", "summary") if name in self._held) or ("answer",)
        for name in names:
            text = self._held.get(name)
            if not isinstance(text, str):
                yield f"its {name} is no text but {type(text).__name__}"
            elif not text.strip():
                yield f"its {name} is empty"
            elif len(text) > _LONGEST:
                yield f"its {name} has {len(text):,} characters: {_LONGEST:,} are looked at"
        for name in ("key_points", "events", "relationships", "entities", "citations"):
            value = self._held.get(name)
            if value is not None and (isinstance(value, str | bytes) or not isinstance(value, Sequence)):
                yield f"its {name} are no list but {type(value).__name__}"
            elif len(entries(value)) > _MOST_SAID:
                yield f"its {name} are {len(entries(value))}: {_MOST_SAID} are looked at"
        if any(not isinstance(point, str) for point in entries(self._held.get("key_points"))):
            yield "a key point is no text"

    def _wrong_statements(self) -> Iterator[str]:
        """Yield the sentences that cite nothing or do not follow, and the citations of what is no source."""
        ids = {id_of(source) for source in self._sources}
        cited: dict[str, list[str]] = {}
        for citation in listed(self._held.get("citations"))[:_MOST_SAID]:
            text, named = citation.get("text"), entries(citation.get("memory_ids"))
            if not isinstance(text, str):
                yield "a citation has no text"
                continue
            yield from (
                f"{_told(text)} cites {_told(one)}, which is no source" for one in named if not _is_in(one, ids)
            )
            cited[text] = [one for one in named if _is_in(one, ids)]
            if not named:
                cited.pop(text)
        if "citations" not in self._held:  # an answer of another make: all of its sources stand for every sentence
            every = [one for one in ids if one is not None]
            cited = {text: every for _, text in self._statements({})}
        for place, text in self._statements(cited):
            if text not in cited:
                yield f"{place} cites nothing: {_told(text)}"
            elif cited[text] and not self._follows(text, cited[text]):
                yield f"{place} does not follow from what it cites: {_told(text)}"

    def _follows(self, text: str, ids: Sequence[str]) -> bool:
        """Say whether a sentence stands in its memories, or may rest on them; what was wrong with these is told."""
        if any(one not in self._grounds for one in ids):
            return True
        if any(text.strip(" .") in self._known[one].memory.content for one in ids):
            return True
        grounds = [held for one in ids for held in self._grounds[one]]
        if self._metadata.get("model_used") == OFFLINE:  # which counts and reckons; its names are those of its memories
            return has_names(text, grounds, self._query)
        return is_founded(text, grounds, self._query)

    def _statements(self, cited: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
        """Yield every sentence of an answer, with where it stands."""
        for name in ("answer", "summary"):
            text = self._held.get(name)
            if isinstance(text, str) and text.strip():
                yield from ((name, part) for part in _parts(text[:_LONGEST], cited))
        points = entries(self._held.get("key_points"))[:_MOST_SAID]
        yield from (("key_points", point) for point in points if isinstance(point, str))
        for event in listed(self._held.get("events"))[:_MOST_SAID]:
            text = event.get("text")
            yield "events", text if isinstance(text, str) else ""

    def _wrong_events(self) -> Iterator[str]:
        ids = {id_of(source) for source in self._sources}
        for event in listed(self._held.get("events"))[:_MOST_SAID]:
            one, day = event.get("memory_id"), event.get("date")
            if not isinstance(one, str) or one not in ids:
                yield f"an event cites {_told(one)}, which is no source"
            elif not isinstance(day, str) or not _DATE.fullmatch(day):
                yield f"an event has no date: {_told(day)}"
            elif one in self._grounds and not is_founded(day, self._grounds[one], counting=False):
                yield f"an event is dated {day}, which {one} does not say"

    def _wrong_ties(self) -> Iterator[str]:
        ids = {id_of(source) for source in self._sources}
        for tie in listed(self._held.get("relationships"))[:_MOST_SAID]:
            named = entries(tie.get("memory_ids")) or [None]
            yield from (
                f"a relationship cites {_told(one)}, which is no source" for one in named if not _is_in(one, ids)
            )
            grounds = [held for one in named if _is_in(one, ids) for held in self._grounds.get(one, ())]
            ends = (tie.get("source"), tie.get("target"))
            for end in ends if grounds else ():
                if not isinstance(end, str) or not any(is_named(end, held) for held in grounds):
                    yield f"a relationship names {_told(end)}, whom what it cites does not name"
            if ends[0] == ends[1]:
                yield f"a relationship is one of {_told(ends[0])} with itself"


def _is_in(one: object, ids: set[str | None]) -> bool:
    return isinstance(one, str) and one in ids


def _told(value: object) -> str:
    """Return a value as an error shows it: texts shortened, anything else by its type."""
    return repr(value[:80]) if isinstance(value, str) else "nothing" if value is None else f"a {type(value).__name__}"


def _parts(text: str, cited: Mapping[str, Any]) -> list[str]:
    """Return the cited sentences that a text is made of, whole ones, and what of it is none."""
    rest, found = text, []
    for sentence in sorted(cited, key=len, reverse=True):
        at = rest.find(sentence) if sentence.strip() else -1
        while at >= 0:
            end = at + len(sentence)
            if _begins(rest, at) and _ends(rest, end):
                found.append(sentence)
                rest = f"{rest[:at]}\n{rest[end:].removeprefix('.')}"
            at = rest.find(sentence, at + 1)
    left = " ".join(rest.split())
    return [*dict.fromkeys(found), *([left] if any(map(str.isalnum, left)) else [])]


def _begins(text: str, at: int) -> bool:
    before = text[:at].rstrip(" ")
    return not before or before.endswith(("\n", *ENDS))


def _ends(text: str, end: int) -> bool:
    return not text[end:].strip() or text[end - 1] in ENDS or text[end] in ("\n", *ENDS)
