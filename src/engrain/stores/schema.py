"""The file's schema: what an Engrain file looks like, and how an older one is brought up to date."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import cache
from importlib.resources import files
from pathlib import Path
from urllib.parse import quote

from engrain.errors import SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.language.names import has_names
from engrain.model.memory import Fact, slot
from engrain.stores.encryption import Key, connect, fitting
from engrain.text import key_of

APPLICATION_ID = 0x52434C54  # "RCLT" in the file's header, by which a store of ours is known
_SMALLEST = 512  # bytes: the smallest page an SQLite file can have


@cache
def migrations() -> tuple[tuple[int, str], ...]:
    """Return the numbered migrations in order, as (version, SQL)."""
    folder = files("engrain.stores") / "migrations" / "sqlite"
    found = [entry for entry in folder.iterdir() if entry.name.endswith(".sql")]
    return tuple(sorted((int(entry.name[:4]), entry.read_text(encoding="utf-8")) for entry in found))


def uri(path: str, read_only: bool) -> str:
    """Return the address to open: read-only files as such, and immutable when even their folder cannot be written."""
    address = "file:" + quote(path)
    if not read_only:
        return address + "?mode=rwc"
    alone = not Path(path + "-wal").exists() and not os.access(os.path.dirname(path), os.W_OK)
    return address + ("?immutable=1" if alone else "?mode=ro")


def check(path: str, key: Key | None = None) -> bool:
    """Look before anything is touched: raise if `path` cannot be a store of ours, else say whether it is read-only."""
    try:
        return _check(Path(path), path, key)
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be looked at: {error.strerror}", path=path) from error


def _check(file: Path, path: str, key: Key | None) -> bool:
    if file.is_dir():
        raise StoreUnavailable(f"{path} is a folder: name a file in it, such as {file / 'memory.db'}", path=path)
    if not file.parent.is_dir():
        raise StoreUnavailable(f"the folder {file.parent} does not exist: create it first", path=path)
    if not file.exists() or file.stat().st_size == 0:
        if not os.access(file if file.exists() else file.parent, os.W_OK):
            raise StoreUnavailable(f"{path} cannot be created: {file.parent} is read-only", path=path)
        return False
    if file.stat().st_size < _SMALLEST:  # SQLite would take a few strange bytes for an empty file and write over them
        raise StoreCorrupt(f"{path} is not an Engrain store: name another file; this one was left as it is", path=path)
    # Only SQLite may open the file: closing any handle of ours on it would drop the locks this process holds on it, and
    # another process, thinking itself alone, would then remove the write-ahead log under us.
    read_only = not os.access(path, os.W_OK) or not os.access(file.parent, os.W_OK)
    # A read-only look leaves a log behind where there was none; a look that may write takes it away again.
    address = uri(path, read_only or Path(path + "-wal").exists())
    with fitting(key, path), closing(connect(address, key, uri=True, timeout=5)) as connection:
        _belongs(connection, path)
    return read_only


def _belongs(connection: sqlite3.Connection, path: str) -> int:
    # In one statement, so from one state of the file: another process may be making it at this moment.
    application, version, things = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application != APPLICATION_ID:
        if things:
            raise StoreCorrupt(
                f"{path} is another program's SQLite file: name another file; this one was left as it is", path=path
            )
        return 0
    if version < 1:  # ours has had one since it was made
        raise StoreCorrupt(f"{path} is damaged, its header names schema {version}: restore a snapshot of it", path=path)
    supported = migrations()[-1][0]
    if version > supported:
        raise SchemaMismatch(
            f"{path} was written by a newer Engrain (schema {version}, this one knows {supported}): upgrade",
            path=path,
            found=version,
            supported=supported,
        )
    return int(version)


def version(connection: sqlite3.Connection) -> int:
    """Return the version that the file says it has."""
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Create or update the schema in one transaction, after a safety copy of an older file."""
    version = _belongs(connection, path)
    connection.execute("PRAGMA journal_mode = WAL")
    pending = [(number, sql) for number, sql in migrations() if number > version]
    if not pending:
        return
    if version:
        copy = f"{path}.before-schema-{pending[-1][0]}"
        if not Path(copy).exists():
            connection.execute("VACUUM INTO ?", (copy,))
    connection.execute("BEGIN IMMEDIATE")
    try:
        version = _belongs(connection, path)  # another process may have been first
        if version:
            _grow(connection, version)
        else:
            for statement in _grown():
                connection.execute(statement)
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(f"PRAGMA user_version = {pending[-1][0]}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")


def _grow(connection: sqlite3.Connection, version: int) -> None:
    """Carry out the migrations above a version."""
    connection.create_function("fact_key", 4, _fact_key, deterministic=True)
    connection.create_function("has_names", 1, has_names, deterministic=True)
    connection.create_function("key_of", 1, key_of, deterministic=True)
    for number, sql in migrations():
        if number > version:
            for statement in _statements(sql):
                connection.execute(statement)


@cache
def _grown() -> tuple[str, ...]:
    """Return what makes a new file at once what all migrations make of it: they are carried out once, in memory."""
    left = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY rowid"
    with closing(sqlite3.connect(":memory:", isolation_level=None)) as connection:
        _grow(connection, 0)
        return tuple(sql for (sql,) in connection.execute(left))


def _fact_key(part: int, subject: str, predicate: str, object_: str) -> str:
    return slot(Fact(subject, predicate, object_))[part]


def _statements(sql: str) -> list[str]:
    statements, pending = [], ""
    for line in sql.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def seal(path: str) -> None:
    """Make a copy durable before it is given its name."""
    handle = os.open(path, os.O_RDWR)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
