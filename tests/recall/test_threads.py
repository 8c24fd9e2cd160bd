"""Many threads recall while another writes, edits and forgets: no error, and every answer is in order."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable
from pathlib import Path

from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder
from tests.recall.world import POLICIES, Scores

ROUNDS = 7


def _asks(memory: MemoryManager, seed: int) -> None:
    rng = random.Random(seed)
    for turn in range(ROUNDS):
        found = memory.recall(
            rng.choice(["who likes tea?", "garden of Ana", "a lantern last week", ""]),
            k=rng.choice([1, 5, 20]),
            ranking=rng.choice(POLICIES),
            expand_hops=rng.choice([0, 1, 2]),
            include_quarantined=rng.random() < 0.5,
        )
        scores = [hit.score for hit in found]
        assert scores == sorted(scores, reverse=True)
        assert len({hit.id for hit in found}) == len(found)
        for each in list(memory.list_memories(status="all", limit=3))[: 1 + turn % 2]:
            assert memory.why_not("who likes tea?", each.id, k=2).stage


def _writes(memory: MemoryManager) -> None:
    rng = random.Random(7)
    ids: list[str] = []
    for turn in range(2 * ROUNDS):
        who, thing = rng.choice(["Ana", "Ben"]), rng.choice(["tea", "rum", "the garden"])
        ids.append(memory.remember(f"{who} likes {thing} {turn}", fact=(who, "likes", f"{thing} {turn}")).id)
        one, other = rng.choice(ids), rng.choice(ids)
        if one != other and memory.get(one) is not None and memory.get(other) is not None:
            memory.link(one, other)
        if turn % 4 == 3:
            memory.forget(ids.pop(rng.randrange(len(ids))))
        if turn % 5 == 4:
            memory.update(ids[-1], content=f"{who} likes the lantern {turn}")
        memory.set_reranker(None if turn % 3 else Scores(len))


def test_asking_and_writing_at_once(tmp_path: Path) -> None:
    errors: list[BaseException] = []

    def run(call: Callable[[], None]) -> None:
        try:
            call()
        except BaseException as error:
            errors.append(error)

    settings = Settings(durability="normal")
    with MemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), settings=settings) as memory:
        memory.remember_many({"content": f"Ana likes tea {n}", "session": "one"} for n in range(40))
        calls: list[Callable[[], None]] = [lambda: _writes(memory)]
        calls += [lambda seed=seed: _asks(memory, seed) for seed in range(4)]  # type: ignore[misc]
        threads = [threading.Thread(target=run, args=(call,)) for call in calls]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
            assert not thread.is_alive()
        assert errors == []
