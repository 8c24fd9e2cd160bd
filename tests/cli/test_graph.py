"""`engrain graph`: every command for people and as JSON, on a store that was written to."""

from __future__ import annotations

import json
from pathlib import Path

import networkx
import pytest

from engrain.model.memory import Memory
from tests.cli.conftest import Ran, Run


@pytest.fixture
def seeded(run: Run) -> Run:
    """A store in which three memories are about an actor, two tools and a vulnerability."""
    run("graph", "add", "actor", "FIN7")
    run("remember", "APT28 uses X-Agent and Mimikatz.", "--domain", "cti")
    run("remember", "Fancy Bear exploits CVE-2021-44228.", "--domain", "cti")
    run("remember", "FIN7 uses Mimikatz.", "--domain", "cti")
    return run


def refused(ran: Ran, *words: str, code: int = 1) -> None:
    assert (ran.code, ran.out) == (code, "")
    assert [word for word in words if word not in ran.err] == []


def test_entities(seeded: Run) -> None:
    listed = seeded("graph", "entities").out.splitlines()
    assert listed[0].split() == ["type", "name", "memories", "also"]
    (bear,) = [line for line in listed if "APT28" in line]
    assert bear.split()[:3] == ["intrusion_set", "APT28", "2"]
    assert "Fancy Bear" in bear

    found = seeded("graph", "entities", "--type", "cve", "--json").document
    assert set(found) == {"entities", "next"}
    (entity,) = found["entities"]
    assert set(entity) == {"type", "name", "aliases", "metadata", "memories"}
    assert (entity["name"], entity["memories"]) == ("CVE-2021-44228", 1)


def test_entities_come_in_pages(seeded: Run) -> None:
    first = seeded("graph", "entities", "--limit", 2, "--json").document
    rest = seeded("graph", "entities", "--cursor", first["next"], "--json").document
    names = [each["name"] for each in first["entities"] + rest["entities"]]
    assert len(names) == len(set(names)) == 5
    assert f"more: --cursor {first['next']}" in seeded("graph", "entities", "--limit", 2).out


def test_show_is_a_tree_by_any_name(seeded: Run) -> None:
    shown = seeded("graph", "show", "actor", "fancy-bear").out.splitlines()
    assert shown[0] == "APT28  intrusion_set · 2 memories"
    assert shown[1].startswith("├── also ")
    assert "├── uses →" in shown
    assert any("Mimikatz  tool" in line for line in shown)
    assert not any("FIN7" in line for line in shown)


def test_show_goes_further(seeded: Run) -> None:
    (line,) = [
        line for line in seeded("graph", "show", "actor", "APT28", "--depth", 2).out.splitlines() if "FIN7" in line
    ]
    assert line.endswith("└── ← uses FIN7  intrusion_set")


def test_show_as_json(seeded: Run) -> None:
    found = seeded("graph", "show", "actor", "Sofacy", "--depth", 2, "--json").document
    assert set(found) == {"entity", "relationships", "reached", "memories", "exported"}
    assert found["entity"]["name"] == "APT28"
    assert set(found["relationships"][0]) == {
        "source",
        "relation",
        "target",
        "direction",
        "weight",
        "evidence",
        "valid_from",
        "valid_until",
        "source_type",
    }
    far = next(each for each in found["reached"] if each["entity"]["name"] == "FIN7")
    assert far["depth"] == 2
    assert [set(step) for step in far["path"]] == [{"relation", "direction", "entity"}] * 2
    assert len(found["memories"]) == 2


def test_show_exports(seeded: Run, tmp_path: Path) -> None:
    near, far = tmp_path / "near.mmd", tmp_path / "far.dot"
    found = seeded("graph", "show", "actor", "APT28", "--export", near, "--json").document
    assert found["exported"] == str(near)
    assert "Mimikatz" in near.read_text(encoding="utf-8")
    assert "FIN7" not in near.read_text(encoding="utf-8")
    refused(seeded("graph", "show", "actor", "APT28", "--export", near), "exists already")
    shown = seeded("graph", "show", "actor", "APT28", "--depth", "2", "--export", far).out
    assert shown.endswith(f"exported  {far}\n")
    assert "FIN7" in far.read_text(encoding="utf-8")


def test_show_of_nobody_is_an_error(seeded: Run) -> None:
    refused(seeded("graph", "show", "person", "Nobody", "--json"), "no entity 'person Nobody'")


def test_path(seeded: Run) -> None:
    steps = seeded("graph", "path", "actor", "FIN7", "cve", "cve-2021-44228").out.splitlines()
    assert [step.partition(" · ")[0] for step in steps] == [
        "FIN7 -uses-> Mimikatz",
        "Mimikatz <-uses- APT28",
        "APT28 -exploits-> CVE-2021-44228",
    ]
    found = seeded("graph", "path", "actor", "FIN7", "cve", "CVE-2021-44228", "--json").document
    assert [each["direction"] for each in found["relationships"]] == ["out", "in", "out"]
    assert seeded("graph", "path", "actor", "FIN7", "person", "Nobody").out == "no path found\n"


