"""What callbacks are told of writes, after they have committed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from recollect.foreign import tell
from recollect.models import Memory, MemoryEntry, Turn
from recollect.policies.entries import entry_of
from recollect.results import Remembered

_ACTIONS = {"noop": "none", "updated": "update", "corrected": "update", "rejected": "none"}


def tell_consolidated(
    callbacks: Sequence[object], results: Iterable[Remembered], known: Callable[[str], Memory | None]
) -> None:
    """Tell of each write what it did to what is known: add, update or none; `known` looks up what gave way."""
    for result in results:
        if result.memory is None:
            continue
        action = _ACTIONS.get(result.status, "add")
        new: MemoryEntry | None = entry_of(result.memory)
        old: MemoryEntry | None = None
        if action == "none":
            new, old = None, new
        elif action == "update":
            found = [memory for name in result.memory.supersedes if (memory := known(name)) is not None]
            old = entry_of(found[0]) if found else None
        tell(callbacks, "on_consolidation", action, new, old)


def tell_extracted(callbacks: Sequence[object], turns: Sequence[Turn], results: Iterable[Remembered]) -> None:
    """Tell which facts were found in turns."""
    entries = [entry_of(result.memory) for result in results if result.memory is not None]
    if entries:
        tell(callbacks, "on_extraction", list(turns), entries)
