"""The state shared by all views of a manager: store, embedder, clock, settings, counters and caches."""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from threading import BoundedSemaphore, Lock, local
from typing import Any, Literal, NamedTuple

from engrain.config import Settings
from engrain.errors import StoreError
from engrain.graph.packs import Packs
from engrain.guard import log
from engrain.model.filters import Test
from engrain.model.memory import Memory, Scope, accessed
from engrain.model.signatures import Signer
from engrain.policies.rate_limit import RateLimiter
from engrain.policies.retention import Retention
from engrain.protocols import LLM, Clock, Decider, Embedder, Extractor, Grader, QueryTransformer, Reranker, Tokenizer
from engrain.storage.interface import Store, Transaction, grouped
from engrain.storage.rows import AccessRow

Metric = Literal["created", "recalls", "entity_hits"]
_SET_BACK = timedelta(minutes=1)
_MAX_WAITING, _MAX_SECONDS = 200, 2.0  # accesses that wait to be written, and for how long
_MAX_STRENGTH, _STRENGTHENED = 2.0, 0.1  # of a memory, by each access


class SystemClock:
    """The machine's clock, in UTC; set back by less than a minute it stops, so that no time is in the future."""

    def __init__(self) -> None:
        self._latest = datetime.now(UTC)

    def now(self) -> datetime:
        """Return the time."""
        now = datetime.now(UTC)
        if not timedelta(0) < self._latest - now < _SET_BACK:
            self._latest = now
        return self._latest


class Ids:
    """Time-ordered unique ids (UUID version 7): a counter keeps those of one millisecond in order."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._last = 0

    def __call__(self, prefix: str) -> str:
        with self._lock:
            # 48 bits of milliseconds and 12 of fractions, never repeating or going back within the process.
            self._last = max(self._last + 1, (time.time_ns() << 12) // 1_000_000)
            stamp = self._last
        rest = int.from_bytes(os.urandom(8), "big") & ((1 << 62) - 1)
        value = (stamp >> 12) << 80 | 0x7 << 76 | (stamp & 0xFFF) << 64 | 0b10 << 62 | rest
        return f"{prefix}_{value:032x}"


@dataclass(slots=True)
class Counters:
    """The activity of this process through one manager and its views, by scope."""

    queued: int = 0
    _counts: Counter[tuple[str, str, str | None, str | None]] = field(default_factory=Counter)

    def count(self, metric: Metric, scope: Scope, times: int = 1) -> None:
        """Count something that was done in a scope."""
        if times:
            self._counts[metric, scope.org, scope.user, scope.agent] += times

    def total(self, metric: Metric, scope: Scope) -> int:
        """Return how often it was done in the scopes that a view of `scope` sees."""
        return sum(
            times
            for (what, org, user, agent), times in self._counts.copy().items()
            if (what, org) == (metric, scope.org)
            and scope.user in (None, user)
            and (scope.agent is None or agent in (None, scope.agent))
        )


class _Accesses(NamedTuple):
    """The accesses of one memory that are not written yet: how many, and the last three, latest first."""

    org: str
    times: int
    latest: tuple[datetime, ...]

    def added(self, row: AccessRow) -> AccessRow:
        """Return the columns of a record with these accesses counted."""
        last, before = accessed((row.last_accessed, row.accessed_2, row.accessed_3), self.latest)
        second, third = (*before, None, None)[:2]
        return AccessRow(*row[:3], row.access_count + self.times, last, second, third, self._strength(row.strength))

    def added_to(self, memory: Memory) -> Memory:
        last, before = accessed((memory.last_accessed, *memory.accessed_before), self.latest)
        count, strength = memory.access_count + self.times, self._strength(memory.strength)
        return replace(memory, access_count=count, last_accessed=last, accessed_before=before, strength=strength)

    def _strength(self, before: float) -> float:
        return min(_MAX_STRENGTH, round(before + _STRENGTHENED * self.times, 6))


class AccessLog:
    """The accesses not yet written, which go to the store in small transactions; a crash loses counts only."""

    def __init__(self) -> None:
        self._since = 0.0
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._lock = Lock()
        self._unwritten: dict[str, _Accesses] = {}

    def _reset_after_fork(self) -> None:
        if self._owner != os.getpid():  # the parent writes its own records
            self._begin()

    def add(self, org: str, ids: Sequence[str], now: datetime) -> bool:
        """Count one access for each id, which is of a memory of this org; return whether a wait begins or ends."""
        self._reset_after_fork()
        with self._lock:
            begins = not self._unwritten
            if begins:
                self._since = time.monotonic()
            for memory_id in ids:
                known = self._unwritten.get(memory_id, _Accesses(org, 0, ()))
                latest = tuple(sorted((*known.latest, now), reverse=True)[:3])
                self._unwritten[memory_id] = _Accesses(org, known.times + 1, latest)
            return begins or len(self._unwritten) >= _MAX_WAITING

    def due(self) -> bool:
        """Return whether there are enough to be written, or they have waited long enough."""
        self._reset_after_fork()
        with self._lock:
            waited = bool(self._unwritten) and time.monotonic() - self._since >= _MAX_SECONDS
            return waited or len(self._unwritten) >= _MAX_WAITING

    @property
    def waiting(self) -> bool:
        """Whether something is not written yet."""
        return bool(self._unwritten)

    def shown(self, memory: Memory) -> Memory:
        """Return the memory with the accesses that are not written yet."""
        with self._lock:
            accesses = self._unwritten.get(memory.id)
            return memory if accesses is None else accesses.added_to(memory)

    def write(self, store: Store) -> None:
        """Write the recorded accesses; a read-only store keeps no counts."""
        self._reset_after_fork()
        with self._lock:
            gathered, self._unwritten = self._unwritten, {}
        if not gathered or store.read_only:
            return

        def update(ids: Sequence[str], transaction: Transaction) -> None:
            rows = transaction.find(AccessRow, [Test("id", "in", tuple(ids))])
            transaction.put(*(gathered[row.memory_id].added(row) for row in rows if row.memory_id in gathered))

        try:
            for org, ids in grouped(gathered, lambda memory_id: gathered[memory_id].org).items():
                store.write(partial(update, ids), org, ())
        except StoreError as error:
            log.warning("access counts were not written: %s", error)


class ConcurrencyLimiter:
    """Limits concurrent holders to `limit`, reentrant for a thread; a child process counts its own after a fork."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._slots: dict[int, BoundedSemaphore] = {}
        self._inside = local()

    @contextmanager
    def acquire(self, timeout: float) -> Iterator[bool]:
        """Wait for a slot for so many seconds, and take it; False if there was none in time."""
        if getattr(self._inside, "process", None) == os.getpid():
            yield True
            return
        slots = self._slots.setdefault(os.getpid(), BoundedSemaphore(self._limit))
        acquired = slots.acquire(timeout=timeout)
        self._inside.process = os.getpid() if acquired else None
        try:
            yield acquired
        finally:
            self._inside.process = None
            if acquired:
                slots.release()


