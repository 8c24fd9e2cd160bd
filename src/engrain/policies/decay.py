"""Decay and recency: how importance and scores fade with age."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from engrain.model.memory import MemoryEntry

_HOUR = timedelta(hours=1)


def exponential_decay(base: float, age: float, *, rate: float) -> float:
    """Return base e^(-rate x age): fast at first, then ever slower; `age` in days, `rate` (0 or more) per day."""
    _share(base)
    _at_least_0(rate, "rate")
    return base * math.exp(-rate * max(age, 0.0))


def logarithmic_decay(base: float, age: float, *, alpha: float, horizon: float) -> float:
    """Return base (1 - ln(1 + alpha x age) / ln(1 + alpha x horizon)), and 0 from the horizon on; in days.

    It falls fast at first and slowly later. `alpha` and `horizon` are above 0.
    """
    _share(base)
    _above_0(alpha, "alpha")
    _above_0(horizon, "horizon")
    if age >= horizon:
        return 0.0
    left = 1 - math.log1p(alpha * max(age, 0.0)) / math.log1p(alpha * horizon)
    return base * min(max(left, 0.0), 1.0)


def step_decay(base: float, age: float, *, threshold: float) -> float:
    """Return base before the threshold, and 0 from it on; `age` and `threshold` (above 0) in days."""
    _share(base)
    _above_0(threshold, "threshold")
    return base if age < threshold else 0.0


@dataclass(frozen=True, slots=True)
class EbbinghausDecay:
    """Retention e^(-hours since the last access / S), S = `base_strength` + accesses x `reinforcement_factor`.

    In HOURS: an entry that nobody reads is down to .37 after one. `base_strength` is above 0, `reinforcement_factor` 0
    or more, else `ValueError`.
    """

    base_strength: float = 1.0
    reinforcement_factor: float = 0.5

    def __post_init__(self) -> None:
        _above_0(self.base_strength, "base_strength")
        _at_least_0(self.reinforcement_factor, "reinforcement_factor")

    def compute_retention(self, entry: MemoryEntry, *, now: datetime | None = None) -> float:
        """Return what is retained of an entry, from 0 to 1, by the system's clock or at `now`."""
        strength = self.base_strength + entry.access_count * self.reinforcement_factor
        return math.exp(-_hours(entry, now) / strength)


@dataclass(frozen=True, slots=True)
class LinearDecay:
    """Retention that falls evenly from 1 to 0 over twice the half-life, in hours since the last access.

    `half_life_hours` is above 0, else `ValueError`.
    """

    half_life_hours: float = 168.0

    def __post_init__(self) -> None:
        _above_0(self.half_life_hours, "half_life_hours")

    def compute_retention(self, entry: MemoryEntry, *, now: datetime | None = None) -> float:
        """Return what is retained of an entry, from 0 to 1, by the system's clock or at `now`."""
        return max(1 - _hours(entry, now) / (2 * self.half_life_hours), 0.0)


def _hours(entry: MemoryEntry, now: datetime | None) -> float:
    return max(((now or datetime.now(UTC)) - entry.last_accessed) / _HOUR, 0.0)


def _share(base: float) -> None:
    if not 0 <= base <= 1:
        raise ValueError(f"base is {base!r}: an importance is from 0 to 1")


def _above_0(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not 0 < value < math.inf:
        raise ValueError(f"{name} is {value!r}: it must be positive and finite")


def _at_least_0(value: float, name: str) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"{name} must be a number, not {type(value).__name__}")
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value!r}: it must be 0 or more, and finite")


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
