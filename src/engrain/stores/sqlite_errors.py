"""SQLite's errors said in Engrain's words: what happened to the store, and what to do about it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from engrain.errors import StoreCorrupt, StoreError, StoreUnavailable
from engrain.stores.encryption import errors

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

# Damage that has no code of its own.
_DAMAGE = ("Could not decode to UTF-8", "unsupported file format", "no such column", "no such table")


@contextmanager
def legible() -> Iterator[None]:
    """Turn the errors of reading rows that make no sense into `StoreCorrupt`; `explained` adds the path."""
    try:
        yield
    except (TypeError, ValueError, KeyError, IndexError, OverflowError) as error:
        raise StoreCorrupt(f"holds a row that makes no sense ({error}): restore a snapshot of it") from error


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
    except StoreCorrupt as error:
        raise error if error.path else StoreCorrupt(f"{path} {error}", path=path) from error
    except errors("DatabaseError") as error:
        code = getattr(error, "sqlite_errorcode", 0) & 0xFF
        if str(error).startswith(_DAMAGE):
            code = sqlite3.SQLITE_CORRUPT
        if code in _CORRUPT:
            raise StoreCorrupt(f"{path} {_CORRUPT[code]} ({error})", path=path) from error
        if code in _UNAVAILABLE:
            raise StoreUnavailable(f"{path} {_UNAVAILABLE[code]} ({error})", path=path) from error
        raise
