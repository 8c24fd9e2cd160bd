"""What the one analyser reads, every part of the library reads alike: questions, the graph, key facts and answers."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain import MemoryManager
from engrain.conversation.summaries import utterances
from engrain.graph.packs import GENERAL
from engrain.language.tokens import sentences
from engrain.model.results import Format
from engrain.read.retrieval import understand
from engrain.synthesis.evidence import lines
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit

NOW = datetime(2024, 8, 14, 12, tzinfo=UTC)


def lead(query: str, text: str) -> str:
    """Return the short answer that one memory gives to a question."""
    return " ".join(each.text for each in answer_by_rules(Format.DIRECT_ANSWER, evidence(query, hit(text))).lead)


@pytest.mark.parametrize(
    ("text", "day", "question", "answer"),
    [
        ("Das Treffen war am 5. Mai 2024.", "2024-05-05", "Wann war das Treffen?", "5. Mai 2024"),
        ("The release was on 2024-07-04T10:00.", "2024-07-04", "When was the release?", "4 July 2024"),
        ("La reunión fue el 5 de mayo de 2024.", "2024-05-05", "¿Cuándo fue la reunión?", "5 de mayo de 2024"),
        ("La réunion était le 5 mai 2024.", "2024-05-05", "Quand était la réunion ?", "5 mai 2024"),
    ],
)
def test_a_day_is_the_same_to_recall_the_graph_and_answers(text: str, day: str, question: str, answer: str) -> None:
    (window,) = understand(text, NOW, ()).windows
    assert (window.start.date().isoformat(), window.unit) == (day, "day")
    assert [mention.name for mention in GENERAL.extract(text) if mention.type == "date"] == [day]
    assert lead(question, text).startswith(answer)


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("Der Hund von Anna Schmidt", {"Anna Schmidt"}),
        ("Wir ziehen am 12. September nach Porto.", {"12 September", "Porto"}),
        ("Dr. Sousa operated at St. James.", {"Sousa", "St. James"}),
        ("Wir brauchen ca. 40 Pumpen.", set()),
        ("55,000 people came.", set()),
        ("Das Release kam gestern.", set()),
        ("Heute war der Kaffee kalt.", set()),
    ],
)
def test_the_entities_of_a_memory_are_the_names_in_it(text: str, names: set[str]) -> None:
    with MemoryManager(":memory:") as memory:
        memory.remember(text)
        assert {entity.name for entity in memory.graph.entities()} == names


@pytest.mark.parametrize(
    "text",
    [
        "Wir ziehen am 12. September nach Porto.",
        "Wir brauchen ca. 40 Pumpen für das Werk.",
        "Dr. Sousa lives near St. James.",
        "The code of Kestrel is at git.nordwind.example now.",
        "About 55,000 people came to the fair.",
        "Das Treffen ist am 5. Mai 2024 in Bonn.",
    ],
)
def test_a_sentence_is_whole_to_every_reader(text: str) -> None:
    assert sentences(text) == [text]
    assert [each.text for each in utterances(f"Ana: {text}")] == [text]
    assert [line.text.rstrip(".") for line in lines(text)] == [text.rstrip(".")]


@pytest.mark.parametrize(
    ("question", "text", "answer"),
    [
        ("Who did the operation?", "The operation was done by Dr. Sousa.", "Dr. Sousa"),
        (
            "Where is the code of Kestrel?",
            "The code of Kestrel is at git.nordwind.example now.",
            "git.nordwind.example",
        ),
        ("What is the hospital?", "The hospital is St. James.", "St. James"),
        ("How many people came to the fair?", "About 55,000 people came to the fair.", "55,000"),
        ("Wie viele Pumpen brauchen wir?", "Wir brauchen ca. 40 Pumpen für das Werk.", "40"),
    ],
)
def test_an_answer_is_never_cut_inside_a_name_or_a_number(question: str, text: str, answer: str) -> None:
    assert answer in lead(question, text)
