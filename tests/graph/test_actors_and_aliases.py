from __future__ import annotations

import pytest

from engrain import MemoryManager
from engrain.cti.pack import CTI
from engrain.model.entities import name_key
from tests.graph.reading import PACKS, named, read


@pytest.mark.parametrize(
    "name", ["Fancy Bear", "STRONTIUM", "Sofacy", "Pawn Storm", "Forest Blizzard", "APT-28", "apt28"]
)
def test_every_name_of_a_group_is_the_group(name: str) -> None:
    assert ("intrusion_set", "APT28") in named(f"We saw that {name} targeted ministries.", "cti")


@pytest.mark.parametrize("name", ["Fancy Bear", "STRONTIUM", "Sofacy", "fancy-bear"])
def test_a_table_is_looked_into_by_family_and_key(name: str) -> None:
    assert PACKS.table.canonical("actor", name) == ("intrusion_set", "APT28")
    assert "Sofacy" in PACKS.table.others("threat_actor", name)


def test_what_no_table_has_is_nobody() -> None:
    assert PACKS.table.canonical("actor", "unknown_actor_xyz") is None
    assert PACKS.table.canonical("tool", "Fancy Bear") is None
    assert PACKS.table.others("actor", "unknown_actor_xyz") == ()


@pytest.mark.parametrize("name", ["Cobalt Strike", "cobalt strike", "cobalt-strike", "CobaltStrike"])
def test_a_tool_is_found_in_any_writing_and_any_domain(name: str) -> None:
    assert ("tool", "Cobalt Strike") in named(f"They used {name} for C2.")


@pytest.mark.parametrize("name", ["APT99", "FIN99", "TA999", "UNC9999", "Storm-9999", "UAC-9999", "APT-C-99"])
def test_numbered_groups_are_known_by_their_shape(name: str) -> None:
    assert ("intrusion_set", name) in named(f"{name} is new.")


def test_a_named_vulnerability_is_its_number() -> None:
    assert ("cve", "CVE-2021-44228") in named("Log4Shell was everywhere.")


def test_operations_are_campaigns() -> None:
    assert ("campaign", "Operation Aurora") in named("Operation Aurora hit Google")


def test_a_mention_spans_what_was_read() -> None:
    text = "So Fancy Bear came."
    (mention,) = [each for each in read(text).mentions if each.type == "intrusion_set"]
    assert text[mention.start : mention.end] == "Fancy Bear"


def test_the_curated_table_covers_what_an_analyst_expects() -> None:
    table = CTI.aliases
    assert len(table["intrusion_set"]) >= 100
    assert len(table["malware"]) + len(table["tool"]) >= 150
    for name in ("Kimsuky", "Sandworm", "Turla", "Volt Typhoon", "LockBit", "Emotet", "QakBot", "Mimikatz", "Sliver"):
        assert PACKS.table.canonical("name", name)


@pytest.mark.parametrize(
    ("name", "domain"),
    [
        ("Lazarus Group", "cti"),
        ("Lazarus Group", "general"),
        ("Lazarus group", "general"),
        ("Equation Group", "cti"),
        ("Gorgon Group", "cti"),
        ("Evil Corp", "cti"),
        ("Evil Corp", "general"),
        ("Sandworm Team", "general"),
        ("Cobalt Group", "general"),
    ],
)
def test_a_group_of_the_table_is_an_actor_though_it_is_called_like_a_firm(name: str, domain: str) -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.remember(f"{name} attacked the bank.", domain=domain)
        assert len(memory.recall_actor(name)) == 1


@pytest.mark.parametrize("name", ["Equation Group", "Iron Group", "Beijing Group", "Alvorna Group", "Evil Twin Corp"])
def test_what_only_looks_like_a_firm_is_one(name: str) -> None:
    assert named(f"{name} opened a bakery.") == {("organization", name)}


def test_a_place_with_the_name_of_a_threat_is_a_place_in_reports_too() -> None:
    assert ("place", "Cuba") in named("The ministers went to Cuba in May.", "cti")


@pytest.mark.parametrize(
    ("name", "others"),
    [
        ("APT-29", ["APT-29", "APT 29", "apt29", "Cozy Bear"]),
        ("APT29", ["APT-29", "apt 29"]),
        ("apt-41", ["apt-41", "APT41"]),
        ("FIN-7", ["FIN-7", "FIN7", "fin 7"]),
        ("TA-505", ["TA505", "TA 505", "ta-505"]),
        ("UNC-4841", ["UNC4841", "UNC 4841"]),
        ("APT99", ["APT-99", "APT 99"]),
    ],
)
def test_a_numbered_group_is_asked_for_in_any_writing(name: str, others: list[str]) -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.remember(f"{name} used malware", domain="cti")
        assert [len(memory.recall_actor(other)) for other in others] == [1] * len(others)


def test_a_numbered_group_that_was_added_is_the_one_of_texts() -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.graph.add_entity("actor", "APT-99", aliases=["FIN 98"])
        memory.remember("APT99 used Mimikatz", domain="cti")
        memory.remember("FIN98 used Mimikatz", domain="cti")
        assert len(memory.recall_actor("APT 99")) == 2


def test_other_names_keep_their_numbers_apart() -> None:
    assert name_key("actor", "Group 74") == "group 74" != name_key("actor", "Group74")
    assert name_key("date", "2024-03-01") == "2024-03-01"


@pytest.mark.parametrize("type_", ["actor", "threat_actor", "intrusion_set"])
def test_the_three_types_of_actors_are_listed_as_one_page_by_page(type_: str) -> None:
    added = [("actor", "Grey Heron"), ("tool", "Oar"), ("threat_actor", "Silt Runner"), ("intrusion_set", "Quay Kite")]
    with MemoryManager(":memory:", embedder=None) as memory:
        for each in added:
            memory.graph.add_entity(*each)
        first = memory.graph.entities(type=type_, limit=2)
        rest = memory.graph.entities(type=type_, limit=2, cursor=first.next)
        assert [(each.type, each.name) for each in (*first, *rest)] == [each for each in added if each[0] != "tool"]
        assert (len(first), rest.next) == (2, None)


def test_tools_and_malware_are_listed_apart() -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.graph.add_entity("tool", "Oar")
        memory.graph.add_entity("malware", "Tide")
        assert [each.name for each in memory.graph.entities(type="tool")] == ["Oar"]
