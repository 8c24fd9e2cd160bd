"""Policies that judge one candidate at a time, by their formulas."""

from __future__ import annotations

import math
from datetime import timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.memory import Source, SourceType
from engrain.model.results import Hit, Signal
from engrain.policies import Convex, EpisodicScore
from engrain.policies.retention import Retention, RetentionPolicy
from engrain.policies.scoring import SimilarityFirst
from engrain.security.admission import BASE, TrustScorer
from engrain.testing.rows import NOON, memory


def hit(*, days: float = 0.0, cosine: float | None = 0.5, importance: float = 0.5, relevance: float = 0.0) -> Hit:
    """Return a candidate recorded so many days before noon."""
    signals = () if cosine is None else (Signal("words", 3.0, 1), Signal("meaning", cosine, 2))
    return Hit(memory(recorded_at=NOON - timedelta(days=days), importance=importance), 1.0, relevance, signals)


def test_recency_similarity_and_importance_are_weighed() -> None:
    assert EpisodicScore().score(hit(days=10, cosine=0.6, importance=0.9), "?", NOON) == pytest.approx(
        0.4 * math.exp(-0.1) + 0.4 * 0.6 + 0.2 * 0.9
    )


def test_similarity_comes_first() -> None:
    asked = hit(days=4, cosine=0.6, importance=0.8)
    left = Retention().effective(asked.memory, NOON)
    assert left < 0.8
    assert SimilarityFirst().score(asked, "?", NOON) == pytest.approx(0.6 * 0.6 + 0.25 * left + 0.15 * 0.25)


def test_importance_counts_by_the_retention_in_force() -> None:
    asked = hit(days=4, cosine=0.6, importance=0.8)
    kept = Retention(policies=(RetentionPolicy(curve="none"),))
    assert SimilarityFirst(kept).score(asked, "?", NOON) == pytest.approx(0.6 * 0.6 + 0.25 * 0.8 + 0.15 * 0.25)


@pytest.mark.parametrize("days", [-3, 0, 0.5, 1])
def test_a_day_is_as_new_as_it_gets(days: float) -> None:
    assert SimilarityFirst().score(hit(days=days, cosine=0, importance=0), "?", NOON) == pytest.approx(0.15)


def test_what_comes_from_the_future_is_new() -> None:
    assert EpisodicScore().score(hit(days=-100), "?", NOON) == EpisodicScore().score(hit(), "?", NOON)


def test_without_a_cosine_relevance_takes_its_place() -> None:
    score = EpisodicScore(alpha=0, beta=1, gamma=0)
    assert score.score(hit(cosine=None, relevance=0.7), "?", NOON) == 0.7
    assert score.score(hit(cosine=-0.7, relevance=0.7), "?", NOON) == 0.0


@given(st.floats(0, 1e5), st.floats(-1, 1), st.floats(0, 1))
def test_scores_lie_between_0_and_1(days: float, cosine: float, importance: float) -> None:
    asked = hit(days=days, cosine=cosine, importance=importance)
    assert 0 <= EpisodicScore().score(asked, "?", NOON) <= 1 + 1e-9
    assert 0 <= SimilarityFirst().score(asked, "?", NOON) <= 1 + 1e-9


@pytest.mark.parametrize(
    "weights",
    [
        {"alpha": 0.5},
        {"alpha": 0.4, "beta": 0.4, "gamma": 0.21},
        {"alpha": 1.2, "beta": -0.2, "gamma": 0},
        {"alpha": math.nan},
        {"decay_rate": -0.1},
        {"decay_rate": math.inf},
        {"decay_rate": math.nan},
    ],
)
def test_weights_must_sum_to_1(weights: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        EpisodicScore(**weights)


@pytest.mark.parametrize("weights", [(0.3, 0.5, 0.2), (1, 0, 0), (0.1, 0.2, 0.7), (1 / 3, 1 / 3, 1 / 3)])
def test_weights_that_sum_to_1_are_taken(weights: tuple[float, float, float]) -> None:
    assert EpisodicScore(*weights).alpha == weights[0]


@pytest.mark.parametrize("value", [-0.1, math.nan, math.inf, True, "1", None, 1e300])
@pytest.mark.parametrize("name", ["session", "speaker", "diversity"])
def test_a_senseless_ingredient_is_an_error(name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        Convex(**{name: value})


def test_meaning_alone_may_be_left_to_the_embedder() -> None:
    assert Convex().meaning is None
    assert Convex(meaning=0).meaning == 0


@pytest.mark.parametrize("source_type", list(SourceType))
def test_trust_fades_from_its_class_and_rises_a_little_with_use(source_type: SourceType) -> None:
    scorer, source = TrustScorer(), Source(source_type)
    assert scorer.score(source, access_count=0, age_days=0) == BASE[source_type]
    assert scorer.score(source, access_count=0, age_days=10) == pytest.approx(BASE[source_type] * math.exp(-0.1))
    used = min(BASE[source_type] * math.exp(-0.1) + 0.03, 1)
    assert scorer.score(source, access_count=3, age_days=10) == pytest.approx(used)


def test_use_lifts_trust_only_so_far() -> None:
    source = Source(SourceType.EXTERNAL_DATA)
    assert TrustScorer().score(source, access_count=10**9, age_days=1e6) == pytest.approx(0.2)
    assert TrustScorer().score(Source(SourceType.SYSTEM), access_count=10**9, age_days=0) == 1.0


def test_neither_an_age_nor_a_count_goes_below_0() -> None:
    source = Source(SourceType.TOOL_RESULT)
    assert TrustScorer().score(source, access_count=-5, age_days=-5) == 0.6


@pytest.mark.parametrize("name", ["decay_rate", "access_boost", "max_boost"])
@pytest.mark.parametrize("value", [-0.01, math.nan, math.inf])
def test_a_rate_is_0_or_more(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=name):
        TrustScorer(**{name: value})


@pytest.mark.parametrize("source", [Source(SourceType.USER_INPUT), SourceType.USER_INPUT, "user_input"])
def test_trust_is_that_of_the_class_of_a_source_or_of_its_name(source: Source | str) -> None:
    assert TrustScorer().score(source, access_count=0, age_days=0) == 0.9


@pytest.mark.parametrize(
    ("source", "error"), [("web", ValueError), ("", ValueError), (None, TypeError), (7, TypeError)]
)
def test_an_unknown_source_has_no_trust(source: object, error: type[Exception]) -> None:
    with pytest.raises(error, match="source|trust class"):
        TrustScorer().score(source, access_count=0, age_days=0)  # type: ignore[arg-type]
