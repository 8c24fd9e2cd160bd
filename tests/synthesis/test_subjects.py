"""A fact about another subject is no answer: then there is none."""

from __future__ import annotations

import pytest

from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit

HOSTS = "| host | IP | owner |\n|---|---|---|\n| alpha | 10.0.0.1 | Kim |\n| beta | 10.0.0.2 | Lee |"


def lead(query: str, *texts: str) -> str:
    said = [hit(text, actor=None, number=number) for number, text in enumerate(texts)]
    return " ".join(each.text for each in answer_by_rules(Format.DIRECT_ANSWER, evidence(query, *said)).lead)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("What is Bob's phone number?", "Ana's phone number is 555-1234."),
        ("What is Ana's email?", "Bob's email is bob@example.com."),
        ("How many children does Bob have?", "Ana has three children."),
        ("How many children does Bob have?", "Ana has three children. Bob has a dog."),
        ("Is Bob married?", "Ana is married."),
        ("Is Ana allergic to peanuts?", "Carol is allergic to peanuts."),
        ("Is Ana allergic to peanuts?", "Carol is allergic to peanuts. Ana likes tea."),
        ("Wo wohnt Peter?", "Anna wohnt in München."),
        ("Où habite Paul ?", "Marie habite à Lyon."),
        ("What is the IP of delta?", HOSTS),
        ("Which host has the IP 10.0.0.9?", HOSTS),
        ("Who owns db7?", "db1 is owned by Lee."),
        ("Is invoice 4712 paid?", "Invoice 4711 is paid."),
    ],
)
def test_a_statement_about_another_is_no_answer(query: str, text: str) -> None:
    assert lead(query, text) == ""


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("What is Bob's phone number?", "Bob's phone number is 555-1234.", "555-1234"),
        ("Wo wohnt Peter?", "Peter wohnt in München.", "München"),
        ("Who owns db7?", "db7 is owned by Lee Brown.", "Lee Brown"),
        ("Where does Melanie live?", "Mel lives in Porto.", "Porto"),
        ("Where does Ana live?", "Ana is a nurse. She lives in Porto.", "Porto"),
    ],
)
def test_a_statement_about_the_named_one_is_an_answer(query: str, text: str, expected: str) -> None:
    assert expected in lead(query, text)


def test_a_sentence_about_the_subject_comes_before_a_better_match_about_another() -> None:
    said = lead("Where does Ana live?", "Bob does live in Rome, where people live.", "Ana and her dog live in Porto.")
    assert said == "Porto"
