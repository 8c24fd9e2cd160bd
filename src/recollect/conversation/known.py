"""The facts that a conversation's façade keeps: each text once, changed by one thread at a time."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import RLock
from typing import NamedTuple, Protocol, runtime_checkable

from recollect.conversation.entries import related
from recollect.entrydoor import MemoryEntryStore
from recollect.foreign import guard
from recollect.models import MemoryEntry
from recollect.policies.consolidation import MemoryOperation


@runtime_checkable
class Consolidator(Protocol):
    """Says what becomes of new entries beside those that are known, as (operation, entry): `SimilarityConsolidator`."""

    def consolidate(
        self, new_entries: Iterable[MemoryEntry], existing: Iterable[MemoryEntry]
    ) -> Sequence[tuple[MemoryOperation | str, MemoryEntry | None]]: ...


class Settled(NamedTuple):
    """What became of a new entry: the operation, it, and the one it met."""

    operation: MemoryOperation
    new: MemoryEntry | None
    existing: MemoryEntry | None
    kept: MemoryEntry | None = None


class KnownFacts:
    """The entries of a store. All changes go through one lock, so that two threads that say the same make one entry."""

    def __init__(self, store: MemoryEntryStore) -> None:
        self.store = store
        self._lock = RLock()  # a consolidator may ask who asks it

    def all(self) -> list[MemoryEntry]:
        """Return the entries that have not expired."""
        return [entry for entry in self.store.list_all() if not entry.is_expired]

    def relevant(self, query: str, top_k: int) -> list[MemoryEntry]:
        """Return those that share words with a question, or else what the store's own search finds."""
        if found := related(self.all(), query, top_k):
            return found
        return [entry for entry in self.store.search(query, top_k) if not entry.is_expired][:top_k]

    def add(self, entry: MemoryEntry) -> MemoryEntry:
        """Keep an entry, or give its tags and metadata to the one of exactly the same text, and return what is kept."""
        with self._lock:
            known = next(
                (one for one in self.all() if (one.content, one.user_id) == (entry.content, entry.user_id)), None
            )
            if known is None:
                self.store.add(entry)
                return entry
            both = replace(
                known,
                tags=tuple(dict.fromkeys((*known.tags, *entry.tags))),
                metadata={**known.metadata, **entry.metadata},
            )
            return known if both == known else self._replaced(both)

    def update(self, entry_id: str, content: str) -> MemoryEntry | None:
        """Give an entry another text; None when there is none of this id."""
        with self._lock:
            known = next((entry for entry in self.store.list_all() if entry.id == entry_id), None)
            return None if known is None else self._replaced(replace(known, content=content))

    def delete(self, entry_id: str) -> bool:
        """Delete an entry; False when there is none of this id."""
        with self._lock:
            return bool(self.store.delete(entry_id))

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self.store.clear()

    def settle(self, new: Sequence[MemoryEntry], consolidator: Consolidator | None) -> list[Settled]:
        """Do with new entries what a consolidator says; without one, or when it fails, add them."""
        with self._lock:
            known = self.all()
            decided = None
            if consolidator is not None:
                decided = guard("the consolidator", partial(_decisions, consolidator, new, known))
            if decided is None:
                decided = [(MemoryOperation.ADD, entry) for entry in new]
            fresh: list[MemoryEntry | None] = list(new) if len(new) == len(decided) else [None] * len(decided)
            names = {entry.id: entry for entry in known} | {entry.content: entry for entry in known}
            return [
                self._carried_out(operation, entry, one, names.get(entry.id if entry else one.content if one else ""))
                for (operation, entry), one in zip(decided, fresh, strict=True)
            ]

    def _carried_out(
        self, operation: MemoryOperation, entry: MemoryEntry | None, new: MemoryEntry | None, met: MemoryEntry | None
    ) -> Settled:
        if operation is MemoryOperation.ADD and entry is not None:
            kept = self.add(entry)
            known = kept is not entry
            return Settled(MemoryOperation.NONE, entry, kept) if known else Settled(operation, entry, None, kept)
        if operation is MemoryOperation.UPDATE and entry is not None:
            self.store.add(entry)
            return Settled(operation, new or entry, met, entry)
        if operation is MemoryOperation.DELETE and entry is not None:
            self.store.delete(entry.id)
        return Settled(operation, new, met)

    def _replaced(self, entry: MemoryEntry) -> MemoryEntry:
        entry = replace(entry, updated_at=datetime.now(UTC))
        self.store.add(entry)
        return entry


def _decisions(
    consolidator: Consolidator, new: Sequence[MemoryEntry], known: Sequence[MemoryEntry]
) -> list[tuple[MemoryOperation, MemoryEntry | None]]:
    said: Iterable[tuple[object, object]] = consolidator.consolidate(new, known)
    return [_decision(MemoryOperation(str(operation).lower()), entry) for operation, entry in said]


def _decision(operation: MemoryOperation, entry: object) -> tuple[MemoryOperation, MemoryEntry | None]:
    if entry is None and operation is MemoryOperation.NONE:
        return operation, None
    if not isinstance(entry, MemoryEntry):
        raise TypeError(f"it returned {operation.upper()} with a {type(entry).__name__}: it must name an entry")
    return operation, entry
