"""How much a turn counts by its age: the newest 1, the oldest least."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LinearRecencyScorer:
    """Rises evenly from `min_score` (0 up to but not 1) for the oldest turn to 1 for the newest; a single one is 1."""

    min_score: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= _number(self.min_score, "min_score") < 1:
            raise ValueError(f"min_score is {self.min_score}: it must be at least 0 and below 1")

    def score(self, index: int, total: int) -> float:
        """Return the score of the turn at a place, 0 being the oldest, among `total`."""
        return self.min_score + (1 - self.min_score) * _age(index, total)


@dataclass(frozen=True, slots=True)
class ExponentialRecencyScorer:
    """Rises from 0 for the oldest turn to 1 for the newest, the steeper the greater `decay_rate` is (above 0)."""

    decay_rate: float = 2.0

    def __post_init__(self) -> None:
        if not 0 < _number(self.decay_rate, "decay_rate") < math.inf:
            raise ValueError(f"decay_rate is {self.decay_rate}: it must be positive and finite")

    def score(self, index: int, total: int) -> float:
        """Return (e^(rate x) - 1) / (e^rate - 1), x being 0 for the oldest turn and 1 for the newest."""
        x, rate = _age(index, total), self.decay_rate
        # The same quotient, written so that no rate is too great for a float.
        return math.exp(rate * (x - 1)) * math.expm1(-rate * x) / math.expm1(-rate)


def _age(index: int, total: int) -> float:
    return 1.0 if total <= 1 else min(max(index / (total - 1), 0.0), 1.0)


def _number(value: object, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    return value
