"""Managers as the tests of the front door open them: on disk, at a standing clock, with an embedder of no weight."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder, FrozenClock

Open = Callable[..., MemoryManager]


@pytest.fixture
def opened(tmp_path: Path, clock: FrozenClock) -> Iterator[Open]:
    """Open a manager, by default over `memory.db`; all are closed at the end."""
    with ExitStack() as stack:

        def call(name: str = "memory.db", **given: Any) -> MemoryManager:
            usual: dict[str, Any] = {"clock": clock, "embedder": FakeEmbedder(), "settings": Settings(worker="none")}
            manager = MemoryManager(tmp_path / name, **{**usual, **given})
            stack.callback(manager.close)
            return manager

        yield call


@pytest.fixture
def memory(opened: Open) -> MemoryManager:
    """An empty memory whose background work is done by `flush` alone."""
    return opened()
