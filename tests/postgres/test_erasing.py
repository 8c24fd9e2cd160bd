"""Erased content is in no byte of a server's folder (tables, indexes, log), whichever process finishes it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import closing
from datetime import timedelta
from typing import Any

import psycopg
import pytest

from engrain import MemoryManager, Receipt, Settings
from engrain.model.filters import Test
from engrain.storage.interface import imprints
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import Record, Residue
from engrain.testing import FakeEmbedder, FrozenClock
from tests.postgres import servers

SECRET = "Vexillo4711q"


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Private]:
    """A server of these tests alone, which may prepare transactions."""
    with servers.private("max_prepared_transactions = 4", "min_wal_size = '32MB'") as held:
        yield held


@pytest.fixture
def url(server: servers.Private, request: pytest.FixtureRequest) -> Iterator[str]:
    """A database of its own in it."""
    name = f"erasing_{abs(hash(request.node.name)):x}"
    server.execute(f"CREATE DATABASE {name} TEMPLATE template0 ENCODING 'UTF8'")
    yield server.at(name)
    server.execute(f"DROP DATABASE {name} WITH (FORCE)")


def opened(url: str, clock: FrozenClock, **more: Any) -> MemoryManager:
    store = PostgresStore(url, **more)
    return MemoryManager(store, embedder=FakeEmbedder(64), clock=clock, settings=Settings(worker="none"))


@pytest.fixture
def quiet(url: str, clock: FrozenClock) -> Iterator[MemoryManager]:
    """A memory whose worker runs when it is asked to."""
    with opened(url, clock) as memory:
        yield memory


def erased(memory: MemoryManager, text: str = f"the code is {SECRET}", **more: Any) -> Receipt:
    receipt = memory.forget(memory.remember(text, **more).id, hard=True).receipt
    assert receipt is not None
    return receipt


def finished(memory: MemoryManager, receipt: Receipt, clock: FrozenClock) -> Receipt:
    clock.advance(timedelta(seconds=60))
    memory.flush()
    found = memory.receipt(receipt.id)
    assert found is not None
    return found


def said(receipt: Receipt) -> tuple[str, bool]:
    return receipt.status, receipt.verified


class TestWhatIsLeft:
    def test_is_nothing_in_tables_indexes_and_log(
        self, server: servers.Private, quiet: MemoryManager, url: str
    ) -> None:
        quiet.remember_many([{"content": f"note {n} of the house", "resolve": "off"} for n in range(300)])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SELECT engrain.index_vectors('fake/words/64/1', 64)")
        long = " ".join(f"{SECRET}{n}" for n in range(600))  # which stands beside its row
        kept = quiet.remember(long, tags=[SECRET], metadata={"of": SECRET}, key=SECRET, source_ref=SECRET)
        quiet.update(kept.id, content=f"{SECRET} once more: {long}")
        with quiet.store.read("default") as reader:
            (row,) = reader.find(Record, [Test("id", "eq", kept.id)])
        vectors = quiet.store.write(lambda tx: imprints(tx, [row.num]), "default")
        traces: list[str | bytes] = [SECRET, SECRET.lower(), row.salt, *vectors]
        assert len(traces) == 4
        server.execute("CHECKPOINT")
        for trace in traces:
            assert server.occurrences(trace) != set()
        receipt = quiet.forget(kept.id, hard=True).receipt
        assert receipt is not None
        assert said(receipt) == ("complete", True)
        assert server.occurrences(*traces) == set()
        server.execute("CHECKPOINT")
        assert server.occurrences(*traces) == set()
        assert quiet.count() == 300

    def test_is_nothing_in_segments_of_the_log_that_wait_to_be_written_into(
        self, server: servers.Private, quiet: MemoryManager
    ) -> None:
        for n in range(4):  # each fills a part of one segment
            quiet.scoped(user="ana").remember(f"the code is {SECRET}", key=f"k{n}", resolve="off")
            server.execute("SELECT pg_switch_wal()")
        server.execute("CHECKPOINT")
        assert len({name for name in server.occurrences(SECRET) if name.startswith("pg_wal/")}) > 1
        receipt = quiet.forget_all(user="ana", hard=True).receipt
        assert receipt is not None
        assert said(receipt) == ("complete", True)
        assert server.occurrences(SECRET) == set()

    def test_is_nothing_in_the_statistics_that_the_planner_keeps(
        self, server: servers.Private, quiet: MemoryManager, url: str
    ) -> None:
        quiet.remember_many([{"content": f"{SECRET} {n} of the house", "resolve": "off"} for n in range(30)])
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("ANALYZE")
            known = connection.execute(
                "SELECT tablename, attname FROM pg_stats WHERE schemaname = 'engrain' AND"
                " concat(most_common_vals, histogram_bounds) ILIKE %s",
                (f"%{SECRET}%",),
            ).fetchall()
            counted = connection.execute("SELECT count(*) FROM pg_stats WHERE tablename = 'posting'").fetchone()
        assert known == []
        assert counted != (0,)

    def test_is_distinguished_from_what_a_living_row_holds(self, quiet: MemoryManager) -> None:
        quiet.for_org("other").remember(f"the code is {SECRET}")
        receipt = erased(quiet)
        assert said(receipt) == ("complete", True)
        found = quiet.store.residue([SECRET.encode(), b"nowhere at all"])
        assert found is not None
        assert found == Residue(frozenset(), frozenset([SECRET.encode()]))

    def test_is_distinguished_from_words_of_the_servers_own(self, quiet: MemoryManager) -> None:
        assert said(erased(quiet, "subject_key keywords predicate engrain procedure")) == ("complete", True)


class TestTheSearch:
    def test_finds_what_a_page_of_the_log_ends_in_the_middle_of(self, url: str, quiet: MemoryManager) -> None:
        traces = [f"{n:04}{SECRET * 9}{n:04}".encode() for n in range(400)]
        found = None
        for _ in range(5):  # an erasure of another test on this server may write over the log in between
            with psycopg.connect(url, autocommit=True) as connection:
                for trace in traces:
                    connection.execute("SELECT pg_logical_emit_message(false, 'note', %s::text)", (trace.decode(),))
            found = quiet.store.residue(traces)
            if found is not None and found.left == set(traces):
                break
        assert found is not None
        assert found.left == set(traces)

    def test_finds_what_a_file_holds_that_no_table_knows(self, server: servers.Private, quiet: MemoryManager) -> None:
        with psycopg.connect(quiet.store.url, autocommit=True) as connection:
            (path,) = connection.execute("SELECT pg_relation_filepath('engrain.memory')").fetchone() or ("",)
        left = (server.folder / str(path)).with_name("999999999")
        left.write_bytes(b"\0" * 100 + SECRET.encode())
        left.chmod(0o644)
        receipt = erased(quiet)
        left.unlink()
        assert said(receipt) == ("pending", False)
        assert "still there" in receipt.notes[0]

    def test_does_not_pretend_to_see_through_a_compressed_log(
        self, server: servers.Private, quiet: MemoryManager
    ) -> None:
        server.execute("ALTER SYSTEM SET wal_compression = on", "SELECT pg_reload_conf()")
        try:
            receipt = erased(quiet)
        finally:
            server.execute("ALTER SYSTEM RESET wal_compression", "SELECT pg_reload_conf()")
        assert said(receipt) == ("complete", False)
        assert "not searched" in receipt.notes[0]
        assert server.occurrences(SECRET) == set()


@pytest.mark.matrix
class TestWhoeverStillSeesIt:
    def test_makes_it_pending_and_a_job_finishes_it(
        self, server: servers.Private, url: str, quiet: MemoryManager, clock: FrozenClock
    ) -> None:
        kept = quiet.remember(f"the code is {SECRET}").id
        with psycopg.connect(url) as reader:
            reader.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
            reader.execute("SELECT 1 FROM engrain.memory").fetchone()
            receipt = quiet.forget(kept, hard=True).receipt
            assert receipt is not None
            assert said(receipt) == ("pending", False)
            assert "reader" in receipt.notes[0]
            assert quiet.receipt(receipt.id) == receipt
        assert said(finished(quiet, receipt, clock)) == ("complete", True)
        assert server.occurrences(SECRET) == set()

    def test_is_waited_for_by_another_process_too(
        self, server: servers.Private, url: str, quiet: MemoryManager, clock: FrozenClock
    ) -> None:
        with psycopg.connect(url) as other:
            other.execute("CREATE TABLE other (word text)")
            other.execute("PREPARE TRANSACTION 'other'")
        receipt = erased(quiet)
        assert said(receipt) == ("pending", False)
        server.restart()
        with psycopg.connect(url, autocommit=True) as other:
            other.execute("ROLLBACK PREPARED 'other'")
        with opened(url, clock) as elsewhere:
            done = finished(elsewhere, receipt, clock)
        assert said(done) == ("complete", False)
        assert "another process" in done.notes[0]
        assert server.occurrences(SECRET) == set()

    def test_may_be_a_replica_that_the_log_is_kept_for(
        self, server: servers.Private, quiet: MemoryManager, clock: FrozenClock
    ) -> None:
        server.execute("SELECT pg_create_physical_replication_slot('replica', true)")
        try:
            receipt = erased(quiet)
        finally:
            server.execute("SELECT pg_drop_replication_slot('replica')")
        assert said(receipt) == ("pending", False)
        assert said(finished(quiet, receipt, clock)) == ("complete", True)
        assert server.occurrences(SECRET) == set()

    def test_is_a_user_of_a_table(self, url: str, quiet: MemoryManager, clock: FrozenClock) -> None:
        with psycopg.connect(url) as reader:
            reader.execute("LOCK TABLE engrain.memory IN ACCESS SHARE MODE")
            receipt = erased(quiet)
        assert said(receipt) == ("pending", False)
        assert "in use" in receipt.notes[0]
        assert quiet.receipt(receipt.id) == receipt
        assert said(finished(quiet, receipt, clock)) == ("complete", True)


class TestLargeTables:
    def test_are_rewritten_on_request(self, server: servers.Private, url: str, clock: FrozenClock) -> None:
        with opened(url, clock, rewrite_upto=0) as memory:
            receipts = [erased(memory, f"the code is {SECRET}{n}") for n in range(3)]
            assert {said(receipt) for receipt in receipts} == {("pending", False)}
            assert all("ENGRAIN_REWRITE_UPTO=" in receipt.notes[0] for receipt in receipts)
            assert said(finished(memory, receipts[0], clock)) == ("pending", False)
        with opened(url, clock, rewrite_upto=None) as memory:
            clock.advance(timedelta(seconds=60))
            memory.flush()
            assert {receipt.status for receipt in memory.receipts()} == {"complete"}
        assert server.occurrences(SECRET) == set()

    def test_are_rewritten_once_for_all_erasures_before(self, url: str, clock: FrozenClock) -> None:
        with opened(url, clock, rewrite_upto=0) as waiting, closing(PostgresStore(url)) as store:
            erased(waiting)
            erased(waiting, "another note")
            places = []
            for later in (False, False, True):
                if later:
                    erased(waiting, "a third note")
                assert store.purge(rewrite=True)
                with psycopg.connect(url) as connection:
                    places.append(connection.execute("SELECT pg_relation_filepath('engrain.memory')").fetchone())
        assert places[0] == places[1] != places[2]

    def test_are_rewritten_by_one_at_a_time(self, server: servers.Private, quiet: MemoryManager) -> None:
        ids = [quiet.remember(f"the code is {SECRET}{n}", resolve="off").id for n in range(3)]
        receipts: list[Receipt | None] = []
        threads = [
            threading.Thread(target=lambda kept=kept: receipts.append(quiet.forget(kept, hard=True).receipt))
            for kept in ids
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [receipt is not None and said(receipt) for receipt in receipts] == [("complete", True)] * 3
        assert server.occurrences(SECRET) == set()

    @pytest.mark.parametrize("size", [-1, -(1 << 30)])
    def test_have_a_size(self, url: str, size: int) -> None:
        with pytest.raises(ValueError, match="rewrite_upto"):
            PostgresStore(url, rewrite_upto=size)
