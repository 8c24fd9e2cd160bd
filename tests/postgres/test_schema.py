"""The schema in a real database: made, opened by many at once, refused, and grown."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import conninfo, errors

import engrain
from engrain.errors import ConfigError, SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.storage.postgres import schema as postgres_schema
from engrain.storage.rows import MEMORY_COLUMNS, TABLES
from tests.postgres import servers

Connection = psycopg.Connection[Any]
LATEST = postgres_schema.migrations()[-1][0]


@contextmanager
def opened(url: str, **changes: str) -> Iterator[Connection]:
    with psycopg.connect(conninfo.make_conninfo(url, **changes), autocommit=True) as connection:
        yield connection


def prepared(url: str, **changes: str) -> int:
    with opened(url, **changes) as connection:
        return postgres_schema.prepare(connection, postgres_schema.shown(url))


def as_administrator(url: str, *statements: str) -> None:
    with opened(url) as connection:
        for statement in statements:
            connection.execute(statement.encode())


def everything(connection: Connection) -> list[tuple[Any, ...]]:
    """Whatever the database says of our schema's objects, and the version of each row that says it."""
    return connection.execute(
        "SELECT oid, xmin::text, relname FROM pg_class WHERE relnamespace = 'engrain'::regnamespace ORDER BY oid"
    ).fetchall()


class TestMaking:
    def test_an_empty_database_gets_the_schema(self) -> None:
        with servers.database(empty=True) as url:
            assert prepared(url) == LATEST
            with opened(url) as connection:
                assert postgres_schema.version(connection, url) == LATEST
                assert postgres_schema.path(connection) == '"engrain", "public"'

    def test_a_second_opening_changes_nothing(self) -> None:
        with servers.database() as url, opened(url) as connection:
            before = everything(connection)
            assert len(before) > 50
            assert prepared(url) == LATEST
            assert everything(connection) == before

    def test_every_kind_of_row_has_its_columns(self) -> None:
        with servers.database() as url, opened(url) as connection:
            for table in TABLES.values():
                assert set(table.columns) <= columns(connection, table.name)
                read = {name.strip('"') for name in table.listed.split(", ")}
                assert {*table.columns} <= read <= columns(connection, table.read_from)

    def test_memories_have_every_column_that_is_asked_for(self) -> None:
        made = {"waiting", "used_at", "unlearnt", "counted", "noted"}
        with servers.database() as url, opened(url) as connection:
            assert columns(connection, "memory") == {"org", *MEMORY_COLUMNS, *made}

    def test_threads_that_open_it_at_once_all_find_it_made_once(self) -> None:
        with servers.database(empty=True) as url, ThreadPoolExecutor(8) as pool:
            assert list(pool.map(prepared, [url] * 8)) == [LATEST] * 8

    def test_processes_that_open_it_at_once_all_find_it_made_once(self) -> None:
        script = (
            "import psycopg, sys\nfrom engrain.storage.postgres import schema as postgres_schema\n"
            "with psycopg.connect(sys.argv[1], autocommit=True) as connection:\n"
            "    print(postgres_schema.prepare(connection, 'the database'))"
        )
        environment = {**os.environ, "PYTHONPATH": str(Path(engrain.__file__).parents[1])}
        with servers.database(empty=True) as url:
            command = [sys.executable, "-c", script, url]
            started = [subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) for _ in range(3)]
            assert [process.communicate()[0] for process in started] == [f"{LATEST}\n"] * 3

    def test_a_failure_leaves_nothing_behind(self) -> None:
        with servers.database(empty=True) as url, opened(url) as connection:
            with pytest.raises(errors.UndefinedTable):
                postgres_schema.migrate(
                    connection, url, [*postgres_schema.migrations(), (LATEST + 1, "DROP TABLE nothing")]
                )
            assert postgres_schema.version(connection, url) == 0
            assert connection.execute("SELECT to_regnamespace('engrain')").fetchone() == (None,)

    def test_an_empty_schema_that_an_administrator_made_is_taken(self) -> None:
        with servers.database(empty=True) as url:
            as_administrator(url, "CREATE SCHEMA engrain")
            assert prepared(url) == LATEST

    def test_pgvector_may_be_installed_in_any_other_schema(self) -> None:
        with servers.database(empty=True) as url:
            as_administrator(url, 'CREATE SCHEMA "Odd one"', 'CREATE EXTENSION vector SCHEMA "Odd one"')
            assert prepared(url) == LATEST
            with opened(url) as connection:
                assert postgres_schema.path(connection) == '"engrain", "Odd one"'
                connection.execute("SET ROLE engrain_app")
                connection.execute("SELECT engrain.index_vectors('m', 2)")
                connection.execute("""SELECT '[1]'::"Odd one".halfvec""")


