"""What stands on the account of a scope: over midnight, after broken-off calls, odd counters, lost stores, forks."""

from __future__ import annotations

import os
import threading
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.errors import ProviderError
from engrain.llm.asker import Budget, DayCounts, Spent, asker
from engrain.llm.client import Usage
from engrain.model.memory import Scope
from engrain.testing import FrozenClock, LLMReply, ScriptedLLM, ScriptedLLMServer
from tests.llm.asked import PlainLLM, account, asking, today

# ----------------------------------------------------------------------------------------------------------- the day


def test_a_call_over_midnight_neither_frees_nor_takes_the_budget_of_the_new_day(clock: FrozenClock) -> None:
    with asking(ScriptedLLM([]), clock=clock, llm_budget={"tokens": 100}) as model:
        budget = Budget(model._engine, Scope("default", "ana"))
        late, unknown = budget.reserve(40), budget.reserve(40)
        clock.advance(timedelta(days=1))
        budget.reserve(90)
        budget.settle("extract", late, Usage(1, 5, 5))
        budget.settle("extract", unknown, Usage(1, 5, 5), ProviderError("who knows", timed_out=True))
        assert today(model) == DayCounts(1, 90)
        with pytest.raises(Spent):
            budget.reserve(11)
        assert account(model)["total"]["calls"] == 2


def test_a_call_that_is_settled_before_anybody_asks_on_the_new_day_leaves_that_day_whole(clock: FrozenClock) -> None:
    with asking(ScriptedLLM([]), clock=clock, llm_budget={"calls": 1}) as model:
        budget = Budget(model._engine, Scope("default", "ana"))
        late = budget.reserve(40)
        clock.advance(timedelta(days=1))
        budget.settle("extract", late, Usage(1, 5, 5))
        assert today(model) == DayCounts()
        budget.reserve(40)


def test_clocks_on_both_sides_of_midnight_do_not_fill_the_budget_again(clock: FrozenClock) -> None:
    with asking(ScriptedLLM([]), clock=clock, llm_budget={"calls": 2}) as model:
        budget = Budget(model._engine, Scope("default", "ana"))
        for hours in (24, -24):
            clock.advance(timedelta(hours=hours))
            budget.reserve(1)
        for hours in (24, -24):
            clock.advance(timedelta(hours=hours))
            with pytest.raises(Spent):
                budget.reserve(1)


# ------------------------------------------------------------------------------------------------------- broken off


def test_a_call_that_is_broken_off_stays_on_the_account_and_lets_the_next_one_in() -> None:
    class Interrupted(ScriptedLLM):
        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            if not self.calls:
                self.calls.append(None)  # type: ignore[arg-type]
                raise KeyboardInterrupt
            return "Yes."

    with asking(Interrupted([]), llm_concurrency=1, timeout=0.5) as model:
        with pytest.raises(KeyboardInterrupt):
            model.complete("tea", max_tokens=9)
        assert account(model)["tokens"] == 1 + 16 + 9
        assert account(model)["by"]["extract"]["failed"] == 1
        assert model.complete("tea") == "Yes."


def test_a_call_during_which_its_user_is_erased_brings_nothing_back(tmp_path: Path) -> None:
    class Erasing(ScriptedLLM):
        memory: MemoryManager

        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            self.memory.forget_all(user="ana", hard=True)
            return "Yes."

    llm = Erasing([])
    with MemoryManager(tmp_path / "m.db", user="ana", llm=llm, settings=Settings(worker="none")) as memory:
        memory.remember("Ana likes tea.")
        llm.memory = memory
        model = asker(memory._engine, memory.scope, "extract")
        assert model is not None
        assert model.complete("tea") == "Yes."
        assert account(model) == {}


def test_the_erasure_of_a_user_removes_what_was_counted_and_of_nobody_else(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "m.db", llm=ScriptedLLM(["Yes."] * 2)) as memory:
        for user in ("ana", "bob"):
            memory.scoped(user=user).remember("I like tea.")
            model = asker(memory._engine, Scope("default", user), "extract")
            assert model is not None
            model.complete("tea")
        receipt = memory.forget_all(user="ana", hard=True).receipt
        assert model is not None
        assert receipt is not None
        assert receipt.removed["settings"] == 1
        assert (account(model), account(model, "bob")["calls"]) == ({}, 1)


# ---------------------------------------------------------------------------------------------------- odd counters


@dataclass(eq=True)  # which makes it unhashable, and so no key of anything
class Counting:
    """A model whose counter does as it is asked."""

    steps: list[Usage]
    usage: Usage = field(default_factory=Usage)

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        self.usage = self.steps.pop(0)
        return "Yes."


