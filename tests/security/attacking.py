"""Somebody who can write the file, knows the code, and has not got the key."""

from __future__ import annotations

import random
import shutil
import sqlite3
from contextlib import closing
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from engrain import AuditHead, MemoryManager
from engrain.errors import EngrainError
from engrain.model.audit import GENESIS, namespace_name
from engrain.model.memory import AuditEntry
from engrain.security.audit import entries, state_digest
from engrain.storage.rows import Record
from engrain.testing import FrozenClock
from tests.rows import behind

KEY = "5f" * 32
NOON = "2026-01-05T12:00:00+00:00"
# What reads, sweeps and indexes write by themselves, and the reasons, which stand outside the chain to be erased.
BOOKKEEPING = {
    "memory": set(
        "num identity length marks subject_key predicate_key object_key due_at consolidated_at entities access_count "
        "last_accessed accessed_2 accessed_3 strength evolution_count expires_at expiry".split()
    ),
    "audit": {"reason"},
    "audit_head": set(),
    "server_key": {"org"},  # which is found in the other organisation
}
NAMED_BY = {"memory": "num", "audit": "hash", "audit_head": "hash", "server_key": "id"}


def written(path: Path, *, key: str | None) -> AuditHead:
    """Make a store in which all kinds of things happened, and return its head."""
    with MemoryManager(path, embedder=None, clock=FrozenClock(NOON), signing_key=key) as memory:
        tea = memory.remember("Ana drinks tea", tags=["drink"], metadata={"n": 1}, key="tea", source_id="crm").id
        memory.scoped(user="ben", agent="scout").remember("Ben lives in Rome", fact=("Ben", "lives_in", "Rome"))
        memory.scoped(user="ben").remember("Ben lives in Oslo", fact=("Ben", "lives_in", "Oslo"))
        memory.scoped(user="eve", session="s").remember("Eve called", actor="eve")
        memory.update(tea, content="Ana drinks green tea", importance=0.9)
        memory.forget(memory.remember("a slip of the tongue").id)
        memory.procedures.store({"name": "deploy", "steps": [{"action": "test"}, {"action": "ship"}]})
        memory.keys.create("read", user="ben", name="a reader")
        memory.keys.revoke(memory.keys.create("write", user="ben", agent="scout").id)
        return memory.audit_head()


def is_found(path: Path, *, key: str | None, head: AuditHead | None = None) -> bool:
    """Return whether anything shows that the file was tampered with."""
    try:
        with MemoryManager(path, embedder=None, signing_key=key, clock=FrozenClock(NOON)) as memory:
            chain, report = memory.verify_audit(head=head), memory.audit_integrity()
    except (EngrainError, sqlite3.DatabaseError):
        return True
    return not (chain.ok and chain.anchored) or report.integrity_score < 1


def columns(path: Path, table: str) -> list[str]:
    """Return what may not be changed unseen."""
    with closing(sqlite3.connect(path)) as connection:
        named = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
    return [name for name in named if name not in BOOKKEEPING[table]]


def state(path: Path) -> list[list[tuple[object, ...]]]:
    """Return all that may not be changed unseen."""
    with closing(sqlite3.connect(path)) as connection:
        return [
            connection.execute(f"SELECT {', '.join(columns(path, table))} FROM {table} ORDER BY 1").fetchall()
            for table in BOOKKEEPING
        ]


def copied(path: Path, folder: Path) -> Path:
    """Return a copy to be spoilt."""
    return Path(shutil.copyfile(path, folder / "copy.db"))


def executed(path: Path, *statements: str) -> None:
    """Change the rows behind the memory's back."""
    with behind(path) as connection:
        for statement in statements:
            connection.execute(statement)


def edit(path: Path, table: str, column: str, rng: random.Random) -> None:
    """Change one cell of a row, where the table lets one."""
    name = NAMED_BY[table]
    with closing(sqlite3.connect(path)) as connection, connection:
        said = " WHERE subject IS NOT NULL" if column in ("predicate", "object") else ""  # else it says nothing
        row, value = rng.choice(connection.execute(f"SELECT {name}, {column} FROM {table}{said}").fetchall())
        change = f"UPDATE OR IGNORE {table} SET {column} = ? WHERE {name} = ?"
        connection.execute(change, (_beside(value, rng), row))


def _beside(value: object, rng: random.Random) -> object:
    """Return a value that is one bit or little more away from another."""
    if value is None:
        return rng.choice(["x", 7])
    if isinstance(value, int):
        return value ^ (1 << rng.randrange(8))
    if isinstance(value, float):
        return value / 2 + 0.01
    text = str(value) or " "
    place = rng.randrange(len(text))
    return text[:place] + chr(ord(text[place]) ^ 1) + text[place + 1 :]


def hash_anew(path: Path) -> None:
    """Make every hash, digest, link and the head fit what stands in the file now; the signatures stay."""
    with closing(sqlite3.connect(path)) as connection, connection:
        for num, content in connection.execute("SELECT num, content FROM memory").fetchall():
            hash_ = sha256(str(content).encode()).hexdigest()
            connection.execute("UPDATE memory SET content_hash = ? WHERE num = ?", (hash_, num))
    try:
        with MemoryManager(path, embedder=None) as memory, memory.store.read() as reader:
            records = {record.memory.id: record for record in reader.find(Record)}
            users = sorted(reader.count(AuditEntry, by="user"), reverse=True)  # the own chain last
            chains = {user: list(entries(reader, "default", user)) for user in users}
    except (EngrainError, ValueError, TypeError, KeyError):
        return  # what cannot be read cannot be made to fit
    last = {entry.memory_id: (user, place) for user in chains for place, entry in enumerate(chains[user])}
    first: dict[str, str] = {}
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE audit SET seq = seq + 1000000")
        for user, chain in chains.items():
            head = GENESIS
            for place, entry in enumerate(chain):
                record, seq, before = records.get(entry.memory_id), place + 1, entry.seq + 1_000_000
                if record is not None and last[entry.memory_id] == (user, place):
                    entry = replace(entry, digest=state_digest(record.memory, record.salt))
                if entry.memory_id in first:
                    entry = replace(entry, digest=first[entry.memory_id])
                head = replace(entry, org="default", seq=seq).chained(head)
                first.setdefault(namespace_name("default", user), head)
                connection.execute(
                    "UPDATE audit SET seq = ?, digest = ?, hash = ? WHERE user = ? AND seq = ?",
                    (seq, entry.digest, head, user, before),
                )
            connection.execute("UPDATE audit_head SET seq = ?, hash = ? WHERE user = ?", (len(chain), head, user))
