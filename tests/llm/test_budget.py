"""The daily budget of a scope for models is counted in the store and checked before each call."""

from __future__ import annotations

import json
import logging
from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.llm.asker import Budget, Spent
from engrain.llm.client import Usage
from engrain.model.memory import Scope
from engrain.model.results import Consolidation
from engrain.testing import FrozenClock, ScriptedLLM


def model(prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
    return json.dumps([{"fact": "Ana likes tea."}])


def opened(
    place: Path, clock: FrozenClock, budget: dict[str, int] | None, llm: ScriptedLLM, user: str = "ana"
) -> MemoryManager:
    settings = Settings(worker="none", llm_budget=budget)
    return MemoryManager(place / "memory.db", user=user, clock=clock, settings=settings, llm=llm)


def fill(memory: MemoryManager, count: int) -> None:
    for n in range(count):
        memory.remember(f"I like tea, cup {n}.", session=f"s{n}", source_type="user_input")


def test_over_the_budget_nothing_is_asked_and_the_rest_waits(
    tmp_path: Path, clock: FrozenClock, caplog: pytest.LogCaptureFixture
) -> None:
    llm = ScriptedLLM(model)
    with opened(tmp_path, clock, {"calls": 2}, llm) as memory:
        fill(memory, 5)
        outcome = memory.consolidate()
        assert (outcome.processed, outcome.failed, outcome.paused) == (2, 0, True)
        with caplog.at_level(logging.WARNING, logger="engrain"):
            assert memory.consolidate() == Consolidation(paused=True)
        assert "budget" in caplog.text
        assert len(llm.calls) == 2


def test_the_next_day_it_goes_on(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(model)
    with opened(tmp_path, clock, {"calls": 2}, llm) as memory:
        fill(memory, 3)
        assert memory.consolidate().paused
        clock.advance(timedelta(days=1))
        outcome = memory.consolidate()
        assert (outcome.processed, outcome.paused) == (1, False)


def test_usage_survives_a_restart_and_adds_up(tmp_path: Path, clock: FrozenClock) -> None:
    first, second = ScriptedLLM(model), ScriptedLLM(model)
    with opened(tmp_path, clock, {"calls": 3}, first) as memory:
        fill(memory, 2)
        memory.consolidate()
    with opened(tmp_path, clock, {"calls": 3}, second) as memory:
        fill(memory, 4)
        assert memory.consolidate().paused
    assert (len(first.calls), len(second.calls)) == (2, 1)


def test_each_user_has_a_budget_of_their_own(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(model)
    with opened(tmp_path, clock, {"calls": 1}, llm) as ana:
        fill(ana, 2)
        assert ana.consolidate().paused
        with opened(tmp_path, clock, {"calls": 1}, llm, user="bob") as bob:
            fill(bob, 1)
            assert bob.consolidate().processed == 1


def test_a_prompt_that_the_tokens_left_do_not_hold_is_not_sent(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(model)
    with opened(tmp_path, clock, {"tokens": 5}, llm) as memory:
        fill(memory, 1)
        assert memory.consolidate() == Consolidation(paused=True)
    assert llm.calls == []


@pytest.mark.parametrize("counts", [True, False])
def test_tokens_are_those_that_the_model_counts_else_the_tokenizers(
    tmp_path: Path, clock: FrozenClock, counts: bool
) -> None:
    class Counting(ScriptedLLM):
        usage: Usage | None = Usage() if counts else None

        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            if self.usage is not None:
                self.usage = Usage(1, 5000, 40)
            return super().complete(prompt, system=system, max_tokens=max_tokens)

    llm = Counting(model)
    with opened(tmp_path, clock, {"tokens": 5100}, llm) as memory:
        fill(memory, 2)
        assert memory.consolidate().paused is counts
        assert len(llm.calls) == (1 if counts else 2)


def test_without_a_budget_nothing_is_bound(tmp_path: Path, clock: FrozenClock) -> None:
    llm = ScriptedLLM(model)
    with opened(tmp_path, clock, None, llm) as memory:
        fill(memory, 5)
        assert memory.consolidate().processed == 5


def test_without_a_model_no_budget_is_spent(tmp_path: Path, clock: FrozenClock) -> None:
    settings = Settings(worker="none", llm_budget={"calls": 0})
    with MemoryManager(tmp_path / "memory.db", user="ana", clock=clock, settings=settings) as memory:
        fill(memory, 1)
        assert memory.consolidate().paused is False


def test_what_was_taken_too_much_is_given_back(tmp_path: Path, clock: FrozenClock) -> None:
    with opened(tmp_path, clock, {"tokens": 100}, ScriptedLLM(model)) as memory:
        budget = Budget(memory._engine, Scope("default", "ana"))
        taken = budget.reserve(90)
        with pytest.raises(Spent):
            budget.reserve(20)
        budget.settle("extract", taken, Usage(1, 25, 5))
        budget.reserve(20)
