"""What a pooler does to connections: a transaction is walled in whatever its backend was before, and leaves nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from functools import partial
from typing import Any, cast

import psycopg
import pytest

from engrain import MemoryManager, Settings
from engrain.errors import StoreError, StoreUnavailable
from engrain.model.filters import Filter, Test
from engrain.storage.postgres import PostgresStore
from engrain.storage.postgres.connections import Address, Session, Why, explained, is_transient
from engrain.storage.rows import NamespaceRow, Record
from engrain.testing.conformance.base import add
from engrain.testing.rows import memory
from tests.postgres import pooling, private, servers
from tests.postgres.private import Server

BEHIND_OUR_BACK = (
    "RESET ROLE",
    "DISCARD ALL",
    "DEALLOCATE ALL",
    "SET ROLE postgres",
    "RESET SESSION AUTHORIZATION",
    "SET engrain.org = 'b'",
    "SET search_path = pg_catalog",
    "RESET ROLE; SET engrain.org = 'b'; SET row_security = on",
)


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with private.server(fsync="off") as made:
        PostgresStore(made.url).close()
        yield made


@pytest.fixture
def store() -> Iterator[PostgresStore]:
    with servers.database() as url:
        made = PostgresStore(url, connections=1, patience=5)
        for org in ("a", "b"):
            add(made, memory(f"said in {org}", id=f"mem_{org}", org=org))
        yield made
        made.close()


@contextmanager
def backend(store: PostgresStore) -> Iterator[psycopg.Connection[Any]]:
    """Lend the one connection that the store has, as a pooler may lend its backend to others."""
    with store._connections.lent() as connection:
        yield connection


def seen(store: PostgresStore, org: str) -> tuple[set[str], list[tuple[Any, ...]]]:
    """Return the role and the orgs of the rows that an org's view and an unconditional query find."""
    with store.read(org) as view:
        found = {row.memory.content for row in view.find(Record, Filter(org))}
        session = cast(Session, cast(Any, view)._session)
        return found, session.ask("SELECT DISTINCT current_user::text, org FROM engrain.memory", ())


@pytest.mark.matrix
@pytest.mark.parametrize("statement", BEHIND_OUR_BACK)
def test_whatever_a_backend_was_made_to_be_an_org_is_read_alone(store: PostgresStore, statement: str) -> None:
    for org in ("a", "b", "a"):
        with backend(store) as connection:
            connection.execute(statement)
        try:
            found = seen(store, org)
        except StoreError:  # a read that has begun is not repeated, and this one had nothing prepared any more
            found = seen(store, org)
        assert found == ({f"said in {org}"}, [("engrain_app", org)])


@pytest.mark.matrix
@pytest.mark.parametrize("statement", BEHIND_OUR_BACK)
def test_whatever_a_backend_was_made_to_be_an_org_is_written_alone(store: PostgresStore, statement: str) -> None:
    for number in range(4):
        with backend(store) as connection:
            connection.execute(statement)
        add(store, memory(f"more {number}", id=f"mem_a{number}", org="a"))
    with backend(store) as connection:
        connection.execute("RESET ROLE")
        counted = connection.execute("SELECT org, count(*)::int FROM engrain.memory GROUP BY 1").fetchall()
    assert dict(counted) == {"a": 5, "b": 1}

    def steal(transaction: Any) -> int:
        return int(transaction._do("UPDATE engrain.memory SET content = 'x' WHERE org = 'b'"))

    assert store.write(steal, "a") == 0


def test_a_backend_that_lost_what_was_prepared_is_given_up_and_the_change_made_by_another(store: PostgresStore) -> None:
    for number in range(4):
        add(store, memory(f"first {number}", id=f"mem_f{number}", org="a"))
    with psycopg.connect(store._address.conninfo) as other:
        before = other.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
    with backend(store) as connection:
        connection.pgconn.exec_(b"DEALLOCATE ALL")  # of which the client is not notified
    add(store, memory("second", id="mem_second", org="a"))
    with psycopg.connect(store._address.conninfo) as other:
        after = other.execute("SELECT pid FROM pg_stat_activity WHERE datname = current_database()").fetchall()
    assert {"second", "first 3"} <= seen(store, "a")[0]
    assert len(set(before) & set(after)) == 0


