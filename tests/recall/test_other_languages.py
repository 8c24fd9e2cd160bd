"""Words of English, German, Spanish and French find each other's memories, and false friends do not."""

from __future__ import annotations

from collections import Counter
from itertools import chain, permutations

import pytest

from engrain import MemoryManager, Settings
from engrain.language.locales import LOCALES, word_file
from engrain.language.tokens import index_term
from training.index_terms import FILE, index_terms, written

OTHERS = (
    "The train to Leeds was late again.",
    "Ich habe gestern lange telefoniert.",
    "Ayer llovió todo el día.",
    "On a mangé trop tard hier soir.",
    "We had a good talk about the weather.",
    "Der Chef war heute schlecht gelaunt.",
)
STATED = (
    (
        "We keep chickens and two goats.",
        "My grandfather built a boat.",
        "The mechanic fixed the brakes.",
        "My wallet was stolen in Munich.",
        "Her sister is pregnant.",
    ),
    (
        "Wir halten Hühner und zwei Ziegen.",
        "Mein Großvater hat ein Boot gebaut.",
        "Der Mechaniker hat die Bremsen repariert.",
        "In München wurde der Geldbeutel gestohlen.",
        "Ihre Schwester ist schwanger.",
    ),
    (
        "Tenemos gallinas y dos cabras.",
        "Mi abuelo construyó un barco.",
        "El mecánico arregló los frenos.",
        "Me robaron la cartera en Múnich.",
        "Su hermana está embarazada.",
    ),
    (
        "On a des poules et deux chèvres.",
        "Mon grand-père a construit un bateau.",
        "Le mécanicien a réparé les freins.",
        "On m'a volé mon portefeuille à Munich.",
        "Sa sœur est enceinte.",
    ),
)
ASKED = (
    (
        "Do we keep chickens?",
        "What did my grandfather build?",
        "Who fixed the brakes?",
        "Where was my wallet stolen?",
        "Is her sister pregnant?",
    ),
    (
        "Halten wir Hühner?",
        "Was hat mein Großvater gebaut?",
        "Wer hat die Bremsen repariert?",
        "Wo wurde mein Geldbeutel gestohlen?",
        "Ist ihre Schwester schwanger?",
    ),
    (
        "¿Tenemos gallinas?",
        "¿Qué construyó mi abuelo?",
        "¿Quién arregló los frenos?",
        "¿Dónde me robaron la cartera?",
        "¿Está embarazada su hermana?",
    ),
    (
        "Est-ce qu'on a des poules ?",
        "Qu'est-ce que mon grand-père a construit ?",
        "Qui a réparé les freins ?",
        "Où m'a-t-on volé mon portefeuille ?",
        "Est-ce que sa sœur est enceinte ?",
    ),
)


@pytest.mark.parametrize(("asked", "stored"), list(permutations(range(4), 2)))
def test_a_question_in_one_language_finds_a_memory_in_another(asked: int, stored: int) -> None:
    with MemoryManager(":memory:", embedder=None, llm="none", settings=Settings(worker="none")) as memory:
        memory.remember_many({"content": text} for text in (*OTHERS, *STATED[stored]))
        first = [memory.recall(question, k=1).texts for question in ASKED[asked]]
    assert first == [(text,) for text in STATED[stored]]


@pytest.mark.parametrize(
    ("word", "term"),
    [
        ("été", "ete"),  # "been" in French
        ("gift", "gift"),  # German for poison
        ("chat", "chat"),
        ("nicht", "nicht"),
        ("schon", "schon"),
        ("Marie", "mari"),  # a name, in French also a husband without its last letter
        ("large", "larg"),
        ("sur", "sur"),
    ],
)
def test_a_word_of_several_meanings_is_indexed_as_it_is(word: str, term: str) -> None:
    assert index_term(word) == term


def test_the_index_terms_are_those_of_the_tables() -> None:
    """The file is made of the tables: `python -m training.index_terms` makes it again."""
    assert FILE.read_text(encoding="utf-8") == written(index_terms())


def test_the_dictionary_gives_each_word_once() -> None:
    rows = [line.split(";") for line in word_file("dictionary") if not line.startswith("[")]
    assert [row for row in rows if len(row) != len(LOCALES) or "".join(row) != "".join(row).lower()] == []
    for place, code in enumerate(LOCALES):
        times = Counter(chain.from_iterable(row[place].split() for row in rows))
        assert [word for word, many in times.items() if many > 1 and code != "en"] == []
