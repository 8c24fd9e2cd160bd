"""Names that the store knows are found in new texts, whatever the packs make of them."""

from __future__ import annotations

import pytest

from engrain import MemoryManager


@pytest.fixture
def memory() -> MemoryManager:
    return MemoryManager(":memory:", embedder=None)


def relations(memory: MemoryManager, type_: str, name: str) -> set[tuple[str, str]]:
    """Return what an entity has to do with which others."""
    return {(each.relation, each.entity.name) for each in memory.get_entity_relationships(type_, name)}


def test_a_name_that_was_added_carries_relations(memory: MemoryManager) -> None:
    memory.graph.add_entity("actor", "Grey Heron", aliases=["Ashen Stork"])
    kept = memory.remember("In May Grey Heron used Mimikatz.", domain="cti").id
    memory.remember("Ashen Stork exploits CVE-2024-3094.", domain="cti")
    assert relations(memory, "actor", "Grey Heron") >= {("uses", "Mimikatz"), ("exploits", "CVE-2024-3094")}
    held = memory.get(kept)
    assert held is not None
    assert held.entities == ("Grey Heron", "Mimikatz")


@pytest.mark.parametrize("text", ["Quiet Kestrel is back", "Then Quiet Kestrel came back", "quiet kestrel's back"])
def test_a_name_at_the_beginning_of_a_sentence_is_one(memory: MemoryManager, text: str) -> None:
    memory.graph.add_entity("person", "Quiet Kestrel")
    memory.remember(text)
    assert len(memory.recall_entity("person", "Quiet Kestrel")) == (not text.islower())


@pytest.mark.parametrize(
    ("text", "domain", "found"),
    [
        ("They deployed QUADAGENT", "general", 1),
        ("they deployed quadagent", "cti", 1),
        ("they deployed quadagent", "general", 0),
        ("We saw a Sunburst over the lake", "general", 0),
        ("Sunburst was found on the server", "cti", 1),
        ("The film Inception was great", "general", 0),
    ],
)
def test_a_threat_with_the_name_of_a_thing_is_one_where_threats_are_talked_about(
    memory: MemoryManager, text: str, domain: str, found: int
) -> None:
    for name in ("QUADAGENT", "SUNBURST", "Inception"):
        memory.graph.add_entity("malware", name)
    memory.remember(text, domain=domain)
    assert sum(len(memory.recall_tool(name)) for name in ("QUADAGENT", "SUNBURST", "Inception")) == found


def test_the_longest_known_name_is_chosen(memory: MemoryManager) -> None:
    memory.graph.add_entity("person", "Ana Peak")
    memory.graph.add_entity("organization", "Ana Peak Foundation")
    memory.remember("The Ana Peak Foundation has closed")
    assert (
        len(memory.recall_entity("person", "Ana Peak")),
        len(memory.recall_entity("organization", "Ana Peak Foundation")),
    ) == (0, 1)


def test_names_of_other_scopes_are_unknown(memory: MemoryManager) -> None:
    memory.scoped(user="bo").graph.add_entity("person", "Quiet Kestrel")
    kept = memory.scoped(user="ana").remember("Then quiet Kestrel came").memory
    assert kept is not None
    assert memory.scoped(user="ana").graph.entity("person", "Quiet Kestrel") is None


def test_what_the_org_added_is_known_to_its_users(memory: MemoryManager) -> None:
    memory.graph.add_entity("malware", "QUADAGENT")
    ana = memory.scoped(user="ana")
    ana.remember("They deployed QUADAGENT")
    assert len(ana.recall_tool("quadagent")) == 1


def test_a_mere_name_that_became_an_alias_is_no_name_of_another_kind_of_thing(memory: MemoryManager) -> None:
    memory.remember("We talked about Code Signing on Friday")
    memory.graph.add_entity("technique", "T1553.002", aliases=["Code Signing"])
    memory.graph.add_entity("mitigation", "Code Signing", aliases=["M1045"])
    technique, mitigation = (
        memory.graph.entity(*named) for named in (("technique", "Code Signing"), ("mitigation", "M1045"))
    )
    assert technique is not None
    assert mitigation is not None
    assert (technique.name, technique.aliases) == ("T1553.002", ("Code Signing",))
    assert (mitigation.name, mitigation.aliases) == ("Code Signing", ("M1045",))
    (merge,) = memory.graph.merges()
    assert memory.graph.unmerge(merge.id)
    assert memory.graph.entity("name", "Code Signing") is not None


@pytest.mark.parametrize("type_", ["actor", "intrusion_set", "tool", "malware", "campaign", "sector"])
@pytest.mark.parametrize("text", ["Bob hates Quorvex too", "Quorvex is slow", "Bob hates QUORVEX"])
def test_a_threat_that_was_added_is_found_in_any_text_that_distinguishes_its_name_from_words(
    memory: MemoryManager, type_: str, text: str
) -> None:
    memory.graph.add_entity(type_, "Quorvex")
    memory.remember(text)
    assert len(memory.recall_entity(type_, "Quorvex")) == 1


def test_an_alias_that_was_added_is_found_in_any_text(memory: MemoryManager) -> None:
    memory.graph.add_alias("tool", "Mimikatz", "Grumblix")
    memory.remember("Bob hates Grumblix too")
    assert len(memory.recall_tool("Mimikatz")) == 1


@pytest.mark.parametrize("text", ["He wore a Honeycomb hat", "Reading about Keylogging again"])
def test_the_name_of_a_technique_is_no_word_of_a_chat(memory: MemoryManager, text: str) -> None:
    memory.graph.add_entity("technique", "T1056.001", aliases=["Keylogging", "Honeycomb"])
    memory.remember(text)
    assert memory.recall_entity("technique", "T1056.001") == []


@pytest.mark.parametrize(
    ("named", "alias", "text"),
    [
        (("malware", "Zentrix"), "ZTX loader", "APT28 deployed ZTX loader"),
        (("tool", "Cobalt Strike Deluxe"), None, "APT28 used Cobalt Strike Deluxe"),
        (("tool", "Deep Mimikatz"), None, "APT28 used Deep Mimikatz"),
        (("tool", "Mimikatz web front"), None, "APT28 used Mimikatz web front"),
    ],
)
def test_a_longer_known_name_takes_precedence_over_a_name_within_it(
    memory: MemoryManager, named: tuple[str, str], alias: str | None, text: str
) -> None:
    memory.graph.add_entity(*named, aliases=[alias] if alias else ())
    memory.remember(text, domain="cti")
    assert {(each.relation, each.entity.name) for each in memory.get_entity_relationships("actor", "APT28")} == {
        ("uses", named[1])
    }


def test_an_address_is_no_part_of_a_name(memory: MemoryManager) -> None:
    memory.graph.add_entity("tool", "CVE-2024-3094 kit")
    memory.remember("They sold a CVE-2024-3094 kit", domain="cti")
    assert len(memory.recall_cve("CVE-2024-3094")) == 1
