"""When: a clock time or a day as it was written; the day of the memory only for events."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit


def lead(query: str, text: str, actor: str | None = None) -> str:
    found = answer_by_rules(Format.DIRECT_ANSWER, evidence(query, hit(text, actor=actor)))
    return " ".join(each.text for each in found.lead)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("When does LH456 leave?", "LH456 leaves at 08:15.", "08:15"),
        ("When is standup on Fridays?", "Standup is at 9:30, on Fridays at 10:00.", "10:00"),
        ("When does the store close?", "The store closes at 6pm.", "6pm"),
        ("Wann ist das Treffen?", "Das Treffen ist am 12. Juni 2026.", "12. Juni 2026"),
        ("Wann ist das Treffen?", "Das Treffen ist am 3. Oktober.", "3. Oktober"),
        ("¿Cuándo es la reunión?", "La reunión es el 4 de julio de 2026.", "4 de julio de 2026"),
        ("Quand est la réunion ?", "La réunion est le 1er août 2026.", "1er août 2026"),
    ],
)
def test_a_time_is_given_as_it_is_written(query: str, text: str, expected: str) -> None:
    assert lead(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text", "actor"),
    [
        ("When was the printer bought?", "The printer is in room 3.", None),
        ("When was the printer bought?", "The printer was bought at Lark's.", None),
        ("When is the picnic?", "The picnic is by the lake.", "Ana"),
    ],
)
def test_the_day_of_the_memory_is_no_time_of_a_state(query: str, text: str, actor: str | None) -> None:
    assert lead(query, text, actor) == ""


def test_the_day_of_the_memory_is_the_time_of_a_reported_event() -> None:
    assert lead("When did Ana open the bakery?", "I opened the bakery!", "Ana") == "9 June 2023"


def test_an_impossible_day_is_not_given() -> None:
    assert lead("Wann ist das Treffen?", "Das Treffen ist am 31. Juni 2026, sagt Ana.") == ""


def test_a_given_day_is_when_it_happened() -> None:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        memory.remember("Ana moved to Tbilisi", valid_from="2025-05-04")
        assert memory.synthesize("When did Ana move to Tbilisi?").synthesis["answer"] == "4 May 2025"
        memory.remember("Bo moved to Lisbon")
        assert memory.synthesize("When did Bo move to Lisbon?").abstained