def test_related_memories_and_relationships(seeded: Run) -> None:
    assert "FIN7  intrusion_set" in seeded("graph", "related", "actor", "APT28").out.splitlines()
    names = [each["name"] for each in seeded("graph", "related", "actor", "APT28", "--json").document["entities"]]
    assert "FIN7" in names
    ids = seeded("graph", "memories", "tool", "mimikatz").out.split()
    assert seeded("graph", "memories", "tool", "mimikatz", "--json").document == {"memories": ids}
    assert len(seeded("graph", "memories", "tool", "mimikatz", "--max-depth", 1).out.split()) == 3
    assert "FIN7 -uses-> Mimikatz" in seeded("graph", "relationships").out
    assert set(seeded("graph", "relationships", "--limit", 1, "--json").document) == {"relationships", "next"}


@pytest.mark.parametrize("format", ["graphml", "json", "dot", "mermaid"])
def test_export(seeded: Run, tmp_path: Path, format: str) -> None:
    path = tmp_path / f"g.{format}"
    assert seeded("graph", "export", path, "--format", format, "--json").document == {"path": str(path)}
    assert path.stat().st_size > 0
    refused(seeded("graph", "export", path, "--format", format), "exists already")


def test_an_export_is_read_by_other_programs(seeded: Run, tmp_path: Path) -> None:
    seeded("graph", "export", tmp_path / "g.graphml")
    graph = networkx.read_graphml(tmp_path / "g.graphml")
    assert "APT28" in {node["name"] for _, node in graph.nodes(data=True)}


def test_entities_are_added_named_related_and_removed(run: Run) -> None:
    added = run("graph", "add", "person", "Ana", "--alias", "Annie", "--metadata", '{"team": "red"}', "--json").document
    assert added == {"type": "person", "name": "Ana", "aliases": ["Annie"], "metadata": {"team": "red"}}
    assert run("graph", "alias", "person", "annie", "Anka").out == "Ana  person\nalso Anka\n"
    assert (
        run("graph", "relate", "person", "Anka", "knows", "person", "Bo", "--weight", 0.5).out
        == "Ana -knows-> Bo · 0.50\n"
    )
    related = run("graph", "relate", "person", "Ana", "Uses", "tool", "Lamp", "--json").document
    assert (related["source"]["name"], related["relation"], related["target"]["name"]) == ("Ana", "uses", "Lamp")
    refused(run("graph", "remove", "person", "Bo"), "asks first", code=2)
    assert run("graph", "remove", "person", "Bo", "--yes", "--json").document == {"removed": True}
    assert run("graph", "remove", "person", "Bo", "--json").document == {"removed": False}
    assert "knows" not in run("graph", "show", "person", "Ana").out


def test_many_relations_are_stated(run: Run) -> None:
    items = [{"source": ["tool", "a"], "relation": "uses", "target": ["tool", name]} for name in "bc"]
    assert run("graph", "relate-many", *map(json.dumps, items)).out.split() == ["stated", "2"]
    assert run("graph", "relate-many", json.dumps(items[0]), "--json").document == {"stated": 0}
    refused(run("graph", "relate-many", '{"source": ["tool", "a"]}'), "item 0 lacks relation")


