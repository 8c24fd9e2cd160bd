"""Ordinary talk states few facts: what only has the words of one is none."""

from __future__ import annotations

import pytest

from engrain.language.facts import stated_facts

NONE = [
    "Nice, that's a wonderful idea!",
    "I love baking - it's a real comfort.",
    "They are a huge help.",
    "We're both tired.",
    "Here's a picture of the lamp I built.",
    "There are a couple of songs I really like.",
    "I'm reading a novel called Dune.",
    "I talked to someone named Petra.",
    "I have a question, Otto.",
    "I started Italian lessons on Monday.",
    "I've eaten my words.",
    "I love watching them eat soup.",
    "I just got back from the loudest Metallica concert.",
    "I've been wanting to visit Oslo.",
    "We rehearsed a piece called Boléro.",
    "Thanks a million, Paula!",
    "It was a wild night, and I am a mess.",
    "He's a lifesaver.",
    "Das ist eine tolle Idee!",
    "Hier ist ein Foto vom Kuchen, den ich gebacken habe.",
    "Ich lese gerade einen Roman namens Momo.",
    "Wir sind beide müde.",
    "Es ist eine echte Herausforderung.",
    "Voilà une photo du gâteau que j'ai fait.",
    "C'est une super idée !",
    "Je lis un roman appelé Germinal.",
    "Nous sommes tous les deux fatigués.",
    "Aquí hay una foto del pastel que hice.",
    "¡Es una idea genial!",
    "Estoy leyendo una novela llamada Nada.",
    "She's a fan.",
    "I work on a mural called Spring with Tom.",
    "You're a star!",
    "My week was a rollercoaster.",
    "I had dinner with my aunt, Greta.",
]
SOME = [
    "I'm gluten intolerant so I buy rice noodles.",
    "I'm a nurse.",
    "My sister is a paramedic.",
    "I work as a pilot.",
    "My boss is called Graça.",
    "I started at Bosch in May.",
    "I joined Google last week.",
    "I'm allergic to nuts.",
    "I drink coffee every day.",
    "Ich bin Krankenschwester.",
    "Meine Schwester ist Anwältin.",
    "Soy enfermera.",
    "Mi hermana es abogada.",
    "Je suis infirmière.",
    "Ma sœur est avocate.",
    "I'm 34 years old.",
    "I have a Golf.",
    "My neighbour is a firefighter.",
    "Lena is a software engineer.",
    "Tom is a florist.",
    "Otto is a beekeeper.",
    "My dad is a retired judge.",
]


@pytest.mark.parametrize("text", NONE)
def test_talk_that_states_no_fact_gives_none(text: str) -> None:
    assert [each.fact for each in stated_facts(text, "kim") if each.fact] == []


@pytest.mark.parametrize("text", SOME)
def test_plain_statements_are_facts(text: str) -> None:
    assert any(each.fact for each in stated_facts(text, "kim"))


@pytest.mark.parametrize(
    ("text", "subject"),
    [
        ("The deadline for phase 2 is 4 May.", "phase 2"),
        ("My maiden name is Stern.", "ana"),
        ("The deadline on Monday is 9:00.", None),
        ("My parcel status is delayed.", None),
    ],
)
def test_a_modifier_of_a_subject_is_part_of_it_or_there_is_no_fact(text: str, subject: str | None) -> None:
    found = [each.fact for each in stated_facts(text, "ana") if each.fact is not None]
    assert [fact.subject for fact in found] == ([] if subject is None else [subject])
    assert all(fact.predicate not in ("name", "status") for fact in found)
