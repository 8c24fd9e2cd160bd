"""The async twins of the calls that ask, and `context` with the arguments of a recall."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from engrain import AsyncMemoryManager, Settings
from tests.recall.world import Grades, Says, Scores, remember_all, sure

pytestmark = pytest.mark.anyio

HARD = "Who gave Ana the tea last week?"


@pytest.fixture
async def memory() -> AsyncIterator[AsyncMemoryManager]:
    async with AsyncMemoryManager(
        ":memory:",
        embedder=None,
        settings=Settings(worker="none"),
        grader=Grades(*(sure("lantern", enough=bool(turn % 2)) for turn in range(8))),
        query_transformer=Says(variants=["lantern"]),
    ) as manager:
        remember_all(manager.sync, "tea in the garden", "a lantern on the wall")
        yield manager


async def test_looking_deeper(memory: AsyncMemoryManager) -> None:
    found = await memory.recall_deep(HARD, touch=False)
    assert found.iterations == 2
    assert found == memory.sync.recall_deep(HARD, touch=False)
    with pytest.raises(ValueError, match="max_iterations"):
        await memory.recall_deep(HARD, max_iterations=0)


async def test_asking_why_not(memory: AsyncMemoryManager) -> None:
    (lantern,) = (hit.id for hit in memory.sync.recall("lantern", touch=False))
    assert await memory.why_not("tea", lantern) == memory.sync.why_not("tea", lantern)
    assert (await memory.why_not("tea", lantern, multi_query=2)).stage == "found"


async def test_fusing_and_swapping_the_reranker(memory: AsyncMemoryManager) -> None:
    lists = [await memory.recall("tea", touch=False), await memory.recall("lantern", touch=False)]
    plain, reranker = await memory.fuse("tea", lists), Scores(len)
    assert [hit.content for hit in plain] == ["tea in the garden", "a lantern on the wall"]
    assert await memory.set_reranker(reranker) is None
    assert memory.reranker is reranker
    assert [hit.content for hit in await memory.fuse("tea", lists)] == [hit.content for hit in reversed(plain)]
    assert await memory.set_reranker(None) is reranker


async def test_a_context_takes_what_a_recall_takes(memory: AsyncMemoryManager) -> None:
    assert "lantern" not in await memory.context("tea")
    wide = await memory.context("tea", multi_query=2, ranking="rrf", expand_hops=1, rerank=False, touch=False)
    assert "lantern" in wide
    assert wide == memory.sync.get_context(
        "tea", multi_query=2, ranking="rrf", expand_hops=1, rerank=False, touch=False
    )
    with pytest.raises(TypeError, match="colour"):
        await memory.context("tea", colour="blue")  # type: ignore[call-arg]
