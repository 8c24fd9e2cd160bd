"""Reindexing: every memory gets its vector by the embedder in force, while reads go on, and a stopped run goes on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, ProviderError, Reindexed, Settings
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock

QUIET = Settings(worker="none")
NOTES = 600


@pytest.fixture
def old(tmp_path: Path, clock: FrozenClock) -> Path:
    """A store of many notes with vectors by an embedder of 16 dimensions."""
    path = tmp_path / "memory.db"
    with MemoryManager(path, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as memory:
        memory.remember_many({"content": f"note {number} of tea"} for number in range(NOTES))
    return path


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_it_repairs_meaning_after_a_change_of_embedder(old: Path, clock: FrozenClock) -> None:
    embedder = FakeEmbedder(32)
    with MemoryManager(old, embedder=embedder, clock=clock, settings=QUIET) as memory:
        assert memory.reindex() == Reindexed(memories=NOTES, embedded=NOTES, texts=0, removed=NOTES)
        assert memory.stats().vectors == {embedder.id: NOTES}
        assert any(signal.name == "meaning" for signal in memory.recall("note 7")[0].signals)
    with MemoryManager(old, embedder=embedder, clock=clock, settings=QUIET) as memory:  # without a warning
        assert memory.count() == NOTES


def test_a_manager_may_change_to_another_embedder(old: Path, clock: FrozenClock) -> None:
    other = FakeEmbedder(32)
    with MemoryManager(old, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as memory:
        memory.reindex(other)
        assert memory.embedder is other
        memory.remember("a further note")
        assert memory.stats().vectors == {other.id: NOTES + 1}


def test_twice_does_nothing_more(old: Path, clock: FrozenClock) -> None:
    with MemoryManager(old, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as memory:
        assert memory.reindex() == Reindexed(memories=NOTES)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_a_run_that_was_stopped_goes_on_where_it_was(old: Path, clock: FrozenClock) -> None:
    class Tiring(FakeEmbedder):
        batches = 1

        def embed(self, texts: Sequence[str]) -> Any:
            if self.batches == 0:
                raise ProviderError("out of credit")
            self.batches -= 1
            return super().embed(texts)

    with MemoryManager(old, embedder=Tiring(32), clock=clock, settings=QUIET) as memory:
        with pytest.raises(ProviderError):
            memory.reindex()
        done = memory.stats().vectors["fake/words/32/1"]
        assert 0 < done < NOTES
        assert memory.stats().vectors["fake/words/16/1"] == NOTES  # still in force
    with MemoryManager(old, embedder=FakeEmbedder(32), clock=clock, settings=QUIET) as memory:
        assert memory.reindex() == Reindexed(memories=NOTES, embedded=NOTES - done, texts=0, removed=NOTES)


def test_it_gives_vectors_to_what_was_kept_without(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
    embedder = FakeEmbedder()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        assert memory.reindex().embedded == 1
        assert memory.stats().vectors == {embedder.id: 1}


def test_it_clears_the_dead_letters(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = FailingEmbedder()
    with MemoryManager(tmp_path / "m.db", embedder=embedder, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        for _ in range(60):
            clock.advance(timedelta(hours=2))
            memory.remember("Ana drinks tea", sync=True)
        assert memory.stats().dead_letters == 1
        embedder.times = 0
        assert memory.reindex().embedded == 1
        assert (memory.stats().dead_letters, memory.stats().vectors) == (0, {embedder.id: 1})


def test_without_an_embedder_it_looks_at_the_texts(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock, settings=QUIET) as memory:
        memory.remember("Ana drinks tea")
        assert memory.reindex() == Reindexed(memories=1)
        assert memory.recall("tea").texts == ("Ana drinks tea",)


def test_every_user_and_org_is_reached(tmp_path: Path, clock: FrozenClock) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as memory:
        memory.scoped(user="ana").remember("Ana drinks tea")
        memory.for_org("acme").scoped(user="ben").remember("Ben drinks tea")
        memory.remember("the kettle boils")
        assert memory.reindex(FakeEmbedder(32)).embedded == 3
        assert memory.for_org("acme").stats().vectors == {"fake/words/32/1": 1}


def test_reads_and_writes_go_on_meanwhile(old: Path, clock: FrozenClock) -> None:
    class Busy(FakeEmbedder):
        memory: MemoryManager

        def embed(self, texts: Sequence[str]) -> Any:
            assert self.memory.recall("note 7", k=1, touch=False).texts == ("note 7 of tea",)
            self.memory.scoped(user="ana").remember(f"written while {len(texts)} were embedded", kind="procedural")
            return super().embed(texts)

    with MemoryManager(old, embedder=FakeEmbedder(16), clock=clock, settings=QUIET) as memory:
        busy = Busy(32)
        busy.memory = memory
        memory.reindex(busy)
        assert memory.count() > NOTES
        assert memory.count(kinds=["semantic"]) == NOTES
