"""Names in four languages: people, places and things that are named, and no sentence, article or noun."""

from __future__ import annotations

import pytest

from engrain.language.names import capitalised, has_names, names

NAMED = {
    "Der Hund von Anna Schmidt": {"Anna Schmidt"},
    "Die Katze von Peter Meier ist krank.": {"Peter Meier"},
    "Der Termin bei Dr. Sousa ist morgen.": {"Sousa"},
    "Anna und Peter wohnen in Berlin.": {"Anna", "Peter", "Berlin"},
    "Heute war der Kaffee kalt.": set(),
    "Ich trinke gern Tee im Garten.": set(),
    "Mein Hund heißt Rex.": {"Rex"},
    "Das Projekt Kestrel läuft gut.": {"Kestrel"},
    "Wir arbeiten bei der Nordwind GmbH.": {"Nordwind GmbH"},
    "We met Dr. Sousa at St. James.": {"Sousa", "St. James"},
    "Anna Schmidt's dog is Rex.": {"Anna Schmidt", "Rex"},
    "El perro de Ana López es Rex.": {"Ana López", "Rex"},
    "Vivo en Madrid con Carlos.": {"Madrid", "Carlos"},
    "Mañana viajo a Lisboa.": {"Lisboa"},
    "Je travaille avec Marie à Lyon.": {"Marie", "Lyon"},
    "Hier, Paul Martin est parti.": {"Paul Martin"},
}


@pytest.mark.parametrize(("text", "expected"), NAMED.items())
def test_names_that_are_found(text: str, expected: set[str]) -> None:
    assert {mention.name for mention in capitalised(text)} == expected


@pytest.mark.parametrize(
    ("text", "there"),
    [
        ("Heute trinken wir Kaffee.", False),
        ("Ich war bei Anna.", True),
        ("Ayer vi a Carlos.", True),
        ("Ana fue al mar.", False),
        ("Hier j'ai vu Marie.", True),
    ],
)
def test_texts_with_and_without_names(text: str, there: bool) -> None:
    assert has_names(text) is there


def test_the_names_of_an_answer_leave_out_german_nouns() -> None:
    assert set(names("Anna hat zwei Katzen und ein Haus in Bonn.")) == {"anna", "bonn"}
