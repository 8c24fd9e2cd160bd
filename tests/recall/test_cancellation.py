"""A recall is cancelled between two stages once its client has gone; a write is carried out."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import anyio
import pytest

from engrain import AsyncMemoryManager, MemoryManager, RecallCancelled, Settings
from engrain.guard import cancellable, checkpoint
from engrain.lazy import Floats
from engrain.testing import FakeEmbedder
from tests.recall.world import Scores

_PATIENCE = 60.0


class Slow(FakeEmbedder):
    """Embeds a question only once the recall was cancelled, and notes that it noticed."""

    def __init__(self) -> None:
        super().__init__()
        self.begun, self.noticed = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> Floats:
        if "slow tea" in texts:
            self.begun.set()
            until = time.monotonic() + _PATIENCE
            while time.monotonic() < until:
                try:
                    checkpoint()
                except RecallCancelled:
                    self.noticed.set()
                    raise
                time.sleep(0.005)
        return super().embed(texts)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[MemoryManager]:
    settings = Settings(worker="none")
    with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), llm="none", settings=settings) as opened:
        opened.remember("Ana likes tea")
        yield opened


READS: tuple[Callable[[MemoryManager], object], ...] = (
    lambda m: m.recall("Who likes tea?"),
    lambda m: m.recall(""),
    lambda m: m.recall_deep("Who likes tea?"),
    lambda m: m.context("Who likes tea?"),
    lambda m: m.synthesize("Who likes tea?"),
    lambda m: m.why_not("Who likes tea?", m.list_memories()[0].id),
)


@pytest.mark.parametrize("read", READS)
def test_it_ends_at_a_checkpoint(memory: MemoryManager, read: Callable[[MemoryManager], object]) -> None:
    with cancellable(lambda: False):
        assert read(memory)
    with cancellable(lambda: True), pytest.raises(RecallCancelled):
        read(memory)
    assert read(memory)


def test_the_stages_after_it_do_not_run(memory: MemoryManager) -> None:
    answers, reranker = iter([False] * 4), Scores(len)
    memory.set_reranker(reranker)
    with cancellable(lambda: next(answers, True)), pytest.raises(RecallCancelled):
        memory.recall("Who likes tea?")
    assert not reranker.calls


def test_the_outer_check_counts_too(memory: MemoryManager) -> None:
    with cancellable(lambda: True), cancellable(lambda: False), pytest.raises(RecallCancelled):
        memory.recall("Who likes tea?")


def test_a_write_is_carried_out(memory: MemoryManager) -> None:
    with cancellable(lambda: True):
        memory.remember("Bo likes coffee")
    assert memory.count() == 2


@pytest.mark.anyio
async def test_a_cancelled_task_ends_its_recall(tmp_path: Path) -> None:
    embedder = Slow()
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=embedder, llm="none") as memory:
        await memory.remember("Ana likes tea")
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.recall, "slow tea")
            await anyio.to_thread.run_sync(embedder.begun.wait, _PATIENCE)
            tasks.cancel_scope.cancel()
        assert await anyio.to_thread.run_sync(embedder.noticed.wait, _PATIENCE)
