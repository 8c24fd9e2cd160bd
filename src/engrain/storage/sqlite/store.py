"""The embedded store: one SQLite file, Python's own `sqlite3`, no extension, no second file to keep in sync."""

from __future__ import annotations

import json
import os
import sqlite3
import threading
import uuid
from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager, suppress
from datetime import datetime
from itertools import groupby
from operator import itemgetter, methodcaller
from pathlib import Path
from typing import Any, Final, TypeVar

from engrain.errors import StoreCorrupt, StoreError, StoreUnavailable
from engrain.guard import checkpoint, is_cancelled
from engrain.lazy import Floats
from engrain.model.filters import Condition, Test
from engrain.model.memory import Job, JobState
from engrain.storage import forks
from engrain.storage.index.namespaces import SKETCHED_FROM, IndexCache, NamespaceIndex
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import Posting, Record, Residue, Row, Vector, legible
from engrain.storage.sql.copying import Copied, Rows
from engrain.storage.sql.reader import Names, Params
from engrain.storage.sql.transaction import Queue, Queued, SQLTransaction
from engrain.storage.sqlite import files, schema
from engrain.storage.sqlite.files import Turnstile, connect, errors, key_of, make_private, safety_copies, snapshot_at
from engrain.storage.sqlite.reader import LAST_NUM, Embedders, Memo, SQLiteIndexSource, SQLiteReader, written

BY_MEMORY = 128  # memories of a namespace whose postings are moved together
_LOGGED = 20_000  # changes kept per namespace; an index further behind reloads its columns
_CUT_EVERY = 1_000  # changes after which old ones are removed from the log

_UNAVAILABLE = {
    sqlite3.SQLITE_BUSY: "is locked by another program: close it there, or try again",
    sqlite3.SQLITE_LOCKED: "is locked by another connection: try again",
    sqlite3.SQLITE_READONLY: "is read-only: open it where the file and its folder can be written",
    sqlite3.SQLITE_FULL: "cannot grow, the disk is full: free some space; what was acknowledged is safe",
    sqlite3.SQLITE_IOERR: "cannot be read or written (input/output error): check the disk and its free space",
    sqlite3.SQLITE_CANTOPEN: "cannot be opened: check that the folder exists and may be written",
    sqlite3.SQLITE_PERM: "may not be accessed: check its permissions",
    sqlite3.SQLITE_NOMEM: "cannot be used, memory ran out",
    sqlite3.SQLITE_INTERRUPT: "was interrupted: try again",
}
_CORRUPT = {
    sqlite3.SQLITE_CORRUPT: "is damaged: restore a snapshot of it",
    sqlite3.SQLITE_NOTADB: "is not an Engrain store, or is encrypted: name another file, or give its key; "
    "this one was left as it is",
}
# Corruption without an error code of its own.
_DAMAGE = ("not decode to UTF-8", "file format", "no such column", "no such table", "has no column", "JSON cannot hold")
T = TypeVar("T")


@contextmanager
def explained(path: str) -> Iterator[None]:
    """Turn the engine's own errors into `StoreError`s that name the file."""
    try:
        yield
    except errors("IntegrityError") as error:
        raise StoreError(f"{path}: the change breaks a rule of the store ({error})", path=path) from error
    except errors("ProgrammingError") as error:
        if "closed" in str(error):
            raise StoreUnavailable(f"the store {path} is closed: open it again", path=path) from error
        raise
    except (UnicodeDecodeError, json.JSONDecodeError) as error:  # of names in the file, or of what a row holds
        raise StoreCorrupt(f"{path} {_CORRUPT[sqlite3.SQLITE_CORRUPT]} ({error})", path=path) from error
    except StoreCorrupt as error:
        raise error if error.path else StoreCorrupt(f"{path} {error}", path=path) from error
    except errors("DatabaseError") as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if any(words in str(error) for words in _DAMAGE):
            code = sqlite3.SQLITE_CORRUPT
        if code in _CORRUPT:
            raise StoreCorrupt(f"{path} {_CORRUPT[code]} ({error})", path=path) from error
        if code in _UNAVAILABLE:
            raise StoreUnavailable(f"{path} {_UNAVAILABLE[code]} ({error})", path=path) from error
        raise


