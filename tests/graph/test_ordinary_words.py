from __future__ import annotations

import pytest

from engrain.language.names import distinctive
from tests.graph.reading import named

THREATS = "actor intrusion_set malware tool campaign technique"
CHATS = [
    "Turn the page and play with the net at home.",
    "Play us a song, James!",
    "We are on the cutting edge of quilting.",
    "My cat loves to curl up by the anchor.",
    "Since its inception the empire struck back, with a responder.",
    "Cuba was lovely, the medusa statue was a royal hive of havoc.",
    "It took a maze of putty, phosphorus and driftwood.",
    "Anchor it, ping me, and use the at sign.",
]


@pytest.mark.parametrize("text", CHATS)
def test_a_chat_names_no_threat(text: str) -> None:
    assert named(text, types=THREATS) == set()


@pytest.mark.parametrize("domain", ["cti", "incident", "threat_intel"])
def test_beside_a_cue_they_are_names_in_reports(domain: str) -> None:
    assert ("malware", "Play ransomware") in named("the Play ransomware hit them", domain)
    assert ("tool", "at") in named("the actor uses at to persist", domain)


def test_without_capitals_or_cue_they_are_words_in_reports_too() -> None:
    assert named("Look at the page and play it again.", "cti", types=THREATS) == set()


@pytest.mark.parametrize("name", ["APT28", "TrickBot", "Emotet", "Cobalt Strike", "NOBELIUM", "gh0st RAT", "Mimikatz"])
def test_these_can_be_distinguished_from_words(name: str) -> None:
    assert distinctive(name)


@pytest.mark.parametrize("name", ["at", "net", "Page", "Play", "Cutting Edge", "James", "Fancy Bear", "PAGE", "Cuba"])
def test_these_cannot(name: str) -> None:
    assert not distinctive(name)
