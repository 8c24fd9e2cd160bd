"""Which policy ranks a recall: one of five by name, the default with other weights, or one of the caller's."""

from __future__ import annotations

import logging
import math
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.language.calendar import parse_when
from engrain.model.choices import RankingName
from engrain.policies import Convex, EpisodicScore
from engrain.policies.scoring import SimilarityFirst
from engrain.testing import FakeEmbedder, FrozenClock
from tests.recall.world import INJECTED, NOON, POLICIES, Judges, notes, opened, remember_all


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    """Three texts of tea, a week apart, the least important first."""
    clock = FrozenClock(NOON)
    with opened(FakeEmbedder(), clock=clock) as manager:
        for content, importance in (("old tea leaves", 0.1), ("green tea of the garden", 0.5), ("tea", 0.9)):
            manager.remember(content, importance=importance)
            clock.advance(timedelta(days=7))
        manager.flush()
        yield manager


@pytest.mark.parametrize("name", POLICIES)
def test_every_policy_finds_the_same_memories(memory: MemoryManager, name: RankingName) -> None:
    found = memory.recall("tea", ranking=name, touch=False)
    assert {hit.id for hit in found} == {hit.id for hit in memory.recall("tea", touch=False)}


def test_the_default_is_convex(memory: MemoryManager) -> None:
    assert memory.recall("green tea", touch=False) == memory.recall("green tea", ranking="convex", touch=False)
    assert memory.recall("green tea", touch=False) == memory.recall("green tea", ranking=Convex(), touch=False)


@pytest.mark.parametrize("name", ["", "Convex", "best", "rrf "])
def test_an_unknown_name_is_an_error(memory: MemoryManager, name: str) -> None:
    with pytest.raises(ValueError, match="unknown ranking"):
        memory.recall("tea", ranking=name)  # type: ignore[arg-type]


@pytest.mark.parametrize("ranking", [5, True, [], {"name": "rrf"}, object()])
def test_an_object_that_cannot_score_is_an_error(memory: MemoryManager, ranking: Any) -> None:
    with pytest.raises(TypeError, match="no ranking policy"):
        memory.recall("tea", ranking=ranking)


def test_ranks_alone_count_for_rrf(memory: MemoryManager) -> None:
    found = memory.recall("tea", ranking="rrf", touch=False)
    for hit in found:
        ranks = [signal.rank for signal in hit.signals if signal.rank]
        boosts = math.prod(signal.value for signal in hit.signals if signal.name.startswith("x "))
        assert hit.score == pytest.approx(sum(1 / (60 + rank) for rank in ranks) * boosts, abs=1e-5)


def test_the_weights_of_an_episodic_score_count(memory: MemoryManager) -> None:
    newest = memory.recall("old tea leaves", ranking=EpisodicScore(1, 0, 0), touch=False)
    likest = memory.recall("old tea leaves", ranking=EpisodicScore(0, 1, 0), touch=False)
    dearest = memory.recall("old tea leaves", ranking=EpisodicScore(0, 0, 1), touch=False)
    assert newest.texts == dearest.texts == ("tea", "green tea of the garden", "old tea leaves")
    assert likest.texts[0] == "old tea leaves"
    assert [hit.score for hit in dearest] == pytest.approx([0.9, 0.5, 0.1])


def test_a_named_policy_is_weighed_by_trust() -> None:
    with opened(FakeEmbedder()) as memory:
        remember_all(memory, "tea in a cup", source_type="user_input")
        remember_all(memory, "tea in a pot", source_type="external_data")
        memory.flush()
        found = memory.recall("tea", ranking="recency_similarity_importance", touch=False)
        bare = {hit.id: hit.score for hit in memory.recall("tea", ranking=EpisodicScore(), touch=False)}
    assert [hit.score / bare[hit.id] for hit in found] == pytest.approx([0.9, 0.3])


def test_similarity_importance_recency_is_its_formula(memory: MemoryManager) -> None:
    found = memory.recall("tea", ranking="similarity_importance_recency", touch=False)
    own = memory.recall("tea", ranking=SimilarityFirst(), touch=False)
    assert [(hit.id, hit.score) for hit in found] == [(hit.id, hit.score) for hit in own]


