"""Windows with summaries in tiers, the older the shorter."""

from __future__ import annotations

import copy
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol, Self

from engrain.conversation.compaction import TierCompactor
from engrain.conversation.windows import (
    InBatches,
    SlidingWindowMemory,
    checked_priority,
    checked_shape,
    checked_tokens,
    counted,
    cut,
    shown_key_facts,
    shown_summary,
    shown_turns,
    transcript,
    watchers,
    within,
)
from engrain.guard import guard, tell
from engrain.model.memory import ContextItem, FactType, KeyFact, Turn
from engrain.model.scope import is_whole
from engrain.protocols import LLM, Clock, EvictionPolicy, RecencyScorer, Tokenizer
from engrain.text import OfflineTokenizer, check_text, is_blank

VERBATIM, OLDEST = 0, 3
_TOLD_IN, _LEAST = 4, 48  # the part of its tokens that a text is told in, and the fewest: two sentences or three
_STAYS = 0.75  # of a full tier
_FACTS_FROM = 2  # what leaves a tier below this one is searched for facts


class Compactor(Protocol):
    """Tells a text shorter, and finds the facts in it."""

    def summarize(
        self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
    ) -> str: ...
    def extract_facts(self, content: str, source_tier: int = 0) -> Sequence[str]: ...


def _unheard(*_: object) -> None:
    pass


@dataclass(frozen=True, slots=True)
class TierConfig:
    """The budget of a tier: level 0 holds turns, 1 to 3 summaries; `target_tokens` 0 aims at the whole budget."""

    level: int
    max_tokens: int
    target_tokens: int = 0
    priority: int = 7

    def __post_init__(self) -> None:
        if not is_whole(self.level) or not VERBATIM <= self.level <= OLDEST:
            raise ValueError(f"level is {self.level!r}: it must be from {VERBATIM} to {OLDEST}")
        checked_tokens(self.max_tokens)
        if not is_whole(self.target_tokens) or not 0 <= self.target_tokens <= self.max_tokens:
            raise ValueError(f"target_tokens is {self.target_tokens!r}: it must be from 0 to max_tokens")
        checked_priority(self.priority)

    @property
    def target(self) -> int:
        """The tokens that a summary aims at."""
        return self.target_tokens or self.max_tokens


