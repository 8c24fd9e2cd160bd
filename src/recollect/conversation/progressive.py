"""The newest turns word by word, older ones in three summaries that grow shorter, and the facts that must not go."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, Self

from recollect.conversation.compactor import TierCompactor
from recollect.conversation.evicting import InBatches
from recollect.conversation.showing import shown_key_facts, shown_summary, shown_turns
from recollect.conversation.speaking import checked_priority, checked_shape, checked_tokens, watchers
from recollect.conversation.tiers import Compactor, SummaryTier, TierConfig, Tiers, default_tiers, promoted
from recollect.conversation.window import SlidingWindowMemory
from recollect.conversationdoor import EvictionPolicy, RecencyScorer
from recollect.foreign import guard, tell
from recollect.models import ContextItem, KeyFact, Turn
from recollect.protocols import LLM, Clock, Tokenizer
from recollect.scopes import is_whole
from recollect.text import OfflineTokenizer

_BASE = 7  # the priority at which the tiers have the priorities of their configurations


class ProgressiveSummarizationMemory:
    """A window, and what left it in tiers: bullets, a paragraph, an archive; key facts are kept apart.

    Without `llm`, an object or `"provider:model"`, the summaries are made of the telling sentences. All tiers together
    never hold more than `max_tokens`, whatever a model says. `callbacks` may have the methods of
    `ProgressiveSummarizationCallback` and `MemoryCallback`. Turns are told outside every lock, one eviction after
    another.
    """

    def __init__(  # noqa: PLR0917 - the order in which callers know them
        self,
        max_tokens: int = 8192,
        llm: LLM | str | None = None,
        tier_config: Sequence[TierConfig] | None = None,
        max_facts: int = 50,
        fact_token_budget: int = 500,
        tokenizer: Tokenizer | None = None,
        callbacks: Iterable[object] = (),
        *,
        eviction_policy: EvictionPolicy | None = None,
        recency_scorer: RecencyScorer | None = None,
        clock: Clock | None = None,
        compactor: Compactor | None = None,
    ) -> None:
        self._max_tokens = checked_tokens(max_tokens)
        self._tiers = _checked_tiers(tier_config, max_tokens)
        checked_shape(tokenizer, Tokenizer, "tokenizer")
        self._tokenizer, self._scorer = tokenizer or OfflineTokenizer(), recency_scorer
        self._callbacks = watchers(callbacks)
        self._promoted = partial(
            promoted,
            configs=self._tiers,
            compactor=_checked_compactor(llm, compactor, self._tokenizer, self._failed),
            tokenizer=self._tokenizer,
            max_facts=_at_least_none(max_facts, "max_facts"),
            fact_token_budget=_at_least_none(fact_token_budget, "fact_token_budget"),
            failed=self._failed,
        )
        self._new_window = partial(
            SlidingWindowMemory,
            self._tiers[0].max_tokens,
            tokenizer,
            eviction_policy=InBatches(eviction_policy, self._tiers[0].max_tokens // 4),
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
    def turns(self) -> list[Turn]:
        """The turns that are still there word by word, oldest first; a copy."""
        return self._told.window.turns

    @property
    def tiers(self) -> dict[int, SummaryTier]:
        """The summaries by their levels, 1 to 3; a level that tells of no turn is missing."""
        return {tier.level: tier for tier in self._told.tiers.summaries}

    @property
    def facts(self) -> list[KeyFact]:
        """The key facts, oldest first."""
        return list(self._told.tiers.facts)

    @property
    def summary(self) -> str | None:
        """All summaries as one text, oldest first; None before the first turn left."""
        return self._told.tiers.summary

    @property
    def total_tokens(self) -> int:
        """The tokens of turns and summaries, without the facts: never more than `max_tokens`."""
        told = self._told
        return told.window.total_tokens + told.tiers.total_tokens

    @property
    def max_tokens(self) -> int:
        """The budget of all tiers together."""
        return self._max_tokens

    def add_turn(self, role: str | Turn, content: str | None = None, **metadata: Any) -> Turn:
        """Add a turn, or one that is ready as the only argument, and return it as it is kept."""
        return self._told.window.add_turn(role, content, **metadata)

    add_message = add_turn

    def to_context_items(self, priority: int = 7) -> list[ContextItem]:
        """Return the summaries, oldest first, the turns, and the facts, which come one priority before `priority`.

        Each tier has the priority of its configuration, moved by as much as `priority` is away from 7.
        """
        checked_priority(priority)
        told, moved = self._told, {tier.level: _held(tier.priority + priority - _BASE) for tier in self._tiers}
        summaries = [
            shown_summary(
                tier.content,
                moved[tier.level],
                tier.token_count,
                tier=tier.level,
                original_count=tier.source_turn_count,
            )
            for tier in reversed(told.tiers.summaries)
            if tier.content
        ]
        turns = shown_turns(told.window.turns, moved[0], self._scorer)
        return [*summaries, *turns, *shown_key_facts(told.tiers.facts, _held(priority + 1))]

    def clear(self) -> None:
        """Remove turns, summaries and facts. What is told of earlier turns just now is not kept."""
        self._told = self._from_the_start()

    def _from_the_start(self) -> _Told:
        return _Told(self._new_window, self._promoted, self._callbacks)

    def _failed(self, tier: int, error: Exception) -> None:
        tell(self._callbacks, "on_compaction_error", tier, error)


class _Told:
    """A window and what is told of the turns that left it; `clear` takes another, so that nothing late gets in."""

    def __init__(
        self,
        new_window: Callable[..., SlidingWindowMemory],
        promote: Callable[..., Tiers],
        callbacks: Sequence[object],
    ) -> None:
        self.tiers = Tiers()
        self.window = new_window(on_evict=self._leave)
        self._promote, self._callbacks = promote, callbacks

    def _leave(self, turns: list[Turn]) -> None:
        before = self.tiers
        told: list[tuple[str, tuple[object, ...]]] = []
        promote = partial(
            self._promote,
            before,
            turns,
            cascade=lambda *step: told.append(("on_tier_cascade", step)),
            extracted=lambda *found: told.append(("on_facts_extracted", found)),
        )
        # A tokenizer may fail for what is told of turns that it counted; the turns must not be lost to that.
        self.tiers = guard("telling the tiers", promote) or promote(tokenizer=OfflineTokenizer())
        for event, arguments in told:
            tell(self._callbacks, event, *arguments)
        tell(self._callbacks, "on_compaction", turns, self.tiers.summary or "", before.summary)


def _checked_tiers(given: Sequence[TierConfig] | None, max_tokens: int) -> tuple[TierConfig, ...]:
    if given is None:
        return default_tiers(max_tokens)
    tiers = tuple(given)
    wrong = {type(tier).__name__ for tier in tiers} - {TierConfig.__name__}
    if wrong:
        raise TypeError(f"tier_config holds a {min(wrong)}: give TierConfig objects")
    tiers = tuple(sorted(tiers, key=lambda tier: tier.level))
    if len(tiers) < 2 or [tier.level for tier in tiers] != list(range(len(tiers))):
        raise ValueError("tier_config needs the levels 0, 1 and so on without a gap, each once, and at least two")
    if (total := sum(tier.max_tokens for tier in tiers)) > max_tokens:
        raise ValueError(f"the tiers hold {total} tokens together, more than max_tokens, {max_tokens}")
    return tiers


def _checked_compactor(
    llm: LLM | str | None,
    compactor: Compactor | None,
    tokenizer: Tokenizer,
    on_error: Callable[[int, Exception], object],
) -> Compactor:
    if compactor is None:
        return TierCompactor(llm, tokenizer, on_error=on_error)
    if llm is not None:
        raise ValueError("give llm or compactor, not both: a compactor has its own model")
    return compactor


def _at_least_none(value: int, name: str) -> int:
    if not is_whole(value):
        raise TypeError(f"{name} must be a whole number, not {type(value).__name__}")
    if value < 0:
        raise ValueError(f"{name} is {value}: it cannot be negative")
    return value


def _held(priority: int) -> int:
    return min(max(priority, 0), 10)
