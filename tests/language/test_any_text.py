"""Whatever is written, it is read without an error: pieces of clauses and marks in any order."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language import statements
from engrain.language.changes import changes_in
from engrain.language.facts import slots_of, stated_facts
from engrain.language.locales import LOCALES
from engrain.language.quantities import values_of

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)
PIECES = (
    "E: [Open Part #] - Lengthen the named part, where # is its number.|A: |B: [x] |- |* |#|# |[|]|(|)|, |; |: |. |? "
    "|! |\n|\"|'|“|” |and |but |or |, where |, who |, not |because |if |und |aber |, der |weil |y |pero |, que |et "
    "|mais |, qui |Ana |her sister |the lake house |my code |12 May |9:30 |400 euros |web-2 |in Rome |to Oslo |from "
    "|is |was |has |moved |lives |no longer |stopped |now |wohnt |nicht mehr |zieht |vive |ya no |habite |ne |plus "
    "|I |you |it |they |ich |yo |je |called |owns |joined |works at |Acme |on Monday |yesterday |in the evening "
    "|le soir |abends |of |'s |"
).split("|")


def read(text: str) -> None:
    statements.read(text, speaker="ana")
    changes_in(text, NOW)
    stated_facts(text, "ana")
    slots_of(text, None, "ana", any_clause=True)


@pytest.mark.parametrize("text", [each for each in PIECES if len(each) > 30])
def test_texts_that_once_failed_are_parsed(text: str) -> None:
    read(text)


@given(st.lists(st.sampled_from(PIECES), max_size=24).map("".join))
def test_any_order_of_pieces_is_read(text: str) -> None:
    read(text)


@pytest.mark.parametrize("letters", ["i\u0130", "s\u017f", "k\u212a"], ids=["i", "s", "k"])
@pytest.mark.parametrize(
    "text",
    [
        "It costs sixty-six pounds per kilo.",
        "Sie kostet sechsundsechzig Euro.",
        "Pesa dieciséis kilos.",
        "Il coûte six euros.",
        "On Mondays at half past six, or at six.",
        "Montags um sechs.",
        "Six times a week, sometimes thrice.",
    ],
)
def test_letters_that_match_others_in_any_case_are_no_error(text: str, letters: str) -> None:
    for written in (text.replace(*letters), text.upper().replace(letters[0].upper(), letters[1])):
        read(written)
        for locale in LOCALES.values():
            values_of(written, locale, NOW)
