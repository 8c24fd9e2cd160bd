"""The relations of quoted memories come from the graph, within the scope of the view."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.model.results import Format
from engrain.synthesis.evidence import gathered, relationships_of
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import NOW


@pytest.fixture
def manager(tmp_path: Path):
    with MemoryManager(tmp_path / "memory.db", embedder=None) as opened:
        yield opened


def ties(view: MemoryManager, *memories) -> set[tuple[str, str, str]]:
    return {
        (each.source.name, each.relation, each.target.name)
        for each in relationships_of(view._view.graph(), memories)
        if each.relation != "related_to"
    }


def test_relations_are_those_of_the_given_memories(manager):
    view = manager.scoped(user="u")
    first = view.remember("APT28 uses Mimikatz against banks.", domain="cybersecurity").memory
    second = view.remember("APT28 uses Cobalt Strike in Poland.", domain="cybersecurity").memory
    assert ("APT28", "uses", "Mimikatz") in ties(view, first)
    assert ("APT28", "uses", "Cobalt Strike") not in ties(view, first)
    assert ties(view, first, second) > ties(view, first)
    assert relationships_of(view._view.graph(), []) == []


def test_evidence_names_the_given_memories_alone(manager):
    view = manager.scoped(user="u")
    first = view.remember("APT28 uses Mimikatz against banks.", domain="cybersecurity").memory
    view.remember("In May APT28 still uses Mimikatz, say two reports.", domain="cybersecurity")
    assert {memory for each in relationships_of(view._view.graph(), [first]) for memory in each.evidence} == {first.id}


def test_another_users_memory_has_no_relations(manager):
    theirs = manager.scoped(user="b").remember("APT28 uses Mimikatz.", domain="cybersecurity").memory
    assert relationships_of(manager.scoped(user="a")._view.graph(), [theirs]) == []


def test_a_map_of_what_is_remembered(manager):
    view = manager.scoped(user="u")
    memory = view.remember("APT28 uses Mimikatz against banks.", domain="cybersecurity").memory
    found = gathered(view.recall("What does APT28 use?", now=None), now=NOW, threshold=0.0)
    drawn = answer_by_rules(
        Format.RELATIONSHIP_MAP, found, relationships=relationships_of(view._view.graph(), [memory])
    )
    assert [(tie.source, tie.relation, tie.target, tie.quotes) for tie in drawn.relations] == [
        ("APT28", "uses", "Mimikatz", (0,))
    ]
    assert {"APT28", "Mimikatz"} <= set(drawn.entities)
