"""`engrain doctor --llm` sends requests to the model and names its problems; without it nothing is sent."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.testing import LLMReply, LLMRequest, ScriptedLLMServer
from tests.cli.conftest import Run

GOOD: list[LLMReply | str] = ["Green.", LLMReply.json({"colour": "green"}, fenced=True)]


def look(run: Run, *words: object) -> dict[str, Any]:
    """Return the facts about the language model."""
    ran = run("doctor", *words, "--json")
    found: dict[str, Any] = json.loads(ran.out)
    assert ran.code == (0 if found["healthy"] else 1)
    assert isinstance(found["language_model"], dict)
    return found


def problem(run: Run, *words: object) -> tuple[str, str]:
    """Return the one problem that the doctor finds, and its advice."""
    (found,) = look(run, *words)["problems"]
    return found["what"], found["advice"]


def failing(run: Run, monkeypatch: pytest.MonkeyPatch, *replies: LLMReply | str) -> tuple[str, str]:
    monkeypatch.setenv("ENGRAIN_LLM_RETRIES", "0")
    with ScriptedLLMServer(replies) as server:
        return problem(run, "--llm", server.llm)


def test_a_healthy_model(run: Run, store: Path) -> None:
    run("remember", "Ana lives in Boston")
    with ScriptedLLMServer(GOOD) as server:
        facts = look(run, "--llm", server.llm)["language_model"]
        assert (facts["in_force"], facts["source"]) == ("openai:scripted", "--llm")
        assert (facts["answers"], facts["json"], facts["calls"]) == (True, True, 2)
        assert facts["tokens"] == {"input": server.usage.input_tokens, "output": server.usage.output_tokens}
        assert facts["today"] == {"calls": 2, "tokens": server.usage.tokens}
        assert (facts["seconds"] > 0, facts["budget"]) == (True, None)
        assert "green" in server.calls[0].prompt
    with MemoryManager(store, embedder=None) as memory:
        assert memory.stats().llm["by"]["trial"]["calls"] == 2


def test_it_is_not_asked_without_the_option(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedLLMServer([]) as server:
        monkeypatch.setenv("ENGRAIN_LLM", server.llm)
        run("remember", "Ana lives in Boston", "--session", "s1")
        facts = look(run)["language_model"]
        assert (facts["in_force"], facts["source"], facts["today"]) == (
            "openai:scripted",
            "ENGRAIN_LLM",
            {"calls": 0, "tokens": 0},
        )
        assert json.loads(run("--llm", server.llm, "doctor", "--json").out)["language_model"]["source"] == "--llm"
        assert server.calls == ()


@pytest.mark.parametrize("where", ["environment", "before", "after"])
def test_the_model_comes_from_the_environment_or_an_option(
    run: Run, monkeypatch: pytest.MonkeyPatch, where: str
) -> None:
    with ScriptedLLMServer(GOOD) as server:
        if where == "environment":
            monkeypatch.setenv("ENGRAIN_LLM", server.llm)
        words = {"environment": ["doctor", "--llm"], "before": ["--llm", server.llm, "doctor", "--llm"]}
        ran = run(*words.get(where, ["doctor", "--llm", server.llm]))
        assert (ran.code, len(server.calls)) == (0, 2), ran.out
    assert "in force  openai:scripted" in ran.out
    assert "all is well" in ran.out


def test_a_store_that_does_not_exist_yet_is_not_made(run: Run, store: Path) -> None:
    with ScriptedLLMServer(GOOD) as server:
        assert look(run, "--llm", server.llm)["healthy"]
    assert not store.exists()


def test_none_is_configured(run: Run) -> None:
    assert look(run)["language_model"] == {"in_force": None, "source": "default"}
    what, advice = problem(run, "--llm")
    assert what == "no language model is configured"
    assert "ENGRAIN_LLM" in advice


@pytest.mark.parametrize(
    ("name", "what", "advice"),
    [
        ("small", "write 'provider:model'", "correct ENGRAIN_LLM or --llm"),
        ("nobody:model", "there is no language model nobody:model", "correct ENGRAIN_LLM or --llm"),
        ("openai:gpt-5-mini", "need OPENAI_API_KEY in the environment", "correct ENGRAIN_LLM or --llm"),
        ("mistral:small", 'pip install "pydantic-ai-slim[mistral]"', "install it, or name another"),
    ],
)
def test_a_name_that_cannot_work(run: Run, monkeypatch: pytest.MonkeyPatch, name: str, what: str, advice: str) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    found = problem(run, "--llm", name)
    assert what in found[0]
    assert advice in found[1]
    assert look(run, "--llm", name)["embedder"]["in_force"] is None  # all else is looked at


def test_a_library_that_is_missing(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    what, advice = problem(run, "--llm", "openai:model@http://localhost:1/v1")
    assert 'pip install "engrain[llm]"' in what
    assert "leave ENGRAIN_LLM empty" in advice


@pytest.mark.parametrize(
    ("reply", "what", "advice"),
    [
        (LLMReply.failed(401), "answered 401: check the key", "OPENAI_BASE_URL"),
        (LLMReply.failed(403), "the key may not do this", "what the key may do"),
        (LLMReply.failed(404), "no such model", "GET /v1/models"),
        (LLMReply.failed(429, "insufficient_quota"), "quota is spent", "the account at the provider"),
        (LLMReply.failed(402), "quota is spent", "the account at the provider"),
        (LLMReply.failed(429), "asked too often", "wait a while"),
        (LLMReply.failed(500), "answered 500", "see the server's log"),
        (LLMReply.dropped(), "could not be reached", "start the server"),
        (LLMReply.no_json(), "cannot be read", "ends in /v1"),
        (LLMReply.refused(), "refused", "refuses harmless questions"),
        (LLMReply.empty(), "answered nothing", "name another model"),
    ],
)
def test_a_model_that_fails(run: Run, monkeypatch: pytest.MonkeyPatch, reply: LLMReply, what: str, advice: str) -> None:
    found = failing(run, monkeypatch, reply)
    assert what in found[0]
    assert advice in found[1]


def test_a_server_that_is_not_there_and_one_that_is_slow(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_LLM_TIMEOUT", "0.5")
    what, advice = failing(run, monkeypatch, LLMReply.said("Green.").late(30))
    assert "did not answer within" in what
    assert "ENGRAIN_LLM_TIMEOUT" in advice
    with ScriptedLLMServer([]) as server:
        pass
    what, advice = problem(run, "--llm", server.llm)
    assert "could not be reached" in what
    assert "start the server" in advice


def test_a_model_that_answers_without_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    what, advice = failing(run, monkeypatch, "Green.", "It is green, of course.")
    assert what == "openai:scripted answers, but not in the JSON that it is asked for"
    assert "follows instructions" in advice


def test_a_budget_that_is_spent(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "Ana lives in Boston")
    monkeypatch.setenv("ENGRAIN_LLM_BUDGET", "calls=1")
    with ScriptedLLMServer(GOOD) as server:
        found = look(run, "--llm", server.llm)
        assert len(server.calls) == 1
    (wrong,) = found["problems"]
    assert "does not reach for another call today" in wrong["what"]
    assert "ENGRAIN_LLM_BUDGET" in wrong["advice"]
    assert found["language_model"]["today"]["calls"] == found["language_model"]["budget"]["calls"] == 1
    assert (found["language_model"]["answers"], found["language_model"]["json"]) == (True, False)


def test_stats_show_what_was_asked(run: Run) -> None:
    run("remember", "Ana lives in Boston")
    assert "language model" not in run("stats").out

    def reply(request: LLMRequest) -> LLMReply:
        return LLMReply.said('{"colour": "green"}', usage=(70, 30))

    with ScriptedLLMServer(reply) as server:
        run("doctor", "--llm", server.llm)
        shown = " ".join(run("stats", "--llm", server.llm).out.split())
    assert "openai:scripted · 2 calls (trial 2), 0 failed · 140 tokens in, 60 out" in shown
    assert "today 2 calls and 200 tokens" in shown
    assert run("stats", "--json").document["llm"]["by"]["trial"]["input_tokens"] == 140