def columns(connection: Connection, place: str) -> set[str]:
    found = connection.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", [f"engrain.{place}"]
    )
    return {name for (name,) in found}


class TestRefusing:
    def test_a_newer_schema(self) -> None:
        with servers.database() as url:
            as_administrator(url, "COMMENT ON SCHEMA engrain IS 'Engrain schema 999'")
            with pytest.raises(SchemaMismatch, match=f"schema 999, this one knows {LATEST}.*upgrade") as refusal:
                prepared(url)
            assert (refusal.value.found, refusal.value.supported) == (999, LATEST)

    @pytest.mark.matrix
    @pytest.mark.parametrize("mark", ["NULL", "'Somebody''s'", "'Engrain schema one'", "'Engrain schema ²'"])
    def test_a_schema_that_is_not_ours_and_touch_nothing(self, mark: str) -> None:
        with servers.database(empty=True) as url:
            as_administrator(
                url, "CREATE SCHEMA engrain", "CREATE TABLE engrain.theirs ()", f"COMMENT ON SCHEMA engrain IS {mark}"
            )
            with opened(url) as connection:
                before = everything(connection)
                with pytest.raises(StoreCorrupt, match="another program's.*left"):
                    prepared(url)
                assert everything(connection) == before
                assert connection.execute("SELECT FROM pg_extension WHERE extname = 'vector'").fetchone() is None

    def test_a_database_that_cannot_hold_every_text(self) -> None:
        old = "ENCODING 'SQL_ASCII' LOCALE 'C'"
        with servers.database(empty=True, options=old) as url, pytest.raises(StoreUnavailable, match="as SQL_ASCII"):
            prepared(url)

    def test_a_server_that_is_too_old(self) -> None:
        with pytest.raises(StoreUnavailable, match="PostgreSQL 15: Engrain needs 16"):
            postgres_schema.check_server(150012, "UTF8", "it")
        postgres_schema.check_server(160000, "UTF8", "it")

    @pytest.mark.parametrize("statement", ["NO FORCE ROW LEVEL SECURITY", "DISABLE ROW LEVEL SECURITY"])
    def test_a_table_without_row_level_security_is_reported(self, statement: str) -> None:
        with servers.database() as url:
            as_administrator(url, f"ALTER TABLE engrain.posting {statement}")
            with pytest.raises(ConfigError, match="off in .* for posting"):
                prepared(url)

    @pytest.mark.parametrize("attributes", ["SUPERUSER", "BYPASSRLS"])
    def test_an_application_role_that_could_read_every_org(self, attributes: str) -> None:
        with servers.role(attributes) as name, servers.database() as url:
            as_administrator(url, f"GRANT {name} TO engrain_app")
            try:
                with pytest.raises(ConfigError, match=f'REVOKE "{name}" FROM engrain_app'):
                    prepared(url)
            finally:
                as_administrator(url, f"REVOKE {name} FROM engrain_app")
            assert prepared(url) == LATEST

    def test_an_application_role_that_is_of_the_owner(self) -> None:
        with servers.role() as owner, servers.database(empty=True) as url:
            as_administrator(url, "CREATE EXTENSION vector", f"CREATE SCHEMA engrain AUTHORIZATION {owner}")
            as_administrator(url, f"GRANT engrain_app TO {owner}")
            assert prepared(url, user=owner) == LATEST
            as_administrator(url, f"REVOKE engrain_app FROM {owner}", f"GRANT {owner} TO engrain_app")
            with pytest.raises(ConfigError, match=f'REVOKE "{owner}" FROM engrain_app'):
                prepared(url)
            as_administrator(url, f"REVOKE {owner} FROM engrain_app")


