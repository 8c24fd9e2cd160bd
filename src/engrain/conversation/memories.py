"""Conversation windows in memory: sliding, with a running summary, and with summaries in tiers."""

from __future__ import annotations

import copy
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from threading import Lock, RLock, get_ident
from typing import Any, Self

from engrain.conversation import window as windows
from engrain.conversation.summaries import TierCompactor, counted
from engrain.guard import checked_callbacks, guard, notify
from engrain.model.memory import ContextItem, KeyFact, Turn
from engrain.protocols import LLM, Clock, EvictionPolicy, RecencyScorer, Tokenizer
from engrain.text import OfflineTokenizer
from engrain.validation import checked_whole

Step = Callable[[], object]
_DEEPEST = 32  # the longest chain of steps
_BASE = 7  # the priority at which the tiers have the priorities of their configurations


def checked_function(function: object, name: str) -> None:
    """Raise `TypeError` for an argument that is not callable; None passes."""
    if function is not None and not callable(function):
        raise TypeError(f"{name} must be a function, not {type(function).__name__}")


def checked_protocol(value: object, protocol: type, name: str) -> None:
    """Raise `TypeError` for an object without the methods of a protocol; None passes."""
    if value is not None and not isinstance(value, protocol):
        raise TypeError(f"{name} must be a {protocol.__name__}, which a {type(value).__name__} is not")


