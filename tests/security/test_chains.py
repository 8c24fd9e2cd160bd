"""A chain for each namespace: any history verifies, what is changed in it is found, and each entry can be proven."""

from __future__ import annotations

import random
import sqlite3
from collections import Counter
from collections.abc import Iterator
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from engrain import AuditHead, AuditProof, MemoryManager, NotFound
from engrain.testing import FrozenClock

USERS = (None, "ana", "bo", "cy")
KEY = "5f" * 32


def view_of(memory: MemoryManager, user: str | None) -> MemoryManager:
    return memory if user is None else memory.scoped(user=user)


class History:
    """Changes by random users, and how many entries each chain has by then."""

    def __init__(self, memory: MemoryManager, seed: int) -> None:
        self.memory, self.rng, self.entries = memory, random.Random(seed), Counter[str]()
        self.ids: list[tuple[str, str | None]] = []

    def count(self, user: str | None) -> None:
        if user is not None and not self.entries[user]:
            self.entries[""] += 1  # that the namespace has begun
        self.entries[user or ""] += 1

    def step(self) -> None:
        act = self.rng.choice(["remember", "remember", "update", "forget", "erase"]) if self.ids else "remember"
        if act == "remember":
            user = self.rng.choice(USERS)
            text = f"note {len(self.ids)} about house {self.rng.randrange(10**6)}"
            self.ids.append((view_of(self.memory, user).remember(text).id, user))
            self.count(user)
            return
        chosen, user = self.ids.pop(self.rng.randrange(len(self.ids)))
        view = view_of(self.memory, self.rng.choice([None, user]))  # the organisation's view may change anybody's
        if act == "update":
            view.update(chosen, importance=self.rng.random())
            self.ids.append((chosen, user))
        else:
            view.forget(chosen, hard=act == "erase")
        self.count(user)


@pytest.mark.parametrize("seed", range(3))
def test_any_history_verifies_and_each_head_that_was_kept_holds(memory: MemoryManager, seed: int) -> None:
    history, kept = History(memory, seed), list[AuditHead]()
    for _ in range(5):
        for _ in range(5):
            history.step()
        report, head = memory.verify_audit(), memory.audit_head()
        assert (report.ok, report.entries) == (True, history.entries.total())
        assert head.seq == report.entries
        if head.chains is not None:
            assert head.chains == dict(history.entries)
        kept.append(AuditHead.from_dict(head.to_dict()))
    for head in kept:
        assert memory.verify_audit(head=head).ok
    assert memory.verify_audit(head=kept[-1]).anchored
    assert not memory.verify_audit(head=kept[0]).anchored
    assert not memory.verify_audit(head=replace(kept[-1], hash=kept[0].hash)).ok
    times = [(entry.at, entry.user or "", entry.seq) for entry in memory.audit_log(limit=1000)]
    assert times == sorted(times, reverse=True)
    for user in USERS[1:]:
        view = view_of(memory, user)
        assert view.verify_audit(head=view.audit_head()).entries == history.entries[str(user)]


@pytest.mark.parametrize("key", [None, KEY], ids=["unsigned", "signed"])
def test_an_entry_is_proven_by_the_head_or_the_key(tmp_path: Path, clock: FrozenClock, key: str | None) -> None:
    with MemoryManager(tmp_path / "m.db", embedder=None, clock=clock, signing_key=key) as memory:
        history, before = History(memory, 7), memory.audit_head()
        for _ in range(20):
            history.step()
        head, public = memory.audit_head(), memory.public_key
        for user in USERS:
            view = view_of(memory, user)
            for seq in range(1, history.entries[user or ""] + 1):
                proof = AuditProof.from_dict(view.audit_proof(seq).to_dict())
                assert (proof.entry.seq, proof.entry.user, proof.entry.reason) == (seq, user, "")
                assert proof.verify(head)
                assert public is None or proof.verify(public_key=public)
                assert not proof.verify(before)
                assert not replace(proof, entry=replace(proof.entry, operation="nothing")).verify(head)
                assert not replace(proof, entry=replace(proof.entry, user="eve")).verify(head)
                assert not replace(proof, previous="0" * 63 + "1").verify(head)
                assert not replace(proof, path=proof.path[:-1]).verify(head)
                assert not replace(proof, following=(*proof.following, ("x",))).verify(head)
                shown = str((proof.following, proof.path, proof.head))
                assert not any(repr(other) in shown for other in USERS[1:])
        with pytest.raises(NotFound):
            memory.scoped(user="ana").audit_proof(history.entries["ana"] + 1)
        with pytest.raises(ValueError, match="compared with something"):
            memory.audit_proof(1).verify()
        with pytest.raises(ValueError, match="does not name its chains"):
            memory.verify_audit(head=memory.audit_proof(1).head)


