"""What stand-alone entries are kept, and faded, by; any object of such a shape will do."""

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


@runtime_checkable
class MemoryDecay(Protocol):
    """Says how much of an entry is retained: 1 for all of it, 0 for nothing."""

    def compute_retention(self, entry: MemoryEntry) -> float: ...


@runtime_checkable
class Collectable(Protocol):
    """What can be collected: it lists all entries, expired ones too, and lets go of one by its id.

    `delete` returns False for one that it keeps. Optional: `now()`, its clock, if that is not the system's.
    """

    def list_all_unfiltered(self) -> Sequence[MemoryEntry]: ...
    def delete(self, entry_id: str) -> bool: ...
