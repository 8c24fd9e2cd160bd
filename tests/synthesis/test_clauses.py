"""Of a sentence with several parts, the part that the question is about answers; none where that is unsure."""

from __future__ import annotations

import pytest

from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit

HOSTS = "| host | IP | owner |\n|---|---|---|\n| alpha | 10.0.0.1 | Kim |\n| beta | 10.0.0.2 | Lee |"


def lead(query: str, text: str) -> str:
    found = answer_by_rules(Format.DIRECT_ANSWER, evidence(query, hit(text, actor=None)))
    return " ".join(each.text for each in found.lead)


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("How old is Nino?", "Mia is 5 and Nino is 8.", "8"),
        ("How old is Mia?", "Mia is 5 and Nino is 8.", "5"),
        ("How many litres are left?", "The tank holds 50 litres and 20 litres are left.", "20"),
        ("When did Ana move to London?", "Ana moved to Paris in 2019 and to London in 2021.", "2021"),
        ("When did Ana move to Paris?", "Ana moved to Paris in 2019 and to London in 2021.", "2019"),
        ("When did they get married?", "They met in 2012 and got married in 2015.", "2015"),
        ("Who fired Otto?", "Otto was hired by Max and fired by Lena.", "Lena"),
        ("Who hired Otto?", "Otto was hired by Max and fired by Lena.", "Max"),
        ("What is the name of Ana's cat?", "Ana has a dog called Rex and a cat called Tom.", "Tom"),
        ("Who likes tea?", "Ana likes tea, but Bob does not.", "Ana"),
        ("What is the IP of beta?", HOSTS, "10.0.0.2"),
        ("Which host has the IP 10.0.0.2?", HOSTS, "beta"),
        ("Where is the meeting?", "The meeting is at 3pm tomorrow in room 5.", "room 5"),
        ("How old is Ana?", "Ana is 34 years old.", "34"),
        ("Who is Ana?", "Ana is the sister of Bob.", "sister of Bob"),
        ("What did Ana read in March?", "Ana read Dune in January and Emma in March.", "Emma"),
        ("What is the password?", "The password is Hunter2!", "Hunter2!"),
        ("Where does Olga work?", "Ana's vet is Olga Brandt. She works at Pawline.", "Pawline"),
        ("What is the port of gamma?", "The port of gamma is 8443.", "8443"),
        ("What is the URL of the wiki?", "The URL of the wiki is wiki.lumen.example.", "wiki.lumen.example"),
        ("Who is the CTO of Lumen?", "Lumen's CTO is Kim.", "Kim"),
        ("Who is Lumen's CTO?", "The CTO of Lumen is Kim.", "Kim"),
    ],
)
def test_the_part_that_is_asked_about_answers(query: str, text: str, expected: str) -> None:
    assert lead(query, text) == expected


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("How much did the hotel cost?", "The flight cost 300 euros and the hotel 500."),
        ("How much memory does db2 have?", "db1 has 64 GB of memory and db2 128."),
        ("How far did Ana run on Tuesday?", "Ana ran 10 km on Monday and 5 on Tuesday."),
        ("Who does not like tea?", "Ana likes tea, but Bob does not."),
        ("What did Bob give Ana?", "Ana gave Bob a watch."),
        ("How old is db1?", "db1 has 64 GB of memory."),
        ("Where does Olga work?", "Ana's vet is not Olga Brandt. She works at Pawline."),
        ("What is the port of delta?", "The port of gamma is 8443."),
        ("Who is the CTO of Halyard?", "Lumen's CTO is Kim."),
        ("Who is the CFO of Lumen?", "Lumen's CTO is Kim."),
        ("Has invoice 4712 been paid?", "Invoice 4711 has been paid. Invoice 4712 is open."),
        ("Who is Ana's brother?", "Ana's sister is Eva and her brother is Max."),
    ],
)
def test_where_it_is_unsure_there_is_no_answer(query: str, text: str) -> None:
    assert lead(query, text) == ""
