"""Key facts: the sentences of a conversation that state a decision, a constraint, a preference, a date, an amount."""

from __future__ import annotations

import pytest

from engrain.conversation import key_facts
from engrain.model.memory import FactType


def types(text: str) -> list[str]:
    return [fact.fact_type.value for fact in key_facts(text)]


@pytest.mark.parametrize(
    ("fact_type", "sentences"),
    [
        (
            FactType.DECISION,
            [
                "We decided to take the blue one.",
                "We've agreed on the later train.",
                "Let's go with the second offer.",
                "I'll take the room by the sea.",
                "Wir haben uns für Porto entschieden.",
                "Hemos decidido vender el coche.",
                "Nous avons décidé de partir.",
            ],
        ),
        (
            FactType.CONSTRAINT,
            [
                "I'm allergic to penicillin.",
                "He can't eat gluten.",
                "My budget is 800 euros.",
                "No more than 20 guests fit in.",
                "The deadline is next Monday.",
                "Ich bin allergisch gegen Nüsse.",
                "Soy alérgica a la penicilina.",
                "Je suis allergique aux noix.",
            ],
        ),
        (
            FactType.PREFERENCE,
            [
                "I prefer tea.",
                "Mia really loves old films.",
                "I don't like crowded beaches.",
                "From now on answer in French.",
                "My favourite colour is green.",
                "Ich mag keine Oliven.",
                "Me gusta el mar.",
                "J'aime le fromage.",
            ],
        ),
        (
            FactType.DATE,
            [
                "The opening is on 3 May.",
                "I met her last Friday.",
                "My flight leaves at 14:35.",
                "Das Konzert ist am Freitag.",
                "La reunión es el lunes.",
                "Le concert est vendredi.",
            ],
        ),
        (FactType.NUMBER, ["It cost $200.", "The flat has three bedrooms.", "My phone number is 0151 2345678."]),
        (FactType.ENTITY, ["My sister Ana is a nurse.", "I work at the harbour.", "We got a cat named Bailey."]),
    ],
)
def test_a_sentence_has_its_most_telling_type(fact_type, sentences):
    for sentence in sentences:
        assert [(fact, fact.fact_type) for fact in key_facts(sentence)] == [(sentence, fact_type)], sentence


@pytest.mark.parametrize(
    "sentence",
    [
        "Did we decide to go?",
        "If we decided to sell it, we would move.",
        "We haven't decided yet.",
        "We still need to agree on that.",
        "I'd love to see Japan.",
        "I can't wait!",
        "I love that!",
        "It feels like a new start.",
        "You must be tired.",
        "Thanks a lot, see you soon!",
        "Maybe we'll take the train on Friday.",
        "It was a great feeling.",
        "Wenn wir uns entschieden haben, rufe ich an.",
    ],
)
def test_questions_guesses_wishes_and_small_talk_state_nothing(sentence):
    assert key_facts(sentence) == []


def test_a_fact_keeps_its_speaker_its_order_and_its_tier():
    found = key_facts("Ana: I prefer tea.\nBo: Great!\nBo: The market is on Friday.\nAna: I prefer tea.", source_tier=2)
    assert found == ["Ana: I prefer tea.", "Bo: The market is on Friday."]
    assert {fact.source_tier for fact in found} == {2}


def test_a_general_statement_of_an_assistant_is_no_fact_of_the_conversation():
    text = (
        "assistant: Rome has 2.8 million people.\nassistant: 1. **Milan**: Visit it in June.\n"
        "assistant: You can try the trattoria on Friday.\nassistant: Your table is booked for Friday at 20:00."
    )
    assert key_facts(text) == ["assistant: Your table is booked for Friday at 20:00."]


def test_a_bullet_of_a_summary_is_read_like_a_turn():
    assert key_facts("- Ana: I'm allergic to nuts.\n- Ana: It rained.") == ["Ana: I'm allergic to nuts."]


def test_blank_text_states_nothing():
    assert types(" \n") == []
