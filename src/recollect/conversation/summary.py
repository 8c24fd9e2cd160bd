"""The newest turns word by word, and one running summary of those that left."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

from recollect.conversation.evicting import counted
from recollect.conversation.showing import shown_summary
from recollect.conversation.speaking import checked_function, checked_priority, watchers
from recollect.conversation.window import SlidingWindowMemory
from recollect.conversationdoor import EvictionPolicy, RecencyScorer
from recollect.foreign import guard, tell
from recollect.models import ContextItem, Turn
from recollect.protocols import Clock, Tokenizer
from recollect.text import OfflineTokenizer, is_blank

Compact = Callable[[list[Turn]], str]
ProgressiveCompact = Callable[[list[Turn], str | None], str]


class SummaryBufferMemory:
    """A window of `max_tokens`, and a summary, made by a function of the caller's, of all that left it.

    Exactly one function is given: what `compact_fn` returns takes the place of the summary, `progressive_compact_fn`
    is shown the previous one. It is called outside every lock, one call after another, in the order of the evictions.
    Where it fails or says nothing, the words of the turns are added to the summary, so that none is lost.
    """

    def __init__(
        self,
        max_tokens: int,
        compact_fn: Compact | None = None,
        progressive_compact_fn: ProgressiveCompact | None = None,
        tokenizer: Tokenizer | None = None,
        summary_priority: int = 6,
        *,
        callbacks: Iterable[object] = (),
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        clock: Clock | None = None,
    ) -> None:
        checked_function(compact_fn, "compact_fn")
        checked_function(progressive_compact_fn, "progressive_compact_fn")
        self._compact = _one_of(compact_fn, progressive_compact_fn)
        self._tokenizer = tokenizer or OfflineTokenizer()
        self._priority = checked_priority(summary_priority, "summary_priority")
        self._callbacks = watchers(callbacks)
        self._new_window = partial(
            SlidingWindowMemory,
            max_tokens,
            tokenizer,
            eviction_policy=eviction_policy,
            recency_scorer=recency_scorer,
            callbacks=self._callbacks,
            clock=clock,
        )
        self._told = self._from_the_start()

    def fresh(self) -> Self:
        """Return an empty one of the same kind, for another conversation."""
        other = copy.copy(self)
        other._told = other._from_the_start()
        return other

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left; None before the first did."""
        return self._told.summary

    @property
    def summary_tokens(self) -> int:
        """The tokens of the summary."""
        return counted(self.summary or "", self._tokenizer)

    @property
    def turns(self) -> list[Turn]:
        """The turns that are still there word by word, oldest first; a copy."""
        return self._told.window.turns

    @property
    def total_tokens(self) -> int:
        """The tokens of the turns, without the summary."""
        return self._told.window.total_tokens

    @property
    def max_tokens(self) -> int:
        """The budget of the turns."""
        return self._told.window.max_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn, or one that is ready as the only argument, and return it as it is kept."""
        return self._told.window.add_turn(role, content, **metadata)

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the summary, at its own priority, and then the turns."""
        told = self._told
        items = told.window.to_context_items(priority)
        if (summary := told.summary) is None:
            return items
        return [shown_summary(summary, self._priority, counted(summary, self._tokenizer)), *items]

    def clear(self) -> None:
        """Remove turns and summary. A compaction that is under way tells of what is gone, and is not kept."""
        self._told = self._from_the_start()

    def _from_the_start(self) -> _Told:
        return _Told(self._new_window, self._compacted, self._callbacks)

    def _compacted(self, turns: list[Turn], previous: str | None) -> str:
        call = partial(self._compact, list(turns), previous)
        return guard("the compaction", partial(_said, call)) or _in_full(turns, previous)


class _Told:
    """A window and what is told of the turns that left it; `clear` takes another, so that nothing late gets in."""

    def __init__(
        self,
        new_window: Callable[..., SlidingWindowMemory],
        compacted: Callable[[list[Turn], str | None], str],
        callbacks: Sequence[object],
    ) -> None:
        self.summary: str | None = None
        self.window = new_window(on_evict=self._leave)
        self._compacted, self._callbacks = compacted, callbacks

    def _leave(self, turns: list[Turn]) -> None:
        previous = self.summary
        self.summary = self._compacted(turns, previous)
        tell(self._callbacks, "on_compaction", turns, self.summary, previous)


def _one_of(compact: Compact | None, progressive: ProgressiveCompact | None) -> ProgressiveCompact:
    if compact is not None and progressive is None:
        return lambda turns, previous: compact(turns)
    if progressive is None or compact is not None:
        raise ValueError("give exactly one of compact_fn and progressive_compact_fn")
    return progressive


def _said(compact: Callable[[], str]) -> str:
    said: object = compact()
    if not isinstance(said, str):
        raise TypeError(f"it returned a {type(said).__name__}: it must return the summary")
    if is_blank(said):
        raise ValueError("it returned a blank summary")
    return said


def _in_full(turns: Sequence[Turn], previous: str | None) -> str:
    words = "; ".join(f"{turn.role}: {turn.content}" for turn in turns)
    return words if previous is None else f"{previous}\n{words}"
