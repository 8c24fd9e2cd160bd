"""A speaker's statement about themselves is no answer about another person."""

from __future__ import annotations

from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.stored_evidence import evidence

DAY = "2026-05-08"
OTHER = ("I painted a sunset.", DAY, "Caroline")


def lead(query: str, text: str) -> list[str]:
    found = answer_by_rules(Format.DIRECT_ANSWER, evidence(query, (text, DAY, "Melanie"), OTHER))
    return [said.text for said in found.lead]


def test_the_statement_of_another_speaker_is_no_answer() -> None:
    assert lead("What did Caroline learn at the charity race?", "At the charity race I learned to rest.") == []


def test_the_statement_of_the_named_speaker_is_an_answer() -> None:
    assert lead("What did Melanie learn at the charity race?", "At the charity race I learned to rest.") != []


def test_a_statement_to_or_about_a_person_is_about_them() -> None:
    asked = "What did Caroline learn at the charity race?"
    assert lead(asked, "At the charity race you learned to rest.") != []
    assert lead(asked, "At the charity race Caroline learned to rest.") != []


def test_an_action_of_one_speaker_does_not_answer_for_all() -> None:
    assert lead("What is to be learnt at the charity race?", "At the charity race I learned to rest.") == []
