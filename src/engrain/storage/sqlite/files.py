"""The files of an SQLite store: whole copies, the queue of writers, remains of erased rows, and encryption."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
import sys
import time
import uuid
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from glob import escape
from pathlib import Path
from typing import Any, cast

from engrain.errors import ConfigError, StoreError, StoreUnavailable
from engrain.lazy import library
from engrain.storage.byte_search import Needles
from engrain.storage.rows import Residue
from engrain.urls import free_place

_PARTIAL, _BEFORE_SCHEMA = ".", ".before-schema-"
_PAUSE = 0.0003
_CHECKPOINT_PATIENCE = 2000  # milliseconds that a checkpoint waits for readers to go
_SEARCHED = 1 << 30  # bytes: a larger file is not read into memory
_HEADER = b"SQLite format 3"  # the first bytes of every file
_ROWS = 500  # read at a time


@contextmanager
def written_aside(target: Path) -> Iterator[Path]:
    """Yield a path next to the target for a copy, which is made durable before it gets the target's name."""
    with aside(target) as partial:
        yield partial
        _sync(partial, os.O_RDWR)
        os.replace(partial, target)
        if sys.platform != "win32":  # which syncs no folder
            _sync(target.parent, os.O_RDONLY)


@contextmanager
def aside(target: Path) -> Iterator[Path]:
    """Yield a path next to the target, for a file that is deleted in the end."""
    partial = target.with_name(f"{_PARTIAL}{target.name}.{uuid.uuid4().hex}")
    make_private(partial)
    try:
        yield partial
    finally:
        for suffix in ("", "-journal", "-wal", "-shm", ".lock"):
            Path(f"{partial}{suffix}").unlink(missing_ok=True)


def make_private(path: str | Path) -> None:
    """Make an empty file for this account only, as SQLite's log of it will be; an existing one is unchanged."""
    with suppress(OSError):  # SQLite reports the error
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


@contextmanager
def snapshot_at(path: str) -> Iterator[tuple[Path, Path]]:
    """Yield the absolute path of a new copy of a store, and one to write it to; see `written_aside`."""
    target = free_place(path, "a snapshot").absolute()
    with written_aside(target) as partial:
        yield target, partial


def _sync(path: Path, flags: int) -> None:
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def safety_copies(path: str) -> list[Path]:
    """Return the copies made of a file before its schema changed, including interrupted ones."""
    file = Path(path)
    names = (f"{prefix}{escape(file.name)}{_BEFORE_SCHEMA}[0-9]*" for prefix in ("", escape(_PARTIAL)))
    return [copy for name in names for copy in file.parent.glob(name)]


def safety_copy(path: str, version: int) -> Path:
    """Return the path of a file's copy before its schema becomes that version."""
    return Path(f"{path}{_BEFORE_SCHEMA}{version}")


_LINE, _TURN = 0, 1

if sys.platform == "win32":
    import msvcrt

    def _try(handle: int, byte: int) -> bool:
        os.lseek(handle, byte, os.SEEK_SET)
        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def _leave(handle: int, byte: int) -> None:
        os.lseek(handle, byte, os.SEEK_SET)
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _try(handle: int, byte: int) -> bool:
        try:
            fcntl.lockf(handle, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, byte)
        except OSError:
            return False
        return True

    def _leave(handle: int, byte: int) -> None:
        fcntl.lockf(handle, fcntl.LOCK_UN, 1, byte)


class Turnstile:
    """The queue of writers of one file; `path` None (a store in memory) has none."""

    def __init__(self, path: str | None) -> None:
        self._path = path
        self._handle: int | None = None
        self._owner = 0

    @contextmanager
    def turn(self, patience: float) -> Iterator[None]:
        """Wait for at most `patience` seconds, then continue either way."""
        if (handle := self._open()) is None:
            yield
            return
        until = time.monotonic() + patience
        held = [byte for byte in (_LINE, _TURN) if _wait(handle, byte, until)]
        if _LINE in held and _TURN in held:
            _leave(handle, _LINE)
            held.remove(_LINE)
        try:
            yield
        finally:
            for byte in held:
                _leave(handle, byte)

    def _open(self) -> int | None:
        if self._path is None:
            return None
        if self._handle is None or self._owner != os.getpid():
            try:
                self._handle, self._owner = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600), os.getpid()
                with suppress(OSError):  # another account made it; every writer of the store may take a turn
                    os.chmod(self._path, os.stat(self._path.removesuffix(".lock")).st_mode & 0o666 | 0o600)
            except OSError as error:
                reason = f"cannot be opened ({error.strerror}): check its folder, permissions and free space"
                raise StoreUnavailable(f"{self._path} {reason}", path=self._path) from error
        return self._handle

    def close(self) -> None:
        """Close the handle; the file stays, because another process may wait for its turn."""
        if self._handle is not None and self._owner == os.getpid():
            os.close(self._handle)
        self._handle = None


