"""The stand-alone graph: insertion order everywhere, both directions, and nothing shared with the caller."""

from __future__ import annotations

import pytest

from engrain import NotFound
from engrain.graph import SimpleGraphMemory


@pytest.fixture
def graph() -> SimpleGraphMemory:
    found = SimpleGraphMemory()
    found.add_relationship("alice", "works_on", "x")
    found.add_relationship("x", "owned_by", "bob")
    return found


def test_relationships_make_the_entities_that_are_missing(graph: SimpleGraphMemory) -> None:
    assert graph.entities == ["alice", "x", "bob"]
    assert graph.relationships == [("alice", "works_on", "x"), ("x", "owned_by", "bob")]


def test_related_entities_are_found_in_both_directions_without_the_start(graph: SimpleGraphMemory) -> None:
    assert graph.get_related_entities("alice", 1) == ["x"]
    assert graph.get_related_entities("alice", 2) == ["x", "bob"]
    assert graph.get_related_entities("alice") == ["x", "bob"]
    assert graph.get_related_entities("bob") == ["x", "alice"]
    assert graph.get_related_entities("alice", 0) == []
    assert graph.get_related_entities("alice", -1) == []


def test_related_entities_come_nearest_first_and_then_as_they_were_added() -> None:
    graph = SimpleGraphMemory()
    names = ["q", "w", "e", "r", "t", "y"]
    for name in names:
        graph.add_relationship("hub", "knows", name)
    graph.add_relationship("far", "knows", "y")
    graph.add_relationship("near", "knows", "hub")
    assert graph.get_related_entities("hub", 2) == [*names, "near", "far"]


def test_a_circle_and_an_entity_that_relates_to_itself_are_walked_once() -> None:
    graph = SimpleGraphMemory()
    for source, target in (("a", "b"), ("b", "c"), ("c", "a"), ("a", "a")):
        graph.add_relationship(source, "to", target)
    assert graph.get_related_entities("a", 10) == ["b", "c"]


def test_an_unknown_entity_has_nothing(graph: SimpleGraphMemory) -> None:
    assert graph.get_related_entities("nobody") == []
    assert graph.get_memory_ids_for_entity("nobody") == []
    assert graph.get_related_memory_ids("nobody") == []
    graph.remove_entity("nobody")
    assert len(graph.entities) == 3


def test_linking_to_an_unknown_entity_is_a_key_error(graph: SimpleGraphMemory) -> None:
    with pytest.raises(NotFound, match="no entity 'nobody' in this scope"):
        graph.link_memory("nobody", "m1")
    with pytest.raises(KeyError):
        graph.get_entity_metadata("nobody")


def test_links_are_kept_as_often_as_made_and_gathered_once(graph: SimpleGraphMemory) -> None:
    for entity, memory in (("alice", "m1"), ("alice", "m1"), ("x", "m2"), ("x", "m1"), ("bob", "m3")):
        graph.link_memory(entity, memory)
    assert graph.get_memory_ids_for_entity("alice") == ["m1", "m1"]
    assert graph.get_related_memory_ids("alice", 1) == ["m1", "m2"]
    assert graph.get_related_memory_ids("alice") == ["m1", "m2", "m3"]
    assert graph.get_related_memory_ids("alice", 0) == ["m1"]


def test_metadata_is_merged_and_copied(graph: SimpleGraphMemory) -> None:
    given = {"role": "lead"}
    graph.add_entity("alice", given)
    graph.add_entity("alice", {"team": "red"})
    given["role"] = graph.get_entity_metadata("alice")["role"] = "changed"
    assert graph.get_entity_metadata("alice") == {"role": "lead", "team": "red"}
    graph.add_entity("alice")
    assert graph.get_entity_metadata("alice") == {"role": "lead", "team": "red"}


def test_the_same_relationship_twice_is_there_twice(graph: SimpleGraphMemory) -> None:
    graph.add_relationship("alice", "works_on", "x")
    assert graph.relationships.count(("alice", "works_on", "x")) == 2
    assert graph.get_related_entities("alice", 1) == ["x"]


def test_a_removed_entity_takes_its_relationships_and_links_along(graph: SimpleGraphMemory) -> None:
    graph.link_memory("x", "m1")
    graph.remove_entity("x")
    assert graph.entities == ["alice", "bob"]
    assert graph.relationships == []
    assert graph.get_related_entities("alice") == []
    graph.add_entity("x")
    assert graph.get_memory_ids_for_entity("x") == []
    assert graph.get_related_entities("x") == []


def test_lists_that_are_handed_out_are_copies(graph: SimpleGraphMemory) -> None:
    graph.entities.append("eve")
    graph.relationships.clear()
    graph.get_memory_ids_for_entity("alice").append("m9")
    assert "eve" not in graph.entities
    assert len(graph.relationships) == 2
    assert graph.get_memory_ids_for_entity("alice") == []


def test_clear_leaves_nothing(graph: SimpleGraphMemory) -> None:
    graph.link_memory("x", "m1")
    graph.clear()
    assert (graph.entities, graph.relationships) == ([], [])
    assert graph.get_related_memory_ids("x") == []
