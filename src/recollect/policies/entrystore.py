"""Stand-alone entries: what a store of them must have, and what a memory looks like as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from recollect.models import Kind, Memory, MemoryEntry, MemoryType

_TYPES = {Kind.WORKING: MemoryType.CONVERSATION}


@runtime_checkable
class MemoryEntryStore(Protocol):
    """Keeps entries by their ids: `add` replaces one of the same id, `list_all` leaves out what has expired.

    `delete` says whether there was one.
    """

    def add(self, entry: MemoryEntry) -> object: ...
    def search(self, query: str, top_k: int = 5) -> Sequence[MemoryEntry]: ...
    def list_all(self) -> Sequence[MemoryEntry]: ...
    def delete(self, entry_id: str) -> bool: ...
    def clear(self) -> None: ...


@runtime_checkable
class GarbageCollectableStore(MemoryEntryStore, Protocol):
    """One that also lists the entries that have expired."""

    def list_all_unfiltered(self) -> Sequence[MemoryEntry]: ...


def entry_of(memory: Memory) -> MemoryEntry:
    """Return a memory as an entry, which is how callbacks and stand-alone classes see it."""
    return MemoryEntry(
        content=memory.content,
        id=memory.id,
        relevance_score=memory.importance,
        access_count=memory.access_count,
        last_accessed=memory.last_accessed or memory.recorded_at,
        created_at=memory.recorded_at,
        updated_at=memory.updated_at,
        tags=memory.tags,
        metadata=memory.metadata,
        memory_type=_TYPES.get(memory.kind) or MemoryType(memory.kind.value),
        user_id=memory.scope.user,
        session_id=memory.scope.session,
        expires_at=memory.expires_at,
        links=tuple(link.memory_id for link in memory.links),
    )
