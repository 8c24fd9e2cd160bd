"""Budgets and limits of concurrent calls apply to all concurrent callers; the server is the judge."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain.errors import ProviderError
from engrain.llm.asker import Asker, Spent
from engrain.testing import LLMReply, LLMRequest, ScriptedLLMServer
from engrain.text import OfflineTokenizer
from tests.llm.asked import PlainLLM, account, asking

ROOT = Path(__file__).resolve().parents[2]
SENT, ANSWER = 40, 60
"""Tokens of a question, as the server counts, and those that an answer may have."""
PROMPT = "tea " * SENT

CHILD = """
import sys
from pathlib import Path
from tests.llm.asked import PlainLLM, asking
from tests.llm.test_at_once import BUDGETS, spend

place, *urls = sys.argv[1:]
for url, (name, most) in zip(urls, BUDGETS, strict=True):
    with asking(PlainLLM(url), place=Path(place), user=name, llm_budget={name: most}) as model:
        print(spend(model))
"""
BUDGETS = (("calls", 40), ("tokens", 4_700))


def spend(model: Asker) -> int:
    """Ask until the budget is spent; return how many answers came."""
    answers = 0
    while True:
        try:
            model.complete(PROMPT, max_tokens=ANSWER)
            answers += 1
        except Spent:
            return answers


def reply(request: LLMRequest) -> LLMReply:
    """Answer with as many tokens as there may be."""
    text = "yes " * (request.max_tokens or 0)
    return LLMReply.said(text[:-1]).late(0.002)


@pytest.fixture(autouse=True)
def counts() -> None:
    count = OfflineTokenizer().count_tokens
    assert (count(PROMPT), count("yes " * ANSWER)) == (SENT, ANSWER)


def held_to(server: ScriptedLLMServer, name: str, most: int, answers: int) -> None:
    """Hold what the server saw to the budget: never more, and nothing of it lost."""
    if name == "calls":
        assert server.usage.calls == answers == most
    else:
        assert server.usage.tokens <= most
        assert server.usage.calls == answers
        assert most - answers * (SENT + 16 + ANSWER) < SENT + 16 + ANSWER


@pytest.mark.parametrize(("name", "most"), BUDGETS)
def test_sixteen_threads_spend_a_budget_and_no_more(tmp_path: Path, name: str, most: int) -> None:
    with (
        ScriptedLLMServer(reply) as server,
        asking(PlainLLM(server.url), place=tmp_path / "m.db", llm_budget={name: most}, llm_concurrency=3) as model,
        ThreadPoolExecutor(16) as threads,
    ):
        answers = sum(threads.map(lambda _: spend(model), range(16)))
        held_to(server, name, most, answers)
        assert server.most_at_once <= 3
        held = account(model)
        assert held["total"]["calls"] == held["calls"] == model.usage.calls == server.usage.calls
        assert held["tokens"] == model.usage.tokens == server.usage.tokens + 16 * server.usage.calls


@pytest.mark.slow
def test_four_processes_spend_a_budget_and_no_more(tmp_path: Path) -> None:
    place = tmp_path / "m.db"
    with ScriptedLLMServer(reply) as one, ScriptedLLMServer(reply) as other, asking(PlainLLM(""), place=place) as model:
        words = [sys.executable, "-c", CHILD, str(place), one.url, other.url]
        children = [subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) for _ in range(4)]
        answers = [map(int, child.communicate()[0].split()) for child in children]
        assert [child.returncode for child in children] == [0] * 4
        for server, (name, most), came in zip((one, other), BUDGETS, zip(*answers, strict=True), strict=True):
            held_to(server, name, most, sum(came))
            held = account(model, name)
            assert held["total"]["calls"] == held["calls"] == server.usage.calls
            assert held["tokens"] == server.usage.tokens + 16 * server.usage.calls


def test_a_named_model_is_held_to_calls_tokens_and_turns_too() -> None:
    with (
        ScriptedLLMServer(reply) as server,
        asking(server.llm, llm_budget={"calls": 12, "tokens": 100_000}, llm_concurrency=2) as model,
        ThreadPoolExecutor(6) as threads,
    ):
        answers = sum(threads.map(lambda _: spend(model), range(6)))
        held_to(server, "calls", 12, answers)
        assert server.most_at_once <= 2
        assert model.usage == server.usage
        assert account(model)["tokens"] == server.usage.tokens


def test_retries_are_calls_of_the_budget() -> None:
    def fails(request: LLMRequest) -> LLMReply:
        return LLMReply({"error": {}}, 500, {"Retry-After-Ms": "1"})

    with ScriptedLLMServer(fails) as server, asking(server.llm, llm_budget={"calls": 2}, llm_retries=5) as model:
        with pytest.raises(Spent):
            model.complete("tea")
        assert server.usage.calls == model.usage.calls == 2


def test_a_timed_out_wait_is_reported_and_costs_nothing() -> None:
    def slow(request: LLMRequest) -> LLMReply:
        return LLMReply.said("Yes.").late(1.0)

    with (
        ScriptedLLMServer(slow) as server,
        asking(PlainLLM(server.url), llm_concurrency=1, timeout=0.3) as model,
        ThreadPoolExecutor(1) as thread,
    ):
        first = thread.submit(model.complete, "tea")
        while not server.calls:
            pass
        with pytest.raises(ProviderError, match="asked by too many at once"):
            model.complete("tea")
        assert first.result() == "Yes."
        assert account(model)["calls"] == len(server.calls) == 1