class Steps:
    """A queue of calls that are carried out in order, one at a time and outside every lock.

    The thread that finds the queue idle carries out all calls, also those that others add meanwhile; the others go on
    with their own work. So a call may add calls, and wait for any thread. A call that is interrupted stays the first;
    calls must not fail otherwise.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._steps: deque[tuple[int, Step]] = deque()  # each with how many steps led to it
        self._thread: int | None = None

    def check_depth(self) -> None:
        """Raise `RecursionError` inside a step of an endless chain."""
        if self._depth() > _DEEPEST:
            raise RecursionError("a callback of an eviction adds turns that evict again, without end")

    def put(self, *steps: Step) -> None:
        """Add steps at the end, without carrying them out."""
        depth = self._depth()
        with self._lock:
            self._steps += [(depth, step) for step in steps]

    def carry_out(self) -> None:
        """Carry out all steps, unless another thread does."""
        while True:
            with self._lock:
                if self._thread is not None or not self._steps:
                    return
                self._thread, (_, step) = get_ident(), self._steps[0]
            try:
                step()
                self._steps.popleft()
            finally:
                self._thread = None

    def _depth(self) -> int:
        return self._steps[0][0] + 1 if self._thread == get_ident() else 0


class _State:
    """The contents of a window since it was made or cleared; work begun for an earlier one has no effect."""

    def __init__(self) -> None:
        self.window = windows.ConversationWindow()
        self.tokens = 0  # of the turns
        self.added = 0
        self.steps = Steps()


class _WindowInMemory:
    """A window by its rules in memory; a subclass defines the use of evicted turns."""

    def __init__(
        self,
        rules: windows.WindowRules,
        callbacks: Iterable[object] | None,
        recency_scorer: RecencyScorer | None,
        clock: Clock | None,
    ) -> None:
        checked_protocol(rules.tokenizer, Tokenizer, "tokenizer")
        checked_protocol(rules.policy, EvictionPolicy, "eviction_policy")
        checked_protocol(recency_scorer, RecencyScorer, "recency_scorer")
        checked_protocol(clock, Clock, "clock")
        self._rules, self._scorer, self._clock = rules, recency_scorer, clock
        self._callbacks = checked_callbacks(callbacks)
        self._lock = RLock()  # a policy may read the window that calls it
        self._choosing = False
        self._state = _State()

    def fresh(self) -> Self:
        """Return an empty one of the same kind, for another conversation."""
        other = copy.copy(self)
        other._lock, other._state, other._choosing = RLock(), _State(), False
        return other

    @property
    def turns(self) -> list[Turn]:
        """The turns that are kept word by word, oldest first; a copy."""
        return list(self._state.window.turns)

    @property
    def total_tokens(self) -> int:
        """The tokens of the turns, never more than their budget."""
        return self._state.tokens

    @property
    def max_tokens(self) -> int:
        """The budget of the turns."""
        return self._rules.turn_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn.

        Args:
            role: The speaker, such as `user` or `assistant`; or a `Turn`, as the only argument.
            content: The text.
            **metadata: Fields of your own.

        Returns:
            The turn as it is kept, with its `position`, the running number from 0, and its time if it had none.
        """
        given = _turn(role, content, metadata, self._clock)
        turn = windows.fitted(given, self._rules.turn_tokens, self._rules.tokenizer)
        with self._lock:
            self._check_change()
            state = self._state
            turn = replace(turn, position=state.added)
            if state.tokens + turn.token_count > self._rules.turn_tokens:
                self._evict(state, turn)
            state.window = replace(state.window, turns=(*state.window.turns, turn))
            state.added += 1
            state.tokens += turn.token_count
        state.steps.carry_out()
        return turn

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the turns as items, oldest first; the newer, the higher the score.

        Args:
            priority: The priority of the items, 0 to 10. Default 7.
        """
        return windows.turn_items(self.turns, checked_whole(priority, "priority", most=10), self._scorer)

    def clear(self) -> None:
        """Remove all turns and summaries without a callback; a summary that is under way is not kept."""
        with self._lock:
            self._check_change()
            self._state = _State()

    @abstractmethod
    def _left(self, state: _State, turns: list[Turn]) -> None:
        """Process turns that left the window, by the kind of window."""

    def _evict(self, state: _State, turn: Turn) -> None:
        state.steps.check_depth()
        self._choosing = True
        try:
            places = windows.leaving([*state.window.turns, turn], 0, self._rules)
        finally:
            self._choosing = False
        state.window, gone = state.window.without(places)
        state.tokens -= sum(each.token_count for each in gone)
        state.steps.put(
            partial(notify, self._callbacks, "on_eviction", list(gone), state.tokens + turn.token_count),
            partial(self._left, state, list(gone)),
        )

    def _summarise(self, state: _State, tiers: windows.Tiers) -> None:
        with self._lock:  # others add turns meanwhile
            state.window = replace(state.window, tiers=tiers)

    def _check_change(self) -> None:
        if self._choosing:  # of this thread alone: the lock excludes the others
            raise RuntimeError("an eviction policy chooses who leaves the window, and cannot change it itself")


def _turn(role: str | Turn, content: str | None, metadata: dict[str, Any], clock: Clock | None) -> Turn:
    if isinstance(role, Turn) and (content is not None or metadata):
        raise TypeError("a Turn is the only argument: put further fields into its metadata")
    if isinstance(role, Turn):
        turn = replace(role, metadata=dict(role.metadata))
    else:
        turn = Turn(role=role, content=content, metadata=metadata)  # type: ignore[arg-type]  # checked now
    if not isinstance(turn.content, str):
        raise TypeError(f"content must be a string, not {type(turn.content).__name__}")
    windows.checked_role(turn.role)
    return turn if turn.at is not None else replace(turn, at=datetime.now(UTC) if clock is None else clock.now())


class SlidingWindowMemory(_WindowInMemory):
    """Turns within a budget of tokens: the oldest leave for the newest, or those that a policy chooses.

    It never holds more than `max_tokens`; a turn that is larger alone is cut and marked `truncated`. It is thread-safe.
    Callbacks are called once for each add that evicts, with the turns oldest first, one after another in the order of
    the evictions and outside every lock: they may call back, and one that fails is logged. While another thread runs
    callbacks, an add returns before its own are called.

    Args:
        max_tokens: The budget in tokens, from 1 on. Default 4096.
        tokenizer: Counts tokens. None means the built-in one.
        on_evict: Called with the turns that left.
        eviction_policy: Chooses the turns that leave. None means the oldest.
        recency_scorer: Scores turns by age in context items. None means linearly from 0.5 to 1.
        callbacks: Objects whose `on_eviction(turns, remaining_tokens)` is called. None means none.
        clock: Dates turns without a time. None means the system's.
    """

    def __init__(
        self,
        max_tokens: int = 4096,
        tokenizer: Tokenizer | None = None,
        on_evict: Callable[[list[Turn]], object] | None = None,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        *,
        callbacks: Iterable[object] | None = None,
        clock: Clock | None = None,
    ) -> None:
        checked_function(on_evict, "on_evict")
        self._on_evict = on_evict
        super().__init__(_turns_alone(max_tokens, tokenizer, eviction_policy), callbacks, recency_scorer, clock)

    def _left(self, state: _State, turns: list[Turn]) -> None:
        if self._on_evict is not None:
            guard("on_evict", partial(self._on_evict, list(turns)))


def _turns_alone(max_tokens: int, tokenizer: Tokenizer | None, policy: EvictionPolicy | None) -> windows.WindowRules:
    tokenizer = OfflineTokenizer() if tokenizer is None else tokenizer
    tiers = (windows.TierConfig(0, windows.checked_tokens(max_tokens)),)
    return windows.WindowRules(tiers=tiers, tokenizer=tokenizer, compactor=TierCompactor(), policy=policy)


class SummaryBufferMemory(_WindowInMemory):
    """A window of `max_tokens`, and a summary, made by a function of the caller's, of all turns that left it.

    The function is called outside every lock, one call after another, in the order of the evictions. Where it fails or
    returns nothing, the words of the turns are added to the summary, so that none is lost.

    Args:
        max_tokens: The budget of the turns in tokens, from 1 on.
        compact_fn: Returns the next summary of the turns that left. Give exactly one of the two functions.
        progressive_compact_fn: The same of the turns and the previous summary.
        tokenizer: Counts tokens. None means the built-in one.
        summary_priority: The priority of the summary in context items, 0 to 10. Default 6.
        callbacks: Objects with `on_eviction` and `on_compaction(turns, summary, previous)`. None means none.
        eviction_policy: Chooses the turns that leave. None means the oldest.
        recency_scorer: Scores turns by age in context items. None means linearly from 0.5 to 1.
        clock: Dates turns without a time. None means the system's.
    """

    def __init__(
        self,
        max_tokens: int,
        compact_fn: Callable[[list[Turn]], str] | None = None,
        progressive_compact_fn: Callable[[list[Turn], str | None], str] | None = None,
        tokenizer: Tokenizer | None = None,
        summary_priority: int = 6,
        *,
        callbacks: Iterable[object] | None = None,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        clock: Clock | None = None,
    ) -> None:
        checked_function(compact_fn, "compact_fn")
        checked_function(progressive_compact_fn, "progressive_compact_fn")
        if compact_fn is not None and progressive_compact_fn is None:
            compact: Callable[[list[Turn]], str] = compact_fn
            self._compact: Callable[[list[Turn], str | None], str] = lambda turns, _previous: compact(turns)
        elif compact_fn is None and progressive_compact_fn is not None:
            self._compact = progressive_compact_fn
        else:
            raise ValueError("give exactly one of compact_fn and progressive_compact_fn")
        self._priority = checked_whole(summary_priority, "summary_priority", most=10)
        super().__init__(_turns_alone(max_tokens, tokenizer, eviction_policy), callbacks, recency_scorer, clock)

    @property
    def summary(self) -> str | None:
        """The summary of the turns that left; None before the first did."""
        return self._state.window.summary

    @property
    def summary_tokens(self) -> int:
        """The tokens of the summary."""
        return counted(self.summary or "", self._rules.tokenizer)

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the summary, at its own priority, and then the turns.

        Args:
            priority: The priority of the turns, 0 to 10. Default 7.
        """
        items, summary = super().to_context_items(priority), self.summary
        if summary is not None:
            items.insert(0, windows.summary_item(summary, self._priority, counted(summary, self._rules.tokenizer)))
        return items

    def _left(self, state: _State, turns: list[Turn]) -> None:
        previous = state.window.summary
        call = partial(windows.checked_summary, self._compact, list(turns), previous)
        words = "; ".join(" ".join(windows.transcript([turn]).split()) for turn in turns)
        summary = guard("the compaction", call) or "\n".join(filter(None, (previous, words)))
        self._summarise(state, windows.Tiers((windows.SummaryTier(1, summary),)))
        notify(self._callbacks, "on_compaction", turns, summary, previous)


