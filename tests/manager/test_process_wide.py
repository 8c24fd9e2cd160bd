"""The manager of the whole process is the same one until it is closed, and then a new one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engrain import get_async_memory_manager, get_memory_manager


@pytest.fixture(autouse=True)
def default_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ENGRAIN_STORE", str(tmp_path / "memory.db"))
    monkeypatch.setenv("ENGRAIN_WORKER", "none")


def test_a_closed_one_is_replaced() -> None:
    first = get_memory_manager()
    kept = first.remember("The depot floods every spring.").id
    assert get_memory_manager() is first
    first.close()
    second = get_memory_manager()
    assert second is not first
    assert second.get(kept) is not None
    second.close()


def test_so_is_its_async_twin() -> None:
    async def run() -> None:
        first = get_async_memory_manager()
        assert get_async_memory_manager() is first
        await first.close()
        second = get_async_memory_manager()
        assert second is not first
        await second.close()

    asyncio.run(run())
