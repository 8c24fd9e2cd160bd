"""A server that is away, full, read-only, slow or in a hurry: what the caller gets, and what goes on by itself."""

from __future__ import annotations

import logging
import multiprocessing
import os
import subprocess
import sys
import threading
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from typing import Any

import psycopg
import pytest

from engrain import MemoryManager
from engrain.errors import ConfigError, StoreError, StoreUnavailable
from engrain.model.filters import Filter
from engrain.storage.interface import Transaction
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import Record
from engrain.testing.conformance.base import add
from engrain.testing.rows import memory, record
from tests.postgres import private, servers
from tests.postgres.private import Server
from tests.stores.test_forks import in_child, succeeded

ORG = "default"
SECRET = "geheim"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private.server(fsync="off", max_connections=12) as made:
        PostgresStore(made.url).close()
        yield made


@pytest.fixture
def url() -> Iterator[str]:
    with servers.database() as made:
        yield made


def contents(store: PostgresStore) -> Counter[str]:
    with store.read(ORG) as view:
        return Counter(row.memory.content for row in view.find(Record, Filter(ORG)))


def added_and_read(store: PostgresStore, number: int) -> None:
    add(store, memory(f"child {number}", id=f"mem_c{number}"))
    assert contents(store)[f"child {number}"] == 1


def error_text(act: Callable[[], object]) -> str:
    """Return the message of an error and of all its causes."""
    with pytest.raises((StoreError, ConfigError)) as failed:
        act()
    shown = "".join(traceback.format_exception(failed.value))
    assert SECRET not in shown
    return str(failed.value)


class TestOpening:
    def test_an_address_without_a_server_is_reported_at_once(self) -> None:
        said = error_text(lambda: PostgresStore(f"postgresql://ana:{SECRET}@127.0.0.1:1/db", patience=3600))
        assert said.startswith("postgresql://ana@127.0.0.1:1/db cannot be reached: check that the server runs")

    def test_a_server_that_lets_nobody_in_is_reported_at_once(self, server: Server) -> None:
        for wrong in ("user=nobody", "dbname=nothing"):
            said = error_text(partial(PostgresStore, f"{server.url}?{wrong}&password={SECRET}", patience=3600))
            assert "lets nobody in by this URL: check its user, its password and its database" in said
            assert wrong.partition("=")[2] in said

    @pytest.mark.parametrize(
        "url",
        [
            f"postgresql://ana:{SECRET}@h/db?unknown=1",
            f"postgresql://ana:x@{SECRET}@h/db",
            f"postgresql://ana:x@{SECRET}:port@h/db",
            f"postgresql://ana:x/{SECRET}@h:5/db",
            f"postgresql://ana:x@{SECRET}/y@h:5/db",
            f"postgresql://ana:{SECRET}@h:port/db",
            f"host=h password=x {SECRET}",
        ],
    )
    def test_an_address_that_cannot_be_read_is_not_repeated(self, url: str) -> None:
        assert "cannot be read: write postgresql://user:password@host" in error_text(lambda: PostgresStore(url))

    def test_a_password_is_shown_nowhere(self, url: str, caplog: pytest.LogCaptureFixture) -> None:
        caplog.set_level(logging.DEBUG)
        with MemoryManager(f"{url}&password={SECRET}", embedder="none") as memory:
            memory.remember("Tea is ready.")
            assert isinstance(memory.store, PostgresStore)
            shown = [memory, memory.store, memory.store.url, vars(memory.store), vars(memory.store._connections)]
            assert SECRET not in "".join(map(repr, shown))
        assert SECRET not in caplog.text

    def test_what_the_server_says_of_a_wrong_password_does_not_hold_it(self, server: Server) -> None:
        hba = server.data / "pg_hba.conf"
        before = hba.read_text()
        hba.write_text("local all all trust\nhost all all 127.0.0.1/32 scram-sha-256\n")
        server.set(log_min_messages="warning")
        try:
            with_password = server.url.replace("postgres@", f"postgres:{SECRET}@", 1)
            assert "lets nobody in" in error_text(lambda: PostgresStore(with_password, patience=3600))
        finally:
            hba.write_text(before)
            server.set(log_min_messages="warning")

    def test_a_server_without_pgvector_says_what_to_install(self) -> None:
        with private.without_vector() as programs, private.server(programs=programs) as server:
            assert "has no pgvector: install version 0.8 or newer" in error_text(lambda: PostgresStore(server.url))


