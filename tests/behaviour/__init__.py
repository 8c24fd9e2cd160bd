"""What the users of a memory rely on, through `MemoryManager` alone."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.model.memory import Memory


def texts(memories: Iterable[Memory]) -> list[str]:
    """Return what the memories say, in their order."""
    return [memory.content for memory in memories]