class TestRights:
    def test_a_role_without_rights_gets_errors_that_name_each_missing_grant(self) -> None:
        stored = list[str]()
        with servers.role() as name, servers.database(empty=True) as url:
            for _ in range(4):
                with pytest.raises(StoreUnavailable, match="an administrator runs") as refusal:
                    prepared(url, user=name)
                stored.append(str(refusal.value).rpartition("runs in that database: ")[2])
                as_administrator(url, stored[-1])
                if len(stored) == 3:
                    break
            assert stored[0] == "CREATE EXTENSION IF NOT EXISTS vector;"
            assert stored[1] == f'GRANT "engrain_app" TO "{name}" WITH SET TRUE, INHERIT FALSE;'
            assert stored[2].startswith("GRANT CREATE ON DATABASE ")
            assert prepared(url, user=name) == LATEST

    def test_a_role_without_rights_opens_a_schema_that_is_current(self) -> None:
        with servers.role() as name, servers.database() as url:
            with pytest.raises(StoreUnavailable, match='GRANT "engrain_app" TO'):
                prepared(url, user=name)
            as_administrator(url, f"GRANT engrain_app TO {name} WITH INHERIT FALSE, SET TRUE")
            assert prepared(url, user=name) == LATEST

    def test_a_connection_before_the_owner_gets_an_error_that_says_to_wait(self) -> None:
        with servers.role() as name, servers.database(empty=True) as url:
            as_administrator(url, "CREATE EXTENSION vector", f"GRANT engrain_app TO {name}")
            with pytest.raises(StoreUnavailable, match="open it first as the role that is to own the tables, or"):
                prepared(url, user=name)

    def test_where_no_schema_is_open_to_all_each_right_is_named_until_it_works(self) -> None:
        with servers.role() as owner, servers.database(empty=True) as url:
            as_administrator(url, "CREATE SCHEMA ext", "CREATE EXTENSION vector SCHEMA ext")
            as_administrator(url, "REVOKE ALL ON SCHEMA public FROM PUBLIC", f"GRANT engrain_app TO {owner}")
            for _ in range(3):
                with pytest.raises(StoreUnavailable, match="an administrator runs") as refusal:
                    prepared(url, user=owner)
                as_administrator(url, str(refusal.value).rpartition("runs in that database: ")[2])
            assert prepared(url, user=owner) == LATEST

    def test_a_schema_that_may_not_be_looked_into_is_not_called_damaged(self) -> None:
        with servers.database() as url:
            as_administrator(url, "REVOKE USAGE ON SCHEMA engrain FROM engrain_app")
            with pytest.raises(ConfigError, match="GRANT USAGE ON SCHEMA engrain TO engrain_app;") as refusal:
                prepared(url)
            as_administrator(url, str(refusal.value).rpartition("runs ")[2])
            assert prepared(url) == LATEST

    def test_a_role_that_does_not_own_an_older_schema_gets_an_error_that_names_the_owner(self) -> None:
        with servers.role() as name, servers.database() as url:
            as_administrator(url, f"GRANT engrain_app TO {name}")
            with opened(url, user=name) as connection, pytest.raises(StoreUnavailable, match="belongs to .*GRANT "):
                postgres_schema.migrate(connection, url, [(LATEST + 1, "CREATE TABLE more ()")])

    def test_an_object_made_by_a_member_of_the_owner_belongs_to_the_owner(self) -> None:
        with servers.role("NOLOGIN") as owner, servers.role() as name, servers.database(empty=True) as url:
            as_administrator(
                url,
                "CREATE EXTENSION vector",
                f"CREATE SCHEMA engrain AUTHORIZATION {owner}",
                f"GRANT {owner}, engrain_app TO {name}",
            )
            assert prepared(url, user=name) == LATEST
            with opened(url) as connection:
                asked = "SELECT DISTINCT tableowner FROM pg_tables WHERE schemaname = 'engrain'"
                assert connection.execute(asked).fetchall() == [(owner,)]

    def test_a_database_that_is_only_read_opens_when_it_is_current(self) -> None:
        with servers.database() as url:
            assert prepared(url, options="-c default_transaction_read_only=on") == LATEST

    def test_a_database_that_is_only_read_is_not_made(self) -> None:
        with servers.database(empty=True) as url, pytest.raises(StoreUnavailable, match="no schema yet.*primary"):
            prepared(url, options="-c default_transaction_read_only=on")


