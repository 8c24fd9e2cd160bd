"""What somebody says of themselves is no answer about somebody else."""

from __future__ import annotations

from engrain.model.results import Format
from engrain.synthesis.offline import told
from tests.synthesis.made import evidence

DAY = "2026-05-08"
OTHER = ("I painted a sunset.", DAY, "Caroline")


def lead(query: str, text: str) -> list[str]:
    found = told(Format.DIRECT_ANSWER, evidence(query, (text, DAY, "Melanie"), OTHER))
    return [said.text for said in found.lead]


def test_the_word_of_another_is_no_answer() -> None:
    assert lead("What did Caroline learn at the charity race?", "At the charity race I learned to rest.") == []


def test_the_word_of_whom_it_is_about_is() -> None:
    assert lead("What did Melanie learn at the charity race?", "At the charity race I learned to rest.") != []


def test_what_is_said_to_or_of_somebody_is_about_them() -> None:
    asked = "What did Caroline learn at the charity race?"
    assert lead(asked, "At the charity race you learned to rest.") != []
    assert lead(asked, "At the charity race Caroline learned to rest.") != []


def test_where_nobody_of_those_who_talk_is_named_anybody_may_answer() -> None:
    assert lead("What is to be learnt at the charity race?", "At the charity race I learned to rest.") != []