def default_tiers(max_tokens: int) -> tuple[TierConfig, ...]:
    """Return a half of the budget for turns, and a quarter, an eighth and a sixteenth for ever older summaries."""
    if checked_tokens(max_tokens) < 16:
        raise ValueError(f"max_tokens is {max_tokens}: four tiers need at least 16")
    return (
        TierConfig(0, max_tokens // 2, priority=7),
        TierConfig(1, max_tokens // 4, max_tokens // 8, priority=6),
        TierConfig(2, max_tokens // 8, max_tokens // 16, priority=5),
        TierConfig(3, max_tokens // 16, max_tokens // 32, priority=4),
    )


@dataclass(frozen=True, slots=True)
class SummaryTier:
    """A tier's summary, and how many turns it tells of."""

    level: int
    content: str
    token_count: int = 0
    source_turn_count: int = 0


@dataclass(frozen=True, slots=True)
class Tiers:
    """The summaries, newest tier first, and the key facts, oldest first."""

    summaries: tuple[SummaryTier, ...] = ()
    facts: tuple[KeyFact, ...] = ()

    @property
    def total_tokens(self) -> int:
        """The tokens of all summaries, without the facts."""
        return sum(tier.token_count for tier in self.summaries)

    @property
    def source_turn_count(self) -> int:
        """How many turns all summaries tell of."""
        return sum(tier.source_turn_count for tier in self.summaries)

    @property
    def summary(self) -> str | None:
        """All summaries as one text, oldest first, or None."""
        return "\n".join(tier.content for tier in reversed(self.summaries) if tier.content) or None

    def at(self, level: int) -> SummaryTier:
        """Return the summary of a level; one that holds nothing has no text and tells of no turn."""
        return next((tier for tier in self.summaries if tier.level == level), SummaryTier(level, ""))

    def having(self, tier: SummaryTier) -> Tiers:
        """Return these with another summary at its level; one that tells of no turn is left out."""
        others = [other for other in self.summaries if other.level != tier.level]
        kept = [*others, tier] if tier.source_turn_count else others
        return replace(self, summaries=tuple(sorted(kept, key=lambda one: one.level)))

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON types; `of_json` reads them back equal."""
        return {
            "summaries": [asdict(tier) for tier in self.summaries],
            "facts": [
                {
                    "content": fact.content,
                    "fact_type": fact.fact_type.value,
                    "source_tier": fact.source_tier,
                    "token_count": fact.token_count,
                }
                for fact in self.facts
            ],
        }

    @classmethod
    def of_json(cls, value: object) -> Tiers:
        """Read what `as_json` wrote; what is missing, or makes no sense, is left out: the log tells it all."""
        if not isinstance(value, Mapping):
            return cls()
        summaries = (_summary_of(tier) for tier in _mappings(value.get("summaries")))
        facts = (_fact_of(fact) for fact in _mappings(value.get("facts")))
        return cls(
            tuple(tier for tier in summaries if tier is not None), tuple(fact for fact in facts if fact is not None)
        )

    def under(self, configs: Sequence[TierConfig], tokenizer: Tokenizer, *, max_facts: int) -> Tiers:
        """Return these as tiers of other budgets hold them: what stands at a level that is not kept joins the last."""
        budgets = {config.level: config.max_tokens for config in configs if config.level > VERBATIM}
        facts = self.facts[-max_facts:] if max_facts else ()
        if all(tier.token_count <= budgets.get(tier.level, -1) for tier in self.summaries):
            return replace(self, facts=facts)
        last, kept = max(budgets, default=VERBATIM), Tiers(facts=facts)
        for level, budget in budgets.items():
            joined = [tier for tier in self.summaries if (tier.level if tier.level in budgets else last) == level]
            text = "\n".join(tier.content for tier in sorted(joined, key=lambda tier: -tier.level) if tier.content)
            count = sum(tier.source_turn_count for tier in joined)
            kept = kept.having(SummaryTier(level, *within(text, budget, tokenizer), count))
        return kept


def _mappings(value: object) -> Iterator[Mapping[str, Any]]:
    return (each for each in value if isinstance(each, Mapping)) if isinstance(value, list) else iter(())


def _summary_of(tier: Mapping[str, Any]) -> SummaryTier | None:
    counts = [tier.get(name, 0) for name in ("token_count", "source_turn_count")]
    level, content = tier.get("level"), tier.get("content", "")
    if not isinstance(level, int) or not isinstance(content, str) or not all(is_whole(n) and n >= 0 for n in counts):
        return None
    return SummaryTier(level, content, *counts)


def _fact_of(fact: Mapping[str, Any]) -> KeyFact | None:
    content, kind = fact.get("content"), fact.get("fact_type", FactType.ENTITY)
    tier, tokens = fact.get("source_tier", 0), fact.get("token_count", 0)
    if not isinstance(content, str) or kind not in tuple(FactType) or not is_whole(tier) or not is_whole(tokens):
        return None
    return KeyFact(content, kind, source_tier=tier, token_count=tokens)


def promoted(
    tiers: Tiers,
    evicted_turns: Sequence[Turn],
    configs: Sequence[TierConfig],
    compactor: Compactor,
    *,
    tokenizer: Tokenizer,
    max_facts: int,
    fact_token_budget: int,
    cascade: Callable[[int, int, int, int], object] = _unheard,
    extracted: Callable[[list[KeyFact], int], object] = _unheard,
    failed: Callable[[int, Exception], object] = _unheard,
) -> Tiers:
    """Return the tiers after turns have left the window: what left is told at the end of tier 1.

    The oldest lines of a tier that is full are told again, shorter, at the end of the next; the last tier is told as a
    whole each time. No tier holds more than its budget, whatever the compactor says. `cascade` hears (from, to, tokens
    in, tokens out), `extracted` the facts found in what left a tier, `failed` the tier and the error.
    """
    budgets = {config.level: config for config in configs}
    telling = _Telling(compactor, tokenizer, failed)
    found: list[KeyFact] = []
    left, level, before = SummaryTier(0, transcript(evicted_turns), 0, len(evicted_turns)), 1, 0
    while left.source_turn_count and level in budgets:
        if max_facts and level <= _FACTS_FROM and (facts := _facts(compactor, left.content, level - 1, tokenizer)):
            found += facts
            extracted(facts, level - 1)
        told = telling.told(left.content, budgets[level], tiers.at(level).content if level + 1 not in budgets else "")
        if level > 1:
            cascade(level - 1, level, before, counted(told, tokenizer))
        kept, left = telling.added(tiers.at(level), told, left.source_turn_count, budgets[level], level + 1 in budgets)
        tiers, level, before = tiers.having(kept), level + 1, counted(left.content, tokenizer)
    return replace(tiers, facts=_newest((*tiers.facts, *found), max_facts, fact_token_budget))


@dataclass(frozen=True, slots=True)
class _Telling:
    """How a text becomes a part of a tier."""

    compactor: Compactor
    tokenizer: Tokenizer
    failed: Callable[[int, Exception], object]

    def told(self, text: str, config: TierConfig, known: str) -> str:
        """Return what the compactor makes of a text, and of what is `known` if that shall be told with it.

        Where it fails, the beginnings of both.
        """
        if not text.strip():  # turns that only called tools, say
            return known
        aim = config.target if known else min(config.target, max(counted(text, self.tokenizer) // _TOLD_IN, _LEAST))
        call = partial(self.compactor.summarize, text, config.level, aim, known or None)
        told = guard(f"telling tier {config.level}", partial(_said, call), failed=partial(self.failed, config.level))
        if told is not None:
            return told
        if not known:
            return cut(text, aim, self.tokenizer)
        new = cut(text, aim // 2, self.tokenizer)
        old = cut(known, max(aim - counted(new, self.tokenizer), 0), self.tokenizer)
        return "\n".join(filter(None, (old, new)))

    def added(
        self, known: SummaryTier, told: str, turns: int, config: TierConfig, moves: bool
    ) -> tuple[SummaryTier, SummaryTier]:
        """Return a tier with what was told of so many more turns, and what of its oldest lines moves on."""
        if not moves:  # what was known has been told again
            whole = within(told, config.max_tokens, self.tokenizer)
            return SummaryTier(known.level, *whole, known.source_turn_count + turns), SummaryTier(known.level, "")
        if not told:
            return replace(known, source_turn_count=known.source_turn_count + turns), SummaryTier(known.level, "")
        old, new = known.content.split("\n") if known.content else [], told.split("\n")
        share = [known.source_turn_count / len(old) for _ in old] + [turns / len(new) for _ in new]
        lines = deque((*old, *new))
        leaving, room = list[str](), config.max_tokens
        while lines and counted("\n".join(lines), self.tokenizer) > room:
            leaving.append(lines.popleft())
            room = int(config.max_tokens * _STAYS)  # once it is full, some room is made
        total = known.source_turn_count + turns
        moved = int(sum(share[: len(leaving)])) if lines else total
        kept = "\n".join(lines)
        staying = SummaryTier(known.level, kept, counted(kept, self.tokenizer) if kept else 0, total - moved)
        return staying, SummaryTier(known.level, "\n".join(leaving), 0, moved)


def _said(summarize: Callable[[], str]) -> str:
    said: object = summarize()
    if not isinstance(said, str):
        raise TypeError(f"the compactor returned a {type(said).__name__}: it must return the summary")
    if is_blank(said):
        raise ValueError("the compactor returned a blank summary")
    return check_text(said, what="a summary")


def _facts(compactor: Compactor, text: str, source_tier: int, tokenizer: Tokenizer) -> list[KeyFact]:
    def find() -> list[KeyFact]:
        said: Iterable[object] = compactor.extract_facts(text, source_tier)
        found = [fact for fact in said if isinstance(fact, str) and check_text(fact, what="a fact").strip()]
        types = [getattr(fact, "fact_type", FactType.ENTITY) for fact in found]
        counts = [counted(str(fact), tokenizer) for fact in found]
        return [
            KeyFact(str(fact), kind, source_tier=source_tier, token_count=count)
            for fact, kind, count in zip(found, types, counts, strict=True)
        ]

    return guard("finding key facts", find) or []


def _newest(facts: Sequence[KeyFact], most: int, token_budget: int) -> tuple[KeyFact, ...]:
    """Return the newest facts within both bounds, oldest first; one that comes again is as new as it was last said."""
    kept: dict[str, KeyFact] = {}
    left = token_budget
    for fact in reversed(facts):
        if fact.content in kept or fact.token_count > token_budget:
            continue
        left -= fact.token_count
        if len(kept) == most or left < 0:
            break
        kept[fact.content] = fact
    return tuple(reversed(kept.values()))


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
