"""Nothing of another user's, nor of another agent's own memories, shows in any read of the graph."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from engrain import MemoryManager, NotFound
from engrain.model.entities import Entity

SECRET = ("tool", "Nightlatch")
KNOWN = ("tool", "Doorstop")

READS: tuple[Callable[[MemoryManager], Any], ...] = (
    lambda m: [e for e in m.graph.entities() if e.name == SECRET[1]],
    lambda m: m.graph.entity(*SECRET),
    lambda m: list(m.graph.relationships()),
    lambda m: m.graph.memory_ids(*SECRET),
    lambda m: m.graph.memory_ids(*SECRET, max_depth=2),
    lambda m: m.graph.related(*SECRET),
    lambda m: [e for e in m.graph.related(*KNOWN) if e.name == SECRET[1]],
    lambda m: m.graph.shortest_path(SECRET, KNOWN),
    lambda m: m.graph.shortest_path(KNOWN, SECRET),
    lambda m: m.graph.pagerank([SECRET]),
    lambda m: [e for e, _ in m.graph.pagerank([KNOWN]) if e.name == SECRET[1]],
    lambda m: m.graph.merges(),
    lambda m: m.recall_entity(*SECRET),
    lambda m: m.recall_tool(SECRET[1]),
    lambda m: m.get_entity_relationships(*SECRET),
    lambda m: [r for r in m.get_entity_relationships(*KNOWN) if SECRET[1] in (r.source.name, r.target.name)],
    lambda m: m.traverse_graph(*SECRET),
    lambda m: [r for r in m.traverse_graph(*KNOWN) if r.entity.name == SECRET[1]],
    lambda m: [hit for hit in m.recall("What is Nightlatch?") if SECRET[1] in hit.memory.content],
)


def keep_secrets(view: MemoryManager) -> str:
    """Add memories and statements of one scope about an entity unknown to all others."""
    stored = view.remember("Nightlatch opened what Doorstop held").id
    view.graph.add_entity(*SECRET, aliases=["The Latch"], metadata={"who": "me"})
    view.graph.add_relationship(SECRET, "related_to", KNOWN, evidence=stored)
    view.graph.add_relationship(SECRET, "uses", KNOWN)
    view.graph.add_entity("tool", "Nightlatch II")
    view.graph.merge(SECRET, ("tool", "Nightlatch II"))
    return stored


@pytest.mark.parametrize(
    ("owner", "viewer"),
    [
        ({"user": "ana"}, {"user": "ben"}),
        ({"user": "ana", "agent": "scout"}, {"user": "ana", "agent": "coach"}),
        ({"agent": "scout"}, {"agent": "coach"}),
    ],
    ids=["users", "agents", "agents of an org"],
)
def test_a_read_shows_nothing_of_anothers(memory: MemoryManager, owner: dict[str, str], viewer: dict[str, str]) -> None:
    other = memory.scoped(**viewer)
    other.remember("Doorstop is a thing that one has heard of")
    other.graph.add_entity(*KNOWN)
    keep_secrets(memory.scoped(**owner))
    for place, read in enumerate(READS):
        assert read(memory.scoped(**owner)), place
        assert not read(other), place
        assert not read(memory.for_org("other")), place


def test_an_agents_other_name_is_its_own(memory: MemoryManager) -> None:
    scout, coach = (memory.scoped(user="ana", agent=name) for name in ("scout", "coach"))
    memory.scoped(user="ana").graph.add_entity(*KNOWN)
    scout.graph.add_alias(*KNOWN, "The Wedge")
    assert scout.graph.entity("tool", "The Wedge") == Entity(*KNOWN, ("The Wedge",))
    assert coach.graph.entity("tool", "The Wedge") is None
    assert coach.graph.entity(*KNOWN) == Entity(*KNOWN)
    assert memory.scoped(user="ana").graph.entity(*KNOWN) == Entity(*KNOWN, ("The Wedge",))


def test_an_agents_merge_is_its_own(memory: MemoryManager) -> None:
    ana = memory.scoped(user="ana")
    scout, coach = (memory.scoped(user="ana", agent=name) for name in ("scout", "coach"))
    for name in ("Robert", "Bob"):
        ana.graph.add_entity("person", name)
    merge = scout.graph.merge(("person", "Robert"), ("person", "Bob"))
    assert [entity.name for entity in scout.graph.entities()] == ["Robert"]
    assert [entity.name for entity in coach.graph.entities()] == ["Robert", "Bob"]
    assert coach.graph.entity("person", "Bob") == Entity("person", "Bob")
    assert coach.graph.merges() == []
    assert not coach.graph.unmerge(merge.id)
    assert scout.graph.unmerge(merge.id)
    assert [entity.name for entity in scout.graph.entities()] == ["Robert", "Bob"]


def test_two_agents_may_take_the_same_names_for_one_the_other_way_round(memory: MemoryManager) -> None:
    ana, scout, coach = (memory.scoped(user="ana", agent=name) for name in (None, "scout", "coach"))
    for name in ("Robert", "Bob"):
        ana.graph.add_entity("person", name)
    scout.graph.merge(("person", "Robert"), ("person", "Bob"))
    coach.graph.merge(("person", "Bob"), ("person", "Robert"))
    kept = {view: [entity.name for entity in view.graph.entities()] for view in (ana, scout, coach)}
    assert kept == {ana: ["Robert"], scout: ["Robert"], coach: ["Bob"]}
    with pytest.raises(ValueError, match="in an agent's view"):  # it would be a circle for the coach
        ana.graph.add_alias("person", "Robert", "Bob")


def test_what_is_said_for_all_after_an_agent_said_it_holds_for_all(memory: MemoryManager) -> None:
    ana, scout, coach = (memory.scoped(user="ana", agent=name) for name in (None, "scout", "coach"))
    for name in ("Robert", "Bob"):
        ana.graph.add_entity("person", name)
    scout.graph.add_alias("person", "Robert", "Bob")
    ana.graph.add_alias("person", "Robert", "Bob")
    assert coach.graph.entity("person", "Bob") == Entity("person", "Robert", ("Bob",))
    assert len(coach.graph.merges()) == 1


def test_entities_of_another_agent_cannot_be_linked_merged_or_removed(memory: MemoryManager) -> None:
    scout, coach = (memory.scoped(user="ana", agent=name) for name in ("scout", "coach"))
    stored = keep_secrets(scout)
    own = coach.remember("My own Doorstop").id
    coach.graph.add_entity(*KNOWN)
    with pytest.raises(NotFound):
        coach.graph.link_memory(*SECRET, own)
    with pytest.raises(NotFound):
        coach.graph.link_memory(*KNOWN, stored)
    with pytest.raises(NotFound):
        coach.graph.merge(KNOWN, SECRET)
    with pytest.raises(NotFound):
        coach.graph.add_relationship(KNOWN, "uses", ("tool", "X"), evidence=stored)
    assert not coach.graph.remove_entity(*SECRET)
    assert scout.graph.entity(*SECRET) is not None
    assert len(scout.get_entity_relationships(*SECRET)) == 2


def test_an_agent_removes_what_it_sees_and_no_more(memory: MemoryManager) -> None:
    scout, coach = (memory.scoped(user="ana", agent=name) for name in ("scout", "coach"))
    stored = keep_secrets(scout)
    coach.graph.add_entity(*SECRET, metadata={"mine": True})
    assert coach.graph.remove_entity(*SECRET)
    assert coach.graph.entity(*SECRET) is None
    kept = scout.graph.entity(*SECRET)
    assert kept is not None
    assert (kept.metadata, set(kept.aliases)) == ({"who": "me"}, {"The Latch", "Nightlatch II"})
    assert scout.graph.memory_ids(*SECRET) == [stored]


def test_an_administrators_word_on_a_users_memory_stays_with_the_user(memory: MemoryManager) -> None:
    ana, ben = memory.scoped(user="ana"), memory.scoped(user="ben")
    hers = ana.remember("the kettle is on").id
    memory.graph.add_entity("project", "Nest")
    assert memory.graph.link_memory("project", "Nest", hers)
    memory.graph.add_relationship(("project", "Nest"), "part_of", ("project", "Tree"), evidence=hers)
    assert ana.graph.memory_ids("project", "Nest") == memory.graph.memory_ids("project", "Nest") == [hers]
    assert [each.relation for each in ana.get_entity_relationships("project", "Nest")] == ["part_of"]
    for view in (ben.graph, memory.scoped(user="ben", agent="scout").graph):
        assert view.entity("project", "Nest") is None
        assert view.memory_ids("project", "Nest", shared=True) == []
        assert list(view.relationships(shared=True)) == []


def test_shared_adds_what_the_org_says_and_nothing_of_other_users(memory: MemoryManager) -> None:
    memory.remember("APT98 uses Mimikatz", domain="cti")
    memory.scoped(user="ben").remember("APT98 uses Cobalt Strike", domain="cti")
    ana = memory.scoped(user="ana")
    assert ana.get_entity_relationships("actor", "APT98") == []
    (found,) = ana.get_entity_relationships("actor", "APT98", shared=True)
    assert found.entity.name == "Mimikatz"


def test_a_text_of_the_org_adds_no_name_for_a_user(memory: MemoryManager) -> None:
    memory.scoped(agent="scout").graph.add_entity("person", "Mallory", aliases=["Ana Lopez"])
    memory.remember("Ana Lopez malware encrypts files", domain="cti")
    ana = memory.scoped(user="ana")
    ana.remember("I met Ana Lopez in Rome")
    assert ana.graph.entity("person", "Ana Lopez") == Entity("person", "Ana Lopez")
    memory.graph.add_entity("organization", "Lumen Labs", aliases=["Lumen"])
    ana.graph.add_entity("organization", "Lumen")
    assert ana.graph.entity("organization", "Lumen") == Entity("organization", "Lumen Labs")


def test_a_relation_that_two_users_state_is_listed_once(memory: MemoryManager) -> None:
    stated = [memory.scoped(user=user).remember("Ravi lives in Oslo").id for user in ("ana", "ben")]
    page = memory.graph.relationships(limit=1)
    assert [(each.source.name, each.target.name) for each in page] == [("Ravi", "Oslo")]
    assert set(page[0].evidence) == set(stated)
    assert page.next is None or not memory.graph.relationships(cursor=page.next)
