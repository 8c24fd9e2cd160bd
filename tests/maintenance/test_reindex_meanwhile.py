"""While reindexing: what is written, edited and forgotten in the meantime, what is read, and runs that are killed."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Event
from typing import Any

import pytest

from engrain import MemoryManager, ProviderError, Reindexed, Settings
from engrain.storage.rows import Setting, Vector
from engrain.testing import FakeEmbedder, FrozenClock
from engrain.transfer.reindex import BATCH
from tests.rows import holding

QUIET = Settings(worker="none")
NOTES = 2 * BATCH + 50


class Meanwhile(FakeEmbedder):
    """Does something beside each batch of a run, before it answers; a run's batches are those of many texts."""

    def __init__(self, then: Callable[[int], object], dimensions: int = 32) -> None:
        super().__init__(dimensions)
        self.then, self.batches = then, 0
        self.texts: list[str] = []

    def embed(self, texts: Sequence[str]) -> Any:
        self.texts += texts
        if len(texts) > 10:
            self.batches += 1
            self.then(self.batches)
        return super().embed(texts)


class Late(FakeEmbedder):
    """An embedder too slow for the write path."""

    inline = False


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Many notes with vectors by an embedder of 16 dimensions."""
    place = tmp_path_factory.mktemp("kept") / "memory.db"
    clock = FrozenClock("2026-01-05T11:00:00+00:00")
    with MemoryManager(place, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as manager:
        manager.remember_many({"content": f"note {number} of tea"} for number in range(NOTES))
    return place


@pytest.fixture
def memory(kept: Path, tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """Those notes, for one test."""
    place = shutil.copy(kept, tmp_path / "memory.db")
    with MemoryManager(place, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as manager:
        yield manager


def finds(memory: MemoryManager, text: str) -> bool:
    """Say whether the vector of a text is the nearest to it."""
    (hit,) = memory.neighbors(text, k=1)
    return hit.content == text and hit.score > 0.99


def test_memories_written_and_edited_meanwhile_have_vectors_at_the_end(memory: MemoryManager) -> None:
    early = memory.list_memories(order="recorded_at", limit=1)[0].id

    def then(batch: int) -> None:
        if batch == 2:  # the first batch is kept already
            memory.update(early, content="Ana plays the cello")
            memory.remember("Ben paints boats")

    other = Meanwhile(then)
    memory.reindex(other)
    assert memory.stats().vectors == {other.id: NOTES + 1}
    assert memory.stats().jobs == {}
    assert finds(memory, "Ana plays the cello")
    assert finds(memory, "Ben paints boats")


def test_tags_that_were_given_meanwhile_are_in_the_vector_at_the_end(memory: MemoryManager) -> None:
    early = memory.list_memories(order="recorded_at", limit=1)[0].id

    def then(batch: int) -> None:
        if batch == 1:  # its text is being embedded without them
            memory.update(early, tags=["cello"])

    other = Meanwhile(then)
    memory.reindex(other)
    assert any("topics: cello" in text for text in other.texts)
    assert memory.neighbors("topics cello", k=1)[0].id == early


def test_questions_are_answered_by_the_old_vectors_until_the_end(memory: MemoryManager) -> None:
    seen: list[bool] = []

    def then(_: int) -> None:
        hit = memory.recall("note 7 of tea", k=1, touch=False)[0]
        seen.append("meaning" in [signal.name for signal in hit.signals])

    memory.reindex(Meanwhile(then))
    assert seen == [True] * 3


def test_a_write_without_end_does_not_hold_it_up(memory: MemoryManager) -> None:
    class Chased(FakeEmbedder):
        written = 0

        def embed(self, texts: Sequence[str]) -> Any:
            if self.written < 40 and not any(
                "chase" in text for text in texts if len(texts) == 1 and memory.embedder is self
            ):
                self.written += 1
                memory.remember(f"chase number {self.written}")
            return super().embed(texts)

    other = Chased(32)
    memory.reindex(other)
    assert memory.flush()
    assert memory.stats().vectors == {other.id: memory.count()}


@pytest.mark.parametrize("kind", ["remember", "update"])
def test_a_write_under_way_when_the_embedder_changes_is_embedded_again(
    tmp_path: Path, clock: FrozenClock, kind: str
) -> None:
    begun, go_on = Event(), Event()

    class Slow(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            if any("cello" in text for text in texts):
                begun.set()
                assert go_on.wait(30)
            return super().embed(texts)

    old, new = Slow(16, id="one"), FakeEmbedder(16, id="two")  # of one size: nothing but the id tells them apart
    with (
        MemoryManager(tmp_path / "m.db", embedder=old, clock=clock, settings=QUIET) as memory,
        ThreadPoolExecutor(1) as pool,
    ):
        tea = memory.remember("Ana drinks tea").id
        text = "Ana plays the cello"
        if kind == "remember":
            writing = pool.submit(lambda: str(memory.remember(text).status))
        else:
            writing = pool.submit(lambda: str(memory.update(tea, content=text).status))
        try:
            assert begun.wait(30)
            memory.reindex(new)
        finally:
            go_on.set()
        assert writing.result() in ("created", "active")
        assert memory.flush()
        assert memory.stats().vectors == {"two": memory.count()}
        assert finds(memory, text)


def test_a_write_that_waits_for_its_turn_when_the_embedder_changes_is_embedded_again(
    memory: MemoryManager, tmp_path: Path
) -> None:
    asked, other = Event(), FakeEmbedder(32)

    class Asked(FakeEmbedder):
        def embed(self, texts: Sequence[str]) -> Any:
            asked.set()
            return super().embed(texts)

    memory._engine.embedder = Asked(16)
    with ThreadPoolExecutor(1) as pool:
        with holding(tmp_path / "memory.db"):
            writing = pool.submit(memory.remember, "Ana plays the cello")
            assert asked.wait(30)
            time.sleep(0.5)  # it waits by now, most likely
            memory._engine.embedder = other  # as a run of this process ends
        assert writing.result().status == "created"
    assert memory.flush()
    assert finds(memory, "Ana plays the cello")


def test_readers_and_writers_of_other_threads(memory: MemoryManager) -> None:
    over = Event()

    def write(name: int) -> list[str]:
        texts: list[str] = []
        while not over.is_set():
            texts.append(f"writer{name} line{len(texts)}")
            memory.remember(texts[-1])
        return texts

    def read() -> int:
        times = 0
        while not over.is_set() or not times:
            assert memory.recall("note 7 of tea", k=1, touch=False).texts == ("note 7 of tea",)
            times += 1
        return times

    other = FakeEmbedder(32)
    with ThreadPoolExecutor(3) as pool:
        writers, reader = [pool.submit(write, n) for n in range(2)], pool.submit(read)
        try:
            memory.reindex(other)
        finally:
            over.set()
        written = [text for writer in writers for text in writer.result()]
        assert reader.result() > 0
    assert memory.flush()
    assert memory.stats().vectors == {other.id: NOTES + len(written)}
    assert all(finds(memory, text) for text in written[:3] + written[-3:])


def test_a_forgotten_memory_is_not_embedded(memory: MemoryManager) -> None:
    memory.forget(memory.list_memories(order="recorded_at", limit=1)[0].id)
    other = Meanwhile(lambda _: None)
    assert memory.reindex(other).removed == NOTES
    assert not any("note 0 " in text for text in other.texts)
    assert memory.stats().vectors == {other.id: NOTES - 1}


def test_it_does_the_work_of_waiting_jobs(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=Late(16), clock=clock, settings=QUIET) as memory:
        memory.remember_many({"content": f"note {number}"} for number in range(5))
        assert memory.stats().jobs == {"queued": 5}
        assert memory.reindex().embedded == 5
        assert memory.stats().jobs == {}


def test_it_reports_how_far_it_is(memory: MemoryManager) -> None:
    stored: list[tuple[int, int]] = []
    memory.reindex(FakeEmbedder(32), progress=lambda done, total, _label: stored.append((done, total)))
    assert stored[0] == (BATCH, NOTES)
    assert stored[-1] == (NOTES, NOTES)
    with pytest.raises(TypeError, match="progress"):
        memory.reindex(progress=7)  # type: ignore[arg-type]


def test_texts_indexed_again_are_not_done_again(memory: MemoryManager) -> None:
    memory.store.write(lambda transaction: transaction.put(Setting("analyser", "an older one")))

    def then(batch: int) -> None:
        if batch == 2:
            raise ProviderError("out of credit")

    with pytest.raises(ProviderError):
        memory.reindex(Meanwhile(then))
    assert memory.reindex(FakeEmbedder(32)) == Reindexed(NOTES, NOTES - BATCH, NOTES - BATCH, NOTES)
    assert memory.reindex() == Reindexed(NOTES)
    assert memory.recall("note 7", k=1).texts == ("note 7 of tea",)


def test_vectors_that_a_killed_run_left_behind_go(memory: MemoryManager) -> None:
    ones = FakeEmbedder(8).embed(["x"])[0]
    memory.store.write(lambda transaction: transaction.put(Vector(1, "another", 1, ones)), "default")
    assert memory.reindex() == Reindexed(NOTES, removed=1)


KILLED = """
import sys, time, warnings
from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder

class Slow(FakeEmbedder):
    batches = 0

    def embed(self, texts):
        self.batches += 1
        if self.batches > 1:
            print("one is done", flush=True)
            time.sleep(600)
        return super().embed(texts)

warnings.simplefilter("ignore")
MemoryManager(sys.argv[1], embedder=FakeEmbedder(16), settings=Settings(worker="none")).reindex(Slow(32))
"""


def test_a_killed_process_loses_nothing_that_was_done(memory: MemoryManager, tmp_path: Path) -> None:
    place = str(tmp_path / "memory.db")
    with subprocess.Popen([sys.executable, "-c", KILLED, place], stdout=subprocess.PIPE, text=True) as child:
        assert child.stdout is not None
        said = child.stdout.readline()
        child.kill()
    assert said == "one is done\n"
    assert memory.stats().vectors == {"fake/words/16/1": NOTES, "fake/words/32/1": BATCH}
    assert memory.recall("note 7", k=1, touch=False).texts == ("note 7 of tea",)
    assert finds(memory, "note 7 of tea")  # by the old ones still
    other = FakeEmbedder(32)
    assert memory.reindex(other) == Reindexed(NOTES, NOTES - BATCH, 0, NOTES)
    assert memory.stats().vectors == {other.id: NOTES}
