"""Direct access to the rows of a store, as its administrator reads and changes them, on either engine."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from importlib import import_module
from itertools import count
from pathlib import Path
from typing import Any, Protocol

_TABLES = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name",
    "postgres": "SELECT tablename FROM pg_tables WHERE schemaname = 'engrain' ORDER BY tablename",
}

_KNOWN = """INSERT INTO engrain.writer (org, "user") VALUES ('default', '') ON CONFLICT DO NOTHING"""
_TURN = """SELECT "user" FROM engrain.writer WHERE org = 'default' FOR UPDATE"""  # of the org's writers
_BUSY = """EXISTS (
    SELECT FROM pg_stat_activity
    WHERE datname = current_database() AND xact_start IS NOT NULL AND pid <> pg_backend_pid()
)"""  # whoever is in a transaction
_FILES = """
SELECT pg_read_binary_file(folder || '/' || name, true)
FROM pg_database CROSS JOIN LATERAL (VALUES ('base/' || oid), ('pg_wal')) held (folder)
CROSS JOIN LATERAL pg_ls_dir(folder) name
WHERE datname = current_database() AND NOT (pg_stat_file(folder || '/' || name)).isdir
"""


class Connection(Protocol):
    """What a connection of either engine can do."""

    def execute(self, statement: str, params: Sequence[object] = (), /) -> Any: ...


@contextmanager
def behind(place: str | os.PathLike[str]) -> Iterator[Connection]:
    """Connect to the store at a path, or of a URL, past everything that guards it; keep what was changed."""
    url = url_of(place)
    if url is None:
        with closing(sqlite3.connect(place)) as connection, connection:
            yield connection
        return
    psycopg = import_module("psycopg")
    with psycopg.connect(url, cursor_factory=psycopg.RawCursor) as connection:
        connection.execute("SET search_path = engrain, public")
        connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")  # the next one on each node of a cluster
        connection.execute("SET LOCAL session_replication_role = replica")  # foreign keys are off, as in the other one
        connection.execute("SET LOCAL engrain.org = 'default'")
        yield _Numbered(connection)


@contextmanager
def holding(place: str | os.PathLike[str]) -> Iterator[None]:
    """Write to the store at a path, as another process would, until the end: others wait for their turn."""
    with behind(place) as connection:
        if isinstance(connection, sqlite3.Connection):
            connection.execute("BEGIN IMMEDIATE")
        else:
            connection.execute(_KNOWN)
            connection.execute(_TURN)
        yield
        connection.execute("ROLLBACK")


def is_held(place: str | os.PathLike[str]) -> bool:
    """Return whether a connection writes to the store now; on a server, also whether one reads."""
    with behind(place) as connection:
        if not isinstance(connection, sqlite3.Connection):
            ((busy,),) = connection.execute(f"SELECT {_BUSY}").fetchall()
            return bool(busy)
        connection.execute("PRAGMA busy_timeout = 0")
        try:
            connection.execute("BEGIN IMMEDIATE")
        except sqlite3.OperationalError:
            return True
        connection.execute("ROLLBACK")
        return False


@contextmanager
def reading(place: str | os.PathLike[str]) -> Iterator[None]:
    """Hold a view of the rows as they are now, as a reader does in the middle of its transaction."""
    with behind(place) as connection:
        on_disk = isinstance(connection, sqlite3.Connection)
        connection.execute("BEGIN" if on_disk else "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        connection.execute("SELECT count(*) FROM memory").fetchone()
        yield


def standing(place: str | os.PathLike[str], traces: Iterable[str]) -> list[str]:
    """Return which of these stand in any file of the store's folder, or of its database and its log on each server."""
    url = url_of(place)
    if url is None:
        files = [path.read_bytes() for path in sorted(Path(place).parent.rglob("*")) if path.is_file()]
    else:
        files = []
        for node in _nodes(url):
            with import_module("psycopg").connect(node, autocommit=True) as connection:
                connection.execute("CHECKPOINT")
                files += [held for (held,) in connection.execute(_FILES) if held is not None]
    everything = b"\n".join(files).lower()
    return [trace for trace in traces if trace.lower().encode() in everything]


def _nodes(url: str) -> list[str]:
    """Return the URLs of a database on every server that has it: on a cluster each node."""
    psycopg = import_module("psycopg")
    with psycopg.connect(url) as connection:
        if not connection.execute("SELECT FROM pg_extension WHERE extname = 'citus'").fetchall():
            return [url]
        places = connection.execute("SELECT nodename, nodeport FROM pg_dist_node").fetchall()
    return [psycopg.conninfo.make_conninfo(url, host=host, port=port) for host, port in places]


class _Numbered:
    """A connection that takes `?` for a value."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str, params: Sequence[object] = (), /) -> Any:
        numbers = count(1)
        return self._connection.execute(re.sub(r"\?", lambda _: f"${next(numbers)}", statement), params)


def url_of(place: str | os.PathLike[str]) -> str | None:
    """Return the URL of the database that is meant by a URL or stands for a path; None where it is a file."""
    if "://" in os.fspath(place):
        return str(place)
    said = Path(place).read_bytes()[:4096]
    if said.startswith(b"SQLite format 3\0"):
        return None
    found: str | None = import_module("tests.postgres.pool").url_of(said)
    return found


def keep(path: Path) -> None:
    """Keep the store at a path, which is closed, for other tests to copy its file."""
    if url_of(path) is not None:
        import_module("tests.postgres.pool").keep(path)


def tables(connection: Connection) -> list[str]:
    """Return the names of all tables."""
    engine = "sqlite" if isinstance(connection, sqlite3.Connection) else "postgres"
    return [name for (name,) in connection.execute(_TABLES[engine]).fetchall()]


def columns(connection: Connection, table: str) -> list[str]:
    """Return the names of a table's columns."""
    return [each[0] for each in connection.execute(f"SELECT * FROM {table} LIMIT 0").description]