def test_a_transaction_leaves_nothing_with_its_backend_but_what_all_of_the_pool_have(store: PostgresStore) -> None:
    asked = (
        "SELECT name, setting FROM pg_settings WHERE source = 'session' AND name NOT LIKE 'tcp_keepalives_%' "
        "UNION ALL SELECT 'user', current_user UNION ALL SELECT 'org', current_setting('engrain.org', true) "
        "UNION ALL SELECT 'locks', count(*)::text FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid() "
        "UNION ALL SELECT 'tables', count(*)::text FROM pg_class WHERE relpersistence = 't'"
    )
    seen(store, "a")
    add(store, memory("more", id="mem_more", org="a"))
    store.maintain()
    with backend(store) as connection:
        found = dict(connection.execute(asked).fetchall())
    assert found.pop("org") in (None, "")
    of_all = {**store._settings, "search_path": "engrain, public"}
    assert found == {**of_all, "user": "postgres", "locks": "0", "tables": "0"}


def test_a_repeated_query_is_planned_once(store: PostgresStore) -> None:
    for _ in range(6):
        seen(store, "a")
        with store.read("a") as view:
            view.describe(view.search_text({"more": 1.0}, Filter("a"), limit=5).nums, Filter("a"), span=2)
    with backend(store) as connection:
        found = connection.execute("SELECT generic_plans, custom_plans, statement FROM pg_prepared_statements")
        plans = {statement: (generic, custom) for generic, custom, statement in found if "engrain." in statement}
    assert any(statement.startswith("WITH nearest") for statement in plans)
    assert all(generic and not custom for generic, custom in plans.values()), plans


def test_stores_of_one_process_share_their_connections_until_the_last_is_closed() -> None:
    asked = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    with servers.database() as url, psycopg.connect(url, autocommit=True) as other:

        def counted() -> int:
            return int((other.execute(asked).fetchone() or (-1,))[0])

        stores = [PostgresStore(url) for _ in range(6)]
        for number, store in enumerate(stores):
            add(store, memory(f"said {number}", id=f"mem_{number}", org="a"))
        assert counted() == 1
        for store in stores[1:]:
            store.close()
            store.close()
        assert len(seen(stores[0], "a")[0]) == 6
        with pytest.raises(StoreUnavailable, match="is closed"):
            seen(stores[1], "a")
        stores[0].close()
        until = time.monotonic() + 10
        while counted() and time.monotonic() < until:
            time.sleep(0.01)
        assert counted() == 0


class TestByTransaction:
    """Behind a pooler that gives each transaction to the next backend in turn."""

    @pytest.fixture
    def pooled(self, server: Server) -> Iterator[PostgresStore]:
        with pooling.by_transaction(server.port, backends=3) as url:
            store = PostgresStore(url, patience=5)
            yield store
            store.close()

    def test_many_threads_of_many_orgs_read_and_write_their_own(self, server: Server, pooled: PostgresStore) -> None:
        def work(org: str) -> None:
            for number in range(8):
                add(pooled, memory(f"{org} {number}", id=f"mem_{org}{number}", org=org))
                found, rows = seen(pooled, org)
                assert found == {f"{org} {each}" for each in range(number + 1)}
                assert rows == [("engrain_app", org)]

        with ThreadPoolExecutor(5) as threads:
            list(threads.map(work, [f"org{number}" for number in range(5)]))
        with pooled._connections.lent() as connection:
            for _ in range(3):  # each backend once
                rows = connection.execute("SELECT current_user::text, count(*)::int FROM pg_prepared_statements")
                assert rows.fetchall() == [("postgres", 0)]

    def test_tables_are_not_written_again(self, pooled: PostgresStore) -> None:
        with pytest.raises(StoreUnavailable, match="through a pooler by transaction: engrain flush finishes this"):
            pooled.purge(rewrite=True)


TEXTS = (
    ("The lamp is near the window.", "Bees sleep in the old barn."),
    ("A ferry leaves the harbour daily.", "My uncle repairs clocks."),
    ("Copper pipes rust slowly.", "The choir sings loudly."),
)


def test_calls_wait_for_the_server_a_few_times(server: Server) -> None:
    answers: list[bytes] = []
    settings, waited = Settings(worker="none"), dict[str, list[int]]()
    with (
        pooling.by_transaction(server.port, backends=3, answers=answers) as url,
        MemoryManager(url, settings=settings) as memory,
    ):
        view, session = memory.scoped(user="ana"), memory.scoped(user="ana", session="s1")
        for first, second in TEXTS:
            calls: dict[str, Callable[[], Any]] = {
                "remember": partial(view.remember, first),
                "add_message": partial(session.add_message, "user", second),
                "recall": partial(view.recall, f"Who said: {first}"),
            }
            for name, call in calls.items():
                memory.flush(timeout=10)
                answers.clear()
                call()
                waited.setdefault(name, []).append(len(answers))
    assert {name: counts[-1] for name, counts in waited.items()} == {"remember": 2, "add_message": 3, "recall": 3}


