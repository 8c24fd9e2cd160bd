"""Sentences as they are said every day: several persons, numbers in words, hours, past forms, rooms and roads."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

ANSWERED = """
Ruth and Milo live in Ghent. | Where does Milo live? | Ghent
Ruth and Milo have moved to Bern. | Where does Ruth live? | Bern
Novedades: Nuria y Hugo se han mudado a Lugo. | ¿Dónde vive Nuria? | Lugo
Nina und Jonas sind nach Jena gezogen. | Wo wohnt Nina? | Jena
Meine Eltern und ich wohnen in Fulda. | Wo wohnen meine Eltern? | Fulda
My brother and I are allergic to wasps. | What is my brother allergic to? | wasps
My aunt Ottilie is sixty-four years old. | How old is my aunt? | sixty-four
Mi abuelo tiene ochenta y siete años. | ¿Cuántos años tiene mi abuelo? | ochenta y siete años
Mon oncle a soixante et onze ans. | Quel âge a mon oncle ? | soixante et onze
Mein Nachbar ist dreiundfünfzig. | Wie alt ist mein Nachbar? | dreiundfünfzig
Ma tante a quatre-vingt-douze ans. | How old is my aunt? | quatre-vingt-douze
I have a sister, Maud, 41, in Bath. | How old is my sister? | 41
Tenemos dos hijos: Nuria, que tiene ocho años, y Leo, que tiene tres. | How old is Leo? | tres
The archive is open from 9 to 1 on Fridays. | When is the archive open on Fridays? | 9 to 1
Das Museum hat freitags von 11 bis 17 Uhr geöffnet. | Wann hat das Museum freitags geöffnet? | 11 bis 17 Uhr
Das Museum hat freitags von 11 bis 17 Uhr geöffnet. | Bis wann hat das Museum freitags geöffnet? | 17 Uhr
My grandfather died in 1999. He was a glazier. | What did my grandfather do for a living? | glazier
My aunt retired in 2011. | When did my aunt retire? | 2011
Ida isn't allergic to anything. | Is Ida allergic to pollen? | No
Nora no es alérgica a nada. | ¿Es Nora alérgica a los cacahuetes? | No
I'm allergic to wasps, please note that somewhere. | What am I allergic to? | wasps
Leo es alérgico al polen, así que cerramos las ventanas. | ¿A qué es alérgico Leo? | polen
My tutor is Frau Ahlers. She's kind but slow, and she likes tea. | Who is my tutor? | Frau Ahlers
We live in Leeds, on Cherry Lane, in an old house. | What street do we live on? | Cherry Lane
Wir wohnen in Celle in der Mühlenstraße 8. | In welcher Straße wohnen wir? | der Mühlenstraße 8
Am 3. Mai ist Elternabend in Lenas Schule, um 19 Uhr in Raum 118. | In welchem Raum ist der Elternabend? | Raum 118
My cousin Paul is a cook at the Kiln restaurant. | At which restaurant does Paul work? | the Kiln restaurant
We have a reading in Weiz on 13 June. | In which town is our reading? | Weiz
I work as a draughtsman at a small firm called Oak & Sons. | Where do I work? | Oak & Sons
Je travaille comme relieuse chez Atelier Nord. | Comment s'appelle l'entreprise où je travaille ? | Atelier Nord
Ich arbeite als Gärtnerin bei Grünwerk. | Wie heißt die Firma, bei der ich arbeite? | Grünwerk
Trabajo como soldador en Metalnor. | ¿Cómo se llama la empresa donde trabajo? | Metalnor
Clara va a abrir una librería con su primo. | ¿Qué va a abrir Clara con su primo? | librería
Compré la mesa en Jaén. | ¿Dónde compré la mesa? | Jaén
We finally sold the caravan! A teacher paid 4,100 euros for it. | How much did I get for the caravan? | 4,100 euros
Moppel is home. She's grey with one white ear. | What colour is Moppel? | grey
"""

UNANSWERED = """
We live in Graz. | Which street do we live on?
Wir wohnen im Urlaub in einer Pension in Sylt. | Wo wohne ich?
We are staying at a guest house in York. | Where do I live?
My coach to Ghent leaves from bay 12. | From which town does my coach leave?
Ruth and Milo live in Ghent. | Where does Nina live?
Nora ist Idas Schwester. | Is Ida allergic to pollen?
"""


@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_what_was_stated_answers(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_what_was_not_stated_does_not_answer(row: str) -> None:
    assert answer(*row.split(" | ")) == ""


def test_a_habit_that_was_has_no_day_of_its_own() -> None:
    assert answer("I used to smoke a pipe.", "When did I smoke a pipe?") == ""
