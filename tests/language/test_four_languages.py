"""What the analyser reads in English, it reads in German, Spanish and French too."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from engrain.language.cues import denies, is_filler, lasts, negations
from engrain.language.locales import LOCALES, Locale, expression, has, has_any, in_english, language_of
from engrain.language.phrases import Word, in_all_languages
from engrain.language.questions import Wanted, sort_of_answer
from engrain.language.statements import root
from engrain.language.times import windows

NOW = datetime(2024, 8, 14, 12, tzinfo=UTC)  # a Wednesday
COMMON = (  # fields that every language fills
    *("stop", "months", "weekdays", "seasons", "units", "near", "clock_words", "time_words", "numbers", "scales"),
    *("negation", "simple_negation", "hypothetical", "tentative", "over", "quantities", "turning"),
    *("ended", "changed", "corrected", "hinted", "future", "frequency", "asks_when", "asks_latest", "asks_name"),
    *("asked", "abbreviations", "chatter", "filler", "elsewhere", "advice", "asking", "lasting"),
)
NO_PHRASES = {*Locale.__annotations__, "forms", "parts", "attribute_nouns", "attribute_forms"}


def phrases_of(locale: Locale) -> list[str]:
    """Return the names of the phrases of a language."""
    return [*(name for name in locale.entries if name not in NO_PHRASES), "changing", "ending"]


@pytest.mark.parametrize("code", LOCALES)
def test_every_language_has_the_common_data(code: str) -> None:
    assert [name for name in COMMON if not getattr(LOCALES[code], name)] == []
    assert sorted(set(LOCALES[code].months.values())) == list(range(1, 13))
    assert sorted(set(LOCALES[code].weekdays.values())) == list(range(7))
    assert set(LOCALES[code].asked) == set(LOCALES["en"].asked)


@pytest.mark.parametrize("code", LOCALES)
def test_every_phrase_is_an_expression(code: str) -> None:
    for name in phrases_of(LOCALES[code]):
        expression(name, LOCALES[code])


def test_what_no_language_has_is_an_error_and_what_another_has_is_empty() -> None:
    names = {name for locale in LOCALES.values() for name in phrases_of(locale)}
    assert all(isinstance(getattr(locale, name), str) for locale in LOCALES.values() for name in names)
    assert "" in {getattr(locale, name) for locale in LOCALES.values() for name in names}
    with pytest.raises(AttributeError, match="no language has no_such_phrase"):
        _ = LOCALES["en"].no_such_phrase


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("We met Ana at the lake.", "en"),
        ("Wir haben Ana am See getroffen.", "de"),
        ("Das Release kam am 2024-07-04T10:00.", "de"),
        ("letzte Woche", "de"),
        ("Conocimos a Ana en el lago.", "es"),
        ("la semana pasada", "es"),
        ("Nous avons vu Ana au lac.", "fr"),
        ("hier soir", "fr"),
        ("Kestrel", "en"),
        ("", "en"),
    ],
)
def test_the_language_of_a_text(text: str, code: str) -> None:
    assert language_of(text).code == code


@pytest.mark.parametrize(
    ("statement", "denial", "guess"),
    [
        ("Ana lives in Rome.", "Ana does not live in Rome.", "Perhaps Ana lives in Rome."),
        ("Ana wohnt in Rom.", "Ana wohnt nicht in Rom.", "Vielleicht wohnt Ana in Rom."),
        ("Ana vive en Roma.", "Ana no vive en Roma.", "Quizás Ana vive en Roma."),
        ("Ana habite à Rome.", "Ana n'habite pas à Rome.", "Peut-être qu'Ana habite à Rome."),
    ],
)
def test_negation_and_hedging(statement: str, denial: str, guess: str) -> None:
    assert [denies(each) for each in (statement, denial, guess)] == [False, True, False]
    assert [has_any(each, "hypothetical") for each in (statement, denial, guess)] == [False, False, True]


def test_words_that_negate_by_themselves() -> None:
    assert {"not", "nicht", "nunca", "jamais", "without", "ohne", "sin", "sans"} <= negations()


@pytest.mark.parametrize(
    "text", ["Does he only drink tea?", "Trinkt er nur Tee?", "¿Siempre bebe té?", "Boit-il toujours du thé ?"]
)
def test_questions_of_quantity_or_frequency(text: str) -> None:
    assert has(text, "quantities")


@pytest.mark.parametrize(
    "text",
    [
        "I am allergic to nuts.",
        "Ich bin allergisch gegen Nüsse.",
        "Mein Hund heißt Rex.",
        "Soy vegana.",
        "Mi perro se llama Rex.",
        "Je suis végétarienne.",
        "Mon chien s'appelle Rex.",
    ],
)
def test_lasting_properties_of_a_person(text: str) -> None:
    assert lasts(text)
    assert not has(text, "elsewhere")


@pytest.mark.parametrize("text", ["Hi Ana!", "Hallo Anna!", "¡Hola Ana!", "Bonjour !", "Super, danke."])
def test_sentences_that_only_open_a_message(text: str) -> None:
    assert is_filler(text)


@pytest.mark.parametrize(
    ("text", "first", "after"),
    [
        ("last weekend", "2024-08-10", "2024-08-12"),
        ("letztes Wochenende", "2024-08-10", "2024-08-12"),
        ("el fin de semana pasado", "2024-08-10", "2024-08-12"),
        ("le week-end dernier", "2024-08-10", "2024-08-12"),
        ("since May 2024", "2024-05-01", "9999-12-31"),
        ("ab Mai 2024", "2024-05-01", "9999-12-31"),
        ("a partir de mayo de 2024", "2024-05-01", "9999-12-31"),
        ("à partir de mai 2024", "2024-05-01", "9999-12-31"),
    ],
)
def test_weekends_and_open_intervals(text: str, first: str, after: str) -> None:
    (window,) = windows(text, NOW)
    assert (window.start.date().isoformat(), window.end.date().isoformat()) == (first, after)


@pytest.mark.parametrize(
    ("question", "wanted"),
    [
        ("What is the status of Kestrel?", Wanted.THING),
        ("Was ist der Status von Kestrel?", Wanted.THING),
        ("¿Cuál es el estado de Kestrel?", Wanted.THING),
        ("Quel est le statut de Kestrel ?", Wanted.THING),
        ("Quel est le prix de Kestrel ?", Wanted.AMOUNT),
        ("Combien coûte le billet ?", Wanted.AMOUNT),
        ("Wann kam Ana?", Wanted.TIME),
    ],
)
def test_what_a_question_asks_for(question: str, wanted: Wanted) -> None:
    assert sort_of_answer(question) is wanted


@pytest.mark.parametrize("code", LOCALES)
def test_phrases_are_found_together_as_each_on_its_own(code: str) -> None:
    locale = LOCALES[code]
    fields = [name for name in phrases_of(locale) if name != "fullname" and "(?P" not in getattr(locale, name)]
    texts = [
        re.sub(r"\(\?[:!=<]*|[)\\?*+]|\{.*?\}", "", part)
        for name in fields
        for part in getattr(locale, name).split("|")
    ]
    texts = texts[::7]
    found = {name: [has_any(text, name, locale=locale) for text in texts] for name in fields}
    assert found == {name: [expression(name, locale).search(text) is not None for text in texts] for name in fields}
    assert any(map(any, found.values()))
    for one, other in pairwise(fields):
        either = [has_any(text, one, other, locale=locale) for text in texts]
        assert either == [any(both) for both in zip(found[one], found[other], strict=True)]


def test_a_noun_or_verb_is_found_under_its_english_root_in_every_language() -> None:
    english = LOCALES["en"]
    pairs = [pair for locale in LOCALES.values() for pair in in_english(locale).items()]
    assert all(form.replace("_", " ") in in_all_languages(Word(e, e, root(e, english), 0, 1)) for form, e in pairs)
