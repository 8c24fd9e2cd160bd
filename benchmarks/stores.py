"""The temporary stores of a run, and what the engine under them can do bare: the limit beside every figure.

Stores are files in a folder that is deleted at the end, or databases that are made on a server for the run.
"""

from __future__ import annotations

import os
import sqlite3
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar, Protocol

import numpy as np

from benchmarks.metrics import Floats, Ints
from benchmarks.report import Row, Timings, by_cpu
from engrain import ConfigError, MemoryManager, Settings
from engrain.protocols import Embedder

NO_WORKER = Settings(worker="none")
"""Evaluations do queued work by `flush` alone: a sweep in the middle would end sessions and derive memories."""
_SERVERS = ("postgresql://", "postgres://")
_NUMBERS = 500  # in one statement of SQLite
_LOG = 6 << 20  # bytes: more than the pages after which SQLite begins its log again


class BareScan(Protocol):
    """An exact search of vectors and nothing else: the k nearest rows, best first."""

    def nearest(self, query: Floats, k: int) -> Ints: ...
    def close(self) -> None: ...


class Stores(ABC):
    """The stores of a run by name, and bare operations of the engine under them.

    `server` names a server's versions and is empty for files. `open_limit` and `scan_limit` say what the bare
    operations are. The rest is what differs in SQL: a parameter, a column that numbers rows, and the bytes of
    `bare_relation`.
    """

    server: Mapping[str, str] = {}
    open_limit: ClassVar[str]
    scan_limit: ClassVar[str]
    parameter: ClassVar[str]
    number_column: ClassVar[str]
    graph_size: ClassVar[str]

    @abstractmethod
    def address(self, name: str) -> str:
        """Return where a store is, as `MemoryManager` takes it; the first time it is a new, empty one."""

    @abstractmethod
    def drop(self, name: str) -> None:
        """Remove a store that is closed."""

    @abstractmethod
    def size(self, name: str) -> int:
        """Return the bytes that a store takes."""

    @abstractmethod
    def open_bare(self, name: str) -> None:
        """Do the least that opening a store must: reach it and ask it something."""

    @abstractmethod
    def connect_bare(self) -> Any:
        """Return a connection whose commits are as durable as the library's; every statement is a transaction."""

    @abstractmethod
    def among(self, numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[object]]]:
        """Yield SQL conditions with parameters that together match a column with any of some numbers."""

    @abstractmethod
    def bare_scan(self, vectors: Floats) -> BareScan:
        """Return an exact search of vectors, for the caller to close."""

    def server_processes(self) -> list[int]:
        """Return the process ids of the connections that are open on a server of this machine; none for files."""
        return []

    def nodes(self) -> list[tuple[str, int]]:
        """Return the host and the port of each node of a cluster, the coordinator first; none without one."""
        return []

    def spread(self, name: str, nodes: int) -> None:
        """Spread a store over the first nodes of a cluster."""
        raise ConfigError("there is no cluster")

    def nodes_cpu_ms(self) -> float:
        """Return the CPU time of servers on this machine, or of the nodes of their cluster, in milliseconds."""
        return 0.0

    @abstractmethod
    def compare(self, row: Row, limit: str, taken: Timings) -> Row:
        """Set a row beside a limit where only work counts."""


@contextmanager
def temporary_stores(store: str | None, store_dir: str | os.PathLike[str] | None, *, purpose: str) -> Iterator[Stores]:
    """Lend the stores of a run, which are removed at its end, also when it fails.

    Args:
        store: The URL of a server, whose role must be allowed to make databases; the database that it names is only
            asked. None makes files.
        store_dir: The folder for those files; None is that of temporary files.
        purpose: A word in the names of the stores.

    Raises:
        ConfigError: `store` is not the URL of a server, or both are given.
        StoreUnavailable: The server cannot be reached.
    """
    if store is None:
        with TemporaryDirectory(prefix=f"engrain-{purpose}-", dir=store_dir) as folder:
            yield FileStores(Path(folder).resolve())
        return
    if not store.startswith(_SERVERS):
        raise ConfigError(
            "store is the URL of a server, postgresql://...: stores in files are temporary, in the folder store_dir"
        )
    if store_dir is not None:
        raise ConfigError("a server keeps its files where it does: leave out the folder, or the server")
    from benchmarks.servers import server_stores  # psycopg is optional

    with server_stores(store, purpose) as stores:
        yield stores


@contextmanager
def temporary_memory(
    store: str | None,
    store_dir: str | os.PathLike[str] | None,
    *,
    embedder: str | Embedder | None,
    llm: str | None = None,
) -> Iterator[tuple[MemoryManager, Mapping[str, str]]]:
    """Lend a manager of one temporary store, and the versions of its server; arguments as in `temporary_stores`."""
    with (
        temporary_stores(store, store_dir, purpose="eval") as stores,
        MemoryManager(stores.address("memory"), embedder=embedder, llm=llm, settings=NO_WORKER) as manager,
    ):
        yield manager, stores.server


