"""An embedder that is missing, fails, is slow or is another one: nothing is lost, and words find it all the same."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from recollect import ConfigError, MemoryManager, ProviderError, Settings
from recollect.numeric import Floats, np
from recollect.testing import FailingEmbedder, FakeEmbedder, FrozenClock
from tests.manager.conftest import Open


class OddEmbedder(FakeEmbedder):
    """Gives back what it is told to, whatever it is asked; an embedder again once `answer` is None."""

    def __init__(self, answer: Any) -> None:
        super().__init__(8, id="odd/1")
        self.answer = answer

    def embed(self, texts: Sequence[str]) -> Floats:
        if self.answer is None:
            return super().embed(texts)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer(len(texts))  # type: ignore[no-any-return]


ODD = {
    "too short": lambda n: np.zeros((n, 5)),
    "too few": lambda n: np.zeros((n - 1, 8)),
    "flat": lambda n: np.zeros(8 * n),
    "not a number": lambda n: np.full((n, 8), np.nan),
    "without end": lambda n: np.full((n, 8), np.inf),
    "too large": lambda n: np.full((n, 8), 1e39),
    "ragged": lambda n: [[1.0] * (i + 1) for i in range(n)],
    "nothing": lambda n: None,
    "words": lambda n: ["eight"] * n,
    "its own error": RuntimeError("no"),
    "ours": ProviderError("no"),
}


def notes(manager: MemoryManager, question: str) -> str:
    """Return what the search by meaning noted."""
    return " ".join(note for stage in manager.recall(question).trace for note in stage.notes)


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_an_embedder_that_answers_nonsense_loses_nothing(opened: Open, odd: Any) -> None:
    embedder = OddEmbedder(odd)
    memory = opened(embedder=embedder)
    assert memory.remember("the cat sat on the mat").status == "created"
    memory.remember_many([{"content": "the dog ran"}, {"content": "the hen hid"}])
    assert memory.recall("cat").texts == ("the cat sat on the mat",)
    assert "failed: words only" in notes(memory, "cat")
    assert memory.flush() is False
    embedder.answer = None
    assert memory.flush() is True
    assert memory.stats().vectors == {"odd/1": 3}


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD.keys())
def test_a_question_that_cannot_be_embedded_is_answered_by_words(opened: Open, odd: Any) -> None:
    embedder = OddEmbedder(None)
    memory = opened(embedder=embedder)
    memory.remember("the cat sat on the mat")
    embedder.answer = odd
    assert memory.recall("cat").texts == ("the cat sat on the mat",)
    assert "odd/1 failed: words only" in notes(memory, "cat")


def test_lists_of_numbers_are_vectors_too(opened: Open) -> None:
    memory = opened(embedder=OddEmbedder(lambda n: [[1.0, 0, 0, 0, 0, 0, 0, 0]] * n))
    memory.remember("the cat sat on the mat")
    assert memory.stats().vectors == {"odd/1": 1}


def test_without_an_embedder_words_are_enough(opened: Open) -> None:
    memory = opened(embedder=None)
    memory.remember("the cat sat on the mat", sync=True)
    assert memory.embedder is None
    assert memory.recall("cats").texts == ("the cat sat on the mat",)
    assert "no embedder: words only" in notes(memory, "cat")
    assert (memory.stats().embedder, memory.stats().jobs, memory.flush()) == (None, {}, True)


def test_a_slow_embedder_is_kept_out_of_the_write(opened: Open) -> None:
    class Slow(FakeEmbedder):
        inline = False

        def embed(self, texts: Sequence[str]) -> Floats:
            assert threading.current_thread().name in allowed
            return super().embed(texts)

    allowed: set[str] = set()
    memory = opened(embedder=Slow(id="slow"))
    memory.remember("the cat sat on the mat")
    assert memory.stats().jobs == {"queued": 1}
    allowed.add(threading.current_thread().name)
    assert memory.flush() is True
    assert memory.stats().vectors == {"slow": 1}


# -------------------------------------------------------------------------------------------------- jobs and flushing


def test_a_failing_job_waits_longer_each_time_and_is_not_dead_within_the_hour(opened: Open, clock: FrozenClock) -> None:
    embedder = FailingEmbedder()
    memory = opened(embedder=embedder)
    memory.remember("the cat sat on the mat")
    for _ in range(6):
        assert memory.flush() is False
        clock.advance(timedelta(minutes=10))
    assert memory.stats().jobs == {"queued": 1}
    embedder.times = 0
    assert memory.flush() is True
    assert memory.stats().vectors == {embedder.id: 1}


def test_a_job_that_never_succeeds_is_a_dead_letter_and_reindex_makes_up_for_it(opened: Open) -> None:
    embedder = FailingEmbedder()
    memory = opened(embedder=embedder)
    memory.remember("the cat sat on the mat")
    while memory.stats().jobs.get("queued"):
        memory.flush()
    assert (memory.stats().dead_letters, memory.flush()) == (1, True)
    embedder.times = 0
    assert memory.reindex().embedded == 1
    assert (memory.stats().dead_letters, memory.stats().vectors) == (0, {embedder.id: 1})


def test_waiting_for_the_vector_does_not_use_up_the_attempts_of_others(opened: Open) -> None:
    embedder = FailingEmbedder()
    memory = opened(embedder=embedder)
    for n in range(15):
        assert memory.remember(f"note number {n}", sync=True).status == "created"
    assert memory.stats().jobs == {"queued": 15}


def test_one_bad_text_spoils_no_other(opened: Open) -> None:
    class Picky(FakeEmbedder):
        inline = False

        def embed(self, texts: Sequence[str]) -> Floats:
            if any("bad" in text for text in texts):
                raise RuntimeError("bad text")
            return super().embed(texts)

    memory = opened(embedder=Picky())
    memory.remember_many([{"content": f"good text {n}"} for n in range(20)] + [{"content": "bad text"}])
    assert memory.flush() is False
    assert (memory.stats().jobs, sum(memory.stats().vectors.values())) == ({"queued": 1}, 20)


def test_the_job_of_a_forgotten_memory_is_done_without_a_vector(opened: Open) -> None:
    embedder = FailingEmbedder(1)
    memory = opened(embedder=embedder)
    memory.forget(memory.remember("the cat sat on the mat").id)
    assert memory.flush() is True
    assert (memory.stats().jobs, memory.stats().vectors) == ({}, {})


def test_jobs_outlive_the_process_that_queued_them(opened: Open) -> None:
    opened(embedder=FailingEmbedder(id="the one")).remember("the cat sat on the mat")
    later = opened(embedder=FakeEmbedder(id="the one"))
    assert later.flush() is True
    assert later.stats().vectors == {"the one": 1}


def test_a_flush_that_has_no_time_says_so(opened: Open) -> None:
    memory = opened(embedder=FailingEmbedder())
    memory.remember("the cat sat on the mat")
    assert memory.flush(timeout=0) is False
    assert memory.flush(0.0) is False


def test_the_worker_embeds_by_itself(opened: Open) -> None:
    memory = opened(embedder=FailingEmbedder(1), settings=Settings(), clock=None)
    memory.remember("the cat sat on the mat")
    assert memory.flush(timeout=30) is True
    assert sum(memory.stats().vectors.values()) == 1


# ------------------------------------------------------------------------------------------------------- another one


def test_another_embedder_is_told_and_words_go_on_until_a_reindex(opened: Open) -> None:
    opened(embedder=FakeEmbedder(id="old")).remember("the cat sat on the mat")
    with pytest.warns(RuntimeWarning, match="holds vectors by old.*reindex"):
        memory = opened(embedder=FakeEmbedder(16, id="new"))
    assert memory.recall("cat").texts == ("the cat sat on the mat",)
    assert "no vectors by new in scope" in notes(memory, "cat")
    done = memory.reindex()
    assert (done.memories, done.embedded, done.removed) == (1, 1, 1)
    assert memory.stats().vectors == {"new": 1}
    assert notes(memory, "cat").count("reindex") == 0
    assert opened(embedder=FakeEmbedder(16, id="new")).stats().vectors == {"new": 1}


def test_a_reindex_may_name_the_embedder(opened: Open) -> None:
    memory = opened(embedder=None)
    memory.remember("the cat sat on the mat")
    assert memory.reindex(FakeEmbedder(id="new")).embedded == 1
    assert memory.embedder is not None
    assert memory.embedder.id == "new"
    assert memory.reindex().embedded == 0


def test_a_reindex_that_stops_goes_on_where_it_was(opened: Open) -> None:
    memory = opened(embedder=None)
    memory.remember_many([{"content": f"note number {n}"} for n in range(600)])
    with pytest.raises(ProviderError):
        memory.reindex(FailsAt(3))
    assert memory.embedder is None
    assert sum(memory.stats().vectors.values()) == 512
    done = memory.reindex(FailsAt(None))
    assert (done.memories, done.embedded) == (600, 88)


class FailsAt(FakeEmbedder):
    """Fails at a call of that number."""

    def __init__(self, number: int | None) -> None:
        super().__init__(8, id="fails/1")
        self.number, self.calls = number, 0

    def embed(self, texts: Sequence[str]) -> Floats:
        self.calls += 1
        if self.calls == self.number:
            raise ProviderError("told to")
        return super().embed(texts)


def test_one_id_is_one_embedder(opened: Open) -> None:
    opened(embedder=FakeEmbedder(8, id="same")).remember("the cat sat on the mat")
    with pytest.raises(ConfigError, match="same of 8 dimensions.*makes 16: give it another id"):
        opened(embedder=FakeEmbedder(16, id="same"))


class Shaped:
    """Something with the attributes of an embedder, whatever they are."""

    def __init__(self, id: Any, dimensions: Any) -> None:
        self.id, self.dimensions = id, dimensions

    def embed(self, texts: Sequence[str]) -> Floats:
        return np.zeros((len(texts), 8), np.float32)


@pytest.mark.parametrize(
    ("embedder", "error"),
    [
        (object(), TypeError),
        (5, TypeError),
        (Shaped(5, 8), TypeError),
        (Shaped(None, 8), TypeError),
        (Shaped("", 8), ValueError),
        (Shaped("\ud800", 8), ValueError),
        (Shaped("x", 0), ValueError),
        (Shaped("x", -1), ValueError),
        (Shaped("x", "8"), ValueError),
        (Shaped("x", True), ValueError),
        ("", ConfigError),
        ("nobody:nothing", ConfigError),
        ("gpt", ConfigError),
    ],
    ids=range(13),
)
def test_what_is_no_embedder_is_refused_before_a_file_is_there(
    tmp_path: Path, embedder: Any, error: type[Exception]
) -> None:
    with pytest.raises(error):
        MemoryManager(tmp_path / "memory.db", embedder=embedder)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["auto", "wordllama", "wordllama:l2_supercat_256", "wordllama/l2_supercat_256"])
def test_the_built_in_one_has_names(opened: Open, name: str) -> None:
    memory = opened(embedder=name)
    assert memory.embedder is not None
    assert (memory.embedder.id, memory.embedder.dimensions) == ("wordllama:l2_supercat_256:256:1", 256)


def test_the_environment_names_one_unless_the_code_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: FrozenClock
) -> None:
    monkeypatch.setenv("RECOLLECT_EMBEDDER", "none")
    with MemoryManager(tmp_path / "a.db") as memory:
        assert memory.embedder is None
    with MemoryManager(tmp_path / "b.db", embedder="wordllama") as memory:
        assert memory.embedder is not None
