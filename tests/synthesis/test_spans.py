"""Values of the sort that a question asks for, in a turn that has its words, answer where no clause is built for it."""

from __future__ import annotations

import pytest

from tests.synthesis.test_conversations import answer

FOUND = """
The plumber's Mr Hale, 0161 555 7721, really nice. | What's the plumber's number? | 0161 555 7721
New lamp for the hall, 74 quid!! | How much was the lamp? | 74 quid
The Bakers have ordered again. They're paying 1,900. | How much are the Bakers paying? | 1,900
Bin collection is on Mondays. / Bin collection has moved to Fridays. | When is bin collection? | Fridays
Changed the alarm code: 5518 | What's the alarm code? | 5518
Our two kids, Ole (9) and Pia (4), are at my mum's. | How old is Pia? | 4
We have a new kitten. He's called Mogli, so sweet | What's the kitten called? | Mogli
Wir haben jetzt Klavierunterricht bei Frau Thoma, 28 Euro die Stunde. | How much is the piano lesson? | 28 Euro
El dentista es el doctor Rius, consulta nueva. | Who is our dentist? | el doctor Rius
Le ferry pour Bastia, c'est le 3 mai à 20h. | When do we take the ferry? | 3 mai à 20h
Der Kuchen hat 38 Euro gekostet. | Cuánto costó la tarta? | 38 Euro
Granny stays ten days this time. | How long is granny staying? | ten days
Hi, I'm Ilka. Just moved here. | What's my name? | Ilka
Salut, moi c'est Aurore. / Je suis fatiguée. | What is my name? | Aurore
Soy Iñaki, encantado. | ¿Cómo me llamo? | Iñaki
Volamos a Japón el 3 de octubre. | When do we fly to Japan? | 3 de octubre
Je fais du yoga le lundi. / Le yoga passe au mardi. | When is yoga? | mardi 16 juin 2026
Mein Bruder Jan kommt im Juli. Der wohnt in Zürich. | Where does my brother live? | Zürich
Mi hermana Nerea es celíaca. / My sister lives in Bilbao. | Where does Nerea live? | Bilbao
We are near the park. We moved to Graz in May, from Linz. | Where did I live before? | Linz
"""

NOT_FOUND = """
He got stitches, 185 quid. And he has to wear the cone. | How much was the cone?
The bill was 40 euros for the taxi and the hotel. | How much was the hotel?
Tom's sister has three kids. | How many kids does Tom have?
The lamp might cost 74 euros. | How much is the lamp?
The lamp costs 74 euros. / I gave up on the lamp. | How much is the lamp?
Wifi at the shop is Lumen5G. | What is the shop called?
My dentist is Dr. Low. / The number of my vet is 0161 555 7721. | What is my dentist's number?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", FOUND.strip().splitlines())
def test_a_value_beside_the_words_of_a_question_answers(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.parametrize("row", NOT_FOUND.strip().splitlines())
def test_a_value_of_something_else_does_not_answer(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""
