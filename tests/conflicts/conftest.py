"""Each behaviour is held with an embedder and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from engrain.testing import FakeEmbedder
from tests.conflicts.memory_log import MemoryLog

OpenLog = Callable[..., MemoryLog]


@pytest.fixture(params=["words", "vectors"])
def opened(request: pytest.FixtureRequest) -> Iterator[OpenLog]:
    """Open a memory; all are closed at the end."""
    made: list[MemoryLog] = []

    def call(**given: object) -> MemoryLog:
        embedder = FakeEmbedder() if request.param == "vectors" else None
        made.append(MemoryLog(**{"embedder": embedder, **given}))  # type: ignore[arg-type]
        return made[-1]

    yield call
    for one in made:
        one.memory.close()


@pytest.fixture
def log(opened: OpenLog) -> MemoryLog:
    """An empty memory without a user."""
    return opened()
