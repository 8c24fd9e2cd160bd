"""What a memory looks like as a stand-alone entry."""

from __future__ import annotations

from recollect.models import Kind, Memory, MemoryEntry, MemoryType

_TYPES = {Kind.WORKING: MemoryType.CONVERSATION}


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
