"""Of two values of one thing the newer is current where something changed, and the one that is trusted more."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from engrain.model.results import Format, Hit
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import SAID, evidence, hit


def spoken(text: str, number: int, *, relevance: float = 0.9) -> Hit:
    return hit(text, actor=None, number=number, at=SAID + timedelta(days=number), relevance=relevance)


def lead(query: str, *texts: str | Hit) -> str:
    hits = [text if isinstance(text, Hit) else spoken(text, number) for number, text in enumerate(texts)]
    return " ".join(each.text for each in answer_by_rules(Format.DIRECT_ANSWER, evidence(query, *hits)).lead)


@pytest.mark.parametrize(
    ("query", "older", "newer", "expected"),
    [
        ("How much is the rent?", "The rent is 900 euros.", "The rent is now 1,050 euros.", "1,050 euros"),
        ("When is the deadline?", "The deadline is 3 June.", "The deadline moved to 10 June.", "10 June"),
        ("Where does Ana live?", "Ana lives in Rome.", "Ana moved to Berlin.", "Berlin"),
        ("How much does Ana weigh?", "Ana weighs 70 kg.", "Ana weighs 65 kg.", "65 kg"),
        ("What is the PIN?", "The PIN is 1111.", "Correction: the PIN is 2222.", "2222"),
    ],
)
def test_the_newer_value_holds(query: str, older: str, newer: str, expected: str) -> None:
    assert expected in lead(query, older, newer)


@pytest.mark.parametrize(
    ("query", "older", "newer", "expected"),
    [
        ("How much was the rent at first?", "The rent is 900 euros.", "The rent is now 1,050 euros.", "900 euros"),
        ("How much is the rent?", "The rent is 900 euros.", "The new lamp costs 20 euros.", "900 euros"),
        ("Where does Ana live?", "Ana lives in Rome.", "Bob moved to Berlin.", "Rome"),
    ],
)
def test_a_newer_statement_about_another_thing_does_not(query: str, older: str, newer: str, expected: str) -> None:
    assert expected in lead(query, older, newer)


def test_a_replaced_memory_comes_after_its_replacement() -> None:
    old = spoken("Ana lives in Boston.", 0)
    old = replace(old, memory=replace(old.memory, superseded_by="m1"))
    assert lead("Where does Ana live?", old, spoken("Ana is at home in Denver.", 1, relevance=0.6)) == "Denver"
    assert lead("Where does Ana live?", old) == "Boston"


def test_a_pending_memory_comes_after_what_it_contradicts() -> None:
    sure, doubted = spoken("Ana moved to Tbilisi.", 0, relevance=0.7), spoken("Ana lives in Moscow.", 1)
    sure = replace(sure, contested=("m1",))
    doubted = replace(doubted, contested=("m0",), memory=replace(doubted.memory, status_reason="contested"))
    assert lead("Where does Ana live?", doubted, sure) == "Tbilisi"


def test_a_less_trusted_memory_comes_after_what_it_contradicts() -> None:
    sure, doubted = spoken("Ana moved to Tbilisi.", 0, relevance=0.7), spoken("Ana lives in Moscow.", 1)
    sure = replace(sure, contested=("m1",), memory=replace(sure.memory, trust=0.9))
    doubted = replace(doubted, contested=("m0",), memory=replace(doubted.memory, trust=0.3))
    assert lead("Where does Ana live?", doubted, sure) == "Tbilisi"
