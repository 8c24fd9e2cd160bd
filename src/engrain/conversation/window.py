"""The conversation window, decided purely: its rules, the turns that leave it, the summaries of those.

The windows in memory (`memories`) and the durable one (`sessions`) store and lock their turns, each in its own way;
which turns leave a window, how they are summarised and how a window is shown is decided here for all of them.
"""

from __future__ import annotations

import json
import math
from collections import deque
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Protocol

from engrain.conversation.summaries import counted, whole_number, within
from engrain.guard import guard
from engrain.model.memory import ContextItem, FactType, KeyFact, Turn
from engrain.policies.windows import LinearRecencyScorer, enough
from engrain.protocols import EvictionPolicy, RecencyScorer, Tokenizer
from engrain.text import check_text, is_blank, pattern
from engrain.validation import checked_whole, identifier, is_whole

_KEPT = 0.75  # of the budget of a full tier, once its oldest lines have moved on
_FACTS_UP_TO = 2  # turns that leave a tier below this one are searched for facts
_TOOL_NAME = pattern(r"[\w.:/-]{1,64}")
_ROLES = frozenset("user human assistant ai model system developer tool function".split())
FACT_PRIORITY = 8
_LINEAR = LinearRecencyScorer()
VERBATIM, OLDEST = 0, 3
MAX_FACTS, FACT_TOKENS = 50, 500
_SHARE, _LEAST = 4, 48  # a text is summarised in a fourth of its tokens, and in no fewer than these
Report = Callable[..., object]


def checked_tokens(max_tokens: int, name: str = "max_tokens") -> int:
    """Return a checked number of tokens, or of the argument `name`, from 1 on."""
    if not is_whole(max_tokens):
        raise TypeError(f"{name} must be a positive integer, not {type(max_tokens).__name__}")
    if max_tokens <= 0:
        raise ValueError(f"{name} must be a positive integer")
    return max_tokens


def checked_role(role: object) -> str:
    """Return the name of a role, which is one line of printable text."""
    name = identifier(role, "role").strip()
    if not name.isprintable():
        raise ValueError(f"role is {name!r}: it must be one line of printable text, such as user or assistant")
    return name


