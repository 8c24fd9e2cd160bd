"""A server over a memory of its own, and a client of it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engrain import MemoryManager
from engrain.client import Client
from engrain.text import digest
from tests.rest.samples import UNLIMITED
from tests.servers import serving


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[MemoryManager, str]]:
    """One server for all tests of a file; each test has its own organisation."""
    store = tmp_path_factory.mktemp("served") / "memory.db"
    with MemoryManager(store, embedder=None) as memory, serving(memory, limits=UNLIMITED) as url:
        yield memory, url


@pytest.fixture
def memory(served: tuple[MemoryManager, str], request: pytest.FixtureRequest) -> MemoryManager:
    """The memory, as the server sees it."""
    return served[0].for_org(f"test-{digest(request.node.name)[:20]}")


@pytest.fixture
def client(served: tuple[MemoryManager, str], memory: MemoryManager) -> Iterator[Client]:
    """A client of the same memory."""
    with Client(served[1], org=memory.scope.org, timeout=60) as client:
        yield client
