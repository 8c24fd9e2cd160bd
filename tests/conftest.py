"""Fixtures of every test: a frozen clock, an empty memory, an isolated environment and no network."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator, Iterator
from ipaddress import ip_address
from itertools import count
from pathlib import Path
from typing import cast
from weakref import WeakSet

import pytest
from hypothesis import settings

import engrain
from engrain.protocols import Store
from engrain.storage import forks
from engrain.testing import FrozenClock
from tests import children
from tests.engines import _engine, pytest_addoption, pytest_collection_modifyitems, pytest_configure
from tests.rounds import rounds

__all__ = ["_engine", "pytest_addoption", "pytest_collection_modifyitems", "pytest_configure"]

settings.register_profile("engrain", derandomize=True, deadline=None, database=None, max_examples=rounds(100))
settings.load_profile("engrain")
children.prepare()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Give slow tests no time-out."""
    if item.get_closest_marker("slow"):
        item.add_marker(pytest.mark.timeout(0))


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Look for no garbage while tests are collected, which live until the end: it takes a quarter of the time."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()


def pytest_collection_finish() -> None:
    """Exclude the collected tests from garbage collection: they are many and live until the end."""
    gc.collect()
    gc.freeze()


@pytest.fixture(autouse=True)
def _closed_stores() -> Iterator[None]:
    """Close the stores that a test leaves open: from Python 3.13 on, collecting an open connection gives a warning."""
    before = WeakSet(forks._stores)
    yield
    for store in [each for each in forks._stores if each not in before]:
        cast(Store, store).close()


@pytest.fixture
def clock() -> FrozenClock:
    """A clock frozen at noon of 5 January 2026, a Monday, until it is advanced."""
    return FrozenClock("2026-01-05T12:00:00+00:00")


@pytest.fixture
def memory(tmp_path: Path, clock: FrozenClock) -> Iterator[engrain.MemoryManager]:
    """An empty memory on disk with the built-in embedder."""
    with engrain.MemoryManager(tmp_path / "memory.db", clock=clock) as manager:
        yield manager


@pytest.fixture
def anyio_backend() -> str:
    """The event loop of tests marked `anyio`."""
    return "asyncio"


@pytest.fixture(scope="session")
def _home_folders(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Numbered home folders: `mktemp` would list the parent folder each time to find its next number."""
    parent = tmp_path_factory.mktemp("homes")
    return (_created(parent / str(number)) for number in count())


def _created(folder: Path) -> Path:
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _isolated_environment(monkeypatch: pytest.MonkeyPatch, _home_folders: Iterator[Path]) -> None:
    """Hide the settings and the store of the account that runs the tests."""
    providers = ("ANTHROPIC_", "GEMINI_", "GOOGLE_", "OLLAMA_", "OPENAI_", "OPENROUTER_", "VLLM_")
    for name in [name for name in os.environ if name.startswith(("ENGRAIN_", *providers))]:
        monkeypatch.delenv(name)
    for name in [name for name in os.environ if name.lower() in ("all_proxy", "http_proxy", "https_proxy")]:
        monkeypatch.delenv(name)  # servers of tests are on this machine
    home = next(_home_folders)
    monkeypatch.setenv("HOME", str(home))
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(home / name))


def _refuse_network(event: str, arguments: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = arguments[0]
    elif event == "socket.connect" and isinstance(arguments[1], tuple):
        host = arguments[1][0]
    else:
        return
    host = host.decode() if isinstance(host, bytes) else host
    if host not in (None, "", "localhost") and not _is_loopback(str(host)):
        raise RuntimeError(f"a test opened a connection to the network: {host}")


def _is_loopback(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


sys.addaudithook(_refuse_network)
