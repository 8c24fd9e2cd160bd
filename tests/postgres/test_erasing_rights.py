"""What an erasure comes to with fewer rights on the server, and what a server writes into its own log."""

from __future__ import annotations

from collections.abc import Iterator

import psycopg
import pytest

from engrain import MemoryManager, Settings
from engrain.errors import StoreError
from engrain.model.audit import Forgotten
from engrain.storage.postgres import PostgresStore, erasure
from engrain.storage.rows import Setting
from engrain.testing import FakeEmbedder
from tests.postgres import servers

SECRET = "Vexillo4711q"


@pytest.fixture(scope="module")
def server() -> Iterator[servers.Private]:
    """A server that archives its log, with a role that owns one database, and one that owns nothing."""
    archive = ("archive_mode = on", "archive_command = '/bin/sleep 0.05'")
    with servers.private("min_wal_size = '32MB'", "log_parameter_max_length_on_error = -1", *archive) as held:
        held.execute(
            "CREATE ROLE engrain_app NOLOGIN",
            *(
                statement
                for name in ("owner", "guest")
                for statement in (
                    f"CREATE ROLE {name} LOGIN",
                    f"GRANT engrain_app TO {name} WITH SET TRUE, INHERIT FALSE",
                )
            ),
            "CREATE DATABASE owned OWNER owner TEMPLATE template0 ENCODING 'UTF8'",
        )
        with psycopg.connect(held.at("owned"), autocommit=True) as connection:
            connection.execute("CREATE EXTENSION vector")
        yield held


def forgotten(url: str) -> Forgotten:
    settings = Settings(worker="none")
    with MemoryManager(PostgresStore(url), embedder=FakeEmbedder(64), settings=settings) as memory:
        return memory.forget(memory.remember(f"the code is {SECRET}").id, hard=True)


def test_an_owner_rewrites_the_tables_and_says_that_nobody_looked(server: servers.Private) -> None:
    server.execute("CHECKPOINT")
    receipt = forgotten(server.at("owned", user="owner")).receipt
    assert receipt is not None
    assert (receipt.status, receipt.verified) == ("complete", False)
    assert "not searched" in receipt.notes[0]
    assert any("may not turn over" in each for each in receipt.out_of_reach)
    server.execute("CHECKPOINT")
    assert not [name for name in server.occurrences(SECRET) if name.startswith("base/")]


def grants(url: str) -> tuple[str, ...]:
    """Return the grants that an administrator would run in a database to give the role of a URL all that it may use."""
    with psycopg.connect(url) as connection:
        may = erasure.rights(connection)
        (role,) = connection.execute("SELECT quote_ident(current_user)").fetchone() or ("",)
    roles = ["pg_checkpoint"] * (not may.checkpoints) + ["pg_monitor"] * (not may.lists)
    functions = ["pg_switch_wal()"] * (not may.switches)
    if not may.reads:
        functions += ["pg_read_binary_file(text, bigint, bigint, boolean)", "pg_ls_dir(text, boolean, boolean)"]
    run = [f"GRANT EXECUTE ON FUNCTION {name} TO {role};" for name in functions]
    return (*(f"GRANT {name} TO {role};" for name in roles), *run)


def test_with_what_is_asked_for_it_is_proven(server: servers.Private) -> None:
    url = server.at("owned", user="owner")
    store = PostgresStore(url)
    missing = grants(url)
    assert len(missing) == 5
    with psycopg.connect(server.at("owned"), autocommit=True) as connection:
        for statement in missing:
            connection.execute(statement.encode())
        assert grants(url) == ()
        receipt = forgotten(url).receipt
        for statement in missing:
            connection.execute(statement.replace("GRANT", "REVOKE").replace(" TO ", " FROM ").encode())
    store.close()
    assert receipt is not None
    assert (receipt.status, receipt.verified) == ("complete", True)
    assert not any("may not turn over" in each for each in receipt.out_of_reach)
    assert server.occurrences(SECRET) == set()


def test_who_may_not_rewrite_leaves_it_pending(server: servers.Private) -> None:
    PostgresStore(server.at("owned", user="owner")).close()
    with psycopg.connect(server.at("owned"), autocommit=True) as connection:
        connection.execute("GRANT CONNECT ON DATABASE owned TO guest")
    receipt = forgotten(server.at("owned", user="guest")).receipt
    assert receipt is not None
    assert (receipt.status, receipt.verified) == ("pending", False)
    assert "MAINTAIN" in receipt.notes[0]
    assert "owned" not in receipt.notes[0]  # where the store is, is for its keepers to know


def test_a_change_that_fails_leaves_nothing_in_the_servers_log(server: servers.Private) -> None:
    store = PostgresStore(server.at("owned", user="owner"))
    with pytest.raises(StoreError):
        store.write(lambda tx: tx.put(Setting(None, SECRET)), "default")  # type: ignore[arg-type]
    store.close()
    written = (server.folder / "log").read_text()
    assert "null value in column" in written
    assert SECRET not in written
