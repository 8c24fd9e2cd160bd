from __future__ import annotations

import pytest

from tests.graph.reading import named, said

STATED = {
    "Turla exploited an unpatched vulnerability.": ("Turla", "exploits", "unpatched vulnerability", "vulnerability"),
    "Turla targets foreign embassies.": ("Turla", "targets", "foreign embassies", "organization"),
    "Turla used phishing emails.": ("Turla", "uses", "phishing emails", "asset"),
    "Emotet delivers a custom backdoor.": ("Emotet", "delivers", "custom backdoor", "malware"),
    "Turla abuses stolen credentials.": ("Turla", "uses", "stolen credentials", "asset"),
    "Symantec discovered a large phishing campaign.": ("Symantec", "discovered", "large phishing campaign", "campaign"),
}


@pytest.mark.parametrize(("text", "stated"), STATED.items())
def test_what_has_no_name_is_the_end_of_a_relation(text: str, stated: tuple[str, str, str, str]) -> None:
    source, relation, target, type_ = stated
    assert (source, relation, target) in said(text)
    assert (type_, target) in named(text, "cti")


def test_it_counts_only_where_a_relation_is_stated() -> None:
    assert named("Turla came back. Several servers were slow.", "cti") == {("intrusion_set", "Turla")}


@pytest.mark.parametrize("domain", ["general", "work"])
def test_it_counts_only_in_memories_of_its_field(domain: str) -> None:
    assert named("Turla targets foreign embassies.", domain) == {("intrusion_set", "Turla")}


def test_what_a_name_is_said_to_be_is_left_to_the_name() -> None:
    assert said("Turla is an espionage group that exploited CVE-2023-38831.") == {
        ("Turla", "exploits", "CVE-2023-38831")
    }


def test_a_phrase_keeps_no_two_names_apart() -> None:
    assert ("Turla", "uses", "Mimikatz") in said("Turla used public tools such as Mimikatz.")


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("Turla uses scripts to collect credentials.", "collect credentials"),
        ("Turla compromised machines.", "compromised machines"),
        ("Turla targets servers.", "targets servers"),
    ],
)
def test_a_verb_is_no_part_of_it(text: str, phrase: str) -> None:
    assert phrase not in {target for _, _, target in said(text)}
