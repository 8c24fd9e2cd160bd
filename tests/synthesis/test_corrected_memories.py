"""Answers after what was learnt from a conversation has been edited or replaced by hand."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engrain import MemoryManager
from engrain.model.memory import Kind, Memory, SourceType

TURN = "It went up again. The rent is 780 euros a month."
QUESTION = "How much is the rent?"


@pytest.fixture
def memory() -> Iterator[MemoryManager]:
    """A conversation, consolidated: the turn, and what was learnt from it."""
    with MemoryManager(":memory:", llm="none", user="maren") as manager:
        manager.remember_messages([{"role": "user", "content": TURN, "at": "2025-03-25T21:06:25+00:00"}], session="a")
        manager.end_session("a")
        yield manager


def learnt(memory: MemoryManager) -> Memory:
    """Return what was learnt from the turn."""
    (found,) = (each for each in memory.iter_memories() if each.kind is Kind.SEMANTIC)
    return found


def answer(memory: MemoryManager) -> str:
    """Return the answer to the question."""
    return str(memory.synthesize(QUESTION).synthesis["answer"])


def test_an_edit_reads_the_fact_again(memory: MemoryManager) -> None:
    edited = memory.update(learnt(memory).id, content="The rent is 870 euros a month.")
    assert edited.fact is not None
    assert edited.fact.object == "870 euros"
    assert answer(memory) == "870 euros"


@pytest.mark.parametrize("edited", [False, True])
def test_a_replacement_answers_and_not_the_turn_it_came_from(memory: MemoryManager, *, edited: bool) -> None:
    old = learnt(memory)
    if edited:
        memory.update(old.id, content="The rent is 870 euros a month.")
    new = memory.supersede(old.id, "The rent is 900 euros a month.", valid_from="2025-06-01").memory
    assert answer(memory) == "900 euros"
    assert new.fact is not None
    assert (new.fact.subject, new.fact.object) == ("rent", "900 euros")
    assert new.source.type is old.source.type is SourceType.USER_INPUT


@pytest.mark.parametrize("content", [None, 7, "", "  "])
def test_a_replacement_without_text_is_refused_as_any_write_is(memory: MemoryManager, content: object) -> None:
    with pytest.raises((TypeError, ValueError)) as refused:
        memory.supersede(learnt(memory).id, content)  # type: ignore[arg-type]
    assert "content" in str(refused.value)
    assert answer(memory) == "780 euros"


def test_a_given_fact_stays_when_the_text_changes(memory: MemoryManager) -> None:
    kept = memory.remember("The rent is 12 euros a square metre.", fact=("flat", "price", "12 euros")).memory
    edited = memory.update(kept.id, content="The rent is 13 euros a square metre.")
    assert edited.fact == kept.fact


def test_a_replacement_of_an_agents_memory_is_an_agents(memory: MemoryManager) -> None:
    old = memory.remember("The boiler is serviced in May.").memory
    assert memory.supersede(old.id, "The boiler is serviced in June.").memory.source.type is SourceType.LLM_GENERATED


def test_a_replacement_from_a_less_trusted_source_does_not_answer(memory: MemoryManager) -> None:
    memory.supersede(learnt(memory).id, "The rent is 50 euros a month.", source_type="external_data")
    assert answer(memory) == "780 euros"
