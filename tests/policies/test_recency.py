"""How much a turn counts by its age."""

from __future__ import annotations

import math

import pytest

from engrain.policies import ExponentialRecencyScorer, LinearRecencyScorer
from engrain.protocols import RecencyScorer


def test_linear_scores_rise_evenly_to_one():
    scorer = LinearRecencyScorer()
    assert isinstance(scorer, RecencyScorer)
    assert [scorer.score(place, 3) for place in range(3)] == [0.5, 0.75, 1.0]
    assert LinearRecencyScorer(0).score(0, 5) == 0
    assert scorer.score(0, 1) == scorer.score(0, 0) == 1.0


def test_exponential_scores_rise_ever_steeper():
    scorer = ExponentialRecencyScorer()
    assert [round(scorer.score(place, 5), 4) for place in range(5)] == [0, 0.1015, 0.2689, 0.5449, 1]
    assert scorer.score(0, 1) == 1.0


@pytest.mark.parametrize("rate", [1e-9, 0.5, 2, 50, 5000, 1e300])
def test_any_rate_gives_scores_between_nothing_and_one(rate: float):
    scores = [ExponentialRecencyScorer(rate).score(place, 7) for place in range(7)]
    assert scores == sorted(scores)
    assert (scores[0], scores[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("rate", [0, -1, math.inf, math.nan])
def test_a_rate_is_positive(rate: float):
    with pytest.raises(ValueError, match="decay_rate"):
        ExponentialRecencyScorer(rate)


@pytest.mark.parametrize("score", [1.0, -0.1, 2, math.nan])
def test_the_least_score_is_below_one(score: float):
    with pytest.raises(ValueError, match="min_score"):
        LinearRecencyScorer(score)


def test_scores_are_numbers():
    with pytest.raises(TypeError, match="min_score must be a number"):
        LinearRecencyScorer("0.5")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="decay_rate must be a number"):
        ExponentialRecencyScorer(True)
