"""The rows of an export, read back: what somebody else wrote, so every field is checked for its type and its range."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

from recollect import checks
from recollect.config import Settings
from recollect.errors import MemoryRejected
from recollect.models import Kind, Memory, SourceType, Status
from recollect.procedure import Procedure
from recollect.protocols import EDIT, Revision
from recollect.scopes import identifier, is_whole, scope_of
from recollect.security.screening import Look, is_open
from recollect.security.trust import BASE, least_trusted
from recollect.text import check_content, check_text, content_hash
from recollect.write.draft import screened, suspected
from recollect.write.enrichment import describe
from recollect.write.procedures import checked_procedure, text_of

REFUSED = (ValueError, TypeError, KeyError, AttributeError, OverflowError, MemoryRejected, RecursionError)
MAX_COUNT = 2**31
MAX_STRENGTH = 2.0
_TEXTS = ("id", "summary", "status_reason")
_LISTS = ("keywords", "entities", "supersedes", "tags", "links")
_COUNTS = ("evidence_count", "access_count", "evolution_count", "version")
_TIMES = ("recorded_at", "updated_at", "valid_from", "valid_until", "believed_until", "expires_at", "last_accessed")
_ALWAYS = _TIMES[:3]


@dataclass(frozen=True, slots=True)
class Incoming:
    """What an import lets in: the org it goes to, the highest trust class, the largest text."""

    org: str
    trust: SourceType
    settings: Settings

    def memory(self, row: Mapping[str, Any]) -> Memory:
        """Return the memory of a row, checked like a write: at most `trust`, with a hash of its own."""
        for name in _LISTS:
            if not isinstance(row.get(name, []), list):
                raise TypeError(f"{name} must be a list")
        memory = Memory.from_dict(row)
        text = check_content(memory.content, max_bytes=self.settings.max_content_bytes)
        if not is_open(self.settings):
            memory = self._screened(memory)
            text = memory.content
        procedure = _procedure(memory)
        told = [text] if procedure is None else [text, text_of(procedure)]
        lowest = least_trusted([memory.source.type, self.trust])
        suspicious = tuple(
            dict.fromkeys(
                why for each in told for why in screened(each, self.settings, lowest, source_id=memory.source.id)
            )
        )
        if suspicious and memory.status is Status.ACTIVE:  # a status may sink on the way, and never rises
            memory = replace(memory, status=Status.QUARANTINED, status_reason=suspected(suspicious))
        _check_texts(memory)
        _check_numbers(memory)
        if memory.kind is Kind.WORKING and memory.scope.session is None:
            raise ValueError("working memory belongs to a session, and the row names none")
        return replace(
            memory,
            **_times(memory),
            scope=scope_of(self.org, memory.scope.user, memory.scope.agent, memory.scope.session),
            tags=tuple(identifier(tag, "a tag") for tag in memory.tags),
            metadata=checks.checked_metadata(memory.metadata),
            procedure=procedure,
            source=replace(memory.source, type=lowest, content_hash=content_hash(text), signature=None),
            trust=min(memory.trust, BASE[lowest]),
        )

    def _screened(self, memory: Memory) -> Memory:
        """Return a memory as the policies for secrets and personal data let it be kept."""
        look = Look.under(self.settings)
        procedure = _procedure(memory)
        kept = replace(
            memory,
            content=look.text(memory.content),
            fact=look.fact(checks.checked_fact(memory.fact)),
            tags=look.texts(memory.tags),
            entities=look.texts(memory.entities),
            metadata=look.value(checks.checked_metadata(memory.metadata)),
            source=replace(memory.source, ref=look.text(memory.source.ref)),
            procedure=None if procedure is None else look.procedure(procedure),
        )
        look.settle(memory.source.id)
        if kept.content != memory.content:  # what was told of it before told of all of it
            told = describe(kept.content, self.settings)
            kept = replace(kept, summary=told.summary, keywords=told.keywords)
        if look.waits and kept.status is Status.ACTIVE:
            kept = replace(kept, status=Status.QUARANTINED, status_reason="; ".join(look.waits))
        return kept

    def revision(self, row: Mapping[str, Any]) -> tuple[str, Revision]:
        """Return the revision of a row, and the id of the memory whose it is; its row number is not known yet."""
        memory_id, version = identifier(row["memory_id"], "memory_id"), count_of(row["version"], "version")
        since, until = (utc(datetime.fromisoformat(row[name]), name) for name in ("believed_from", "believed_until"))
        before = json.dumps(self.memory(row["memory"]).to_dict(), ensure_ascii=False)
        change = identifier(row.get("change", EDIT), "change")
        return memory_id, Revision(0, version, since, until, before, change)


def said(error: Exception) -> str:
    """Return why a row was refused."""
    return f"{error.args[0]!r} is missing" if type(error) is KeyError else str(error)


def _check_texts(memory: Memory) -> None:
    for name in _TEXTS:
        check_text(getattr(memory, name), what=name)
    if not memory.id.startswith("mem_") or not memory.id[4:].isalnum() or len(memory.id) > 64:
        raise ValueError(f"{memory.id!r} is not the id of a memory")
    for name in ("key", "actor", "superseded_by"):
        if getattr(memory, name) is not None:
            identifier(getattr(memory, name), name)
    identifier(memory.domain, "domain")
    if checks.checked_tier(memory.tier) is None:
        raise ValueError("tier is missing")
    checks.checked_fact(memory.fact)
    for name in ("origin", "id", "ref"):
        check_text(getattr(memory.source, name), what=f"source {name}")
    for item in (*memory.keywords, *memory.entities, *memory.supersedes):
        check_text(item, what="keywords, entities and supersedes")
    for link in memory.links:
        identifier(link.relation, "a link's relation")
        identifier(link.memory_id, "a link's memory_id")


def _procedure(memory: Memory) -> Procedure | None:
    if memory.procedure is None:
        return None
    if memory.kind is not Kind.PROCEDURAL:
        raise ValueError(f"a memory of kind {memory.kind.value} carries no procedure")
    return checked_procedure(memory.procedure)


def _check_numbers(memory: Memory) -> None:
    for name in ("importance", "confidence", "trust"):
        if checks.checked_share(getattr(memory, name), name) is None:
            raise ValueError(f"{name} is missing")
    for name in _COUNTS:
        count_of(getattr(memory, name), name)
    if memory.position is not None:
        count_of(memory.position, "position")
    if isinstance(memory.strength, bool) or not 0 <= memory.strength <= MAX_STRENGTH:
        raise ValueError(f"strength is {memory.strength!r}: it must be from 0 to {MAX_STRENGTH}")
    checks.checked_bool(memory.pinned, "pinned")


def count_of(value: object, name: str) -> int:
    """Return a whole number from 0 that is no larger than any count grows."""
    if not isinstance(value, int) or not is_whole(value) or not 0 <= value < MAX_COUNT:
        raise ValueError(f"{name} is {value!r}: it must be a whole number from 0")
    return value


def _times(memory: Memory) -> dict[str, Any]:
    times = {name: getattr(memory, name) for name in _TIMES}
    for name in _ALWAYS:
        if times[name] is None:
            raise ValueError(f"{name} is missing")
    times = {name: None if at is None else utc(at, name) for name, at in times.items()}
    if times["valid_until"] is not None and times["valid_until"] < times["valid_from"]:
        raise ValueError("valid_until lies before valid_from")
    return times


def utc(at: datetime, name: str) -> datetime:
    """Return a time in UTC; raises `ValueError` for one without an offset."""
    if at.utcoffset() is None:
        raise ValueError(f"{name} needs an offset")
    return at.astimezone(UTC)
