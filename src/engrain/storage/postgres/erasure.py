"""Erasure on a PostgreSQL server: how deleted rows leave its files, and how remains are searched for."""

from __future__ import annotations

import re
import time
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from psycopg import errors
from psycopg.errors import Diagnostic

from engrain.errors import StoreUnavailable
from engrain.lazy import np
from engrain.storage.byte_search import Needles
from engrain.storage.postgres.connections import Address, Connection, is_pooled
from engrain.storage.postgres.schema import ABOUT_SERVER, asked, first_row

SIZE = ABOUT_SERVER["size"]  # the statement for the size of our tables in bytes, with their indexes
OWNER = "it has to own them, or from PostgreSQL 17 to have MAINTAIN on them and USAGE on their schema"
"""The requirement on a role to rewrite a table."""
_ALONE = 0x5265777269746572  # "Rewriter": one at a time in a database
_PAUSE = 0.05  # seconds between checks whether a transaction has ended
_GONE = 2.0  # seconds in which transactions that still see deleted rows usually end
_KEPT = 3.0  # seconds in which a log is usually archived
_NUMBER = re.compile(r"\d+")
_SLICE = 1 << 23  # bytes read at a time, whole blocks of the log
_FILE = re.compile(r"(\d+)")  # 16384, 16384.1, 16384_fsm: a table or an index, by its number
_HEADER, _FIRST = 24, 40  # bytes of a log page's header; of the header of a segment's first page


class Rights(NamedTuple):
    """The privileges of a role on the server's files, beyond rewriting its own tables."""

    checkpoints: bool
    lists: bool
    switches: bool
    reads: bool

    @property
    def turns(self) -> bool:
        """Whether it may switch the log to a new segment."""
        return self.checkpoints and self.lists and self.switches

    @property
    def looks(self) -> bool:
        """Whether it may read the files: pages in memory have to be written out first."""
        return self.checkpoints and self.lists and self.reads


def rights(connection: Connection) -> Rights:
    """Return the permissions of the role of a connection."""
    return Rights(*asked(connection, "rights")[0])


def is_pinned(connection: Connection) -> bool:
    """Return whether a transaction still sees deleted rows, after waiting a little for it to end."""
    until = time.monotonic() + _GONE
    (now,) = first_row(connection, "SELECT pg_snapshot_xmax(pg_current_snapshot())::xid::text")
    while first_row(connection, ABOUT_SERVER["seen_before"], now)[0]:
        if time.monotonic() >= until:
            return True
        time.sleep(_PAUSE)
    return False


def check_backend(connection: Connection, address: Address) -> None:
    """Refuse a pooler that gives each transaction to any free backend: locks and settings would stay there.

    While no other connection is busy it gives the same one to two in turn, otherwise not the same to one of them.
    """
    mine = asked(connection, "backend")[0][0]
    if not is_pooled(connection, mine):
        return
    with address.connect() as other:
        for _ in range(5):
            if mine == asked(other, "backend")[0][0] or mine != asked(connection, "backend")[0][0]:
                raise StoreUnavailable(
                    "the tables are not written anew through a pooler by transaction: engrain flush finishes this by "
                    "the address of the server itself, or of a pooler in session mode"
                )


def lock_rewriting(connection: Connection, patience: float) -> None:
    """Lock out other rewriters until the connection ends; one that waited in the server would count as a reader."""
    until = time.monotonic() + patience
    while not first_row(connection, "SELECT pg_try_advisory_lock(%s)", _ALONE)[0]:
        if time.monotonic() >= until:
            raise StoreUnavailable("another process is writing the tables anew")
        time.sleep(_PAUSE)


def rewrite(connection: Connection, spread: Collection[str] = ()) -> bool:
    """Rewrite our tables and their indexes; False if deleted rows had to be kept for another transaction.

    Tables that are `spread` over the nodes of a cluster have their rows in other tables, their parts.

    Rows that were deleted since may be kept. A role that may not see other transactions cannot distinguish those.
    """
    if is_pinned(connection):
        return False
    kept: list[int] = []
    refused: list[str] = []

    def note(notice: Diagnostic) -> None:
        if notice.severity_nonlocalized == "WARNING":
            refused.append(notice.message_primary or "")
        elif number := _NUMBER.search(notice.message_detail or ""):  # of dead rows that cannot be removed yet
            kept.append(int(number[0]))

    asked(connection, "settings_to_rewrite")
    connection.add_notice_handler(note)
    tables = asked(connection, "tables_by_size", list(spread))
    for (table,) in tables:
        try:
            connection.execute(f"VACUUM (FULL, VERBOSE) {table}".encode())
        except errors.LockNotAvailable as error:
            raise StoreUnavailable(f"{table} is in use, and could not be written anew: it is tried again") from error
        except errors.InsufficientPrivilege as error:
            refused.append(error.diag.message_primary or "")
        if refused:
            raise StoreUnavailable(f"the tables may not be written anew by this role ({refused[0]}): {OWNER}")
    connection.remove_notice_handler(note)
    for (table,) in tables:  # it marks each row as visible to all, so that an index scan suffices
        connection.execute(f"VACUUM (SKIP_LOCKED) {table}".encode())
    return not any(kept) or bool(first_row(connection, "SELECT pg_has_role('pg_read_all_stats', 'USAGE')")[0])


