"""PostgreSQL in place of SQLite: every store that a test opens by a path, or as ":memory:", is a database of a pool.

The file at the path names its database: it can be found, moved or removed as a store's file can, and processes that a
test starts open the same database. A database is emptied after its test and used again, which takes a tenth of the time
of creating one.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar
from weakref import ref

import psycopg
import pytest

from engrain import opening
from engrain.config import Settings
from engrain.errors import StoreUnavailable
from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.postgres.connections import Connections
from tests.postgres import cluster, servers

_STARTED = Path(__file__).parent / "started"  # imported first by a process that a test starts
_PREFIX = "TESTS_POSTGRES_PREFIX"  # variable with the prefix of the databases that such processes create
_DISTRIBUTED = "TESTS_POSTGRES_DISTRIBUTED"
_LINE = b"PostgreSQL database: "
_WARM = 16  # databases with open connections
_on_disk = opening.OPENERS[""]


def url_of(content: bytes) -> str | None:
    """Return the URL of the database that the content of a file names, None for any other content."""
    if not content.startswith(_LINE):
        return None
    return _named(content.removeprefix(_LINE).decode().split("\n", 1)[0])


def _named(database: str) -> str:
    return cluster.named(database) if _DISTRIBUTED in os.environ else servers.named(database)


def keep(path: Path) -> None:
    """Keep the closed store at a path until the run ends: copies of its file are copies of the store."""
    content = path.read_bytes()
    if not content.startswith(_LINE):
        return
    database, place = content.removeprefix(_LINE).decode().split("\n", 1)
    _PooledStore.leave(database)
    if _DISTRIBUTED in os.environ:
        kept = ClusterPool()._make(database)
    else:
        kept = servers.make(f"{os.environ[_PREFIX]}_{uuid.uuid4().hex}", of=database)
    path.write_bytes(_LINE + f"{kept}\n{place}".encode())


class _PooledStore(PostgresStore):
    """A store in a prepared database; its connections outlive it, for opening new ones takes longer than most tests."""

    _ready: ClassVar[dict[str, tuple[int, bool, str, bool]]] = {}
    _kept: ClassVar[dict[tuple[int, str], dict[int, Connections]]] = {}

    def _prepare(self) -> None:
        place = self._address.conninfo
        if place not in self._ready:
            super()._prepare()
            self._ready[place] = self.schema_version, self.read_only, self._path, self.on_citus
        self.schema_version, self.read_only, self._path, self.on_citus = self._ready[place]

    def _begin(self) -> None:
        super()._begin()
        kept = self._kept.setdefault((os.getpid(), self._address.conninfo), {})
        if id(self._connections) not in kept:  # one user more, which is not a store
            how: dict[str, Any] = {"most": self._most, "patience": self._patience, "settings": self._settings}
            kept[id(self._connections)] = Connections.shared(self._address, **how)

    @classmethod
    def leave(cls, database: str) -> None:
        """Close the connections to a database, so that it can be copied."""
        cls._close([place for place in cls._kept if f"dbname={database} " in f"{place[1]} "])

    @classmethod
    def end(cls, most: int = 0) -> None:
        """Close all connections but those of the `most` newest databases."""
        cls._close([place for place in cls._kept if place[0] == os.getpid()][: -most or None])

    @classmethod
    def _close(cls, places: list[tuple[int, str]]) -> None:
        for connections in [each for place in places for each in cls._kept.pop(place).values()]:
            connections.close()


class DatabasePool:
    """The databases of the tests of one process, and the stores that they opened in them."""

    def __init__(self, *, reuses: bool = True) -> None:
        self._owner = os.getpid() if reuses else 0
        self._free: list[str] = []
        self._acquired: list[str] = []
        self._opened: list[ref[PostgresStore]] = []

    def open(self, name: str, settings: Settings) -> Store:
        """Open the database of a path; for ":memory:", a database without a path."""
        if name == ":memory:":
            return self._open(self._acquire(), settings)
        path = Path(name).expanduser().absolute()
        if not path.parent.is_dir():
            raise StoreUnavailable(f"the folder {path.parent} does not exist: create it first", path=str(path))
        if not path.exists():
            self._write_file(path, self._acquire())
        if not (content := path.read_bytes()):  # made by a test, as an empty store
            path.unlink()
            return self.open(name, settings)
        if not content.startswith(_LINE):
            return _on_disk(name, settings)
        database, place = content.removeprefix(_LINE).decode().split("\n", 1)
        if place != str(path) and Path(place).exists():  # a copy of the file is a copy of the store
            database = self._acquire(of=database)
            path.unlink()
            self._write_file(path, database)
        return self._open(database, settings)

    def _write_file(self, path: Path, database: str) -> None:
        with TemporaryDirectory(dir=path.parent) as folder:
            written = Path(folder, "database")
            written.write_bytes(_LINE + f"{database}\n{path}".encode())
            with suppress(FileExistsError):  # another process was first
                os.link(written, path)

    def _acquire(self, *, of: str | None = None) -> str:
        if of is not None:
            _PooledStore.leave(of)
        if os.getpid() != self._owner:  # a started or forked process, which cannot return it to the pool
            return self._make(of, os.environ[_PREFIX])
        free = self._free if of is None else []
        database = free.pop() if free else self._make(of)
        self._acquired.append(database)
        return database

    def _make(self, of: str | None, prefix: str = "engrain_pool") -> str:
        return servers.make(f"{prefix}_{uuid.uuid4().hex}", of)

    def _empty(self, database: str) -> None:
        with psycopg.connect(servers.named(database), autocommit=True) as connection:
            connection.execute(servers.EMPTY.encode())
            connection.execute("INSERT INTO engrain.org (name) VALUES ('')")

    def _open(self, database: str, settings: Settings) -> Store:
        url = _named(database)
        store = _PooledStore(url, durability=settings.durability, rewrite_upto=settings.rewrite_upto)
        self._opened.append(ref(store))
        return store

    def mark(self) -> tuple[int, int]:
        """Return how many databases were acquired and stores opened so far."""
        return len(self._acquired), len(self._opened)

    def release(self, since: tuple[int, int] = (0, 0)) -> None:
        """Close the stores opened, and empty the databases acquired, since a mark."""
        acquired, opened = since
        for opener in self._opened[opened:]:
            if (store := opener()) is not None:
                store.close()
        del self._opened[opened:]
        for database in self._acquired[acquired:]:
            self._empty(database)
            self._free.append(database)
        del self._acquired[acquired:]
        _PooledStore.end(most=_WARM)

    def end(self) -> None:
        """Drop all databases, and those created by processes that tests started."""
        _PooledStore.end()
        for database in [*self._free, *self._acquired, *servers.beginning(os.environ[_PREFIX])]:
            servers.drop(database)


class ClusterPool(DatabasePool):
    """The same on a Citus cluster."""

    def _make(self, of: str | None, prefix: str = "") -> str:
        database = self._free.pop() if self._free else cluster.make().rpartition("/")[2]
        if of is not None:
            cluster.copy(cluster.named(of), cluster.named(database))
        return database

    def _empty(self, database: str) -> None:
        cluster.empty(cluster.named(database))

    def end(self) -> None:
        """Close all connections: the cluster drops its databases itself."""
        _PooledStore.end()


def replace_sqlite(*, distributed: bool = False) -> DatabasePool:
    """Replace SQLite in this process and in those that it starts."""
    if distributed and not cluster.COORDINATOR:
        raise pytest.UsageError(cluster.WITHOUT)
    os.environ[_PREFIX] = f"engrain_started_{uuid.uuid4().hex[:8]}"
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_STARTED), str(Path(__file__).parents[2]), *filter(None, known)])
    if distributed:
        os.environ[_DISTRIBUTED] = "1"
        return ClusterPool()
    servers.template()
    return DatabasePool()


def replace_sqlite_in_child() -> None:
    """Replace SQLite in a process that a test started."""
    pool = ClusterPool if _DISTRIBUTED in os.environ else DatabasePool
    opening.OPENERS[""] = pool(reuses=False).open
