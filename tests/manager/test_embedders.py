"""An embedder that answers nonsense, is down for hours or is not the one it says: nothing is lost, words go on."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, ProviderError
from engrain.lazy import Floats, np
from engrain.testing import FailingEmbedder, FakeEmbedder, FrozenClock
from tests.manager.conftest import Open


class OddEmbedder(FakeEmbedder):
    """Gives back what it is asked to, whatever it is asked; an embedder again once `answer` is None."""

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


@pytest.mark.matrix
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


def test_waiting_for_the_vector_does_not_use_up_the_attempts_of_others(opened: Open) -> None:
    embedder = FailingEmbedder()
    memory = opened(embedder=embedder)
    for n in range(15):
        assert memory.remember(f"note number {n}", sync=True).status == "created"
    assert memory.stats().jobs == {"queued": 15}


def test_one_id_is_one_embedder(opened: Open) -> None:
    opened(embedder=FakeEmbedder(8, id="same")).remember("the cat sat on the mat")
    with pytest.raises(ConfigError, match="same of 8 dimensions.*makes 16: give it another id"):
        opened(embedder=FakeEmbedder(16, id="same"))


def test_the_environment_names_one_unless_the_code_does(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    with MemoryManager(tmp_path / "a.db") as memory:
        assert memory.embedder is None
    with MemoryManager(tmp_path / "b.db", embedder="wordllama") as memory:
        assert memory.embedder is not None
