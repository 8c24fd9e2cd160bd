"""While foreign code works for a recall, nobody waits for the store, and what changes meanwhile does no harm."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.model.results import Hit
from engrain.testing import FailingEmbedder, FakeEmbedder
from tests.recall.world import Grades, Judges, Says, Scores, notes, opened, remember_all, sure


class Doing(FakeEmbedder):
    """An embedder that does something, once, before it embeds."""

    def __init__(self) -> None:
        super().__init__()
        self.deed: Callable[[], object] | None = None

    def embed(self, texts: Sequence[str]) -> Any:
        if self.deed is not None:
            deed, self.deed = self.deed, None
            deed()
        return super().embed(texts)


class Elsewhere:
    """Runs a call in another thread and waits for it, as a server that answers a request would."""

    def __init__(self, call: Callable[[], object]) -> None:
        self.call = call
        self.ended = 0

    def __call__(self, *given: Any) -> int:
        thread = threading.Thread(target=self.call)
        thread.start()
        thread.join(20)
        assert not thread.is_alive()
        self.ended += 1
        return 1


@pytest.fixture(params=["ram", "disk"])
def memory(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[MemoryManager]:
    place = ":memory:" if request.param == "ram" else tmp_path / "memory.db"
    with MemoryManager(place, embedder=Doing(), settings=Settings(worker="none")) as manager:
        remember_all(manager, "tea in the garden", "a lantern")
        manager.flush()
        yield manager


CALLS: list[Callable[[MemoryManager], object]] = [
    lambda memory: memory.recall("tea"),
    lambda memory: memory.recall("tea", known_at=memory.list_memories()[0].recorded_at),
    lambda memory: memory.recall_deep("tea"),
    lambda memory: memory.context("tea"),
    lambda memory: memory.why_not("tea", memory.list_memories()[0].id),
    lambda memory: memory.neighbors("tea"),
]


@pytest.mark.parametrize("call", CALLS)
def test_an_embedder_may_write_to_the_memory_it_serves(
    memory: MemoryManager, call: Callable[[MemoryManager], object]
) -> None:
    embedder = memory.embedder
    assert isinstance(embedder, Doing)
    writes = Elsewhere(lambda: memory.remember("tea was drunk meanwhile"))
    embedder.deed = writes
    assert call(memory)
    assert writes.ended == 1
    assert memory.count() == 3


def test_so_may_a_reranker_a_policy_a_transformer_and_a_grader(memory: MemoryManager) -> None:
    count = iter(range(100))
    writes = Elsewhere(lambda: memory.remember(f"a violin {next(count)}"))

    def said(*given: Any) -> Sequence[str]:
        writes()
        return ["garden"]

    memory.set_reranker(Scores(writes))
    memory._engine.transformer = Says(variants=said)
    memory._engine.grader = Grades(sure("lantern"), sure(enough=True))
    question = "Who had the tea last week?"
    found = memory.recall_deep(question, ranking=Judges(writes), multi_query=2)
    assert found.iterations == 2
    assert writes.ended >= 6


@pytest.mark.parametrize("call", CALLS)
def test_another_embedder_may_be_put_in_force_meanwhile(
    memory: MemoryManager, call: Callable[[MemoryManager], object]
) -> None:
    embedder = memory.embedder
    assert isinstance(embedder, Doing)
    embedder.deed = lambda: memory.reindex(FakeEmbedder(32))
    assert call(memory) is not None
    assert memory.recall("tea").texts[0] == "tea in the garden"


def test_a_hit_may_be_forgotten_meanwhile(memory: MemoryManager) -> None:
    def forgetting(hit: Hit) -> float:
        memory.forget(hit.id)
        return 1.0

    assert len(memory.recall("tea", ranking=Judges(forgetting))) == 2
    assert memory.recall("tea").texts == ()


@pytest.mark.parametrize("times", [None, 1])
def test_an_embedder_that_fails_leaves_the_words_and_a_note(times: int | None) -> None:
    with opened() as memory:
        remember_all(memory, "tea in the garden", "a lantern")
        plain = memory.recall("tea", touch=False)
        memory._engine.embedder = FailingEmbedder(times)
        found = memory.recall("tea", touch=False)
        assert found.texts == plain.texts
        assert notes(found, "meaning")[0] == "embedder fake/words/64/1 failed: words only"


def test_a_grader_and_a_transformer_are_not_needed(memory: MemoryManager) -> None:
    assert memory.recall_deep("Who had the tea last week?", hyde=True, multi_query=3)


def test_a_filter_that_nothing_passes_is_no_lack_of_vectors(memory: MemoryManager) -> None:
    assert notes(memory.recall("tea", domain="nowhere"), "meaning") == []
    memory._engine.embedder = FakeEmbedder(32)
    assert notes(memory.recall("tea"), "meaning") == ["no vectors by fake/words/32/1 in scope: run reindex"]


def test_an_embedder_that_is_certain_at_once_gives_relevance_too() -> None:
    class Certain(FakeEmbedder):
        relevance_range = (0.5, 0.5)

    with opened(Certain()) as memory:
        remember_all(memory, "tea", "a lantern")
        memory.flush()
        assert [hit.relevance for hit in memory.recall("tea")] == [1.0, 0.0]
