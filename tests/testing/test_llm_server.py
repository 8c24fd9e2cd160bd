"""The scripted server speaks as its script says, keeps what it was asked, and lets no test miss a call too many."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection, HTTPResponse, RemoteDisconnected
from threading import Barrier
from typing import Any
from urllib.parse import urlsplit

import pytest

from engrain.llm.client import NamedLLM, Usage
from engrain.testing import LLMReply, LLMRequest, ScriptedLLMServer
from engrain.testing.llmserver import Replies


def posted(server: ScriptedLLMServer, prompt: str = "Hello", **more: Any) -> HTTPResponse:
    connection = HTTPConnection(urlsplit(server.url).netloc, timeout=20)
    body = {"model": "any", "messages": [{"role": "user", "content": prompt}], **more}
    connection.request("POST", "/v1/chat/completions", json.dumps(body), {"X-Mine": "yes"})
    return connection.getresponse()


def message(response: HTTPResponse) -> Any:
    return json.loads(response.read())["choices"][0]["message"]


def test_replies_come_in_the_order_of_the_script() -> None:
    with ScriptedLLMServer(["one", LLMReply.json({"two": 2}), LLMReply.json([3], fenced=True)]) as server:
        said = [message(posted(server))["content"] for _ in range(3)]
    assert said == ["one", '{"two": 2}', "Here you are:\n\n```json\n[3]\n```"]


def test_a_function_is_given_what_was_asked() -> None:
    def reply(request: LLMRequest) -> str:
        return f"{request.system}, {request.prompt}, {request.max_tokens}, {request.body['model']}"

    with ScriptedLLMServer(reply, model="org/small:8b") as server:
        said = NamedLLM(server.llm).complete("tea", system="kindly", max_tokens=7)
        (call,) = server.calls
    assert said == "kindly, tea, 7, org/small:8b"
    assert (call.prompt, call.system, call.max_tokens, call.headers["host"]) == (
        "tea",
        "kindly",
        7,
        urlsplit(server.url).netloc,
    )
    assert call.at.tzinfo is not None


def test_tokens_are_counted_unless_the_reply_names_them_or_counts_none() -> None:
    said = LLMReply.said("Tea.")
    replies: list[str | LLMReply] = ["Good tea.", LLMReply.said("Tea.", usage=(70, 30)), said.uncounted()]
    with ScriptedLLMServer(replies) as server:
        usages = [json.loads(posted(server, "I like tea").read()).get("usage") for _ in replies]
        total = server.usage
    counted = {"prompt_tokens": 3, "completion_tokens": 3, "total_tokens": 6}
    assert usages == [counted, {"prompt_tokens": 70, "completion_tokens": 30, "total_tokens": 100}, None]
    assert total == Usage(3, 73, 33)


@pytest.mark.parametrize(
    ("reply", "status", "header"),
    [
        (LLMReply.failed(429, retry_after=2), 429, "2"),
        (LLMReply.failed(503, retry_after="Wed, 21 Oct 2026 07:28:00 GMT"), 503, "Wed, 21 Oct 2026 07:28:00 GMT"),
        (LLMReply.failed(500), 500, None),
        (LLMReply.too_long(), 400, None),
        (LLMReply.no_json(), 200, None),
    ],
)
def test_failures_have_a_status_and_say_when_to_come_again(reply: LLMReply, status: int, header: str | None) -> None:
    with ScriptedLLMServer([reply]) as server:
        response = posted(server)
    assert (response.status, response.headers["Retry-After"]) == (status, header)


def test_refusals_and_cuts_are_those_of_the_protocol() -> None:
    with ScriptedLLMServer([LLMReply.refused(), LLMReply.cut("It breaks o"), LLMReply.empty()]) as server:
        refusal = message(posted(server))
        choice = json.loads(posted(server).read())["choices"][0]
        assert message(posted(server))["content"] == ""
    assert (refusal["content"], refusal["refusal"]) == (None, "I cannot help with that.")
    assert (choice["finish_reason"], choice["message"]["content"]) == ("length", "It breaks o")


def test_a_body_may_trickle_and_a_connection_drop() -> None:
    with ScriptedLLMServer([LLMReply.said("Slowly.").trickled(1e-4), LLMReply.dropped()]) as server:
        assert message(posted(server))["content"] == "Slowly."
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            posted(server)


def test_what_is_still_on_its_way_does_not_hold_up_the_end() -> None:
    with ThreadPoolExecutor(1) as thread:
        with ScriptedLLMServer(lambda request: LLMReply.said("Much later.").late(600)) as server:
            waiting = thread.submit(posted, server)
            while not server.calls:
                pass
        with pytest.raises((RemoteDisconnected, ConnectionResetError)):
            waiting.result()


def replies_to(replies: Replies, *prompts: str, fails: Exception | None = None) -> list[str]:
    """Return what a server answers to each prompt; the block around it may fail by itself."""
    with ScriptedLLMServer(replies) as server:
        found = [posted(server, prompt).read().decode() for prompt in prompts]
        if fails is not None:
            raise fails
    return found


def test_a_call_beyond_the_script_raises_and_fails_at_the_end() -> None:
    with pytest.raises(AssertionError, match=r"call 2, but the script has 1 replies: 'and more\?'"):
        replies_to(["one"], "one", "and more?")
    server = ScriptedLLMServer([])
    with pytest.raises(AssertionError), server:
        response = posted(server)
    assert response.status == 500
    assert "call 1, but the script has 0 replies" in response.read().decode()


@pytest.mark.parametrize("script", [lambda request: {}[request.prompt], lambda request: 7])
def test_a_script_that_fails_or_has_no_reply_fails_the_test_at_the_end(script: Any) -> None:
    with pytest.raises(AssertionError, match="(KeyError at call 1: 'tea')|(call 1 has 7 for a reply)"):
        replies_to(script, "tea")


def test_a_failure_of_the_test_itself_is_not_hidden() -> None:
    with pytest.raises(KeyError) as caught:
        replies_to([], "tea", fails=KeyError("mine"))
    assert "call 1" in caught.value.__notes__[0]


def test_it_says_how_many_were_under_way_at_once() -> None:
    together = Barrier(3)

    def reply(request: LLMRequest) -> str:
        together.wait(20)
        return "all here"

    with ScriptedLLMServer(reply) as server, ThreadPoolExecutor(3) as threads:
        assert all(response.status == 200 for response in threads.map(lambda _: posted(server), range(3)))
        assert server.most_at_once == 3


def test_models_are_listed_and_other_places_are_not_found() -> None:
    with ScriptedLLMServer([]) as server:
        connection = HTTPConnection(urlsplit(server.url).netloc, timeout=20)
        connection.request("GET", "/v1/models")
        listed = json.loads(connection.getresponse().read())
        connection.request("GET", "/v1/else")
        assert connection.getresponse().status == 404
        assert [model["id"] for model in listed["data"]] == ["scripted"]
        assert server.calls == ()


def test_one_text_is_no_script() -> None:
    with pytest.raises(TypeError, match="a list of texts"):
        ScriptedLLMServer("hello")
