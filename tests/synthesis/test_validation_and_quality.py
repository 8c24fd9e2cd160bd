"""`validate_synthesis` and `check_synthesis_quality`: what makes an answer one that may be shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from engrain import Memory, MemoryManager, Settings


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    with MemoryManager(":memory:", user="ana", embedder=None, settings=Settings(worker="none")) as opened:
        yield opened


@pytest.fixture
def kept(memory: MemoryManager) -> Memory:
    return memory.remember("Ana lives in Tbilisi with two cats.").memory


def answer(kept: Memory, *, confidence: Any = 0.7, count: int = 1, quote: str = "lives in Tbilisi") -> dict[str, Any]:
    source = {"memory_id": kept.id, "note_id": kept.id, "relevance_score": 0.7, "quote": quote, "tier": "B"}
    return {
        "query": "where?",
        "format": "direct_answer",
        "synthesis": {
            "answer": "Tbilisi.",
            "key_points": [],
            "citations": [{"part": "answer", "text": "Tbilisi.", "memory_ids": [kept.id]}],
        },
        "metadata": {"confidence": confidence},
        "sources": [source] * count,
    }


def several(memory: MemoryManager, given: dict[str, Any]) -> None:
    """Make the sources of an answer, but for the first, those of other memories."""
    for number, source in enumerate(given["sources"][1:], start=1):
        other = memory.remember(f"Room {number} of the house has a lamp.", resolve="off").memory
        assert other is not None
        given["sources"][number] = {**source, "memory_id": other.id, "note_id": other.id, "quote": "has a lamp"}


def test_an_answer_that_cites_holds(memory: MemoryManager, kept: Memory) -> None:
    assert memory.validate_synthesis(answer(kept)) == (True, [])


@pytest.mark.parametrize("confidence", [0.2, "0.9", None, True, float("nan"), [0.9]])
def test_confidence_is_a_number_of_three_tenths_or_more(memory: MemoryManager, kept: Memory, confidence: Any) -> None:
    sound, errors = memory.validate_synthesis(answer(kept, confidence=confidence))
    assert not sound
    assert "confidence" in errors[0]


@pytest.mark.parametrize(("count", "sound"), [(0, False), (1, True), (20, True), (21, False)])
def test_sources_are_one_to_twenty(memory: MemoryManager, kept: Memory, count: int, sound: bool) -> None:
    given = answer(kept, count=count)
    several(memory, given)
    assert memory.validate_synthesis(given)[0] is sound


def test_a_quote_is_in_its_memory(memory: MemoryManager, kept: Memory) -> None:
    assert memory.validate_synthesis(answer(kept, quote="lives in Boston")) == (
        False,
        [f"source 1 quotes what is not in {kept.id}"],
    )
    memory.update(kept.id, content="Ana lives in Oslo.")
    assert memory.validate_synthesis(answer(kept))[0] is False


def test_a_source_is_a_memory_that_the_view_knows(memory: MemoryManager, kept: Memory) -> None:
    assert memory.scoped(agent="a").validate_synthesis(answer(kept))[0] is True
    with MemoryManager(memory.store, user="bob", embedder=None, settings=Settings(worker="none")) as bob:
        sound, errors = bob.validate_synthesis(answer(kept))
    assert not sound
    assert "names no memory that this view knows" in errors[0]


def test_every_sentence_cites_a_source(memory: MemoryManager, kept: Memory) -> None:
    given = answer(kept)
    given["synthesis"]["answer"] = "Tbilisi. Since May."
    given["synthesis"]["key_points"] = ["Two cats."]
    _, errors = memory.validate_synthesis(given)
    assert errors == ["answer cites nothing: 'Since May.'", "key_points cites nothing: 'Two cats.'"]
    given = answer(kept)
    given["synthesis"]["citations"][0]["memory_ids"] = ["mem_other"]
    assert "which is no source" in memory.validate_synthesis(given)[1][0]


@pytest.mark.parametrize("wrong", [{}, {"sources": 5}, {"synthesis": "x", "metadata": 3, "sources": [1, None]}])
def test_what_is_hardly_an_answer_is_reported_and_not_raised(memory: MemoryManager, wrong: dict[str, Any]) -> None:
    sound, errors = memory.validate_synthesis(wrong)
    assert not sound
    assert errors


@pytest.mark.parametrize("wrong", [None, "an answer", 5, []])
def test_what_is_none_is_a_type_error(memory: MemoryManager, wrong: Any) -> None:
    with pytest.raises(TypeError, match="an answer is"):
        memory.validate_synthesis(wrong)
    with pytest.raises(TypeError, match="an answer is"):
        memory.check_synthesis_quality(wrong)


@pytest.mark.parametrize(
    ("held", "score", "grade"),
    [
        ((0.7, 5, "Tbilisi."), 1.0, "EXCELLENT"),
        ((0.0, 5, "Tbilisi."), 0.6, "GOOD"),
        ((0.35, 1, "Tbilisi."), 0.56, "GOOD"),
        ((0.0, 0, ""), 0.0, "NEEDS_WORK"),
        ((5.0, 50, "Tbilisi."), 1.0, "EXCELLENT"),
    ],
)
def test_quality_is_of_confidence_sources_and_having_a_text(
    memory: MemoryManager, kept: Memory, held: tuple[float, int, str], score: float, grade: str
) -> None:
    confidence, count, text = held
    given = answer(kept, confidence=confidence, count=count)
    given["synthesis"]["answer"] = text
    several(memory, given)
    assert memory.check_synthesis_quality(given) == {"score": score, "grade": grade, "quality": grade}
