"""A run on a server makes databases of its own there, measures by the clock, and leaves the server as it was."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from benchmarks import ablation, answers, retrieval, writes
from benchmarks.graph import GRAPH, NODES
from benchmarks.report import Speed
from benchmarks.serving import SERVING
from benchmarks.speed import APPEND, CONVERSATION, IDLE, MEMORIES, SWEEPS
from benchmarks.stores import BareInserts, temporary_stores
from engrain.errors import ConfigError, StoreUnavailable
from tests.benchmarks.conversations import lines, locomo
from tests.postgres import servers

SMALL = 20


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """An empty database of a server, which nothing may be written into."""
    with servers.database(empty=True) as found:
        yield found
        assert left(found) == (set(), set())


def left(url: str) -> tuple[set[str], set[str]]:
    """Return the databases that runs left behind, and what they made in the database that the URL names."""
    with psycopg.connect(url) as connection:
        databases = connection.execute("SELECT datname FROM pg_database WHERE datname ~ '^engrain_(bench|eval)_'")
        made = connection.execute(
            "SELECT nspname FROM pg_namespace WHERE nspname = 'engrain' UNION ALL SELECT extname FROM pg_extension "
            "WHERE extname = 'vector' UNION ALL SELECT tablename FROM pg_tables WHERE schemaname = 'public'"
        )
        return {name for (name,) in databases.fetchall()}, {name for (name,) in made.fetchall()}


def rows(found: Speed, what: str) -> list[float]:
    return [row.p50_ms or 0 for row in found.rows if row.what == what]


@pytest.mark.slow
def test_memories_are_measured_beside_what_the_server_does_bare(url: str) -> None:
    found = MEMORIES.run(sizes=[SMALL], seconds=0.2, store=url)
    beside = {row.what: row.limit for row in found.rows if row.limit}
    assert beside["remember, one by one in one scope"] == "bare insert, as durable"
    assert beside["open a store"] == "connecting and SELECT 1"
    assert beside["recall in the whole scope"] == "pgvector's exact scan of a bare table, halfvec"
    share = next(row for row in found.rows if row.what.endswith("share of the exact 10 found"))
    assert share.value is not None
    assert share.value >= 0.99
    lost = [row.value for row in found.rows if row.what.endswith(("errors", "acknowledged and lost"))]
    assert lost == [0, 0]
    assert left(url) == (set(), set())


@pytest.mark.slow
def test_a_ratio_on_a_server_is_by_the_clock_and_no_bar_is_of_the_processor(url: str) -> None:
    found = CONVERSATION.run(sizes=[200, 210], store=url)
    (row, _) = (row for row in found.rows if row.what == APPEND)
    assert row.p50_ms
    assert row.limit_ms
    assert row.ratio == pytest.approx(row.p50_ms / row.limit_ms)
    assert not [row for row in found.rows if "CPU" in row.bar]
    assert "CPU is of this process alone" in found.table()
    assert "PostgreSQL" in found.table()
    assert json.loads(json.dumps(found.to_dict()))["server"].keys() == {"PostgreSQL", "pgvector"}


@pytest.mark.slow
def test_a_graph_and_sweeps_are_measured_on_a_server(url: str) -> None:
    found = GRAPH.run(sizes=[1_000], store=url)
    size = {row.what: row.value for row in found.rows if row.unit == "bytes"}
    assert (size["file, for each relation"] or 0) > (size["bare table and its indexes, for each relation"] or 0) > 0
    reached = {row.what: row.value for row in found.rows if row.what.endswith(NODES)}
    assert all((value or 0) > 5 for value in reached.values())
    assert rows(SWEEPS.run(sizes=[1_000], store=url), IDLE)


@pytest.mark.slow
def test_processes_are_served_by_one_server(url: str) -> None:
    found = SERVING.run(sizes=[16], seconds=0.3, store=url)
    assert {row.what for row in found.rows if row.limit} == {"remember, 1 server", "recall, 1 server"}
    assert all(row.value for row in found.rows if not row.limit)
    with pytest.raises(ConfigError, match="name it, or its coordinator, by --store"):
        SERVING.run(sizes=[16])


@pytest.mark.slow
def test_questions_find_the_same_on_a_server_as_in_a_file(url: str, tmp_path: Path) -> None:
    chats = tmp_path / "chats.jsonl"
    chats.write_text(lines(locomo(), locomo("conv-2")))
    there, here = (retrieval.evaluate(chats, embedder=None, store=store) for store in (url, None))
    assert (there.systems, there.auroc, there.abstained) == (here.systems, here.auroc, here.abstained)
    assert there.server
    assert not here.server
    there_answered, here_answered = (answers.evaluate(chats, embedder=None, store=store) for store in (url, None))
    assert there_answered.systems == here_answered.systems
    there_ablated, here_ablated = (ablation.evaluate(chats, embedder=None, store=store) for store in (url, None))
    assert (there_ablated.full, there_ablated.changes) == (here_ablated.full, here_ablated.changes)


@pytest.mark.slow
def test_writes_close_and_lose_the_same_on_a_server_as_in_a_file(url: str) -> None:
    there, here = (writes.evaluate(embedder=None, size=40, store=store) for store in (url, None))
    for name in ("population", "written", "counts", "quarantined"):
        assert [getattr(row, name) for row in there.compatible] == [getattr(row, name) for row in here.compatible]
    assert there.changes == here.changes


def test_a_run_that_fails_leaves_nothing(url: str) -> None:
    def fail() -> None:
        with temporary_stores(url, None, purpose="bench") as stores:
            stores.address("one")
            BareInserts(stores).insert("text")
            raise RuntimeError(f"with {len(left(url)[0])} databases")

    with pytest.raises(RuntimeError, match="with 2 databases"):
        fail()
    assert left(url) == (set(), set())


def test_a_role_that_may_not_make_databases_gets_an_error_that_names_what_is_missing() -> None:
    with servers.database(empty=True) as url, servers.role() as name:
        other = servers.named(str(psycopg.conninfo.conninfo_to_dict(url)["dbname"]), user=name)
        with pytest.raises(ConfigError, match="CREATEDB"), temporary_stores(other, None, purpose="bench") as stores:
            stores.address("one")


def test_an_address_of_no_server_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    for store, folder, said in (("memory.db", None, "URL of a server"), ("postgresql:///a", tmp_path, "leave out")):
        with pytest.raises(ConfigError, match=said), temporary_stores(store, folder, purpose="bench"):
            pass
    nowhere = f"postgresql:///a?host={tmp_path}&password=secret"
    with (
        pytest.raises(StoreUnavailable, match="cannot be reached") as error,
        temporary_stores(nowhere, None, purpose="bench"),
    ):
        pass
    assert "secret" not in str(error.value)
