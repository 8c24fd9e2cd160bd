"""Detection of names in a text, and of questions that ask for a name."""

from __future__ import annotations

import pytest

from engrain import MemoryManager
from engrain.language.locales import has
from engrain.language.names import has_names


@pytest.mark.parametrize(
    "text",
    [
        "we went to Porto last week",
        "I read Middlemarch twice",
        "my sister is called Inês",
        'she loves "The Waves" most',
        "вчера мы были в Москве",
        "I met Ana at work.",
    ],
)
def test_a_capital_inside_a_sentence_names(text: str) -> None:
    assert has_names(text)


@pytest.mark.parametrize(
    "text",
    ["", "We went home.", "I think I'm fine, I said", "Thanks, Ana!", "hey Ana, how are you?", "OK", "see you, Teo."],
)
def test_the_first_word_the_i_and_who_is_spoken_to_do_not(text: str) -> None:
    assert not has_names(text)


@pytest.mark.parametrize(
    "question",
    [
        "Who came to dinner?",
        "where does Ana live?",
        "Which book is she reading?",
        "what city did they visit?",
        "What is the name of the dog?",
        "what kind of restaurants do they like?",
        "What countries has Teo been to?",
    ],
)
def test_questions_that_ask_for_a_name(question: str) -> None:
    assert has(question, "asks_name")


@pytest.mark.parametrize(
    "question", ["How is she?", "What did Ana say about the rent?", "what is booked?", "When did they meet?", "why?"]
)
def test_questions_that_ask_for_something_else(question: str) -> None:
    assert not has(question, "asks_name")


def test_a_text_with_a_name_comes_before_one_without(memory: MemoryManager) -> None:
    memory.remember("dinner was with the new neighbours yesterday")
    named = memory.remember("dinner was with the new neighbour Helen yesterday")
    found = memory.recall("who was at dinner with them?", k=2)
    assert found[0].id == named.id
    assert any(signal.name == "x names" for signal in found[0].signals)
