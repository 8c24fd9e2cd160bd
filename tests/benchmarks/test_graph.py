"""A run over a made-up graph measures filling and walking beside bare SQL, and leaves nothing behind."""

from __future__ import annotations

import json

import pytest

from benchmarks.corpus import Network
from benchmarks.graph import GRAPH
from benchmarks.stores import BareGraph, FileStores

SIZE = 1_000


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    folder, seen = tmp_path_factory.mktemp("bench"), []
    found = GRAPH.run(sizes=[SIZE], store_dir=folder, progress=lambda *step: seen.append(step))
    return found, seen, list(folder.iterdir())


def figures(found):
    return {row.what: row for row in found.rows}


@pytest.mark.slow
@pytest.mark.sqlite("a file beside a bare one; tests/postgres/test_benchmarks.py is about servers")
def test_walks_are_compared_with_bare_sql_and_report_how_far_they_reach(measured):
    rows = figures(measured[0])
    for who in ("an average entity", "a hub"):
        for steps in (2, 3):
            row = rows[f"traverse_graph, {steps} steps from {who}"]
            assert row.limit == "two bare indexed SELECTs a level"
            assert row.limit_ms > 0
            assert 0 < row.cpu_ms <= row.cpu95_ms
            assert rows[f"{row.what}: entities reached"].value > 5
        assert rows[f"related, 2 steps, of {who}: entities reached"].value > 5
    assert rows["add_relationships, 1,000 a transaction: each"].ratio > 0
    assert rows["file, for each relation"].value > rows["bare table and its indexes, for each relation"].value > 0


@pytest.mark.slow
def test_a_recall_is_compared_with_one_without_the_graph(measured):
    for what in ("that names nobody", "that names an entity"):
        row = figures(measured[0])[f"recall k=10 among 1,000 turns, {what}"]
        assert (row.limit, row.size) == ("without the graph", 1_000)


@pytest.mark.slow
def test_every_step_is_reported_and_nothing_is_left(measured):
    found, seen, left = measured
    assert [done for done, _, _ in seen] == list(range(1, len(seen) + 1))
    assert {total for _, total, _ in seen} == {len(seen)}
    assert left == []
    assert "a made-up graph" in found.table()
    assert json.loads(json.dumps(found.to_dict()))["sizes"] == [SIZE]


def test_sizes_that_make_no_graph_are_refused():
    for sizes in ([], [10]):
        with pytest.raises(ValueError, match="at least 1,000"):
            GRAPH.run(sizes=sizes)


def test_a_network_is_the_same_for_the_same_seed_and_has_hubs():
    one, other = Network(SIZE, 100, 3), Network(SIZE, 100, 3)
    relations = list(one.relations())
    assert relations == list(other.relations()) != list(Network(SIZE, 100, 4).relations())
    assert all(source != target for source, _, target in relations)
    assert one.degrees.sum() == 2 * SIZE
    assert one.degrees[one.hubs[0]] > 3 * one.degrees.mean() > one.degrees[one.hubs[-1]]
    assert all(abs(one.degrees[number] - 20) <= 2 for number in one.average)


def test_the_bare_walk_counts_what_is_reachable(tmp_path):
    bare = BareGraph(FileStores(tmp_path))
    bare.insert([(1, "uses", 2), (3, "uses", 2), (3, "uses", 4), (5, "uses", 6)])
    assert [bare.count_reachable(1, steps) for steps in (1, 2, 3, 4)] == [1, 2, 3, 3]
    bare.close()
