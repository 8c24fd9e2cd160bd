"""What is left of erased rows in the files of a PostgreSQL server, byte by byte, as far as a role may look."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from engrain.arrays import np
from engrain.stores.postgres.connections import Connection
from engrain.stores.postgres.rewriting import rights, segments
from engrain.stores.searching import Needles

_SLICE = 1 << 23  # bytes read at a time, whole blocks of the log
_HEADER, _FIRST = 24, 40  # bytes before what a page of the log holds; before what the first one of a segment holds
_FILE = re.compile(r"(\d+)")  # 16384, 16384.1, 16384_fsm: a table or an index, by its number
_TEXTS = ("text", "halfvec")

# The files of tables that are not ours: what stands there was never a memory's.
_OTHERS = """
WITH own AS (SELECT oid, reltoastrelid FROM pg_class WHERE relnamespace = 'engrain'::regnamespace),
beside AS (SELECT reltoastrelid AS oid FROM own UNION ALL
           SELECT indexrelid FROM pg_index WHERE indrelid IN (SELECT reltoastrelid FROM own))
SELECT DISTINCT pg_relation_filenode(oid)::text FROM pg_class
WHERE oid NOT IN (SELECT oid FROM own UNION ALL SELECT oid FROM beside) AND pg_relation_filenode(oid) IS NOT NULL
"""
# Words of the server's own, which it writes into its log as well.
_OWN = """
COPY (
    SELECT relname::text FROM pg_class UNION ALL SELECT attname FROM pg_attribute UNION ALL SELECT typname FROM pg_type
    UNION ALL SELECT proname || ' ' || prosrc FROM pg_proc UNION ALL SELECT conname FROM pg_constraint
    UNION ALL SELECT nspname FROM pg_namespace UNION ALL SELECT rolname FROM pg_roles UNION ALL
    SELECT datname FROM pg_database UNION ALL SELECT extname || ' ' || extversion FROM pg_extension
    UNION ALL SELECT description FROM pg_description
) TO STDOUT (FORMAT binary)
"""


class Place(NamedTuple):
    """A table, and its columns that may hold text or numbers of vectors."""

    table: str
    columns: str
    has_vectors: bool


def search(connection: Connection, needles: Needles) -> frozenset[bytes] | None:
    """Return which traces stand in the files of our tables and indexes, or in the log; None when they cannot be seen.

    What no table of the database knows is searched too: a server that was killed leaves files behind.
    """
    compressed = connection.execute("SELECT setting FROM pg_settings WHERE name = 'wal_compression'").fetchone()
    if not rights(connection).looks or compressed != ("off",):
        return None
    connection.execute("CHECKPOINT")  # what is changed in memory only would be written later
    found = frozenset[bytes]()
    for path in _files(connection):
        found |= _found(needles, _slices(connection, path))
    return found | _found(needles, _log(connection))


def _found(needles: Needles, slices: Iterable[bytes]) -> frozenset[bytes]:
    """Return which traces stand in what follows one another, across the seams too."""
    found, tail = frozenset[bytes](), b""
    for some in slices:
        held = tail + some
        if held.count(0) < len(held):  # of the log, whatever was overwritten is mostly zeros
            found |= needles.found_in(held)
        tail = held[-(needles.longest - 1) :]
    return found


def _files(connection: Connection) -> Iterator[str]:
    others = {number for (number,) in connection.execute(_OTHERS)}
    folders = connection.execute(
        r"SELECT DISTINCT regexp_replace(pg_relation_filepath(oid), '/[^/]*$', '') FROM pg_class"
        r" WHERE relnamespace = 'engrain'::regnamespace AND pg_relation_filepath(oid) IS NOT NULL"
    ).fetchall()
    for (folder,) in folders:
        names = connection.execute("SELECT pg_ls_dir(%s, true, false)", (folder,)).fetchall()
        for (name,) in names:
            number = _FILE.match(name)
            if number and number[1] not in others:
                yield f"{folder}/{name}"


def _slices(connection: Connection, path: str) -> Iterator[bytes]:
    """Return a file in parts; one that has gone meanwhile has none."""
    read, start = "SELECT pg_read_binary_file(%s, %s, %s, true)", 0
    while True:
        found = connection.execute(read, (path, start, _SLICE), binary=True).fetchone()
        if found is None or not found[0]:
            return
        yield found[0]
        start += len(found[0])
        if len(found[0]) < _SLICE:
            return


def _log(connection: Connection) -> Iterator[bytes]:
    """Return what the log's pages hold, without what stands between them."""
    (block,) = connection.execute("SELECT setting::int FROM pg_settings WHERE name = 'wal_block_size'").fetchone() or ()
    for name in segments(connection):
        first = True
        for some in _slices(connection, f"pg_wal/{name}"):
            whole = np.frombuffer(some, np.uint8, count=len(some) // block * block).reshape(-1, block)
            held = whole[:, _HEADER:].tobytes()
            yield held[_FIRST - _HEADER :] if first else held
            first = False


# -------------------------------------------------------------------------------------------------------- living rows


def places(connection: Connection) -> list[Place]:
    """Return where rows may hold what was said."""
    found = connection.execute(
        "SELECT c.oid::regclass::text, string_agg(quote_ident(attname), ', '), bool_or(typname = 'halfvec')"
        " FROM pg_class c JOIN pg_attribute ON attrelid = c.oid JOIN pg_type t ON t.oid = atttypid"
        " WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition"
        " AND attnum > 0 AND NOT attisdropped AND typname = ANY(%s) GROUP BY c.oid ORDER BY 1",
        (list(_TEXTS),),
    )
    return [Place(*row) for row in found]


def own_words(connection: Connection, needles: Needles) -> frozenset[bytes]:
    """Return which traces are words of the server's own."""
    return _found(needles, _copied(connection, _OWN))


def held(connection: Connection, places: Sequence[Place], traces: Iterable[bytes]) -> frozenset[bytes]:
    """Return which traces stand in the rows that a connection sees: a word of another text, the vector of an equal one.

    A vector is sent the other way round than it is kept.
    """
    needles = Needles(traces)
    turned = {_turned(trace): trace for trace in traces if len(trace) % 2 == 0}
    vectors, found = Needles(turned), frozenset[bytes]()
    for place in places:
        query = f"COPY (SELECT {place.columns} FROM {place.table}) TO STDOUT (FORMAT binary)"
        for some in _copied(connection, query):
            found |= needles.found_in(some)
            if place.has_vectors:
                found |= {turned[trace] for trace in vectors.found_in(some)}
    return found


def _turned(trace: bytes) -> bytes:
    return np.frombuffer(trace, ">i2").astype("<i2").tobytes()


def _copied(connection: Connection, query: str) -> Iterator[bytes]:
    """Return rows as bytes, a good many at a time; each row is whole."""
    parts, held = [], 0
    with connection.cursor() as cursor, cursor.copy(query.encode()) as copy:
        for row in copy:
            parts.append(bytes(row))
            held += len(row)
            if held >= _SLICE:
                yield b"".join(parts)
                parts, held = [], 0
    yield b"".join(parts)
