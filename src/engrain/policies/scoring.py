"""Scores of memories: episodic score, and importance by word count."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, fields
from datetime import datetime, timedelta
from typing import TypeVar

from engrain.model.results import Hit
from engrain.policies.retention import Retention

_DAY = timedelta(days=1)
T = TypeVar("T", bound=Hashable)
K = 60
"""The flattening of the first ranks (Cormack, Clarke and Büttcher, "Reciprocal rank fusion", 2009)."""
_MOST = 1_000  # the sum of all weights stays far inside single precision


def similarity(hit: Hit) -> float:
    """Return the similarity of query and memory, in [0, 1]: their cosine, without one the hit's relevance."""
    cosine = next((signal.value for signal in hit.signals if signal.name == "meaning"), None)
    return min(max(hit.relevance if cosine is None else cosine, 0.0), 1.0)


def age_in_days(recorded_at: datetime, now: datetime) -> float:
    """Return the age of a record in days, never below 0."""
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

    `retention` defines the importance at a time: decayed, and raised by use.
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


def fuse_rrf(lists: Sequence[Sequence[T]], k: float = K) -> list[tuple[T, float]]:
    """Fuse lists by rank: each item gets the sum of 1 / (k + rank) over the lists that hold it, ranks from 1.

    Returns (item, score) pairs, best first; of equal scores the item first seen comes first. An item that a list holds
    twice counts there once, at its better rank. `k` at or below 0 is a `ValueError`.
    """
    return fuse_weighted(lists, (), k)


def fuse_weighted(
    lists: Sequence[Sequence[T]], weights: Sequence[float | None] | None = None, k: float = K
) -> list[tuple[T, float]]:
    """Fuse lists by rank, the i-th counting `weights[i]` times, once without a finite weight; see `fuse_rrf`."""
    if not k > 0:
        raise ValueError(f"k must be positive, not {k!r}")
    scores: dict[T, float] = {}
    for place, ranked in enumerate(lists):
        weight = _weight(weights, place)
        for rank, item in enumerate(dict.fromkeys(ranked), start=1):
            scores[item] = scores.get(item, 0.0) + weight / (k + rank)
    return _best_first(scores)


def fuse_convex(
    lists: Sequence[Sequence[tuple[T, float]]], weights: Sequence[float | None] | None = None
) -> list[tuple[T, float]]:
    """Fuse lists of (item, score) by the weighted sum of their scores, each list's scaled so that its best is 1.

    A large margin in one list is kept, which ranks alone would lose. Returns (item, score) pairs, best
    first; weights as in `fuse_weighted`. A list without a positive score adds nothing but its items. A score that is
    not finite is a `ValueError`.
    """
    scores: dict[T, float] = {}
    for place, scored in enumerate(lists):
        best: dict[T, float] = {}
        for item, score in scored:
            if not math.isfinite(score):
                raise ValueError(f"the score of {item!r} is {score!r}: scores must be finite numbers")
            best[item] = max(score, best.get(item, score))
        top = max(best.values(), default=0.0)
        weight = _weight(weights, place)
        for item, score in best.items():
            scaled = weight * (score / top) if top > 0 else 0.0
            scores[item] = scores.get(item, 0.0) + scaled
    return _best_first(scores)


def _weight(weights: Sequence[float | None] | None, place: int) -> float:
    weight = weights[place] if weights is not None and place < len(weights) else None
    return 1.0 if weight is None or not 0 <= weight < math.inf else float(weight)


def _best_first(scores: dict[T, float]) -> list[tuple[T, float]]:
    return sorted(scores.items(), key=lambda pair: -pair[1])  # sorting is stable: first seen stays first


@dataclass(frozen=True, slots=True, kw_only=True)
class Convex:
    """The default ranking's weights: a sum of scaled scores, then bounded multipliers. 0 leaves an ingredient out.

    The values were measured on long conversations: see `docs/benchmarks.md`, which lists each with what the ranking
    loses without it. A weight that is not from 0 to 1,000 is a `ValueError`.
    """

    words: float = 1.0
    """The question's words: in the text, lent by turns near it, and in its session."""
    meaning: float | None = None
    """Scaled cosines relative to words; None depends on the embedder: .5 for a static one, .8 for a contextual one."""
    session: float = 0.6
    """The session of a memory as one document, relative to its own words."""
    neighbours: float | None = None
    """The share of words lent by adjacent turns; None depends on the texts: 1 in chats of short ones, 0 otherwise."""
    graph: float = 1.0
    """Memories about entities one or two hops from those of the question, relative to words and meaning."""
    date: float = 0.5
    """The maximum boost of memories with an event time that the question names."""
    speaker: float = 0.8
    """The boost of memories about a named person, or of the user's or the assistant's own words."""
    time_words: float = 0.3
    """The boost of texts that name a time, if the question asks for one."""
    names: float = 0.3
    """The boost of texts with a name, if the question asks for a name; twice for a definition of its subject."""
    places: float = 0.3
    """The boost of texts with a location or destination, if the question asks where."""
    latest: float = 0.5
    """The maximum boost of the newest answer about as good as the best, if the latest is asked for."""
    spread: float = 0.1
    """The penalty for each better one of the same session, if the question asks for several: "which books"."""
    question: float = 0.1
    """The penalty of questions, in chats."""
    summary: float = 0.5
    """The penalty of summaries of other memories."""
    importance: float = 0.0
    """Half the range from the least to the most important memory, by importance after decay."""
    recency: float = 0.0
    """The maximum penalty of older records, half of it in 30 days. At 0, of equals the newer leads."""
    strength: float = 0.0
    """The maximum boost of frequently recalled memories."""
    diversity: float = 1.0
    """The penalty of near-copies of a better hit; 0 lets them be among the best."""

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if each.name in ("meaning", "neighbours") and value is None:
                continue
            if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= _MOST:
                raise ValueError(f"{each.name} must be a number from 0 to {_MOST:,}, not {value!r}")
