"""A model may query the memory that calls it: no call waits for itself."""

from __future__ import annotations

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from engrain import MemoryManager, Settings
from engrain.llm.asker import asker

ENOUGH = 120.0
"""Timeout of a model in seconds: a call that waits for itself exceeds it and fails the test."""


class Asking:
    """A model that does something with the memory which asks it, before its first answer in each thread."""

    memory: MemoryManager

    def __init__(self, does: Callable[[MemoryManager], object]) -> None:
        self.does, self.found = does, list[object]()
        self._here = threading.local()

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        if not getattr(self._here, "inside", False):
            self._here.inside = True
            self.found.append(self.does(self.memory))
        return "Yes."


def opened(place: Path, llm: Asking, **settings: int) -> MemoryManager:
    chosen = Settings(worker="none", llm_timeout=ENOUGH, llm_retries=0, **settings)  # type: ignore[arg-type]
    llm.memory = MemoryManager(place / "m.db", user="ana", embedder=None, llm=llm, settings=chosen)
    return llm.memory


def ask(memory: MemoryManager) -> str:
    model = asker(memory._engine, memory.scope, "extract")
    assert model is not None
    return model.complete("tea")


def test_as_many_as_may_ask_at_once_ask_again_within_their_answers(tmp_path: Path) -> None:
    together = threading.Barrier(4)

    def does(memory: MemoryManager) -> str:
        together.wait(ENOUGH)  # all of them are inside
        return ask(memory)

    llm = Asking(does)
    with opened(tmp_path, llm, llm_concurrency=4) as memory, ThreadPoolExecutor(4) as threads:
        assert list(threads.map(lambda _: ask(memory), range(4))) == ["Yes."] * 4
        assert llm.found == ["Yes."] * 4
        assert memory.stats().llm["calls"] == 8


def test_a_nested_call_waits_for_a_turn_again(tmp_path: Path) -> None:
    llm = Asking(ask)
    with opened(tmp_path, llm, llm_concurrency=1) as memory:
        assert ask(memory) == "Yes."
        with memory._engine.llm_limiter.acquire(1.0) as inside, ThreadPoolExecutor(1) as thread:
            assert inside

            def passes() -> bool:
                with memory._engine.llm_limiter.acquire(0.01) as let_in:
                    return let_in

            assert not thread.submit(passes).result()
            assert passes()


def test_a_flush_within_the_job_of_a_write_leaves_it_and_says_so(tmp_path: Path) -> None:
    llm = Asking(lambda memory: memory.flush())
    with opened(tmp_path, llm) as memory:
        memory.remember("The mail came from evil.example.", source_type="user_input", domain="incident")
        memory.remember("APT28 sent the mail.", source_type="user_input", domain="incident", sync=True)
        assert llm.found == [False]


def test_a_flush_within_an_answer_does_the_other_jobs(tmp_path: Path) -> None:
    llm = Asking(lambda memory: memory.flush())
    with opened(tmp_path, llm) as memory:
        memory.remember("The mail came from evil.example.", source_type="user_input", domain="incident")
        assert ask(memory) == "Yes."
        assert memory.stats().llm["by"]["enrich"]["calls"] == 2  # "Yes." is no description
