"""What the machine itself can do: the floor under every figure, measured on the same disk and processor."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Protocol

from engrain.arrays import Bytes, Floats, Ints, np

_AT_ONCE = 500  # entities asked for in one statement
_LOG = 6 << 20  # bytes: more than the pages after which SQLite begins its log again


class Inserts(Protocol):
    """Inserts of a text and nothing else, as durable as ours."""

    def one(self, content: str) -> None:
        """Insert a text and return once it is durable."""
        ...

    def many(self, contents: Iterable[str]) -> None:
        """Insert texts in one transaction."""
        ...

    def close(self) -> None:
        """Close what it holds."""
        ...


class Graph(Protocol):
    """Relations and nothing else, as durable as ours."""

    def add(self, relations: Iterable[tuple[int, str, int]]) -> None:
        """Insert relations in one transaction."""
        ...

    def walk(self, start: int, steps: int) -> int:
        """Return how many are within some steps."""
        ...

    def bytes(self) -> int:
        """Return what they take."""
        ...

    def close(self) -> None:
        """Close what it holds."""
        ...


class Scan(Protocol):
    """An exact search of vectors and nothing else."""

    def find(self, query: Floats, k: int) -> Ints:
        """Return the k nearest rows, best first."""
        ...

    def close(self) -> None:
        """Close what it holds."""
        ...


class BareInserts:
    """Inserts of the text alone, as durable as ours: one row, one transaction, synced, into a log that is reused."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE bare (num INTEGER PRIMARY KEY, content TEXT NOT NULL)")
        self.one("x" * _LOG)  # writing over a log is what lasts; making it longer is many times slower
        self.one("x")

    def one(self, content: str) -> None:
        """Insert a text and return once it is on the disk."""
        self._connection.execute("INSERT INTO bare (content) VALUES (?)", (content,))

    def many(self, contents: Iterable[str]) -> None:
        """Insert texts in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO bare (content) VALUES (?)", [(content,) for content in contents])
        self._connection.execute("COMMIT")

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


class BareGraph:
    """Relations in a table of three columns with an index from either end, as durable as ours, and nothing else."""

    def __init__(self, path: Path) -> None:
        self._connection = sqlite3.connect(path, isolation_level=None)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.execute("CREATE TABLE bare (source INTEGER, relation TEXT, target INTEGER)")
        self._connection.execute("CREATE INDEX out ON bare (source, relation, target)")
        self._connection.execute("CREATE INDEX back ON bare (target, relation, source)")

    def add(self, relations: Iterable[tuple[int, str, int]]) -> None:
        """Insert relations in one transaction."""
        self._connection.execute("BEGIN IMMEDIATE")
        self._connection.executemany("INSERT INTO bare VALUES (?, ?, ?)", relations)
        self._connection.execute("COMMIT")

    def walk(self, start: int, steps: int) -> int:
        """Return how many are within some steps, level by level."""
        return walked(start, steps, self._around)

    def _around(self, entities: Sequence[int]) -> Iterator[int]:
        for first in range(0, len(entities), _AT_ONCE):
            some = entities[first : first + _AT_ONCE]
            here = f"IN ({','.join('?' * len(some))})"
            out = f"SELECT source, relation, target FROM bare WHERE source {here}"
            back = f"SELECT source, relation, target FROM bare WHERE target {here}"
            yield from (row[2] for row in self._connection.execute(out, some))
            yield from (row[0] for row in self._connection.execute(back, some))

    def bytes(self) -> int:
        """Return the size of the file."""
        pages, page = (self._connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
        return int(pages * page)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()


def walked(start: int, steps: int, around: Callable[[Sequence[int]], Iterable[int]]) -> int:
    """Return how many are within some steps of one, level by level; `around` says who is beside any of some."""
    seen, edge = {start}, [start]
    for _ in range(steps):
        new = set(around(edge))
        edge = list(new - seen)
        seen |= new
    return len(seen) - 1


def bare_open(path: str) -> None:
    """Open a file and read its schema, which SQLite puts off until it is needed."""
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("SELECT count(*) FROM sqlite_master").fetchone()


def read_once(rows: Bytes) -> int:
    """Read every byte of a matrix once and do next to nothing with it: the largest is found faster than the sum."""
    return int(rows.reshape(-1).view(np.int64).max())


def exact_scan(vectors: Floats, query: Floats, k: int) -> Ints:
    """Return the k nearest rows by the plain product over all of them, best first."""
    scores = vectors @ query
    if k >= len(scores):
        return np.argsort(-scores)
    nearest = np.argpartition(-scores, k)[:k]
    return np.asarray(nearest[np.argsort(-scores[nearest])])


class ExactScan:
    """The plain product over all vectors."""

    def __init__(self, vectors: Floats) -> None:
        self._vectors = vectors

    def find(self, query: Floats, k: int) -> Ints:
        """Return the k nearest rows, best first."""
        return exact_scan(self._vectors, query, k)

    def close(self) -> None:
        """Have nothing to close."""
