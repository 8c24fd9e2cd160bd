"""The walls between orgs, tried from inside the role of the application; and that every table stands behind them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import conninfo, errors

from tests.postgres import servers

Connection = psycopg.Connection[Any]
# Made in this order, so that what a row points at is there: the row 1 of every table points at the rows 1 of its org.
FIRST = ("namespace", "memory", "entity", "conversation", "collection")
KINDS = {"text": "'x'", "bigint": "1", "double precision": "1", "halfvec": "'[1,0]'", "bytea": "'x'"}
VIEWS = ("conversation_view", "turn_view", "collection_view", "exact_record_view")
NOT_OURS = {"setting": 1, "job": 1}  # rows of org ''


def tables(connection: Connection) -> list[str]:
    found = connection.execute(
        "SELECT relname FROM pg_class WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p')"
        " AND relname <> 'org' ORDER BY relname"
    ).fetchall()
    names = [name for (name,) in found]
    return [*FIRST, *(name for name in names if name not in FIRST)]


def row_of(connection: Connection, table: str) -> tuple[str, str]:
    """Return the columns of a row and their values, 1 or x in each."""
    found = connection.execute(
        "SELECT quote_ident(attname), format_type(atttypid, NULL) FROM pg_attribute WHERE attrelid = %s::regclass"
        " AND attnum > 0 AND attgenerated = '' AND attname NOT IN ('org', 'merged_into') ORDER BY attnum",
        [f"engrain.{table}"],
    ).fetchall()
    return ", ".join(name for name, _ in found), ", ".join(KINDS[kind] for _, kind in found)


def bind(connection: Connection, org: str) -> None:
    connection.execute("SELECT set_config('engrain.org', %s, false)", [org])


def counted(connection: Connection, place: str, where: str = "true") -> int:
    row = connection.execute(f"SELECT count(*) FROM engrain.{place} WHERE {where}".encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture(scope="module")
def stranger() -> Iterator[str]:
    """The URL of a database with rows of two orgs, for a role that is in the application's and no other."""
    with servers.role("LOGIN INHERIT IN ROLE engrain_app") as name, servers.database() as url:
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("SET search_path = engrain, public")
            connection.execute("SET ROLE engrain_app")
            for org in ("a", "b"):
                bind(connection, org)
                connection.execute("INSERT INTO org (name) VALUES (%s)", [org])
                for table in tables(connection):
                    columns, values = row_of(connection, table)
                    connection.execute(
                        f"INSERT INTO {table} ({columns}) VALUES ({values}) ON CONFLICT DO NOTHING".encode()
                    )
            bind(connection, "")
            for table in NOT_OURS:
                columns, values = row_of(connection, table)
                connection.execute(f"INSERT INTO {table} ({columns}) VALUES ({values})".encode())
            connection.execute("RESET ROLE")
            assert {counted(connection, table, "org = 'a'") for table in tables(connection)} == {1}
        yield conninfo.make_conninfo(url, user=name)


@contextmanager
def coming_in(url: str, org: str | None = None) -> Iterator[Connection]:
    """Come in and let nothing that is done stay."""
    with psycopg.connect(url) as connection:
        if org is not None:
            bind(connection, org)
        yield connection
        connection.rollback()


def test_whoever_names_no_org_finds_nothing_but_the_stores_own_settings(stranger: str) -> None:
    with coming_in(stranger) as connection:
        for place in (*tables(connection), *VIEWS):
            assert counted(connection, place) == (place == "setting"), place


def test_a_connection_that_names_an_org_finds_that_one_alone(stranger: str) -> None:
    with coming_in(stranger, "b") as connection:
        for place in (*tables(connection), *VIEWS):
            assert counted(connection, place) == 1 + (place == "setting"), place
            assert counted(connection, place, "org = 'a'") == 0, place
    with coming_in(stranger, "unheard of") as connection:
        assert sum(counted(connection, place) for place in (*tables(connection), *VIEWS)) == 1


def test_nothing_of_another_org_is_changed_or_removed(stranger: str) -> None:
    with coming_in(stranger, "b") as connection:
        for table in tables(connection):
            if table != "audit":
                for statement in (
                    "UPDATE engrain.{} SET org = org WHERE org = 'a'",
                    "DELETE FROM engrain.{} WHERE org = 'a'",
                ):
                    assert connection.execute(statement.format(table).encode()).rowcount == 0, table
        assert connection.execute("UPDATE engrain.audit SET reason = '' WHERE org = 'a'").rowcount == 0


