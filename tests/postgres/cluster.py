"""Databases of a Citus cluster for tests, where `ENGRAIN_TEST_CITUS_URL` names its coordinator, as a superuser.

A database is made on every node and distributed, emptied when its test is over, and lent to the next. Until the tests
end each node keeps a short log, which an erasure writes over and reads: with the default gigabyte it takes minutes.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import uuid
from contextlib import closing

import psycopg
from psycopg import conninfo

from engrain.storage.postgres import PostgresStore, schema
from tests.postgres import servers

_NAMED = "TESTS_CITUS_COORDINATOR"  # for the processes that tests start, from which all settings are hidden
_STARTED = _NAMED in os.environ  # whether a test started this process
COORDINATOR = os.environ.setdefault(_NAMED, os.environ.get("ENGRAIN_TEST_CITUS_URL", ""))
WITHOUT = "no Citus cluster: ENGRAIN_TEST_CITUS_URL names the coordinator of one"
_SHARDS = 4
_PARTS = "SET citus.override_table_visibility = off; SET citus.enable_manual_changes_to_shards = on;"
_SMALLEST = "SELECT 2 * setting::bigint / 1048576 || 'MB' FROM pg_settings WHERE name = 'wal_segment_size'"
_LOG = {"min_wal_size": _SMALLEST, "max_wal_size": "SELECT '64MB'"}
_WRITTEN = """SELECT string_agg(quote_ident(attname), ', ') FROM pg_attribute
    WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"""
_SEQUENCES = "SELECT format('%I.%I', schemaname, sequencename), last_value FROM pg_sequences WHERE last_value > 0"
_free: list[str] = []
_BEGINNING = os.environ.setdefault("TESTS_CITUS_DATABASES", f"engrain_cluster_{uuid.uuid4().hex[:8]}")


def nodes() -> list[tuple[str, int]]:
    """Return the host and the port of each node, the coordinator first."""
    with psycopg.connect(COORDINATOR) as connection:
        return connection.execute("SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid").fetchall()


def on_each(statement: str, database: str = "") -> None:
    """Carry out a statement on every node."""
    for host, port in nodes():
        place = conninfo.make_conninfo(COORDINATOR, host=host, port=port, **({"dbname": database} if database else {}))
        with psycopg.connect(place, autocommit=True) as connection:
            connection.execute(statement.encode())


def _databases() -> list[str]:
    """Return the databases that these tests made."""
    with psycopg.connect(COORDINATOR) as connection:
        asked = "SELECT datname FROM pg_database WHERE starts_with(datname, %s)"
        return [name for (name,) in connection.execute(asked, [_BEGINNING])]


def make(*, distributed: bool = True) -> str:
    """Make a database with a store in it; return its URL."""
    name = f"{_BEGINNING}_{uuid.uuid4().hex[:12]}"
    if not _STARTED and not _databases():
        with psycopg.connect(COORDINATOR) as connection:
            values = [str(connection.execute(asked.encode()).fetchall()[0][0]) for asked in _LOG.values()]
        for setting, value in zip(_LOG, values, strict=True):
            on_each(f"ALTER SYSTEM SET {setting} = '{value}'")
        on_each("SELECT pg_reload_conf()")
    on_each(f"CREATE DATABASE {name}")
    on_each("CREATE EXTENSION citus", name)
    on_each("CREATE EXTENSION vector", name)
    url = named(name)
    first, *others = nodes()
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SELECT citus_set_coordinator_host(%s, %s)", first)
        for node in others:
            connection.execute("SELECT citus_add_node(%s, %s)", node)
    with closing(PostgresStore(url)) as store:
        if distributed:
            store.distribute(shards=_SHARDS)
    return url


def drop() -> None:
    """Drop all databases, those that started processes made too, with any open connections; restore the settings."""
    for name in (made := _databases()):
        on_each(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
    for statement in (*(f"ALTER SYSTEM RESET {name}" for name in _LOG), "SELECT pg_reload_conf()") if made else ():
        on_each(statement)


if COORDINATOR and not _STARTED:
    atexit.register(drop)


def at(place: str) -> str:
    """Return the URL of the distributed store that a place has, empty at first, in the processes of a test too."""
    called = _called(place)
    if called not in os.environ:
        os.environ[called] = _free.pop() if _free else make()
    return os.environ[called]


def _called(place: str) -> str:
    return f"TESTS_CITUS_{hashlib.sha256(place.encode()).hexdigest()[:16]}"


def leave(place: str) -> None:
    """Empty the store of a place, after closing its connections."""
    url = os.environ.pop(_called(place))
    empty(url)
    _free.append(url)


def empty(url: str) -> None:
    """Remove all rows of a distributed store, part by part: TRUNCATE of all of them takes ten times as long."""
    on_each(_PARTS + servers.EMPTY, url.rpartition("/")[2])
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("INSERT INTO engrain.org (name) VALUES ('')")


def copy(url: str, into: str) -> None:
    """Copy all rows of a distributed store into an empty one."""
    with psycopg.connect(url) as source, psycopg.connect(into, autocommit=True) as target:
        target.execute("DELETE FROM engrain.org")
        for (table,) in schema.asked(source, "tables_in_order"):
            columns = source.execute(_WRITTEN, [f"engrain.{table}"]).fetchall()[0][0]
            read = f"COPY (SELECT {columns} FROM engrain.{table}) TO STDOUT (FORMAT binary)"
            written = f"COPY engrain.{table} ({columns}) FROM STDIN (FORMAT binary)"
            with source.cursor().copy(read.encode()) as rows, target.cursor().copy(written.encode()) as copied:
                for part in rows:
                    copied.write(part)
        for sequence, last in source.execute(_SEQUENCES).fetchall():
            target.execute("SELECT setval(%s, %s)", [sequence, last])


def named(database: str) -> str:
    """Return the URL of a database of the cluster."""
    return f"{COORDINATOR.rpartition('/')[0]}/{database}"
