"""A reranker reads question and texts side by side; its word orders the best hits, unless it fails."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager
from engrain.testing import FakeEmbedder
from tests.recall.world import Answers, Scores, notes, opened, remember_all

TEXTS = ("tea", "tea tea of the east", "green tea in the garden of Mira", "an old kettle for tea")


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with opened() as manager:
        remember_all(manager, *TEXTS)
        yield manager


def test_its_scores_order_the_hits(memory: MemoryManager) -> None:
    memory.set_reranker(Scores(len))
    found = memory.recall("tea", touch=False)
    assert [len(text) for text in found.texts] == sorted(map(len, TEXTS), reverse=True)
    assert [found[0].score, found[-1].score] == [2.0, 1.0]
    assert [signal.value for hit in found for signal in hit.signals if signal.name == "reranker"] == [
        len(text) for text in found.texts
    ]


def test_it_is_asked_once_with_the_question_as_it_was_asked(memory: MemoryManager) -> None:
    reranker = Scores(len)
    memory.set_reranker(reranker)
    memory.recall("Which TEA?", touch=False)
    assert [query for query, _ in reranker.calls] == ["Which TEA?"]
    assert sorted(reranker.calls[0][1]) == sorted(TEXTS)


def test_it_may_lift_what_was_not_on_the_page(memory: MemoryManager) -> None:
    memory.set_reranker(Scores(lambda text: "Mira" in text))
    assert memory.recall("tea", k=1, touch=False).texts == ("green tea in the garden of Mira",)


def test_it_reads_the_best_fifty_and_the_others_stay_behind() -> None:
    with opened() as memory:
        remember_all(memory, *(f"tea number {number}" for number in range(60)))
        reranker = Scores(lambda text: int(text.split()[-1]))
        memory.set_reranker(reranker)
        plain = memory.recall("tea", k=60, rerank=False, touch=False)
        found = memory.recall("tea", k=60, touch=False)
    assert reranker.calls[0][1] == list(plain.texts[:50])
    assert found.texts[50:] == plain.texts[50:]
    assert all(hit.score <= 1 <= head.score for hit in found[50:] for head in found[:50])


def test_trust_still_weighs() -> None:
    with opened() as memory:
        remember_all(memory, "tea is what the page argues for", source_type="external_data")
        remember_all(memory, "tea is what the user asked for", source_type="user_input")
        remember_all(memory, "tea", source_type="user_input")
        scores = {"page": 1.0, "user": 0.9}
        memory.set_reranker(Scores(lambda text: next((s for word, s in scores.items() if word in text), 0.0)))
        found = memory.recall("tea", touch=False)
    assert [hit.score for hit in found] == pytest.approx([1.9, 1.8, 1.0])
    assert "user" in found.texts[0]


def _fail(texts: Any) -> Any:
    raise RuntimeError("out of order")


@pytest.mark.parametrize(
    "answer",
    [
        _fail,
        lambda texts: [1.0] * (len(texts) - 1),
        lambda texts: [1.0] * (len(texts) + 1),
        lambda texts: [],
        lambda texts: [math.nan] * len(texts),
        lambda texts: [math.inf, *[1.0] * (len(texts) - 1)],
        lambda texts: ["first"] * len(texts),
        lambda texts: None,
        lambda texts: 1.0,
    ],
)
def test_one_that_fails_leaves_the_order_and_says_so(memory: MemoryManager, answer: Any) -> None:
    plain = memory.recall("tea", touch=False)
    memory.set_reranker(Answers(answer))
    found = memory.recall("tea", touch=False)
    assert found == plain
    assert notes(found, "rerank") == ["the reranker failed: the order stays as it was"]


@pytest.mark.parametrize("scores", [(0.0, 0.0), (-1e308, 1e308), (-7, -3), (10**30, 10**30 + 10**20)])
def test_any_finite_scores_are_scaled(memory: MemoryManager, scores: tuple[float, float]) -> None:
    memory.set_reranker(Scores(lambda text: scores["Mira" in text]))
    found = memory.recall("tea", touch=False)
    assert all(1 <= hit.score <= 2 for hit in found)
    assert scores[0] == scores[1] or "Mira" in found.texts[0]


def test_equal_scores_leave_the_order(memory: MemoryManager) -> None:
    plain = memory.recall("tea", touch=False)
    memory.set_reranker(Scores(lambda text: 3))
    assert memory.recall("tea", touch=False).texts == plain.texts


def test_it_can_be_left_out(memory: MemoryManager) -> None:
    plain, reranker = memory.recall("tea", touch=False), Scores(len)
    memory.set_reranker(reranker)
    assert memory.recall("tea", rerank=False, touch=False) == plain
    assert reranker.calls == []
    assert memory.recall("tea", rerank=True, touch=False) == memory.recall("tea", rerank=None, touch=False)


def test_it_cannot_be_asked_for_when_there_is_none(memory: MemoryManager) -> None:
    with pytest.raises(ConfigError, match="set_reranker"):
        memory.recall("tea", rerank=True)
    assert memory.recall("tea", rerank=False)


@pytest.mark.parametrize("value", [1, "yes", 0.5])
def test_the_switch_is_true_false_or_none(memory: MemoryManager, value: Any) -> None:
    with pytest.raises(TypeError, match="rerank"):
        memory.recall("tea", rerank=value)


@pytest.mark.parametrize("query", ["zebra", "", "  "])
def test_it_is_not_asked_about_nothing(memory: MemoryManager, query: str) -> None:
    reranker = Scores(len)
    memory.set_reranker(reranker)
    memory.recall(query, touch=False)
    memory.recall("tea", k=0, touch=False)
    assert reranker.calls == []


def test_it_is_swapped_at_run_time_for_all_views(memory: MemoryManager) -> None:
    one, other = Scores(len), Scores(lambda text: -len(text))
    view = memory.scoped(user="ana")
    assert memory.reranker is None
    assert memory.set_reranker(one) is None
    assert view.reranker is one
    assert view.set_reranker(other) is one
    assert memory.set_reranker(None) is other
    assert view.reranker is None


def test_an_object_that_cannot_rerank_is_refused_and_changes_nothing(memory: MemoryManager) -> None:
    one = Scores(len)
    memory.set_reranker(one)
    with pytest.raises(TypeError, match="no reranker"):
        memory.set_reranker(object())  # type: ignore[arg-type]
    assert memory.reranker is one


def test_one_that_is_taken_away_meanwhile_finishes(memory: MemoryManager) -> None:
    def away(text: str) -> int:
        memory.set_reranker(None)
        return len(text)

    memory.set_reranker(Scores(away))
    assert memory.recall("tea", touch=False).texts[0] == "green tea in the garden of Mira"


# --------------------------------------------------------------------------------------------------------------- fuse


def test_lists_are_fused_by_rank(memory: MemoryManager) -> None:
    one, other = memory.recall("kettle", touch=False), memory.recall("tea", touch=False)
    found = memory.fuse("tea", [one, other])
    assert {hit.id for hit in found} == {hit.id for hit in other}
    assert found[0].content == "an old kettle for tea"
    place = other.texts.index("an old kettle for tea") + 1
    assert found[0].score == pytest.approx(1 / 61 + 1 / (60 + place))
    lists = {signal.name: signal.rank for signal in found[0].signals if signal.name.startswith("rrf.")}
    assert lists == {"rrf.list_1": 1, "rrf.list_2": place}


def test_a_hit_keeps_its_best_relevance(memory: MemoryManager) -> None:
    one, other = memory.recall("kettle zebra", touch=False), memory.recall("kettle", touch=False)
    assert one[0].relevance < other[0].relevance
    assert memory.fuse("kettle", [one, other])[0].relevance == other[0].relevance


def test_fusing_ends_with_the_reranker(memory: MemoryManager) -> None:
    lists = [memory.recall("tea", touch=False), memory.recall("kettle", touch=False)]
    memory.set_reranker(Scores(len))
    assert memory.fuse("tea", lists)[0].content == "green tea in the garden of Mira"
    memory.set_reranker(Answers(_fail))
    assert memory.fuse("tea", lists)[0].content == "an old kettle for tea"


def test_any_iterables_of_hits_are_fused(memory: MemoryManager) -> None:
    lists = [list(memory.recall("tea", touch=False))]
    assert memory.fuse("tea", iter([iter(each) for each in lists])) == memory.fuse("tea", lists)  # type: ignore[arg-type]


@pytest.mark.parametrize(("k", "count"), [(2, 2), (0, 0), (100, 4)])
def test_fusing_cuts_to_k(memory: MemoryManager, k: int, count: int) -> None:
    assert len(memory.fuse("tea", [memory.recall("tea", touch=False)], k=k)) == count


def test_nothing_fuses_to_nothing(memory: MemoryManager) -> None:
    memory.set_reranker(Scores(len))
    assert memory.fuse("tea", []) == memory.fuse("tea", [[], []]) == []


def test_fusing_takes_hits_alone(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="hits"):
        memory.fuse("tea", [["tea"]])  # type: ignore[list-item]


def test_meaning_and_a_reranker_go_together() -> None:
    with opened(FakeEmbedder()) as memory:
        remember_all(memory, *TEXTS)
        memory.flush()
        memory.set_reranker(Scores(len))
        assert memory.recall("teas", touch=False).texts[0] == "green tea in the garden of Mira"