class ErasureTraces(NamedTuple):
    """The bytes searched for to prove an erasure: bytes that other rows may contain too, and those that none can."""

    common: frozenset[bytes] = frozenset()
    unique: frozenset[bytes] = frozenset()


class LRUCache:
    """A thread-safe cache of texts by key that keeps the `size` last used ones."""

    def __init__(self, size: int) -> None:
        self._size, self._lock = size, Lock()
        self._values: OrderedDict[str, str] = OrderedDict()

    def get(self, key: str) -> str | None:
        """Return the value of a key, None when there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: str, value: str) -> None:
        """Set the value of a key."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._size:
                self._values.popitem(last=False)


@dataclass(slots=True)
class Engine:
    """The state shared by a manager and all its views; `llm.tasks` chooses who extracts, decides and grades."""

    store: Store
    embedder: Embedder | None
    tokenizer: Tokenizer
    settings: Settings
    clock: Clock
    reranker: Reranker | str | None = None
    grader: Grader | None = None
    transformer: QueryTransformer | None = None
    extractor: Extractor | None = None
    decider: Decider | None = None
    llm: LLM | None = None
    signer: Signer | None = None
    rates: RateLimiter | None = None
    callbacks: Sequence[object] = ()
    packs: Packs = field(default_factory=Packs.of)
    new_id: Callable[[str], str] = field(default_factory=Ids)
    counters: Counters = field(default_factory=Counters)
    accesses: AccessLog = field(default_factory=AccessLog)
    erasure_traces: dict[str, ErasureTraces] = field(default_factory=dict)  # of erasures that are not proven yet
    intent_cache: LRUCache = field(default_factory=lambda: LRUCache(1000))  # the kinds of questions, by a model
    llm_limiter: ConcurrencyLimiter = field(init=False)
    retention: Retention = field(init=False)
    usage_lock: Lock = field(default_factory=Lock)
    unsaved_usage: dict[str, Any] = field(default_factory=dict)  # records of `llm.usage`, over a read-only store

    def __post_init__(self) -> None:
        self.llm_limiter = ConcurrencyLimiter(self.settings.llm_concurrency)
        self.retention = self.settings.retention_rules
