"""Changes of what several persons do, across languages, and what leaves another clause or thing as it is."""

from __future__ import annotations

import pytest

from tests.conflicts.test_ordinary_changes import _closed

CLOSED = """
The budget for Otter is 400 euros, and I doubt that it will do. | Lea hat das Budget für Otter auf 550 Euro erhöht.
Ida hat dienstags Klavierunterricht bei Frau Oster. | Ida's piano lesson is on Fridays now, still with Frau Oster.
My elder brother, Rufus, lives in Hull with his partner Maud. | Noticias: Rufus y Maud se han mudado a Leeds.
My car is a green Volvo from 2012. | We sold the Volvo to a neighbour for 2,100 euros.
The pharmacy on Mill Road is open until nine in the evening. | La farmacia de Mill Road cierra ahora a las ocho.
Die Bäckerei Uhl unten im Haus macht um 6:30 Uhr auf. | A small disappointment: the bakery only opens at 7:00 now.
On Tuesdays I go bouldering at the hall. | Das Bouldern habe ich aufgegeben, mein Knie macht nicht mehr mit.
Paul and I are going to Naples, June 12 to 23. | Bon, c'est décidé : on annule Naples.
"""

OPEN = """
I work as a gardens officer at the town hall, and I've been there for six years. | The garden now has 48,500 dollars.
I have lived in Freiburg since 2011. | Wir wohnen dort in einer kleinen Pension in Oban.
I have lived in Freiburg since 2011. | We are staying at a guest house in York now.
Our neighbour has a parrot called Nixon who does the microwave beep. | We're called Cold April now.
My sister Ruth lives in Hull. | Ruth and Paul visited Leeds.
"""


def _pairs(table: str) -> list[list[str]]:
    return [row.split(" | ") for row in table.strip().splitlines()]


@pytest.mark.parametrize(("old", "new"), _pairs(CLOSED))
def test_a_change_closes_what_it_changes(old: str, new: str) -> None:
    assert _closed([old, new], in_turns=True)


@pytest.mark.parametrize(("old", "new"), _pairs(OPEN))
def test_what_is_of_another_thing_closes_nothing(old: str, new: str) -> None:
    assert not _closed([old, new], in_turns=True)
    assert not _closed([old, new], in_turns=False)
