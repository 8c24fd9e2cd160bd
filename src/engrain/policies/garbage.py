"""Garbage collection of stand-alone memory entries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol, runtime_checkable

from engrain.guard import notify
from engrain.model.memory import Kind, Memory, MemoryEntry, MemoryType
from engrain.policies.entries import EbbinghausDecay, LinearDecay
from engrain.protocols import Collectable, MemoryDecay

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


DEFAULT_THRESHOLD = 0.1


class _Lifecycle(Protocol):
    @property
    def entries(self) -> Collectable: ...


@runtime_checkable
class HasEntries(Protocol):
    """A manager, whose memories are looked at as entries."""

    @property
    def lifecycle(self) -> _Lifecycle: ...


@dataclass(frozen=True, slots=True)
class GCStats:
    """What a collection pruned, or with `dry_run` would prune, and how many entries remain, or would."""

    expired_pruned: int
    decayed_pruned: int
    total_remaining: int
    dry_run: bool

    @property
    def total_pruned(self) -> int:
        """How many were pruned in all."""
        return self.expired_pruned + self.decayed_pruned


class MemoryGarbageCollector:
    """Prunes a store of entries: the expired, and with a `decay` those of which less than a threshold is retained.

    `store` lists all its entries, expired ones too (`list_all_unfiltered`), and deletes by id. It may be a manager:
    there nothing is deleted, the expired expire, the decayed are archived, and what is pinned, critical or not learnt
    from stays. `callbacks` hear of what was pruned, of a dry run too.
    """

    def __init__(
        self,
        store: Collectable | HasEntries,
        decay: MemoryDecay | None = None,
        callbacks: Sequence[object] | None = None,
    ) -> None:
        if isinstance(store, HasEntries):
            store = store.lifecycle.entries
        if not isinstance(store, Collectable):
            raise TypeError(
                f"{type(store).__name__} cannot be collected: give a MemoryManager, not its store, "
                "or an object with list_all_unfiltered() and delete(id)"
            )
        if decay is not None and not isinstance(decay, MemoryDecay):
            raise TypeError(f"{type(decay).__name__} is no decay: it needs compute_retention(entry)")
        self._store, self._decay, self._callbacks = store, decay, tuple(callbacks or ())

    def collect(self, retention_threshold: float = DEFAULT_THRESHOLD, dry_run: bool = False) -> GCStats:
        """Prune the expired, then, where there is a decay, what is retained to less than the threshold (0 to 1)."""
        _share(retention_threshold)
        everything = list(self._store.list_all_unfiltered())
        expired = [entry for entry in everything if self._has_expired(entry)]
        faded = self._faded(everything, retention_threshold) if self._decay is not None else []
        expired, faded = self._prune(expired, dry_run), self._prune(faded, dry_run)
        self._tell(expired, faded, retention_threshold)
        return GCStats(len(expired), len(faded), len(everything) - len(expired) - len(faded), dry_run)

    def collect_expired(self, dry_run: bool = False) -> list[MemoryEntry]:
        """Prune what has expired, and return it."""
        expired = [entry for entry in self._store.list_all_unfiltered() if self._has_expired(entry)]
        expired = self._prune(expired, dry_run)
        self._tell(expired, [], DEFAULT_THRESHOLD)
        return expired

    def collect_decayed(
        self, retention_threshold: float = DEFAULT_THRESHOLD, dry_run: bool = False
    ) -> list[MemoryEntry]:
        """Prune what is retained to less than the threshold, and return it; `ValueError` without a decay."""
        _share(retention_threshold)
        if self._decay is None:
            raise ValueError("Cannot collect decayed entries without a decay function: give decay=")
        faded = self._prune(self._faded(list(self._store.list_all_unfiltered()), retention_threshold), dry_run)
        self._tell([], faded, retention_threshold)
        return faded

    def _now(self) -> datetime:
        clock = getattr(self._store, "now", None)
        return clock() if callable(clock) else datetime.now(UTC)

    def _has_expired(self, entry: MemoryEntry) -> bool:
        return entry.expires_at is not None and entry.expires_at <= self._now()

    def _faded(self, entries: Sequence[MemoryEntry], threshold: float) -> list[MemoryEntry]:
        return [e for e in entries if not self._has_expired(e) and self._retained(e) < threshold]

    def _retained(self, entry: MemoryEntry) -> float:
        if isinstance(self._decay, EbbinghausDecay | LinearDecay):
            return self._decay.compute_retention(entry, now=self._now())
        return 1.0 if self._decay is None else self._decay.compute_retention(entry)

    def _prune(self, entries: Sequence[MemoryEntry], dry_run: bool) -> list[MemoryEntry]:
        """Return what the store lets go of; one that keeps what it is asked to delete returns False."""
        return list(entries) if dry_run else [entry for entry in entries if self._store.delete(entry.id) is not False]

    def _tell(self, expired: list[MemoryEntry], faded: list[MemoryEntry], threshold: float) -> None:
        if expired:
            notify(self._callbacks, "on_expiry_prune", expired)
        if faded:
            notify(self._callbacks, "on_decay_prune", faded, threshold)


def _share(threshold: object) -> None:
    if isinstance(threshold, bool) or not isinstance(threshold, int | float) or not 0 <= threshold <= 1:
        raise ValueError(f"retention_threshold is {threshold!r}: it must be from 0 to 1")
