"""What a newer statement says was left or replaced is no answer any more, in whatever words; another person's is."""

from __future__ import annotations

import pytest

from engrain import MemoryManager

GONE = """
We drive a Volvo Amazon. | Traded the Amazon in for a Renault on Monday. | What car do we drive?
The project is called Redstart. | Legal made us rename Redstart last week. | What is the project called?
I use Joplin for my notes. | Ditched Joplin, my notes are all in Zettlr these days. | What do I use for my notes?
Our internet is with Kabelnet. | We jumped ship from Kabelnet to Fibra. | Who is our internet with?
Berit ist mit Arvid verlobt. | Berit hat die Verlobung mit Arvid gelöst. | Mit wem ist Berit verlobt?
Tenemos una nevera Bosch. | La Bosch reventó el lunes. | ¿Qué nevera tenemos?
Odile chante dans la chorale Alouette. | Odile a quitté la chorale Alouette. | Dans quelle chorale chante Odile ?
"""


@pytest.mark.parametrize(("old", "new", "question"), [line.split(" | ") for line in GONE.strip().splitlines()])
def test_a_thing_given_up_is_no_answer(old: str, new: str, question: str) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember(old, source_type="user_input")
        before = memory.synthesize(question).synthesis["answer"]
        memory.remember(new, source_type="user_input")
        after = memory.synthesize(question).synthesis["answer"]
    assert before
    assert before not in after


def test_a_thing_given_up_by_another_still_answers() -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember("I use Joplin for my notes.", source_type="user_input")
        memory.remember("Pavel ditched Joplin last week.", source_type="user_input")
        assert memory.synthesize("What do I use for my notes?").synthesis["answer"] == "Joplin"


@pytest.mark.parametrize(
    ("old", "new", "question", "answer"),
    [
        (
            "We subscribe to the Herald.",
            "The Herald subscription costs 9 euros.",
            "Which paper do we subscribe to?",
            "Herald",
        ),
        ("We drive a Volvo Amazon.", "The Amazon is in for a service on Monday.", "What car do we drive?", "Amazon"),
        (
            "I use Joplin for my notes.",
            "I returned to Joplin after the holidays.",
            "What do I use for my notes?",
            "Joplin",
        ),
        ("I live in Utrecht.", "We sold the car in Utrecht.", "Where do I live?", "Utrecht"),
    ],
)
def test_a_thing_that_is_only_mentioned_still_answers(old: str, new: str, question: str, answer: str) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        memory.remember(old, source_type="user_input")
        memory.remember(new, source_type="user_input")
        assert answer in memory.synthesize(question).synthesis["answer"]
