"""An export carries what was stated of the graph by hand, and an import puts it back where it belongs."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from engrain import MemoryManager
from engrain.config import Settings
from engrain.opening import open_store
from engrain.storage.rows import MergeRow
from engrain.testing import FrozenClock
from tests.rows import url_of


@pytest.fixture
def source(memory: MemoryManager, clock: FrozenClock) -> MemoryManager:
    """A memory with a graph that two users and an agent have worked on."""
    ana, scout, ben = memory.scoped(user="ana"), memory.scoped(user="ana", agent="scout"), memory.scoped(user="ben")
    met = ana.remember("Rita Okafor met the people of Lumen Labs").id
    ana.graph.add_entity("person", "Rita Okafor", aliases=["Rita O"], metadata={"age": 41})
    ana.graph.add_relationship(("person", "Rita Okafor"), "advises", ("organization", "Lumen Labs"), evidence=met)
    ana.graph.add_relationship(
        ("person", "Rita Okafor"),
        "owns",
        ("asset", "Boat"),
        weight=0.5,
        valid_from="2020-01-01",
        valid_until="2021-01-01",
    )
    ana.graph.link_memory("asset", "Boat", met)
    ana.graph.add_entity("person", "R. Okafor-Smith")
    undone = ana.graph.merge(("person", "Rita Okafor"), ("person", "R. Okafor-Smith"))
    clock.advance(timedelta(minutes=1))
    ana.graph.unmerge(undone.id)
    ana.graph.add_entity("organization", "Lumen GmbH")
    ana.graph.merge(("organization", "Lumen Labs"), ("organization", "Lumen GmbH"))
    clock.advance(timedelta(minutes=1))
    ana.graph.add_relationship(("person", "Rita Okafor"), "owns", ("asset", "Boat"), weight=0.9)
    scout.graph.add_entity("person", "Rita Okafor", metadata={"mood": "private"})
    scout.graph.add_alias("asset", "Boat", "The Secret Boat")
    ben.graph.add_entity("place", "Nowhere", metadata={"ben": True})
    memory.graph.add_entity("tool", "Wrench")
    return memory


@pytest.fixture
def target(tmp_path: Path, clock: FrozenClock) -> Iterator[MemoryManager]:
    """Another memory, empty."""
    with MemoryManager(tmp_path / "target.db", clock=clock) as manager:
        yield manager


def shown(view: MemoryManager, **when: Any) -> dict[str, Any]:
    """Return what a view sees of its graph, whatever the order in which it was made."""
    graph = view.graph
    relations = list(graph.relationships(**when))
    return {
        "entities": {(e.type, e.name, frozenset(e.aliases), json.dumps(e.metadata)) for e in graph.entities()},
        "relations": {
            (r.source.name, r.relation, r.target.name, r.weight, r.evidence, r.valid_from, r.valid_until)
            for r in relations
        },
        "merges": {(m.id, m.keep.name, m.other.name, m.state, m.reason, m.at) for m in graph.merges()},
        "memories": {(e.type, e.name): graph.memory_ids(e.type, e.name) for e in graph.entities()},
    }


VIEWS: tuple[dict[str, str], ...] = (
    {},
    {"user": "ana"},
    {"user": "ana", "agent": "scout"},
    {"user": "ana", "agent": "other"},
    {"user": "ben"},
)


def test_a_round_trip_is_equal(
    source: MemoryManager, target: MemoryManager, tmp_path: Path, clock: FrozenClock
) -> None:
    source.export(tmp_path / "all.jsonl")
    assert not target.import_(tmp_path / "all.jsonl", trust="system").rejected
    earlier = clock.now() - timedelta(seconds=30)
    for view in VIEWS:
        for when in ({}, {"as_of": "2020-06-01"}, {"known_at": earlier}):
            assert shown(target.scoped(**view), **when) == shown(source.scoped(**view), **when)


def test_importing_again_adds_nothing(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    first = target.import_(tmp_path / "all.jsonl", trust="system")
    before = shown(target)
    again = target.import_(tmp_path / "all.jsonl", trust="system")
    assert (again.created, again.known, again.skipped, again.rejected) == (0, first.created + first.known, {}, {})
    assert shown(target) == before


def test_a_merge_that_came_along_can_be_undone(source: MemoryManager, target: MemoryManager, tmp_path: Path) -> None:
    source.export(tmp_path / "all.jsonl")
    target.import_(tmp_path / "all.jsonl", trust="system")
    graph = target.scoped(user="ana").graph
    (merge,) = [each for each in graph.merges() if each.state == "merged"]
    assert graph.unmerge(merge.id)
    lumen = graph.entity("organization", "Lumen GmbH")
    assert lumen is not None
    assert (lumen.name, lumen.aliases) == ("Lumen GmbH", ())


def test_a_view_exports_its_own_alone(source: MemoryManager, tmp_path: Path) -> None:
    source.scoped(user="ben").export(tmp_path / "ben.jsonl")
    text = (tmp_path / "ben.jsonl").read_text(encoding="utf-8")
    assert "Nowhere" in text
    assert not any(word in text for word in ("Rita", "Boat", "Wrench", "Lumen"))
    source.scoped(user="ana", agent="other").export(tmp_path / "other.jsonl")
    text = (tmp_path / "other.jsonl").read_text(encoding="utf-8")
    assert "Rita O" in text
    assert "private" not in text
    assert "Secret" not in text


ROW: dict[str, Any] = {"type": "entity", "user": "ana", "agent": None, "entity": ["person", "Zed"], "metadata": {}}
RELATION: dict[str, Any] = {
    "type": "relation",
    "user": "ana",
    "agent": None,
    "source": ["person", "Zed"],
    "relation": "knows",
    "target": ["person", "Ana"],
    "memory_id": None,
    "origin": "stated",
    "weight": 1.0,
    "valid_from": None,
    "valid_until": None,
    "recorded_at": "2026-01-01T00:00:00+00:00",
    "believed_until": None,
}
MERGE: dict[str, Any] = {
    "type": "merge",
    "user": "ana",
    "agent": None,
    "id": "mrg_1",
    "keep": ["person", "Zed"],
    "other": ["person", "Ana"],
    "memory_id": None,
    "state": "merged",
    "reason": "",
    "at": "2026-01-01T00:00:00+00:00",
}
BAD: tuple[dict[str, Any], ...] = (
    ROW | {"entity": "Zed"},
    ROW | {"entity": ["person", "Zed", "more"]},
    ROW | {"entity": ["person", "..."]},
    ROW | {"entity": ["person", "x" * 2049]},
    ROW | {"entity": ["", "Zed"]},
    ROW | {"user": ""},
    ROW | {"user": 3},
    ROW | {"agent": " "},
    ROW | {"metadata": []},
    ROW | {"metadata": {"x": "y" * 70_000}},
    ROW | {"type": "mention", "memory_id": "mem_unknown", "origin": "stated", "pairs": True},
    ROW | {"type": "mention", "memory_id": None, "origin": "stated", "pairs": True},
    ROW | {"type": "mention", "origin": "text", "pairs": True},
    ROW | {"type": "alias"},
    RELATION | {"weight": 2},
    RELATION | {"weight": None},
    RELATION | {"relation": "--"},
    RELATION | {"target": ["person", "zed"]},
    RELATION | {"origin": "text"},
    RELATION | {"recorded_at": None},
    RELATION | {"recorded_at": "2026-01-01T00:00:00"},
    RELATION | {"valid_from": "2026-01-01T00:00:00+00:00", "valid_until": "2025-01-01T00:00:00+00:00"},
    RELATION | {"memory_id": "mem_unknown"},
    RELATION | {"memory_id": ["mem_unknown"]},
    MERGE | {"id": "mem_1"},
    MERGE | {"id": "mrg_../x"},
    MERGE | {"state": "proposed"},
    MERGE | {"at": None},
    MERGE | {"other": ["person", "ZED"]},
    MERGE | {"reason": 3},
)


def written(path: Path, *rows: dict[str, Any]) -> Path:
    """Write an export by hand."""
    header = {"type": "header", "format": "engrain-export", "version": 1}
    path.write_text("\n".join(json.dumps(row) for row in (header, *rows)), encoding="utf-8")
    return path


def test_a_row_that_is_wrong_is_refused_and_stops_no_other(target: MemoryManager, tmp_path: Path) -> None:
    result = target.import_(written(tmp_path / "bad.jsonl", *BAD, ROW | {"entity": ["person", "Good"]}))
    assert (sorted(result.rejected), result.created) == ([*range(2, len(BAD) + 2)], 1)
    assert [entity.name for entity in target.graph.entities()] == ["Good"]
    assert not list(target.graph.relationships())
    assert not target.graph.merges()


def test_nobodys_memory_becomes_evidence_of_anothers_graph(memory: MemoryManager, tmp_path: Path) -> None:
    theirs = memory.scoped(user="ben").remember("nothing of note").id
    mention = ROW | {"type": "mention", "memory_id": theirs, "origin": "stated", "pairs": True}
    result = memory.import_(written(tmp_path / "bad.jsonl", mention, RELATION | {"memory_id": theirs}))
    assert list(result.rejected) == [2, 3]
    assert not list(memory.graph.entities())


def test_another_orgs_merge_is_never_overwritten(memory: MemoryManager, tmp_path: Path) -> None:
    rows = [ROW, ROW | {"entity": ["person", "Ana"]}]
    memory.import_(written(tmp_path / "a.jsonl", *rows, MERGE))
    before = memory.graph.merges()
    other = memory.for_org("other")
    result = other.import_(written(tmp_path / "b.jsonl", *rows, MERGE | {"state": "undone", "reason": "another's"}))
    own = [] if url_of(tmp_path / "memory.db") is None else ["mrg_1"]  # an id is one of a file, or of an org
    assert (len(result.skipped), [merge.id for merge in other.graph.merges()]) == (1 - len(own), own)
    assert [(merge.id, merge.state) for merge in before] == [("mrg_1", "merged")]
    assert memory.graph.merges() == before


def test_an_existing_entity_is_not_replaced(memory: MemoryManager, tmp_path: Path) -> None:
    graph = memory.scoped(user="ana").graph
    graph.add_entity("person", "Zed", metadata={"age": 3})
    graph.add_relationship(("person", "Zed"), "knows", ("person", "Ana"), weight=0.25)
    rows = ROW | {"metadata": {"age": 9, "eyes": "blue"}}, RELATION
    assert memory.import_(written(tmp_path / "a.jsonl", *rows)).skipped.keys() == {3}
    zed = graph.entity("person", "Zed")
    assert zed is not None
    assert zed.metadata == {"age": 3, "eyes": "blue"}
    assert [each.weight for each in graph.relationships()] == [0.25]


def test_a_merge_that_was_refused_is_not_proposed_again(
    memory: MemoryManager, target: MemoryManager, tmp_path: Path
) -> None:
    memory.remember("APT98 is also known as FIN98", domain="cti")
    (proposed,) = stored(tmp_path / "memory.db")
    ends = {"keep": ["intrusion_set", "APT98"], "other": ["intrusion_set", "FIN98"]}
    assert proposed.state == "proposed"
    memory.export(tmp_path / "all.jsonl")
    assert "proposed" not in (tmp_path / "all.jsonl").read_text(encoding="utf-8")  # the text says so again
    with (tmp_path / "all.jsonl").open("a", encoding="utf-8") as file:
        file.write("\n" + json.dumps(MERGE | ends | {"user": None, "state": "rejected"}))
    target.import_(tmp_path / "all.jsonl")
    assert [row.state for row in stored(tmp_path / "target.db")] == ["rejected"]


def stored(path: Path) -> list[MergeRow]:
    """Return the merges that a store holds."""
    store = open_store(path, Settings(durability="normal"))
    with store.read() as reader:
        found = reader.find(MergeRow, order="at")
    store.close()
    return found
