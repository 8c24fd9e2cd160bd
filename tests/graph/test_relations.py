from __future__ import annotations

import pytest

from engrain import MemoryManager
from tests.graph.reading import read, said

STATED = {
    "APT28 uses Mimikatz.": ("APT28", "uses", "Mimikatz"),
    "APT28 has been using Mimikatz.": ("APT28", "uses", "Mimikatz"),
    "Mimikatz was used by APT28.": ("APT28", "uses", "Mimikatz"),
    "APT28 exploited the flaw CVE-2023-23397.": ("APT28", "exploits", "CVE-2023-23397"),
    "CVE-2023-23397 was exploited in the wild by APT28.": ("APT28", "exploits", "CVE-2023-23397"),
    "APT28 targets the energy sector.": ("APT28", "targets", "energy"),
    "Emotet drops TrickBot.": ("Emotet", "drops", "TrickBot"),
    "Emotet delivered TrickBot to victims.": ("Emotet", "delivers", "TrickBot"),
    "Emotet communicates with evil[.]com.": ("Emotet", "communicates_with", "evil.com"),
    "Operation Aurora is attributed to APT17.": ("Operation Aurora", "attributed_to", "APT17"),
    "Industroyer2 is a variant of Industroyer.": ("Industroyer2", "variant_of", "Industroyer"),
    "Then Symantec discovered Stuxnet.": ("Symantec", "discovered", "Stuxnet"),
    "Then Microsoft patched CVE-2021-34527.": ("Microsoft", "patched", "CVE-2021-34527"),
    "CVE-2021-34527 affects Windows.": ("CVE-2021-34527", "affects", "Windows"),
    "evil[.]com is an indicator of Emotet.": ("evil.com", "indicates", "Emotet"),
}


@pytest.mark.parametrize(("text", "triple"), STATED.items())
def test_reports_state_relations(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in said(text)


EVERYDAY = {
    "Alice works at Acme Labs.": ("Alice", "works_at", "Acme Labs"),
    "Alice Vogel now lives in Berlin.": ("Alice Vogel", "lives_in", "Berlin"),
    "Acme Labs is based in Berlin.": ("Acme Labs", "based_in", "Berlin"),
    "Acme Labs is located in Berlin.": ("Acme Labs", "located_at", "Berlin"),
    "Alice attended Oslo University.": ("Alice", "attended", "Oslo University"),
    "Alice works at Acme Labs and lives in Berlin.": ("Alice", "lives_in", "Berlin"),
}


@pytest.mark.parametrize(("text", "triple"), EVERYDAY.items())
def test_chats_state_relations(text: str, triple: tuple[str, str, str]) -> None:
    assert triple in said(text, "general")


def test_what_is_listed_is_related_alike() -> None:
    found = said("APT28 and APT29 used Mimikatz, Impacket and Sliver.")
    tools = ("Mimikatz", "Impacket", "Sliver")
    assert found == {(actor, "uses", tool) for actor in ("APT28", "APT29") for tool in tools}


JOINED = {
    "APT28 uses XAgent malware and exploits CVE-2024-3094.": {
        ("APT28", "uses", "X-Agent"),
        ("APT28", "exploits", "CVE-2024-3094"),
    },
    "APT28 uses X-Agent, exploits CVE-2024-3094 and targets NATO.": {
        ("APT28", "uses", "X-Agent"),
        ("APT28", "exploits", "CVE-2024-3094"),
        ("APT28", "targets", "NATO"),
    },
    "X-Agent was used by APT28 and exploits CVE-2024-3094.": {
        ("APT28", "uses", "X-Agent"),
        ("X-Agent", "exploits", "CVE-2024-3094"),
    },
    "APT28 uses Emotet, and Emotet drops TrickBot.": {("APT28", "uses", "Emotet"), ("Emotet", "drops", "TrickBot")},
    "APT28 uses Emotet, which exploits CVE-2024-3094.": {
        ("APT28", "uses", "Emotet"),
        ("Emotet", "exploits", "CVE-2024-3094"),
    },
    "Mimikatz is used by APT28 and APT29.": {("APT28", "uses", "Mimikatz"), ("APT29", "uses", "Mimikatz")},
    "APT28, APT29 and Turla use Mimikatz.": {(actor, "uses", "Mimikatz") for actor in ("APT28", "APT29", "Turla")},
    "APT28 was attributed to Russia's GRU.": {("APT28", "attributed_to", "GRU")},
    "Turla was linked to Russia's FSB and uses Snake.": {("Turla", "attributed_to", "FSB")},
    "Industroyer, TrickBot and QakBot were dropped by Emotet.": {
        ("Emotet", "delivers", malware) for malware in ("Industroyer", "TrickBot", "QakBot")
    },
    "Emotet has been active since 2014.": {("Emotet", "occurred_on", "2014")},
}


@pytest.mark.parametrize(("text", "triples"), JOINED.items())
def test_what_verbs_share_is_distinguished(text: str, triples: set[tuple[str, str, str]]) -> None:
    assert said(text) == triples


def test_the_nearest_subject_counts() -> None:
    assert said("APT28 was watched while APT29 used Mimikatz.") == {("APT29", "uses", "Mimikatz")}


def test_relations_stay_within_a_sentence() -> None:
    assert said("APT28 is old. Emotet uses nothing. Mimikatz came later.") == set()


def test_another_name_is_no_relation_but_distinguished() -> None:
    read_ = read("APT29, also known as Gray Otter, came back.", "cti")
    assert [(one.name, other.name) for one, other in read_.same] == [("APT29", "Gray Otter")]
    assert not read_.triples


@pytest.mark.parametrize(
    ("elsewhere", "here"),
    [
        ("USES_TOOL", "uses"),
        ("USES_MALWARE", "uses"),
        ("USES_TECHNIQUE", "uses"),
        ("EXPLOITS_CVE", "exploits"),
        ("TARGETS_ASSET", "targets"),
        ("TARGETS_SECTOR", "targets"),
        ("CONDUCTS_CAMPAIGN", "conducts"),
        ("HELD_AT", "located_at"),
        ("TEMPORAL_BEFORE", "precedes"),
        ("TEMPORAL_AFTER", "temporal_after"),
    ],
)
def test_names_of_relations_from_elsewhere_are_understood(elsewhere: str, here: str) -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        assert memory.graph.add_relationship(("actor", "Ana"), elsewhere, ("tool", "Oar")).relation == here
