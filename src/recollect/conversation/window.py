"""The turns of a conversation that fit a budget, newest kept."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import partial
from threading import RLock
from typing import Any, Self

from recollect.conversation.evicting import evicted, fitted
from recollect.conversation.inorder import InOrder
from recollect.conversation.showing import shown_turns
from recollect.conversation.speaking import (
    checked_function,
    checked_priority,
    checked_shape,
    checked_tokens,
    spoken,
    watchers,
)
from recollect.conversationdoor import EvictionPolicy, RecencyScorer
from recollect.foreign import guard, tell
from recollect.models import ContextItem, Turn
from recollect.protocols import Clock, Tokenizer
from recollect.text import OfflineTokenizer


class SlidingWindowMemory:
    """Turns within a budget of tokens: the oldest leave for the newest, or those that `eviction_policy` chooses.

    It never holds more than `max_tokens`; a turn that is larger alone is cut and marked `truncated`. Threads may share
    it. `on_evict` and the `on_eviction` of `callbacks` are called once for each add that evicts, with the turns oldest
    first, one after another in the order of the evictions and outside every lock: they may call back, and one that
    fails is logged. While another thread is told, an add returns before its own evictions are.
    """

    def __init__(
        self,
        max_tokens: int = 4096,
        tokenizer: Tokenizer | None = None,
        on_evict: Callable[[list[Turn]], object] | None = None,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        *,
        callbacks: Iterable[object] = (),
        clock: Clock | None = None,
    ) -> None:
        self._max_tokens = checked_tokens(max_tokens)
        checked_function(on_evict, "on_evict")
        for value, shape, name in (
            (tokenizer, Tokenizer, "tokenizer"),
            (eviction_policy, EvictionPolicy, "eviction_policy"),
            (recency_scorer, RecencyScorer, "recency_scorer"),
            (clock, Clock, "clock"),
        ):
            checked_shape(value, shape, name)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._on_evict, self._policy, self._scorer = on_evict, eviction_policy, recency_scorer
        self._callbacks, self._clock = watchers(callbacks), clock
        self._lock = RLock()  # a policy may look into the window that asks it
        self._turns: list[Turn] = []
        self._tokens = 0
        self._added = 0
        self._choosing = False
        self._told = InOrder()

    def fresh(self) -> Self:
        """Return an empty one of the same kind, for another conversation."""
        other = copy.copy(self)
        other._lock, other._told = RLock(), InOrder()
        other._turns, other._tokens, other._added, other._choosing = [], 0, 0, False
        return other

    @property
    def turns(self) -> list[Turn]:
        """The turns, oldest first; a copy."""
        with self._lock:
            return list(self._turns)

    @property
    def total_tokens(self) -> int:
        """The tokens of all turns, never more than `max_tokens`."""
        return self._tokens

    @property
    def max_tokens(self) -> int:
        """The budget."""
        return self._max_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn, or one that is ready as the only argument, and return it as it is kept.

        It gets its `position`, the running number from 0, and its time if it has none.
        """
        turn = fitted(spoken(role, content, metadata, self._clock), self._max_tokens, self._tokenizer)
        with self._lock:
            self._check_change()
            self._make_room(turn.token_count)
            turn = replace(turn, position=self._added)
            self._added += 1
            self._turns.append(turn)
            self._tokens += turn.token_count
        self._told.carry_out()
        return turn

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the turns as items, oldest first; the newer, the higher the score."""
        return shown_turns(self.turns, checked_priority(priority), self._scorer)

    def clear(self) -> None:
        """Remove all turns; nobody is told of these."""
        with self._lock:
            self._check_change()
            self._turns = []
            self._tokens = self._added = 0

    def _make_room(self, tokens: int) -> None:
        excess = self._tokens + tokens - self._max_tokens
        if excess <= 0:
            return
        self._told.check_depth()
        self._choosing = True
        try:
            leaving = evicted(self._turns, excess, self._policy)
        finally:
            self._choosing = False
        leavers = [self._turns[place] for place in leaving]
        for place in reversed(leaving):
            del self._turns[place]
        self._tokens -= sum(turn.token_count for turn in leavers)
        self._told.put(
            partial(tell, self._callbacks, "on_eviction", list(leavers), self._tokens + tokens),
            partial(self._tell_owner, leavers),
        )

    def _check_change(self) -> None:
        if self._choosing:  # of this thread alone: the lock keeps the others out
            raise RuntimeError("an eviction policy chooses who leaves the window, and cannot change it itself")

    def _tell_owner(self, leavers: list[Turn]) -> None:
        if self._on_evict is not None:
            guard("on_evict", partial(self._on_evict, list(leavers)))
