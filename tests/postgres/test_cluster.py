"""A store on a Citus cluster: spread over its nodes, an organisation's rows together on one, and the same answers.

Without a cluster only what is refused is tried here; that each statement fits one is in `test_statements`.
"""

from __future__ import annotations

import time
from contextlib import closing
from pathlib import Path

import numpy as np
import psycopg
import pytest

from benchmarks.serving import SERVING
from engrain import MemoryManager, Settings
from engrain.errors import ConfigError
from engrain.storage.postgres import PostgresStore
from engrain.storage.postgres.schema import skew
from tests.postgres import cluster, rich, servers
from tests.postgres.test_migrating import contents
from tests.postgres.test_tending import EMBEDDER, EVERYTHING, FEW, fill

on_a_cluster = pytest.mark.skipif(not cluster.COORDINATOR, reason=cluster.WITHOUT)
ORGS = ("acme", "birch", "cedar", "delta", "elm", "fern")


def opened(url: str) -> MemoryManager:
    return MemoryManager(url, settings=Settings(worker="none"), embedder=None)


def test_a_server_without_citus_is_left_as_it_is() -> None:
    with servers.database() as url, closing(PostgresStore(url)) as store:
        with pytest.raises(ConfigError, match="has no Citus.*CREATE EXTENSION citus; .*citus_add_node"):
            store.distribute()
        assert store.size() > 0


@pytest.fixture(scope="module")
def url() -> str:
    """A database on the cluster whose store is not distributed yet."""
    return cluster.make(distributed=False)


@on_a_cluster
def test_a_store_that_is_in_use_is_spread_and_nothing_of_it_is_lost(url: str) -> None:
    with opened(url) as memory:
        for org in ORGS:
            memory.for_org(org).remember(f"{org} drinks tea", key="tea")
        with closing(PostgresStore(url)) as store:
            with psycopg.connect(url, autocommit=True) as administrator:  # as if it had been broken off after one
                administrator.execute("ALTER ROLE engrain_app LOGIN")
                administrator.execute("SET citus.shard_count = 4")
                administrator.execute("SELECT create_distributed_table('engrain.org', 'name', colocate_with => 'none')")
            tables, nodes = store.distribute(shards=4)
            assert "org" not in tables
            assert len(tables) > 20
            assert {node.shards for node in nodes} == {2 * (len(tables) + 1)}
            assert skew(nodes) < 2
            assert store.distribute() == ([], nodes)
        for org in ORGS:  # by the manager that was open before
            view = memory.for_org(org)
            view.remember(f"{org} reads at night", key="night")
            view.remember(f"{org} reads at night", key="night")
            assert {one.key for one in view.iter_memories()} == {"tea", "night"}
            assert view.recall("what does it drink?")[0].memory.content == f"{org} drinks tea"
            assert view.verify_audit().ok


@on_a_cluster
def test_a_worker_finds_what_is_due_in_any_organisation(url: str) -> None:
    with opened(url) as memory:
        for org in ORGS:
            memory.for_org(org).add_message("user", "the kettle is on", session="one")
        assert memory.flush(timeout=30)
        assert memory.stats().jobs.get("dead", 0) == 0


@on_a_cluster
def test_what_one_organisation_erases_is_gone_from_every_node_and_nothing_else_is(url: str) -> None:
    with opened(url) as memory:
        acme, birch = memory.for_org("acme"), memory.for_org("birch")
        for view in (acme, birch):
            view.remember("quokkas are marsupials of Rottnest", key="animal")
        acme.forget(key="animal", hard=True)
        memory.flush(timeout=30)
        assert birch.get(key="animal") is not None
        assert acme.get(key="animal") is None
        assert {one.key for one in acme.iter_memories()} >= {"tea", "night"}


@on_a_cluster
def test_row_level_security_holds_on_every_node(url: str) -> None:
    with psycopg.connect(url) as connection:
        connection.execute("SET LOCAL ROLE engrain_app")
        assert connection.execute("SELECT count(*) FROM engrain.memory").fetchone() == (0,)
        connection.execute("SET LOCAL citus.propagate_set_commands = 'local'")
        connection.execute("SET LOCAL engrain.org = 'acme'")
        assert connection.execute("SELECT DISTINCT org FROM engrain.memory").fetchall() == [("acme",)]
        assert connection.execute("SELECT count(*) FROM engrain.memory WHERE org = 'birch'").fetchone() == (0,)


@on_a_cluster
def test_vectors_that_are_many_are_searched_by_an_index_on_the_node_that_has_them() -> None:
    url = cluster.make()
    with closing(PostgresStore(url, indexed_from=FEW)) as store:
        units, question = fill(store, 3000), np.ones(8, np.float32)
        store.maintain()
        with store.read("default") as view:
            found = view.search_vector(EMBEDDER, question, EVERYTHING, limit=10)
    best = np.sort(units @ question)[::-1][:10] / np.linalg.norm(question)
    assert np.allclose(found.scores, best, atol=2e-3)
    assert index_scans(url) > 0


def index_scans(url: str) -> int:
    """Return how often indexes of vectors were searched on all nodes, as soon as those have counted it."""
    scans = 0
    for _ in range(100):
        for host, port in cluster.nodes():
            with psycopg.connect(url, host=host, port=port) as connection:
                connection.execute("SET citus.override_table_visibility = off")
                asked = "SELECT sum(idx_scan) FROM pg_stat_user_indexes WHERE indexrelname ~ '^vector_[0-9a-f]{32}'"
                scans += sum(count or 0 for (count,) in connection.execute(asked))
        if scans:
            break
        time.sleep(0.05)
    return scans


@on_a_cluster
@pytest.mark.sqlite("a path is a file where stores move between engines")
def test_a_store_moves_onto_a_cluster_and_back(tmp_path: Path) -> None:
    source, there, back = str(tmp_path / "source.db"), cluster.make(), str(tmp_path / "back.db")
    rich.fill(tmp_path / "source.db", seed=2)
    MemoryManager.migrate(source, there)
    assert contents(there) == contents(source)
    with opened(there) as memory:
        assert memory.remember("the kettle is on").status == "created"
        assert memory.verify_audit().ok
    MemoryManager.migrate(there, back)
    with opened(back) as memory:
        assert memory.recall("what is on?")[0].memory.content == "the kettle is on"


@on_a_cluster
@pytest.mark.slow
def test_serving_is_measured_over_one_node_after_the_other_and_leaves_nothing() -> None:
    found = SERVING.run(sizes=[16], seconds=0.3, store=cluster.COORDINATOR)
    rates = {row.what.partition(":")[0] for row in found.rows if row.what.endswith("in a second") and row.value}
    counts = ["1 node", *(f"{count} nodes" for count in range(2, len(cluster.nodes()) + 1))]
    assert rates == {f"{kind}, {count}" for kind in ("remember", "recall") for count in counts}
    for host, port in cluster.nodes():
        with psycopg.connect(cluster.COORDINATOR, host=host, port=port) as connection:
            assert not connection.execute("SELECT FROM pg_database WHERE datname ~ '^engrain_bench_'").fetchall()
