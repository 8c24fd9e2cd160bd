"""A connection is cut around a commit: the change exists exactly once, and its caller learns so."""

from __future__ import annotations

import signal
import threading
import time
from collections import Counter
from collections.abc import Iterator

import psycopg
import pytest

from engrain.errors import StoreUnavailable
from engrain.model.filters import Filter, Test
from engrain.model.memory import Job
from engrain.storage.interface import Transaction
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import Record
from engrain.testing.conformance.base import add
from engrain.testing.rows import NOON, memory, record
from tests.postgres import private
from tests.postgres.private import AFTER, BEFORE, SILENT, Server, Wire

ORG = "default"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private.server(fsync="off") as made:
        PostgresStore(made.url).close()
        yield made


@pytest.fixture
def wire(server: Server) -> Iterator[Wire]:
    with private.wire(server.port) as made:
        yield made
    with psycopg.connect(server.local, autocommit=True) as connection:
        connection.execute("SET engrain.org = 'default'")
        for table in ("job", "memory", "namespace"):
            connection.execute(f"DELETE FROM engrain.{table}".encode())


def contents(store: PostgresStore) -> Counter[str]:
    with store.read(ORG) as view:
        return Counter(row.memory.content for row in view.find(Record, Filter(ORG)))


@pytest.mark.matrix
@pytest.mark.parametrize("how", [BEFORE, AFTER, SILENT])
def test_a_change_whose_commit_is_cut_is_there_once(wire: Wire, how: str) -> None:
    store = PostgresStore(wire.url, patience=10)
    ran = []

    def change(transaction: Transaction) -> str:
        ran.append(1)
        transaction.put(record("tea", user="ana"))
        if len(ran) == 1:
            wire.cut(how)
        return f"run {len(ran)}"

    assert store.write(change, ORG) == ("run 1" if how == AFTER else "run 2")
    assert wire.cuts == 1
    assert contents(store) == {"tea": 1}
    store.close()


@pytest.mark.matrix
@pytest.mark.parametrize("how", [BEFORE, AFTER])
@pytest.mark.parametrize("at", [b"SAVEPOINT", b"RELEASE", b"memory", b"COMMIT", b"BEGIN"])
def test_changes_of_many_threads_are_there_once_wherever_the_connection_is_cut(wire: Wire, how: str, at: bytes) -> None:
    store = PostgresStore(wire.url, patience=10)
    begun, queued, planned = threading.Event(), 5, list[None]()
    stored: dict[str, object] = {}

    def first(transaction: Transaction) -> str:
        begun.set()
        time.sleep(0.2)  # the others wait meanwhile, and are committed together
        transaction.put(record("first"))
        if not planned:
            wire.cut(how, at)
            planned.append(None)
        return "first"

    def write(name: str) -> None:
        begun.wait()

        def change(transaction: Transaction) -> str:
            transaction.put(record(name, user=name))
            if name == "bad":
                raise ValueError(name)
            return name

        try:
            stored[name] = store.write(change, ORG)
        except ValueError as error:
            stored[name] = error

    names = [*(f"no {n}" for n in range(queued)), "bad"]
    threads = [threading.Thread(target=write, args=(name,)) for name in names]
    for thread in threads:
        thread.start()
    assert store.write(first, ORG) == "first"
    for thread in threads:
        thread.join()
    assert isinstance(stored.pop("bad"), ValueError)
    assert stored == {name: name for name in names if name != "bad"}
    kept = contents(store)
    assert {name: kept[name] for name in stored} == dict.fromkeys(stored, 1)
    assert kept["bad"] == 0
    with store.read(ORG) as view:  # every row has its namespace, though that was rolled back once
        assert {row.memory.scope.user for row in view.find(Record, Filter(ORG))} >= set(stored)
    store.close()


def test_a_commit_of_unknown_outcome_gives_an_error_that_says_to_look(server: Server, wire: Wire) -> None:
    store = PostgresStore(wire.url, patience=1.0)

    def change(transaction: Transaction) -> None:
        transaction.put(record("tea"))
        wire.refuse()
        wire.cut(AFTER)

    with pytest.raises(StoreUnavailable, match="cannot be asked whether it was kept.*look before you make it again"):
        store.write(change, ORG)
    store.close()


def test_an_interrupt_in_a_change_makes_nobody_elses_change_twice(server: Server) -> None:
    store = PostgresStore(server.url)
    begun = threading.Event()

    def first(transaction: Transaction) -> None:
        begun.set()
        time.sleep(0.2)
        raise KeyboardInterrupt

    def other() -> None:
        begun.wait()
        add(store, memory("other"))

    thread = threading.Thread(target=other)
    thread.start()
    with pytest.raises(KeyboardInterrupt):
        store.write(first, ORG)
    thread.join()
    assert contents(store) == {"other": 1}
    with psycopg.connect(server.local, autocommit=True) as connection:
        connection.execute("SET engrain.org = 'default'")
        connection.execute("DELETE FROM engrain.memory")
    store.close()


def test_an_interrupt_while_it_commits_makes_nobodys_change_twice(server: Server) -> None:
    store = PostgresStore(server.url)
    add(store, memory("before"))
    begun = threading.Event()
    with psycopg.connect(server.local, autocommit=True) as slow:
        slow.execute(
            "CREATE FUNCTION pause() RETURNS trigger LANGUAGE plpgsql AS "
            "$$ BEGIN PERFORM pg_sleep(2); RETURN NULL; END $$;"
            "CREATE CONSTRAINT TRIGGER late AFTER INSERT ON engrain.job DEFERRABLE INITIALLY DEFERRED FOR EACH ROW "
            "EXECUTE FUNCTION pause()"
        )

    def first(transaction: Transaction) -> None:
        begun.set()
        time.sleep(0.2)
        transaction.put(Job("job_late", "embed", ORG, "m", NOON))
        threading.Timer(0.5, signal.raise_signal, (signal.SIGINT,)).start()

    def other() -> None:
        begun.wait()
        add(store, memory("other"))

    thread = threading.Thread(target=other)
    thread.start()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell may have had it ignored
    try:
        with pytest.raises(KeyboardInterrupt):
            store.write(first, ORG)
    finally:
        signal.signal(signal.SIGINT, before)
    thread.join()
    assert contents(store) == {"before": 1, "other": 1}
    with psycopg.connect(server.local, autocommit=True) as connection:
        connection.execute("DROP FUNCTION pause CASCADE; SET engrain.org = 'default'; DELETE FROM engrain.memory")
    store.close()


def test_deadlocks_and_conflicts_are_tried_again(server: Server) -> None:
    store = PostgresStore(server.url, patience=5)
    for error in (psycopg.errors.DeadlockDetected, psycopg.errors.SerializationFailure):
        ran: list[int] = []

        def change(transaction: Transaction, error: type[Exception] = error, ran: list[int] = ran) -> int:
            ran.append(1)
            transaction.put(Job(f"job_{error.__name__}", "embed", ORG, "m", NOON))
            if len(ran) < 3:
                raise error("again")
            return len(ran)

        assert store.write(change, ORG) == 3
        with store.read(ORG) as view:
            assert len(view.find(Job, [Test("id", "eq", f"job_{error.__name__}")])) == 1
    store.close()


def test_a_write_within_a_write_is_refused_whatever_its_org(server: Server) -> None:
    store = PostgresStore(server.url, patience=5)
    for org in (ORG, "other", None):
        with pytest.raises(RuntimeError, match="must not write to its own store"):
            store.write(lambda tx, org=org: store.write(lambda inner: None, org), ORG)  # type: ignore[misc]
    store.close()
