"""A direct answer is the shortest text that answers, or the best sentence."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.model.results import Format
from engrain.synthesis.offline import answer_by_rules
from tests.synthesis.evidence_by_hand import evidence, hit


def answer(query: str, *texts: str) -> str:
    """Return the lead of a direct answer as one text."""
    return " ".join(said.text for said in answer_by_rules(Format.DIRECT_ANSWER, evidence(query, *texts)).lead)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("I visited the aquarium yesterday.", "8 June 2023"),
        ("I visited the aquarium last week.", "the week before 9 June 2023"),
        ("I visited the aquarium last Saturday.", "3 June 2023, the Saturday before 9 June 2023"),
        ("I visited the aquarium last weekend.", "the weekend before 9 June 2023"),
        ("We visited the aquarium two weeks ago.", "two weeks before 9 June 2023"),
        ("We visited the aquarium a few days ago.", "a few days before 9 June 2023"),
        ("I visited the aquarium last year.", "2022"),
        ("We are going to visit the aquarium next month.", ""),
        ("I visited the aquarium on 3 May 2021.", "3 May 2021"),
        ("I visited the aquarium in March 2020.", "March 2020"),
        ("I visited the aquarium last summer.", "summer 2022"),
        ("I visited the aquarium three days ago.", "6 June 2023"),
        ("I have just visited the aquarium.", "9 June 2023"),
    ],
)
def test_when_is_answered_with_a_time_relative_to_the_day_of_the_memory(text, written):
    assert answer("When did Ana visit the aquarium?", text, "The market sells sardines on 5 May 2019.") == written


@pytest.mark.parametrize(
    ("query", "text", "expected"),
    [
        ("Where does Ana's sister live?", "My sister lives in Porto.", "Porto"),
        ("Where did Oli hide the bone?", "Oli hid the bone in my slipper!", "my slipper"),
        ("Who played at the wedding?", "At the wedding Maya Torres played the harp.", "Maya Torres"),
        ("Who taught Ana to sail?", "My aunt taught me to sail.", "My aunt"),
        ("How many cats does Ana have?", "I have three cats and a parrot.", "three"),
        ("How much did the lamp cost?", "The lamp cost $45 at the fair.", "$45"),
        ("How long did the course take?", "The course took six weeks.", "six weeks"),
        ("How often does Ana swim?", "I swim twice a week.", "twice a week"),
        ("What book did Ana read?", 'I read "The Glass Harbour" again.', "The Glass Harbour"),
        ("What is the name of Ana's dog?", "My dog is called Pixel.", "Pixel"),
        ("Did Ana sell the boat?", "I sold the boat.", "Yes"),
        ("Did Ana sell the boat?", "I didn't sell the boat.", "No"),
        ("Why did Ana sell the boat?", "I sold the boat because it leaked badly.", "it leaked badly"),
        ("What time does the ferry leave?", "The ferry leaves at 7:30 am from the north pier.", "7:30 am"),
        ("Why did Ana sell the boat?", "I sold the boat 'cause it leaked.", "it leaked"),
        ("At which university did Ana study?", "I studied law at Leiden University.", "Leiden University"),
        ("What did Ana buy at the fair?", "At the fair I bought a brass lamp, and then it rained.", "brass lamp"),
        ("What does Ana play?", "I play the cello.", "cello"),
        ("Wo wohnt Ana?", "Ana wohnt in Hamburg.", "Hamburg"),
        ("¿Cuándo visitó Ana el museo?", "Ana visitó el museo 2023-05-07.", "7 de mayo de 2023"),
        ("Combien coûte la lampe?", "La lampe coûte 30 euros.", "30 euros"),
    ],
)
def test_the_sort_of_answer_asked_for_is_extracted(query, text, expected):
    assert answer(query, text) == expected


def test_a_list_is_put_together_from_several_memories():
    said = answer(
        "Which cities has Ana visited?",
        "I visited Lisbon in spring.",
        "In autumn I visited Rome.",
        "Then I visited Vienna.",
    )
    assert said == "Lisbon, Rome, Vienna"


def test_each_part_of_a_list_names_its_quotes():
    quoted = evidence("Which cities has Ana visited?", "I visited Lisbon in spring.", "In autumn I visited Rome.")
    assert answer_by_rules(Format.DIRECT_ANSWER, quoted).lead[0].quotes == (0, 1)


def test_without_a_sure_answer_the_best_sentence_is_given_as_it_is():
    said = answer(
        "What worries Ana about the harbour?",
        "Thanks, Bo! The silt rises every year and nobody dredges it. The gulls are loud.",
        "The market sells sardines.",
    )
    assert said in "The silt rises every year and nobody dredges it"


def test_points_are_sentences_that_bear_it_out():
    quoted = evidence(
        "When did Ana buy the kayak?", "I bought the kayak in May 2022.", "The kayak is red, and I love it."
    )
    points = answer_by_rules(Format.DIRECT_ANSWER, quoted).points
    assert [point.text for point in points] == ["I bought the kayak in May 2022.", "The kayak is red, and I love it."]
    assert [point.quotes for point in points] == [(0,), (1,)]


def test_a_time_without_time_words_is_the_day_of_the_memory():
    late = hit("I opened the bakery!", at=datetime(2024, 2, 1, tzinfo=UTC))
    assert (
        answer_by_rules(Format.DIRECT_ANSWER, evidence("When did Ana open the bakery?", late)).lead[0].text
        == "1 February 2024"
    )


def test_a_question_is_no_answer_when_there_is_another():
    said = answer("Where is the boat?", "Where is the boat?", "The boat lies at the north pier.")
    assert said == "the north pier"


def test_without_evidence_there_is_no_answer():
    for form in Format:
        assert answer_by_rules(form, evidence("Where is the boat?")).lead == ()


@pytest.mark.parametrize(
    ("query", "counted"),
    [
        ("How many days passed between planting the beans and repairing the pump?", "15 days"),
        ("How many days had passed since Ana planted the beans when Ana repaired the pump?", "15 days"),
        ("How long is it between planting the beans and repairing the pump?", "15 days"),
        ("How many weeks ago did Ana repair the pump?", "27 weeks ago"),
    ],
)
def test_time_that_passed_is_counted(query, counted):
    quoted = evidence(query, "I planted the beans on 10 May 2023.", "I repaired the pump on 25 May 2023.")
    lead = answer_by_rules(Format.DIRECT_ANSWER, quoted).lead[0]
    assert lead.text == counted
    assert set(lead.quotes) <= {0, 1}


def test_time_is_not_counted_from_a_day_that_is_not_known():
    said = answer("How many days passed between planting the beans and the flood?", "I planted the beans in 2021.")
    assert "days" not in said
