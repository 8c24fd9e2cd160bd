"""Databases of a PostgreSQL server that are made for a run and dropped at its end, and what the server can do bare."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from itertools import count
from typing import Any, Final, TypeAlias
from urllib.parse import quote, urlencode
from uuid import uuid4

import psycopg
from psycopg import conninfo, errors, sql

from engrain.arrays import Floats, Ints, np
from engrain.errors import ConfigError, StoreUnavailable
from engrain.evaluation import limits
from engrain.evaluation.figures import Row, Timings, by_clock
from engrain.lazy import library

_Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]
_BARE: Final = "bare"  # the database of what stands beside ours
_LOADED = 2_000  # vectors in one statement


@contextmanager
def made(url: str, purpose: str) -> Iterator[Databases]:
    """Lend databases of the server of a URL, which are dropped at the end.

    A URL that cannot be read is a `ConfigError`, a server that cannot be reached a `StoreUnavailable`.
    """
    # Else what the driver says of it might hold a part of its password.
    library("engrain.storage.postgres.connections", extra="postgres").Address(url)
    try:
        known = conninfo.conninfo_to_dict(url)
        connection: _Connection = psycopg.connect(
            url, autocommit=True, connect_timeout=known.get("connect_timeout", 10)
        )
    except psycopg.Error as error:
        said = str(error).strip().partition("\n")[0].replace(url, "the URL")
        raise StoreUnavailable(f"the server for the stores of this run cannot be reached: {said}") from error
    with connection:
        databases = Databases(connection, known, purpose)
        try:
            yield databases
        finally:
            databases.close()


class Databases:
    """Databases called `engrain_bench_` and random letters; nothing is written into the one that the URL names."""

    opening, scanning = "connecting and SELECT 1", "pgvector's exact scan of a bare table, halfvec"

    def __init__(self, connection: _Connection, known: Mapping[str, Any], purpose: str) -> None:
        self._connection, self._known = connection, known
        self._called = (f"engrain_{purpose}_{uuid4().hex[:12]}_{number}" for number in count())
        self._made: dict[str, str] = {}
        self._open: list[_Connection] = []
        (number,) = _row(connection, "SELECT split_part(current_setting('server_version'), ' ', 1)")
        found = connection.execute(
            "SELECT default_version FROM pg_available_extensions WHERE name = 'vector'"
        ).fetchone()
        self.server: Mapping[str, str] = {"PostgreSQL": number, "pgvector": found[0] if found else "none"}

    def at(self, name: str) -> str:
        """Return the URL of the database of a name."""
        if name not in self._made:
            database = next(self._called)
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

    def leave(self, name: str) -> None:
        """Drop the database, whoever is still in it."""
        if database := self._made.pop(name, None):
            gone = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(database))
            self._connection.execute(gone)

    def size(self, name: str) -> int:
        """Return the bytes of the database, without those of an empty one."""
        (taken,) = _row(
            self._connection,
            "SELECT pg_database_size(%s) - pg_database_size('template1')",
            self._made[name],
        )
        return int(taken)

    def inserts(self) -> limits.Inserts:
        """Return inserts into a bare table."""
        return _Inserts(self._bare())

    def graph(self) -> limits.Graph:
        """Return relations in a bare table."""
        return _Graph(self._bare())

    def scan(self, vectors: Floats) -> limits.Scan:
        """Return pgvector's scan of them, in 16 bits as ours are."""
        return _Scan(self._bare(), vectors)

    def _bare(self) -> _Connection:
        made: _Connection = psycopg.connect(
            self.at(_BARE), autocommit=True, cursor_factory=psycopg.RawCursor, prepare_threshold=2
        )
        self._open.append(made)
        return made

    def touch(self, name: str) -> None:
        """Connect to the database and ask it for a number."""
        with closing(psycopg.connect(self.at(name), autocommit=True)) as connection:
            connection.execute("SELECT 1").fetchone()

    def beside(self, row: Row, limit: str, taken: Timings) -> Row:
        """Compare by the clock."""
        return by_clock(row, limit, taken)

    def close(self) -> None:
        """Drop every database that was made, if the server is still there."""
        for connection in self._open:
            connection.close()
        with suppress(psycopg.OperationalError):
            for name in list(self._made):
                self.leave(name)


