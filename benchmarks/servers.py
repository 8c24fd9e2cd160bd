"""Databases of a PostgreSQL server that are made for a run and dropped at its end, and its bare operations."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote, urlencode
from uuid import uuid4

import numpy as np
import psycopg
from psycopg import conninfo, errors, sql

from benchmarks.metrics import Floats, Ints
from benchmarks.report import Row, Timings, by_clock
from benchmarks.stores import BareScan, Stores
from engrain import ConfigError, StoreUnavailable
from engrain.storage.postgres import PostgresStore

_Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
_BARE = "bare"  # the database of the bare operations
_LOADED = 2_000  # vectors in one statement
_SHARDS = 16


@contextmanager
def server_stores(url: str, purpose: str) -> Iterator[ServerStores]:
    """Lend databases of the server of a URL, which are dropped at the end.

    Raises:
        ConfigError: The URL cannot be read.
        StoreUnavailable: The server cannot be reached.
    """
    try:
        known = conninfo.conninfo_to_dict(url)
    except psycopg.ProgrammingError:  # its text may hold a part of the password
        raise ConfigError(
            "the URL of the server cannot be read: write postgresql://user:password@host:5432/database"
        ) from None
    try:
        connection: _Connection = psycopg.connect(
            url, autocommit=True, connect_timeout=known.get("connect_timeout", 10)
        )
    except psycopg.Error as error:
        reason = str(error).strip().partition("\n")[0].replace(url, "the URL")
        raise StoreUnavailable(f"the server for the stores of this run cannot be reached: {reason}") from error
    with connection:
        stores = ServerStores(connection, known, purpose)
        try:
            yield stores
        finally:
            stores.close()


class ServerStores(Stores):
    """Databases named `engrain_`, the purpose and random letters; the one that the URL names is not written to.

    This process sees nothing of the server's work but the time that it waits, so figures are compared by the clock.
    """

    open_limit, scan_limit = "connecting and SELECT 1", "pgvector's exact scan of a bare table, halfvec"
    parameter, number_column = "%s", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"
    graph_size = "SELECT pg_total_relation_size('bare_relation')"

    def __init__(self, connection: _Connection, known: Mapping[str, Any], purpose: str) -> None:
        self._connection, self._known = connection, known
        self._names = (f"engrain_{purpose}_{uuid4().hex[:12]}_{number}" for number in count())
        self._made: dict[str, str] = {}
        self._open: list[_Connection] = []
        self._spread: list[tuple[str, str, int]] = []  # stores and the nodes that they are spread over
        (number,) = _row(connection, "SELECT split_part(current_setting('server_version'), ' ', 1)")
        found = connection.execute(
            "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
        self.server = {"PostgreSQL": number, "pgvector": found[0] if found else "none"}

    def address(self, name: str) -> str:
        if name not in self._made:
            database = next(self._names)
            make = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8'").format(sql.Identifier(database))
            try:
                self._connection.execute(make)
            except errors.InsufficientPrivilege as error:
                user = self._connection.info.user
                raise ConfigError(
                    f"the stores of this run are databases of their own, which {user} may not make there: name "
                    f'a role that may, or an administrator runs ALTER ROLE "{user}" CREATEDB;'
                ) from error
            self._made[name] = database
        parts = {**self._known, "dbname": None}
        query = urlencode({key: value for key, value in parts.items() if value}, quote_via=quote)
        return f"postgresql:///{self._made[name]}?{query}"

    def drop(self, name: str) -> None:
        if database := self._made.pop(name, None):
            drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database))
            self._connection.execute(drop)
            for store, host, port in self._spread:
                if store == name:
                    with self._at(host, port) as connection:
                        connection.execute(drop)

    def size(self, name: str) -> int:
        query = "SELECT pg_database_size(%s) - pg_database_size('template1')"  # without those of an empty one
        return int(_row(self._connection, query, self._made[name])[0])

    def open_bare(self, name: str) -> None:
        with closing(psycopg.connect(self.address(name), autocommit=True)) as connection:
            connection.execute("SELECT 1").fetchone()

    def connect_bare(self) -> _Connection:
        connection: _Connection = psycopg.connect(self.address(_BARE), autocommit=True, prepare_threshold=2)
        self._open.append(connection)
        return connection

    def among(self, numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[object]]]:
        yield "= ANY(%s)", [list(numbers)]

    def bare_scan(self, vectors: Floats) -> BareScan:
        return _Scan(self.connect_bare(), vectors)

    def server_processes(self) -> list[int]:
        found = self._connection.execute(
            "SELECT pid FROM pg_stat_activity WHERE datname = ANY(%s)", (list(self._made.values()),)
        )
        return [int(pid) for (pid,) in found]

    def nodes(self) -> list[tuple[str, int]]:
        with suppress(errors.UndefinedTable):
            found = self._connection.execute("SELECT nodename, nodeport FROM pg_dist_node ORDER BY groupid")
            return [(host, port) for host, port in found]
        return []

    def spread(self, name: str, nodes: int) -> None:
        for host, port in self.nodes()[:nodes]:
            if (name, host, port) in self._spread:
                continue
            database, first = self._made[name], not any(store == name for store, *_ in self._spread)
            self._spread.append((name, host, port))
            if not first:
                with self._at(host, port) as connection:
                    connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(database)))
            with self._at(host, port, database) as connection:
                connection.execute("CREATE EXTENSION citus")
                connection.execute("CREATE EXTENSION vector")
            with closing(psycopg.connect(self.address(name), autocommit=True)) as coordinator:
                if first:
                    coordinator.execute("SELECT citus_set_coordinator_host(%s, %s)", (host, port))
                    takes_shards = "SELECT citus_set_node_property(%s, %s, 'shouldhaveshards', true)"
                    coordinator.execute(takes_shards, (host, port))
                    with closing(PostgresStore(self.address(name))) as store:
                        store.distribute(shards=_SHARDS)
                else:
                    coordinator.execute("SELECT citus_add_node(%s, %s)", (host, port))
                    coordinator.execute("SELECT rebalance_table_shards(shard_transfer_mode => 'block_writes')")

    def nodes_cpu_ms(self) -> float:
        total, places = 0.0, list[tuple[str | None, int | None]](self.nodes())
        for host, port in places or [(None, None)]:
            with self._at(host, port) as connection:
                total += _cpu_ms(connection.info.backend_pid)
        return total

    @contextmanager
    def _at(self, host: str | None, port: int | None, database: str | None = None) -> Iterator[_Connection]:
        """Connect to a node, to the URL's database there or to another one."""
        given = {"host": host, "port": port, "dbname": database}
        place = conninfo.make_conninfo("", **{**self._known, **{name: each for name, each in given.items() if each}})
        with closing(psycopg.connect(place, autocommit=True)) as connection:
            yield connection

    def compare(self, row: Row, limit: str, taken: Timings) -> Row:
        return by_clock(row, limit, taken)

    def close(self) -> None:
        """Drop every database that was made, if the server is still there."""
        for connection in self._open:
            connection.close()
        with suppress(psycopg.OperationalError):
            for name in list(self._made):
                self.drop(name)


