"""PostgreSQL in the place of SQLite: whatever a test opens by a path, or as ":memory:", is a database of a server.

A file at the path says which database stands for it: it can be looked for, moved or removed as a store's file can, and
processes that a test starts find the same database. Databases are emptied when their test is over and lent to the next,
which is a tenth of the work of making one.
"""

from __future__ import annotations

import os
import uuid
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import ClassVar
from weakref import ref

import psycopg

from engrain import opening
from engrain.config import Settings
from engrain.errors import StoreUnavailable
from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.postgres.connections import Connections
from tests.postgres import servers

_STARTED = Path(__file__).parent / "started"  # what Python runs first in a process that a test starts
_LENDER = "TESTS_POSTGRES_LENDER"  # by which the databases are known that such processes make
_LINE = b"stands for a PostgreSQL database: "
_WARM = 16  # databases that connections are kept of
_on_disk = opening.OPENERS[""]

# Superusers pass the walls; the role switches off triggers and foreign keys. What has grown is cut, which is slower.
_EMPTY = """
SET session_replication_role = replica;
DO $$
DECLARE
    held record;
BEGIN
    PERFORM pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle';
    FOR held IN
        SELECT oid::regclass AS place, relkind, pg_relation_size(oid) AS size FROM pg_class
        WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'S')
    LOOP
        IF held.relkind = 'S' THEN
            PERFORM setval(held.place, 1, false);
        ELSIF held.size > 262144 THEN
            EXECUTE format('TRUNCATE %s CASCADE', held.place);
        ELSIF held.size > 0 THEN
            EXECUTE format('DELETE FROM %s', held.place);
        END IF;
    END LOOP;
    INSERT INTO engrain.org (name) VALUES ('') ON CONFLICT DO NOTHING;
END
$$
"""


def url_of(said: bytes) -> str | None:
    """Return the URL of the database that a file names which stands for one."""
    if not said.startswith(_LINE):
        return None
    return servers.named(said.removeprefix(_LINE).decode().split("\n", 1)[0])


def keep(path: Path) -> None:
    """Keep the store at a path, which is closed, until the run ends: copies of its file are copies of it."""
    said = path.read_bytes()
    if not said.startswith(_LINE):
        return
    database, place = said.removeprefix(_LINE).decode().split("\n", 1)
    kept = f"{os.environ[_LENDER]}_{uuid.uuid4().hex}"
    _Standing.leave(database)
    servers.make(kept, of=database)
    path.write_bytes(_LINE + f"{kept}\n{place}".encode())


class _Kept(Connections):
    """Connections that outlive their store: to make new ones takes the server longer than most tests do."""

    def close(self) -> None:
        """Keep them for the next store."""

    def end(self) -> None:
        """Close them."""
        super().close()


class _Standing(PostgresStore):
    """A store in a database that is known to be ready, by connections that may have been another's."""

    _ready: ClassVar[dict[str, tuple[int, bool, str, bool]]] = {}
    _kept: ClassVar[dict[tuple[int, str, int, float], _Kept]] = {}

    def _prepare(self) -> None:
        place = self._address.conninfo
        if place not in self._ready:
            super()._prepare()
            self._ready[place] = self.schema_version, self.read_only, self._path, self.on_citus
        self.schema_version, self.read_only, self._path, self.on_citus = self._ready[place]

    def _connected(self) -> Connections:
        place = os.getpid(), self._address.conninfo, self._most, self._patience
        if place not in self._kept:
            self._kept[place] = _Kept(self._address, most=self._most, patience=self._patience)
        return self._kept[place]

    @classmethod
    def leave(cls, database: str) -> None:
        """Close the connections to a database, so that it can be copied."""
        for place in [place for place in cls._kept if f"dbname={database} " in f"{place[1]} "]:
            cls._kept.pop(place).end()

    @classmethod
    def end(cls, most: int = 0) -> None:
        """Close all connections but those of so many databases."""
        for place in [place for place in cls._kept if place[0] == os.getpid()][: -most or None]:
            cls._kept.pop(place).end()


class Lender:
    """The databases that the tests of one process are lent, and the stores that they opened in them."""

    def __init__(self, *, lends: bool = True) -> None:
        self._owner = os.getpid() if lends else 0
        self._free: list[str] = []
        self._lent: list[str] = []
        self._opened: list[ref[PostgresStore]] = []

    def open(self, name: str, settings: Settings) -> Store:
        """Open the database that stands for the path of a store; for ":memory:", one that nothing else stands for."""
        if name == ":memory:":
            return self._open(self._lend(), settings)
        path = Path(name).expanduser().absolute()
        if not path.parent.is_dir():
            raise StoreUnavailable(f"the folder {path.parent} does not exist: create it first", path=str(path))
        if not path.exists():
            self._stand(path, self._lend())
        if not (said := path.read_bytes()):  # made by a test, as an empty store
            path.unlink()
            return self.open(name, settings)
        if not said.startswith(_LINE):
            return _on_disk(name, settings)
        database, place = said.removeprefix(_LINE).decode().split("\n", 1)
        if place != str(path) and Path(place).exists():  # a copy of the file is a copy of the store
            database = self._lend(of=database)
            path.unlink()
            self._stand(path, database)
        return self._open(database, settings)

    def _stand(self, path: Path, database: str) -> None:
        with TemporaryDirectory(dir=path.parent) as folder:
            said = Path(folder, "said")
            said.write_bytes(_LINE + f"{database}\n{path}".encode())
            with suppress(FileExistsError):  # another one was first
                os.link(said, path)

    def _lend(self, *, of: str | None = None) -> str:
        if of is not None:
            _Standing.leave(of)
        if os.getpid() != self._owner:  # a process that was started or forked, which is not there to take it back
            return servers.make(f"{os.environ[_LENDER]}_{uuid.uuid4().hex}", of)
        free = self._free if of is None else []
        database = free.pop() if free else servers.make(f"engrain_lent_{uuid.uuid4().hex}", of)
        self._lent.append(database)
        return database

    def _open(self, database: str, settings: Settings) -> Store:
        store = _Standing(servers.named(database), durability=settings.durability, rewrite_upto=settings.rewrite_upto)
        self._opened.append(ref(store))
        return store

    def mark(self) -> tuple[int, int]:
        """Return how much was lent and opened so far."""
        return len(self._lent), len(self._opened)

    def take_back(self, since: tuple[int, int] = (0, 0)) -> None:
        """Close what is open, and empty what was lent, since a mark."""
        lent, opened = since
        for opener in self._opened[opened:]:
            if (store := opener()) is not None:
                store.close()
        del self._opened[opened:]
        for database in self._lent[lent:]:
            with psycopg.connect(servers.named(database), autocommit=True) as connection:
                connection.execute(_EMPTY.encode())
            self._free.append(database)
        del self._lent[lent:]
        _Standing.end(most=_WARM)

    def end(self) -> None:
        """Drop all of them, and those that processes made which tests started."""
        _Standing.end()
        for database in [*self._free, *self._lent, *servers.beginning(os.environ[_LENDER])]:
            servers.drop(database)


def stand_in() -> Lender:
    """Stand in for SQLite in this process and in those that it starts."""
    os.environ[_LENDER] = f"engrain_started_{uuid.uuid4().hex[:8]}"
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join([str(_STARTED), str(Path(__file__).parents[2]), *filter(None, known)])
    servers.template()
    return Lender()


def started() -> None:
    """Stand in for SQLite in a process that was started by one that does."""
    opening.OPENERS[""] = Lender(lends=False).open
