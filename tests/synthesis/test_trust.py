"""A statement of a less trusted source never replaces the user's in an answer, however new it is."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import MemoryManager
from engrain.testing import FrozenClock

CASES = [
    ("Marek's dentist is Dr. Silva.", "Marek's dentist is Dr. Brandt.", "Who is Marek's dentist?", "Dr. Silva"),
    ("The gate code is 4410.", "The gate code is now 9981.", "What is the gate code?", "4410"),
    ("Ana is allergic to walnuts.", "Ana is no longer allergic to walnuts.", "Is Ana allergic to walnuts?", "Yes"),
    ("Heron has 12 pilots.", "Heron has 40 pilots.", "How many pilots does Heron have?", "12"),
    (
        "The IP of beta is 10.0.0.7.",
        "| host | IP |\n|---|---|\n| alpha | 10.9.9.1 |\n| beta | 10.9.9.2 |",
        "What is the IP of beta?",
        "10.0.0.7",
    ),
]


def answered(memory: MemoryManager, clock: FrozenClock, case: tuple[str, str, str, str], newer: str) -> str:
    old, new, question, _ = case
    memory.remember(old, kind="episodic", source_type="user_input")
    clock.advance(timedelta(days=1))
    memory.remember(new, kind="episodic", source_type=newer)
    return str(memory.synthesize(question).synthesis["answer"])


@pytest.mark.matrix
@pytest.mark.parametrize("newer", ["external_data", "tool_result", "llm_generated"])
@pytest.mark.parametrize("case", CASES, ids=[case[2] for case in CASES])
def test_the_user_is_believed(
    memory: MemoryManager, clock: FrozenClock, case: tuple[str, str, str, str], newer: str
) -> None:
    assert answered(memory, clock, case, newer) == case[3]


def test_among_equals_the_newest_answers(memory: MemoryManager, clock: FrozenClock) -> None:
    assert answered(memory, clock, CASES[0], "user_input") == "Dr. Brandt"


def test_a_source_alone_answers(memory: MemoryManager) -> None:
    memory.remember("Marek's dentist is Dr. Brandt.", source_type="external_data")
    assert memory.synthesize("Who is Marek's dentist?").synthesis["answer"] == "Dr. Brandt"
