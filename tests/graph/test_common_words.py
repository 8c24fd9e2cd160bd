"""Words that have a capital because they begin a sentence, and abbreviations of common things, are no entities."""

from __future__ import annotations

import pytest

from engrain import MemoryManager

NOTHING = """
I have physio at three today.
Physio is on Thursday.
Today I went to the dentist.
The SHA is wrong.
SHA of the commit is abc.
My PC is broken and the TV too.
Send me the PDF and the URL.
Please check the API and the SQL.
My IBAN changed.
The DNS and the VPN are down.
The GPU and the CPU are hot.
Remind me to pay the VAT.
Physiotherapy helps me a lot.
Groceries: milk, bread and butter.
Tomorrow the plumber comes.
Gym membership costs 30 euros.
Nope, that's wrong.
Ich habe heute Physio um drei Uhr.
Heute gehe ich zur Physio.
Physio ist am Donnerstag.
Leider klappt das nicht.
Übrigens mag ich keinen Fisch.
Der TÜV ist im März fällig.
Ich muss die GEZ noch überweisen.
Das PDF liegt im Ordner.
Mein PC ist kaputt und der TV auch.
Steuererklärung bis Juli abgeben.
Kaffee trinke ich ohne Zucker.
Okay, dann nehmen wir den Zug.
Hoy tengo fisio a las tres.
Fisio es el jueves.
Quizás vayamos a la playa.
El DNI está caducado.
Tengo que pagar el IVA.
Alquiler: 900 euros.
Deberes terminados.
Nosotros comemos a las dos.
Entonces nos vemos el lunes.
Además necesito leche.
Aujourd'hui j'ai kiné à trois heures.
Kiné jeudi.
Je suis fatigué.
Peut-être qu'on ira à la mer.
Il faut payer la TVA.
Loyer : 900 euros.
Devoirs finis.
Quelqu'un a appelé.
Voilà le numéro.
Donc je prends le train.
Le PDF est dans le dossier.
"""
TEXTS = NOTHING.strip().splitlines()


def names(text: str) -> set[str]:
    memory = MemoryManager(":memory:", user="user")
    return set(memory.remember(text).memory.entities)


@pytest.mark.matrix
@pytest.mark.parametrize("text", TEXTS)
def test_ordinary_sentences_name_nobody(text: str):
    assert names(text) == set()


@pytest.mark.parametrize(
    ("text", "expected"),
    {
        "Omar likes jazz.": "Omar",
        "Kestrel is a billing service.": "Kestrel",
        "Kestrel ships in May.": "Kestrel",
        "Zorbax's owner called.": "Zorbax",
        "NASA called about the job at IBM.": "NASA",
        "Gestern Abend war Omar da.": "Omar",
        "Frag mal Jonas.": "Jonas",
        "Cumpleaños de Lena el 5 de mayo.": "Lena",
        "Anniversaire de Lena le 5 mai.": "Lena",
        "A Chromium-based browser.": "Chromium",
        "Mein Bruder und Lenas Mann sind heute da.": "Lena",
    }.items(),
)
def test_names_are_still_found(text: str, expected: str):
    assert expected in names(text)
