"""Rivals: of two memories about one relation of one subject the less trusted comes after the other."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from engrain.language.cues import denies
from engrain.language.facts import slots_of
from engrain.model.filters import Filter, Test
from engrain.model.memory import Memory, SourceType, slot, speaker
from engrain.model.results import Hit, Signal
from engrain.protocols import Reader
from engrain.storage.rows import Record
from engrain.text import key_of

BEFORE_RIVAL = "x before a rival"
"""The signal of a hit that comes before a less trusted one because both are about one relation of one subject."""

_RANK = {source: place for place, source in enumerate(SourceType)}
_OWN = _RANK[SourceType.USER_INPUT]  # and what is trusted more
_FOREIGN = _RANK[SourceType.TOOL_RESULT]  # and what is trusted less
_READ = 1000  # characters of a text that are compared
_MOST = 50  # rivals that are read from the store


def rank_of(memory: Memory) -> int:
    """Return the place of a memory's trust class, 0 for the most trusted."""
    return _RANK[memory.source.type]


def trusted_first(reader: Reader, where: Filter, hits: Sequence[Hit]) -> list[Hit]:
    """Return hits with every less trusted one behind what is trusted more and is about the same, hit or not.

    A rival has the same subject and relation, or is linked as contradicting. Of the same text from one source that is
    trusted less than the user the first alone is kept.
    """
    hits = list(_once(hits))
    slots = {hit.id: _slots(hit.memory) for hit in hits}
    more = {memory.id: memory for memory in _from_store(reader, where, hits, slots)}
    slots |= {each.id: _slots(each) for each in more.values() if each.id not in slots}
    candidates = {**{hit.id: hit.memory for hit in hits}, **more}
    known, placed = {hit.id: hit for hit in hits}, dict[str, Hit]()
    for hit in hits:
        rivals = [each for each in candidates.values() if _outranks(each, hit, slots)]
        for rival in sorted(rivals, key=rank_of):
            if rival.id not in placed:
                placed[rival.id] = _raised(known.get(rival.id), rival, hit)
        disputed = tuple(each.id for each in rivals if not _agrees(hit.memory, each))
        placed.setdefault(hit.id, replace(hit, contested=tuple(dict.fromkeys((*hit.contested, *disputed)))))
    return list(placed.values())


def _agrees(memory: Memory, rival: Memory) -> bool:
    """Say whether a text has the value of a rival's fact, and denies nothing."""
    text, fact = memory.content.casefold(), rival.fact
    return fact is not None and fact.object.casefold() in text and not denies(memory.content)


def _raised(hit: Hit | None, memory: Memory, rival: Hit) -> Hit:
    """Return a hit with at least the score and the relevance of the rival that it comes before."""
    hit = hit or Hit(memory, rival.score, rival.relevance, contested=(rival.id,) if memory.is_contested else ())
    score, relevance = max(hit.score, rival.score), max(hit.relevance, rival.relevance)
    return replace(hit, score=score, relevance=relevance, signals=(*hit.signals, Signal(BEFORE_RIVAL, rival.score)))


def _outranks(rival: Memory, hit: Hit, slots: dict[str, frozenset[tuple[str, str]]]) -> bool:
    if rank_of(rival) >= rank_of(hit.memory):
        return False
    return rival.id in hit.contested or not slots[rival.id].isdisjoint(slots[hit.id])


def _slots(memory: Memory) -> frozenset[tuple[str, str]]:
    """Return what a memory is about: of a tool or a page whatever it speaks of, of an agent only its fact."""
    rank = rank_of(memory)
    if _OWN < rank < _FOREIGN:
        return frozenset() if memory.fact is None else frozenset({slot(memory.fact)[:2]})
    return slots_of(memory.content[:_READ], memory.fact, speaker(memory), any_clause=rank >= _FOREIGN)


def _once(hits: Sequence[Hit]) -> Iterator[Hit]:
    """Yield hits, of the same text from one less trusted source the first alone."""
    seen: set[tuple[object, ...]] = set()
    for hit in hits:
        source = hit.memory.source
        key = (source.type, source.id, hit.memory.actor, " ".join(hit.content.casefold().split()))
        if rank_of(hit.memory) <= _OWN or key not in seen:
            seen.add(key)
            yield hit


def _from_store(
    reader: Reader, where: Filter, hits: Sequence[Hit], slots: dict[str, frozenset[tuple[str, str]]]
) -> list[Memory]:
    """Return what is not among the hits and is linked to less trusted ones as contradicting, or is about the same."""
    low = [hit for hit in hits if rank_of(hit.memory) > _OWN]
    known = {hit.id for hit in hits}
    linked = sorted({other for hit in low for other in hit.contested} - known)
    wanted = {each for hit in low for each in slots[hit.id]}
    found = list(reader.find(Record, where.but(Test("id", "in", tuple(linked))))) if linked else []
    if wanted:
        subjects, predicates = (tuple(sorted({key_of(each[part]) for each in wanted})) for part in (0, 1))
        tests = Test("subject_key", "in", subjects), Test("predicate_key", "in", predicates)
        found += reader.find(Record, where.but(*tests), order="-valid_from", limit=_MOST)
    return [record.memory for record in found if record.memory.id not in known]
