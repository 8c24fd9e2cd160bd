"""A statement of a less trusted source never replaces the user's in an answer, however new it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock

CASES = [
    ("Marek's dentist is Dr. Silva.", "Marek's dentist is Dr. Brandt.", "Who is Marek's dentist?", "Dr. Silva"),
    ("The gate code is 4410.", "The gate code is now 9981.", "What is the gate code?", "4410"),
    ("Petra is allergic to walnuts.", "Petra is no longer allergic to walnuts.", "Is Petra allergic to walnuts?", "Yes"),
    ("Heron has 12 pilots.", "Heron has 40 pilots.", "How many pilots does Heron have?", "12"),
    (
        "The IP of beta is 10.0.0.7.",
        "| host | IP |\n|---|---|\n| alpha | 10.9.9.1 |\n| beta | 10.9.9.2 |",
        "What is the IP of beta?",
        "10.0.0.7",
    ),
]


def answered(memory: MemoryManager, clock: FrozenClock, texts: tuple[str, str], question: str, newer: str) -> str:
    memory.remember(texts[0], kind="episodic", source_type="user_input")
    clock.advance(timedelta(days=1))
    memory.remember(texts[1], kind="episodic", source_type=newer)  # type: ignore[arg-type]
    return str(memory.synthesize(question).synthesis["answer"])


@pytest.mark.parametrize("newer", ["external_data", "tool_result", "llm_generated"])
@pytest.mark.parametrize(("old", "new", "question", "expected"), CASES)
def test_the_user_is_believed(
    memory: MemoryManager, clock: FrozenClock, old: str, new: str, question: str, expected: str, newer: str
) -> None:
    assert answered(memory, clock, (old, new), question, newer) == expected


def test_among_equals_the_newest_answers(memory: MemoryManager, clock: FrozenClock) -> None:
    old, new, question, _ = CASES[0]
    assert answered(memory, clock, (old, new), question, "user_input") == "Dr. Brandt"


def test_a_source_alone_answers(memory: MemoryManager) -> None:
    memory.remember("Marek's dentist is Dr. Brandt.", source_type="external_data")
    assert memory.synthesize("Who is Marek's dentist?").synthesis["answer"] == "Dr. Brandt"