class TestRestarts:
    @pytest.mark.parametrize("how", ["fast", pytest.param("immediate", marks=pytest.mark.slow), "kill"])
    def test_an_acknowledged_write_exists_once_and_work_continues(self, how: str) -> None:
        with private.server() as server:
            store = PostgresStore(server.url, patience=20)
            add(store, memory("first"))
            acknowledged, faults, over = Counter[str](), list[BaseException](), threading.Event()
            tried = list[str]()

            def write(name: int) -> None:
                number = 0
                while not over.is_set():
                    text, number = f"{name} {number}", number + 1
                    with suppress(StoreUnavailable):  # the outcome is unknown: rare, when a crash falls into a commit
                        tried.append(text)
                        store.write(lambda tx, text=text: tx.put(record(text)), ORG)  # type: ignore[misc]
                        acknowledged[text] += 1

            def read() -> None:
                while not over.is_set():
                    before = dict(acknowledged)
                    with suppress(StoreUnavailable):
                        assert before.keys() <= contents(store).keys()

            def watched(act: Callable[..., None], *given: int) -> None:
                try:
                    act(*given)
                except BaseException as error:
                    faults.append(error)

            acts = [(write, 0), (write, 1), (read,), (read,)]
            threads = [threading.Thread(target=watched, args=act) for act in acts]
            for thread in threads:
                thread.start()
            time.sleep(0.4)
            server.kill() if how == "kill" else server.stop(how)
            time.sleep(0.3)
            server.start()
            done = sum(acknowledged.values())
            until = time.monotonic() + 20
            while sum(acknowledged.values()) < done + 20 and time.monotonic() < until:
                time.sleep(0.05)
            over.set()
            for thread in threads:
                thread.join()
            assert faults == []
            assert sum(acknowledged.values()) >= done + 20
            kept = contents(store)
            assert kept.keys() <= {"first", *tried}
            assert set(kept.values()) == {1}
            assert {"first", *acknowledged} <= kept.keys()
            assert len(tried) - len(acknowledged) <= 2
            store.close()

    def test_a_server_that_stays_away_is_reported_when_patience_is_over(self) -> None:
        with private.server(fsync="off") as server:
            store = PostgresStore(server.url, patience=0.6)
            server.stop()
            assert "cannot be reached" in error_text(lambda: add(store, memory("tea")))
            assert "cannot be reached" in error_text(lambda: contents(store))
            server.start()
            add(store, memory("tea"))
            assert contents(store) == {"tea": 1}
            store.close()


