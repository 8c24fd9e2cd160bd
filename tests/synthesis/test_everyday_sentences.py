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
Our garage code is 7718. | garage code? | 7718
The SIM PIN's 5521, in case I forget. | SIM PIN? | 5521
El código del portal es 3390. | ¿código del portal? | 3390
Das WLAN-Passwort ist Pfau77. | und das WLAN-Passwort? | Pfau77
Le code du coffre est 8842. | et le code du coffre ? | 8842
Dad's birthday is on April 9. | dad's birthday? | 9 April
The tailor is open Monday to Friday 10 till 6. | When is the tailor open? | Monday to Friday 10 till 6
The surgery is open Mon to Thu 8 till 5. | When is the surgery open? | Mon to Thu 8 till 5
Der Bauhof hat Mo-Sa 8-17 Uhr geöffnet. | Wann hat der Bauhof geöffnet? | Mo-Sa 8-17 Uhr
La mairie est ouverte du lundi au jeudi de 9h à 16h. | Quand est ouverte la mairie ? | lundi au jeudi de 9h à 16h
Das Freibad macht um 8 auf und um 20:30 zu. | Wann macht das Freibad zu? | 20:30
Das Freibad macht um 8 auf und um 20:30 zu. | Wann macht das Freibad auf? | 8
El paraguas está detrás de la puerta. | ¿Dónde está el paraguas? | detrás de la puerta
Las tijeras están en el cajón al lado del horno. | ¿Dónde están las tijeras? | el cajón al lado del horno
Le parapluie est à côté de la porte. | Où est le parapluie ? | à côté de la porte
The torch is next to the boiler. | Where is the torch? | next to the boiler
I left the scooter at the station. | Where did I leave the scooter? | the station
Rufus has twins, Ida and Milo. | What are Rufus's twins called? | Ida and Milo
Rufus has twins, Ida and Milo. | names of Rufus's twins? | Ida and Milo
Nuria tiene gemelos, Ida y Milo. | ¿Cómo se llaman los gemelos de Nuria? | Ida y Milo
My tent is green, Maud's is orange. | What colour is Maud's tent? | orange
My tent is green, Maud's is orange. | What colour is my tent? | green
Our cat is called Moss and is six years old. | How old is the cat? | six
The dog is called Bram and is four years old. | How old is the dog? | four
El gato se llama Nube y tiene seis años. | ¿Cuántos años tiene el gato? | seis años
Mi prima Nuria vive en Lugo con su novio. | ¿Con quién vive Nuria? | su novio
No soporto el apio. | ¿Qué no soporto? | apio
Falcon is on hold. | How is Falcon going? | on hold
Halcón está en pausa. | ¿Cómo va Halcón? | en pausa
The rent went up by 40 euros to 910 euros. | How much is the rent? | 910 euros
It turns out Ida isn't allergic to dust. | Is Ida allergic to dust? | No
Ida can't stand celery. | What can't Ida stand? | celery
"""

UNANSWERED = """
We live in Graz. | Which street do we live on?
Wir wohnen im Urlaub in einer Pension in Sylt. | Wo wohne ich?
We are staying at a guest house in York. | Where do I live?
My coach to Ghent leaves from bay 12. | From which town does my coach leave?
Ruth and Milo live in Ghent. | Where does Nina live?
Nora ist Idas Schwester. | Is Ida allergic to pollen?
My aunt is in Rome. | How is my aunt going?
The rent went up by 40 euros. | How much is the rent?
Die Miete ist um 40 Euro gestiegen. | Wie hoch ist die Miete?
El alquiler ha subido 40 euros. | ¿Cuánto es el alquiler?
Le loyer a augmenté de 40 euros. | Combien est le loyer ?
The fee is 300 euros. / The fee was cut by 25 euros. | How much is the fee?
The kiosk is closed on Mondays. Otherwise it opens at 7:15. | What time does the kiosk close?
Der Kiosk macht um 7:15 auf. | Wann macht der Kiosk zu?
Le kiosque est fermé le lundi. Sinon il ouvre à 7h15. | À quelle heure ferme le kiosque ?
My favourite street is Elm Row, Maud's is Mill Lane. | What street does Maud live in?
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_stated_facts_are_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.matrix
@pytest.mark.parametrize("row", UNANSWERED.strip().splitlines())
def test_unstated_facts_are_not_answered(row: str) -> None:
    assert answer(*row.split(" | ")) == ""


def test_a_habit_that_was_has_no_day_of_its_own() -> None:
    assert answer("I used to smoke a pipe.", "When did I smoke a pipe?") == ""
