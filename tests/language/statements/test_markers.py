"""Pairs in which the newer text says that the older one no longer holds, was wrong, or is not so."""

from __future__ import annotations

import pytest

from engrain.language.comparison import Relation, compare
from engrain.language.statements import read

ENDED = """
The deploy script no longer uses Docker | The deploy script uses Docker
The deploy script doesn't use Docker anymore | The deploy script uses Docker
The deploy script stopped using Docker | The deploy script uses Docker for builds
The deploy script used to use Docker | The deploy script uses Docker
APT28 stopped using X-Agent, switched to HeadLace | APT28 deployed X-Agent via spearphishing of NATO members
Sofia no longer lives in Rome | Sofia lives in Rome
Sofia no longer lives in Rome, she lives in Oslo | Sofia lives in Rome with her mother
Sofia has stopped eating meat | Sofia eats meat
Sofia quit smoking cigars | Sofia smokes cigars in the evening
Bob is no longer the CEO of Acme | Bob is the CEO of Acme
Ana no longer likes olives because of the salt | Ana likes olives
Ana wohnt nicht mehr in Berlin | Ana wohnt in Berlin
Ana isst kein Fleisch mehr | Ana isst Fleisch
Der Server nutzt kein Docker mehr | Der Server nutzt Docker
Ana ya no vive en Madrid | Ana vive en Madrid
El servidor ya no usa Docker | El servidor usa Docker
Ana dejó de fumar puros | Ana fuma puros
Ana ne vit plus à Paris | Ana vit à Paris
Le serveur n'utilise plus Docker | Le serveur utilise Docker
Ana ne mange plus de viande | Ana mange de la viande
Ana stopped drinking coffee | Ana drinks coffee every morning
"""
CHANGED = """
The team switched from Slack to Teams | The team uses Slack
The team replaced Slack with Teams | The team uses Slack for chat
The team uses Teams instead of Slack | The team uses Slack
Ana now drinks tea instead of coffee | Ana drinks coffee
Ana works at Globex instead of Acme | Ana works at Acme
The wifi password is now hunter3 | The wifi password is hunter2
The price is now 5 euros | The price is 10 euros
The deadline is now June 5 | The deadline is June 3
The class is now on Wednesday at 9 | The class is on Tuesday at 10
The meeting is now at 5pm | The meeting is at 3pm
Ana's favourite colour is now blue | Ana's favourite colour is red
Ana's dog is now called Rex | Ana's dog is called Max
The service now runs on port 8080 | The service runs on port 80
Atlas moved to Tbilisi | Atlas lives in Boston
Ana's new email is ana@example.org | Ana's email is ana@example.com
The status of Atlas changed from red to green | Atlas's status is red
Das WLAN-Passwort ist jetzt hunter3 | Das WLAN-Passwort ist hunter2
La contraseña es ahora hunter3 | La contraseña es hunter2
Le code est maintenant 8814 | Le code est 8841
El equipo cambió de Slack a Teams | El equipo usa Slack
"""
CORRECTED = """
Correction: the locker code is 8814 | The locker code is 8841
Actually, Ana's dog is called Rex | Ana's dog is called Max
The locker code is actually 8814 | The locker code is 8841
I was wrong, the locker code is 8814 | The locker code is 8841
No, I meant the locker code is 8814 | The locker code is 8841
Scratch that, the locker code is 8814 | The locker code is 8841
No wait, the locker code is 8814 | The locker code is 8841
No, wait, the locker code is 8814 | The locker code is 8841
The meeting is not on Monday but on Tuesday | The meeting is on Monday
The locker code is 8814, not 8841 | The locker code is 8841
Ana isn't allergic to nuts but to eggs | Ana is allergic to nuts
Actually, Ana lives in Oslo | Ana lives in Boston
Korrektur: der Code ist 8814 | Der Code ist 8841
Corrección: el código es 8814 | El código es 8841
En fait, le code est 8814 | Le code est 8841
Correction: the deadline is June 5 | The deadline is June 3
Actually, the deadline is 5 June | The deadline is June 3
Correction: the deadline is June 5, 2025 | The deadline is June 3, 2025
Actually, the launch is on June 5 | The launch is on June 3
Actually, the launch is on 5 May | The launch is on 3 May
Actually, the meeting is on Wednesday at 10 | The meeting is on Tuesday at 10
Correction: the meeting is on Tuesday at 11 | The meeting is on Tuesday at 10
Actually, the review is on Tuesday morning | The review is on Monday morning
I meant the train leaves at 10 | The train leaves at 9
"""
DOUBTED = """
Actually, Ana's flight lands on Tuesday | Ana's flight lands on Monday
Actually, Ana visited Rome in May | Ana visited Rome in June
Actually, the server runs Debian | The server runs Ubuntu
Actually, the app is written in Rust | The app is written in Python
Actually, Ana's sister is Iva | Ana's sister is Eva
Actually, Ana is from Oslo | Ana is from Rome
Correction: the door is red | The door is green
Correction: Ana likes tea | Ana likes coffee
I meant the room has 5 chairs | The room has 4 chairs
"""
DENIED = """
Ana does not like olives | Ana likes olives
Ana doesn't like olives | Ana likes olives
Ana never eats fish | Ana eats fish
The build is not green | The build is green
Ana cannot swim | Ana can swim
Ana mag keine Oliven | Ana mag Oliven
Ana no come carne | Ana come carne
Ana n'aime pas les olives | Ana aime les olives
"""


def pairs(block: str) -> list[list[str]]:
    return [line.split(" | ") for line in block.strip().splitlines()]


@pytest.mark.parametrize(("new", "old"), pairs(ENDED) + pairs(CHANGED))
def test_an_ended_or_changed_value_is_replaced_and_never_vice_versa(new, old):
    assert compare(read(new), read(old)) is Relation.REPLACES
    assert compare(read(old), read(new)) is Relation.NONE


@pytest.mark.parametrize(("new", "old"), pairs(CORRECTED))
def test_a_wrong_statement_is_corrected(new, old):
    assert compare(read(new), read(old)) is Relation.CORRECTS
    assert read(new).correction


@pytest.mark.parametrize(("new", "old"), pairs(DENIED))
def test_a_negated_statement_contradicts(new, old):
    assert compare(read(new), read(old)) is Relation.CONTRADICTS
    assert compare(read(old), read(new)) is Relation.NONE


@pytest.mark.parametrize(("new", "old"), pairs(DOUBTED))
def test_a_correction_that_need_not_replace_contradicts(new, old):
    assert compare(read(new), read(old)) is Relation.CONTRADICTS
    assert compare(read(old), read(new)) is Relation.NONE


def test_two_speakers_are_two_subjects():
    assert compare(read("I no longer eat meat", speaker="Kim"), read("I eat meat", speaker="Kim")) is Relation.REPLACES
    assert compare(read("I no longer eat meat", speaker="Kim"), read("I eat meat", speaker="Tom")) is Relation.NONE
    assert compare(read("I no longer eat meat"), read("I eat meat")) is Relation.NONE


def test_markers_are_flagged():
    assert read("The code is now 5").change
    assert read("Scratch that, the code is 5").correction
    assert read("The code is not 5").negation
    plain = read("The code is 5")
    assert [plain.change, plain.correction, plain.negation] == [False] * 3
