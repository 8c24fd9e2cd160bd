"""Questions for the value before the present one, and for whether two people are still a couple."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

FORMER = """
The rent is 870 euros. | The rent has gone up to 920 euros. | What was our rent before the increase? | 870 euros
The rent is 870 euros. | The rent has gone up to 920 euros. | Wie hoch war die Miete vor der Erhöhung? | 870 euros
The rent is 870 euros. | The rent has gone up to 920 euros. | Quel était notre loyer avant l'augmentation ? | 870 euros
My aunt lives in Leer. | My aunt has moved to Emden. | In which town did my aunt use to live? | Leer
My aunt lives in Leer. | My aunt has moved to Emden. | Où habitait ma tante avant son déménagement ? | Leer
My landlord is Mr Thun. | Ida Roth is our new landlord. | Who was our landlord before Ida? | Mr Thun
My vet is Dr. Uhl. | My new vet is Dr. Stoll. | Who was my vet before Dr. Stoll? | Dr. Uhl
We have internet from Pyxa. | We've switched from Pyxa to Volta. | Which provider did we have before Volta? | Pyxa
Our car insurance costs 412 euros. | It is 455 euros now. | What did the car insurance use to cost? | 412 euros
Our gate code is 5817. | The gate code is 9036 now. | What was the gate code before it got replaced? | 5817
Our gate code is 5817. | The gate code is 9036 now. | What was the old gate code? | 5817
The launch of Heron is on 15 April. | It was postponed to 30 April. | When was the original launch of Heron? | 15 April
Torvald leads Kite. | Anna leads Kite now. / Tom leads Kite now. | Who led Kite before Anna? | Torvald
"""
NO_FORMER = """
The rent is 870 euros. | The heating was repaired. | What was our rent before the increase?
My landlord is Mr Thun. | Ida Roth came to dinner. | Who was our landlord before Ida?
The launch of Heron was postponed to 30 April. | We had cake. | When was the original launch of Heron?
Tom's rent is 870 euros. | Tom's rent has gone up to 920 euros. | What was my rent before the increase?
My aunt lives in Leer. | My uncle has moved to Emden. | In which town did my uncle use to live?
"""
COUPLES = """
Lucian and Perpetua have broken up. | Are Lucian and Perpetua still together? | No
Lucian and Perpetua have broken up. | Is Lucian still together with Perpetua? | No
Lucian and Perpetua have broken up. | Sind Lucian und Perpetua noch ein Paar? | Nein
Lucian and Perpetua have broken up. | ¿Siguen juntos Lucian y Perpetua? | No
Lucian and Perpetua have broken up. | Lucian et Perpetua sont-ils toujours ensemble ? | Non
Maren und Jo sind seit März ein Paar. | Are Maren and Jo a couple? | Yes
Ben and I have split up. | Are Ben and I still together? | No
Jara told me that she and Ben have separated. | Are Jara and Ben still together? | No
Lucian and Perpetua have broken up. | Are Lucian and Tom still together? | -
Lucian and Perpetua have broken up. | Do Lucian and Perpetua work together? | -
Lucian and Perpetua work together. | Are Lucian and Perpetua together? | -
If Maren and Jo split up, I'll move in with her. | Are Maren and Jo together? | -
Gideon lives in Leeds with his girlfriend Saoirse. Gideon and Saoirse have split up. | Who is Gideon's girlfriend? | -
Jara no longer works with us. She has gone back to Utrecht. | Does Jara still work with us? | No
"""


def _rows(table: str) -> list[list[str]]:
    return [line.split(" | ") for line in table.strip().splitlines()]


@pytest.mark.parametrize(("old", "new", "question", "value"), _rows(FORMER))
def test_the_value_before_the_present_one_answers(old: str, new: str, question: str, value: str) -> None:
    assert answer(f"{old} / {new}", question) == value


@pytest.mark.parametrize(("old", "new", "question"), _rows(NO_FORMER))
def test_a_value_that_was_not_replaced_is_no_former_one(old: str, new: str, question: str) -> None:
    assert answer(f"{old} / {new}", question) == ""


@pytest.mark.parametrize(("text", "question", "value"), _rows(COUPLES))
def test_whether_two_people_are_a_couple(text: str, question: str, value: str) -> None:
    assert answer(text, question) == value.strip("-")


@pytest.mark.parametrize(
    ("turns", "question", "value"),
    [
        (
            "My brother is called Tim. / My sister is called Lea.",
            "What are my brother and my sister called?",
            "Tim, Lea",
        ),
        (
            "My brother is called Tim. / My sister is called Lea.",
            "Wie heißen mein Bruder und meine Schwester?",
            "Tim, Lea",
        ),
        ("Tom's sister is called Ida.", "What are Tom's sister and brother called?", ""),
        ("My kids Ana and Bo are four and six.", "How old are Ana and Bo?", ""),
        ("I look after three projects: Bek, Mar and Otter.", "Which projects do I look after?", "Bek, Mar and Otter"),
        ("I go running three mornings a week.", "How often do I go running?", "three mornings a week"),
        ("I'm on call one week in four.", "How often am I on call?", "one week in four"),
        ("I have four weeks in Spain.", "How often am I in Spain?", ""),
    ],
)
def test_both_things_all_items_and_frequencies(turns: str, question: str, value: str) -> None:
    assert answer(turns, question) == value


@pytest.mark.parametrize(
    ("turns", "question", "value"),
    [
        ("The insurance for the Fiat is with Volta and costs 312 euros.", "How much did we pay for the Fiat?", ""),
        ("We paid 9,000 euros for the Fiat.", "How much did we pay for the Fiat?", "9,000 euros"),
        ("The rent is higher, of course.", "What is the rent?", ""),
        ("My doctor Dr. Uhl has retired.", "Who is my doctor?", ""),
        ("My doctor Dr. Uhl left me a message.", "Who is my doctor?", "Dr. Uhl"),
        ("Nacho lives in Rotterdam. His address is Dorpsweg 83.", "Does Nacho live in Rotterdam?", "Yes"),
        ("I live in the flat above the bakery.", "Which street do I live in?", ""),
        ("I live in Mill Street.", "Which street do I live in?", "Mill Street"),
        ("My kids Ana and Bo are four and six.", "How old is Bo?", ""),
    ],
)
def test_of_another_thing_a_holder_who_left_and_a_mere_noun_are_no_answer(
    turns: str, question: str, value: str
) -> None:
    assert answer(turns, question) == value
