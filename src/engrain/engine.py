"""What the rooms share: one store, one embedder, the clock and the settings behind every view of a manager."""

from __future__ import annotations

import os
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from threading import BoundedSemaphore, Lock, local
from typing import Any, Literal, NamedTuple

from engrain.config import Settings
from engrain.graph.packs import Packs
from engrain.model.memory import Scope
from engrain.model.signatures import Signer
from engrain.policies.rate_limit import RateLimiter
from engrain.protocols import LLM, Clock, Decider, Embedder, Extractor, Grader, QueryTransformer, Reranker, Tokenizer
from engrain.storage.interface import Store

Deed = Literal["created", "recalls", "entity_hits"]
_SET_BACK = timedelta(minutes=1)


class SystemClock:
    """The machine's clock, in UTC; set back by less than a minute, it stands still until it is later again.

    What was remembered a moment ago must not be of the future.
    """

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
    """What this process did through one manager and its views, and for whom."""

    queued: int = 0
    _done: Counter[tuple[str, str, str | None, str | None]] = field(default_factory=Counter)

    def count(self, deed: Deed, scope: Scope, times: int = 1) -> None:
        """Note what was done for a view."""
        if times:
            self._done[deed, scope.org, scope.user, scope.agent] += times

    def seen(self, deed: Deed, scope: Scope) -> int:
        """Return how often it was done for what a view sees: for nobody else."""
        return sum(
            times
            for (what, org, user, agent), times in self._done.copy().items()
            if (what, org) == (deed, scope.org)
            and scope.user in (None, user)
            and (scope.agent is None or agent in (None, scope.agent))
        )


class Gate:
    """Lets so many through at once; a child process has a gate of its own, whoever was inside at the fork.

    A thread that is inside goes through again: whom it asks may ask in turn, and would wait for itself.
    """

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._turns: dict[int, BoundedSemaphore] = {}
        self._inside = local()

    @contextmanager
    def passed(self, timeout: float) -> Iterator[bool]:
        """Wait for a turn for so many seconds; False when it did not come."""
        if getattr(self._inside, "process", None) == os.getpid():
            yield True
            return
        turns = self._turns.setdefault(os.getpid(), BoundedSemaphore(self._limit))
        let_in = turns.acquire(timeout=timeout)
        self._inside.process = os.getpid() if let_in else None
        try:
            yield let_in
        finally:
            self._inside.process = None
            if let_in:
                turns.release()


class Sought(NamedTuple):
    """What an erasure looks for: traces that another row may hold too, and those that none can."""

    traces: frozenset[bytes] = frozenset()
    unique: frozenset[bytes] = frozenset()


class Recent:
    """What was found out of late, by key: the `most` last used are kept. Safe for threads."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, Lock()
        self._known: OrderedDict[str, str] = OrderedDict()

    def get(self, key: str) -> str | None:
        """Return what is known of a key."""
        with self._lock:
            if key in self._known:
                self._known.move_to_end(key)
            return self._known.get(key)

    def keep(self, key: str, value: str) -> None:
        """Keep what was found out."""
        with self._lock:
            self._known[key] = value
            self._known.move_to_end(key)
            while len(self._known) > self._most:
                self._known.popitem(last=False)


@dataclass(slots=True)
class Engine:
    """The machinery behind a manager and all its views.

    `extractor`, `decider`, `grader` and `transformer` are what the caller gave, None for nothing: who does it for a
    scope says `engrain.llm.chosen`. A reranker may be `"llm"`.
    """

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
    sought: dict[str, Sought] = field(default_factory=dict)  # by erasures that are not proven yet
    intents: Recent = field(default_factory=lambda: Recent(1000))  # of questions, as somebody told them
    gate: Gate = field(init=False)  # so many may ask the language model at once
    books: Lock = field(default_factory=Lock)
    unwritten: dict[str, dict[str, Any]] = field(default_factory=dict)  # what models took, in a store that is read-only

    def __post_init__(self) -> None:
        self.gate = Gate(self.settings.llm_concurrency)
