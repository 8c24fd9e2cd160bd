"""Stand-alone memory entries: consolidation by similarity, decay, and garbage collection."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import cache, lru_cache
from typing import Any

from engrain.guard import notify
from engrain.language.locales import LOCALES, union
from engrain.language.tokens import STOP
from engrain.lazy import Numbers, np
from engrain.model.memory import Kind, Memory, MemoryEntry, MemoryType
from engrain.policies.retention import checked_number
from engrain.protocols import Collectable, MemoryDecay
from engrain.text import normalise, pattern
from engrain.validation import checked_share, checked_whole

_AROUND = ".,;:!?…\"'`()[]“”‘’«»"
_QUESTION = pattern(r"[?？؟]")
_CONTRACTED = pattern(r"n['’]t$")
_ROUNDING = 1e-9  # two equal vectors have a cosine of one, give or take a rounding
_TYPES = {Kind.WORKING: MemoryType.CONVERSATION}


@cache
def _turning() -> frozenset[str]:
    """Return the words that change a statement if one is added: numbers, and words that reverse or weaken it."""
    numbers = (name for locale in LOCALES.values() for name in (*locale.numbers, *locale.scales))
    return union("turning").union(numbers)


def says_all(longer: str, shorter: str) -> bool:
    """Return whether `longer` has every word of `shorter` in order, and neither has a fixed point the other lacks.

    Fixed points are numbers, identifiers, names, question marks, and words that turn a statement around.
    """
    long_words, short_words = _words(longer), _words(shorter)
    rest = iter(long_words)
    both_ask = bool(_QUESTION.search(longer)) == bool(_QUESTION.search(shorter))
    is_fixed = both_ask and _fixed(longer, short_words) == _fixed(shorter, long_words)
    return is_fixed and all(word in rest for word in short_words)


def _words(text: str) -> list[str]:
    """Return the words in their comparison form: a token with a digit or a symbol exactly, others in lower case."""
    words = (normalise(_bare(token)) for token in text.split())
    return [word for word in words if word and word not in LOCALES["en"].articles]


def _bare(token: str) -> str:
    inner = token.strip(_AROUND)
    return inner if not inner or _is_plain(inner) else token.rstrip(".,;:")


def _is_plain(token: str) -> bool:
    return all(char.isalpha() or char in "'’-" for char in token)


def _fixed(text: str, others: list[str]) -> set[str]:
    """Return the parts that must be equal in both texts; a capital at the beginning of a sentence marks no name."""
    found: set[str] = set()
    begins = True
    for token in text.split():
        bare = _bare(token)
        word = normalise(bare)
        if not _is_plain(bare) or word in _turning() or _CONTRACTED.search(word):
            found.add(word)
        elif bare != bare.lower() and not (begins and bare.istitle() and (word in STOP or word in others)):
            found.add(bare)
        begins = token.rstrip("\"'”’)").endswith((".", "!", "?", ":"))
    return found


class MemoryOperation(StrEnum):
    """The operation for an entry."""

    ADD = "add"
    UPDATE = "update"
    DELETE = "delete"
    NONE = "none"


class SimilarityConsolidator:
    """Merges entries that state the same: similar by their embeddings, and the same statement by their words.

    Unlike consolidators that go by the cosine alone it drops no distinguishing word: "allergic to penicillin" is added
    beside "allergic to peanuts", however alike their vectors are. `embed_fn` embeds one text; up to `max_cache_size`
    vectors are remembered by text. It keeps no entries; the caller stores what it returns.
    """

    def __init__(
        self, embed_fn: Callable[[str], Sequence[float]], similarity_threshold: float = 0.85, max_cache_size: int = 1000
    ) -> None:
        if not callable(embed_fn):
            raise TypeError(f"embed_fn must be a function of one text, not {type(embed_fn).__name__}")
        checked_whole(max_cache_size, "max_cache_size")
        self._threshold = (checked_share(similarity_threshold, "similarity_threshold") or 0.0) - _ROUNDING
        self._vector = lru_cache(max_cache_size)(lambda text: _unit(embed_fn(text)))

    def consolidate(
        self, new_entries: Iterable[MemoryEntry], existing: Iterable[MemoryEntry]
    ) -> list[tuple[MemoryOperation, MemoryEntry | None]]:
        """Return for each new entry (ADD, itself), (UPDATE, the merged entry) or (NONE, None) for a text known already.

        A merged entry keeps the existing one's id, and replaces it at once for the new entries that follow. New
        entries are not merged with each other, but a text that comes twice is added once. Entries of different users,
        and existing ones that have expired, are never considered equal.
        """
        known = [entry for entry in _entries(existing, "existing") if not entry.is_expired]
        identities = {(entry.user_id, entry.content_hash) for entry in known}
        vector = lru_cache(None)(self._vector)  # each text once in a call, however small the cache
        decided: list[tuple[MemoryOperation, MemoryEntry | None]] = []
        for entry in _entries(new_entries, "new_entries"):
            identity = (entry.user_id, entry.content_hash)
            if identity in identities:
                decided.append((MemoryOperation.NONE, None))
                continue
            identities.add(identity)
            place = self._twin(entry, known, vector)
            if place is None:
                decided.append((MemoryOperation.ADD, entry))
            else:
                known[place] = _merged(known[place], entry)
                decided.append((MemoryOperation.UPDATE, known[place]))
        return decided

    def _twin(
        self, entry: MemoryEntry, known: Sequence[MemoryEntry], vector: Callable[[str], Numbers | None]
    ) -> int | None:
        """Return the index of the most similar known entry among those that state the same."""
        own = vector(entry.content)
        alike = []
        for place, other in enumerate(known):
            theirs = vector(other.content) if other.user_id == entry.user_id else None
            if own is not None and theirs is not None and own.shape == theirs.shape:
                alike.append((float(own @ theirs), -place))
        places = (-place for cosine, place in sorted(alike, reverse=True) if cosine >= self._threshold)
        for place in places:
            shorter, longer = sorted((known[place].content, entry.content), key=len)
            if says_all(longer, shorter):
                return place
        return None


def _merged(existing: MemoryEntry, new: MemoryEntry) -> MemoryEntry:
    """Return both as one, under the existing entry's id: the longer text, with the tags of both."""
    lists = {name: (*getattr(existing, name), *getattr(new, name)) for name in ("tags", "links", "source_turns")}
    both: dict[str, Any] = {name: tuple(dict.fromkeys(values)) for name, values in lists.items()}
    endless = existing.expires_at is None or new.expires_at is None
    return replace(
        existing,
        content=max(new.content, existing.content, key=len),
        **both,
        metadata={**existing.metadata, **new.metadata},
        access_count=existing.access_count + 1,
        relevance_score=max(existing.relevance_score, new.relevance_score),
        expires_at=None if endless else max(filter(None, (existing.expires_at, new.expires_at))),
        updated_at=datetime.now(UTC),
    )