def test_a_view_proves_what_it_sees(memory: MemoryManager) -> None:
    scout = memory.scoped(user="ana", agent="scout")
    memory.scoped(user="ana", agent="other").remember("the other saw a cat")
    scout.remember("the scout saw a bird")
    assert scout.audit_proof(2).verify(memory.audit_head())
    with pytest.raises(NotFound):
        scout.audit_proof(1)


# ----------------------------------------------------------------------------------------------- changed from outside


def rows(connection: sqlite3.Connection, table: str) -> list[tuple[object, ...]]:
    return connection.execute(f"SELECT * FROM {table}").fetchall()


def changes(connection: sqlite3.Connection, rng: random.Random) -> Iterator[tuple[str, list[object]]]:
    """Yield statements that each change something that the chains hold."""
    entry, chain = "WHERE user = ? AND seq = ?", "WHERE user = ?"
    for user, seq in connection.execute("SELECT user, seq FROM audit").fetchall():
        column = rng.choice(["at", "operation", "memory_id", "actor", "digest", "hash"])
        yield f"UPDATE audit SET {column} = {column} || '1' {entry}", [user, seq]
        yield f"UPDATE audit SET user = 'eve' {entry}", [user, seq]
        yield f"DELETE FROM audit {entry}", [user, seq]
    for (user,) in connection.execute("SELECT user FROM audit_head").fetchall():
        yield f"UPDATE audit_head SET seq = seq - 1 {chain}", [user]
        yield f"UPDATE audit_head SET user = 'eve' {chain}", [user]
        yield f"DELETE FROM audit_head {chain}", [user]


@pytest.mark.sqlite("the rows are changed in the file")
@pytest.mark.parametrize("seed", range(2))
def test_whatever_is_changed_is_found(tmp_path: Path, clock: FrozenClock, seed: int) -> None:
    path, tables = tmp_path / "m.db", ("audit", "audit_head")
    with MemoryManager(path, embedder=None, clock=clock) as memory:
        history = History(memory, seed)
        while len(history.entries) < len(USERS) or history.entries.total() < 15:
            history.step()
        head = memory.audit_head()
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            whole = {table: rows(connection, table) for table in tables}

            def restore() -> None:
                connection.execute("BEGIN")
                for table, kept in whole.items():
                    connection.execute(f"DELETE FROM {table}")
                    marks = ", ".join("?" * len(kept[0]))
                    connection.executemany(f"INSERT INTO {table} VALUES ({marks})", kept)
                connection.execute("COMMIT")

            for statement, values in changes(connection, history.rng):
                assert connection.execute(statement, values).rowcount == 1
                assert not memory.verify_audit().ok, (statement, values)
                restore()
            for user in USERS[1:]:  # a namespace vanishes, with its head
                for table in tables:
                    connection.execute(f"DELETE FROM {table} WHERE user = ?", [user])
                report = memory.verify_audit()
                assert not report.ok
                assert "is gone" in report.notes[0]
                with pytest.raises(Exception, match="is gone"):
                    report.require()
                view_of(memory, user).remember("and begins anew")
                assert not memory.verify_audit().ok
                restore()
                # Cut to what it was: only who kept a head sees that.
                connection.execute("DELETE FROM audit WHERE user = ? AND seq > 1", [user])
                last = "(SELECT hash FROM audit WHERE user = audit_head.user)"
                connection.execute(f"UPDATE audit_head SET seq = 1, hash = {last} WHERE user = ?", [user])
                assert memory.verify_audit().ok
                assert memory.verify_audit(head=head).ok == (history.entries[str(user)] == 1)
                restore()
            assert memory.verify_audit(head=head).anchored


@pytest.mark.parametrize(
    "wrong", [{"org": 1}, {"seq": -1}, {"seq": True}, {"user": 5}, {"chains": 5}, {"chains": {"": "x"}}]
)
def test_what_is_no_head_is_refused(wrong: dict[str, object]) -> None:
    head = AuditHead("default", 1, "0" * 64).to_dict()
    assert AuditHead.from_dict(head).to_dict() == head
    with pytest.raises(ValueError, match="no head of an audit trail"):
        AuditHead.from_dict(head | wrong)