def test_what_is_asked_together_is_answered_in_one_round_trip_for_each_step(server: Server) -> None:
    answers: list[bytes] = []
    with (
        pooling.by_transaction(server.port, backends=1, answers=answers) as url,
        closing(PostgresStore(url, patience=5)) as store,
    ):
        num = add(store, memory("bees", id="mem_bees", org="z"), "bees")
        where = Filter("z")
        with store.read("z") as view:

            def twice() -> list[int]:
                found = view.find(Record, where, order="num")
                return [row.num for row in view.find(Record, where.but(Test("num", "in", tuple(r.num for r in found))))]

            def nested() -> list[Any]:
                return view.together(twice, lambda: view.count(Record, where)[""], lambda: 7)

            answers.clear()
            found = view.together(twice, nested, lambda: view.count(Record, where)[""])
            assert (found, len(answers)) == ([[num], [[num], 1, 7], 1], 2)
            with pytest.raises(RuntimeError, match="of org 'y'"):
                view.together(twice, lambda: view.count(Record, Filter("y")))
            assert view.together(twice) == [[num]]


def test_a_view_restarts_when_more_is_asked_after_the_last(store: PostgresStore) -> None:
    address = store._address.conninfo
    with closing(PostgresStore(address, patience=5)) as other, store.read("a") as view:
        before = view.together(lambda: view.count(Record, Filter("a"))[""], last=True)
        add(other, memory("more", id="mem_more", org="a"))
        assert (before, view.count(Record, Filter("a"))[""]) == ([1], 2)


def test_a_namespace_that_is_another_users_by_now_is_looked_up_again(store: PostgresStore) -> None:
    mine, address = Filter("a", "ana"), store._address.conninfo

    def counted() -> list[int]:
        with store.read("a") as view:
            together = view.together(lambda: view.count(Record, mine)[""], lambda: view.count(Record, Filter("a"))[""])
        with store.read("a") as view:
            return [*together, view.count(Record, mine)[""]]

    def renamed(other: PostgresStore, to: str) -> None:
        other.write(lambda tx: tx.update(NamespaceRow, [Test("user", "eq", "ana")], user=to), "a")

    add(store, memory("first", id="mem_1", org="a", user="ana"))
    assert counted() == [1, 2, 1]
    with closing(PostgresStore(address, patience=5)) as other:
        renamed(other, "erased once")
        assert counted() == [0, 2, 0]
        add(store, memory("second", id="mem_2", org="a", user="ana"))
        assert counted() == [1, 3, 1]
        renamed(other, "erased twice")
        add(store, memory("third", id="mem_3", org="a", user="ana"))
        assert counted() == [1, 4, 1]
        renamed(other, "erased thrice")
        with store.read("a") as view:  # which asks for rows by other tests first
            assert [row.memory.id for row in view.find(Record, [Test("id", "eq", "mem_1")])] == ["mem_1"]
            assert view.count(Record, mine)[""] == 0


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("said", "why", "advice"),
    [
        ("FATAL:  unsupported startup parameter: options", Why.OPTIONS, "leave it out of the URL and set it for the"),
        ("FATAL:  no more connections allowed (max_client_conn)", Why.FULL, "no connection left"),
        ("FATAL:  server login has been failing, try again later (server_login_retry)", Why.BEHIND, "cannot reach the"),
        ("FATAL:  query_wait_timeout", Why.WAITED, "raise its default_pool_size"),
        ('FATAL:  role "ana" does not exist', Why.REFUSED, "check its user"),
    ],
)
def test_an_error_of_a_pooler_says_what_to_do(said: str, why: Why, advice: str) -> None:
    with pooling.refusing(said.removeprefix("FATAL:  ")) as url:
        address = Address(url)
        with pytest.raises(psycopg.OperationalError) as failed:
            address.connect()
        assert cast(Any, failed.value).why is why
        assert is_transient(failed.value) is (why not in (Why.OPTIONS, Why.REFUSED))
        with pytest.raises(StoreUnavailable, match=advice), explained(address.shown):
            raise failed.value


def test_a_pooler_of_single_statements_is_refused_at_the_opening(server: Server) -> None:
    with (
        pooling.by_transaction(server.port, backends=1, transactions=False) as url,
        pytest.raises(StoreUnavailable, match="set its pool_mode to transaction or session"),
    ):
        PostgresStore(url, patience=3600)