class TestConnections:
    def test_more_threads_than_connections_wait_for_each_other(self, url: str) -> None:
        store = PostgresStore(url, connections=2)
        add(store, memory("tea"))
        faults = list[BaseException]()

        def read() -> None:
            try:
                for _ in range(20):
                    assert contents(store) == {"tea": 1}
            except BaseException as error:
                faults.append(error)
                raise

        threads = [threading.Thread(target=read) for _ in range(12)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert faults == []
        store.close()

    def test_a_nested_view_without_a_free_connection_gets_an_error_that_names_the_setting(self, url: str) -> None:
        store = PostgresStore(url, connections=1, patience=0.5)
        with store.read(ORG):
            said = error_text(lambda: contents(store))
        assert "every connection is in use" in said
        assert "not a view within a view" in said
        assert contents(store) == {}
        store.close()

    def test_a_full_server_is_waited_for_and_then_reported(self, server: Server) -> None:
        store = PostgresStore(server.url, patience=0.5)
        others = []
        with suppress(psycopg.OperationalError):
            while True:
                others.append(psycopg.connect(server.local))
        try:
            assert "has no connection left: close some" in error_text(lambda: PostgresStore(server.url, patience=0.3))
            assert "has no connection left: close some" in error_text(lambda: contents(store))
            store._patience = 20
            threading.Timer(0.5, lambda: list(map(psycopg.Connection.close, others))).start()
            PostgresStore(server.url, patience=20).close()
        finally:
            for each in others:
                each.close()
        assert contents(store) == {}
        store.close()

    def test_closing_waits_for_nobody_and_lets_readers_end(self, url: str) -> None:
        store = PostgresStore(url)
        add(store, memory("tea"))
        with store.read(ORG) as view:
            store.close()
            assert len(view.find(Record, Filter(ORG))) == 1
        assert "is closed: open it again" in error_text(lambda: contents(store))

    @pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
    def test_a_fork_has_connections_of_its_own(self, url: str) -> None:
        store = PostgresStore(url)
        add(store, memory("before"))
        children = [in_child(partial(added_and_read, store, n)) for n in range(2)]
        add(store, memory("parent"))
        assert all(map(succeeded, children))
        again = multiprocessing.get_context("fork").Process(target=contents, args=(store,))
        again.start()
        again.join()
        assert again.exitcode == 0
        assert contents(store) == dict.fromkeys(["before", "parent", "child 0", "child 1"], 1)
        store.close()

    def test_a_program_that_ends_without_closing_ends(self, url: str) -> None:
        program = f"import engrain; m = engrain.MemoryManager({url!r}, embedder='none'); m.remember('Tea.')"
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60, check=False)
        assert (done.returncode, done.stderr) == (0, "")


class TestTimeouts:
    @pytest.fixture
    def settled(self, url: str) -> Iterator[Callable[..., PostgresStore]]:
        opened = []

        def made(patience: float = 5.0, **options: object) -> PostgresStore:
            chosen = "%20".join(f"-c%20{name}%3D{value}" for name, value in options.items())
            opened.append(PostgresStore(f"{url}&options={chosen}", patience=patience))
            return opened[-1]

        yield made
        for each in opened:
            each.close()

    def test_a_statement_that_takes_too_long_is_the_callers_alone(self, settled: Callable[..., PostgresStore]) -> None:
        store = settled(statement_timeout=300)

        def slow(transaction: Transaction) -> None:
            transaction._session.ask("SELECT pg_sleep(5)", ())  # type: ignore[attr-defined]

        said = error_text(lambda: store.write(slow, ORG))
        assert "cancelled a statement that took too long: raise statement_timeout" in said
        add(store, memory("tea"))
        assert contents(store) == {"tea": 1}

    def test_a_change_that_is_idle_too_long_fails_alone(self, settled: Callable[..., PostgresStore]) -> None:
        store = settled(idle_in_transaction_session_timeout=300)
        begun = threading.Event()

        def first(transaction: Transaction) -> None:
            begun.set()
            time.sleep(0.1)
            transaction.put(record("first"))

        def idle(transaction: Transaction) -> None:
            transaction.count(Record)  # with which it begins
            time.sleep(0.7)
            transaction.put(record("idle"))

        failed = list[str]()
        slow = threading.Thread(target=lambda: failed.append(error_text(lambda: store.write(idle, ORG))))

        def beside() -> None:
            begun.wait()
            slow.start()
            add(store, memory("beside"))

        slow_begins = threading.Thread(target=beside)
        slow_begins.start()
        store.write(first, ORG)
        slow_begins.join()
        slow.join()
        assert "ended a transaction that stood idle" in failed[0]
        assert contents(store) == {"first": 1, "beside": 1}

    def test_a_locked_row_is_an_error_when_patience_is_over(
        self, settled: Callable[..., PostgresStore], url: str
    ) -> None:
        store = settled(patience=0.4)
        add(store, memory("tea"))
        with psycopg.connect(url) as other:
            other.execute("SELECT set_config('engrain.org', 'default', true)")
            other.execute("LOCK TABLE engrain.memory")
            assert "is locked by other writers for too long" in error_text(lambda: add(store, memory("coffee")))
        add(store, memory("coffee"))
        assert contents(store) == {"tea": 1, "coffee": 1}

    def test_a_backend_that_is_ended_or_cancelled_spoils_nothing(self, settled: Callable[..., PostgresStore]) -> None:
        store = settled()
        add(store, memory("tea"))
        with servers.administering() as administrator:
            for function in ("pg_terminate_backend", "pg_cancel_backend"):
                ended: list[int] = []

                def change(transaction: Transaction, function: str = function, ended: list[int] = ended) -> None:
                    transaction.put(record(function))
                    if not ended:
                        pid = transaction._session.connection.info.backend_pid  # type: ignore[attr-defined]
                        ended.append(pid)
                        administrator.execute(f"SELECT {function}({pid})".encode())

                store.write(change, ORG)
            with store.read(ORG) as view:
                pid = view._session.connection.info.backend_pid  # type: ignore[attr-defined]
                administrator.execute(f"SELECT pg_terminate_backend({pid})".encode())
                with pytest.raises(psycopg.OperationalError):
                    view.find(Record, Filter(ORG))
        assert contents(store) == {"tea": 1, "pg_terminate_backend": 1, "pg_cancel_backend": 1}