def _wait(handle: int, byte: int, until: float) -> bool:
    while not _try(handle, byte):
        if time.monotonic() >= until:
            return False
        time.sleep(_PAUSE)
    return True


def purge(connection: sqlite3.Connection, *, rewrite: bool) -> bool:
    """Move the log into the file, which is rewritten if requested; False if a reader still needs the old state."""
    if rewrite:
        connection.execute("VACUUM")
    (before,) = connection.execute("PRAGMA busy_timeout").fetchone()
    connection.execute(f"PRAGMA busy_timeout = {_CHECKPOINT_PATIENCE}")
    try:
        busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    finally:
        connection.execute(f"PRAGMA busy_timeout = {before}")
    return not busy


def residue(connection: sqlite3.Connection, path: str, traces: Iterable[bytes]) -> Residue | None:
    """Return the traces in the file's pages, read through SQLite to keep its locks, or its log; None if too large."""
    pages, page = (connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("page_count", "page_size"))
    if int(pages) * int(page) > _SEARCHED:
        return None
    needles = Needles(traces)
    found = needles.found_in(connection.serialize()) if needles else frozenset[bytes]()
    log = Path(path + "-wal")
    if needles and log.exists():
        found |= needles.found_in(log.read_bytes())
    living = _living(connection, found)
    return Residue(found - living, living)


def _living(connection: sqlite3.Connection, traces: frozenset[bytes]) -> frozenset[bytes]:
    """Return the traces that a living row has: a word of another text, the vector of an equal one."""
    needles, found = Needles(traces), {trace for trace in traces if trace in _HEADER}
    for table, columns in _columns(connection):
        rows = connection.execute(f"SELECT {', '.join(columns)} FROM {table}")
        while len(found) < len(traces) and (some := rows.fetchmany(_ROWS)):
            values = (value for row in some for value in row if value is not None)
            each = (value if isinstance(value, bytes) else str(value).encode() for value in values)
            found |= needles.found_in(b"\x00".join(each))
    return frozenset(found)


def _columns(connection: sqlite3.Connection) -> Iterator[tuple[str, list[str]]]:
    """Return every table with those of its columns that may contain text or bytes."""
    tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall()
    for (table,) in (*tables, ("sqlite_master",)):
        described = connection.execute(f"PRAGMA table_info({table})").fetchall()
        if columns := [name for _, name, kind, *_ in described if kind not in ("INTEGER", "REAL")]:
            yield table, columns


ENVIRONMENT = "ENGRAIN_ENCRYPTION_KEY"
"""The environment variable with the key of the stores that a process opens by path."""
_RAW = re.compile(r"[0-9a-fA-F]{64}")
_ROUNDS, _BYTES = 256_000, 32  # SQLCipher 4's key derivation from a passphrase: PBKDF2 with HMAC-SHA512


@dataclass(frozen=True, slots=True, repr=False)
class Key:
    """The key of a file in SQLCipher's form; its text is never shown."""

    passphrase: str = ""
    digits: str = ""  # of the key itself, and of the file's salt if that is known

    def connect(self, address: str, **options: Any) -> sqlite3.Connection:
        """Open an encrypted file; a wrong key is detected at the first read."""
        connection = _library().connect(address, **options)
        connection.execute("PRAGMA cipher_log_level = NONE")  # errors are raised, not printed
        connection.execute(f"PRAGMA key = {self._literal()}")
        return cast(sqlite3.Connection, connection)

    def _literal(self) -> str:
        return f"\"x'{self.digits}'\"" if self.digits else "'" + self.passphrase.replace("'", "''") + "'"

    def of_file(self, connection: sqlite3.Connection) -> Key:
        """Return the key derived from a passphrase for an existing file: deriving it for each connection is slow."""
        if self.digits:
            return self
        (salt,) = connection.execute("PRAGMA cipher_salt").fetchone()
        made = hashlib.pbkdf2_hmac("sha512", self.passphrase.encode(), bytes.fromhex(salt), _ROUNDS, _BYTES)
        return Key(digits=made.hex() + salt)


