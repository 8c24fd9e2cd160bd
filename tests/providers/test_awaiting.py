"""Providers whose methods are coroutines: each is asked by sync code, and waited for."""

from __future__ import annotations

import asyncio
import os
import threading
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import Any

import pytest

from engrain import AsyncMemoryManager, MemoryManager, Settings, Turn
from engrain.conversation import TierCompactor
from engrain.errors import ProviderError
from engrain.guard import awaited
from engrain.model.results import Hit
from engrain.protocols import LLM, Candidate, Embedder, Grade, Judgement
from engrain.testing import FakeEmbedder, ScriptedLLM

HARD = "Who gave Ana the honey last week, and which of the two did her brother's company sell before 2020?"
SAID: ContextVar[str] = ContextVar("SAID", default="")


def waited(provider: object) -> Any:
    return awaited(provider)


class Slow:
    """Remembers in which event loops it was asked, and gives others their turn meanwhile."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.loops: set[asyncio.AbstractEventLoop] = set()

    async def note(self, what: str) -> None:
        await asyncio.sleep(0)
        self.asked.append(what)
        self.loops.add(asyncio.get_running_loop())


class SlowEmbedder(Slow):
    id, dimensions = "slow/1", 64

    async def embed(self, texts: Sequence[str]) -> Any:
        await self.note("embed")
        return FakeEmbedder().embed(texts)

    async def embed_query(self, text: str) -> Any:
        await self.note("embed_query")
        return FakeEmbedder().embed([text])[0]


class SlowLLM(Slow):
    name = "slow"

    def __init__(self, *replies: str) -> None:
        super().__init__()
        self.script = ScriptedLLM(replies)

    async def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        await self.note("complete")
        return self.script.complete(prompt, system=system, max_tokens=max_tokens)

    async def aclose(self) -> str:
        return "closed"


class SlowHelper(Slow):
    async def extract(self, turns: Sequence[Turn], *, context: str = "") -> Sequence[Candidate]:
        await self.note("extract")
        return [Candidate(content="Ana keeps bees", rating=9)]

    async def decide(self, candidate: Candidate, neighbours: Sequence[Hit]) -> Judgement:
        await self.note("decide")
        return Judgement(operation="ADD")

    async def rerank(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        await self.note("rerank")
        return [float("honey" in document) for document in documents]

    async def grade(self, query: str, hits: Sequence[Hit]) -> Grade:
        await self.note("grade")
        return Grade(sufficient=True, confidence=0.9)

    async def variants(self, query: str, n: int) -> Sequence[str]:
        await self.note("variants")
        return ["what does Ana keep?"]

    async def hypothetical(self, query: str) -> str:
        await self.note("hypothetical")
        return "Ana keeps bees."


def given(helper: SlowHelper, embedder: SlowEmbedder) -> dict[str, Any]:
    return {
        "embedder": embedder,
        "reranker": helper,
        "extractor": helper,
        "decider": helper,
        "grader": helper,
        "query_transformer": helper,
        "settings": Settings(worker="none"),
    }


@pytest.fixture
def asked() -> Iterator[tuple[SlowHelper, SlowEmbedder]]:
    helper, embedder = SlowHelper(), SlowEmbedder()
    yield helper, embedder
    assert {"extract", "decide", "rerank", "grade", "variants", "hypothetical"} <= set(helper.asked)
    assert {"embed", "embed_query"} <= set(embedder.asked)
    assert len(helper.loops | embedder.loops) == 1


def test_sync_code_asks_providers_that_can_only_be_awaited(asked: tuple[SlowHelper, SlowEmbedder]) -> None:
    with MemoryManager(":memory:", **given(*asked)) as memory:
        memory.remember("Ana sells honey")
        memory.remember_with_extraction("I keep bees", min_importance=1)
        memory.remember("Ana keeps bees in Porto", evolve=True)
        hits = memory.recall("what does Ana sell?", multi_query=2, hyde=True)
        assert hits[0].content == "Ana sells honey"
        assert "meaning" in {signal.name for signal in hits[0].signals}
        assert memory.recall_deep(HARD).sufficient


def test_sync_code_inside_an_event_loop_asks_them_too(asked: tuple[SlowHelper, SlowEmbedder]) -> None:
    async def work() -> None:
        test_sync_code_asks_providers_that_can_only_be_awaited(asked)

    asyncio.run(work())


def test_the_async_manager_asks_them_too(asked: tuple[SlowHelper, SlowEmbedder]) -> None:
    async def work() -> None:
        async with AsyncMemoryManager(":memory:", **given(*asked)) as memory:
            await memory.remember("Ana sells honey")
            await memory.remember_with_extraction("I keep bees", min_importance=1)
            await memory.remember("Ana keeps bees in Porto", evolve=True)
            both = await asyncio.gather(*(memory.recall("Ana?", multi_query=2, hyde=True) for _ in range(2)))
            assert all(hits[0].content == "Ana sells honey" for hits in both)
            assert (await memory.recall_deep(HARD)).sufficient

    asyncio.run(work())


def test_a_language_model_that_can_only_be_awaited_answers_and_keeps_its_attributes() -> None:
    llm = SlowLLM("Ana sold honey.")
    with MemoryManager(":memory:", embedder=None, llm=llm, settings=Settings(worker="none")) as memory:  # type: ignore[arg-type]
        memory.remember("Ana sells honey", source_type="user_input")
        memory.recall("what did she sell before that?", hyde=True)
        assert llm.asked == ["complete"]
        assert isinstance(memory.llm, LLM)
        assert (memory.llm.name, type(memory.llm).__name__) == ("slow", "SlowLLM")  # type: ignore[attr-defined]
        assert asyncio.run(memory.llm.aclose()) == "closed"  # type: ignore[attr-defined]


def test_conversations_without_a_store_ask_them_too() -> None:
    llm = SlowLLM("Ana keeps bees in Porto.")
    compactor = TierCompactor(llm)  # type: ignore[arg-type]
    assert compactor.summarize("Ana said that she keeps bees in Porto.", 1, 50, None) == "Ana keeps bees in Porto."


def test_a_provider_that_need_not_be_awaited_is_left_as_it_is() -> None:
    llm = ScriptedLLM([])
    assert waited(llm) is llm


def test_what_is_used_as_an_embedder_is_one() -> None:
    first = waited(SlowEmbedder())
    assert isinstance(first, Embedder)
    assert (first.id, first.dimensions) == ("slow/1", 64)
    with MemoryManager(":memory:", embedder=first) as memory:
        assert memory.embedder is first


def test_an_error_of_a_coroutine_is_raised() -> None:
    class Failing(SlowEmbedder):
        async def embed(self, texts: Sequence[str]) -> Any:
            raise ProviderError("overloaded", transient=True)

    with pytest.raises(ProviderError, match="overloaded"):
        waited(Failing()).embed(["a"])


def test_a_coroutine_sees_the_context_of_its_caller() -> None:
    class Tells(SlowLLM):
        async def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            return SAID.get()

    SAID.set("here")
    assert waited(Tells()).complete("a") == "here"


def test_a_provider_may_ask_another_one() -> None:
    inner = waited(SlowLLM("from within"))

    class Asks(SlowLLM):
        async def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
            return str(inner.complete(prompt))

    assert waited(Asks()).complete("a") == "from within"


def test_threads_share_one_event_loop_and_wait_for_no_other() -> None:
    met = threading.Barrier(3)

    class Meets(Slow):
        async def complete(self, prompt: str) -> str:
            await self.note(prompt)
            await asyncio.to_thread(met.wait, 20)
            return prompt

    model, stored = Meets(), list[Any]()
    threads = [
        threading.Thread(target=lambda n=n: stored.append(waited(model).complete(n)), daemon=True) for n in "abc"
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(30)
    assert sorted(stored) == ["a", "b", "c"]
    assert len(model.loops) == 1


@pytest.mark.skipif(not hasattr(os, "fork"), reason="processes do not fork here")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_forked_child_waits_in_an_event_loop_of_its_own() -> None:
    model = waited(SlowLLM("one", "two"))
    assert model.complete("a") == "one"
    child = os.fork()
    if child == 0:
        os._exit(0 if model.complete("b") == "two" else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_two_that_name_one_provider_are_the_same() -> None:
    model = SlowLLM()
    assert waited(model) == waited(model)
    assert len({waited(model), waited(model), waited(SlowLLM())}) == 2
