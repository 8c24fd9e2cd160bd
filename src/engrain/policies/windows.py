"""Windows of turns: scores of recency, and policies of eviction."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from engrain.model.memory import Turn
from engrain.policies.retention import checked_number


class FIFOEviction:
    """The oldest turns leave first; the default of a window."""

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the indices of the oldest turns that have at least `tokens_to_free`."""
        return enough(([place] for place in range(len(turns))), turns, tokens_to_free)


class ImportanceEviction:
    """The turns with the lowest importance leave first, and among equals the oldest."""

    def __init__(self, importance_fn: Callable[[Turn], float]) -> None:
        if not callable(importance_fn):
            raise TypeError(f"importance_fn must be a function of a turn, not {type(importance_fn).__name__}")
        self._importance = importance_fn

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the indices of the least important turns with at least `tokens_to_free`, least important first."""
        if tokens_to_free <= 0:
            return []
        ranked = sorted((self._importance(turn), place) for place, turn in enumerate(turns))
        return enough(([place] for _, place in ranked), turns, tokens_to_free)


class PairedEviction:
    """A user's turn and the answer after it leave together, the oldest first; it may free more than requested."""

    def select_for_eviction(self, turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
        """Return the indices of the oldest exchanges that have at least `tokens_to_free`."""
        return enough(_exchanges(turns), turns, tokens_to_free)


def _exchanges(turns: Sequence[Turn]) -> Iterable[list[int]]:
    place = 0
    while place < len(turns):
        answered = [turn.role for turn in turns[place : place + 2]] == ["user", "assistant"]
        yield [place, place + 1] if answered else [place]
        place += 2 if answered else 1


def enough(groups: Iterable[list[int]], turns: Sequence[Turn], tokens_to_free: int) -> list[int]:
    """Return the indices of the first groups of turns that have at least `tokens_to_free` together."""
    chosen: list[int] = []
    freed = 0
    for group in groups:
        if freed >= tokens_to_free:
            break
        chosen += group
        freed += sum(turns[place].token_count for place in group)
    return chosen


@dataclass(frozen=True, slots=True)
class LinearRecencyScorer:
    """Rises evenly from `min_score` (0 up to but not 1) for the oldest turn to 1 for the newest; a single one is 1."""

    min_score: float = 0.5

    def __post_init__(self) -> None:
        if checked_number(self.min_score, "min_score", zero=True) >= 1:
            raise ValueError(f"min_score is {self.min_score}: it must be at least 0 and below 1")

    def score(self, index: int, total: int) -> float:
        """Return the score of the turn at an index, 0 being the oldest, among `total`."""
        return self.min_score + (1 - self.min_score) * _age(index, total)


@dataclass(frozen=True, slots=True)
class ExponentialRecencyScorer:
    """Rises from 0 for the oldest turn to 1 for the newest, the steeper the greater `decay_rate` is (above 0)."""

    decay_rate: float = 2.0

    def __post_init__(self) -> None:
        checked_number(self.decay_rate, "decay_rate")

    def score(self, index: int, total: int) -> float:
        """Return (e^(rate x) - 1) / (e^rate - 1), x being 0 for the oldest turn and 1 for the newest."""
        x, rate = _age(index, total), self.decay_rate
        # The same quotient, written so that no rate is too great for a float.
        return math.exp(rate * (x - 1)) * math.expm1(-rate * x) / math.expm1(-rate)


def _age(index: int, total: int) -> float:
    return 1.0 if total <= 1 else min(max(index / (total - 1), 0.0), 1.0)
