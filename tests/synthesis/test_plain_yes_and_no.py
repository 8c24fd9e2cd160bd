"""A plain yes or no is given only where a clause states the very thing; else there is no answer."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import SAID, evidence, hit


def lead(query: str, *texts: str, contested: tuple[str, ...] = ()) -> str:
    said = [
        hit(text, actor=None, number=number, at=SAID + timedelta(days=number), contested=contested)
        for number, text in enumerate(texts)
    ]
    return " ".join(each.text for each in answer_by_rules(Format.DIRECT_ANSWER, evidence(query, *said)).lead)


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("Do we use Kafka?", "We decided against using Kafka."),
        ("Did Luis finish the marathon?", "Luis failed to finish the marathon."),
        ("Did everybody pass the exam?", "Only Mia passed the exam."),
        ("Did Tom buy a house?", "Tom almost bought a house."),
        ("Does Tom have a Tesla?", "Tom wants to buy a Tesla."),
        ("Has Ana visited Oslo?", "Ana plans to visit Oslo."),
        ("Has Ana visited Oslo?", "Ana will have visited Oslo by June."),
        ("Is the picnic cancelled?", "The picnic is cancelled if it rains."),
        ("Is the picnic cancelled?", "If it rains, the picnic is cancelled."),
        ("Did Tom steal the bike?", "Mia thinks Tom stole the bike."),
        ("Did Tom steal the bike?", "Tom stole the bike, says Mia."),
        ("Does Ana live in Rome?", "Ana lived in Rome."),
        ("Is Bob the team lead?", "Carol replaced Bob as team lead."),
        ("Is Bob the team lead?", "Bob was the team lead."),
        ("Is room 205 free?", "Room 204 is free, 205 is taken."),
        ("Did team B win?", "Team A won against team B."),
        ("Did Carl beat Bob?", "Bob beat Carl."),
        ("Is Bob taller than Ana?", "Ana is taller than Bob."),
        ("Does Ana prefer coffee to tea?", "Ana prefers tea to coffee."),
        ("Does nobody like tea?", "Ana likes tea."),
        ("Is Ana married?", "Ana is not married to Bob."),
        ("Does Ana eat meat?", "Ana eats meat only on Sundays."),
        ("Doesn't Ana like tea?", "Ana likes tea."),
    ],
)
def test_an_unclear_statement_gives_neither_yes_nor_no(query: str, text: str) -> None:
    assert lead(query, text) == ""


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("Is Ana allergic to peanuts?", "Ana is allergic to peanuts.", "Yes"),
        ("Did Ana sell the boat?", "Ana sold the boat last year.", "Yes"),
        ("Does Ana smoke?", "Ana smokes.", "Yes"),
        ("Does Ana smoke?", "Ana does not smoke.", "No"),
        ("Does Ana smoke?", "Ana quit smoking.", "No"),
        ("Does Ana live in Rome?", "Ana used to live in Rome.", "No"),
        ("Is room 205 free?", "Room 204 is taken, room 205 is free.", "Yes"),
        ("Does Ana prefer coffee to tea?", "Ana prefers coffee to tea.", "Yes"),
        ("Did Carl beat Bob?", "Carl has beaten Bob.", "Yes"),
    ],
)
def test_a_plain_statement_gives_yes_or_no(query: str, text: str, expected: str) -> None:
    assert lead(query, text) == expected


def test_the_newer_statement_decides() -> None:
    assert lead("Does Ana smoke?", "Ana smokes.", "Ana quit smoking.") == "No"
    assert lead("Does Ana smoke?", "Ana does not smoke.", "Ana smokes.") == "Yes"


def test_a_contested_statement_is_no_plain_yes() -> None:
    assert lead("Does Ana smoke?", "Ana smokes.", contested=("m9",)) == ""
