"""`recall_deep`: an easy question is asked once, a hard one until its grader is content."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.policies import Convex
from tests.recall.world import Grades, Scores, notes, opened, remember_all, sure

EASY = "What about the tea?"
HARD = "Who gave Ana the tea last week?"
TEXTS = ("tea in the garden", "a lantern on the wall", "the ferry leaves at noon")


@pytest.fixture
def grader() -> Grades:
    return Grades()


@pytest.fixture
def memory(grader: Grades) -> Iterator[MemoryManager]:
    with opened(grader=grader) as manager:
        remember_all(manager, *TEXTS)
        yield manager


def test_an_easy_question_is_asked_once_and_not_graded(memory: MemoryManager, grader: Grades) -> None:
    found = memory.recall_deep(EASY, touch=False)
    assert found == memory.recall(EASY, touch=False)
    assert (found.iterations, found.queries, found.sufficient, found.abstained) == (1, (EASY,), True, False)
    assert grader.calls == []
    assert notes(found, "difficulty")[1:] == ["easy: one look"]


def test_without_a_grader_a_hard_one_is_too() -> None:
    with opened() as memory:
        remember_all(memory, *TEXTS)
        found = memory.recall_deep(HARD, touch=False)
        plain = memory.recall(HARD, touch=False)
    assert found == plain
    assert (found.iterations, found.sufficient, found.abstained) == (1, True, plain.abstained)
    assert notes(found, "difficulty") == ["0.70: several steps, a time", "no grader: one look"]


def test_a_content_grader_ends_it(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure(enough=True)]
    found = memory.recall_deep(HARD, touch=False)
    assert found == memory.recall(HARD, touch=False)
    assert (found.iterations, found.sufficient, found.abstained) == (1, True, False)
    assert grader.calls == [(HARD, ["tea in the garden"])]


def test_it_asks_again_in_the_words_of_the_grader(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure("where is the lantern"), sure(enough=True)]
    found = memory.recall_deep(HARD, touch=False)
    assert set(found.texts) == {"tea in the garden", "a lantern on the wall"}
    assert (found.iterations, found.sufficient, found.abstained) == (2, True, False)
    assert found.queries == (HARD, "where is the lantern")
    assert found.query == HARD
    assert "ask again: where is the lantern" in notes(found, "grade")


def test_hits_are_judged_against_the_question_as_it_was_asked(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure("lantern"), sure("ferry"), sure(enough=True)]
    memory.recall_deep(HARD, touch=False)
    assert [query for query, _ in grader.calls] == [HARD] * 3
    assert [set(shown) for _, shown in grader.calls] == [set(TEXTS[:1]), set(TEXTS[:2]), set(TEXTS)]


@pytest.mark.parametrize(("most", "looks"), [(1, 1), (2, 2), (3, 3), (5, 5), (6, 5), (10**9, 5)])
def test_the_looks_are_bounded(memory: MemoryManager, grader: Grades, most: int, looks: int) -> None:
    grader.grades = [sure(f"lantern {number}") for number in range(9)]
    found = memory.recall_deep(HARD, max_iterations=most)
    assert (found.iterations, len(found.queries), len(grader.calls)) == (looks, looks, looks)
    assert (found.sufficient, found.abstained) == (False, True)


def test_three_looks_are_usual(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure(f"lantern {number}") for number in range(9)]
    assert memory.recall_deep(HARD).iterations == 3


@pytest.mark.parametrize("again", [None, "", "  ", HARD, f" {HARD.upper()} ", "x" * 100_001])
def test_without_new_words_it_ends_discontent(memory: MemoryManager, grader: Grades, again: str | None) -> None:
    grader.grades = [sure(again)]
    found = memory.recall_deep(HARD, touch=False)
    assert (found.iterations, found.sufficient, found.abstained) == (1, False, True)
    assert found.texts == ("tea in the garden",)


def test_words_that_were_asked_already_are_not_new(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure("lantern"), sure("LANTERN ")]
    found = memory.recall_deep(HARD)
    assert (found.iterations, found.abstained) == (2, True)


@pytest.mark.parametrize(
    "verdict",
    [
        RuntimeError("down"),
        None,
        "sufficient",
        {"sufficient": False},
        sure("x", enough="no"),  # type: ignore[arg-type]
        type(sure())(sufficient=False, confidence=None, reformulation="x"),  # type: ignore[arg-type]
        type(sure())(sufficient=False, confidence=math.nan, reformulation="x"),
    ],
)
def test_a_grader_that_fails_ends_it_without_abstaining(memory: MemoryManager, grader: Grades, verdict: Any) -> None:
    grader.grades = [sure("lantern"), verdict]
    found = memory.recall_deep(HARD, touch=False)
    assert (found.iterations, found.sufficient, found.abstained) == (2, True, False)
    assert set(found.texts) == set(TEXTS[:2])
    assert notes(found, "grade")[-1] == "the grader failed: no further look"


def test_words_that_are_no_text_are_no_words(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure(5)]  # type: ignore[arg-type]
    assert memory.recall_deep(HARD).abstained


def test_a_grader_sees_eight_hits_at_most(grader: Grades) -> None:
    with opened(grader=grader) as memory:
        remember_all(memory, *(f"tea number {number}" for number in range(20)))
        grader.grades = [sure(enough=True)]
        assert len(memory.recall_deep(HARD, k=20)) == 20
    assert len(grader.calls[0][1]) == 8


def test_later_looks_follow_shared_entities(grader: Grades) -> None:
    with opened(grader=grader) as memory:
        memory.remember("Ana drinks", fact=("Ana", "likes", "tea"))
        memory.remember("it is grown by the sea", fact=("Tea", "comes_from", "Georgia"))
        grader.grades = [sure("Ana drinks"), sure(enough=True)]
        found = memory.recall_deep("Who gave Ana the cup last week?", ranking=Convex(graph=0), touch=False)
        assert grader.calls[0][1] == ["Ana drinks"]
        assert set(found.texts) == {"Ana drinks", "it is grown by the sea"}


def test_several_looks_are_fused_by_rank_and_cut_to_k(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure("garden lantern tea"), sure("ferry noon"), sure(enough=True)]
    found = memory.recall_deep(HARD, k=2, touch=False)
    assert len(found) == 2
    assert found.texts[0] == "tea in the garden"
    assert found[0].score == pytest.approx(2 / 61)
    assert len({hit.id for hit in found}) == 2


def test_every_filter_holds_in_every_look(memory: MemoryManager, grader: Grades) -> None:
    memory.remember("a lantern at sea", domain="travel")
    grader.grades = [sure("lantern"), sure(enough=True)]
    assert memory.recall_deep(HARD, domain="travel").texts == ("a lantern at sea",)


def test_the_reranker_reads_each_look(memory: MemoryManager, grader: Grades) -> None:
    reranker = Scores(len)
    memory.set_reranker(reranker)
    grader.grades = [sure("lantern wall"), sure(enough=True)]
    memory.recall_deep(HARD)
    assert [query for query, _ in reranker.calls] == [HARD, "lantern wall"]


def test_a_deep_recall_counts_each_access_once(memory: MemoryManager, grader: Grades) -> None:
    grader.grades = [sure("garden tea"), sure(enough=True)]
    found = memory.recall_deep(HARD)
    held = memory.get(found[0].id)
    assert held is not None
    assert held.access_count == 1
    assert memory.stats().retrievals == 1


@pytest.mark.parametrize("most", [0, -1, 1.0, True, None, "3"])
def test_there_is_at_least_one_look(memory: MemoryManager, most: Any) -> None:
    with pytest.raises(ValueError, match="max_iterations is 1 or more"):
        memory.recall_deep(HARD, max_iterations=most)


def test_an_unknown_filter_is_an_error(memory: MemoryManager) -> None:
    with pytest.raises(TypeError, match="colour"):
        memory.recall_deep(HARD, colour="blue")  # type: ignore[call-arg]


def test_an_object_that_cannot_grade_is_refused() -> None:
    with pytest.raises(TypeError, match="no grader"):
        opened(grader=object())


def test_nothing_is_graded_when_no_hits_are_wanted(memory: MemoryManager, grader: Grades) -> None:
    found = memory.recall_deep(HARD, k=0)
    assert (len(found), found.iterations, found.abstained) == (0, 1, False)
    assert grader.calls == []
    assert "no hits wanted: one look" in notes(found, "difficulty")
