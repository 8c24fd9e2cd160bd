"""`multi_query` and `hyde`: the question in other words, and the passage that would answer it."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import FakeEmbedder
from tests.recall.world import Says, notes, opened, remember_all

TEXTS = ("tea in the garden", "a lantern on the wall", "the ferry leaves at noon")


def asked(transformer: Says | None, embedder: Any = None) -> MemoryManager:
    """Return a memory of three texts with a query transformer."""
    memory = opened(embedder, query_transformer=transformer)
    remember_all(memory, *TEXTS)
    memory.flush()
    return memory


@pytest.fixture
def says() -> Iterator[tuple[Says, MemoryManager]]:
    transformer = Says()
    with asked(transformer) as memory:
        yield transformer, memory


@pytest.mark.parametrize(
    ("given", "note"),
    [
        ({"multi_query": 3}, "multi_query left out: no query transformer"),
        ({"hyde": True}, "hyde left out: no query transformer"),
        ({"multi_query": 3, "hyde": True}, "multi_query and hyde left out: no query transformer"),
    ],
)
def test_without_a_transformer_they_are_a_note(given: dict[str, Any], note: str) -> None:
    with asked(None) as memory:
        found = memory.recall("tea", touch=False, **given)
        assert found == memory.recall("tea", touch=False)
        assert notes(found, "phrase") == [note]
        assert found.queries == ("tea",)


@pytest.mark.parametrize("given", [{}, {"multi_query": 0}, {"multi_query": 1}, {"hyde": False}])
def test_a_transformer_is_not_asked_unless_it_is_wanted(
    says: tuple[Says, MemoryManager], given: dict[str, Any]
) -> None:
    transformer, memory = says
    assert memory.recall("tea", **given).queries == ("tea",)
    assert memory.recall("  ", multi_query=3, hyde=True) is not None
    assert transformer.calls == []


def test_variants_find_what_the_question_does_not(says: tuple[Says, MemoryManager]) -> None:
    transformer, memory = says
    transformer.answers["variants"] = ["where is the lantern"]
    found = memory.recall("tea", multi_query=2, touch=False)
    assert transformer.calls == [("variants", "tea", 1)]
    assert found.texts == ("tea in the garden", "a lantern on the wall")
    assert found.queries == ("tea", "where is the lantern")
    assert found.query == "tea"
    assert notes(found, "phrase") == ["also asked: where is the lantern"]


def test_the_same_words_are_asked_once(says: tuple[Says, MemoryManager]) -> None:
    transformer, memory = says
    transformer.answers["variants"] = [" TEA ", "Lantern", "lantern", "", "\n", "ferry"]
    assert memory.recall("tea", multi_query=6).queries == ("tea", "Lantern", "ferry")


@pytest.mark.parametrize(("wanted", "count"), [(2, 2), (4, 4), (6, 6), (7, 6), (10**9, 6)])
def test_there_are_no_more_than_six_in_all(says: tuple[Says, MemoryManager], wanted: int, count: int) -> None:
    transformer, memory = says
    transformer.answers["variants"] = [f"lantern {number}" for number in range(50)]
    assert len(memory.recall("tea", multi_query=wanted).queries) == count
    assert transformer.calls == [("variants", "tea", count - 1)]


def test_endless_variants_end(says: tuple[Says, MemoryManager]) -> None:
    transformer, memory = says
    transformer.answers["variants"] = lambda n: (f"lantern {number}" for number in itertools.count())
    assert len(memory.recall("tea", multi_query=3).queries) == 3
    transformer.answers["variants"] = lambda n: itertools.repeat("tea")
    assert memory.recall("tea", multi_query=3).queries == ("tea",)


@pytest.mark.parametrize(
    "variants", [RuntimeError("down"), None, 5, "one text", [], ["", " "], [None, 7], ["x" * 100_001]]
)
def test_a_transformer_that_fails_leaves_the_question_alone(says: tuple[Says, MemoryManager], variants: Any) -> None:
    transformer, memory = says
    transformer.answers["variants"] = variants
    found = memory.recall("tea", multi_query=4, touch=False)
    assert found == memory.recall("tea", touch=False)
    assert notes(found, "phrase") == ["the query transformer gave no variants"]


@pytest.mark.parametrize("passage", [RuntimeError("down"), None, 5, "", " \n", ["tea"], "x" * 100_001])
def test_no_passage_leaves_the_question_alone(says: tuple[Says, MemoryManager], passage: Any) -> None:
    transformer, memory = says
    transformer.answers["passage"] = passage
    found = memory.recall("tea", hyde=True, touch=False)
    assert found == memory.recall("tea", touch=False)
    assert notes(found, "phrase") == ["the query transformer gave no passage"]


def test_a_passage_is_looked_for_by_meaning_alone() -> None:
    transformer = Says(passage="The lantern hangs on the wall.")
    with asked(transformer, FakeEmbedder()) as memory:
        plain, found = memory.recall("tea", touch=False), memory.recall("tea", hyde=True, touch=False)
    assert transformer.calls == [("passage", "tea")]
    assert found.queries == ("tea",)
    assert plain.texts[0] == found.texts[0] == "tea in the garden"
    assert found.texts[1] == "a lantern on the wall"
    with asked(transformer) as memory:
        assert memory.recall("tea", hyde=True).texts == ("tea in the garden",)


def test_every_filter_holds_for_variants_too(says: tuple[Says, MemoryManager]) -> None:
    transformer, memory = says
    transformer.answers["variants"] = ["lantern", "ferry"]
    memory.remember("a lantern at sea", domain="travel")
    memory.scoped(user="ben").remember("a lantern of Ben", domain="travel")
    assert memory.scoped(user="ana").recall("tea", multi_query=3).texts == ()
    assert memory.recall("tea", multi_query=3, domain="travel", k=2).texts[0] == "a lantern at sea"


@pytest.mark.parametrize("value", [-1, 1.0, True, None, "2"])
def test_multi_query_is_a_whole_number(says: tuple[Says, MemoryManager], value: Any) -> None:
    with pytest.raises(ValueError, match="multi_query is a whole number, 0 or more"):
        says[1].recall("tea", multi_query=value)


@pytest.mark.parametrize("value", [1, None, "yes"])
def test_hyde_is_true_or_false(says: tuple[Says, MemoryManager], value: Any) -> None:
    with pytest.raises(TypeError, match="hyde"):
        says[1].recall("tea", hyde=value)


def test_an_object_that_cannot_transform_is_refused() -> None:
    with pytest.raises(TypeError, match="no query transformer"):
        opened(query_transformer=object())