@dataclass(frozen=True, slots=True)
class TierConfig:
    """The budget of a tier.

    Args:
        level: 0 for the turns themselves, 1 to 3 for ever older summaries.
        max_tokens: The most tokens that the tier holds, from 1 on.
        target_tokens: The tokens that a summary aims at. Default 0, which means `max_tokens`.
        priority: The priority of its context items, 0 to 10. Default 7.
    """

    level: int
    max_tokens: int
    target_tokens: int = 0
    priority: int = 7

    def __post_init__(self) -> None:
        if not is_whole(self.level) or not VERBATIM <= self.level <= OLDEST:
            raise ValueError(f"level is {self.level!r}: it must be from {VERBATIM} to {OLDEST}")
        checked_tokens(self.max_tokens)
        checked_whole(self.target_tokens, "target_tokens", most=self.max_tokens)
        checked_whole(self.priority, "priority", most=10)

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
    """A tier's summary, and how many turns it summarises."""

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
        """How many turns all summaries summarise."""
        return sum(tier.source_turn_count for tier in self.summaries)

    @property
    def summary(self) -> str | None:
        """All summaries as one text, oldest first, or None."""
        return "\n".join(tier.content for tier in reversed(self.summaries) if tier.content) or None

    def at(self, level: int) -> SummaryTier:
        """Return the summary of a level; an empty one summarises no turn."""
        return next((tier for tier in self.summaries if tier.level == level), SummaryTier(level, ""))

    def having(self, tier: SummaryTier) -> Tiers:
        """Return these with another summary at its level; one of no turn is left out."""
        others = [other for other in self.summaries if other.level != tier.level]
        kept = [*others, tier] if tier.source_turn_count else others
        return replace(self, summaries=tuple(sorted(kept, key=lambda one: one.level)))

    def as_json(self) -> dict[str, Any]:
        """Return plain JSON types; `of_json` reads them back equal."""
        names = ("fact_type", "source_tier", "token_count")
        facts = [{"content": str(fact), **{name: getattr(fact, name) for name in names}} for fact in self.facts]
        return {"summaries": [asdict(tier) for tier in self.summaries], "facts": facts}

    @classmethod
    def of_json(cls, value: Any) -> Tiers:
        """Return the tiers from the JSON of `as_json`; none for {}, and for invalid values."""
        try:
            summaries = tuple(SummaryTier(**tier) for tier in value.get("summaries", ()))
            facts = tuple(KeyFact(**fact) for fact in value.get("facts", ()))
        except (AttributeError, TypeError, ValueError):
            return cls()
        counts = [count for tier in summaries for count in (tier.level, tier.token_count, tier.source_turn_count)]
        counts += [count for fact in facts for count in (fact.source_tier, fact.token_count)]
        sound = all(is_whole(count) and count >= 0 for count in counts)
        return cls(summaries, facts) if sound and all(isinstance(tier.content, str) for tier in summaries) else cls()

    def under(self, rules: WindowRules) -> Tiers:
        """Return these within other budgets: the summary of a removed level joins the last one."""
        budgets = {config.level: config.max_tokens for config in rules.tiers[1:]}
        kept = Tiers(facts=self.facts[-rules.max_facts :] if rules.max_facts else ())
        if all(tier.token_count <= budgets.get(tier.level, -1) for tier in self.summaries):
            return replace(kept, summaries=self.summaries)
        last = max(budgets, default=VERBATIM)
        for level, budget in budgets.items():
            joined = [tier for tier in self.summaries if (tier.level if tier.level in budgets else last) == level]
            text = "\n".join(tier.content for tier in sorted(joined, key=lambda tier: -tier.level) if tier.content)
            count = sum(tier.source_turn_count for tier in joined)
            kept = kept.having(SummaryTier(level, *within(text, budget, rules.tokenizer), count))
        return kept


class Compactor(Protocol):
    """Summarises a text, and finds the facts in it."""

    def summarize(
        self, content: str, target_tier: int, target_tokens: int, existing_summary: str | None = None
    ) -> str: ...
    def extract_facts(self, content: str, source_tier: int = 0) -> Sequence[str]: ...


def summarised(tiers: Tiers, turns: Sequence[Turn], rules: WindowRules, report: Report = lambda *_: None) -> Tiers:
    """Return the tiers after turns have left the window: tier 1 is its earlier summary merged with theirs.

    The oldest lines of a tier that is full are merged into the next; the last tier is summarised to its target. No tier
    holds more than its budget, whatever the compactor returns. `report` is called with the name and the arguments of
    each event: `on_tier_cascade` (from, to, tokens in, tokens out), `on_facts_extracted` (facts, tier) and
    `on_compaction_error` (tier, error).
    """
    configs = {config.level: config for config in rules.tiers}
    tokenizer = rules.tokenizer
    found: list[KeyFact] = []
    text, count, level, before = transcript(turns), len(turns), 1, 0
    while count and level in configs:
        config, known, is_last = configs[level], tiers.at(level), level + 1 not in configs
        if rules.max_facts and level <= _FACTS_UP_TO and (facts := _facts(text, level - 1, rules)):
            found += facts
            report("on_facts_extracted", facts, level - 1)
        new = _summary(text, config, known, rules, report, is_last=is_last)
        if level > 1:
            report("on_tier_cascade", level - 1, level, before, counted(new, tokenizer))
        total = known.source_turn_count + count
        if is_last:
            kept, text, count = SummaryTier(level, *within(new, config.max_tokens, tokenizer), total), "", 0
        elif not new:
            kept, text, count = replace(known, source_turn_count=total), "", 0
        else:
            staying, leaving, budget = deque(new.split("\n")), list[str](), config.max_tokens
            share = total / len(staying)
            while staying and counted("\n".join(staying), tokenizer) > budget:
                leaving.append(staying.popleft())
                budget = int(config.max_tokens * _KEPT)
            count = int(share * len(leaving)) if staying else total
            content, text = "\n".join(staying), "\n".join(leaving)
            kept = SummaryTier(level, content, counted(content, tokenizer) if content else 0, total - count)
        tiers, level, before = tiers.having(kept), level + 1, counted(text, tokenizer)
    return replace(tiers, facts=_newest((*tiers.facts, *found), rules.max_facts, rules.fact_token_budget))


