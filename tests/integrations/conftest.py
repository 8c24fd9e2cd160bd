"""The memory of an integration: the library's, or with `--through client` a client of a server that has it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest

from engrain import MemoryManager
from engrain.client import Client
from engrain.testing import FrozenClock
from engrain.text import digest
from tests.rest.samples import UNLIMITED
from tests.servers import serving


def _lasts(fixture_name: str, config: pytest.Config) -> Literal["function", "module"]:
    return "function" if config.getoption("engine") == "postgres" else "module"  # there each test has its own databases


@pytest.fixture(autouse=True)
def _closed_stores() -> None:
    """Close none: the store of a server lasts for the tests of a module."""


@pytest.fixture(scope=_lasts)
def _served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    store = tmp_path_factory.mktemp("served") / "memory.db"
    with MemoryManager(store) as memory, serving(memory, limits=UNLIMITED) as url:
        yield url


@pytest.fixture
def memory(request: pytest.FixtureRequest, tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager | Client]:
    """An empty memory, an organisation of its own where it is a server's; a test may be parametrised by both ways."""
    if getattr(request, "param", request.config.getoption("through")) == "client":
        org = f"test-{digest(request.node.nodeid)[:20]}"
        with Client(request.getfixturevalue("_served"), org=org, timeout=60) as client:
            yield client
    else:
        with MemoryManager(tmp_path / "memory.db", clock=clock) as manager:
            yield manager
