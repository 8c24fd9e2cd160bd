"""Writers of one organisation: those of different users do not wait for each other, and their chains never fork."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import psycopg
import pytest

from engrain import AuditHead, MemoryManager, Settings, StoreUnavailable
from engrain.model.audit import GENESIS
from engrain.model.memory import AuditEntry
from engrain.storage.postgres import PostgresStore, schema
from engrain.testing.rows import NOON
from engrain.text import digest
from tests.postgres import servers

ALONE = Settings(worker="none")


@contextmanager
def manager(url: str, patience: float = 30) -> Iterator[MemoryManager]:
    with MemoryManager(PostgresStore(url, patience=patience), embedder=None, settings=ALONE) as memory:
        yield memory


@contextmanager
def turn_of(url: str, user: str) -> Iterator[None]:
    """Hold the turn of a user's writers, as one of them would that is slow."""
    with psycopg.connect(url) as connection:
        asked = 'SELECT FROM engrain.writer WHERE org = %s AND "user" = %s FOR UPDATE'
        assert connection.execute(asked, ["default", user]).rowcount == 1
        yield


def test_a_writer_waits_for_those_of_its_own_user_alone() -> None:
    with servers.database() as url, manager(url, patience=0.5) as memory:
        ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
        tea = ana.remember("Ana drinks tea")
        bo.remember("Bo drinks coffee")
        memory.remember("The office opens at nine")
        with turn_of(url, "ana"):
            one = bo.remember("Bo rides a bicycle")
            bo.update(one.id, importance=0.9)
            bo.scoped(session="s").add_message("user", "Where is my bicycle?")
            bo.forget(one.id)
            memory.remember("The office closes at five")
            for wants_it in (
                lambda: ana.remember("Ana reads"),
                lambda: memory.update(tea.id, importance=0.9),  # which is ana's
                lambda: memory.forget_all(user="bo", hard=True),
            ):
                with pytest.raises(StoreUnavailable):
                    wants_it()
        memory.update(tea.id, importance=0.9)
        assert memory.verify_audit().ok
        assert [entry.operation for entry in ana.audit_log()] == ["update", "create"]


def test_the_first_writes_of_many_users_at_once_are_all_recorded() -> None:
    users, errors = [f"user {n}" for n in range(8)], list[BaseException]()

    def write(memory: MemoryManager, user: str) -> None:
        try:
            for n in range(3):
                memory.scoped(user=user).remember(f"note {n} of {user}")
        except BaseException as error:
            errors.append(error)

    with servers.database() as url, manager(url) as one, manager(url) as other:
        threads = [
            threading.Thread(target=write, args=(memory, user))
            for user, memory in zip(users * 2, [one, other] * 8, strict=False)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        report, head = one.verify_audit(), other.audit_head()
        assert (report.ok, head.seq, one.count()) == (True, report.entries, 3 * len(users))
        assert head.chains is not None
        assert head.chains[""] == len(users)


def test_a_chain_of_before_goes_on_and_heads_of_it_hold() -> None:
    columns = "org, seq, at, operation, memory_id, actor, digest, hash, reason"
    with servers.database() as url:
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("DROP SCHEMA IF EXISTS engrain CASCADE")
            schema.migrate(owner, url, schema.migrations()[:4])
            last, at = GENESIS, int(NOON.timestamp() * 1_000_000)
            for seq in range(1, 4):
                entry = AuditEntry("default", seq, NOON, "create", f"mem_{seq}", "user:ana", "a digest", "")
                last = digest(last, *entry.links[-1])
                row = ["default", seq, at, "create", entry.memory_id, entry.actor, entry.digest, last, ""]
                owner.execute(f"INSERT INTO engrain.audit ({columns}) VALUES ({', '.join(['%s'] * 9)})".encode(), row)
            owner.execute("INSERT INTO engrain.audit_head (org, seq, hash) VALUES ('default', 3, %s)", [last])
            owner.execute("INSERT INTO engrain.org (name) VALUES ('default')")
        kept = AuditHead("default", 3, last)
        with manager(url) as memory:
            assert memory.audit_head() == kept
            assert memory.verify_audit(head=kept).anchored
            memory.scoped(user="ana").remember("Ana drinks tea")
            memory.remember("The office opens at nine")
            report = memory.verify_audit(head=kept)
            assert (report.ok, report.entries) == (True, 6)
            assert memory.audit_proof(1).verify(memory.audit_head())
            assert not memory.verify_audit(head=replace(kept, hash=GENESIS)).ok
