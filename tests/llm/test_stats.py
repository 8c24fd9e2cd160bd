"""`stats().llm` reports the calls of models by scope, and nothing of other scopes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, ProviderError, Settings
from engrain.llm.asker import asker
from engrain.model.memory import Scope
from engrain.testing import FrozenClock, LLMReply, ScriptedLLM, ScriptedLLMServer

BUDGET = {"calls": 9, "tokens": 9_000}


def ask(memory: MemoryManager, org: str, user: str | None, use: str = "extract", times: int = 1) -> None:
    model = asker(memory._engine, Scope(org, user), use)
    assert model is not None
    for _ in range(times):
        model.complete("tea")


def opened(place: Path, clock: FrozenClock | None = None, **more: Any) -> MemoryManager:
    more.setdefault("settings", Settings(worker="none", llm_budget=BUDGET))
    return MemoryManager(place / "m.db", embedder=None, clock=clock, **more)


def test_without_a_model_and_without_calls_it_is_empty(tmp_path: Path) -> None:
    with opened(tmp_path) as memory:
        assert memory.stats().llm == memory.stats()["llm"] == {}


def test_it_shows_calls_failures_and_tokens_by_use(tmp_path: Path, clock: FrozenClock) -> None:
    script = [LLMReply.said("Yes.", usage=(70, 30)), LLMReply.said("No.", usage=(7, 3)), LLMReply.failed(401)]
    with ScriptedLLMServer(script) as server, opened(tmp_path, clock, llm=server.llm, user="ana") as memory:
        assert memory.stats().llm["calls"] == 0
        ask(memory, "default", "ana")
        ask(memory, "default", "ana", "reflect")
        with pytest.raises(ProviderError):
            ask(memory, "default", "ana", "reflect")
        assert memory.stats().llm == {
            "model": "openai:scripted",
            "calls": 3,
            "failed": 1,
            "input_tokens": 77,
            "output_tokens": 33,
            "by": {
                "extract": {"calls": 1, "failed": 0, "input_tokens": 70, "output_tokens": 30},
                "reflect": {"calls": 2, "failed": 1, "input_tokens": 7, "output_tokens": 3},
            },
            "today": {"calls": 3, "tokens": 110},
            "budget": BUDGET,
        }
        clock.advance(timedelta(days=1))
        stored = memory.stats().llm
        assert (stored["calls"], stored["today"]) == (3, {"calls": 0, "tokens": 0})


def test_what_was_asked_is_reported_when_no_model_is_in_force_any_more(tmp_path: Path) -> None:
    with opened(tmp_path, llm=ScriptedLLM(["Yes."])) as memory:
        ask(memory, "default", None)
    with opened(tmp_path, settings=Settings(worker="none")) as memory:
        stored = memory.stats().llm
    assert (stored["model"], stored["calls"], stored["budget"]) == (None, 1, None)


def test_each_view_is_notified_of_its_own_writes(tmp_path: Path) -> None:
    people = [("acme", "ana", 1), ("acme", "bob", 2), ("acme", None, 4), ("acme2", "ana", 8), ('acme", "x', "y", 16)]
    with opened(tmp_path, llm=ScriptedLLM(["Yes."] * 31), settings=Settings(worker="none")) as memory:
        for org, user, times in people:
            ask(memory, org, user, times=times)

        def calls(org: str, user: str | None, agent: str | None = None) -> int:
            stored = memory.for_org(org).scoped(user=user, agent=agent).stats().llm
            assert stored["calls"] == stored["by"].get("extract", {}).get("calls", 0) == stored["today"]["calls"]
            return int(stored["calls"])

        assert (calls("acme", "ana"), calls("acme", "bob"), calls("acme", "eve")) == (1, 2, 0)
        assert calls("acme", "ana", "helper") == 1
        assert (calls("acme", None), calls("acme2", None), calls("none", None)) == (7, 8, 0)
        assert calls('acme", "x', None) == 16


def test_a_read_only_store_mentions_what_it_could_not_write_too(tmp_path: Path) -> None:
    with opened(tmp_path, llm=ScriptedLLM(["Yes."] * 3)) as memory:
        ask(memory, "default", "ana")
        vars(memory.store)["read_only"] = True
        ask(memory, "default", "ana", times=2)
        assert memory.scoped(user="ana").stats().llm["calls"] == memory.stats().llm["calls"] == 3
        assert memory.scoped(user="ana").stats().llm["today"]["calls"] == 3
