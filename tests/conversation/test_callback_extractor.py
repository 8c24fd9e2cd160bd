"""An extractor made of a function of the caller's."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from engrain.conversation import CallbackExtractor
from engrain.model.memory import MemoryType, Turn
from engrain.protocols import Extractor

NOON, LATER = datetime(2024, 5, 1, 12, tzinfo=UTC), datetime(2024, 5, 1, 13, tzinfo=UTC)
TURNS = (
    Turn(role="user", content="I like tea", at=NOON),
    Turn(role="assistant", content="Noted"),
    Turn(role="user", content="And Rome", at=LATER),
)


def finding(*facts: Any) -> CallbackExtractor:
    return CallbackExtractor(lambda turns: list(facts))


def test_it_is_an_extractor():
    assert isinstance(finding(), Extractor)


def test_a_turn_without_a_time_is_named_by_its_position():
    assert finding({"content": "x"}).extract(TURNS)[0].source_turns == (NOON.isoformat(), "1", LATER.isoformat())
    placed = [Turn(role="user", content="a", position=7), Turn(role="user", content="b")]
    assert finding({"content": "x"}).extract(placed)[0].source_turns == ("7", "1")


def test_a_fact_has_the_default_type_and_the_times_of_the_turns():
    extractor = CallbackExtractor(lambda turns: [{"content": turns[0].content, "tags": ["taste"]}])
    [entry] = extractor.extract(TURNS)
    assert (entry.content, entry.tags, entry.memory_type) == ("I like tea", ("taste",), MemoryType.SEMANTIC)
    assert entry.source_turns == (NOON.isoformat(), "1", LATER.isoformat())
    other = CallbackExtractor(lambda turns: [{"content": "x"}], default_type=MemoryType.EPISODIC)
    assert other.extract(TURNS)[0].memory_type is MemoryType.EPISODIC


def test_what_a_fact_says_of_itself_is_kept_in_order():
    first, second = finding(
        {"content": "x", "memory_type": "procedural", "source_turns": ["t1"], "relevance_score": 0.9, "user_id": "ana"},
        {"content": "y", "memory_type": MemoryType.EPISODIC, "metadata": {"a": 1}, "session_id": "s", "id": "mine"},
    ).extract(TURNS)
    assert (first.memory_type, first.source_turns, first.relevance_score) == (MemoryType.PROCEDURAL, ("t1",), 0.9)
    assert (first.user_id, second.session_id, second.id) == ("ana", "s", "mine")
    assert (second.memory_type, second.metadata) == (MemoryType.EPISODIC, {"a": 1})


def test_the_function_gets_the_context_if_it_asks_for_it():
    def keyword(turns: Sequence[Turn], *, context: str) -> list[dict[str, Any]]:
        return [{"content": f"{len(turns)} turns, {context}"}]

    def anything(turns: Sequence[Turn], **rest: Any) -> list[dict[str, Any]]:
        return [{"content": rest["context"]}]

    assert CallbackExtractor(keyword).extract(TURNS, context="in Rome")[0].content == "3 turns, in Rome"
    assert CallbackExtractor(anything).extract(TURNS, context="in Oslo")[0].content == "in Oslo"
    assert finding({"content": "x"}).extract(TURNS, context="in Rome")[0].content == "x"


def test_no_turns_and_no_facts_are_no_entries():
    assert finding().extract(TURNS) == []
    assert finding({"content": "x"}).extract([])[0].source_turns == ()


@pytest.mark.parametrize("fact", [{}, {"tags": ["a"]}, {"content": None}, {"content": ""}])
def test_a_fact_without_content_is_refused(fact: dict[str, Any]):
    with pytest.raises(ValueError, match="content"):
        finding(fact).extract(TURNS)


def test_an_unknown_key_is_named():
    with pytest.raises(ValueError, match="'importance', 'mood'"):
        finding({"content": "x", "importance": 3, "mood": "good"}).extract(TURNS)


def test_odd_results_are_refused():
    for odd in ("text", {"content": "x"}, None, 3):
        with pytest.raises(TypeError, match="extract_fn returned"):
            CallbackExtractor(lambda turns, odd=odd: odd).extract(TURNS)
    with pytest.raises(TypeError, match="str in its list"):
        finding("text").extract(TURNS)
    with pytest.raises(TypeError, match="content"):
        finding({"content": 3}).extract(TURNS)
    with pytest.raises(TypeError, match="tags"):
        finding({"content": "x", "tags": "taste"}).extract(TURNS)
    with pytest.raises(ValueError, match="dream"):
        finding({"content": "x", "memory_type": "dream"}).extract(TURNS)
    with pytest.raises(ValueError, match="relevance_score"):
        finding({"content": "x", "relevance_score": 2}).extract(TURNS)
    with pytest.raises(TypeError, match="extract_fn"):
        CallbackExtractor("text")  # type: ignore[arg-type]


def test_an_error_of_the_function_is_passed_on():
    def failing(turns: Sequence[Turn]) -> list[dict[str, Any]]:
        raise LookupError("no model")

    with pytest.raises(LookupError, match="no model"):
        CallbackExtractor(failing).extract(TURNS)
