"""Both engines from one definition: which one the tests run on, and how many of them open a store at all.

`--engine postgres` runs them on PostgreSQL: whatever a test opens by a path is a database there, and what is marked
`sqlite` is left out; `--engine citus` does so on the cluster whose coordinator `ENGRAIN_TEST_CITUS_URL` names.
`--through client` gives the tests of integrations a client of a server. `--quarter` takes a quarter of the tests, and
`--at-least N` fails a run in which fewer tests than that had passed with a store.
"""

from __future__ import annotations

import atexit
import os
import shutil
import sqlite3
import sys
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from uuid import uuid4

import pytest

from engrain import opening
from engrain.config import Settings
from engrain.storage.interface import Store
from engrain.storage.sqlite import schema
from engrain.storage.sqlite.files import ENVIRONMENT
from engrain.storage.sqlite.store import SQLiteStore
from tests.rounds import of_this_run, quarter

_OPENED = ("opened", "a store")


class Engines:
    """Records which tests open a store, and on PostgreSQL gives each a database of the pool."""

    def __init__(self, config: pytest.Config) -> None:
        engine = config.getoption("engine")
        self._pool = None
        if engine != "sqlite":
            self._pool = import_module("tests.postgres.pool").replace_sqlite(distributed=engine == "citus")
        self._open = self._pool.open if self._pool else opening.OPENERS[""]
        self._sharing: set[Path] = set()  # files whose tests share what a fixture opened
        self._item: pytest.Item | None = None
        self._in_test = self._opened = False
        opening.OPENERS[""] = self._open_recorded
        schema.migrate = _migrate
        sys.addaudithook(self._on_audit_event)

    def _open_recorded(self, name: str, settings: Settings) -> Store:
        self._record_opening()
        if self._pool is None:
            _make_empty(Path(name))
        return self._open(name, settings)

    def _on_audit_event(self, event: str, _: object) -> None:
        if event in ("subprocess.Popen", "os.fork", "os.posix_spawn"):
            self._record_opening()  # a process that a test starts may open one

    def _record_opening(self) -> None:
        self._opened = True
        if self._item is not None and not self._in_test:
            self._sharing.add(self._item.path)

    @contextmanager
    def isolated(self) -> Iterator[None]:
        """Assign what is opened to one test, and release it at the end."""
        mark = self._pool.mark() if self._pool else (0, 0)
        self._in_test, self._opened = True, False
        try:
            yield
        finally:
            self._in_test = False
            if self._pool:
                self._pool.release(mark)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(
        self, item: pytest.Item, nextitem: pytest.Item | None
    ) -> Generator[None, object, object]:
        """Note the running test; release what the tests of a file share after its last test."""
        self._item = item
        found = yield
        if self._pool and (nextitem is None or nextitem.path != item.path):
            self._pool.release()
        return found

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Report whether the test opened a store: another process may count them."""
        if call.when == "call" and (self._opened or item.path in self._sharing):
            item.user_properties.append(_OPENED)

    @pytest.hookimpl(trylast=True)
    def pytest_unconfigure(self) -> None:
        """Drop the databases of the pool."""
        if self._pool:
            self._pool.end()


@cache
def _empty_file() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="engrain-empty-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    SQLiteStore(folder / "empty.db").close()
    return folder / "empty.db"


def _make_empty(path: Path) -> None:
    """Make the file of an empty store by a copy: to make its schema is most of what opening a new one costs."""
    if str(path) == ":memory:" or os.environ.get(ENVIRONMENT) is not None or not path.parent.is_dir() or path.exists():
        return
    copy = _empty_file().with_name(f"{uuid4()}.db")
    shutil.copyfile(_empty_file(), copy)
    with suppress(OSError):  # somebody else was first, or nothing may be made there
        path.hardlink_to(copy)
    copy.unlink()


_MIGRATE = schema.migrate


@cache
def _empty_memory() -> sqlite3.Connection:
    connection = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
    atexit.register(connection.close)
    _MIGRATE(connection, ":memory:")
    return connection


def _migrate(connection: sqlite3.Connection, path: str) -> None:
    """Make the schema of a store in memory by a copy; do all else as it is."""
    if path == ":memory:":
        _empty_memory().backup(connection)
    else:
        _MIGRATE(connection, path)


class Count:
    """Counts, in the process that sees all reports, the tests that had a store."""

    def __init__(self, config: pytest.Config) -> None:
        self._engine: str = config.getoption("engine")
        self._least: int = config.getoption("at_least")
        self._passed = 0

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Count a passed test that opened a store."""
        if report.when == "call" and report.passed and any(tuple(each) == _OPENED for each in report.user_properties):
            self._passed += 1

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail a run with too few of them."""
        if self._passed < self._least:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Print how many they were."""
        said = f"{self._passed} tests with a store passed on {self._engine}"
        if few := self._passed < self._least:
            said += f": at least {self._least} were to"
        terminalreporter.write_line(said, red=few)


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of this module."""
    group = parser.getgroup("engrain")
    default = os.environ.get("ENGRAIN_TEST_ENGINE", "sqlite")
    engines = "sqlite", "postgres", "citus"
    group.addoption("--engine", choices=engines, default=default, help="what stores are opened on")
    group.addoption("--through", choices=("library", "client"), default="library", help="how integrations reach them")
    group.addoption("--quarter", action="store_true", help="take a quarter of the tests")
    group.addoption("--at-least", type=int, default=0, metavar="N", help="fail when fewer tests with a store passed")


def pytest_configure(config: pytest.Config) -> None:
    """Give each process of the run that has tests a server: an erasure searches the log, which all databases share."""
    workers = not hasattr(config, "workerinput") and bool(config.getoption("numprocesses", None))
    if not workers:
        config.pluginmanager.register(Engines(config), "engines")
    if not hasattr(config, "workerinput"):
        config.pluginmanager.register(Count(config), "count")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out most cases of a matrix, on PostgreSQL what is about SQLite, and what else was asked for."""
    taken = of_this_run(items)
    if config.getoption("engine") != "sqlite":
        taken = [each for each in taken if not each.get_closest_marker("sqlite")]
    if config.getoption("quarter"):
        taken = sorted(quarter(taken), key=items.index)
    config.hook.pytest_deselected(items=list(set(items) - set(taken)))
    items[:] = taken


@pytest.fixture(autouse=True)
def _engine(request: pytest.FixtureRequest) -> Iterator[None]:
    """Give a test databases of its own."""
    engines = request.config.pluginmanager.get_plugin("engines")
    assert isinstance(engines, Engines)
    with engines.isolated():
        yield
