"""The tools of any language model, by the SDKs of OpenAI and Anthropic against a scripted server."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
from typing import Any

import anthropic
import openai
import pytest

from engrain import EngrainError, MemoryManager, StoreError, tools
from engrain.testing import LLMReply, ScriptedLLMServer

QUESTION = "Where do I keep my bees?"
SCRIPT: list[str | LLMReply] = [
    LLMReply.calling("recall", query="Ana keeps bees", k=2),
    LLMReply.calling("remember", content="Ana asked about her bees"),
    "In Tbilisi.",
]


def chat(server: ScriptedLLMServer, offered: tools.Tools) -> Any:
    client = openai.OpenAI(base_url=server.url, api_key="none")
    create: Any = client.chat.completions.create
    return lambda messages: create(model="m", messages=messages, tools=offered)


def messages_api(server: ScriptedLLMServer, offered: tools.Tools) -> Any:
    create: Any = anthropic.Anthropic(base_url=server.origin, api_key="none").messages.create
    return lambda messages: create(model="m", max_tokens=99, messages=messages, tools=offered)


@pytest.fixture
def ana(memory: MemoryManager) -> MemoryManager:
    view = memory.scoped(user="ana")
    view.remember("Ana keeps bees in Tbilisi")
    return view


@pytest.mark.parametrize(("made", "asks"), [(tools.openai, chat), (tools.anthropic, messages_api)])
def test_a_model_asks_and_remembers_until_it_answers(ana: MemoryManager, made: Any, asks: Any) -> None:
    with ScriptedLLMServer(SCRIPT) as server:
        conversation: list[Any] = [{"role": "user", "content": QUESTION}]
        offered = made(ana)
        assert offered.run(asks(server, offered), conversation) == "In Tbilisi."
        sent = json.dumps(server.calls[1].body["messages"])
        assert "Ana keeps bees in Tbilisi" in sent
        assert len(server.calls[0].body["tools"]) == len(offered) >= 10
    assert conversation[-1]["role"] == "assistant"
    assert len(conversation) == 6
    kept = ana.list_memories()[0]
    assert (kept.content, kept.source.type) == ("Ana asked about her bees", "llm_generated")


def test_an_async_client_does_the_same(ana: MemoryManager) -> None:
    async def act() -> str:
        offered = tools.openai(ana, only=["recall", "remember"])
        assert [each["function"]["name"] for each in offered] == ["recall", "remember"]
        async with openai.AsyncOpenAI(base_url=server.url, api_key="none") as client:
            create: Any = client.chat.completions.create
            return await offered.arun(lambda sent: create(model="m", messages=sent, tools=offered), QUESTION)

    with ScriptedLLMServer(SCRIPT) as server:
        assert asyncio.run(act()) == "In Tbilisi."


def test_the_responses_api_is_read_too(ana: MemoryManager) -> None:
    call = {"type": "function_call", "call_id": "c", "name": "recall", "arguments": '{"query": "Ana keeps bees"}'}
    text = {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "In Tbilisi."}]}
    script = iter([{"output": [{"type": "reasoning", "id": "r"}, call]}, {"output": [text]}])
    offered, conversation = tools.openai(ana, responses=True), [{"role": "user", "content": QUESTION}]
    assert offered[0]["name"] == "remember"
    assert offered.run(lambda _: next(script), conversation) == "In Tbilisi."
    result = conversation[3]
    assert (result["type"], result["call_id"]) == ("function_call_output", "c")
    assert "Tbilisi" in result["output"]


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("name", "arguments", "reason"),
    [
        ("recollect", "{}", "there is no tool 'recollect'"),
        ("recall", "{", "Expecting property name"),
        ("recall", "[]", "are an object"),
        ("recall", '{"k": 3}', "query"),
        ("get_memory", '{"memory_id": "mem_0"}', "mem_0"),
        ("forget", '{"memory_id": "mem_0", "hard": true}', "hard"),
        ("validate", '{"memory_id": "mem_0"}', "there is no tool 'validate'"),
    ],
)
def test_a_mistake_is_a_result_that_names_it(ana: MemoryManager, name: str, arguments: str, reason: str) -> None:
    function = {"name": name, "arguments": arguments}
    message = {"role": "assistant", "tool_calls": [{"id": "c", "type": "function", "function": function}]}
    _, result = tools.openai(ana).answered({"choices": [{"message": message}]})
    assert result["tool_call_id"] == "c"
    assert reason in result["content"]
    (block,) = tools.anthropic(ana).answered(
        {"content": [{"type": "tool_use", "id": "c", "name": "recall", "input": {"k": 1}}]}
    )[1]["content"]
    assert block["is_error"] is True


def test_a_failing_memory_raises_and_so_do_endless_calls(ana: MemoryManager) -> None:
    offered = tools.openai(ana)
    call = LLMReply.calling("recall", query="bees").body
    with pytest.raises(EngrainError, match="after 3 rounds"):
        offered.run(lambda _: call, QUESTION, most=3)
    ana.close()
    with pytest.raises(StoreError):
        offered.answered(call)


def test_a_role_has_its_tools(ana: MemoryManager) -> None:
    names = {role: {each["name"] for each in tools.anthropic(ana, role=role)} for role in ("read", "write", "review")}
    assert "remember" not in names["read"]
    assert names["read"] < names["write"] < names["review"]
    for wrong in ({"role": "owner"}, {"only": ["validate"]}, {"only": "everything"}):
        with pytest.raises(ValueError):
            tools.openai(ana, **wrong)
    assert [each["name"] for each in tools.anthropic(ana, only="recall")] == ["recall"]
    schema = tools.anthropic(ana, only="recall")[0]["input_schema"]
    assert "user" not in schema["properties"]
    assert schema["required"] == ["query"]


def test_no_server_and_no_sdk_is_needed() -> None:
    blocked = "import sys; sys.modules.update(dict.fromkeys(('starlette', 'fastapi', 'mcp', 'openai', 'anthropic')));"
    script = f"{blocked} from engrain import MemoryManager, tools; print(len(tools.openai(MemoryManager(':memory:'))))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False, timeout=120)
    assert int(done.stdout or 0) >= 10, done.stderr
