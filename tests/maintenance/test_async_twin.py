"""The async twin: the same names, the same results, and nothing half done when a call is cancelled."""

from __future__ import annotations

import inspect
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest

from engrain import AsyncMemoryManager, MemoryManager, NotFound, Recall, StoreUnavailable
from engrain.testing import FakeEmbedder, FrozenClock

pytestmark = pytest.mark.anyio

PLAIN = {
    "scoped",
    "for_org",
    "settings",
    "store",
    "embedder",
    "llm",
    "reranker",
    "public_key",
    "scope",
    "graph",
    "working",
    "lifecycle",
    "procedures",
    "keys",
}


class Gate(FakeEmbedder):
    """An embedder that says when it was asked and answers when it is let."""

    def __init__(self) -> None:
        super().__init__()
        self.asked, self.let = threading.Event(), threading.Event()
        self.let.set()

    def embed(self, texts: Any) -> Any:
        """Wait, then embed."""
        self.asked.set()
        assert self.let.wait(20)
        return super().embed(texts)


def public(kind: type) -> set[str]:
    """Return the public names of a class."""
    return {name for name in dir(kind) if not name.startswith("_")}


def test_it_has_the_same_names() -> None:
    assert public(MemoryManager) == public(AsyncMemoryManager)


@pytest.mark.parametrize("name", sorted(public(MemoryManager) - PLAIN))
def test_each_call_takes_the_same_arguments(name: str) -> None:
    twin, original = getattr(AsyncMemoryManager, name), getattr(MemoryManager, name)
    assert inspect.signature(twin) == inspect.signature(original)
    assert twin.__doc__


async def test_calls_give_what_the_sync_ones_give(tmp_path: Path, clock: FrozenClock) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", clock=clock) as memory:
        (created, status), sync = await memory.remember("Ana drinks tea", key="tea"), memory.sync
        assert status == "created"
        assert await memory.get(created.id) == await memory.get(key="tea") == sync.get(created.id)
        found = await memory.recall("tea", touch=False)
        assert isinstance(found, Recall)
        assert found == sync.recall("tea", touch=False)
        assert await memory.context("tea", touch=False) == sync.context("tea", touch=False)
        assert await memory.list_memories() == sync.list_memories()
        assert await memory.count() == sync.count() == 1
        assert await memory.history(created.id) == sync.history(created.id)
        assert (await memory.update(created.id, content="Ana drinks coffee")).version == 2
        assert (await memory.stats()).total_notes == 1
        assert (await memory.verify_audit()).ok
        assert (await memory.forget(created.id)).count == 1
        assert await memory.flush()


async def test_errors_are_the_same(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        with pytest.raises(NotFound):
            await memory.update("mem_0", content="x")
        with pytest.raises(ValueError, match="blank"):
            await memory.remember(" ")


async def test_leaving_the_block_closes(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        await memory.remember("Ana drinks tea")
    with pytest.raises(StoreUnavailable, match="closed"):
        await memory.recall("tea")


async def test_an_error_inside_the_block_closes_too(tmp_path: Path) -> None:
    with pytest.raises(KeyError):
        async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
            raise KeyError
    with pytest.raises(StoreUnavailable):
        await memory.count()


async def test_many_calls_at_once(tmp_path: Path, clock: FrozenClock) -> None:
    results: list[str] = []
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=FakeEmbedder(), clock=clock) as memory:

        async def both(number: int) -> None:
            await memory.remember(f"note {number} of tea")
            results.append((await memory.recall(f"note {number}", k=1)).texts[0])

        async with anyio.create_task_group() as tasks:
            for number in range(60):
                tasks.start_soon(both, number)
        assert await memory.count() == 60
    assert sorted(results) == sorted(f"note {number} of tea" for number in range(60))


async def test_the_same_text_at_once_is_one_memory(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory, anyio.create_task_group() as tasks:
        for _ in range(20):
            tasks.start_soon(memory.remember, "Ana drinks tea")
    with MemoryManager(tmp_path / "memory.db", embedder=None) as after:
        assert after.count() == 1


async def test_a_cancelled_read_is_left_at_once(tmp_path: Path) -> None:
    gate = Gate()
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=gate) as memory:
        await memory.remember("Ana drinks tea")
        gate.asked.clear()
        gate.let.clear()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.recall, "tea")
            await anyio.to_thread.run_sync(gate.asked.wait, 20)
            tasks.cancel_scope.cancel()
        gate.let.set()
        assert (await memory.recall("tea")).texts == ("Ana drinks tea",)


async def test_a_started_write_finishes_though_it_is_cancelled(tmp_path: Path) -> None:
    gate = Gate()
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=gate) as memory:
        gate.let.clear()
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(memory.remember, "Ana drinks tea")
            await anyio.to_thread.run_sync(gate.asked.wait, 20)
            tasks.cancel_scope.cancel()
            gate.let.set()
        assert await memory.count() == 1


async def test_iter_memories_goes_through_all_pages(tmp_path: Path, clock: FrozenClock) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None, clock=clock) as memory:
        await memory.remember_many([{"content": f"note {n}", "tags": ["even"] * (n % 2 == 0)} for n in range(450)])
        every = [each.content async for each in memory.iter_memories(order="recorded_at")]
        even = [each.content async for each in memory.iter_memories(tags=["even"])]
    assert every == [f"note {number}" for number in range(450)]
    assert len(even) == 225


async def test_views_are_plain_and_share_the_engine(tmp_path: Path) -> None:
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        ana, acme = memory.scoped(user="ana"), memory.for_org("acme")
        await ana.remember("Ana drinks tea")
        await acme.remember("Acme sells tea")
        assert (ana.scope.user, acme.scope.org) == ("ana", "acme")
        assert (await memory.recall("tea")).texts == ("Ana drinks tea",)
        assert ana.store is memory.store
        assert ana.settings is memory.settings
        assert memory.embedder is None


async def test_files_go_through_it_too(tmp_path: Path) -> None:
    (tmp_path / "tea.txt").write_text("Ana drinks tea")
    async with AsyncMemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        assert (await memory.ingest(tmp_path / "tea.txt")).created == 1
        assert await memory.export(tmp_path / "tea.jsonl") > 1
        copy = await memory.snapshot(tmp_path / "copy.db")
        await AsyncMemoryManager.restore(copy, tmp_path / "restored.db")
    async with AsyncMemoryManager(tmp_path / "restored.db", embedder=None) as restored:
        assert await restored.count() == 1
        assert (await restored.import_(tmp_path / "tea.jsonl")).known == 1