class TestPgvector:
    def test_a_recent_extension_is_unchanged(self) -> None:
        assert postgres_schema.vector_step("0.8.0", None, "it") is None
        assert postgres_schema.vector_step("0.10.1", "0.10.2", "it") is None
        assert postgres_schema.vector_step("1.0", "1.0", "it") is None

    def test_an_old_or_missing_extension_is_made_by_the_server_where_it_can(self) -> None:
        assert postgres_schema.vector_step("0.7.4", "0.8.5", "it") == "ALTER EXTENSION vector UPDATE"
        assert postgres_schema.vector_step(None, "0.8.0", "it") == "CREATE EXTENSION IF NOT EXISTS vector"

    def test_a_server_that_has_none_or_an_old_one_is_refused(self) -> None:
        with pytest.raises(StoreUnavailable, match="has no pgvector: install version 0.8"):
            postgres_schema.vector_step(None, None, "it")
        for installed in (None, "0.7.0"):
            with pytest.raises(StoreUnavailable, match="has pgvector 0.7.4: Engrain needs 0.8"):
                postgres_schema.vector_step(installed, "0.7.4", "it")

    def test_an_old_one_in_a_database_is_brought_up(self) -> None:
        with servers.database(empty=True) as url, opened(url) as connection:
            connection.execute("CREATE EXTENSION vector")
            for kind in ("integer", "real", "double precision", "numeric"):  # what 0.8.0 added
                for thing in (
                    f"CAST ({kind}[] AS sparsevec)",
                    f"FUNCTION array_to_sparsevec({kind}[], integer, boolean)",
                ):
                    connection.execute(f"ALTER EXTENSION vector DROP {thing}".encode())
                    connection.execute(f"DROP {thing}".encode())
            connection.execute("UPDATE pg_extension SET extversion = '0.7.4' WHERE extname = 'vector'")
            assert prepared(url) == LATEST
            found = connection.execute("SELECT extversion FROM pg_extension WHERE extname = 'vector'").fetchone()
            assert found is not None
            assert found[0] >= "0.8"

    def test_pgvector_in_the_schema_of_the_store_is_refused(self) -> None:
        with servers.database(empty=True) as url:
            as_administrator(
                url, "CREATE SCHEMA other", "CREATE EXTENSION vector SCHEMA other", "CREATE SCHEMA engrain"
            )
            as_administrator(url, "ALTER EXTENSION vector SET SCHEMA engrain")
            with pytest.raises(StoreCorrupt, match="another program's"):
                prepared(url)


class TestGrowing:
    def test_a_migration_of_rows_visits_one_org_at_a_time_as_the_application(self) -> None:
        made = "CREATE TABLE seen (org text, org_bound text, as_role text); GRANT ALL ON seen TO engrain_app"
        rows = (
            f'{postgres_schema.EACH_ORG}\nUPDATE namespace SET "user" = \'x\' || "user";'
            "INSERT INTO seen SELECT org, current_setting('engrain.org'), current_user FROM namespace"
        )
        steps = [*postgres_schema.migrations(), (LATEST + 1, made), (LATEST + 2, rows)]
        with servers.database() as url, opened(url) as connection:
            for org in ("a", "b"):
                connection.execute("SELECT set_config('engrain.org', %s, false)", [org])
                connection.execute("INSERT INTO engrain.org (name) VALUES (%s)", [org])
                connection.execute("INSERT INTO engrain.namespace (\"user\") VALUES ('ana')")
            assert postgres_schema.migrate(connection, url, steps) == LATEST + 2
            seen = connection.execute("SELECT org, org_bound, as_role FROM engrain.seen ORDER BY 1, 2").fetchall()
            assert seen == [(org, org, "engrain_app") for org in ("a", "b")]
            assert connection.execute('SELECT DISTINCT "user" FROM engrain.namespace').fetchall() == [("xana",)]
            assert connection.execute("SELECT current_user = session_user").fetchone() == (True,)

    def test_finished_work_is_not_repeated(self) -> None:
        steps = [*postgres_schema.migrations(), (LATEST + 1, "CREATE TABLE more ()")]
        with servers.database() as url, opened(url) as connection:
            assert postgres_schema.migrate(connection, url, steps) == LATEST + 1
            with pytest.raises(SchemaMismatch):
                postgres_schema.migrate(connection, url, steps)  # what made it is newer than what is installed


SHOWN = {
    "postgresql://u:geheim@h:5/db?sslpassword=geheim": "postgresql://u@h:5/db",
    "postgresql://u:gehe%40im@h1:1,h2:2/d": "postgresql://u@h1:1,h2:2/d",
    "host=/run/x user=me password=geheim dbname=d": "postgresql://me@/d?host=/run/x",
    "host=/run/x port=7 password=geheim dbname=d": "postgresql:///d?host=/run/x&port=7",
    "postgresql://[::1]:3/d?password=geheim": "postgresql://[::1]:3/d",
    "postgresql:///d": "postgresql:///d",
    "postgresql://u:geheim@h/db?unheard_of=1": "postgresql://(unreadable)",
    "postgresql://u:ge/heim@h:5/db": "postgresql://(unreadable)",
    "postgresql://u:ge@heim/x@h:5/db": "postgresql://(unreadable)",
    "postgresql://u:x@geheim@h/db": "postgresql://(unreadable)",
    "dbname=postgresql://u:geheim@h/db": "postgresql://(unreadable)",
    "postgresql://u:geheim@h..x/db": "postgresql://(unreadable)",
    f"host=/{'x' * 70}/..y password=geheim": f"postgresql:///?host=/{'x' * 70}/..y",
}


@pytest.mark.parametrize("url", SHOWN)
def test_a_url_is_shown_without_its_password(url: str) -> None:
    assert postgres_schema.shown(url) == SHOWN[url]
