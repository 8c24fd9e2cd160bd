"""A memory by words only, which opens at once."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of a test and of the processes that it starts."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("ENGRAIN_STORE", str(path))
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    return path


@pytest.fixture
def memory(store: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """An empty memory."""
    with MemoryManager(store, embedder=None, clock=clock) as manager:
        yield manager