class SQLiteTransaction(SQLTransaction, SQLiteReader):
    """A view that may also write. It sees its own changes; others only after the commit."""

    _logs_changes = True
    _more_to_look_up = (f"SELECT 5, ({LAST_NUM}), 0, 0, '', '', '', '', ''",)

    def __init__(self, connection: sqlite3.Connection, memo: Memo, org: str | None = None) -> None:
        SQLiteReader.__init__(self, connection, NamespaceIndex, memo, org)
        self._counts, self._looked = {}, True
        self._own_embedders: Embedders = {}
        self._first_new: int | None = None
        self._changed: dict[tuple[int, int], bool] = {}
        self._by_memory: set[tuple[int, int]] = set()  # memories whose postings are in a row of their own

    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        return self._connection.execute(statement, params).rowcount

    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._connection.executemany(statement, rows)

    _forget = SQLiteReader.close

    def _free(self, count: int) -> Sequence[int]:
        if self._last_num is None:
            (self._last_num,) = self._connection.execute(LAST_NUM).fetchone() or (0,)
        free, self._last_num = self._last_num + 1, self._last_num + count
        if self._first_new is None:
            self._first_new = free
        return range(free, free + count)

    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        number, _ = self._source.embedder(embedder) or (0, 0)
        self._do_all(
            "INSERT OR REPLACE INTO vector (ns, embedder, num, v) VALUES (?, ?, ?, ?)",
            [(each.namespace, number, each.num, row.tobytes()) for each, row in zip(vectors, values, strict=True)],
        )

    def _put_rows(self, kind: type, rows: Sequence[Any]) -> None:
        if kind is not Posting:
            super()._put_rows(kind, rows)
            return
        by_memory: dict[tuple[int, int], list[str]] = {}
        for namespace, term, num, count in rows:
            by_memory.setdefault((namespace, num), []).append(f"{written(term)}{count}")
        terms = {key: "".join(parts) for key, parts in by_memory.items()}  # as a row has them
        self._moved(terms, text=True)
        are_new = self._first_new is not None and all(num >= self._first_new for _, num in terms)
        known = [key for key in terms if key in self._by_memory]
        if known or not are_new or len(terms) >= BY_MEMORY:
            self._gather(known)
            postings = sorted(rows, key=itemgetter(1))  # the order of the table: fewer pages are touched
            self._do_all("INSERT INTO posting_by_term (ns, term, num, count) VALUES (?, ?, ?, ?)", postings)
            return
        self._by_memory.update(terms)
        rows_of_terms = [(*key, text) for key, text in terms.items()]
        self._do_all("INSERT INTO posting_by_memory (ns, num, terms) VALUES (?, ?, ?)", rows_of_terms)
        for namespace in {namespace for namespace, _ in terms}:
            here = "FROM posting_by_memory WHERE ns = ?"
            if self._ask(f"SELECT count(*) {here}", (namespace,))[0][0] >= BY_MEMORY:
                self._gather(self._ask(f"SELECT ns, num {here}", (namespace,)))

    def _gather(self, memories: Sequence[tuple[int, int]]) -> None:
        """Move the postings of memories, by namespace and number, from their own rows to those by term."""
        if memories:
            of = [json.dumps([num for _, num in memories]), json.dumps(sorted({ns for ns, _ in memories}))]
            here = "num IN (SELECT value FROM json_each(?)) AND ns IN (SELECT value FROM json_each(?))"
            self._do(
                "INSERT INTO posting_by_term (ns, term, num, count) SELECT p.ns, t.key, p.num, t.value "
                "FROM posting_by_memory p CROSS JOIN json_each('{' || substr(p.terms, 2) || '}') t "
                f"WHERE {here} ORDER BY p.ns, t.key, p.num",
                of,
            )
            self._do(f"DELETE FROM posting_by_memory WHERE {here}", of)

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        clause, params = self._where(where)
        if kind is Record:  # whose names may be in a block, and whose numbers are not assigned again
            self._do(f"DELETE FROM index_block WHERE ns IN (SELECT ns FROM memory WHERE {clause})", params)
            self._do(f"UPDATE sqlite_sequence SET seq = ({LAST_NUM}) WHERE name = 'memory'")
        if kind is not Posting:
            return super().delete(kind, where)
        self._forget()
        found = self._ask(f"SELECT DISTINCT ns, num FROM posting WHERE {clause}", params)
        self._moved(found, text=True)
        self._gather(found)
        return self._do(f"DELETE FROM posting_by_term WHERE {clause}", params)

    def _load_rows(self, table: Copied, rows: Rows) -> None:
        super()._load_rows(table._replace(table="posting_by_term") if table.name == "posting" else table, rows)

    def _dimensions_of(self, embedder: str, wanted: int) -> int:
        known = self._source.embedder(embedder)
        if known is None:
            made = self._connection.execute("INSERT INTO embedder (name, dimensions) VALUES (?, ?)", (embedder, wanted))
            known = self._own_embedders[embedder] = (int(made.lastrowid or 0), wanted)
            self._source = SQLiteIndexSource(self._connection, {**self._memo.embedders, **self._own_embedders})
        return known[1]

    def _delete_vectors(self, clause: str, params: Params) -> int:
        rows = self._ask(f"SELECT ns, code, num FROM {self._vectors} WHERE {clause}", params)
        self._do_all("DELETE FROM vector WHERE ns = ? AND embedder = ? AND num = ?", rows)
        self._moved([(ns, num) for ns, _, num in rows], text=True)
        return len(rows)

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        due = [Test("kind", "in", tuple(kinds)), Test("state", "eq", JobState.QUEUED), Test("run_at", "le", now)]
        stuck = [due[0], Test("state", "eq", JobState.RUNNING), Test("lease_until", "le", now)]
        found = self.find(Job, due, order="run_at", limit=1) or self.find(Job, stuck, order="lease_until", limit=1)
        if not found:
            return None
        job, attempts = [Test("id", "eq", found[0].id)], found[0].attempts + 1
        self.update(Job, job, state=JobState.RUNNING, leased_by=worker, lease_until=lease_until, attempts=attempts)
        return self.find(Job, job)[0]

    def _number_after(self, table: str, number: int) -> None:
        self._last_num = None
        if table == "revision":  # it continues after its last row
            return
        if not self._do("UPDATE sqlite_sequence SET seq = max(seq, ?) WHERE name = ?", (number, table)):
            self._do("INSERT INTO sqlite_sequence (name, seq) VALUES (?, ?)", (table, number))

    def complete(self, orgs: Iterable[str], numbers: Mapping[str, int]) -> None:
        super().complete(orgs, numbers)
        # A gap in the change logs: no index can continue there, so each reloads its columns.
        for (space,) in self._ask("SELECT id FROM namespace"):
            last = self._ask("SELECT max(seq) FROM change WHERE ns = ?", (space,))[0][0] or 0
            self._do("DELETE FROM change WHERE ns = ?", (space,))
            self._do("INSERT INTO change (ns, seq, num, text) VALUES (?, ?, 0, 1)", (space, last + 2))

    def save(self, index: NamespaceIndex) -> bool:
        """Save a block of an index, if it is in the state of this transaction, without anything deleted before."""
        parts = index.block(self._source)
        if parts is not None:
            self._do("DELETE FROM index_block WHERE ns = ?", (index.columns.key,))
            rows = [(index.columns.key, part, data) for part, data in parts.items()]
            self._do_all("INSERT INTO index_block (ns, part, data) VALUES (?, ?, ?)", rows)
        return parts is not None

    def _moved(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        for key in rows:
            if self._first_new is None or key[1] < self._first_new:
                self._changed[key] = self._changed.get(key, False) or text

    def finish(self) -> None:
        """Write the counts and the change log; called once, before the commit."""
        self._write_counts()
        for namespace, entries in groupby(sorted(self._changed.items()), key=lambda entry: entry[0][0]):
            rows = json.dumps([(num, int(text)) for (_, num), text in entries])
            asked = "SELECT coalesce(max(seq), 0), json_array_length(?) FROM change WHERE ns = ?"
            ((latest, count),) = self._ask(asked, (rows, namespace))
            self._do(
                "INSERT INTO change (ns, seq, num, text) "
                "SELECT ?, ? + key + 1, value ->> 0, value ->> 1 FROM json_each(?)",
                (namespace, latest, rows),
            )
            if (latest + count) // _CUT_EVERY > latest // _CUT_EVERY:
                self._do("DELETE FROM change WHERE ns = ? AND seq <= ?", (namespace, latest + count - _LOGGED))


class SQLiteStore:
    """A store in one file, shared by any number of threads and processes.

    `path` may be `":memory:"`. `durability="full"` syncs every commit to the disk; `"normal"` may lose the last
    commits in a power cut, never in a crash. `patience` is how many seconds a write waits for other writers. The
    vectors of a namespace of `sketched_from` memories or more are searched by sketches instead of whole. Raises
    `StoreUnavailable`, `StoreCorrupt` or `SchemaMismatch` if the file cannot be opened; a file of another program is
    left unchanged. With a `key`, 32 bytes, 64 hexadecimal digits or a passphrase, the file is encrypted, and so are its
    log and its snapshots (`engrain[encryption]`); without the key it cannot be read.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        durability: str = "full",
        patience: float = 30.0,
        sketched_from: int = SKETCHED_FROM,
        key: str | bytes | None = None,
    ) -> None:
        if durability not in ("full", "normal"):
            raise ValueError(f"durability is 'full' or 'normal', not {durability!r}")
        self._memory = os.fspath(path) == ":memory:"
        if self._memory and key is not None:
            raise ValueError("a store in memory has no file to encrypt: leave key out")
        self._key = key_of(key)
        self.path: Final = ":memory:" if self._memory else str(Path(path).expanduser().absolute())
        self.url: Final = self.path
        self.encrypted: Final = self._key is not None
        self._synchronous, self._patience, self._sketched_from = durability, patience, sketched_from
        self.closed: bool = False
        self._owner = os.getpid()
        self.read_only: bool = False
        self.names: Final = Names()
        self._reset()
        forks.watch(self)
        with ExitStack() as undo, explained(self.path):
            undo.callback(self.close)
            self.read_only = not self._memory and schema.check(self.path, self._key)
            if self._memory:
                schema.migrate(self._writer(), self.path)
            elif not self.read_only:
                make_private(self.path)
                with self._turnstile.turn(patience):
                    schema.migrate(self._writer(), self.path)
            if self._key is not None:  # the key of a passphrase is derived once, now that the file exists
                with self._connection() as connection:
                    connection.execute("SELECT count(*) FROM sqlite_master").fetchone()
                    self._key = self._key.of_file(connection)
            self._file = None if self._memory else os.stat(self.path)
            undo.pop_all()

    def _reset(self) -> None:
        self._turnstile = Turnstile(None if self._memory else self.path + ".lock")
        self._idle: deque[sqlite3.Connection] = deque()
        self._gate = threading.Condition()
        self._readers = 0  # reads under way
        self._write_connection: sqlite3.Connection | None = None
        self._queue, self._indexes, self._memo = Queue(self._commit), IndexCache(self._sketched_from), Memo(self.names)

    def _connect(self, *, cache_kib: int) -> sqlite3.Connection:
        target = f"file:{uuid.uuid4().hex}?mode=memory" if self._memory else schema.uri(self.path, self.read_only)
        wait = self._patience
        connection = connect(target, self._key, uri=True, timeout=wait, isolation_level=None, check_same_thread=False)
        with ExitStack() as undo, legible():
            undo.callback(connection.close)
            for pragma in (
                f"synchronous = {self._synchronous}",
                "secure_delete = ON",
                "foreign_keys = ON",
                f"cache_size = -{cache_kib}",
                "temp_store = MEMORY",
            ):
                connection.execute(f"PRAGMA {pragma}")
            undo.pop_all()
        return connection

    @property
    def schema_version(self) -> int:
        """The version of the file's schema."""
        self._check()
        with explained(self.path), self._connection() as connection:
            return int(connection.execute("PRAGMA user_version").fetchone()[0])

    def _writer(self) -> sqlite3.Connection:
        if self._write_connection is None:
            self._write_connection = self._connect(cache_kib=16384)
        return self._write_connection

    def _check(self) -> None:
        if self.closed:
            raise StoreUnavailable(f"the store {self.path} is closed: open it again", path=self.path)
        if self._owner != os.getpid():  # after a fork: open connections belong to the parent
            self._owner = os.getpid()
            if not self._memory:
                self._reset()

    @contextmanager
    def read(self, org: str | None = None) -> Iterator[Reader]:
        """Open a consistent view; nothing committed after its first read is visible in it."""
        self._check()
        with explained(self.path), self._connection() as connection:
            if not self._memory:
                connection.execute("BEGIN")
            with closing(SQLiteReader(connection, self._indexes, self._memo, org)) as reader:
                yield reader
        self._indexes.trim()

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        """Lend a connection for reading: of a store in memory the only one, exclusively."""
        if self._memory:
            with self._queue.lock:
                yield self._writer()
            return
        with self._gate:
            self._readers += 1
        try:
            try:
                connection = self._idle.pop()
            except IndexError:
                connection = self._connect(cache_kib=4096)
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                self._idle.append(connection)
        finally:
            with self._gate:
                self._readers -= 1
                self._gate.notify_all()
                if self.closed:
                    self._drop_idle()

    def _drop_idle(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _drop_writer(self) -> None:
        if self._write_connection is not None:
            self._write_connection.close()
            self._write_connection = None

    def write(
        self, change: Callable[[Transaction], T], org: str | None = None, users: Collection[str | None] | None = None
    ) -> T:
        """Run `change` in a transaction, alone or with other threads' changes, and return once it is durable."""
        self._check()
        if self.read_only:
            raise StoreUnavailable(f"{self.path} {_UNAVAILABLE[sqlite3.SQLITE_READONLY]}", path=self.path)
        return self._queue.write(change, org)

    def _commit(self, batch: Sequence[Queued[object]]) -> None:
        try:
            with explained(self.path), self._turnstile.turn(self._patience):
                connection = self._writer()
                connection.execute("BEGIN IMMEDIATE")
                try:
                    if self._file is not None and not (
                        os.path.exists(self.path) and os.path.samestat(self._file, os.stat(self.path))
                    ):  # acknowledged changes would be lost with it
                        replaced = f"{self.path} was deleted or replaced while it was open: open it again"
                        raise StoreUnavailable(replaced, path=self.path)
                    for queued in batch:
                        self._apply(connection, queued, alone=len(batch) == 1)
                    if not all(queued.error is not None for queued in batch):
                        connection.execute("COMMIT")
                finally:
                    if connection.in_transaction:
                        connection.execute("ROLLBACK")
        except BaseException:
            self._memo.names.clear()  # it may have namespaces that were rolled back
            raise

    def _apply(self, connection: sqlite3.Connection, queued: Queued[object], *, alone: bool) -> None:
        if not alone:
            connection.execute("SAVEPOINT one")
        with queued, explained(self.path):
            queued.run(SQLiteTransaction(connection, self._memo, queued.org))
        if queued.error is not None:
            self._memo.names.clear()  # it may have named a namespace that is rolled back
            if not alone:
                connection.execute("ROLLBACK TO one")
        if not alone:
            connection.execute("RELEASE one")

    def is_whole(self) -> bool:
        """Return whether the file has as many pages as its first one says, without the log; False if it was cut."""
        address = f"{Path(self.path).absolute().as_uri()}?immutable=1"  # which neither locks nor reads the log
        with suppress(StoreError), explained(self.path), closing(connect(address, self._key, uri=True)) as connection:
            return bool(connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0])
        return False

    def snapshot(self, path: str) -> str:
        """Write a complete, consistent copy to `path`, which must not exist; it opens as a store of its own."""
        self._check()
        with snapshot_at(path) as (target, partial), explained(str(target)), self._connection() as connection:
            connection.set_progress_handler(lambda: is_cancelled(writes=True), 100_000)
            try:
                connection.execute("VACUUM INTO ?", (str(partial),))
            finally:
                connection.set_progress_handler(None, 0)
                checkpoint(writes=True)
        return str(target)

    def purge(self, *, rewrite: bool = False) -> bool:
        """Remove deleted rows from the log; free pages are zeros already. `rewrite` rewrites the file."""
        self._check()
        with self._queue.lock, explained(self.path), self._turnstile.turn(self._patience):
            return files.purge(self._writer(), rewrite=rewrite)

    def residue(self, traces: Collection[bytes]) -> Residue | None:
        """Return the traces in the file or its log, used or free; None if it is too large, or encrypted."""
        if self._memory:
            return Residue()
        if self._key is not None:  # the library does not expose the encrypted pages
            return None
        self._check()
        with explained(self.path), self._connection() as connection:
            return files.residue(connection, self.path, traces)  # others may write meanwhile

    def maintain(self) -> None:
        """Save blocks of the indexes of large namespaces, so that the next process need not read all rows."""
        for index in () if self.read_only or self._memory else self._indexes.large():
            if not index.lock.acquire(blocking=False):  # in use: next time
                continue
            try:
                outdated = not index.busy and self._bring_up(index) and index.outdated()
                if outdated and self._queue.write(methodcaller("save", index), None):
                    index.note_saved()
            finally:
                index.lock.release()

    def _bring_up(self, index: NamespaceIndex) -> bool:
        """Update an index to the committed state; False if another view has a later one."""
        with explained(self.path), self._connection() as connection:
            connection.execute("BEGIN")
            return index.refresh(SQLiteIndexSource(connection, self._memo.embedders))

    def drop_copies(self) -> int:
        """Delete the safety copies that migrations left beside the file; return how many."""
        if self._memory:
            return 0
        copies = safety_copies(self.path)
        for copy in copies:
            try:
                copy.unlink(missing_ok=True)
            except OSError as error:
                raise StoreUnavailable(f"{copy} cannot be deleted: {error.strerror}", path=str(copy)) from error
        return len(copies)

    def size(self) -> int:
        """Return the bytes on disk: the file and its write-ahead log."""
        self._check()
        if not self._memory:
            parts = (Path(self.path + suffix) for suffix in ("", "-wal"))
            return sum(part.stat().st_size for part in parts if part.exists())
        with self._connection() as connection:
            pages, page = (connection.execute(f"PRAGMA {n}").fetchone()[0] for n in ("page_count", "page_size"))
        return int(pages) * int(page)

    def integrity(self) -> str | None:
        """Return the errors that SQLite finds in the file, None if it is sound."""
        self._check()
        with explained(self.path), self._connection() as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA integrity_check(5)")]
        return None if found == ["ok"] else "; ".join(found)

    def close(self) -> None:
        """Close every connection; twice is once."""
        if self.closed or self._owner != os.getpid():
            self.closed = True
            return
        with suppress(StoreError):  # the blocks can be computed again
            self.maintain()
        with self._queue.lock, self._gate:
            self.closed = True
            self._drop_idle()
            self._drop_writer()
            self._turnstile.close()

    def rest(self) -> None:
        """Suspend the store for a fork: no connection is open that a child could inherit. Ended by `wake`."""
        self._queue.lock.acquire()
        self._gate.acquire()
        if self._memory or self._owner != os.getpid():
            return
        self._gate.wait_for(lambda: not self._readers, 5.0)  # seconds that a fork waits for reads under way
        self._drop_idle()
        if self._write_connection is None or not self._write_connection.in_transaction:
            self._drop_writer()

    def wake(self) -> None:
        """Go on after a fork, in the parent and in the child."""
        self._gate.release()
        self._queue.lock.release()
