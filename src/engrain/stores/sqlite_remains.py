"""What is left of erased rows in an SQLite file, byte by byte, and how it is got rid of."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engrain.storerows import Residue
from engrain.stores.searching import Needles

_PATIENCE = 2000  # milliseconds that a checkpoint waits for readers to go
_SEARCHED = 1 << 30  # bytes: what is larger is not read into memory
_IMPRINT = 24  # bytes of a vector by which it is known
_HEADER = b"SQLite format 3"  # how every file begins
_ROWS = 500  # read at a time
_ASKED = 16  # traces that are asked for one by one


def purge(connection: sqlite3.Connection) -> bool:
    """Bring the log into the file and cut it to nothing; False when a reader still needs what was there before."""
    with _patient(connection, _PATIENCE):
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return not busy


def compact(connection: sqlite3.Connection) -> bool:
    """Write the file anew, of living rows only."""
    connection.execute("VACUUM")
    return purge(connection)


@contextmanager
def _patient(connection: sqlite3.Connection, milliseconds: int) -> Iterator[None]:
    (before,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {milliseconds}")
    try:
        yield
    finally:
        connection.execute(f"PRAGMA busy_timeout = {before}")


def residue(connection: sqlite3.Connection, path: str, traces: Iterable[bytes]) -> Residue | None:
    """Return which traces stand in the file's pages, used or free, or in its log; None when it is too large.

    The pages are read through SQLite: closing a handle of ours on the file would drop the locks this process holds.
    """
    pages, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if int(pages) * int(page) > _SEARCHED:
        return None
    needles = Needles(traces)
    found = needles.found_in(connection.serialize()) if needles else frozenset[bytes]()
    log = Path(path + "-wal")
    if needles and log.exists():
        found |= needles.found_in(log.read_bytes())
    living = _held(connection, found)
    return Residue(found - living, living)


def _held(connection: sqlite3.Connection, traces: Iterable[bytes]) -> frozenset[bytes]:
    """Return which traces a living row holds: a word of another text, the vector of an equal one."""
    found = {trace for trace in traces if trace in _HEADER}
    left = frozenset(traces) - found
    if len(left) > _ASKED:
        return frozenset(found) | _among_rows(connection, left)
    places = [(table, name, kind) for table, columns in _columns(connection) for name, kind in columns]
    return frozenset(found | {trace for trace in left if any(_stands(connection, *place, trace) for place in places)})


def _stands(connection: sqlite3.Connection, table: str, column: str, kind: str, trace: bytes) -> bool:
    """Say whether a trace stands in a column; common ones are found in its first rows."""
    wanted = trace if kind == "BLOB" else trace.decode(errors="ignore")
    query = f"SELECT 1 FROM {table} WHERE instr({column}, ?) LIMIT 1"
    return bool(wanted) and connection.execute(query, (wanted,)).fetchone() is not None


def _among_rows(connection: sqlite3.Connection, traces: Iterable[bytes]) -> frozenset[bytes]:
    """Return which of many traces a living row holds, in one walk through all of them."""
    needles, found = Needles(traces), frozenset[bytes]()
    for table, columns in _columns(connection):
        rows = connection.execute(f"SELECT {', '.join(name for name, _ in columns)} FROM {table}")
        while some := rows.fetchmany(_ROWS):
            found |= needles.found_in(b"\x00".join(_bytes(value) for row in some for value in row if value is not None))
    return found


def _columns(connection: sqlite3.Connection) -> Iterator[tuple[str, list[tuple[str, str]]]]:
    """Return every table with those of its columns that may hold text or bytes."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in [("audit",), *(row for row in tables if row != ("audit",)), ("sqlite_master",)]:
        described = connection.execute(f"PRAGMA table_info({table})").fetchall()
        if columns := [(name, kind) for _, name, kind, *_ in described if kind not in ("INTEGER", "REAL")]:
            yield table, columns


def _bytes(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode()


def imprints(connection: sqlite3.Connection, nums: Sequence[int]) -> Iterator[bytes]:
    """Return how each vector of these rows begins, as it is stored."""
    for start in range(0, len(nums), _ROWS):
        some = ",".join(str(int(num)) for num in nums[start : start + _ROWS])
        query = (
            f"SELECT substr(q, 1, {_IMPRINT}) FROM memory m JOIN embedder e JOIN vector v"
            f" ON v.ns = m.ns AND v.embedder = e.id AND v.num = m.num WHERE m.num IN ({some}) UNION ALL "
            f"SELECT substr(v, 1, {_IMPRINT}) FROM memory m JOIN embedder e JOIN vector_exact x"
            f" ON x.embedder = e.id AND x.num = m.num WHERE m.num IN ({some})"
        )
        yield from (value for (value,) in connection.execute(query) if any(value))