class _Scan:
    """The nearest by pgvector in a table that holds nothing but vectors, without an index, in 16 bits."""

    def __init__(self, connection: _Connection, vectors: Floats) -> None:
        self._connection = connection
        dimensions = vectors.shape[1]
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("DROP TABLE IF EXISTS bare_vector")
        connection.execute(f"CREATE TABLE bare_vector (num bigint, v halfvec({dimensions}))".encode())
        for first in range(0, len(vectors), _LOADED):
            texts = [_text(vector) for vector in vectors[first : first + _LOADED]]
            connection.execute(
                "INSERT INTO bare_vector SELECT %s + n - 1, CAST(v AS halfvec) FROM "
                "unnest(CAST(%s AS text[])) WITH ORDINALITY t (v, n)",
                (first, texts),
            )
        connection.execute("VACUUM ANALYZE bare_vector")

    def nearest(self, query: Floats, k: int) -> Ints:
        """Return the k nearest rows, best first."""
        statement = "SELECT num FROM bare_vector ORDER BY v <#> CAST(%s AS halfvec) LIMIT %s"
        return np.array([num for (num,) in self._connection.execute(statement, (_text(query), k))], np.int64)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _cpu_ms(backend: int) -> float:
    """Return the CPU time of the server of one of its processes, with those that it had; 0 for another machine's."""
    times = dict[int, tuple[int, int, int]]()  # by process: its parent, its own time, and that of ended children
    for place in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            _, _, rest = place.read_text(encoding="utf-8", errors="replace").rpartition(") ")
            _, parent, *fields = rest.split()
            user, system, ended, in_system = map(int, fields[9:13])
            times[int(place.parent.name)] = int(parent), user + system, ended + in_system
    server = times.get(backend, (0, 0, 0))[0]
    own = times.get(server, (0, 0, 0))
    ticks = own[1] + own[2] + sum(each for parent, each, _ in times.values() if parent == server)
    return 1000 * ticks / os.sysconf("SC_CLK_TCK") if server else 0.0


def _text(vector: Floats) -> str:
    return f"[{','.join(map(repr, vector.astype(np.float16).tolist()))}]"


def _row(connection: _Connection, query: str, *params: object) -> tuple[Any, ...]:
    found = connection.execute(query.encode(), params or None).fetchone()
    assert found is not None
    return found