def test_aliases_come_from_a_file(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "names.toml"
    file.write_text('[person]\nAna = ["Annie", "Anka"]\n', encoding="utf-8")
    assert run("graph", "alias", "--file", file, "--json").document == {"aliases": 2}
    assert run("graph", "show", "person", "anka").out.startswith("Ana  person")
    refused(run("graph", "alias", "person", "Ana"), "TYPE VALUE ALIAS", code=2)
    refused(run("graph", "alias"), "TYPE VALUE ALIAS", code=2)
    refused(run("graph", "alias", "person", "Ana", "A", "--file", file), "not both", code=2)


def test_a_memory_is_linked(run: Run) -> None:
    memory_id = run("remember", "It leaks", "--json").document["id"]
    run("graph", "add", "tool", "Kettle")
    assert run("graph", "link", "tool", "kettle", memory_id, "--json").document == {"linked": True}
    assert run("graph", "memories", "tool", "Kettle").out.split() == [memory_id]
    refused(run("graph", "link", "tool", "Kettle", "mem_unknown"), "no memory")


def test_merges_are_made_listed_and_taken_back(run: Run) -> None:
    for name in ("Ana Smith", "A. Smith"):
        run("graph", "add", "person", name)
    assert (
        "A. Smith (person) is Ana Smith (person)"
        in run("graph", "merge", "person", "Ana Smith", "person", "A. Smith").out
    )
    (merge,) = run("graph", "merges", "--json").document["merges"]
    assert set(merge) == {"id", "keep", "other", "state", "reason", "at"}
    assert merge["id"] in run("graph", "merges").out
    assert run("graph", "unmerge", merge["id"], "--json").document == {"unmerged": True}
    assert run("graph", "merges").out.startswith("undone")


def test_memories_about_an_entity(seeded: Run) -> None:
    found = seeded("recall-entity", "actor", "fancy bear", "--json").document
    assert [Memory.from_dict(each).content for each in found["memories"]] == [
        "Fancy Bear exploits CVE-2021-44228.",
        "APT28 uses X-Agent and Mimikatz.",
    ]
    assert "FIN7 uses Mimikatz." in seeded("recall-entity", "tool", "Mimikatz", "-k", 1).out
    assert seeded("recall-entity", "tool", "Nothing").out == "no memories\n"


def test_whose_graph_can_be_said_anywhere(run: Run) -> None:
    run("--user", "ana", "graph", "add", "person", "Bo")
    for words in (["--user", "ana", "graph", "entities"], ["graph", "--user", "ana", "entities"]):
        assert "Bo" in run(*words).out
    assert "Bo" in run("--user", "kim", "graph", "entities", "--user", "ana").out
    assert run("graph", "entities", "--user", "kim").out == "no entities\n"


def test_the_group_says_what_it_has(run: Run) -> None:
    assert run("graph").out == run("graph", "--help").out
    assert "engrain graph --help" in run("graph", "paint").err


# ------------------------------------------------------------------------------------------------------ bundles of STIX


def _stix(type_: str, number: int, **more: object) -> dict[str, object]:
    at = "2020-01-01T00:00:00Z"
    id_ = f"{type_}--11111111-1111-4111-8111-{number:012}"
    return {"type": type_, "spec_version": "2.1", "id": id_, "created": at, "modified": at, **more}


@pytest.fixture
def bundle(tmp_path: Path) -> Path:
    heron = _stix("intrusion-set", 1, name="Grey Heron", aliases=["GREYHERON"])
    lantern = _stix("tool", 2, name="Lantern", tool_types=["remote-access"])
    ends = {"relationship_type": "uses", "source_ref": heron["id"], "target_ref": lantern["id"]}
    objects = [heron, lantern, _stix("relationship", 3, **ends)]
    path = tmp_path / "bundle.json"
    seeded = {"type": "bundle", "id": "bundle--11111111-1111-4111-8111-111111111111", "objects": objects}
    path.write_text(json.dumps(seeded), encoding="utf-8")
    return path


def test_a_bundle_is_imported_once(run: Run, bundle: Path) -> None:
    assert run("import-stix", bundle).out.startswith("entities 2 · aliases 1 · relationships 1 · memories 3 ·")
    found = run("import-stix", bundle, "--json").document
    assert (found["memories"], found["known"], found["rejected"]) == (0, 3, {})
    assert "Lantern  tool" in run("graph", "show", "intrusion_set", "greyheron").out


def test_what_a_bundle_holds_that_cannot_be_taken_is_named(run: Run, bundle: Path) -> None:
    seeded = json.loads(bundle.read_text(encoding="utf-8"))
    seeded["objects"] += [{"type": "tool", "id": "nonsense"}, *(_stix("marking-definition", n) for n in range(5, 7))]
    bundle.write_text(json.dumps(seeded), encoding="utf-8")
    ran = run("import-stix", bundle)
    assert "skipped 2: " in ran.out
    assert "refused  nonsense: " in ran.out
    assert (ran.code, "1 object refused" in ran.err) == (1, True)
    assert set(json.loads(run("import-stix", bundle, "--json").out)["rejected"]) == {"nonsense"}


def test_a_bundle_is_exported(run: Run, bundle: Path, tmp_path: Path) -> None:
    run("import-stix", bundle)
    path = tmp_path / "out.json"
    assert run("export-stix", path, "--json").document == {"path": str(path)}
    names = {each.get("name") for each in json.loads(path.read_text(encoding="utf-8"))["objects"]}
    assert {"Grey Heron", "Lantern"} <= names
    refused(run("export-stix", path), "exists already")


def test_a_walk_from_an_entity_that_is_not_there_says_so(run: Run) -> None:
    ended = run("graph", "traverse", "actor", "nobody")
    assert (ended.code, ended.out) == (1, "")
    assert "no entity" in ended.err
    run("graph", "add", "actor", "APT28")
    assert run("graph", "traverse", "actor", "APT28").code == 0


def test_where_nothing_was_merged_it_says_what_that_needs(run: Run) -> None:
    assert "an embedder that reads sentences" in run("graph", "resolve").out
