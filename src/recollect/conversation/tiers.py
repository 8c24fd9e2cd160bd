"""What is told of turns that left, in tiers, the older the shorter: pure, and within its budgets for any compactor."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any, Protocol

from recollect.conversation.evicting import counted, cut, within
from recollect.conversation.speaking import checked_priority, checked_tokens
from recollect.conversation.transcript import transcript
from recollect.foreign import guard
from recollect.models import FactType, KeyFact, Turn
from recollect.protocols import Tokenizer
from recollect.scopes import is_whole
from recollect.text import check_text, is_blank

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