@pytest.mark.parametrize("bound", [None, "", "b"])
def test_nothing_is_put_into_another_org(stranger: str, bound: str | None) -> None:
    with coming_in(stranger, bound) as connection:
        for table in tables(connection):
            columns, values = row_of(connection, table)
            statement = f"INSERT INTO engrain.{table} (org, {columns}) VALUES ('a', {values})"
            with pytest.raises(errors.InsufficientPrivilege, match="row-level security"), connection.transaction():
                connection.execute(statement.encode())


def test_no_row_is_handed_over_to_another_org(stranger: str) -> None:
    with coming_in(stranger, "b") as connection:
        for table in tables(connection):
            with pytest.raises(errors.InsufficientPrivilege), connection.transaction():
                connection.execute(f"UPDATE engrain.{table} SET org = 'a' WHERE org = 'b'".encode())


@pytest.mark.parametrize("bound", [None, ""])
def test_a_row_that_says_nothing_of_its_org_is_refused_where_none_is_bound(stranger: str, bound: str | None) -> None:
    with coming_in(stranger, bound) as connection:
        for table in set(tables(connection)) - {*NOT_OURS, "writer"}:  # whoever writes the store's own takes turns too
            columns, values = row_of(connection, table)
            with pytest.raises((errors.UndefinedObject, errors.CheckViolation)), connection.transaction():
                connection.execute(f"INSERT INTO engrain.{table} ({columns}) VALUES ({values})".encode())


@pytest.mark.parametrize(
    "statement",
    [
        "SET ROLE postgres",
        "SET SESSION AUTHORIZATION postgres",
        "ALTER TABLE engrain.memory DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE engrain.memory NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE engrain.memory OWNER TO engrain_app",
        "DROP POLICY own ON engrain.memory",
        "CREATE POLICY mine ON engrain.memory USING (true)",
        "CREATE TABLE engrain.mine ()",
        "CREATE FUNCTION engrain.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
        "CREATE TRIGGER mine AFTER INSERT ON engrain.memory EXECUTE FUNCTION engrain.count_in()",
        "TRUNCATE engrain.memory",
        "DELETE FROM engrain.audit",
        "UPDATE engrain.audit SET digest = ''",
        "SELECT setval('engrain.memory_num_seq', 1)",
        "COMMENT ON SCHEMA engrain IS 'mine'",
        "ALTER ROLE engrain_app BYPASSRLS",
        "SET row_security = off; SELECT * FROM engrain.memory",
        "INSERT INTO engrain.org (name) VALUES ('c')",
        "UPDATE engrain.org SET name = 'c' WHERE name = 'b'",
        "DELETE FROM engrain.turn_view",
    ],
)
def test_the_role_of_the_application_may_not(stranger: str, statement: str) -> None:
    with (
        coming_in(stranger, "b") as connection,
        pytest.raises((errors.InsufficientPrivilege, errors.WrongObjectType, errors.ObjectNotInPrerequisiteState)),
    ):
        connection.execute(statement.encode())


def test_a_condition_that_reports_what_it_reads_reads_nothing_of_another_org(stranger: str) -> None:
    stored = list[str | None]()
    with coming_in(stranger, "b") as connection:
        connection.add_notice_handler(lambda notice: stored.append(notice.message_primary))
        connection.execute(
            "CREATE FUNCTION pg_temp.tell(text) RETURNS bool LANGUAGE plpgsql COST 0.0000001 AS "
            "$$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$"
        )
        for table in tables(connection):
            connection.execute(f"SELECT FROM engrain.{table} WHERE pg_temp.tell(org)".encode())
        with connection.cursor().copy(b"COPY engrain.memory (org) TO STDOUT") as copied:
            assert list(copied.rows()) == [("b",)]
    assert set(stored) == {"saw b", "saw "}


def test_a_worker_sees_that_jobs_are_due_anywhere_and_nothing_else(stranger: str) -> None:
    with coming_in(stranger) as connection:
        connection.execute("SET LOCAL engrain.jobs = 'on'")
        for place in (*tables(connection), *VIEWS):
            assert counted(connection, place) == {"job": 3, "setting": 1}.get(place, 0), place
        assert connection.execute("UPDATE engrain.job SET state = 'dead'").rowcount == 0
        assert connection.execute("DELETE FROM engrain.job").rowcount == 0


def test_an_unknown_role_opens_nothing(stranger: str) -> None:
    with (
        servers.role() as name,
        psycopg.connect(conninfo.make_conninfo(stranger, user=name), autocommit=True) as connection,
    ):
        for statement in (
            "SELECT * FROM engrain.org",
            "SELECT * FROM engrain.setting",
            "SELECT engrain.index_vectors('m', 2)",
            "SET ROLE engrain_app",
        ):
            with pytest.raises(errors.InsufficientPrivilege):
                connection.execute(statement.encode())


