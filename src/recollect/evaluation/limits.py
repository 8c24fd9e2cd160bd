"""What the machine itself can do: the floor under every figure, measured on the same disk and processor."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

from recollect.numeric import Bytes, Floats, Ints, np

_LOG = 6 << 20  # bytes: more than the pages after which SQLite begins its log again


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