class TestReadOnly:
    def test_a_database_that_is_only_read_answers_and_refuses(self, url: str) -> None:
        with MemoryManager(url, embedder="none") as memory:
            memory.remember("The kettle is on.")
        with MemoryManager(f"{url}&options=-c%20default_transaction_read_only%3Don", embedder="none") as memory:
            assert memory.store.read_only
            assert [hit.content for hit in memory.recall("kettle")] == ["The kettle is on."]
            assert "is read-only: name the primary" in error_text(lambda: memory.remember("More."))
            memory.flush(timeout=5)
            assert memory.count() == 1

    def test_a_database_that_becomes_read_only_says_so(self, url: str) -> None:
        store = PostgresStore(url, patience=1)
        name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
        with servers.administering() as administrator:
            administrator.execute(f"ALTER DATABASE {name} SET default_transaction_read_only = on".encode())
        assert "is read-only: name the primary server" in error_text(lambda: add(store, memory("tea")))
        assert contents(store) == {}
        store.close()

    def test_a_replica_answers_and_refuses(self) -> None:
        with private.server() as primary, private.server(make=False, running=False) as replica:
            with MemoryManager(primary.url, embedder="none") as memory:
                memory.remember("The kettle is on.")
            replica.run(
                "pg_basebackup", "-R", "-X", "stream", "-c", "fast", "-d", primary.local, "-D", str(replica.data)
            )
            replica.start(hot_standby="on")
            with MemoryManager(replica.url, embedder="none") as memory:
                assert memory.store.read_only
                assert [hit.content for hit in memory.recall("kettle")] == ["The kettle is on."]
                assert "is read-only" in error_text(lambda: memory.remember("More."))


def test_a_full_disk_refuses_and_what_was_acknowledged_stays() -> None:
    small: dict[str, Any] = {"max_wal_size": "32MB", "min_wal_size": "32MB", "fsync": "off", "shared_buffers": "8MB"}
    with private.server(disk="160m", **small) as server:
        ballast = server.folder / "ballast"
        ballast.write_bytes(bytes(40_000_000))
        store = PostgresStore(server.url, patience=3)
        kept, refused = ["first"], list[StoreError]()
        add(store, memory("first"))
        while not refused:
            text = f"{len(kept)} {os.urandom(400_000).hex()}"
            try:
                add(store, memory(text))
                kept.append(text)
            except StoreError as error:
                refused.append(error)
        assert isinstance(refused[0], StoreUnavailable)
        ballast.unlink()
        server.stop("immediate")
        server.start(**small)
        assert contents(store) == dict.fromkeys(kept, 1)
        store.close()
