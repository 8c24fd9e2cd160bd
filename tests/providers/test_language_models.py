"""Language models by name, over real HTTP: requests, retries, error messages and threads."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from engrain import ConfigError, MemoryManager, ProviderError
from engrain.llm.client import NamedLLM, Usage, resolve_llm
from engrain.testing import ScriptedLLM
from tests.providers.server import Reply, Server, serving, spoken, trouble

KEY = "sk-a-secret"
SOON = {"retry_after_ms": "1"}
NEVER = {"x_should_retry": "false"}


def asking(server: Server, *, model: str = "scripted", timeout: float = 20.0) -> NamedLLM:
    """Return a model that asks this server."""
    return NamedLLM(f"openai:{model}@{server.address}", timeout=timeout)


def failing(*script: Reply, timeout: float = 20.0) -> str:
    """Return the error of a call that fails."""
    with serving(*script) as server, pytest.raises(ProviderError) as caught:
        asking(server, timeout=timeout).complete("a secret prompt")
    stored = str(caught.value)
    assert stored.startswith(f"openai:scripted at {server.address.split('/')[2]} ")
    assert "secret" not in f"{stored}{caught.value.__cause__}"
    return stored


# ---------------------------------------------------------------------------------------------------------- names


def test_none_is_none_and_an_object_is_itself() -> None:
    model = ScriptedLLM(["yes"])
    assert resolve_llm(None) is resolve_llm("none") is None
    assert resolve_llm(model) is model


@pytest.mark.parametrize(
    ("name", "provider", "model"),
    [
        ("openai:gpt-5-mini", "openai", "gpt-5-mini"),
        ("openai/gpt-5-mini", "openai", "gpt-5-mini"),
        ("OpenAI: gpt-5-mini ", "openai", "gpt-5-mini"),
        ("openrouter:anthropic/claude-x", "openrouter", "anthropic/claude-x"),
        ("openrouter/anthropic/claude-x:free", "openrouter", "anthropic/claude-x:free"),
        ("ollama:llama3:8b", "ollama", "llama3:8b"),
        ("google/gemini-flash@001", "google", "gemini-flash@001"),
        ("openai:org/model:tag@http://localhost:8000/v1", "openai", "org/model:tag"),
    ],
)
def test_the_first_colon_or_slash_ends_the_provider(
    name: str, provider: str, model: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for variable in ("OPENAI_API_KEY", "OPENROUTER_API_KEY", "GEMINI_API_KEY"):
        monkeypatch.setenv(variable, KEY)
    monkeypatch.setenv("OLLAMA_BASE_URL", "http://localhost:11434/v1")
    found = resolve_llm(name)
    assert isinstance(found, NamedLLM)
    assert (found.provider, found.model) == (provider, model)
    assert repr(found).startswith(f"NamedLLM({provider}:{model}")
    assert KEY not in repr(found)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("", "provider:model"),
        ("gpt-5", "provider:model"),
        ("openai:", "provider:model"),
        ("openai: ", "provider:model"),
        ("nobody:model", "there is no language model nobody:model"),
        ("mistral:small", "pydantic-ai-slim"),
        ("deepseek:chat", "DEEPSEEK_API_KEY"),
        ("openai:gpt-5-mini", "need OPENAI_API_KEY in the environment, or say where your own server is"),
        ("anthropic:claude", "need ANTHROPIC_API_KEY"),
        ("google:gemini", "need GOOGLE_API_KEY or GEMINI_API_KEY"),
        ("ollama:llama3", "need OLLAMA_BASE_URL"),
        ("openai:q@localhost:8000/v1", "with http:// or https:// before it"),
        ("openia:gpt-5", "did you mean openai:gpt-5"),
        ("vllm:llama3", "need VLLM_BASE_URL"),
        ("openai:model@ftp://host/v1", "a server's address is written"),
        (f"openai:model@https://me:{KEY}@host/v1", "a key goes into"),
        (f"anthropic:model@https://me:{KEY}@host/v1", "anthropic takes no address"),
    ],
)
def test_a_name_that_cannot_work_is_reported_at_once(name: str, says: str) -> None:
    with pytest.raises(ConfigError, match=says) as caught:
        resolve_llm(name)
    assert KEY not in str(caught.value)


def test_a_missing_library_names_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pydantic_ai", None)
    with pytest.raises(ConfigError, match=r'pip install "engrain\[llm\]"'):
        resolve_llm("openai:model@http://localhost:1/v1")


@pytest.mark.parametrize("wrong", [7, object(), ScriptedLLM])
def test_an_object_that_cannot_complete_is_reported(wrong: object) -> None:
    with pytest.raises(TypeError, match="is no language model"):
        resolve_llm(wrong)  # type: ignore[arg-type]


def test_a_call_is_checked_before_anything_is_sent() -> None:
    with serving() as server:
        with pytest.raises(ValueError, match="max_tokens is 0"):
            asking(server).complete("Hello", max_tokens=0)
        with pytest.raises(ValueError, match="timeout is more than 0"):
            asking(server, timeout=0)
    assert server.asked == []


def test_naming_a_model_loads_no_library() -> None:
    code = (
        "import sys; from engrain.llm.client import resolve_llm; resolve_llm('openai:m@http://localhost:1/v1');"
        "print([name for name in ('pydantic_ai', 'openai', 'anyio') if name in sys.modules])"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "[]"


# ---------------------------------------------------------------------------------------------------------- calls


def test_it_sends_what_it_is_given_and_counts_what_it_took() -> None:
    with serving(spoken("Hello, Ana."), spoken("And again.")) as server:
        model = asking(server, model="org/small:8b")
        assert model.usage == Usage()
        assert model.complete("Greet Ana", system="Be kind", max_tokens=9) == "Hello, Ana."
        assert model.complete("Again") == "And again."
    assert server.asked == [
        {
            "model": "org/small:8b",
            "messages": [{"role": "system", "content": "Be kind"}, {"role": "user", "content": "Greet Ana"}],
            "max_tokens": 9,
            "stream": False,
        },
        {"model": "org/small:8b", "messages": [{"role": "user", "content": "Again"}], "stream": False},
    ]
    assert server.paths == ["/v1/chat/completions"] * 2
    assert model.usage == Usage(calls=2, input_tokens=14, output_tokens=6)


def test_a_model_of_openai_behind_a_gateway_gets_its_limit_in_its_own_word() -> None:
    with serving() as server:
        asking(server, model="gpt-5-mini").complete("tea", max_tokens=9)
        asking(server, model="gpt-oss:20b").complete("tea", max_tokens=9)
    limits = [{name: value for name, value in body.items() if name.startswith("max")} for body in server.asked]
    assert limits == [{"max_completion_tokens": 9}, {"max_tokens": 9}]


def test_the_environment_names_the_server_and_the_key(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        assert NamedLLM("openai:scripted").complete("tea") == "You said tea"
        monkeypatch.delenv("OPENAI_API_KEY")
        assert NamedLLM("openai:scripted").complete("tea") == "You said tea"
        monkeypatch.setenv("OLLAMA_BASE_URL", server.address)
        assert NamedLLM("ollama:llama3:8b").complete("tea") == "You said tea"
    assert server.headers[0]["authorization"] == f"Bearer {KEY}"
    assert [KEY in str(headers) for headers in server.headers] == [True, False, False]
    assert [body["model"] for body in server.asked] == ["scripted", "scripted", "llama3:8b"]


def test_it_speaks_to_anthropic(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "id": "answer-1",
        "type": "message",
        "role": "assistant",
        "model": "claude",
        "content": [{"type": "text", "text": "Hello, Ana."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 7, "output_tokens": 3},
    }
    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    with serving(trouble(529, **SOON), Reply(answer), trouble(401)) as server:
        monkeypatch.setenv("ANTHROPIC_BASE_URL", server.address.removesuffix("/v1"))
        model = NamedLLM("anthropic/claude-x")
        assert model.complete("Greet Ana", system="Be kind", max_tokens=9) == "Hello, Ana."
        with pytest.raises(ProviderError, match="anthropic:claude-x answered 401: check the key"):
            model.complete("tea")
    assert (server.asked[1]["system"], server.asked[1]["max_tokens"]) == ("Be kind", 9)
    assert model.usage == Usage(calls=2, input_tokens=7, output_tokens=3)


def test_it_speaks_to_google(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "Hello, Ana."}]}, "finishReason": "STOP"}],
        "usageMetadata": {"promptTokenCount": 7, "candidatesTokenCount": 3, "totalTokenCount": 10},
    }
    monkeypatch.setenv("GOOGLE_API_KEY", KEY)
    with serving(Reply(answer), trouble(401)) as server:
        monkeypatch.setenv("GOOGLE_GEMINI_BASE_URL", server.address.removesuffix("/v1"))
        model = NamedLLM("google:gemini-x")
        assert model.complete("Greet Ana", system="Be kind", max_tokens=9) == "Hello, Ana."
        with pytest.raises(ProviderError, match="google:gemini-x answered 401: check the key"):
            model.complete("tea")
    assert "gemini-x" in server.paths[0]
    assert server.asked[0]["generationConfig"]["maxOutputTokens"] == 9
    assert model.usage == Usage(calls=2, input_tokens=7, output_tokens=3)


def test_the_key_of_the_environment_is_not_sent_to_an_address_in_the_name(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with serving() as server:
        asking(server).complete("tea")
    assert KEY not in str(server.headers)


@pytest.mark.parametrize("status", [408, 429, 500, 503])
def test_what_passes_is_asked_again(status: int) -> None:
    with serving(trouble(status, **SOON), trouble(status, **SOON), spoken("At last.")) as server:
        model = asking(server)
        assert model.complete("tea") == "At last."
    assert len(server.asked) == 3
    assert model.usage == Usage(calls=1, input_tokens=7, output_tokens=3)


def test_a_server_says_how_long_to_wait() -> None:
    with serving(trouble(429, retry_after="0.01"), spoken("At last.")) as server:
        assert asking(server).complete("tea") == "At last."
    assert len(server.asked) == 2


@pytest.mark.parametrize(("status", "says"), [(429, "asked too often"), (500, "answered 500: try again later")])
def test_it_gives_up_in_the_end(status: int, says: str) -> None:
    with serving(*[trouble(status, **SOON)] * 9) as server:
        model = asking(server)
        with pytest.raises(ProviderError, match=says):
            model.complete("tea")
    assert len(server.asked) == 3
    assert model.usage == Usage(calls=1)


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("reply", "says"),
    [
        (trouble(400, "invalid_request", f"a secret prompt and {KEY}"), "answered 400: it refused the request"),
        (trouble(401, "invalid_api_key", f"wrong key {KEY}"), "answered 401: check the key"),
        (trouble(403), "answered 403: the key may not"),
        (trouble(404), "answered 404: it has no such model"),
        (trouble(418), "answered 418: see its log"),
        (trouble(429, "insufficient_quota", **NEVER), "quota is spent"),
        (spoken(""), "answered nothing"),
        (spoken(" \n "), "answered nothing"),
        (spoken(None), "answered nothing"),
        (spoken("", finish="length"), "max_tokens were spent"),
        (spoken(None, refusal="I will not speak of a secret prompt"), "refused"),
        (spoken("", finish="content_filter"), "refused"),
        (Reply(b"<html>a secret prompt</html>"), "cannot be read"),
        (Reply(b'{"choices": [{"mess'), "cannot be read"),
        (Reply({"said": "a secret prompt"}), "cannot be read"),
        (Reply({"choices": []}), "cannot be read"),
        (Reply(None), "cannot be read"),
    ],
)
def test_a_permanent_error_is_reported_at_once(reply: Reply, says: str) -> None:
    assert says in failing(reply)


def test_a_server_that_is_slow_is_not_waited_for() -> None:
    assert "did not answer within 0.1 seconds" in failing(Reply(delay=0.5), timeout=0.1)


def test_a_long_pause_that_is_asked_for_is_not_waited_out() -> None:
    assert "did not answer within 0.3 seconds" in failing(trouble(429, retry_after="50"), timeout=0.3)


def test_a_server_that_is_not_there_is_reported() -> None:
    with serving() as server:
        pass
    with pytest.raises(ProviderError, match="could not be reached"):
        asking(server, timeout=20).complete("tea")


def test_neither_prompts_nor_keys_are_shown(caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch) -> None:
    caplog.set_level(logging.DEBUG)
    said = trouble(400, f"bad {KEY} my prompt", f"you said 'my prompt' with {KEY}")
    with serving(said) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        model = NamedLLM("openai:scripted")
        with pytest.raises(ProviderError) as caught:
            model.complete("my prompt")
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("engrain")]
    assert "my prompt" not in f"{caught.value} {vars(caught.value)} {ours}"
    assert KEY not in f"{caught.value} {vars(caught.value)} {ours} {model}"


# ---------------------------------------------------------------------------------------------------------- threads


def test_threads_ask_side_by_side() -> None:
    words = [f"word{number}" for number in range(8)]
    with serving() as server, ThreadPoolExecutor(4) as threads:
        model = asking(server)
        assert list(threads.map(model.complete, words)) == [f"You said {word}" for word in words]
    assert model.usage == Usage(calls=8, input_tokens=56, output_tokens=24)


def test_it_answers_inside_an_async_program() -> None:
    async def program(model: NamedLLM) -> list[str]:
        here = [model.complete("here"), model.complete("here again")]
        return [*here, *await asyncio.gather(*(asyncio.to_thread(model.complete, word) for word in ("a", "b")))]

    with serving() as server:
        model = asking(server)
        stored = asyncio.run(program(model))
        assert model.complete("after it") == "You said after it"
    assert stored == ["You said here", "You said here again", "You said a", "You said b"]


def test_a_failure_inside_an_async_program_is_the_same() -> None:
    async def program(model: NamedLLM) -> None:
        with pytest.raises(ProviderError, match="answered 401"):
            model.complete("tea")

    with serving(trouble(401)) as server:
        asyncio.run(program(asking(server)))


# ---------------------------------------------------------------------------------------------------------- opening


def test_a_memory_takes_a_name_an_object_or_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    model = ScriptedLLM([])
    with MemoryManager(":memory:", embedder=None) as memory:
        assert memory.llm is None
    with MemoryManager(":memory:", embedder=None, llm=model) as memory:
        assert memory.llm is model
    monkeypatch.setenv("ENGRAIN_LLM", "openai:small@http://localhost:1/v1")
    with MemoryManager(":memory:", embedder=None) as memory:
        assert repr(memory.llm) == "NamedLLM(openai:small)"
    with MemoryManager(":memory:", embedder=None, llm="openai:other@http://localhost:1/v1") as memory:
        assert repr(memory.scoped(user="ana").llm) == "NamedLLM(openai:other)"
    with MemoryManager(":memory:", embedder=None, llm="none") as memory:
        assert memory.llm is None


def test_a_name_that_cannot_work_opens_nothing(tmp_path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ConfigError, match="OPENAI_API_KEY"):
        MemoryManager(tmp_path / "m.db", llm="openai:gpt-5-mini")
    monkeypatch.setenv("ENGRAIN_LLM", "small")
    with pytest.raises(ConfigError, match="provider:model"):
        MemoryManager(tmp_path / "m.db")
    assert not list(tmp_path.iterdir())