def _entries(values: object, name: str) -> list[MemoryEntry]:
    if not isinstance(values, Iterable) or isinstance(values, str):
        raise TypeError(f"{name} must be a list of MemoryEntry, not {type(values).__name__}")
    kept = list(values)
    for value in kept:
        if not isinstance(value, MemoryEntry):
            raise TypeError(f"{name} holds a {type(value).__name__}: give MemoryEntry objects")
    return kept


def _unit(vector: Sequence[float]) -> Numbers | None:
    values = np.asarray(vector, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"embed_fn returned {values.ndim} dimensions: a vector has one")
    length = float(np.linalg.norm(values))
    return values / length if np.isfinite(length) and length > 0 else None


@dataclass(frozen=True, slots=True)
class EbbinghausDecay:
    """Retention e^(-hours since the last access / S), S = `base_strength` + accesses x `reinforcement_factor`.

    In HOURS: an entry that is not read is down to .37 after one. `base_strength` is above 0, `reinforcement_factor` 0
    or more, else `ValueError`.
    """

    base_strength: float = 1.0
    reinforcement_factor: float = 0.5

    def __post_init__(self) -> None:
        checked_number(self.base_strength, "base_strength")
        checked_number(self.reinforcement_factor, "reinforcement_factor", zero=True)

    def compute_retention(self, entry: MemoryEntry, *, now: datetime | None = None) -> float:
        """Return the retention of an entry, from 0 to 1, by the system's clock or at `now`."""
        return math.exp(-_hours(entry, now) / (self.base_strength + entry.access_count * self.reinforcement_factor))


@dataclass(frozen=True, slots=True)
class LinearDecay:
    """Retention that falls evenly from 1 to 0 over twice the half-life, in hours since the last access.

    `half_life_hours` is above 0, else `ValueError`.
    """

    half_life_hours: float = 168.0

    def __post_init__(self) -> None:
        checked_number(self.half_life_hours, "half_life_hours")

    def compute_retention(self, entry: MemoryEntry, *, now: datetime | None = None) -> float:
        """Return the retention of an entry, from 0 to 1, by the system's clock or at `now`."""
        return max(1 - _hours(entry, now) / (2 * self.half_life_hours), 0.0)