class ProgressiveSummarizationMemory(_WindowInMemory):
    """A window, and the summaries of what left it in tiers: bullets, a paragraph, an archive; key facts are kept apart.

    All tiers together never hold more than `max_tokens`. Summaries are made outside every lock, one after another.

    Args:
        max_tokens: The budget of all tiers together in tokens. Default 8192.
        llm: Makes the summaries: an object or `"provider:model"`. None means offline, of the best sentences.
        tier_config: The tiers, levels 0, 1 and so on. None means halves of the budget, see `default_tiers`.
        max_facts: How many key facts are kept, from 0 on. Default 50.
        fact_token_budget: How many tokens the key facts have in all, from 0 on. Default 500.
        tokenizer: Counts tokens. None means the built-in one.
        callbacks: Objects with methods of `ProgressiveSummarizationCallback` and `MemoryCallback`. None means none.
        eviction_policy: Chooses the turns that leave. None means the oldest.
        recency_scorer: Scores turns by age in context items. None means linearly from 0.5 to 1.
        clock: Dates turns without a time. None means the system's.
        compactor: Summarises and finds facts in place of a `TierCompactor`; not together with `llm`.
    """

    def __init__(  # noqa: PLR0917 - the order in which callers know them
        self,
        max_tokens: int = 8192,
        llm: LLM | str | None = None,
        tier_config: Sequence[windows.TierConfig] | None = None,
        max_facts: int = windows.MAX_FACTS,
        fact_token_budget: int = windows.FACT_TOKENS,
        tokenizer: Tokenizer | None = None,
        callbacks: Iterable[object] | None = None,
        *,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        clock: Clock | None = None,
        compactor: windows.Compactor | None = None,
    ) -> None:
        self._max_tokens = windows.checked_tokens(max_tokens)
        tiers = windows.default_tiers(max_tokens) if tier_config is None else _checked_tiers(tier_config, max_tokens)
        checked_protocol(tokenizer, Tokenizer, "tokenizer")
        tokenizer = tokenizer or OfflineTokenizer()
        if compactor is not None and llm is not None:
            raise ValueError("give llm or compactor, not both: a compactor has its own model")
        callbacks = checked_callbacks(callbacks)
        failed = partial(notify, callbacks, "on_compaction_error")
        rules = windows.WindowRules(
            tiers=tiers,
            tokenizer=tokenizer,
            compactor=TierCompactor(llm, tokenizer, on_error=failed) if compactor is None else compactor,
            policy=eviction_policy,
            batch=tiers[0].max_tokens // 4,
            max_facts=checked_whole(max_facts, "max_facts"),
            fact_token_budget=checked_whole(fact_token_budget, "fact_token_budget"),
        )
        super().__init__(rules, callbacks, recency_scorer, clock)

    @property
    def tiers(self) -> dict[int, windows.SummaryTier]:
        """The summaries by their levels, 1 to 3; a level that summarises no turn is missing."""
        return {tier.level: tier for tier in self._state.window.tiers.summaries}

    @property
    def facts(self) -> list[KeyFact]:
        """The key facts, oldest first."""
        return list(self._state.window.tiers.facts)

    @property
    def summary(self) -> str | None:
        """All summaries as one text, oldest first; None before the first turn left."""
        return self._state.window.summary

    @property
    def total_tokens(self) -> int:
        """The tokens of turns and summaries, without the facts: never more than `max_tokens`."""
        return self._state.window.token_count

    @property
    def max_tokens(self) -> int:
        """The budget of all tiers together."""
        return self._max_tokens

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the summaries, oldest first, the turns, and the facts, which come one priority before `priority`.

        Args:
            priority: The priority of the turns, 0 to 10; each tier has the priority of its configuration, moved by as
                much as this is away from 7. Default 7.
        """
        moved = checked_whole(priority, "priority", most=10) - _BASE
        priorities = {tier.level: min(max(tier.priority + moved, 0), 10) for tier in self._rules.tiers}
        window = self._state.window
        summaries = [
            windows.summary_item(
                t.content, priorities[t.level], t.token_count, tier=t.level, original_count=t.source_turn_count
            )
            for t in reversed(window.tiers.summaries)
            if t.content
        ]
        facts = windows.fact_items(window.tiers.facts, min(priority + 1, 10))
        return [*summaries, *windows.turn_items(window.turns, priorities[0], self._scorer), *facts]

    def _left(self, state: _State, turns: list[Turn]) -> None:
        before = state.window.tiers
        events: list[tuple[Any, ...]] = []

        def report(event: str, *arguments: Any) -> None:
            if event == "on_compaction_error":  # at once, as a compactor's own errors are
                notify(self._callbacks, event, *arguments)
            else:
                events.append((event, *arguments))

        after = guard("the summaries", partial(windows.summarised, before, turns, self._rules, report))
        if after is None:  # a tokenizer may fail for a summary of turns that it counted; the turns must not be lost
            events.clear()
            after = windows.summarised(before, turns, replace(self._rules, tokenizer=OfflineTokenizer()), report)
        self._summarise(state, after)
        for event in events:
            notify(self._callbacks, *event)
        notify(self._callbacks, "on_compaction", turns, after.summary or "", before.summary)


def _checked_tiers(given: Sequence[windows.TierConfig], max_tokens: int) -> tuple[windows.TierConfig, ...]:
    if wrong := {type(tier).__name__ for tier in given} - {windows.TierConfig.__name__}:
        raise TypeError(f"tier_config has a {min(wrong)}: give TierConfig objects")
    tiers = tuple(sorted(given, key=lambda tier: tier.level))
    if len(tiers) < 2 or [tier.level for tier in tiers] != list(range(len(tiers))):
        raise ValueError("tier_config needs the levels 0, 1 and so on without a gap, each once, and at least two")
    if (total := sum(tier.max_tokens for tier in tiers)) > max_tokens:
        raise ValueError(f"the tiers have {total} tokens together, more than max_tokens, {max_tokens}")
    return tiers
