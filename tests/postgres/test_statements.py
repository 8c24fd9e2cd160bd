"""What is sent to PostgreSQL: each statement names its org for each table, and nothing in it hinders a cluster."""

from __future__ import annotations

import json
import logging
import random
import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import psycopg
import pytest
import sqlglot
from sqlglot import expressions as sql

from campaigns.acts import ACTS, Given
from engrain import MemoryManager, Settings
from engrain.errors import EngrainError
from engrain.storage.postgres import PostgresStore, schema
from engrain.storage.postgres.connections import bound
from engrain.testing import FakeEmbedder, FrozenClock
from tests.postgres.servers import private

# Read in every org: by an operator, by a worker, and by the check of a key. Nothing is joined with them.
ANY_ORG = {"org", "job", "server_key"}
SETS_STATE = ("set_config", "pg_advisory", "pg_try_advisory", "setval", "pg_notify")
_SENT = re.compile(r"(?:statement|execute [^:]*): (.*)", re.DOTALL)

_BEGIN = re.compile(r"^BEGIN[^;]*;?")  # of which the parser knows only a part


def transactions(log: Path) -> Iterator[str]:
    """Yield the statements of the sessions that take on the role of the application, as the server logged them."""
    sessions: dict[str, list[str]] = {}
    for file in sorted(log.glob("*.json")):
        for line in file.read_text("utf-8").splitlines():
            entry = json.loads(line)
            if found := _SENT.match(entry.get("message", "")):
                sessions.setdefault(entry["session_id"], []).append(_BEGIN.sub("", found[1]))
    for sent in sessions.values():
        if any("SET LOCAL role" in text for text in sent):
            yield from sent


@pytest.fixture(scope="module")
def statements(tmp_path_factory: pytest.TempPathFactory) -> list[sql.Expr]:
    """Every different statement of a call of each method, of a worker, and of what an operator does."""
    chance, folder = random.Random(5), tmp_path_factory.mktemp("files")
    with private("logging_collector = on", "log_destination = 'jsonlog'", "log_directory = 'said'") as server:
        PostgresStore(server.url).close()
        server.execute("ALTER DATABASE postgres SET log_statement = 'all'")
        clock, settings = FrozenClock("2026-01-05T12:00:00+00:00"), Settings(worker="none", durability="normal")
        with MemoryManager(server.url, embedder=FakeEmbedder(8), clock=clock, settings=settings) as memory:
            view = memory.scoped(user="ana", agent="scout", session="s1")
            for name in sorted(ACTS):
                ids = [*(one.id for one in view.iter_memories(status="all")), *(m.id for m in view.graph.merges())]
                with suppress(EngrainError, ValueError, TypeError):
                    ACTS[name](view, Given(chance, "quokka", "quokka", folder, ids))
            memory.flush(timeout=10)
            memory.snapshot(folder / "copy.db")
            memory.store.maintain()
            memory.stats()
        texts = set(transactions(server.folder / "said"))
    assert len(texts) > 300
    logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it keeps `SET LOCAL` as a text
    plain = (text.replace("<#>", "-") for text in sorted(texts))  # pgvector's operator is unknown to it
    return [parsed for text in plain for parsed in sqlglot.parse(text, dialect="postgres") if parsed]


def names_org(table: sql.Table, column: str = "org") -> bool:
    """Say whether a statement asks for the rows of one org alone where it names a table."""
    parent = table.parent
    if isinstance(parent, sql.Schema):  # of an INSERT
        return column in {each.name for each in parent.expressions}
    while parent is not None and not isinstance(parent, sql.Select | sql.Update | sql.Delete):
        parent = parent.parent
    if parent is None or parent.args.get("where") is None:
        return False
    condition = parent.args["where"].this
    tests = list(condition.flatten()) if isinstance(condition, sql.And) else [condition]
    return any(isinstance(test, sql.EQ | sql.In) and test.this.name == column for test in tests)


def test_each_statement_names_its_org_for_each_table(statements: list[sql.Expr]) -> None:
    ours = {table for _, text in schema.migrations() for table in re.findall(r"CREATE (?:TABLE|VIEW) (\w+)", text)}
    seen = set()
    for statement in statements:
        own = {each.alias for each in statement.find_all(sql.CTE)}
        for table in statement.find_all(sql.Table):
            if table.name not in ours or table.name in own:
                continue
            seen.add(table.name)
            assert table.db == "engrain", f"{table.name} without its schema: {statement.sql('postgres')}"
            named = names_org(table, "name" if table.name == "org" else "org")
            alone = {each.name for each in statement.find_all(sql.Table)} == {table.name}
            read = isinstance(statement, sql.Select | sql.Union) and table.name in ANY_ORG and alone
            assert named or read, f"{table.name} of any org: {statement.sql('postgres')}"
    assert ours - seen <= {"summary", "exact_record_view"}, "every table is read or written by what is done here"


def test_evidence_is_looked_up_for_each_row_that_cites_it(statements: list[sql.Expr]) -> None:
    """Without OFFSET the server joins every memory with every mention when it plans for values it does not know."""
    found = 0
    for test in (each for statement in statements for each in statement.find_all(sql.Exists)):
        text = test.sql("postgres")
        if "WHERE memory.num = " in text:
            found += 1
            assert "OFFSET 0" in text, text
    assert found > 10


def test_no_function_sets_state_and_nothing_is_done_in_a_block(statements: list[sql.Expr]) -> None:
    for statement in statements:
        text = statement.sql("postgres").casefold()
        assert not any(f"{name}" in text for name in SETS_STATE), text
        assert not text.startswith("do "), text


def test_migrations_from_now_on_are_plain_statements_without_triggers() -> None:
    for number, text in schema.migrations():
        if number > 3:
            assert not re.search(r"^\s*(DO \$|CREATE (OR REPLACE )?TRIGGER)", text, re.MULTILINE), number
    triggers = "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"
    with private() as server:
        PostgresStore(server.url).close()
        with psycopg.connect(server.url) as connection:
            assert connection.execute(triggers).fetchone() == (0,)


@pytest.mark.parametrize(
    ("shared", "sent"),
    [
        (
            "SELECT m.id FROM link l JOIN memory m ON m.num = l.target WHERE l.source = ?",
            "SELECT m.id FROM (SELECT * FROM engrain.link WHERE org = $1) l "  # noqa: ISC004
            "JOIN (SELECT * FROM engrain.memory WHERE org = $1) m ON m.num = l.target WHERE l.source = $2",
        ),
        ("UPDATE memory SET ns = ? WHERE num = ?", "UPDATE engrain.memory SET ns = $2 WHERE org = $1 AND num = $3"),
        ("DELETE FROM setting WHERE name = ?", "DELETE FROM engrain.setting WHERE org IN ($1, '') AND name = $2"),
        (
            "INSERT INTO link (source, target) VALUES (?, ?), (?, ?)",
            "INSERT INTO engrain.link (org, source, target) VALUES ($1, $2, $3), ($1, $4, $5)",
        ),
        ("INSERT INTO job (id, org) VALUES (?, ?)", "INSERT INTO engrain.job (id, org) VALUES ($1, $2)"),
        ("SELECT 1 FROM pg_class WHERE oid = ?", "SELECT 1 FROM pg_class WHERE oid = $1"),
    ],
)
def test_a_statement_that_engines_share_gets_its_org(shared: str, sent: str) -> None:
    assert bound(shared) == (sent, "org" in sent and "(id, org)" not in sent)