def _hours(entry: MemoryEntry, now: datetime | None) -> float:
    return max(((now or datetime.now(UTC)) - entry.last_accessed) / timedelta(hours=1), 0.0)


def entry_of(memory: Memory) -> MemoryEntry:
    """Return a memory as an entry, the form that callbacks and stand-alone classes use."""
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


@dataclass(frozen=True, slots=True)
class GCStats:
    """The entries that a collection pruned, or with `dry_run` would prune, and how many remain, or would."""

    expired_pruned: int
    decayed_pruned: int
    total_remaining: int
    dry_run: bool

    @property
    def total_pruned(self) -> int:
        """The total number of pruned entries."""
        return self.expired_pruned + self.decayed_pruned


class MemoryGarbageCollector:
    """Prunes a store of entries: the expired, and with a `decay` those whose retention is below a threshold.

    `store` lists all its entries, expired ones too (`list_all_unfiltered`), and deletes by id. It may be a manager:
    there nothing is deleted, the expired expire, the decayed are archived, and pinned, critical and unconsolidated
    ones stay. `callbacks` are notified of pruned entries, of a dry run too.
    """

    def __init__(
        self, store: Collectable | object, decay: MemoryDecay | None = None, callbacks: Sequence[object] | None = None
    ) -> None:
        if (lifecycle := getattr(store, "lifecycle", None)) is not None:  # a manager
            store = lifecycle.entries
        if not isinstance(store, Collectable):
            advice = "give a MemoryManager, not its store, or an object with list_all_unfiltered() and delete(id)"
            raise TypeError(f"{type(store).__name__} cannot be collected: {advice}")
        if decay is not None and not isinstance(decay, MemoryDecay):
            raise TypeError(f"{type(decay).__name__} is no decay: it needs compute_retention(entry)")
        self._store, self._decay, self._callbacks = store, decay, tuple(callbacks or ())

    def collect(self, retention_threshold: float = 0.1, dry_run: bool = False) -> GCStats:
        """Prune the expired, then, if there is a decay, entries whose retention is below the threshold (0 to 1)."""
        entries, expired, faded = self._pruned(retention_threshold, dry_run)
        return GCStats(len(expired), len(faded), len(entries) - len(expired) - len(faded), dry_run)

    def collect_expired(self, dry_run: bool = False) -> list[MemoryEntry]:
        """Prune expired entries, and return them."""
        return self._pruned(None, dry_run)[1]

    def collect_decayed(self, retention_threshold: float = 0.1, dry_run: bool = False) -> list[MemoryEntry]:
        """Prune entries whose retention is below the threshold, and return them; `ValueError` without a decay."""
        if self._decay is None:
            raise ValueError("Cannot collect decayed entries without a decay function: give decay=")
        return self._pruned(retention_threshold, dry_run, expired=False)[2]

    def _pruned(
        self, threshold: float | None, dry_run: bool, *, expired: bool = True
    ) -> tuple[list[MemoryEntry], list[MemoryEntry], list[MemoryEntry]]:
        """Prune the expired, and entries below the threshold; return all entries and these two."""
        if threshold is not None and not (type(threshold) in (int, float) and 0 <= threshold <= 1):
            raise ValueError(f"retention_threshold is {threshold!r}: it must be from 0 to 1")
        clock = getattr(self._store, "now", None)
        now = clock() if callable(clock) else datetime.now(UTC)
        entries = list(self._store.list_all_unfiltered())
        over = [entry for entry in entries if entry.expires_at is not None and entry.expires_at <= now]
        faded = []
        if threshold is not None and self._decay is not None:
            ids = {entry.id for entry in over}
            faded = [each for each in entries if each.id not in ids and self._retained(each, now) < threshold]
        if not dry_run:  # a store that keeps what it is asked to delete returns False
            over = [entry for entry in over if expired and self._store.delete(entry.id) is not False]
            faded = [entry for entry in faded if self._store.delete(entry.id) is not False]
        if over and expired:
            notify(self._callbacks, "on_expiry_prune", over)
        if faded:
            notify(self._callbacks, "on_decay_prune", faded, threshold)
        return entries, over, faded

    def _retained(self, entry: MemoryEntry, now: datetime) -> float:
        if isinstance(self._decay, EbbinghausDecay | LinearDecay):
            return self._decay.compute_retention(entry, now=now)
        return 1.0 if self._decay is None else self._decay.compute_retention(entry)
