"""A paid model over real HTTP: each way in which it answers or fails, and the accounting."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

import pytest

from engrain.errors import ProviderError
from engrain.llm.client import NamedLLM, Usage
from engrain.llm.replies import ask_model, json_list, prompt
from engrain.testing import LLMReply, ScriptedLLMServer
from tests.llm.asked import account, asking

SOON = {"Retry-After-Ms": "1"}
SECRET = "a secret prompt"


@dataclass
class Said:
    """What the tests ask for."""

    fact: str


def passing(status: int) -> LLMReply:
    """Return a failure that is over in a moment."""
    return LLMReply({"error": {}}, status, SOON)


def facts(*replies: LLMReply | str) -> list[str]:
    """Return the facts that are read out of answers; all of them are given."""
    with ScriptedLLMServer(replies) as server, asking(server.llm) as model:
        found = ask_model(model, prompt("extract"), json_list(Said), record=SECRET)
        assert len(server.calls) == len(replies) == model.usage.calls
    return [each.fact for each in found]


# ------------------------------------------------------------------------------------------------------------ answers


def test_an_answer_is_counted_as_the_server_counts() -> None:
    more = LLMReply.said("More.", usage=(70, 30))
    with ScriptedLLMServer(["Good tea.", more]) as server, asking(server.llm) as model:
        assert model.complete("I like tea", system="Be kind", max_tokens=9) == "Good tea."
        assert model.complete("And cake") == "More."
        first, second = server.calls
        assert (first.prompt, first.system, first.max_tokens) == ("I like tea", "Be kind", 9)
        assert (second.system, second.max_tokens) == ("", 1000)
        held = account(model)
        assert model.usage == server.usage
    counts = {"calls": 2, "failed": 0, "input_tokens": 75, "output_tokens": 33}
    assert (held["calls"], held["tokens"]) == (2, 108)
    assert held["total"] == held["by"]["extract"] == counts


def test_a_server_that_counts_nothing_is_counted_for() -> None:
    with ScriptedLLMServer([LLMReply.said("Good tea.").uncounted()]) as server, asking(server.llm) as model:
        model.complete("I like tea")
        assert (model.usage.output_tokens, model.usage.input_tokens >= 3) == (3, True)


@pytest.mark.parametrize("fenced", [True, False])
def test_json_is_read_also_out_of_a_fence(fenced: bool) -> None:
    assert facts(LLMReply.json([{"fact": "Ana likes tea."}], fenced=fenced)) == ["Ana likes tea."]


def test_json_that_breaks_off_is_asked_for_once_more() -> None:
    assert facts(LLMReply.malformed(), LLMReply.json([{"fact": "Ana likes tea."}])) == ["Ana likes tea."]
    with pytest.raises(ProviderError, match="answered twice with nothing that can be read"):
        facts(LLMReply.malformed(), LLMReply.malformed())


def test_an_answer_that_was_cut_is_still_an_answer() -> None:
    with ScriptedLLMServer([LLMReply.cut("Ana likes te")]) as server, asking(server.llm) as model:
        assert model.complete("tea") == "Ana likes te"


# ----------------------------------------------------------------------------------------------------------- failures


@pytest.mark.parametrize(
    ("reply", "says", "tokens"),
    [
        (LLMReply.refused(), "refused to answer", "counted"),
        (LLMReply.empty(), "answered nothing", "counted"),
        (LLMReply.cut(""), "max_tokens were spent before it said anything", "counted"),
        (LLMReply.empty().uncounted(), "answered nothing", "all"),
        (LLMReply.too_long(), "the text is too long for this model: ask about less at once", "none"),
        (LLMReply.failed(413), "the text is too long for this model", "none"),
        (LLMReply.failed(401), "answered 401: check the key", "none"),
        (LLMReply.failed(404), "it has no such model", "none"),
        (LLMReply.no_json(), "something that cannot be read", "all"),
    ],
)
def test_a_permanent_error_is_not_retried(reply: LLMReply, says: str, tokens: str) -> None:
    with ScriptedLLMServer([reply]) as server, asking(server.llm) as model:
        with pytest.raises(ProviderError, match=says) as caught:
            model.complete(SECRET, max_tokens=9)
        assert SECRET not in str(caught.value)
        held = account(model)
        assert held["total"]["failed"] == held["calls"] == len(server.calls) == 1
        sent = 3 + 16
        assert held["tokens"] == {"counted": server.usage.tokens, "all": sent + 9, "none": 0}[tokens]


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_passes_is_asked_again_and_each_attempt_is_a_call(status: int) -> None:
    with ScriptedLLMServer([*[passing(status)] * 2, "At last."]) as server, asking(server.llm) as model:
        assert model.complete("tea") == "At last."
        held = account(model)
        assert model.usage == server.usage == Usage(3, 1, 3)
    assert held["total"]["calls"] == held["calls"] == 3
    assert held["total"]["failed"] == 2


@pytest.mark.parametrize("retries", [0, 1, 3])
def test_it_gives_up_after_as_many_retries_as_are_set(retries: int) -> None:
    script = [passing(500)] * (retries + 1)
    with ScriptedLLMServer(script) as server, asking(server.llm, llm_retries=retries) as model:
        with pytest.raises(ProviderError, match="answered 500"):
            model.complete("tea")
        assert len(server.calls) == model.usage.calls == retries + 1


def test_the_pause_that_a_server_asks_for_is_waited() -> None:
    with ScriptedLLMServer([LLMReply.failed(429, retry_after=1), "At last."]) as server, asking(server.llm) as model:
        model.complete("tea")
        first, second = server.calls
    assert second.at - first.at >= timedelta(seconds=1)


@pytest.mark.parametrize("asked_for", [60, "Wed, 21 Oct 2099 07:28:00 GMT"])
def test_a_pause_longer_than_the_time_left_is_not_waited_out(asked_for: float | str) -> None:
    with ScriptedLLMServer([LLMReply.failed(429, retry_after=asked_for)]) as server, asking(server.llm) as model:
        with pytest.raises(ProviderError, match="answered 429"):
            model.complete("tea")
        assert len(server.calls) == 1


@pytest.mark.matrix
@pytest.mark.parametrize("asked_for", [0, -5, "soon", "Wed, 21 Oct 2015 07:28:00 GMT"])
def test_a_pause_that_is_none_is_one_of_our_own(asked_for: float | str) -> None:
    with ScriptedLLMServer([LLMReply.failed(429, retry_after=asked_for), "Yes."]) as server:
        with asking(server.llm) as model:
            assert model.complete("tea") == "Yes."
        first, second = server.calls
    assert second.at - first.at >= timedelta(seconds=0.3)


@pytest.mark.matrix
@pytest.mark.parametrize("slow", [LLMReply.said("Late.").late(30), LLMReply.said("Slow" * 99).trickled(0.1)])
def test_a_whole_call_is_bounded_and_keeps_all_that_was_set_aside_for_it(slow: LLMReply) -> None:
    with ScriptedLLMServer([slow]) as server, asking(server.llm, timeout=0.6) as model:
        with pytest.raises(ProviderError, match="did not answer within 0.[0-9]+ seconds") as caught:
            model.complete("tea", max_tokens=50)
        assert caught.value.timed_out
        assert account(model)["tokens"] == 1 + 16 + 50


def test_an_attempt_has_only_the_time_that_the_first_ones_left() -> None:
    script = [passing(500), LLMReply.said("Late.").late(30)]
    with ScriptedLLMServer(script) as server, asking(server.llm, timeout=5) as model:
        with pytest.raises(ProviderError, match="did not answer within"):
            model.complete("tea")
        assert model.usage.calls == len(server.calls) == 2


def test_a_connection_that_drops_may_have_cost_all_and_one_that_was_refused_nothing() -> None:
    with ScriptedLLMServer([LLMReply.dropped()]) as server, asking(server.llm, llm_retries=0) as model:
        with pytest.raises(ProviderError, match="could not be reached"):
            model.complete("tea", max_tokens=50)
        assert account(model)["tokens"] == 1 + 16 + 50
    with asking(server.llm, llm_retries=0) as model:
        with pytest.raises(ProviderError, match="could not be reached"):
            model.complete("tea", max_tokens=50)
        assert (account(model)["tokens"], account(model)["calls"]) == (0, 1)


# ------------------------------------------------------------------------------------------------------- before asking


def test_a_question_without_an_end_is_not_sent() -> None:
    with ScriptedLLMServer([]) as server, asking(server.llm) as model:
        with pytest.raises(ProviderError, match="too long for a language model: about 200,0.. tokens"):
            model.complete("tea " * 200_000)
        with pytest.raises(ValueError, match="max_tokens is 0"):
            model.complete("tea", max_tokens=0)
        assert (server.calls, account(model)) == ((), {})


def test_retries_are_logged_without_a_text(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, "engrain")
    with ScriptedLLMServer([passing(503), "Yes."]) as server, asking(server.llm) as model:
        model.complete(SECRET)
    assert "answered 503: try again later: asked again in" in caplog.text
    assert SECRET not in caplog.text


def test_a_model_used_by_hand_counts_for_itself_and_is_bounded_too() -> None:
    slow = LLMReply.said("Slow" * 99).trickled(0.1)
    with ScriptedLLMServer([passing(500), "Yes.", slow]) as server:
        model = NamedLLM(server.llm, timeout=0.6)
        assert model.complete("tea") == "Yes."
        with pytest.raises(ProviderError, match=r"did not answer within 0.6 seconds"):
            model.complete("tea")
        assert model.usage == Usage(2, 1, 2)
