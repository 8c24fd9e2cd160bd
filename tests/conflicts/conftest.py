"""Each behaviour is held with an embedder and without."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from engrain.testing import FakeEmbedder
from tests.conflicts.told import Told

Tell = Callable[..., Told]


@pytest.fixture(params=["words", "vectors"])
def opened(request: pytest.FixtureRequest) -> Iterator[Tell]:
    """Open a memory; all are closed at the end."""
    made: list[Told] = []

    def call(**given: object) -> Told:
        embedder = FakeEmbedder() if request.param == "vectors" else None
        made.append(Told(**{"embedder": embedder, **given}))  # type: ignore[arg-type]
        return made[-1]

    yield call
    for one in made:
        one.memory.close()


@pytest.fixture
def told(opened: Tell) -> Told:
    """An empty memory of nobody in particular."""
    return opened()
