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


REVERSED = """
Odin was hired by Vexa. | Who hired Vexa?
Odin was called by Runa. | Who called Runa?
Runa was invited to the gala by Odin. | Who invited Odin to the gala?
Runa hat Odin gelobt. | Wer hat Runa gelobt?
Odin wurde von Runa gelobt. | Wer hat Runa gelobt?
Odin fue contratado por Runa. | ¿Quién contrató a Runa?
Runa a été engagée par Paul. | Qui a engagé Paul ?
The fox chased the hen. | What chased the fox?
The otter bit the heron. | What bit the heron?
Nubo was bought by Vexa in 2019. | Who was bought by Nubo?
Vexa acquired Nubo in 2019. | When was Vexa acquired?
Vexa acquired Nubo in 2019. | When did Nubo acquire Vexa?
Vexa a racheté Nubo en 2019. | Quand Vexa a-t-elle été rachetée ?
Vexa compró Nubo en 2019. | ¿Cuándo fue comprada Vexa?
Runa sent Odin a parcel. | Who sent Runa a parcel?
Runa sold Odin her canoe. | Who sold Runa a canoe?
Runa taught Odin to juggle. | Who taught Runa to juggle?
Runa's aunt taught Odin chess. | Who taught Runa chess?
Norway beat Peru 3-1. | Who beat Norway?
Runa supervises Odin. | Who supervises Runa?
Odin owes Runa 70 euros. | How much does Runa owe Odin?
Odin owes Runa 70 euros. | Who owes Odin 70 euros?
Odin schuldet Runa 70 Euro. | Wie viel schuldet Runa Odin?
Pedro le debe 70 euros a Ana. | ¿Cuánto le debe Ana a Pedro?
Pierre doit 70 euros à Anne. | Combien Anne doit-elle à Pierre ?
Odin borrowed 70 euros from Runa. | How much did Runa borrow?
Odin paid Runa 70 euros. | How much did Runa pay Odin?
Odin hat Runa 70 Euro geliehen. | Wer hat Odin 70 Euro geliehen?
Pedro le dio una llave a Ana. | ¿Quién le dio una llave a Pedro?
Pierre a prêté une tente à Anne. | Qui a prêté une tente à Pierre ?
The canoe was sold to Odin in May. | Who sold the canoe?
Das Boot wurde im Mai an Odin verkauft. | Wer hat das Boot verkauft?
El barco fue vendido a Paco en mayo. | ¿Quién vendió el barco?
Le bateau a été vendu à Luc en mai. | Qui a vendu le bateau ?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", REVERSED.strip().splitlines())
def test_an_action_with_reversed_roles_is_no_answer(row: str) -> None:
    text, query = row.split(" | ")
    assert lead(query, text) == ""


IN_ROLE = """
Odin was hired by Vexa. | Who hired Odin? | Vexa
Runa hat Odin gelobt. | Wer hat Odin gelobt? | Runa
Odin wurde von Runa gelobt. | Wer hat Odin gelobt? | Runa
Runa a engagé Paul. | Qui a engagé Paul ? | Runa
Vexa acquired Nubo in 2019. | When was Nubo acquired? | 2019
Nubo was bought by Vexa in 2019. | Who bought Nubo? | Vexa
Runa sent Odin a parcel. | Who sent Odin a parcel? | Runa
Norway beat Peru 3-1. | Who beat Peru? | Norway
Runa reports to Odin. | Who does Runa report to? | Odin
Odin owes Runa 70 euros. | How much does Odin owe Runa? | 70 euros
Odin schuldet Runa 70 Euro. | Wie viel schuldet Odin Runa? | 70 Euro
Runa met Odin in 2011. | When did Odin meet Runa? | 2011
Runa and Odin invited Paul. | Who did Odin invite? | Paul
"""


@pytest.mark.parametrize("row", IN_ROLE.strip().splitlines())
def test_an_action_with_the_roles_of_the_question_is_an_answer(row: str) -> None:
    text, query, expected = row.split(" | ")
    assert expected in lead(query, text)
