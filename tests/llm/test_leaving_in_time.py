"""A worker whose time is up while a model thinks waits for that answer and asks no second question."""

from __future__ import annotations

import threading
from pathlib import Path

from engrain import MemoryManager, Settings
from engrain.model.filters import Test
from engrain.model.memory import Job, JobState
from engrain.testing import ScriptedLLM

TEXT = "APT28 sent the mail."


def jobs(memory: MemoryManager) -> list[tuple[JobState, int]]:
    with memory.store.read() as reader:
        return [(job.state, job.attempts) for job in reader.find(Job, [Test("kind", "eq", "enrich")], order="id")]


def test_flush_comes_back_after_the_answer_during_which_its_time_ran_out(tmp_path: Path) -> None:
    timeout = 0.05

    def late(*_: object, **__: object) -> str:
        threading.Event().wait(2 * timeout)
        return "not json"

    llm = ScriptedLLM(late)
    with MemoryManager(tmp_path / "m.db", embedder=None, llm=llm, settings=Settings(worker="none")) as memory:
        memory.remember(TEXT, source_type="user_input", domain="incident")
        assert not memory.flush(timeout)
        assert len(llm.calls) == 1
        assert jobs(memory) == [(JobState.QUEUED, 0)]
        assert memory.flush()
        assert len(llm.calls) == 3


def test_close_waits_for_one_answer_and_leaves_the_job(tmp_path: Path) -> None:
    asked, go_on = threading.Event(), threading.Event()

    def held_up(*_: object, **__: object) -> str:
        asked.set()
        assert go_on.wait(60)
        return "not json"

    llm = ScriptedLLM(held_up)
    memory = MemoryManager(tmp_path / "m.db", embedder=None, llm=llm)
    memory.remember(TEXT, source_type="user_input", domain="incident")
    assert asked.wait(60)
    closing = threading.Thread(target=memory.close)
    closing.start()
    while not memory._view.worker._stopping:
        pass
    go_on.set()
    closing.join()
    assert len(llm.calls) == 1
    with MemoryManager(tmp_path / "m.db", embedder=None, settings=Settings(worker="none")) as again:
        assert jobs(again) == [(JobState.QUEUED, 0)]
