"""Embedders of every temper: none, late, failing, wrong. A memory is never lost to one, and words always find it."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, Settings
from engrain.lazy import np
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock

QUIET = Settings(worker="none")


def open_with(place: Path, embedder: Any, clock: FrozenClock) -> MemoryManager:
    """Open a memory whose background work is done by `flush` alone."""
    return MemoryManager(place / "memory.db", embedder=embedder, clock=clock, settings=QUIET)


class Odd(FakeEmbedder):
    """An embedder that gives back what it is asked to."""

    def __init__(self, answer: Any) -> None:
        super().__init__(4)
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Any:
        """Give it."""
        return self.answer(len(texts))


class Late(FakeEmbedder):
    """An embedder too slow for the write path."""

    inline = False


def test_without_one_there_are_no_vectors_and_no_jobs(tmp_path: Path, clock: FrozenClock) -> None:
    with open_with(tmp_path, None, clock) as memory:
        memory.remember("Ana drinks tea", sync=True)
        stats = memory.stats()
        assert (stats.embedder, stats.vectors, stats.jobs) == (None, {}, {})
        assert memory.flush()
        assert memory.recall("tea").texts == ("Ana drinks tea",)


def test_a_vector_is_there_when_remember_returns(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = FakeEmbedder()
    with open_with(tmp_path, embedder, clock) as memory:
        memory.remember("Ana drinks tea")
        assert memory.stats().vectors == {embedder.id: 1}
        assert memory.stats().jobs == {}


def test_one_that_fails_once_catches_up(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = FailingEmbedder(times=1)
    with open_with(tmp_path, embedder, clock) as memory:
        assert memory.remember("Ana drinks tea").status == "created"
        assert (memory.stats().vectors, memory.stats().jobs) == ({}, {"queued": 1})
        assert memory.recall("tea").texts == ("Ana drinks tea",)
        assert memory.flush()
        assert (memory.stats().vectors, memory.stats().jobs) == ({embedder.id: 1}, {})


def test_one_that_always_fails_ends_in_the_dead_letters_and_loses_nothing(tmp_path: Path, clock: FrozenClock) -> None:
    with open_with(tmp_path, FailingEmbedder(), clock) as memory:
        memory.remember("Ana drinks tea")
        for _ in range(60):
            clock.advance(timedelta(hours=2))
            memory.remember("Ana drinks tea", sync=True)
            if memory.stats().dead_letters:
                break
        stats = memory.stats()
        assert (stats.dead_letters, stats.total_notes) == (1, 1)
        assert memory.recall("tea").texts == ("Ana drinks tea",)
        assert memory.flush()


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(lambda n: np.zeros((n, 5)), id="too many dimensions"),
        pytest.param(lambda n: np.zeros((n + 1, 4)), id="too many rows"),
        pytest.param(lambda n: np.zeros(4), id="one row for all"),
        pytest.param(lambda n: np.full((n, 4), np.nan), id="not a number"),
        pytest.param(lambda n: np.full((n, 4), np.inf), id="infinite"),
        pytest.param(lambda n: [["a", "b", "c", "d"]] * n, id="letters"),
        pytest.param(lambda n: None, id="nothing"),
        pytest.param(lambda n: [[1.0], [1.0, 2.0]], id="ragged"),
    ],
)
def test_an_invalid_vector_is_not_kept(tmp_path: Path, clock: FrozenClock, answer: Any) -> None:
    with open_with(tmp_path, Odd(answer), clock) as memory:
        memory.remember("Ana drinks tea")
        assert not memory.flush()
        assert memory.stats().vectors == {}
        assert memory.stats().jobs == {"queued": 1}
        assert memory.recall("tea").texts == ("Ana drinks tea",)


def test_lists_will_do(tmp_path: Path, clock: FrozenClock) -> None:
    with open_with(tmp_path, Odd(lambda n: [[1, 0, 0, 0]] * n), clock) as memory:
        memory.remember("Ana drinks tea")
        (hit,) = memory.recall("coffee")
        assert {s.name: s.value for s in hit.signals}["meaning"] == pytest.approx(1.0, abs=0.01)


def test_a_vector_of_zeros_is_near_nothing(tmp_path: Path, clock: FrozenClock) -> None:
    with open_with(tmp_path, Odd(lambda n: np.zeros((n, 4))), clock) as memory:
        memory.remember("Ana drinks tea")
        assert memory.flush()
        assert memory.recall("tea").texts == ("Ana drinks tea",)


def test_a_slow_one_works_after_the_write(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with open_with(tmp_path, embedder, clock) as memory:
        memory.remember_many({"content": f"note {number}"} for number in range(70))
        assert (memory.stats().vectors, memory.stats().jobs) == ({}, {"queued": 70})
        assert memory.flush()
        assert (memory.stats().vectors, memory.stats().jobs) == ({embedder.id: 70}, {})


def test_sync_waits_for_a_slow_one(tmp_path: Path, clock: FrozenClock) -> None:
    embedder = Late()
    with open_with(tmp_path, embedder, clock) as memory:
        memory.remember("Ana drinks tea", sync=True)
        assert memory.stats().vectors == {embedder.id: 1}


def test_one_bad_text_spoils_no_other(tmp_path: Path, clock: FrozenClock) -> None:
    class Picky(Late):
        def embed(self, texts: Sequence[str]) -> Any:
            if "unspeakable" in texts:
                raise ValueError("no")
            return super().embed(texts)

    embedder = Picky()
    with open_with(tmp_path, embedder, clock) as memory:
        memory.remember_many({"content": text} for text in ("tea", "unspeakable", "coffee"))
        assert not memory.flush()
        assert (memory.stats().vectors, memory.stats().jobs) == ({embedder.id: 2}, {"queued": 1})


def test_an_edited_text_gets_a_new_vector(tmp_path: Path, clock: FrozenClock) -> None:
    with open_with(tmp_path, FakeEmbedder(), clock) as memory:
        tea = memory.remember("Ana drinks tea").id
        memory.update(tea, content="Ben plays cello")
        (hit,) = memory.recall("cello player Ben")
        assert {s.name: s.value for s in hit.signals}["meaning"] > 0.5


def test_a_question_may_be_embedded_in_another_way(tmp_path: Path, clock: FrozenClock) -> None:
    asked: list[str] = []

    class Asymmetric(FakeEmbedder):
        def embed_query(self, text: str) -> Any:
            asked.append(text)
            return self.embed([text])[0]

    with open_with(tmp_path, Asymmetric(), clock) as memory:
        memory.remember("Ana drinks tea")
        assert asked == []
        memory.recall("tea")
    assert asked == ["tea"]


class TestAnotherOneOnAnOldStore:
    @pytest.fixture
    def old(self, tmp_path: Path, clock: FrozenClock) -> Path:
        """A folder whose store holds vectors of another embedder."""
        with open_with(tmp_path, FakeEmbedder(16), clock) as memory:
            memory.remember("Ana drinks tea")
        return tmp_path

    def test_opening_warns(self, old: Path, clock: FrozenClock) -> None:
        with pytest.warns(RuntimeWarning, match=r"holds vectors by fake/words/16/1.*reindex"):
            open_with(old, FakeEmbedder(32), clock).close()

    def test_the_same_one_warns_of_nothing(self, old: Path, clock: FrozenClock) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            open_with(old, FakeEmbedder(16), clock).close()
            open_with(old, None, clock).close()

    @pytest.mark.filterwarnings("ignore::RuntimeWarning")
    def test_words_find_it_and_the_trace_says_why_no_more(self, old: Path, clock: FrozenClock) -> None:
        with open_with(old, FakeEmbedder(32), clock) as memory:
            found = memory.recall("tea")
        assert found.texts == ("Ana drinks tea",)
        assert any("run reindex" in note for stage in found.trace for note in stage.notes)

    def test_one_of_the_same_name_and_another_size_is_refused(self, old: Path, clock: FrozenClock) -> None:
        with pytest.raises(ConfigError, match="give it another id"):
            open_with(old, FakeEmbedder(32, id="fake/words/16/1"), clock)


@pytest.mark.parametrize(
    ("embedder", "error"),
    [
        ("openai:nothing", ConfigError),
        ("", ConfigError),
        (7, TypeError),
        (object(), TypeError),
        (FakeEmbedder(4, id=" "), ValueError),
    ],
)
def test_an_invalid_embedder_is_refused_before_the_store_is_made(
    tmp_path: Path, embedder: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        MemoryManager(tmp_path / "memory.db", embedder=embedder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["auto", "wordllama", "wordllama:l2_supercat_256", "wordllama/l2_supercat_256"])
def test_the_built_in_one_has_names(tmp_path: Path, name: str) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=name) as memory:
        assert memory.stats().embedder == "wordllama:l2_supercat_256:256:1"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("weight", float("nan")),
        ("weight", float("inf")),
        ("weight", -1.0),
        ("weight", "much"),
        ("relevance_range", (0.9, 0.1)),
        ("relevance_range", (float("nan"), 1.0)),
        ("relevance_range", (0.1, 0.5, 0.9)),
        ("relevance_range", 0.5),
    ],
)
def test_one_that_misinforms_ranking_is_refused(tmp_path: Path, clock: FrozenClock, name: str, value: Any) -> None:
    embedder = FakeEmbedder(4)
    setattr(embedder, name, value)
    with pytest.raises(ValueError, match=name):
        open_with(tmp_path, embedder, clock)
