"""What is trusted less never answers, ranks or is packed before what is trusted more and is about the same."""

from __future__ import annotations

from collections.abc import Mapping
from typing import get_args

import pytest

from engrain import MemoryManager, Settings
from engrain.model.choices import AnswerFormat

USER = {"source_type": "user_input"}
PAGE = {"source_type": "external_data"}
TOOL = {"source_type": "tool_result"}


def opened() -> MemoryManager:
    return MemoryManager(":memory:", user="kim", llm="none", settings=Settings(worker="none"))


PAIRS = [
    ("Ana lives in Rome.", "Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Ana lives in Minsk.", TOOL, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Where does Ana live? Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "Since 2026 Ana lives in Minsk.", PAGE, "Where does Ana live?", "Rome"),
    ("Ana lives in Rome.", "It is not true that Ana lives in Rome.", PAGE, "Does Ana live in Rome?", "Yes"),
    ("I am allergic to nuts.", "Kim is no longer allergic to nuts.", PAGE, "Am I allergic to nuts?", "Yes"),
    ("Nora leads Kestrel.", "Kestrel is now led by Tom.", PAGE, "Who leads Kestrel?", "Nora"),
    ("Mein Zahnarzt ist Dr. Braun.", "Kims Zahnarzt ist Dr. Lang.", PAGE, "Wer ist mein Zahnarzt?", "Dr. Braun"),
    ("Vivo en Vigo.", "Kim vive en Minsk.", PAGE, "¿Dónde vivo?", "Vigo"),
    ("J'habite à Lille.", "Kim habite à Minsk.", PAGE, "Où est-ce que j'habite ?", "Lille"),
]


@pytest.mark.parametrize("k", [1, 3])
@pytest.mark.parametrize("row", PAIRS)
def test_the_more_trusted_one_comes_first(row: tuple[str, str, Mapping[str, str], str, str], k: int) -> None:
    own, other, source, question, expected = row
    with opened() as memory:
        memory.remember(own, **USER)  # type: ignore[arg-type]
        memory.remember(other, **source)  # type: ignore[arg-type]
        assert memory.recall(question, k=k)[0].content == own
        answer = memory.synthesize(question, k=k)
        assert (answer.abstained, answer.synthesis["answer"]) == (False, expected)
        block = memory.context(question)
        assert other not in block or block.index(own) < block.index(other)


def test_identical_texts_of_one_page_count_once() -> None:
    with opened() as memory:
        memory.remember("Ana lives in Rome.", **USER)  # type: ignore[arg-type]
        for _ in range(5):
            memory.remember("Ana lives in Minsk.", kind="episodic", source_id="page", **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?", k=3)] == [
            "Ana lives in Rome.",
            "Ana lives in Minsk.",
        ]


def test_what_is_no_rival_is_ranked_by_relevance() -> None:
    with opened() as memory:
        memory.remember("Ana likes Rome.", **USER)  # type: ignore[arg-type]
        page = memory.remember("Bo lives in Minsk.", **PAGE).id  # type: ignore[arg-type]
        assert memory.recall("Where does Bo live?", k=2)[0].id == page
        assert memory.synthesize("Where does Bo live?").synthesis["answer"] == "Minsk"


def test_a_trusted_rival_outside_the_filter_stays_outside() -> None:
    with opened() as memory:
        memory.remember("Ana lives in Rome.", tags=["own"], **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", tags=["web"], **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?", tags=["web"])] == ["Ana lives in Minsk."]


def test_rivals_of_another_user_are_not_read() -> None:
    with opened() as memory:
        other = MemoryManager(memory.store, user="bo", llm="none", settings=Settings(worker="none"))
        other.remember("Ana lives in Rome.", **USER)  # type: ignore[arg-type]
        memory.remember("Ana lives in Minsk.", **PAGE)  # type: ignore[arg-type]
        assert [hit.content for hit in memory.recall("Where does Ana live?")] == ["Ana lives in Minsk."]


@pytest.mark.parametrize("kind", ["external_data", "tool_result"])
@pytest.mark.parametrize("page_first", [False, True])
@pytest.mark.parametrize(
    ("own", "page", "question"),
    [
        ("Mein Vogel heißt Pico", "Mein Vogel heißt Zorro", "Wie heißt mein Vogel?"),
        ("Vera tiene tres sobrinos", "Vera tiene siete sobrinos", "¿Cuántos sobrinos tiene Vera?"),
        ("I live in Turku", "The user moved to Quito in 2026", "Where do I live?"),
        ("My name is Vera Holt", "The user's name is Max Grau", "What is my name?"),
        ("I have a canoe", "The user has three canoes", "How many canoes do I have?"),
    ],
)
def test_no_form_of_an_answer_gives_a_page_before_a_more_trusted_memory(
    own: str, page: str, question: str, page_first: bool, kind: str
) -> None:
    with MemoryManager(":memory:", user="ana", llm="none") as memory:
        told = [(own, "user_input"), (page, kind)]
        for text, source in reversed(told) if page_first else told:
            memory.remember(text, source_type=source)
        assert memory.recall(question).texts[0] == own
        context = memory.context(question)
        assert page not in context or context.index(own) < context.index(page)
        for form in get_args(AnswerFormat):
            text = str(memory.synthesize(question, format=form).synthesis)
            assert page not in text or 0 <= text.find(own) < text.index(page)
