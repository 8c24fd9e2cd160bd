"""What the database keeps by itself: which orgs there are, row numbers, indexes of vectors, what cannot be twice."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psycopg
import pytest
from psycopg import errors

from engrain.model.filters import Test
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import Record, Setting
from engrain.testing.conformance.base import add
from engrain.testing.rows import NOON, memory
from tests.postgres import servers

Connection = psycopg.Connection[Any]
TEXTS = (
    "content summary keywords tags entities domain tier source_type source_origin source_id source_ref content_hash"
    " metadata salt"
).split()
NUMBERS = (
    "importance confidence trust valid_from recorded_at updated_at evidence_count access_count strength evolution_count"
    " version pinned marks"
).split()


@pytest.fixture
def app() -> Iterator[Connection]:
    """A connection as the application, bound to an org that has two namespaces."""
    with servers.database() as url, psycopg.connect(url, autocommit=True) as connection:
        connection.execute("SET search_path = engrain, public")
        connection.execute("SET ROLE engrain_app")
        connection.execute("SELECT set_config('engrain.org', 'acme', false)")
        connection.execute("INSERT INTO namespace (id, \"user\") VALUES (1, NULL), (2, 'ana')")
        yield connection


def remember(app: Connection, *rows: dict[str, Any]) -> list[int]:
    """Put memories in one statement."""
    names = [*TEXTS, *NUMBERS, "id", "ns", "kind", "agent", "status", "status_reason", "length"]
    values = list[Any]()
    for row in rows:
        whole = {"kind": "semantic", "status": "active", "status_reason": "", "length": 1, "ns": 1} | row
        values += [*[""] * len(TEXTS), *[1] * len(NUMBERS), *(whole.get(name) for name in names[-7:])]
    marks = ", ".join(f"({', '.join(['%s'] * len(names))})" for _ in rows)
    statement = f"INSERT INTO memory ({', '.join(names)}) VALUES {marks} RETURNING num"
    return [num for (num,) in app.execute(statement.encode(), values)]


def test_a_change_made_by_a_recall_writes_no_counter() -> None:
    with servers.database() as url, closing(PostgresStore(url)) as store:
        num = add(store, memory("tea", agent="cook"), "tea")
        with psycopg.connect(url, autocommit=True) as owner:
            owner.execute("SET engrain.org = 'default'")
            asked = "SELECT xmin::text, documents, length, live FROM engrain.counter"
            before = owner.execute(asked).fetchall()
            row = [Test("num", "eq", num)]
            store.write(lambda tx: tx.update(Record, row, access_count=2, last_accessed=NOON), "default")
            assert owner.execute(asked).fetchall() == before == [(before[0][0], 1, 1, 1)]


def test_an_org_is_known_from_the_first_that_is_written_of_it() -> None:
    with servers.database() as url, closing(PostgresStore(url)) as store:
        for org in ("b", "c"):
            store.write(lambda tx, org=org: tx.put(Setting("n", "v", org)), org)  # type: ignore[misc]
        store.write(lambda tx: tx.put(Setting("n", "v", "d")))
        with store.read() as view:
            assert [*view.orgs()] == ["", "b", "c", "d"]  # type: ignore[attr-defined]


class TestNumbers:
    def test_a_number_is_never_given_again(self, app: Connection) -> None:
        (first,) = remember(app, {"id": "mem_1"})
        app.execute("DELETE FROM memory")
        assert remember(app, {"id": "mem_1"}) == [first + 1]

    @pytest.mark.parametrize("table", ["namespace", "memory", "entity", "relation", "conversation", "revision"])
    def test_they_go_on_after_those_that_were_given(self, app: Connection, table: str) -> None:
        column = {"memory": "num", "conversation": "num", "revision": "seq"}.get(table, "id")
        following = f"SELECT nextval('{table}_{column}_seq')".encode()
        app.execute("SELECT number_after(%s, 1000)", [table])
        assert app.execute(following).fetchone() == (1001,)
        app.execute("SELECT number_after(%s, 5)", [table])
        assert app.execute(following).fetchone() == (1002,)

    def test_a_table_without_numbers_is_refused(self, app: Connection) -> None:
        for name in ("link", "nothing", "org; DROP TABLE org"):
            with pytest.raises(errors.InvalidParameterValue, match="have no numbers"):
                app.execute("SELECT number_after(%s, 1)", [name])


class TestVectors:
    def test_an_index_is_made_once_and_used_from_within_row_level_security(self, app: Connection) -> None:
        app.execute(
            "INSERT INTO vector (ns, embedder, num, v)"
            " SELECT 1, 'it''s', n, ('[' || sin(n) || ',' || cos(n) || ']')::halfvec FROM generate_series(1, 2000) n"
        )
        app.execute("INSERT INTO vector (ns, embedder, num, v) VALUES (1, 'other', 1, '[1,2,3]')")
        for _ in range(2):
            app.execute("SELECT index_vectors('it''s', 2)")
        app.execute("SELECT index_vectors('other', 3)")
        found = app.execute(
            "SELECT indexdef FROM pg_indexes WHERE tablename = 'vector' AND indexdef LIKE '%hnsw%'"
        ).fetchall()
        assert len(found) == 2
        nearest = (
            "SELECT num FROM vector WHERE embedder = 'it''s' ORDER BY v::halfvec(2) <#> '[0,1]'::halfvec(2) LIMIT 3"
        )
        app.execute("SET enable_sort = off")
        plan = "\n".join(line for (line,) in app.execute(f"EXPLAIN {nearest}".encode()))
        assert "Index Scan using vector_" in plan
        assert "Order By: ((v)::halfvec(2) <#>" in plan
        assert len(app.execute(nearest.encode()).fetchall()) == 3

    @pytest.mark.parametrize("dimensions", [None, 0, -1, 4001])
    def test_sizes_that_no_index_holds_are_refused(self, app: Connection, dimensions: int | None) -> None:
        with pytest.raises(errors.InvalidParameterValue, match="cannot be indexed"):
            app.execute("SELECT index_vectors('m', %s::int)", [dimensions])

    @pytest.mark.parametrize("dimensions", [1, 1024, 3072, 4000])
    def test_a_vector_is_in_its_row_whatever_its_size(self, app: Connection, dimensions: int) -> None:
        value = "[" + ",".join(["0.5"] * dimensions) + "]"
        app.execute("INSERT INTO vector (ns, embedder, num, v) VALUES (1, 'm', 1, %s)", [value])
        beside = (
            "SELECT pg_relation_size(nullif(reltoastrelid, 0)) FROM pg_class WHERE oid = 'engrain.vector'::regclass"
        )
        assert app.execute(beside).fetchone() in ((0,), (None,))


class TestBreaches:
    @pytest.mark.parametrize(
        "statement",
        [
            "INSERT INTO namespace (\"user\") VALUES ('ana')",
            'INSERT INTO namespace ("user") VALUES (NULL)',
            "UPDATE memory SET id = 'mem_1'",
            "UPDATE memory SET identity = 'same'",
            "UPDATE memory SET key = 'same'",
            "INSERT INTO entity (ns, type, family, key, name) VALUES (1, '', 'f', 'k', ''), (1, 'other', 'f', 'k', '')",
        ],
    )
    def test_what_is_there_once_cannot_be_there_twice(self, app: Connection, statement: str) -> None:
        remember(app, {"id": "mem_1"}, {"id": "mem_2"})
        with pytest.raises(errors.UniqueViolation):
            app.execute(statement.encode())

    def test_a_forgotten_memory_leaves_its_key_free(self, app: Connection) -> None:
        remember(app, {"id": "mem_1", "status": "forgotten"}, {"id": "mem_2"})
        app.execute("UPDATE memory SET key = 'same'")

    @pytest.mark.parametrize(
        "statement",
        [
            "INSERT INTO link (source, relation, target) VALUES (1, 'related', 99)",
            "INSERT INTO mention (entity, num, origin, pairs) VALUES (99, 1, '', 1)",
            "INSERT INTO summary (conversation, state) VALUES (99, '')",
            "UPDATE memory SET ns = 99",
            "DELETE FROM memory",
        ],
    )
    def test_what_is_pointed_at_must_be_there(self, app: Connection, statement: str) -> None:
        (num,) = remember(app, {"id": "mem_1"})
        app.execute("INSERT INTO link (source, relation, target) VALUES (%s, 'related', %s)", [num, num])
        with pytest.raises(errors.ForeignKeyViolation):
            app.execute(statement.encode())

    def test_two_orgs_may_have_the_same_names(self, app: Connection) -> None:
        remember(app, {"id": "mem_1"})
        app.execute("SELECT set_config('engrain.org', 'other', false)")
        app.execute("INSERT INTO namespace (id) VALUES (1)")
        remember(app, {"id": "mem_1"})


def test_long_texts_are_uncompressed(app: Connection) -> None:
    remember(app, {"id": "mem_1"})
    app.execute("UPDATE memory SET content = repeat('word ', 100000)")
    found = app.execute("SELECT pg_column_compression(content), pg_column_size(content) FROM memory").fetchone()
    assert found == (None, 500_000)
