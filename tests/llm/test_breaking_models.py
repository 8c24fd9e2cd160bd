"""A model whose counter, name or way to end breaks takes nothing along: no answer, no thread, no job."""

from __future__ import annotations

import asyncio
import logging
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from engrain import MemoryManager, Settings
from engrain.errors import ProviderError
from engrain.llm.client import name_of
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.testing import ScriptedLLM
from tests.llm.asked import account, asking


class Broken(ScriptedLLM):
    """Has a counter and a name that cannot be read."""

    @property
    def usage(self) -> object:
        raise RuntimeError("Ana's secret")

    @property
    def name(self) -> str:
        raise RuntimeError("Ana's secret")


def test_a_counter_that_raises_is_none_and_its_words_are_not_logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG, logger="engrain")
    with asking(Broken(["Yes."])) as model:
        assert model.complete("tea") == "Yes."
        assert account(model)["tokens"] == 1 + 16 + 2
        assert model.name == "Broken"
    assert "RuntimeError" in caplog.text
    assert "secret" not in caplog.text


def test_an_answer_is_given_all_the_same() -> None:
    with MemoryManager(":memory:", user="ana", embedder=None, llm=Broken(lambda *_, **__: "7")) as memory:
        memory.remember("Ana lives in Porto.", source_type="user_input")
        assert "Porto" in str(memory.synthesize("Where does Ana live?").synthesis)
        assert memory.stats().llm["model"] == "Broken"


@pytest.mark.parametrize("counted", [-1, 1 << 60, 10**400, True, "7", 1.5])
def test_a_counter_that_says_what_cannot_be_counts_nothing(counted: object) -> None:
    llm = ScriptedLLM(["Yes."])
    vars(llm)["usage"] = SimpleNamespace(input_tokens=0, output_tokens=counted)

    with asking(llm) as model:
        assert model.complete("tea") == "Yes."
        assert account(model)["tokens"] == 1 + 16 + 2


def test_a_name_is_one_line_that_a_terminal_shows_as_it_is() -> None:
    class Named:
        name = " evil\x1b[31m\nname\u202e\ud800 " + "x" * 3_000

    stored = name_of(Named())
    assert stored.startswith("evil␛[31m name��")
    assert stored.isprintable()
    assert len(stored) <= 200


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, asyncio.CancelledError])
def test_a_model_that_ends_its_thread_has_failed(error: type[BaseException]) -> None:
    def end(*_: object, **__: object) -> str:
        raise error

    with asking(ScriptedLLM(end)) as model, ThreadPoolExecutor(1) as thread:
        with pytest.raises(ProviderError, match="gave no answer"):
            thread.submit(model.complete, "tea").result()
        with pytest.raises(error):  # in the main thread, where a signal may have done it
            model.complete("tea")
        assert account(model)["by"]["extract"]["failed"] == 2


def _states(memory: MemoryManager) -> list[JobState]:
    with memory.store.read() as reader:
        return [job.state for job in reader.find(Job, [Test("kind", "eq", "enrich")], order="id")]


def test_a_model_that_ends_the_worker_neither_stops_it_nor_keeps_its_job(tmp_path: Path) -> None:
    asked = threading.Event()
    ended: list[threading.Thread] = []

    def end(*_: object, **__: object) -> str:
        ended.append(threading.current_thread())
        asked.set()
        raise SystemExit(3)

    settings = Settings(llm_retries=0)
    with MemoryManager(tmp_path / "m.db", embedder=None, llm=ScriptedLLM(end), settings=settings) as memory:
        memory.remember("APT28 sent the mail.", source_type="user_input", domain="incident")
        assert asked.wait(60)
        while _states(memory) == [JobState.RUNNING]:
            pass
        assert _states(memory) == [JobState.QUEUED]
        assert ended[0].is_alive()


def test_a_job_that_is_broken_off_is_given_back(tmp_path: Path) -> None:
    def end(*_: object, **__: object) -> str:
        raise KeyboardInterrupt

    settings = Settings(worker="none", llm_retries=0)
    with MemoryManager(tmp_path / "m.db", embedder=None, llm=ScriptedLLM(end), settings=settings) as memory:
        memory.remember("APT28 sent the mail.", source_type="user_input", domain="incident")
        with pytest.raises(KeyboardInterrupt):
            memory.flush()
        assert _states(memory) == [JobState.QUEUED]