def _summary(
    text: str, config: TierConfig, tier: SummaryTier, rules: WindowRules, report: Report, *, is_last: bool
) -> str:
    """Return the compactor's summary of a text merged with a known one, or the beginnings of both."""
    known, tokenizer = tier.content, rules.tokenizer
    if not text.strip():  # turns that only called tools, say
        return known
    aim = config.target
    if not (known and is_last):
        aim = tier.token_count + min(aim, max(counted(text, tokenizer) // _SHARE, _LEAST))
    summary = guard(
        f"the summary of tier {config.level}",
        partial(checked_summary, rules.compactor.summarize, text, config.level, aim, known or None),
        failed=partial(report, "on_compaction_error", config.level),
    )
    if summary is not None:
        return summary
    new, size = within(text, aim // 2 if known and is_last else aim - tier.token_count, tokenizer)
    return "\n".join(filter(None, (within(known, max(aim - size, 0), tokenizer)[0], new)))


def checked_summary(summarize: Callable[..., object], *arguments: object) -> str:
    """Return the summary that a function of the caller's returns; one that is no text, or blank, is an error."""
    summary = summarize(*arguments)
    if not isinstance(summary, str):
        raise TypeError(f"it returned a {type(summary).__name__}: it must return the summary")
    if is_blank(summary):
        raise ValueError("it returned a blank summary")
    return check_text(summary, what="a summary")


def _facts(text: str, source_tier: int, rules: WindowRules) -> list[KeyFact]:
    def find() -> list[KeyFact]:
        found: Iterable[object] = rules.compactor.extract_facts(text, source_tier)
        return [
            KeyFact(
                str(fact),
                getattr(fact, "fact_type", FactType.ENTITY),
                source_tier=source_tier,
                token_count=counted(str(fact), rules.tokenizer),
            )
            for fact in found
            if isinstance(fact, str) and check_text(fact, what="a fact").strip()
        ]

    return guard("finding key facts", find) or []


def _newest(facts: Sequence[KeyFact], most: int, token_budget: int) -> tuple[KeyFact, ...]:
    """Return the newest facts within both bounds, oldest first; a repeated one has the place of its last mention."""
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


@dataclass(frozen=True, slots=True, kw_only=True)
class WindowRules:
    """How a window is kept.

    `tiers` are the budgets: of the turns, and of the summaries of those that left; without a second tier only a log has
    these. If the budget is exceeded, `policy` chooses the turns that leave, and `batch` tokens more leave with them, so
    that they are summarised together. At `threshold` tokens all turns but the last `keep_last` leave; None means never.
    With `pins_system` the system's turns are the last to leave.
    """

    tiers: tuple[TierConfig, ...]
    tokenizer: Tokenizer
    compactor: Compactor
    policy: EvictionPolicy | None = None
    batch: int = 0
    threshold: int | None = None
    keep_last: int = 0
    pins_system: bool = False
    max_facts: int = 0
    fact_token_budget: int = FACT_TOKENS

    @property
    def turn_tokens(self) -> int:
        """The tokens that turns may have, all together and each."""
        return self.tiers[0].max_tokens


@dataclass(frozen=True, slots=True)
class ConversationWindow:
    """The turns of a window in order, and the summaries of those that left it.

    `hidden` are the positions of turns that no summary mentions, because their text is hidden elsewhere.
    """

    turns: tuple[Turn, ...] = ()
    tiers: Tiers = Tiers()
    hidden: frozenset[int] = frozenset()

    @property
    def summary(self) -> str | None:
        """The summary of the turns that left, the oldest first; None before any did."""
        return self.tiers.summary

    @property
    def token_count(self) -> int:
        """The tokens of its turns and of its summaries."""
        return sum(turn.token_count for turn in self.turns) + self.tiers.total_tokens

    @property
    def messages(self) -> list[Turn]:
        """Its turns, with the summary as one of them: after the system's turns that precede all others."""
        if self.summary is None:
            return list(self.turns)
        first = next((at for at, turn in enumerate(self.turns) if turn.role != "system"), len(self.turns))
        metadata = {"is_summary": True, "original_count": self.tiers.source_turn_count}
        summary = Turn(role="assistant", content=self.summary, token_count=self.tiers.total_tokens, metadata=metadata)
        return [*self.turns[:first], summary, *self.turns[first:]]

    def settled(self, rules: WindowRules) -> tuple[ConversationWindow, tuple[Turn, ...]]:
        """Return the window after eviction and summary, and the turns that left."""
        after, gone = self.without(leaving(self.turns, self.tiers.total_tokens, rules))
        if not gone:
            return self, gone
        visible = [turn for turn in gone if turn.position not in self.hidden]
        return replace(after, tiers=summarised(self.tiers, visible, rules)), gone

    def without(self, places: Collection[int]) -> tuple[ConversationWindow, tuple[Turn, ...]]:
        """Return the window without the turns at some indices, and these turns."""
        gone = tuple(self.turns[place] for place in sorted(places))
        return replace(self, turns=tuple(turn for place, turn in enumerate(self.turns) if place not in places)), gone


def leaving(turns: Sequence[Turn], summary_tokens: int, rules: WindowRules) -> set[int]:
    """Return the indices of turns that must leave, by the threshold or the budget, never that of the newest turn."""
    tokens = sum(turn.token_count for turn in turns)
    newest = len(turns) - 1
    loose = [place for place, turn in enumerate(turns) if not rules.pins_system or turn.role != "system"]
    gone = set[int]()
    if rules.threshold is not None and tokens + summary_tokens >= rules.threshold:
        gone.update(loose[: max(len(loose) - rules.keep_last, 0)])
    for among in (loose, range(newest)):
        left = [place for place in among if place not in gone and place != newest]
        excess = sum(turn.token_count for place, turn in enumerate(turns) if place not in gone) - rules.turn_tokens
        if excess > 0:
            chosen = evicted([turns[place] for place in left], excess + rules.batch, rules.policy)
            gone.update(left[place] for place in chosen)
    return gone


def evicted(turns: Sequence[Turn], tokens_to_free: int, policy: EvictionPolicy | None) -> list[int]:
    """Return the indices, ascending, of the turns that leave: they have at least `tokens_to_free` if the turns do.

    If a policy fails or returns no indices, too few, some twice or unknown ones, the oldest turns make up for it.
    """
    if tokens_to_free <= 0:
        return []

    def chosen(policy: EvictionPolicy) -> set[int]:
        found: object = policy.select_for_eviction(list(turns), tokens_to_free)
        if not isinstance(found, Collection) or isinstance(found, str | bytes):
            raise TypeError(f"it returned a {type(found).__name__}: it must return a list of places")
        places = map(whole_number, islice(found, len(turns)))  # more are not needed, and the iterator may be endless
        return {place for place in places if place is not None and 0 <= place < len(turns)}

    places = set[int]()
    if policy is not None:
        places = guard(f"{type(policy).__name__}.select_for_eviction", partial(chosen, policy)) or places
    missing = tokens_to_free - sum(turns[place].token_count for place in places)
    oldest = [[place] for place in range(len(turns)) if place not in places]
    return sorted([*places, *enough(oldest, turns, missing)])


def fitted(turn: Turn, max_tokens: int, tokenizer: Tokenizer) -> Turn:
    """Return the turn with its `token_count`; one over the budget is cut, `truncated`, and counts as all of it."""
    if (tokens := counted(turn.content, tokenizer)) <= max_tokens:
        return replace(turn, token_count=tokens)
    content, _ = within(turn.content, max_tokens, tokenizer)
    return replace(turn, content=content, token_count=max_tokens, metadata={**turn.metadata, "truncated": True})


def shown(turn: Turn, rules: WindowRules) -> Turn:
    """Return a stored turn as a window shows it: cut and marked if it alone is larger than the window."""
    calls, budget = turn.metadata.get("tool_calls"), rules.turn_tokens
    if (len(turn.content) + len(str(calls or ""))) * 4 <= budget:  # no tokenizer makes more of a character
        return turn
    if not calls:
        return fitted(turn, budget, rules.tokenizer)
    short = [_shortened(call, budget // (2 * len(calls)), rules.tokenizer) for call in calls]
    cut = fitted(replace(turn, metadata={**turn.metadata, "tool_calls": short}), budget // 2, rules.tokenizer)
    metadata = cut.metadata if short == list(calls) else {**cut.metadata, "truncated": True}
    return replace(cut, token_count=turn.token_count, metadata=metadata)


def _shortened(call: Any, max_tokens: int, tokenizer: Tokenizer) -> Any:
    """Return a tool call with arguments of at most about this many tokens: still an object if they are cut."""
    function = (call.get("function") if isinstance(call, Mapping) else None) or {}
    given = function.get("arguments") if isinstance(function, Mapping) else None
    if not isinstance(given, str) or counted(given, tokenizer) <= max_tokens:
        return call
    arguments = json.dumps({"truncated": within(given, max_tokens, tokenizer)[0]}, ensure_ascii=False)
    return {**call, "function": {**function, "arguments": arguments}}


def _speaker(turn: Turn) -> str:
    """Return the actor of a turn, or its role if the actor has the name of a role; a tool is named as one."""
    actor, role = (" ".join((name or "").split()) for name in (turn.actor, turn.role))
    if not actor or actor.lower() in _ROLES:
        return role
    named = f"tool {actor}" if _TOOL_NAME.fullmatch(actor) else "tool"
    return named if turn.role == "tool" else actor


def transcript(turns: Sequence[Turn]) -> str:
    """Return a line "who: what" for each turn that is not blank.

    Further lines of one turn are indented, so that none of them can be mistaken for a turn of another speaker.
    """
    spoken = [(_speaker(turn), text) for turn in turns if (text := turn.content.strip())]
    return "\n".join(f"{who}: " + "\n  ".join(text.splitlines()) for who, text in spoken)


def turn_items(turns: Sequence[Turn], priority: int, scorer: RecencyScorer | None = None) -> list[ContextItem]:
    """Return an item for each turn: its text as it is, its role in the metadata, its age in the score."""

    def score(scorer: RecencyScorer, place: int) -> float:
        value = float(scorer.score(place, len(turns)))
        if math.isnan(value):
            raise ValueError("it returned no number")
        return min(max(value, 0.0), 1.0)

    def guarded(place: int) -> float:
        value = None
        if scorer is not None:
            value = guard(f"{type(scorer).__name__}.score", partial(score, scorer, place))
        return score(_LINEAR, place) if value is None else value

    return [
        ContextItem(
            content=turn.content,
            score=round(guarded(place), 4),
            priority=priority,
            token_count=turn.token_count,
            metadata={**turn.metadata, "role": turn.role} | ({"actor": turn.actor} if turn.actor else {}),
        )
        for place, turn in enumerate(turns)
    ]


def summary_item(content: str, priority: int, token_count: int, **metadata: Any) -> ContextItem:
    """Return the item of a summary."""
    metadata = {"role": "system", "summary": True, **metadata}
    return ContextItem(content=content, score=0.5, priority=priority, token_count=token_count, metadata=metadata)


def memory_item(content: str, score: float, priority: int, token_count: int, **metadata: Any) -> ContextItem:
    """Return the item of something remembered."""
    return ContextItem(content, "memory", score, priority, token_count, metadata)


def fact_items(facts: Iterable[KeyFact], priority: int) -> list[ContextItem]:
    """Return an item for each key fact."""
    return [
        memory_item(
            each.content, 0.8, priority, each.token_count, fact_type=each.fact_type.value, source_tier=each.source_tier
        )
        for each in facts
    ]
