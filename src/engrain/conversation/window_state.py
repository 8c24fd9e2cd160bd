"""A durable window, decided purely: what it holds, and which turns leave it when it grows too large."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from engrain.config import WorkingSettings
from engrain.conversation.compaction import TierCompactor
from engrain.conversation.tiers import TierConfig, Tiers, default_tiers, promoted
from engrain.conversation.windows import InBatches, counted, cut, evicted, fitted
from engrain.model.memory import Turn
from engrain.protocols import EvictionPolicy, Tokenizer

_LONGEST_SUMMARY = 4_000  # tokens, however large the window is
FACTS, FACT_TOKENS = 50, 500


@dataclass(frozen=True, slots=True)
class Rules:
    """How a window is kept: what may stand in it, and what becomes of turns that leave it.

    `room` is what turns may take, all together and one by one, and `tiers` what is told of the others, the first being
    the turns themselves; without more than that one, they are told nowhere but in the log.
    """

    settings: WorkingSettings
    tokenizer: Tokenizer
    compactor: TierCompactor
    policy: EvictionPolicy | None
    tiers: tuple[TierConfig, ...]

    @classmethod
    def of(
        cls, settings: WorkingSettings, tokenizer: Tokenizer, compactor: TierCompactor, policy: EvictionPolicy | None
    ) -> Rules:
        """Return the rules that settings come to."""
        tiers = _tiers(settings)
        if settings.window != "sliding":
            policy = InBatches(policy, tiers[0].max_tokens // 4)
        return cls(settings, tokenizer, compactor, policy, tiers)

    @property
    def room(self) -> int:
        """The tokens that turns may take."""
        return self.tiers[0].max_tokens

    @property
    def threshold(self) -> int:
        """The tokens at which something has to leave."""
        if self.settings.window != "sliding" or len(self.tiers) == 1:
            return self.room + 1
        return max(1, min(int(self.settings.threshold_fraction * self.settings.max_tokens), self.room + 1))

    @property
    def facts(self) -> int:
        """How many key facts are kept apart."""
        return FACTS if self.settings.window == "progressive" else 0


def _tiers(settings: WorkingSettings) -> tuple[TierConfig, ...]:
    whole = settings.max_tokens
    told = min(whole // 8, _LONGEST_SUMMARY)
    if settings.window == "progressive" and whole >= 32:
        return tuple(default_tiers(whole))
    if (settings.window == "sliding" and settings.strategy == "truncate") or told == 0:
        return (TierConfig(0, whole, whole, 7),)
    return (TierConfig(0, whole - told, whole - told, 7), TierConfig(1, told, told, 6))


@dataclass(frozen=True, slots=True)
class Window:
    """What stands in a window: turns in order, and what is told of those that left it.

    `silent` are the positions of turns that no summary tells: what they say is hidden elsewhere.
    """

    turns: tuple[Turn, ...] = ()
    told: Tiers = field(default_factory=Tiers)
    silent: frozenset[int] = frozenset()

    @property
    def summary(self) -> str | None:
        """What is told of the turns that left, the oldest first; None before any did."""
        return self.told.summary

    @property
    def original_count(self) -> int:
        """How many turns the summary stands for."""
        return self.told.source_turn_count

    @property
    def token_count(self) -> int:
        """The tokens of its turns and of its summary."""
        return sum(turn.token_count for turn in self.turns) + self.told.total_tokens

    @property
    def messages(self) -> list[Turn]:
        """Its turns, with the summary as one of them: after the system's turns that precede all others."""
        if self.summary is None:
            return list(self.turns)
        first = next((at for at, turn in enumerate(self.turns) if turn.role != "system"), len(self.turns))
        told = Turn(
            role="assistant",
            content=self.summary,
            token_count=self.told.total_tokens,
            metadata={"is_summary": True, "original_count": self.original_count},
        )
        return [*self.turns[:first], told, *self.turns[first:]]


@dataclass(frozen=True, slots=True)
class Settled:
    """A window after turns have left it, which these were, and the summary before."""

    window: Window
    gone: tuple[Turn, ...]
    previous: str | None


def shown(turn: Turn, rules: Rules) -> Turn:
    """Return a turn as a window shows it: cut and marked when it alone is larger than the window."""
    calls = turn.metadata.get("tool_calls")
    if (len(turn.content) + len(str(calls or ""))) * 4 <= rules.room:  # no tokenizer makes more of a character
        return turn
    if not calls:
        return fitted(turn, rules.room, rules.tokenizer)
    short = [_shortened(call, rules.room // (2 * len(calls)), rules.tokenizer) for call in calls]
    said = fitted(replace(turn, metadata={**turn.metadata, "tool_calls": short}), rules.room // 2, rules.tokenizer)
    cut_short = said.metadata if short == list(calls) else {**said.metadata, "truncated": True}
    return replace(said, token_count=turn.token_count, metadata=cut_short)


def _shortened(call: Any, room: int, tokenizer: Tokenizer) -> Any:
    """Return the call of a tool with arguments of at most about so many tokens: what is cut is still an object."""
    function = call.get("function") if isinstance(call, Mapping) else None
    if not isinstance(function, Mapping):
        return call
    given = function.get("arguments")
    if not isinstance(given, str) or counted(given, tokenizer) <= room:
        return call
    kept = json.dumps({"truncated": cut(given, room, tokenizer)}, ensure_ascii=False)
    return {**call, "function": {**function, "arguments": kept}}


def settled(window: Window, rules: Rules) -> Settled | None:
    """Return the window with what must leave gone and told, None while nothing must."""
    places = leaving(window, rules)
    if not places:
        return None
    gone = tuple(window.turns[place] for place in places)
    stay = tuple(turn for place, turn in enumerate(window.turns) if place not in places)
    told = retold(window.told, [turn for turn in gone if turn.position not in window.silent], rules)
    return Settled(replace(window, turns=stay, told=told), gone, window.summary)


def retold(told: Tiers, gone: Sequence[Turn], rules: Rules) -> Tiers:
    """Return what is told, once it tells of `gone` too."""
    if len(rules.tiers) == 1:
        return told
    return promoted(
        told,
        gone,
        rules.tiers,
        rules.compactor,
        tokenizer=rules.tokenizer,
        max_facts=rules.facts,
        fact_token_budget=FACT_TOKENS,
    )


def leaving(window: Window, rules: Rules) -> set[int]:
    """Return the places of the turns that must leave: by strategy, and then whatever the room does not hold.

    The system's turns are the last to leave, when they alone are too many.
    """
    turns = window.turns
    tokens = sum(turn.token_count for turn in turns)
    if tokens <= rules.room and tokens + window.told.total_tokens < rules.threshold:
        return set()
    loose = [place for place, turn in enumerate(turns) if turn.role != "system"]
    gone = set(_by_strategy(loose, rules)) if tokens + window.told.total_tokens >= rules.threshold else set()
    newest = len(turns) - 1  # which stays: it is no larger than the room
    for among in (loose, range(newest)):
        left = [place for place in among if place not in gone and place != newest]
        excess = sum(turn.token_count for place, turn in enumerate(turns) if place not in gone) - rules.room
        gone |= {left[chosen] for chosen in evicted([turns[place] for place in left], excess, rules.policy)}
    return gone


def _by_strategy(loose: Sequence[int], rules: Rules) -> Sequence[int]:
    if rules.settings.window != "sliding" or len(rules.tiers) == 1:
        return ()
    if rules.settings.strategy == "summarise":
        return loose
    return loose[: max(len(loose) - rules.settings.keep_last_n, 0)]
