"""A model by name tells what leaves a window; when its server fails, the window's own sentences do."""

from __future__ import annotations

import logging

import pytest

from engrain import AsyncMemoryManager, MemoryManager, Settings
from engrain.conversation import ProgressiveSummarizationMemory, TierCompactor
from tests.providers.server import Server, serving, spoken, trouble

SMALL = Settings(working={"max_tokens": 120}, worker="none")
DOWN = trouble(500, message="down", x_should_retry="false")


def opened(server: Server, settings: Settings = SMALL) -> MemoryManager:
    """Return a memory whose window is small and whose model is on this server."""
    return MemoryManager(
        ":memory:", session="s", embedder=None, settings=settings, llm=f"openai:scripted@{server.address}"
    )


def say(memory: MemoryManager) -> None:
    """Let a user say more than the window holds."""
    for number in range(16):
        memory.add_message("user", f"Ana has hive {number} at the far end of the garden, and it hums.")


def test_a_conversation_is_summarised_by_the_model() -> None:
    with serving(*[spoken("They spoke of hives.")] * 40) as server, opened(server) as memory:
        say(memory)
        assert memory.working.summary == "They spoke of hives."
        assert len(memory.working.history(limit=100)) == 16
        assert memory.llm is not None
        assert memory.llm.usage.calls == len(server.asked) > 0  # type: ignore[union-attr]
        assert "hive 0" in str(server.asked[0]["messages"])


def test_a_server_that_is_down_costs_nothing_but_its_words(caplog: pytest.LogCaptureFixture) -> None:
    once = Settings(working={"max_tokens": 120}, worker="none", llm_retries=0)  # for tests/llm tries again
    with serving(*[DOWN] * 80) as server, opened(server, once) as memory:
        say(memory)
        assert "hive" in (memory.working.summary or "")
        assert memory.working.token_count <= 120
        assert len(memory.working.history(limit=100)) == 16
        assert server.asked
    assert "answered 500: try again later" in caplog.text
    assert "far end of the garden" not in caplog.text


@pytest.mark.anyio
async def test_the_async_twin_takes_the_same_name() -> None:
    with serving(*[spoken("They spoke of hives.")] * 40) as server:
        llm = f"openai:scripted@{server.address}"
        async with AsyncMemoryManager(":memory:", session="s", embedder=None, settings=SMALL, llm=llm) as memory:
            for number in range(16):
                await memory.add_message("user", f"Ana has hive {number} at the far end of the garden, and it hums.")
            assert memory.working.summary == "They spoke of hives."
            assert repr(memory.llm) == "NamedLLM(openai:scripted)"


def test_nothing_is_sent_unless_a_model_is_named(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    with serving() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.address)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-a-secret")
        with MemoryManager(":memory:", session="s", embedder=None, settings=SMALL) as memory:
            say(memory)
            assert memory.working.summary
            memory.end_session()
    assert server.asked == []
    assert "secret" not in caplog.text


def test_a_compactor_and_a_window_without_a_store_take_a_name() -> None:
    with serving(*[spoken("They spoke of hives.")] * 40) as server:
        name = f"openai/scripted@{server.address}"
        assert TierCompactor(name).summarize("user: I keep bees in seven hives.", 2, 40) == "They spoke of hives."
        window = ProgressiveSummarizationMemory(200, llm=name)
        for number in range(30):
            window.add_turn("user", f"Hive {number} stands at the far end of the garden.")
        assert "They spoke of hives." in (window.summary or "")
    assert len(server.asked) > 1