def turn_over(connection: Connection) -> bool:
    """Overwrite every byte of the log written before now; False if the server keeps some for a consumer."""
    size = int(_setting(connection, "wal_segment_size"))
    whole = (1 << 32) // size  # segments that the middle third of a name counts

    def current() -> int:
        """Return the number of the segment that the next record is written to."""
        return int(first_row(connection, "SELECT (pg_current_wal_insert_lsn() - '0/0'::pg_lsn)::bigint")[0]) // size

    _switch(connection)
    clean = current()
    highest = clean + -(-(int(_setting(connection, "wal_keep_size")) << 20) // size)
    until = time.monotonic() + _KEPT
    while True:
        connection.execute("CHECKPOINT")  # after which older segments are removed, or renamed for reuse
        numbers = [int(name[8:16], 16) * whole + int(name[16:], 16) for (name,) in asked(connection, "log_segments")]
        highest = max(highest, *numbers)
        while current() <= highest:
            _switch(connection)
        if min(numbers) >= clean:
            return True
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE)


def _switch(connection: Connection) -> None:
    """Switch to the next segment, so that the rest of this one is overwritten. An empty one would not be switched."""
    connection.execute("SELECT pg_logical_emit_message(false, 'engrain', '')")
    connection.execute("SELECT pg_switch_wal()")


def _setting(connection: Connection, name: str) -> str:
    return str(first_row(connection, "SELECT setting FROM pg_settings WHERE name = %s", name)[0])


class Place(NamedTuple):
    """A table, and its columns that may contain a trace: text or numbers of vectors."""

    table: str
    columns: str
    has_vectors: bool


def search(connection: Connection, needles: Needles) -> frozenset[bytes] | None:
    """Return the traces in the files of our tables and indexes, or of none, or in the log; None if unreadable."""
    if not rights(connection).looks or _setting(connection, "wal_compression") != "off":
        return None
    connection.execute("CHECKPOINT")  # changes only in memory would be written later
    found = [_found(needles, _slices(connection, path)) for path in _files(connection)]
    return _found(needles, _log(connection)).union(*found)


def _found(needles: Needles, slices: Iterable[bytes]) -> frozenset[bytes]:
    """Return the traces in consecutive slices, including across their boundaries."""
    found, tail = frozenset[bytes](), b""
    for some in slices:
        part = tail + some
        if part.count(0) < len(part):  # overwritten parts of the log are mostly zeros
            found |= needles.found_in(part)
        tail = part[-(needles.longest - 1) :]
    return found


def _files(connection: Connection) -> Iterator[str]:
    others = {number for (number,) in asked(connection, "other_files")}
    for (folder,) in asked(connection, "folders"):
        for (name,) in connection.execute("SELECT pg_ls_dir(%s, true, false)", (folder,)).fetchall():
            number = _FILE.match(name)
            if number and number[1] not in others:
                yield f"{folder}/{name}"


def _slices(connection: Connection, path: str) -> Iterator[bytes]:
    """Yield a file in slices; one that was removed meanwhile has none."""
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
    """Yield the contents of the log's pages, without their headers."""
    block = int(_setting(connection, "wal_block_size"))
    for (name,) in asked(connection, "log_segments"):
        for number, some in enumerate(_slices(connection, f"pg_wal/{name}")):
            pages = np.frombuffer(some, np.uint8, count=len(some) // block * block).reshape(-1, block)
            yield pages[:, _HEADER:].tobytes()[0 if number else _FIRST - _HEADER :]


def own_words(connection: Connection, needles: Needles) -> frozenset[bytes]:
    """Return the traces that are words of the server's own."""
    return _found(needles, _copied(connection, ABOUT_SERVER["own_words"]))


def in_rows(connection: Connection, places: Sequence[Place], traces: Iterable[bytes]) -> frozenset[bytes]:
    """Return the traces in the rows that a connection sees: a word, or the vector of an equal text."""
    needles = Needles(traces)
    turned = {np.frombuffer(t, ">i2").astype("<i2").tobytes(): t for t in traces if len(t) % 2 == 0}
    vectors, found = Needles(turned), frozenset[bytes]()
    for place in places:
        for some in _copied(connection, f"COPY (SELECT {place.columns} FROM {place.table}) TO STDOUT (FORMAT binary)"):
            found |= needles.found_in(some)
            if place.has_vectors:
                found |= {turned[trace] for trace in vectors.found_in(some)}
    return found


def _copied(connection: Connection, query: str) -> Iterator[bytes]:
    """Yield rows as bytes, in batches; each row is whole."""
    parts, held = [], 0
    with connection.cursor() as cursor, cursor.copy(query.encode()) as copy:
        for row in copy:
            parts.append(bytes(row))
            held += len(row)
            if held >= _SLICE:
                yield b"".join(parts)
                parts, held = [], 0
    yield b"".join(parts)