class _Inserts:
    """Inserts of the text alone, each as durable as the server makes a commit."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        connection.execute("DROP TABLE IF EXISTS bare")
        connection.execute("CREATE TABLE bare (num bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, content text)")

    def one(self, content: str) -> None:
        """Insert a text in a transaction of its own."""
        self._connection.execute("INSERT INTO bare (content) VALUES ($1)", (content,))

    def many(self, contents: Iterable[str]) -> None:
        """Insert texts in one transaction."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany("INSERT INTO bare (content) VALUES ($1)", [(content,) for content in contents])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Graph:
    """Relations in a table of three columns with an index from either end."""

    def __init__(self, connection: _Connection) -> None:
        self._connection = connection
        connection.execute("DROP TABLE IF EXISTS bare_relation")
        connection.execute("CREATE TABLE bare_relation (source bigint, relation text, target bigint)")
        connection.execute("CREATE INDEX ON bare_relation (source, relation, target)")
        connection.execute("CREATE INDEX ON bare_relation (target, relation, source)")

    def add(self, relations: Iterable[tuple[int, str, int]]) -> None:
        """Insert relations in one transaction."""
        with self._connection.transaction(), self._connection.cursor() as cursor:
            cursor.executemany("INSERT INTO bare_relation VALUES ($1, $2, $3)", list(relations))

    def walk(self, start: int, steps: int) -> int:
        """Return how many are within some steps, level by level."""
        return limits.walked(start, steps, self._around)

    def _around(self, entities: Sequence[int]) -> Iterable[int]:
        for here, there in (("source", "target"), ("target", "source")):
            asked = f"SELECT source, relation, target, {there} FROM bare_relation WHERE {here} = ANY($1)"
            yield from (row[3] for row in self._connection.execute(asked.encode(), (list(entities),)))

    def bytes(self) -> int:
        """Return the size of the table and its indexes."""
        return int(_row(self._connection, "SELECT pg_total_relation_size('bare_relation')")[0])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class _Scan:
    """The nearest by pgvector in a table that holds nothing but vectors, without an index."""

    def __init__(self, connection: _Connection, vectors: Floats) -> None:
        self._connection = connection
        dimensions = vectors.shape[1]
        connection.execute("CREATE EXTENSION IF NOT EXISTS vector")
        connection.execute("DROP TABLE IF EXISTS bare_vector")
        connection.execute(f"CREATE TABLE bare_vector (num bigint, v halfvec({dimensions}))".encode())
        for first in range(0, len(vectors), _LOADED):
            texts = [_text(vector) for vector in vectors[first : first + _LOADED]]
            connection.execute(
                "INSERT INTO bare_vector SELECT $1 + n - 1, CAST(v AS halfvec) FROM "
                "unnest(CAST($2 AS text[])) WITH ORDINALITY t (v, n)",
                (first, texts),
            )
        connection.execute("VACUUM ANALYZE bare_vector")

    def find(self, query: Floats, k: int) -> Ints:
        """Return the k nearest rows, best first."""
        asked = "SELECT num FROM bare_vector ORDER BY v <#> CAST($1 AS halfvec) LIMIT $2"
        return np.array([num for (num,) in self._connection.execute(asked, (_text(query), k))], np.int64)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _text(vector: Floats) -> str:
    return f"[{','.join(map(repr, vector.astype(np.float16).tolist()))}]"


def _row(connection: _Connection, query: str, *params: object) -> tuple[Any, ...]:
    found = connection.execute(query.encode(), params or None).fetchone()
    assert found is not None
    return found