# ----------------------------------------------------------------------------------------------------- bare operations


class BareInserts:
    """Inserts of a text and nothing else, one row and one transaction each, into a log that is reused."""

    def __init__(self, stores: Stores) -> None:
        self._connection = stores.connect_bare()
        self._connection.execute("DROP TABLE IF EXISTS bare_text")
        self._connection.execute(f"CREATE TABLE bare_text (num {stores.number_column}, content text NOT NULL)")
        self._statement = f"INSERT INTO bare_text (content) VALUES ({stores.parameter})"
        self.insert("x" * _LOG)  # writing over a log is what lasts; making it longer is many times slower
        self.insert("x")

    def insert(self, content: str) -> None:
        """Insert a text and return once it is durable."""
        self._connection.execute(self._statement, (content,))

    def insert_many(self, contents: Iterable[str]) -> None:
        """Insert texts in one transaction."""
        _insert_many(self._connection, self._statement, [(content,) for content in contents])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class BareGraph:
    """Relations in a table of three columns with an index from either end, and nothing else."""

    def __init__(self, stores: Stores) -> None:
        self._stores, self._connection = stores, stores.connect_bare()
        self._connection.execute("DROP TABLE IF EXISTS bare_relation")
        self._connection.execute("CREATE TABLE bare_relation (source bigint, relation text, target bigint)")
        self._connection.execute("CREATE INDEX bare_out ON bare_relation (source, relation, target)")
        self._connection.execute("CREATE INDEX bare_back ON bare_relation (target, relation, source)")

    def insert(self, relations: Iterable[tuple[int, str, int]]) -> None:
        """Insert relations in one transaction."""
        values = ", ".join([self._stores.parameter] * 3)
        _insert_many(self._connection, f"INSERT INTO bare_relation VALUES ({values})", list(relations))

    def count_reachable(self, start: int, steps: int) -> int:
        """Return how many entities are within some steps of one, level by level."""
        seen, edge = {start}, [start]
        for _ in range(steps):
            edge = list(set(self._neighbours(edge)) - seen)
            seen.update(edge)
        return len(seen) - 1

    def _neighbours(self, entities: Sequence[int]) -> Iterator[int]:
        for condition, parameters in self._stores.among(entities):
            for here, there in (("source", 2), ("target", 0)):
                query = f"SELECT source, relation, target FROM bare_relation WHERE {here} {condition}"
                yield from (row[there] for row in self._connection.execute(query, parameters))

    def size(self) -> int:
        """Return the bytes of the table and its indexes."""
        return int(self._connection.execute(self._stores.graph_size).fetchone()[0])

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


def _insert_many(connection: Any, statement: str, rows: Sequence[tuple[object, ...]]) -> None:
    connection.execute("BEGIN")
    connection.cursor().executemany(statement, rows)
    connection.execute("COMMIT")


class NumpyScan:
    """The plain product over all vectors."""

    def __init__(self, vectors: Floats) -> None:
        self._vectors = vectors

    def nearest(self, query: Floats, k: int) -> Ints:
        """Return the k nearest rows, best first."""
        scores = self._vectors @ query
        if k >= len(scores):
            return np.argsort(-scores)
        nearest = np.argpartition(-scores, k)[:k]
        return np.asarray(nearest[np.argsort(-scores[nearest])])

    def close(self) -> None:
        """Have nothing to close."""


class FileStores(Stores):
    """SQLite files in a folder."""

    open_limit, scan_limit = "opening a file with SQLite", "numpy's exact scan, float32"
    parameter, number_column = "?", "INTEGER PRIMARY KEY"
    graph_size = "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size"

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._bare = 0

    def address(self, name: str) -> str:
        return str(self._folder / f"{name}.db")

    def drop(self, name: str) -> None:
        for file in self._folder.glob(f"{name}.db*"):
            file.unlink()

    def size(self, name: str) -> int:
        return Path(self.address(name)).stat().st_size

    def open_bare(self, name: str) -> None:
        with closing(sqlite3.connect(self.address(name))) as connection:  # the schema is read when it is needed
            connection.execute("SELECT count(*) FROM sqlite_master").fetchone()

    def connect_bare(self) -> sqlite3.Connection:
        self._bare += 1
        connection = sqlite3.connect(self._folder / f"bare-{self._bare}", isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    def among(self, numbers: Sequence[int]) -> Iterator[tuple[str, Sequence[object]]]:
        for first in range(0, len(numbers), _NUMBERS):
            some = numbers[first : first + _NUMBERS]
            yield f"IN ({','.join('?' * len(some))})", some

    def bare_scan(self, vectors: Floats) -> BareScan:
        return NumpyScan(vectors)

    def compare(self, row: Row, limit: str, taken: Timings) -> Row:
        return by_cpu(row, limit, taken)
