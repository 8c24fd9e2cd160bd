"""A correction that only gives the wrong and the right words: "Sorry, I said Bonn, it's Bern"."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock

ROWS = """
My cousin lives in Gent. | Sorry, I said Gent, it's Lund. | Where does my cousin live? | Lund
Meine Tante wohnt in Gent. | Entschuldigung, ich sagte Gent, es ist Lund. | Wo wohnt meine Tante? | Lund
Mi tía vive en Vigo. | Perdón, dije Vigo, es Lugo. | ¿Dónde vive mi tía? | Lugo
Ma tante habite à Lyon. | Pardon, j'ai dit Lyon, c'est Dijon. | Où habite ma tante ? | Dijon
The name of my son is Otto. | Sorry, I said Otto, it's Oskar. | What is the name of my son? | Oskar
The deposit is 300 euros. | Sorry, not 300, 450 euros. | How much is the deposit? | 450
La fianza es de 300 euros. | Perdón, no 300, 450 euros. | ¿Cuánto es la fianza? | 450
My favourite colour is brown. | Sorry, I said brown, it's orange. | What is my favourite colour? | orange
Mi tía vive en Vigo. | Quise decir Lugo, no Vigo. | ¿Dónde vive mi tía? | Lugo
The rehearsal is on Monday. | Sorry, I said Monday, it's Tuesday. | When is the rehearsal? | Tuesday
I have a vet appointment on 14 July. | Sorry, I said the vet is on the 14th, it's the 15th. | \
What day was my vet appointment? | 15
"""


@pytest.mark.matrix
@pytest.mark.parametrize("sessions", ["one", "two", "none"])
@pytest.mark.parametrize("row", ROWS.strip().splitlines())
def test_the_right_words_replace_the_wrong_ones(row: str, sessions: str) -> None:
    *texts, question, expected = row.split(" | ")
    clock = FrozenClock("2026-06-02T09:00:00+00:00")
    with MemoryManager(":memory:", user="ana", llm="none", clock=clock, settings=Settings(worker="none")) as memory:
        for number, text in enumerate(texts):
            if sessions == "none":
                memory.remember(text, source_type="user_input")
            else:
                memory.add_message("user", text, session=f"s{number * (sessions == 'two')}")
            if sessions == "two" or (sessions == "one" and number):
                memory.end_session(f"s{number * (sessions == 'two')}")
            clock.advance(timedelta(minutes=5))
        assert expected in str(memory.synthesize(question).synthesis["answer"])


def test_words_that_no_statement_has_correct_nothing() -> None:
    with MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none")) as memory:
        memory.remember("My cousin lives in Gent.")
        memory.remember("I said no, it's fine.")
        assert memory.synthesize("Where does my cousin live?").synthesis["answer"] == "Gent"
