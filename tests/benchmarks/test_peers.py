"""The comparison with other systems measures Engrain alone where none of them is installed, and says so."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, version

import pytest

from benchmarks.adapters import Turn
from benchmarks.adapters.engrain_memory import Engrain
from benchmarks.peers import compare
from engrain.embeddings.static import builtin
from tests.benchmarks.conversations import lines, locomo

OTHERS = {"chroma": "chromadb", "langgraph-memory": "langgraph", "mem0": "mem0ai", "txtai": "txtai"}
TIMES = {"add_cpu_ms", "bulk_cpu_ms", "search_cpu_ms_p50", "search_cpu_ms_p95", "search_wall_ms_p50"}


@pytest.fixture
def chats(tmp_path):
    path = tmp_path / "chats.jsonl"
    path.write_text(lines(locomo()))
    return path


def missing():
    found = []
    for name, package in OTHERS.items():
        try:
            version(package)
        except PackageNotFoundError:
            found.append(name)
    return found


def test_engrain_is_measured_and_what_is_not_installed_is_a_row_that_says_so(chats):
    found = compare(chats, systems=["engrain", *missing()], size=40)
    first = found.systems["engrain"]
    assert "failed" not in first, first
    assert (first["file"]["memories"], first["file"]["questions"], first["large"]["memories"]) == (6, 3, 40)
    assert first["file"]["metrics"]["recall@10"][0] == 1.0
    assert set(first["file"]) & set(first["large"]) >= TIMES
    assert {"python", "numpy", "engrain"} <= set(found.to_dict()["machine"])
    assert {name: found.systems[name]["failed"] for name in missing()} == dict.fromkeys(missing(), "not installed")

    rows = [line for line in found.lines() if line.startswith("|")]
    assert rows[0].startswith("| system | memories | R@5 |")
    assert [row.split("|")[2].strip() for row in rows[2:4]] == ["6", "40"]
    assert ["not installed" in row for row in rows[4:]] == [True] * len(missing())
    assert {row.count("|") for row in rows} == {rows[0].count("|")}


def test_what_was_derived_from_turns_is_no_turn(tmp_path):
    system = Engrain(tmp_path, builtin())
    texts = {"t1": "Ana: I am Ana Lopez and I live in Turin.", "t2": "Ana: I moved to Oslo for my job at Kestrel."}
    system.add_many([Turn(turn, text, "Ana", "s1", None) for turn, text in texts.items()])
    system.complete()
    assert set(system.search("Where does Ana live?", 10)) == set(texts)
    system.close()


def test_an_impossible_measurement_is_refused_before_any_begins(chats):
    with pytest.raises(ValueError, match="size is at least 2"):
        compare(chats, size=1)
    chats.write_text('{"messages": []}')
    with pytest.raises(ValueError, match="line 1: not a conversation with questions"):
        compare(chats)
