"""When two writes are one memory: the identity key, which a unique index enforces."""

from __future__ import annotations

from datetime import datetime

from recollect.models import Kind, Memory
from recollect.text import digest, normalise


def identity(memory: Memory) -> str:
    """Return the key under which a live memory is the only one of its namespace.

    Semantic and procedural memories are the same statement when their normalised texts are equal. Episodic and working
    ones are events: session, actor and event time count too, because the same words said again are another event. A
    memory with a caller's key is that key's own.
    """
    parts = [memory.kind.value, memory.scope.agent or "", memory.key or "", normalise(memory.content)]
    if memory.kind in (Kind.EPISODIC, Kind.WORKING):
        parts += [memory.scope.session or "", memory.actor or "", memory.valid_from.isoformat()]
    return digest(*parts)[:40]


def holds_its_slot(memory: Memory, now: datetime) -> bool:
    """Say whether a memory with this identity is still live or waiting, so that its like is a duplicate."""
    ended = memory.valid_until is not None and memory.valid_until <= now
    current = memory.as_of_clock(now)
    return current.status in ("active", "quarantined") and not memory.is_superseded and not ended
