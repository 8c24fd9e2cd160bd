"""Where sentences and clauses end, in four languages."""

from __future__ import annotations

import pytest

from engrain.language.tokens import begins_sentence, clauses, sentence_parts, sentences

WHOLE = [
    "Wir ziehen am 12. September nach Porto.",
    "Am 3. Oktober ist frei.",
    "Vom 3. bis 5. Mai sind wir weg.",
    "Er wohnt im 2. Stock links.",
    "Der 1. FC Nordwind gewann.",
    "Seine 2. Frau heißt Ida.",
    "Das kostet ca. 40 Euro.",
    "Wir brauchen z.B. Nägel und Schrauben.",
    "Herr Dr. Sousa kommt um 8 Uhr.",
    "Bitte bis spätestens 30. Juni melden.",
    "Dr. Sousa lives in St. James.",
    "Mrs. Quell met J. R. Dorn at Mt. Fuji.",
    "J.K. Dorn wrote it, e.g. in Rome.",
    "She works for the U.S. Department of Energy.",
    "We meet at 3 p.m. on Monday.",
    "It costs 3.50 euros and 55,000 came.",
    "The host git.nordwind.example runs version 2.3.1 of it.",
    "Acme Inc. and Foo Ltd. merged.",
    "El Sr. López vive en la Av. Central.",
    "Dña. Ana compró p.ej. pan.",
    "M. Dupont habite à St. Malo.",
    "Il faut env. 40 vis.",
    "Der Termin ist am 5. 6. 2024 um zehn.",
    "Ich habe die Miete am 5. bezahlt.",
    "Omar wohnt im 3. Stock.",
    "Er wohnt in der Hauptstr. 5 in Köln.",
    "Frau Dipl.-Ing. Maier kommt am Montag.",
    "Die Nordwind GmbH & Co. KG zahlt.",
    "Die Dr. med. Weber ist da.",
    "Mon dentiste est Mme. Sousa.",
    "Write to ana.lopes@nordwind.example or see report.final.pdf and v2.3.1 there.",
]
SEVERAL = {
    "I have 3. He has 5.": ["I have 3.", "He has 5."],
    "Ich habe 3. Er hat 5.": ["Ich habe 3.", "Er hat 5."],
    "Das war 2024. Danach kam nichts.": ["Das war 2024.", "Danach kam nichts."],
    "No. I live in Rome.": ["No.", "I live in Rome."],
    "So do I. Then we left.": ["So do I.", "Then we left."],
    "We left at 3 p.m. Then it rained.": ["We left at 3 p.m.", "Then it rained."],
    "Milk, eggs, etc. Buy them.": ["Milk, eggs, etc.", "Buy them."],
    "Nägel usw. Das reicht.": ["Nägel usw.", "Das reicht."],
    "Vive en Madrid. ¿Y tú?": ["Vive en Madrid.", "¿Y tú?"],
    "Il est parti. Elle reste.": ["Il est parti.", "Elle reste."],
    "It is art. We like it.": ["It is art.", "We like it."],
    "That is the max. Stop there.": ["That is the max.", "Stop there."],
    "1. Milk\n2. Eggs": ["1. Milk", "2. Eggs"],
    "Trabaja en EE. UU. desde 2020. Bien.": ["Trabaja en EE. UU. desde 2020.", "Bien."],
    "Der Termin ist am 12. Er ist kurz.": ["Der Termin ist am 12.", "Er ist kurz."],
    "Le rendez-vous est le 12. Il est court.": ["Le rendez-vous est le 12.", "Il est court."],
}


@pytest.mark.parametrize("text", WHOLE)
def test_abbreviations_ordinals_and_numbers_end_no_sentence(text: str) -> None:
    assert sentences(text) == [text]
    assert sentences(f"{text} Und dann?") == [text, "Und dann?"]


@pytest.mark.parametrize(("text", "parts"), SEVERAL.items())
def test_sentences_end_where_they_end(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts
    assert "".join(sentence_parts(text)) == text


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("Ana moved to Paris, and Bo stayed.", ["Ana moved to Paris", "Bo stayed."]),
        ("Sie wohnt in Bonn, aber arbeitet in Köln.", ["Sie wohnt in Bonn", "arbeitet in Köln."]),
        ("Vive en Madrid y trabaja en Toledo.", ["Vive en Madrid", "trabaja en Toledo."]),
        ("Il habite à Lyon mais travaille à Dijon.", ["Il habite à Lyon", "travaille à Dijon."]),
        ("55,000 came; 3,5 stayed.", ["55,000 came", "3,5 stayed."]),
        ("The host is git.nordwind.example now.", ["The host is git.nordwind.example now."]),
        ("Dr. Sousa, my dentist, is in Porto.", ["Dr. Sousa", "my dentist", "is in Porto."]),
        ("Ich habe die Miete am 5. bezahlt.", ["Ich habe die Miete am 5. bezahlt."]),
        ("Vive en la Avda. Central núm. 5 y trabaja allí.", ["Vive en la Avda. Central núm. 5", "trabaja allí."]),
        ("M. Dupont habite à St. Malo et lit.", ["M. Dupont habite à St. Malo", "lit."]),
    ],
)
def test_clauses(text: str, parts: list[str]) -> None:
    assert [text[start:stop] for start, stop in clauses(text)] == parts


@pytest.mark.parametrize(
    ("text", "word", "begins"),
    [
        ("Ana left. Bo stayed.", "Bo", True),
        ("Dr. Sousa left.", "Sousa", False),
        ("We met Ana.", "Ana", False),
        ("- Bo stayed", "Bo", True),
        ("1. Milk", "Milk", True),
        ("¿Quién vino?", "Quién", True),
    ],
)
def test_words_that_begin_a_sentence(text: str, word: str, begins: bool) -> None:
    assert begins_sentence(text, text.index(word)) is begins


@pytest.mark.parametrize(
    "text",
    [
        "In March, Mandal (a U.S. company, part of Acme Inc.) answered the call.",
        "It closed (in Jan.) and reopened.",
        "Das Haus (erbaut ca. 1900.) wurde verkauft.",
    ],
)
def test_an_aside_that_ends_in_a_full_stop_ends_no_sentence(text: str) -> None:
    assert sentences(text) == [text]
    assert sentences("He left (at last.) She stayed.") == ["He left (at last.)", "She stayed."]