def test_a_counter_that_goes_back_or_stays_frees_nothing() -> None:
    steps = [Usage(1, 500, 40), Usage(0, 3, 1), Usage(0, 3, 1), Usage(1, 503, 41)]
    with asking(Counting(steps), llm_budget={"tokens": 10_000}) as model:
        took = []
        for _ in range(4):
            before = account(model).get("tokens", 0)
            model.complete("tea")
            took.append(account(model)["tokens"] - before)
    by_the_tokenizer = 1 + 16 + 2
    assert took == [540, by_the_tokenizer, by_the_tokenizer, 540]


def test_a_model_that_counts_for_all_is_asked_by_one_after_another() -> None:
    @dataclass
    class Busy(Counting):
        inside: int = 0
        most: int = 0

        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            self.inside += 1
            self.most = max(self.most, self.inside)
            threading.Event().wait(0.005)
            self.usage += Usage(1, 10, len(prompt))
            self.inside -= 1
            return "Yes."

    llm = Busy([])
    with asking(llm) as model:
        threads = [threading.Thread(target=model.complete, args=("x" * n,)) for n in range(1, 9)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert model.usage == llm.usage == Usage(8, 80, 36)
    assert llm.most == 1


def test_a_model_that_fails_is_charged_what_its_counter_moved() -> None:
    class Failing(Counting):
        def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            super().complete(prompt)
            raise ValueError(prompt)

    with asking(Failing([Usage(1, 500, 40)])) as model:
        with pytest.raises(ProviderError, match=r"gave no answer \(ValueError\)") as caught:
            model.complete("a secret prompt")
        assert "secret" not in str(caught.value)
        assert model.usage == Usage(1, 500, 40)


@pytest.mark.parametrize("answer", ["", " \n", None, 7])
def test_a_model_that_says_nothing_gave_no_answer(answer: Any) -> None:
    with asking(ScriptedLLM([answer])) as model:
        with pytest.raises(ProviderError, match="gave no answer"):
            model.complete("tea")
        assert account(model)["by"]["extract"]["failed"] == 1


def test_a_failure_of_ones_own_may_be_said_to_pass() -> None:
    once = ProviderError("busy with a secret", transient=True, retry_after=0.001)
    with asking(ScriptedLLM([once, "Yes."])) as model:
        assert model.complete("tea") == "Yes."
        assert model.usage.calls == 2


# ------------------------------------------------------------------------------------------------------ the store


def test_a_store_that_is_read_only_is_counted_on_top_of_what_it_holds(tmp_path: Path) -> None:
    llm = ScriptedLLM(["Yes."] * 3)
    with asking(llm, place=tmp_path / "m.db", llm_budget={"calls": 3}) as model:
        model.complete("tea")
        vars(model._engine.store)["read_only"] = True
        for _ in range(2):
            model.complete("tea")
        with pytest.raises(Spent, match="another call today .UTC.: 3 calls"):
            model.complete("tea")
        assert account(model)["calls"] == 1
    assert len(llm.calls) == 3


def test_where_nothing_can_be_written_a_budget_is_kept_by_not_asking(tmp_path: Path) -> None:
    for budget, answers in (({"calls": 3}, False), (None, True)):
        llm = ScriptedLLM(["Yes."])
        with asking(llm, place=tmp_path / "m.db", llm_budget=budget) as model:
            model._engine.store.close()
            if answers:
                assert model.complete("tea") == "Yes."
                continue
            with pytest.raises(ProviderError, match="what is left of the language model's budget is not known"):
                model.complete("tea")
            assert llm.calls == []


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here")
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("counts", [True, False])
def test_a_child_forked_during_a_read_has_a_turn_of_its_own(tmp_path: Path, counts: bool) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def reply(request: Any) -> LLMReply:
        asked.set()
        go_on.wait(20)
        return LLMReply.said("Yes.")

    class Waiting(PlainLLM):
        usage = Usage(0, 1, 1) if counts else None

    with (
        ScriptedLLMServer(reply) as server,
        asking(Waiting(server.url), place=tmp_path / "m.db", llm_concurrency=1, timeout=10) as model,
    ):
        thread = threading.Thread(target=model.complete, args=("tea",))
        thread.start()
        assert asked.wait(20)
        child = os.fork()
        if child == 0:
            model._llm = ScriptedLLM(["Yes."])
            os._exit(0 if model.complete("tea") == "Yes." else 1)
        _, status = os.waitpid(child, 0)
        go_on.set()
        thread.join()
        assert status == 0
        assert account(model)["calls"] == 2
