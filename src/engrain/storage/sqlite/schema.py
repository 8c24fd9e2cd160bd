"""The schema of a file: `check` recognises a store, `migrate` creates or updates its schema."""

from __future__ import annotations

import os
import sqlite3
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import NamedTuple
from urllib.parse import quote

from engrain.errors import AuditBroken, SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.model.audit import GENESIS
from engrain.model.memory import AuditEntry
from engrain.storage.rows import TABLES, legible
from engrain.storage.sqlite.files import Key, connect, fitting, safety_copy, written_aside

APPLICATION_ID = 0x454E4752  # the application id in the header of a file, which identifies a store
_OLD_APPLICATION_ID, _OLD_VERSION = 0x52434C54, 11  # of files of the product's old name, and their last schema
_AUDIT = TABLES[AuditEntry]
_SMALLEST = 512  # bytes: the smallest page an SQLite file can have


class Migrations(NamedTuple):
    """The schema of a new file with its version, and the numbered steps that bring an older file to it."""

    initial: str
    latest: int
    steps: tuple[tuple[int, str], ...]


@cache
def migrations() -> Migrations:
    """Return the contents of the folder of migrations."""
    folder = Path(__file__).parents[1] / "migrations" / "sqlite"
    found = {entry.name: entry.read_text(encoding="utf-8") for entry in folder.iterdir() if entry.name.endswith(".sql")}
    (initial,) = (name for name in found if name.endswith("_initial.sql"))
    steps = tuple((int(name[:4]), found[name]) for name in sorted(found.keys() - {initial}))
    return Migrations(found[initial], int(initial[:4]), steps)


def uri(path: str, read_only: bool) -> str:
    """Return the address to open: read-only files as such, and immutable when even their folder cannot be written."""
    address = "file:" + quote(path)
    if not read_only:
        return address + "?mode=rwc"
    alone = not Path(path + "-wal").exists() and not os.access(os.path.dirname(path), os.W_OK)
    return address + ("?immutable=1" if alone else "?mode=ro")


def check(path: str, key: Key | None = None) -> bool:
    """Raise if `path` cannot be a store, before any access; return whether it is read-only."""
    try:
        return _check(Path(path), path, key)
    except UnicodeDecodeError as error:
        raise StoreCorrupt(f"{path} is damaged: restore a snapshot of it ({error})", path=path) from error
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
    if file.stat().st_size < _SMALLEST:  # SQLite would take a few other bytes for an empty file and overwrite them
        raise StoreCorrupt(f"{path} is not an Engrain store: name another file; this one was left as it is", path=path)
    # Only SQLite may open the file: closing any handle of ours on it would drop the locks of this process on it, and
    # another process, believing itself alone, would then remove the write-ahead log in use.
    read_only = not os.access(path, os.W_OK) or not os.access(file.parent, os.W_OK)
    # A read-only check leaves a log where there was none; one that may write removes it again.
    address = uri(path, read_only or Path(path + "-wal").exists())
    with fitting(key, path), closing(connect(address, key, uri=True, timeout=5)) as connection:
        found = _schema_of(connection, path)
    if read_only and 0 < found < migrations().latest:
        old = f"{path} has schema {found} and has to be brought to {migrations().latest}, and is read-only"
        raise StoreUnavailable(f"{old}: open it once where it can be written", path=path)
    return read_only


def _schema_of(connection: sqlite3.Connection, path: str) -> int:
    """Return the version of a file's schema, 0 for an empty file; refuse one of another program, or an unusable one."""
    # In one statement, so in one state of the file: another process may be creating it at this moment.
    application, version, things = connection.execute(
        "SELECT application_id, user_version, (SELECT count(*) FROM sqlite_master)"
        " FROM pragma_application_id, pragma_user_version"
    ).fetchone()
    if application not in (APPLICATION_ID, _OLD_APPLICATION_ID):
        if things:
            strange = f"{path} is another program's SQLite file: name another file; this one was left as it is"
            raise StoreCorrupt(strange, path=path)
        return 0
    if version < 1:  # our files have a version from the beginning
        raise StoreCorrupt(f"{path} is damaged, its header names schema {version}: restore a snapshot of it", path=path)
    supported = migrations().latest if application == APPLICATION_ID else _OLD_VERSION
    if version > supported:
        newer = f"{path} was written by a newer Engrain (schema {version}, this one knows {supported}): upgrade"
        raise SchemaMismatch(newer, path=path, found=version, supported=supported)
    if version < _OLD_VERSION:
        old = f"{path} has schema {version}, from before the first release"
        taken = f"files from schema {_OLD_VERSION} on are brought up to date"
        raise SchemaMismatch(f"{old}: {taken}", path=path, found=version, supported=supported)
    return int(version)


def migrate(connection: sqlite3.Connection, path: str) -> None:
    """Create or update the schema in one transaction, after a safety copy; `AuditBroken` if its trail is broken."""
    latest, found = migrations().latest, _schema_of(connection, path)
    if 0 < found < latest:
        _check_audit(connection, path)
        copy = safety_copy(path, latest)
        if not copy.exists():
            with written_aside(copy) as partial:
                connection.execute("VACUUM INTO ?", (str(partial),))
    connection.execute("PRAGMA journal_mode = WAL")
    if found == latest:
        return
    connection.execute("PRAGMA foreign_keys = OFF")  # a step may replace a table that others refer to
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = _schema_of(connection, path)  # another process may have been first
        if found < latest:
            steps = [text for number, text in migrations().steps if number > found]
            for text in steps if found else [migrations().initial]:
                for statement in _statements(text):
                    connection.execute(statement)
            if found:
                _check_audit(connection, path)
            connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
            connection.execute(f"PRAGMA user_version = {latest}")
        connection.execute("COMMIT")
    finally:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        connection.execute("PRAGMA foreign_keys = ON")


@cache
def _statements(text: str) -> list[str]:
    statements, pending = [], ""
    for line in text.splitlines():
        pending += line + "\n"
        if sqlite3.complete_statement(pending):
            statements.append(pending)
            pending = ""
    return statements


def _check_audit(connection: sqlite3.Connection, path: str) -> None:
    """Raise `AuditBroken` unless the audit chains of every org are complete and end at their heads."""
    known = {name for (name,) in connection.execute("SELECT name FROM pragma_table_info('audit')")}
    user = "user" if "user" in known else "''"  # before schema 18 an org had one chain
    columns = ", ".join(name if name != "user" else user for name in _AUDIT.columns)
    select = f"SELECT {columns} FROM audit WHERE org = ? AND {user} = ? ORDER BY seq"
    chains = f"SELECT org, {user} FROM audit UNION SELECT org, {user} FROM audit_head ORDER BY 1, 2"
    for of in connection.execute(chains).fetchall():
        seq, last = 0, GENESIS
        # Closed at once: an open statement would keep the connection from restoring the file.
        with legible(), closing(connection.execute(select, of)) as rows:
            for row in rows:
                seq, entry = seq + 1, _AUDIT.decode(row)
                if entry.seq != seq or entry.link_after(last) is None:
                    raise _broken(path, of[0], seq)
                last = entry.hash
        head = connection.execute(f"SELECT seq, hash FROM audit_head WHERE org = ? AND {user} = ?", of).fetchone()
        if head != (seq, last):
            raise _broken(path, of[0], seq + 1)


def _broken(path: str, org: str, seq: int) -> AuditBroken:
    broken = f"the audit trail of {org!r} breaks at entry {seq}; nothing was changed, restore a snapshot of it"
    return AuditBroken(f"{path} is not brought up to date: {broken}", org=org, seq=seq)