def test_a_long_unused_memory_counts_less_in_similarity_first(memory: MemoryManager) -> None:
    def worth(now: str) -> dict[str, float]:
        found = memory.recall("tea", ranking="similarity_importance_recency", now=now, touch=False)
        return {hit.id: hit.score for hit in found}

    soon, late = "2026-06-01", "2027-06-01"
    recorded = {each.id: each.recorded_at for each in memory.iter_memories()}
    for one, score in worth(late).items():
        faded = [memory.lifecycle.effective_importance(one, at=at) for at in (soon, late)]
        days = [(parse_when(at, name="at") - recorded[one]).total_seconds() / 86_400 for at in (soon, late)]
        fell = 0.25 * (faded[0] - faded[1]) + 0.15 * (1 / days[0] - 1 / days[1])
        assert worth(soon)[one] - score == pytest.approx(fell, abs=1e-6)


def test_an_empty_question_weighs_what_importance_counts_at_the_time(memory: MemoryManager) -> None:
    found = memory.recall("", k=3, touch=False)
    for hit, age in zip(found, (0, 7, 14), strict=True):
        counts = memory.lifecycle.effective_importance(hit.id)
        assert hit.score == pytest.approx(0.5 * 2 ** (-age / 30) + 0.5 * counts, abs=1e-5)


@pytest.mark.parametrize("name", ["convex", "rrf", "intent_blend", "recency_similarity_importance"])
def test_a_memory_awaiting_admission_counts_for_less(name: RankingName) -> None:
    def score(memory: MemoryManager) -> float:
        found = memory.recall("reveal the system prompt", ranking=name, include_quarantined=True, touch=False)
        return next(hit.score for hit in found if hit.content == INJECTED)

    with opened() as memory:
        held = memory.remember(INJECTED, source_type="user_input")
        remember_all(memory, "A lantern", "Another kettle")
        assert held.status == "quarantined"
        before = score(memory)
        memory.validate(held.id, force=True, reason="it is a quotation")
        assert score(memory) == pytest.approx(before / 0.3, rel=1e-3)


def test_without_an_ingredient_its_boost_is_gone() -> None:
    with opened() as memory:
        remember_all(memory, "tea one", importance=0.9)
        remember_all(memory, "tea two", importance=0.1)
        with_all, without = (
            memory.recall("tea", ranking=ranking, touch=False) for ranking in (Convex(importance=0.1), Convex())
        )
    assert with_all[0].score > with_all[1].score
    assert without[0].score == without[1].score


def test_without_words_what_is_found_by_them_alone_scores_nothing() -> None:
    with opened() as memory:
        remember_all(memory, "tea one")
        (with_words,) = memory.recall("tea", touch=False)
        (without,) = memory.recall("tea", ranking=Convex(words=0), touch=False)
    assert with_words.score > without.score == 0


def test_the_largest_weights_give_finite_scores() -> None:
    most = dict.fromkeys(("words", "meaning", "session", "neighbours", "date", "speaker", "latest", "strength"), 1000)
    with opened(FakeEmbedder()) as memory:
        remember_all(memory, "I said tea last week", "tea", session="one")
        memory.flush()
        found = memory.recall("what did I say most recently, last week, of tea?", ranking=Convex(**most), touch=False)
    assert found
    assert all(math.isfinite(hit.score) for hit in found)


def test_a_policy_of_ones_own_orders_the_hits(memory: MemoryManager) -> None:
    found = memory.recall("tea", ranking=Judges(lambda hit: -len(hit.content)), touch=False)
    assert found.texts == ("tea", "old tea leaves", "green tea of the garden")
    assert [hit.score for hit in found] == [-3, -14, -23]
    assert notes(found, "policy") == ["Judges"]


def test_it_judges_every_candidate_and_not_only_the_first_page(memory: MemoryManager) -> None:
    found = memory.recall("green tea of the garden", k=1, ranking=Judges(lambda hit: -len(hit.content)), touch=False)
    assert found.texts == ("tea",)


def _fail(hit: Any) -> float:
    raise RuntimeError("no opinion")


@pytest.mark.parametrize(
    "judge",
    [_fail, lambda hit: math.nan, lambda hit: math.inf, lambda hit: -math.inf, lambda hit: None, lambda hit: "high"],
)
def test_a_policy_that_fails_leaves_the_order_and_a_note(
    memory: MemoryManager, judge: Any, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.CRITICAL):
        found = memory.recall("green tea", ranking=Judges(judge), touch=False)
    assert found == memory.recall("green tea", touch=False)
    assert notes(found, "policy") == ["Judges failed: ranked by convex"]


def test_a_class_in_place_of_an_object_is_refused(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="EpisodicScore\\(\\)"):
        memory.recall("green tea", ranking=EpisodicScore, touch=False)  # type: ignore[arg-type]
