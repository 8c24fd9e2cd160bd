"""A graph written to a file is read back by other programs as it was, whatever its names are."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path

import networkx
import pytest

from engrain import MemoryManager
from engrain.errors import StoreUnavailable
from engrain.graph.files import graphml, node_link, write_graph
from engrain.model.entities import Entity
from tests.graph.graphs import ANA, BEAR, HOSTILE, LONELY, RELATIONSHIPS, hostile, wheel

FORMATS = ["graphml", "json", "dot", "mermaid"]


def test_graphml_is_read_back(tmp_path: Path) -> None:
    path = write_graph(tmp_path / "g.graphml", [LONELY], RELATIONSHIPS, format="graphml")
    graph = networkx.read_graphml(path)
    assert (graph.is_directed(), graph.is_multigraph()) == (True, True)
    nodes = {node["name"]: node for _, node in graph.nodes(data=True)}
    assert set(nodes) == {"APT28", "X-Agent", "Mimikatz", "Ana", "Tbilisi"}
    assert nodes["APT28"]["type"] == "intrusion_set"
    assert json.loads(nodes["APT28"]["aliases"]) == ["Fancy Bear", "Sofacy"]
    assert json.loads(nodes["APT28"]["metadata"]) == {"country": "RU", "seen": [2004, 2024]}
    assert "aliases" not in nodes["Tbilisi"]
    edges = {
        (graph.nodes[a]["name"], edge["relation"], graph.nodes[b]["name"]): edge
        for a, b, edge in graph.edges(data=True)
    }
    assert len(edges) == len(RELATIONSHIPS)
    uses = edges["APT28", "uses", "X-Agent"]
    assert (uses["weight"], uses["valid_from"]) == (1.0, "2020-01-01T00:00:00+00:00")
    assert json.loads(uses["evidence"]) == ["mem_1", "mem_2"]
    assert edges["Ana", "related_to", "APT28"]["weight"] == 0.2


def test_json_is_read_back(tmp_path: Path) -> None:
    path = Path(write_graph(tmp_path / "g.json", [LONELY], RELATIONSHIPS, format="json", centre=BEAR))
    found = json.loads(path.read_text(encoding="utf-8"))
    assert found["graph"] == {"centre": "n0"}
    assert found["nodes"][0] == {
        "id": "n0",
        "type": "intrusion_set",
        "name": "APT28",
        "aliases": ["Fancy Bear", "Sofacy"],
        "metadata": {"country": "RU", "seen": [2004, 2024]},
    }
    graph = networkx.node_link_graph(found, edges="edges")
    assert (graph.number_of_nodes(), graph.number_of_edges()) == (5, len(RELATIONSHIPS))
    assert {edge["relation"] for _, _, edge in graph.edges(data=True)} == {
        "uses",
        "develops",
        "attributed_to",
        "related_to",
    }


def test_hostile_names_make_valid_files(tmp_path: Path) -> None:
    relationships = hostile()
    graph = networkx.read_graphml(write_graph(tmp_path / "g.graphml", [], relationships, format="graphml"))
    assert graph.number_of_nodes() == graph.number_of_edges() == len(HOSTILE)
    names = {node["name"] for _, node in graph.nodes(data=True)}
    assert names == {re.sub("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]", "�", name) for name in HOSTILE}
    assert {
        "<script>alert('&\"')</script>]]>",
        "\u202egnp.exe\u2066",
        "two\nlines\tand\ra tab",
        "a�b�c�\x7f\x85",
    } <= names

    written = Path(write_graph(tmp_path / "g.json", [], relationships, format="json"))
    found = json.loads(written.read_bytes().decode("utf-8"))
    assert tuple(node["name"] for node in found["nodes"]) == HOSTILE


def test_a_relation_seen_from_both_ends_is_one() -> None:
    first = RELATIONSHIPS[0]
    seen = [*RELATIONSHIPS, replace(first, direction="in", evidence=())]
    assert node_link([], seen) == node_link([], RELATIONSHIPS)
    assert graphml([BEAR, BEAR, ANA], RELATIONSHIPS) == graphml([BEAR, ANA], RELATIONSHIPS)


def test_what_is_known_of_an_entity_is_taken_from_where_it_is_reported() -> None:
    bare = Entity(BEAR.type, BEAR.name)
    (node, *_) = json.loads(node_link([bare], RELATIONSHIPS))["nodes"]
    assert node["aliases"] == ["Fancy Bear", "Sofacy"]


@pytest.mark.parametrize("format", FORMATS)
def test_the_same_graph_makes_the_same_file(tmp_path: Path, format: str) -> None:
    once, again = (Path(write_graph(tmp_path / name, [LONELY], wheel(12), format=format)) for name in ("once", "again"))
    assert once.read_bytes() == again.read_bytes()


@pytest.mark.parametrize("format", FORMATS)
def test_an_empty_graph_makes_a_file(tmp_path: Path, format: str) -> None:
    assert Path(write_graph(tmp_path / "empty", [], [], format=format)).stat().st_size > 0


def test_a_file_is_never_overwritten(tmp_path: Path) -> None:
    target = tmp_path / "g.json"
    target.write_text("mine", encoding="utf-8")
    with pytest.raises(StoreUnavailable, match="exists already"):
        write_graph(target, [], RELATIONSHIPS, format="json")
    assert target.read_text(encoding="utf-8") == "mine"


def test_a_missing_folder_and_an_unknown_format_are_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist: create it first"):
        write_graph(tmp_path / "nowhere" / "g.json", [], [], format="json")
    with pytest.raises(ValueError, match="unknown format 'gif': use one of graphml, json, dot, mermaid"):
        write_graph(tmp_path / "g.gif", [], [], format="gif")
    with (
        MemoryManager(":memory:", embedder=None, llm="none") as memory,
        pytest.raises(ValueError, match="unknown format 'gif'"),
    ):
        memory.graph.export(tmp_path / "g.gif", format="gif", centre=("person", "Nobody"))  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []
