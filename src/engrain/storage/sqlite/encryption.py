"""Encryption at rest: the key of a file, and the library that encrypts it (SQLCipher, an extra)."""

from __future__ import annotations

import hashlib
import os
import re
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import Any, cast

from engrain.errors import ConfigError, StoreError, StoreUnavailable
from engrain.lazy import library
from engrain.storage.sqlite.files import aside, safety_copy

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