def key_of(value: str | bytes | None) -> Key | None:
    """Return a key of 32 bytes, 64 hexadecimal digits or a passphrase as bytes; None is no key."""
    if value is None:
        return None
    if isinstance(value, bytes):
        if len(value) != _BYTES:
            raise ValueError(f"a key of bytes has {_BYTES} of them, not {len(value)}: give a passphrase as text")
        key = Key(digits=value.hex())
    elif not isinstance(value, str):
        raise TypeError(f"key is text or {_BYTES} bytes, not {type(value).__name__}")
    elif not value.strip() or "\0" in value:
        raise ValueError("key is blank or holds a zero character: leave it out for a store that is not encrypted")
    else:
        key = Key(digits=value.lower()) if _RAW.fullmatch(value) else Key(passphrase=value)
    _library()
    return key


def environment_key() -> str | None:
    """Return the key in the environment; an empty one is a `ConfigError`, as it is surely a mistake."""
    key = os.environ.get(ENVIRONMENT)
    if key is not None and not key.strip():
        raise ConfigError(f"{ENVIRONMENT} is set and empty: unset it for a store without encryption")
    return key


def _library() -> Any:
    return library("sqlcipher3.dbapi2", extra="encryption")


def recoded(source: str, key: Key | None, target: str, new: Key | None) -> None:
    """Copy a file into a new one, under another key or none, in one consistent state.

    A file without a key is first copied by Python's own SQLite, with which others of this process may have it open: two
    SQLite libraries in one process drop the locks of each other. A copy left by a killed process is a safety copy.
    """
    if key is None:
        with aside(safety_copy(source, 0)) as copy, closing(sqlite3.connect(source)) as plain:
            plain.execute("VACUUM INTO ?", (str(copy),))
            differing = _recoded(str(copy), None, target, new)
    else:
        differing = _recoded(source, key, target, new)
    if differing:
        raise StoreError(f"the copy of {source} lacks rows of {', '.join(differing)}: nothing was written", path=source)


def _recoded(source: str, key: Key | None, target: str, new: Key | None) -> list[str]:
    with closing(_library().connect(source, isolation_level=None)) as connection:
        if key is not None:
            connection.execute(f"PRAGMA key = {key._literal()}")
        literal = "''" if new is None else new._literal()
        connection.execute(f"ATTACH DATABASE ? AS copy KEY {literal}", (target,))
        connection.execute("BEGIN")
        connection.execute("SELECT sqlcipher_export('copy')").fetchall()
        for name in ("application_id", "user_version"):
            (value,) = connection.execute(f"PRAGMA main.{name}").fetchone()
            connection.execute(f"PRAGMA copy.{name} = {value}")
        # Counted in the copied state: others go on writing to the source after that.
        tables = connection.execute("SELECT name FROM main.sqlite_master WHERE type = 'table' ORDER BY name").fetchall()
        rows = 'SELECT (SELECT count(*) FROM main."{0}") <> (SELECT count(*) FROM copy."{0}")'
        differing = [name for (name,) in tables if connection.execute(rows.format(name)).fetchone()[0]]
        connection.execute("COMMIT")
    return differing


def connect(address: str, key: Key | None, **options: Any) -> sqlite3.Connection:
    """Open a file by Python's own SQLite, or, with a key, by the library that decrypts it."""
    return sqlite3.connect(address, **options) if key is None else key.connect(address, **options)


@contextmanager
def fitting(key: Key | None, path: str) -> Iterator[None]:
    """Raise an error for a wrong key of a file, for which SQLite only reports that it is no database."""
    try:
        yield
    except errors("DatabaseError") as error:
        if key is None or getattr(error, "sqlite_errorcode", 0) != sqlite3.SQLITE_NOTADB:
            raise
        why = "it has another one, is not encrypted, or is not an Engrain store; it was left as it is"
        raise StoreUnavailable(f"{path} does not open with this key: {why}", path=path) from error


def errors(name: str) -> tuple[type[Exception], ...]:
    """Return the classes of an error: Python's own, and that of the library for encrypted files if it is there."""
    own: type[Exception] = getattr(sqlite3, name)
    try:
        return own, getattr(_library(), name)
    except ConfigError:
        return (own,)
