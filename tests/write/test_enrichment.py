"""What a write derives from a text: a summary, keywords, tags and index terms."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Fact, Settings
from engrain.storage.rows import Mark
from engrain.testing.rows import memory
from engrain.write.prepare import derived_tags, describe, index, index_text, summary

SETTINGS = Settings()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ana moved to Tbilisi.", "Ana moved to Tbilisi."),
        ("  Ana moved.  ", "Ana moved."),
        ("Hi!\nAna moved to Tbilisi. She likes it.", "Ana moved to Tbilisi."),
        ("Ok, great.\n\nThe server is down.", "The server is down."),
        ("Hi!\n", "Hi!"),
    ],
)
def test_the_summary_is_the_first_sentence_that_says_something(text: str, said: str) -> None:
    assert summary(text) == said


@given(st.text(max_size=600))
def test_the_summary_is_short_and_never_blank_for_a_text(text: str) -> None:
    said = summary(text)
    assert len(said) <= 150
    assert bool(said.strip()) == bool(text.strip())


def test_a_long_sentence_is_cut_at_a_word() -> None:
    said = summary("The committee decided " + "and decided again " * 20)
    assert said.endswith("…")
    assert said.rstrip("…").split()[-1] in ("and", "decided", "again")


def test_keywords_are_the_informative_words_in_the_spelling_of_the_text() -> None:
    text = (
        "The Kubernetes cluster in Frankfurt lost two nodes; the nodes of the Kubernetes cluster are back since 14:30"
    )
    found = describe(text, SETTINGS).keywords
    assert {"Kubernetes", "Frankfurt", "cluster", "nodes"} <= set(found)
    assert not {"the", "in", "are", "of"} & set(found)
    assert all(word in text for word in found)


@given(st.text(max_size=300))
def test_keywords_are_few_and_each_is_for_another_term(text: str) -> None:
    found = describe(text, SETTINGS).keywords
    assert len(found) <= 7
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(
    "text", ["😀😀😀", "好" * 30, "\u0301\u0301", "!!!", "שלום עולם", "👩‍👩‍👧 👨‍👩‍👦", "\u200b\u200b"]
)
def test_a_text_of_few_words_is_described_too(text: str) -> None:
    described = describe(text, SETTINGS)
    assert described.summary == text.strip()
    assert 0 <= described.importance <= 1


@pytest.mark.parametrize(
    ("tags", "domain", "kept"),
    [
        ((), "general", ()),
        (("b", "a"), "general", ("b", "a")),
        (("b",), "cti", ("b", "cti")),
        (("cti", "b"), "cti", ("cti", "b")),
    ],
)
def test_tags_are_the_callers_first(tags: tuple[str, ...], domain: str, kept: tuple[str, ...]) -> None:
    assert derived_tags(tags, domain) == kept


def test_a_fact_and_tags_are_indexed_beside_the_text() -> None:
    placed = memory(
        "She moved.",
        fact=Fact("Ana", "lives_in", "Tbilisi"),
        tags=("home", "news"),
        valid_from=datetime(2026, 3, 14, tzinfo=UTC),
    )
    line = "[Context: Ana lives in Tbilisi; as of 2026-03-14; topics: home, news]"
    assert index_text(placed, situate=True) == f"She moved.\n{line}"
    assert index_text(placed, situate=False) == "She moved."
    assert index_text(memory("She moved."), situate=True) == "She moved."


def test_the_index_counts_terms_and_notes_questions_and_times() -> None:
    counted = index(memory("Cats and cats and dogs sleep"), situate=True)
    assert counted.terms == {"cat": 2, "dog": 1, "sleep": 1}
    assert counted.length == 4
    assert counted.marks == 0
    assert index(memory("Do cats sleep? "), situate=True).marks == Mark.QUESTION
    assert index(memory("猫は寝る？"), situate=True).marks & Mark.QUESTION
    assert index(memory("We met last Tuesday"), situate=True).marks & Mark.TIME_WORDS
