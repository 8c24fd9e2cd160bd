"""An end that is limited, of another activity or of another member leaves the earlier statement as it is."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings

OPEN = """
Ana lives in Boston | Ana left Boston for the weekend
Ana works at Acme | Ana left Acme early today
Ana works at Acme | Ana quit coffee at Acme
Ana works at Acme | Ana quit smoking at Acme
Ana works at Acme | Ana no longer parks at Acme
Ana works at Acme | Ana was hired by Initech in 1999
Ana lives in Boston with her dog | Ana's dog died
Ana and Bo live in Boston | Bo moved to Denver
Ana lives in Boston with her mother | Ana's mother moved to Denver
Ana eats meat | Ana no longer eats meat on Fridays
The shop opens at nine | Actually, the shop opens at ten on Sundays
Ana works at Acme | Ana works at Acme Corp.
Ana wohnt in Berlin | Ana verließ Berlin für das Wochenende
Ana arbeitet bei Acme | Ana arbeitet nicht mehr nachts bei Acme
Ana trabaja en Acme | Ana dejó de fumar en Acme
Ana travaille chez Acme | Ana a arrêté de fumer chez Acme
Ana vive en Madrid | Ana dejó Madrid el fin de semana
Ana habite à Paris | Ana a quitté Paris pour le week-end
Ana works at Acme | Ana left Acme for lunch
Ana works at Acme | Ana stopped smoking at work
Ana lives in Boston with her husband | Ana's husband left for Denver on Monday
Tom drinks coffee | Tom stopped drinking coffee in the evening
Tom plays tennis | Tom no longer plays tennis on Mondays
Tom works at Bosch | Tom no longer works at night at Bosch
Tom isst Fleisch | Tom isst freitags kein Fleisch mehr
Tom wohnt in Köln mit seiner Katze | Toms Katze ist gestorben
Luis come carne | Luis ya no come carne los viernes
Marie mange de la viande | Marie ne mange plus de viande le vendredi
Ana lives in Boston | Ana flew out of Boston this morning
Ana works at Acme | Ana has left the Acme building
Tengo 34 años. | Tengo 10 años de experiencia.
Tengo 34 años. | Tengo 3 años viviendo aquí.
Tengo 34 años. | Tengo 2 años en esta empresa.
Tengo 34 años. | Tengo 3 años más que mi mujer.
Luis tiene 33 años. | Luis tiene dos años menos que Marta.
Luis tiene 33 años. | Luis tiene 5 años de experiencia.
Ich bin 34 Jahre alt. | Ich bin 20 Jahre verheiratet.
Ich bin 34 Jahre alt. | Ich bin 3 Jahre älter als meine Frau.
I am 34. | I am 3 years older than my wife.
J'ai 34 ans. | J'ai dix ans d'expérience.
Der Termin ist am Dienstag. | Der Termin beim Arzt ist am Freitag.
Ana owns a boat. | Ana no longer owns two boats.
The meeting is on Tuesday. | The meeting with the architect is on Friday.
The rent is 850 euros. | The rent is 50 euros too high.
The budget is 40,000 euros. | The budget is 5,000 euros more than last year.
The password is sunflower42. | The password is too short.
Ana is a nurse. | Ana is a mother of two.
Ana works at Acme. | Ana works at a steady pace.
Ich arbeite bei Bosch. | Ich arbeite bei offenem Fenster.
Vivo en Madrid. | Vivo en las nubes.
Ana lives in Boston. | Ana lives in Paris in her novel.
The version is 3.2. | The version is out of date.
My phone number is 555 0101. | My phone is broken.
My car is a Golf. | My car is in the garage.
The office is in Graz. | The office is in a mess.
I have a sewing machine. | Oksana gave my sewing machine back yesterday.
Thiago is my neighbour. | Thiago brought my drill back yesterday.
Ana works at Bosch. | The trip is off because Ana has to work.
I sold my old kiln for 900 euros. | Sorry, I said the new kiln cost 4,150 euros. It cost 4,510 euros.
Der Zug nach Ulm fährt um 9:15. | Ana fährt jetzt jeden Montag nach Ulm.
"""
CLOSED = """
Ana works at Acme | Ana left Acme
Ana works at Acme | Ana left Acme last week
Ana works at Acme | Ana no longer works at Acme
Ana eats meat | Ana no longer eats meat
I live in Boston | I moved to Denver
I live in Boston | I moved to Denver for my job
Ana lives in Berlin | Ana lives in Munich
Ana works at Acme | Ana works at Initech
Ana wohnt in Berlin | Ana hat Berlin verlassen
Ana lives in Boston | Ana has left Boston for good
Ana works at Acme | Ana left Acme for Initech
Ana works at Acme | Ana quit her job at Acme
Ana plays tennis | Ana no longer plays tennis because of her knee
Ana works at Acme | Ana left Acme on Friday
Ana lives in Boston | Ana left Boston in May
Ana works at Acme | Ana was hired by Initech in May
I lent my drill to my neighbour Thiago. | Thiago brought my drill back yesterday.
I lent my tent to Bo. | Bo has returned my tent.
The Slovenian course costs 240 euros. | Sorry, I said the Slovenian course costs 240 euros. It's 260 euros.
Our app is called Bluefin. | The app has been renamed. It is called Harbour now.
"""


def _rows(table: str) -> list[tuple[str, str]]:
    return [(old, new) for line in table.strip().splitlines() for old, _, new in [line.partition(" | ")]]


def _is_superseded(old: str, new: str) -> bool:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        first = memory.remember(old, source_type="user_input")
        memory.remember(new, source_type="user_input")
        found = memory.get(first.id)
        assert found is not None
        return found.is_superseded


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), _rows(OPEN))
def test_a_true_statement_stays(old: str, new: str) -> None:
    assert not _is_superseded(old, new)


@pytest.mark.matrix
@pytest.mark.parametrize(("old", "new"), _rows(CLOSED))
def test_a_change_replaces_the_earlier_statement(old: str, new: str) -> None:
    assert _is_superseded(old, new)
