"""The baselines are the plain methods: BM25 by its formula, and the cosine of the embedder's own vectors."""

from __future__ import annotations

import math

import pytest

from benchmarks.retrieval import BM25, PlainVector, rank
from engrain.testing import FakeEmbedder

TEXTS = ["The cello teacher moved.", "Cello, cello and more cello lessons!", "A greyhound sleeps.", ""]


def test_bm25_is_its_formula():
    baseline = BM25(["cello teacher", "cello cello oboe", "oboe"], k1=0.9, b=0.4)
    idf = math.log(1 + (3 - 2 + 0.5) / (2 + 0.5))
    once = idf * 1.9 / (1 + 0.9)
    twice = idf * 2 * 1.9 / (2 + 0.9 * (0.6 + 0.4 * 3 / 2))
    assert list(baseline.scores("cello?")) == pytest.approx([once, twice, 0.0])


def test_bm25_meets_words_by_their_stem_and_passes_over_common_ones():
    baseline = BM25(TEXTS)
    assert list(rank(baseline, "Who was sleeping on the sofa?", 10)) == [2]
    assert list(rank(baseline, "Which cellos?", 10)) == [1, 0]
    assert list(rank(baseline, "zebra", 10)) == []


def test_vectors_rank_by_cosine():
    baseline = PlainVector(TEXTS, FakeEmbedder())
    assert baseline.scores("A greyhound sleeps.")[2] == pytest.approx(1.0)
    assert rank(baseline, "greyhound", 1)[0] == 2


def test_a_text_without_a_vector_is_not_found():
    class Blind:
        id, dimensions = "blind", 2

        def embed(self, texts):
            return [[float(bool(text)), 0.0] for text in texts]

    assert list(rank(PlainVector(TEXTS, Blind()), "x", 10)) == [0, 1, 2]


def test_an_embedder_of_questions_embeds_the_question():
    class Sided(FakeEmbedder):
        def embed_query(self, text):
            return self.embed([f"greyhound {text}"])[0]

    assert rank(PlainVector(TEXTS, Sided()), "sleeps", 1)[0] == 2
