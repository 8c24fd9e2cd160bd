"""Each day has one budget, whatever the clocks of the machines that share a store say in turn."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from datetime import timedelta

from engrain.llm.asker import KEPT_DAYS, Budget, Spent
from engrain.llm.client import Usage
from engrain.model.memory import Scope
from engrain.testing import FrozenClock, ScriptedLLM
from tests.llm.asked import account, asking, today

WRONG = 1_000
"""Days that a clock is ahead which was set wrongly."""


def taken(clock: FrozenClock, days: list[int], calls: int) -> Counter[int]:
    """Ask twice on each of these days, counted from today; return how often the budget let it."""
    found = Counter[int]()
    with asking(ScriptedLLM([]), clock=clock, llm_budget={"calls": calls}) as model:
        budget, today = Budget(model._engine, Scope("default", "ana")), 0
        for day in days:
            clock.advance(timedelta(days=day - today))
            today = day
            for _ in range(2):
                with suppress(Spent):
                    budget.reserve(1)
                    found[day] += 1
            found.setdefault(day, 0)
        assert len(account(model).get("earlier", {})) <= KEPT_DAYS
    return found


def test_clocks_that_are_days_apart_do_not_fill_a_budget_again(clock: FrozenClock) -> None:
    assert taken(clock, [2, 0, 2, 0, 2, 1, 2, 4, 2, 4], calls=2) == {2: 2, 0: 2, 1: 0, 4: 2}


def test_who_comes_to_a_day_that_another_clock_has_spent_finds_it_spent(clock: FrozenClock) -> None:
    turns = [day + ahead for day in range(12) for ahead in (5, 0)]
    assert taken(clock, turns, calls=2) == {4: 0, **dict.fromkeys([*range(4), *range(5, 17)], 2)}


def test_a_clock_that_was_wrong_by_years_stops_nobody_and_has_one_budget(clock: FrozenClock) -> None:
    assert taken(clock, [0, WRONG, 0, WRONG, 1, 2], calls=2) == {0: 2, WRONG: 2, 1: 2, 2: 2}


def test_a_clock_that_was_wrong_for_long_leaves_today_counted(clock: FrozenClock) -> None:
    ahead = [WRONG + day for day in range(KEPT_DAYS + 9)]
    assert taken(clock, [*ahead, 0, 0, 0], calls=2)[0] == 2


def test_what_a_call_did_not_take_goes_back_to_the_day_it_was_asked_on(clock: FrozenClock) -> None:
    with asking(ScriptedLLM([]), clock=clock, llm_budget={"tokens": 100}) as model:
        budget = Budget(model._engine, Scope("default", "ana"))
        late = budget.reserve(80)
        clock.advance(timedelta(days=3))
        budget.reserve(50)
        budget.settle("extract", late, Usage(1, 5, 5))
        assert today(model).tokens == 50
        clock.advance(timedelta(days=-3))
        assert today(model).tokens == 10
