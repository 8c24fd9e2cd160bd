"""Scores of memories: episodic score, and importance by word count."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from engrain.model.results import Hit
from engrain.policies.retention import Retention

_DAY = timedelta(days=1)


def similarity(hit: Hit) -> float:
    """Return how alike question and memory are, in [0, 1]: their cosine, without one the hit's relevance."""
    cosine = next((signal.value for signal in hit.signals if signal.name == "meaning"), None)
    return min(max(hit.relevance if cosine is None else cosine, 0.0), 1.0)


def age_in_days(recorded_at: datetime, now: datetime) -> float:
    """Return how long ago something was recorded, in days and never below 0."""
    return max((now - recorded_at) / _DAY, 0.0)


@dataclass(frozen=True, slots=True)
class EpisodicScore:
    """Weighs recency, similarity and importance: alpha e^(-rate x days) + beta similarity + gamma importance.

    Recency falls with the days since a memory was recorded. The three weights must sum to 1, else `ValueError`.
    """

    alpha: float = 0.4
    beta: float = 0.4
    gamma: float = 0.2
    decay_rate: float = 0.01

    def __post_init__(self) -> None:
        weights = (self.alpha, self.beta, self.gamma)
        if any(not 0 <= weight <= 1 for weight in weights) or not math.isclose(sum(weights), 1, rel_tol=1e-6):
            raise ValueError(f"alpha, beta and gamma must lie in [0, 1] and sum to 1, not {weights}")
        if not 0 <= self.decay_rate < math.inf:
            raise ValueError(f"decay_rate must be 0 or more, not {self.decay_rate!r}")

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the score of a candidate, in [0, 1]."""
        recency = math.exp(-self.decay_rate * age_in_days(hit.memory.recorded_at, now))
        return self.alpha * recency + self.beta * similarity(hit) + self.gamma * hit.memory.importance


@dataclass(frozen=True, slots=True)
class SimilarityFirst:
    """Weighs similarity .60, effective importance .25 and recency .15: min(1, 1 / days since a memory was recorded).

    `retention` says what importance counts at a time: decayed, and lifted by use.
    """

    retention: Retention = field(default_factory=Retention)

    def score(self, hit: Hit, query: str, now: datetime) -> float:
        """Return the score of a candidate, in [0, 1]."""
        days = age_in_days(hit.memory.recorded_at, now)
        recency = 1.0 if days <= 1 else 1 / days
        return 0.6 * similarity(hit) + 0.25 * self.retention.effective(hit.memory, now) + 0.15 * recency


def word_count_importance(text: str) -> float:
    """Score a text by its length alone: `min(words / 200, 1)`; chosen with `Settings(importance="word_count")`."""
    if not isinstance(text, str):
        raise TypeError(f"text must be a string, not {type(text).__name__}")
    return min(len(text.split()) / 200, 1.0)
