"""What a store of stand-alone entries must have; any object of that shape will do."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

from recollect.models import MemoryEntry


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
