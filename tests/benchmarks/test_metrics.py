"""The metrics are those of the textbooks, and their intervals are repeatable."""

from __future__ import annotations

import math

import pytest

from benchmarks.metrics import auroc, measure, ndcg_at, recall_at, reciprocal_rank, summarise

RANKED = [f"t{n}" for n in range(1, 21)]


def test_recall_is_the_share_of_the_evidence_found():
    assert recall_at(RANKED, ["t1", "t5", "t6", "x"], 5) == 0.5
    assert recall_at([], ["x"], 5) == 0.0


def test_gain_falls_with_the_logarithm_of_the_rank():
    assert ndcg_at(RANKED, ["t1", "t2"], 10) == 1.0
    assert ndcg_at(RANKED, ["t3"], 10) == 0.5
    assert ndcg_at(RANKED, ["t2", "x"], 10) == pytest.approx((1 / math.log2(3)) / (1 + 1 / math.log2(3)))
    assert ndcg_at(RANKED, RANKED, 10) == 1.0


def test_the_reciprocal_rank_is_that_of_the_first_found():
    assert reciprocal_rank(RANKED, ["t9", "t4"]) == 0.25
    assert reciprocal_rank(RANKED, ["x"]) == 0.0


def test_every_metric_of_a_question_has_its_name():
    found = measure(RANKED, ["t5", "t15"])
    assert found == {
        "recall@5": 0.5,
        "recall@10": 0.5,
        "recall@20": 1.0,
        "any@5": 1.0,
        "any@10": 1.0,
        "any@20": 1.0,
        "all@5": 0.0,
        "all@10": 0.0,
        "all@20": 1.0,
        "ndcg@10": pytest.approx((1 / math.log2(6)) / (1 + 1 / math.log2(3))),
        "mrr": 0.2,
    }


def test_the_interval_holds_the_mean_and_narrows_with_more_questions():
    few = summarise([{"m": float(n % 2)} for n in range(40)])["m"]
    many = summarise([{"m": float(n % 2)} for n in range(4000)])["m"]
    assert few[0] == many[0] == 0.5
    assert few[1] < many[1] < 0.5 < many[2] < few[2]
    assert few[2] - few[1] == pytest.approx(2 * 1.96 * 0.5 / math.sqrt(40), rel=0.15)


def test_the_same_seed_gives_the_same_interval():
    rows = [{"m": n / 10} for n in range(10)]
    assert summarise(rows) == summarise(rows)
    assert summarise(rows, seed=1) != summarise(rows, seed=2)


def test_no_questions_have_no_figures():
    assert summarise([]) == {}


def test_auroc_is_how_often_a_positive_scores_higher():
    assert auroc([0.9, 0.8], [0.1, 0.2]) == 1.0
    assert auroc([0.1], [0.9]) == 0.0
    assert auroc([0.5, 0.5], [0.5]) == 0.5
    assert auroc([0.9, 0.2], [0.5, 0.1]) == 0.75
    assert auroc([], [0.5]) is None
    assert auroc([0.5], []) is None
