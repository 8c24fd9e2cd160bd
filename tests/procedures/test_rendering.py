"""Procedures in a prompt: numbered steps, never over the budget, and what is missing is said."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import MemoryManager, Procedure, ProcedureStep
from engrain.lifecycle.procedures import render
from engrain.model.memory import Memory, Scope
from engrain.text import OfflineTokenizer
from engrain.write.prepare import text_of

STEPS = [{"action": f"turn screw number {number} by half a turn"} for number in range(1, 31)]


@pytest.fixture
def workshop(memory: MemoryManager) -> MemoryManager:
    """A memory that knows a long and a short procedure about screws."""
    memory.procedures.store({"name": "Mount the shelf with screws", "steps": STEPS})
    memory.procedures.store({"name": "Count the screws", "steps": [{"action": "count the screws"}]})
    return memory


def test_steps_are_numbered(workshop: MemoryManager) -> None:
    shown = workshop.procedures.render("mount the shelf with screws", token_budget=4000)
    assert shown.startswith("## Procedures (2)\n\n### [1] mem_")
    assert "\n1. turn screw number 1 by half a turn\n2. turn screw" in shown
    assert "\n30. turn screw number 30 by half a turn\n```" in shown


@pytest.mark.parametrize("budget", [0, 10, 40, 60, 80, 120, 200, 400, 1000])
def test_the_budget_holds(workshop: MemoryManager, budget: int) -> None:
    shown = workshop.procedures.render("mount the shelf with screws", token_budget=budget)
    assert workshop._engine.tokenizer.count_tokens(shown) <= budget


def test_a_whole_one_is_shown_before_a_part_of_the_best(workshop: MemoryManager) -> None:
    shown = workshop.procedures.render("mount the shelf with screws", token_budget=120)
    assert shown.startswith("## Procedures (1 of 2, limited by the token budget)")
    assert "Count the screws" in shown


def test_where_none_fits_the_best_is_cut_after_a_step(memory: MemoryManager) -> None:
    memory.procedures.store({"name": "Mount the shelf", "steps": STEPS})
    shown = memory.procedures.render("mount the shelf", token_budget=150)
    assert "2. turn screw number 2 by half a turn\n" in shown
    assert "more steps, limited by the token budget]" in shown
    assert memory._engine.tokenizer.count_tokens(shown) <= 150


def test_nothing_is_shown_where_nothing_fits_the_task_or_the_budget(workshop: MemoryManager) -> None:
    assert workshop.procedures.render("a poem about the moon") == ""
    assert workshop.procedures.render("mount the shelf with screws", token_budget=20) == ""
    with pytest.raises(ValueError, match="negative"):
        workshop.procedures.render("mount the shelf", token_budget=-1)


def test_an_edited_text_is_shown_as_it_is(memory: MemoryManager) -> None:
    kept = memory.procedures.store({"name": "Mount the shelf", "steps": [{"action": "use screws"}]})
    memory.update(kept.id, content="Mount the shelf\n1. use glue")
    assert "1. use glue" in memory.procedures.render("mount the shelf")


@given(st.text(max_size=60).filter(lambda text: text.strip()), st.integers(0, 200))
def test_any_text_stays_inside_its_fence(action: str, budget: int) -> None:
    procedure = Procedure(name="Brew tea", steps=(ProcedureStep(action=action),) * 3)
    now, tokenizer = datetime.now(UTC), OfflineTokenizer()
    memory = Memory(
        id="mem_1",
        content=text_of(procedure),
        scope=Scope(),
        recorded_at=now,
        updated_at=now,
        valid_from=now,
        procedure=procedure,
    )
    shown = render([memory], tokenizer, budget)
    assert tokenizer.count_tokens(shown) <= budget
    if shown:
        fence = shown.splitlines()[3]
        assert set(fence) == {"`"}
        assert shown.splitlines()[4:].count(fence) == 1
