"""One browser and one server for the tests of this package, each of which has an organisation of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.console.browsers import Served, browsing, serving


@pytest.fixture(scope="package")  # and no longer: Playwright marks the thread as running a loop while it is open
def browser() -> Iterator[Browser]:
    """A browser."""
    with browsing() as found:
        yield found


@pytest.fixture(scope="package")
def served(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with keys."""
    folder: Path = tmp_path_factory.mktemp("served")
    with serving(browser, str(folder / "memory.db"), folder / "log") as found:
        yield found
