"""What is remembered of threats goes out as a file that the standard's own library reads, and comes in equal."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
import stix2

import engrain
from engrain.errors import StoreUnavailable
from engrain.testing import FrozenClock
from tests.stix.bundles import AMBER, joined, technique, thing, written

HERON = thing("intrusion-set", "Grey Heron", aliases=["Wader"], description="A group.")
CRAB = thing("malware", "Mudcrab", object_marking_refs=[AMBER])
OLD = thing("tool", "Netmap", x_mitre_deprecated=True)
SHELL = technique("T9059.001", "Shellcraft")


@pytest.fixture
def path(tmp_path: Path, memory: engrain.MemoryManager) -> Path:
    """An export of a bundle, of memories beside it, and of facts stated by a caller."""
    values = [HERON, CRAB, OLD, SHELL, joined(HERON, "uses", CRAB), joined(CRAB, "uses", SHELL)]
    memory.graph.import_stix(written(tmp_path / "in.json", *values))
    memory.remember("Mudcrab exploits CVE-2024-12345 on mail servers.", domain="cti", metadata={"tlp": "red"})
    memory.remember("The cat sleeps in Oslo.")
    memory.graph.add_entity("actor", "Red Ibis", aliases=["Bent Bill"])
    memory.graph.add_relationship(("actor", "Red Ibis"), "uses", ("malware", "Mudcrab"))
    return Path(memory.graph.export_stix(tmp_path / "out.json"))


def test_an_export_is_stix(path: Path) -> None:
    found = json.loads(path.read_text(encoding="utf-8"))
    stix2.parse(found, allow_custom=True)
    for value in found["objects"]:
        stix2.parse(value, allow_custom=value["type"].startswith("x-"))


def test_it_holds_what_is_known_of_threats_and_nothing_else(path: Path) -> None:
    objects = json.loads(path.read_text(encoding="utf-8"))["objects"]
    names = {value.get("name") for value in objects}
    assert {"Grey Heron", "Mudcrab", "Netmap", "Shellcraft", "Red Ibis", "CVE-2024-12345"} <= names
    notes = [value for value in objects if value["type"] == "note"]
    assert [note["content"] for note in notes] == ["Mudcrab exploits CVE-2024-12345 on mail servers."]
    assert "cat" not in path.read_text(encoding="utf-8").casefold().split()
    ids = {value["id"] for value in objects}
    assert {CRAB["id"], HERON["id"]} <= ids
    assert all(value["source_ref"] in ids and value["target_ref"] in ids for value in objects if "source_ref" in value)


def test_it_comes_in_equal_in_another_store(path: Path, memory: engrain.MemoryManager, tmp_path: Path) -> None:
    with engrain.MemoryManager(tmp_path / "other.db", clock=FrozenClock("2026-01-05T12:00:00+00:00")) as other:
        done = other.graph.import_stix(path)
        assert dict(done.rejected) == {}
        ours = {each.content for each in memory.iter_memories() if each.domain == "cti"}
        assert ours <= {each.content for each in other.iter_memories()}
        for named in (("actor", "bent bill"), ("malware", "Mudcrab"), ("actor", "wader")):
            assert _around(other, *named) >= _around(memory, *named)


def _around(memory: engrain.MemoryManager, type_: str, name: str) -> set[tuple[str, str]]:
    return {(r.relation, r.entity.name) for r in memory.get_entity_relationships(type_, name) if r.weight >= 0.5}


def test_it_is_the_same_each_time_and_never_overwrites(
    path: Path, memory: engrain.MemoryManager, tmp_path: Path
) -> None:
    again = Path(memory.graph.export_stix(tmp_path / "again.json"))
    assert again.read_bytes() == path.read_bytes()
    with pytest.raises(StoreUnavailable, match="never overwrites"):
        memory.graph.export_stix(path)
    with pytest.raises(StoreUnavailable, match="does not exist"):
        memory.graph.export_stix(tmp_path / "nowhere" / "a.json")


def test_an_export_goes_back_where_it_came_from_without_a_change(path: Path, memory: engrain.MemoryManager) -> None:
    before = {each.id: each.version for each in memory.iter_memories()}
    done = memory.graph.import_stix(path)
    after = {each.id: each.version for each in memory.iter_memories()}
    assert dict(done.rejected) == {}
    assert before.items() <= after.items()


def test_what_an_objects_text_states_is_not_said_twice_but_what_somebody_stated_is(
    memory: engrain.MemoryManager, tmp_path: Path
) -> None:
    crab = thing("malware", "Mudcrab", description="Mudcrab exploits CVE-2024-12345.")
    memory.graph.import_stix(written(tmp_path / "in.json", crab, HERON))
    known = memory.get(key=crab["id"])
    assert known is not None
    memory.graph.add_relationship(("actor", "Grey Heron"), "uses", ("malware", "Mudcrab"), evidence=known.id)
    out = json.loads(Path(memory.graph.export_stix(tmp_path / "out.json")).read_text(encoding="utf-8"))
    joins = [value["relationship_type"] for value in out["objects"] if value["type"] == "relationship"]
    assert joins == ["uses"]


def test_a_missing_library_names_its_extra(
    memory: engrain.MemoryManager, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "stix2", None)
    with pytest.raises(engrain.ConfigError, match=r'pip install "engrain\[cti\]"'):
        memory.graph.export_stix(tmp_path / "out.json")