def test_row_level_security_applies_to_an_owner_who_is_no_superuser(stranger: str) -> None:
    with servers.role() as owner, servers.database() as url, psycopg.connect(url, autocommit=True) as connection:
        bind(connection, "a")
        connection.execute("INSERT INTO engrain.namespace (\"user\") VALUES ('ana')")
        connection.execute(f"ALTER TABLE engrain.namespace OWNER TO {owner}".encode())
        connection.execute(f"GRANT USAGE ON SCHEMA engrain TO {owner}".encode())
        connection.execute(f"SET ROLE {owner}".encode())
        assert counted(connection, "namespace") == 1
        bind(connection, "b")
        assert counted(connection, "namespace") == 0


@pytest.mark.parametrize("asked", ["\"user\" = 'ana'", '"user" IS NULL'])
def test_a_users_namespace_is_found_among_many_without_looking_at_them(stranger: str, asked: str) -> None:
    with coming_in(stranger, "b") as connection:
        connection.execute(
            "INSERT INTO engrain.namespace (id, \"user\") SELECT n, 'user ' || n FROM generate_series(2, 3000) n"
        )
        explained = f"EXPLAIN SELECT id FROM engrain.namespace WHERE org = 'b' AND {asked}"
        plan = "\n".join(line for (line,) in connection.execute(explained.encode()))
    assert "namespace_name" in plan
    assert [line for line in plan.splitlines() if "Index Cond" in line and '"user"' in line], plan


class TestEveryTable:
    def test_begins_with_its_org_and_is_behind_policies(self, stranger: str) -> None:
        with coming_in(stranger) as connection:
            found = connection.execute(
                "SELECT relname, relrowsecurity, relforcerowsecurity, attname, attnotnull, collname,"
                " (SELECT count(*) FROM pg_policy WHERE polrelid = c.oid AND polcmd = '*')"
                " FROM pg_class c JOIN pg_attribute ON attrelid = c.oid AND attnum = 1"
                " JOIN pg_collation l ON l.oid = attcollation"
                " WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p') AND relname <> 'org'"
            ).fetchall()
        assert len(found) > 20
        assert {row[1:] for row in found} == {(True, True, "org", True, "C", 1)}

    def test_has_keys_and_indexes_that_begin_with_org(self, stranger: str) -> None:
        with coming_in(stranger) as connection:
            found = connection.execute(
                "SELECT i.relname, pg_get_indexdef(i.oid, 1, true) FROM pg_index JOIN pg_class i ON i.oid = indexrelid"
                " WHERE i.relnamespace = 'engrain'::regnamespace AND indrelid <> 'engrain.org'::regclass"
            ).fetchall()
        assert len(found) > 60
        # Whoever shows a key names no org, and a worker asks what is due in any.
        assert {name for name, column in found if column != "org"} == {"server_key_id", "job_queued", "job_leased"}

    def test_points_at_rows_of_its_own_org_alone(self, stranger: str) -> None:
        with coming_in(stranger) as connection:
            found = connection.execute(
                "SELECT conname, a.attname, b.attname FROM pg_constraint"
                " JOIN pg_attribute a ON a.attrelid = conrelid AND a.attnum = conkey[1]"
                " JOIN pg_attribute b ON b.attrelid = confrelid AND b.attnum = confkey[1]"
                " WHERE connamespace = 'engrain'::regnamespace AND contype = 'f'"
            ).fetchall()
        assert len(found) > 15
        assert {row[1:] for row in found} == {("org", "org")}

    def test_compares_texts_by_their_bytes_and_compresses_none(self, stranger: str) -> None:
        with coming_in(stranger) as connection:
            found = connection.execute(
                "SELECT relname, attname, collname, attstorage::text"
                " FROM pg_attribute JOIN pg_class c ON c.oid = attrelid JOIN pg_collation l ON l.oid = attcollation"
                " WHERE relnamespace = 'engrain'::regnamespace AND relkind IN ('r', 'p', 'i')"
            ).fetchall()
        assert len(found) > 150
        assert {row[2:] for row in found} == {("C", "e")}

    def test_views_show_what_their_viewer_may_see(self, stranger: str) -> None:
        with coming_in(stranger) as connection:
            found = connection.execute(
                "SELECT relname, reloptions FROM pg_class"
                " WHERE relnamespace = 'engrain'::regnamespace AND relkind = 'v'"
            ).fetchall()
        assert dict(found) == {view: ["security_invoker=true"] for view in VIEWS}
