"""What has ended, was taken back, or is of another person of the name is not answered as a fact."""

from __future__ import annotations

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FrozenClock
from tests.synthesis.test_conversations import answer

OPEN = """
Tom works at Kestrel. / Tom was fired. | Where does Tom work?
Tom works at Kestrel. / Tom lost his job. | Where does Tom work?
Tom is a nurse. / Tom has retired. | What is Tom's job?
I work at Kestrel. / I was laid off. | Where do I work?
Tom arbeitet bei Kestrel. / Tom hat gekündigt. | Wo arbeitet Tom?
Tom trabaja en Kestrel. / Tom se ha jubilado. | ¿Dónde trabaja Tom?
Tom travaille chez Kestrel. / Tom a perdu son travail. | Où travaille Tom ?
Tom is married to Kim. / Tom got divorced. | Who is Tom married to?
Tom Keller lives in Rome. / Tom Brandt lives in Oslo. | Where does Tom live?
My friend Tom Keller lives in Rome. / My colleague Tom Brandt lives in Oslo. | Where does Tom live?
Tom Keller likes tea. / Tom Brandt hates tea. | Does Tom like tea?
Tom Keller ist 40 Jahre alt. / Tom Brandt ist 45 Jahre alt. | Wie alt ist Tom?
Tom is ill today. / The bus was late. | Is Tom ill?
Tom ist heute krank. / Der Bus war spät. | Ist Tom krank?
Tom is on holiday until 12 June. | Is Tom on holiday?
It wasn't Kim who broke the window. | Who broke the window?
Tom thinks it was Kim who broke the window. | Who broke the window?
Maybe it is Kim who lives in Rome. | Where does Kim live?
No es Kim quien vive en Roma. | ¿Dónde vive Kim?
Ce n'est pas Kim qui habite à Rome. | Où habite Kim ?
Tom hardly speaks French. | What does Tom speak?
Tom spricht kaum Französisch. | Spricht Tom Französisch?
Tom lives in Rome /s | Where does Tom live?
Tom lives in Rome. / Wait, that's wrong. | Where does Tom live?
Tom lives in Rome. / No, just kidding. | Where does Tom live?
Tom lives in Rome. / Sorry, I meant Kim. | Where does Tom live?
Tom wohnt in Rom. / Ich meinte Kim. | Wo wohnt Tom?
Tom vive en Roma. / Perdón, me equivoqué. | ¿Dónde vive Tom?
Tom habite à Rome. / Pardon, je voulais dire Kim. | Où habite Tom ?
Write a story about Tom. Tom lives in Rome. | Where does Tom live?
Schreib eine Geschichte über Tom. Tom wohnt in Rom. | Wo wohnt Tom?
"""

ANSWERED = """
My talk is at 3. / Actually make it 4. | When is my talk? | 4
Tom está casado con Kim. / Tom y Kim se divorciaron. | ¿Está casado Tom? | No
Tom works at Kestrel. / Tom left Acme. | Where does Tom work? | Kestrel
Tom works at Kestrel. / Tom quit smoking. | Where does Tom work? | Kestrel
Tom works at Kestrel. / Tom wasn't fired. | Where does Tom work? | Kestrel
Tom is married to Kim. / Tom divorced Lisa in 2010. | Who is Tom married to? | Kim
Tom Keller lives in Rome. / Tom Brandt lives in Oslo. | Where does Tom Keller live? | Rome
Tom Keller lives in Rome. / Tom moved to Oslo. | Where does Tom live? | Oslo
Tom Keller works at Kestrel. / Tom Brandt works at Kestrel too. | Who works at Kestrel? | Tom Keller, Tom Brandt
Today Tom works at Kestrel. / The bus was late. | Where does Tom work? | Kestrel
From today the shop is closed on Mondays. / Fine. | Is the shop closed on Mondays? | Yes
It was Kim who broke the window. | Who broke the window? | Kim
It isn't only Kim who speaks French. | Who speaks French? | Kim
Tom lives in Rome. / Kim likes tea. / Sorry, I meant coffee. | Where does Tom live? | Rome
I translate books. Tom lives in Rome. | Where does Tom live? | Rome
Leo is 18 months old. | How old is Leo? | 18 months
Leo ist drei Wochen alt. | Wie alt ist Leo? | drei Wochen
Leo has 12 old books and is 9 years old. | How old is Leo? | 9
Tom owes Kim 50 euros. | Who does Tom owe money? | Kim
Tom sold Lisa his bike. | Who did Tom sell his bike to? | Lisa
The flight was booked for 3 May. I rebooked it to 5 May. | When is the flight? | 5 May
"""


@pytest.mark.matrix
@pytest.mark.parametrize("row", OPEN.strip().splitlines())
def test_what_is_not_sure_is_not_answered(row: str) -> None:
    turns, question = row.split(" | ")
    assert answer(turns, question) == ""


@pytest.mark.matrix
@pytest.mark.parametrize("row", ANSWERED.strip().splitlines())
def test_what_is_sure_is_answered(row: str) -> None:
    turns, question, expected = row.split(" | ")
    assert answer(turns, question) == expected


@pytest.mark.parametrize(
    ("text", "question", "expected"),
    [
        ("Tom is 40 years old", "How old is Tom?", "40 (10 November 2015)"),
        ("Tom ist 40 Jahre alt", "Wie alt ist Tom?", "40 (10. November 2015)"),
        ("Leo is three weeks old", "How old is Leo?", "three weeks (10 November 2015)"),
    ],
)
def test_an_age_of_long_ago_says_when_it_was_stated(text: str, question: str, expected: str) -> None:
    settings, clock = Settings(worker="none"), FrozenClock("2026-06-20T10:00:00Z")
    with MemoryManager(":memory:", llm="none", settings=settings, clock=clock) as memory:
        memory.remember(text, valid_from="2015-11-10")
        assert memory.synthesize(question)["synthesis"]["answer"] == expected


def test_a_reply_to_a_request_for_a_text_states_nothing() -> None:
    with MemoryManager(":memory:", user="kim", session="talk", llm="none", settings=Settings(worker="none")) as memory:
        memory.add_message("user", "Write a story about Tom.")
        memory.add_message("assistant", "Tom was a spy. Tom lives in Rome.")
        assert memory.synthesize("Where does Tom live?").abstained
        memory.add_message("user", "Where does Lisa live?")
        memory.add_message("assistant", "Lisa lives in Bern.")
        assert memory.synthesize("Where does Lisa live?")["synthesis"]["answer"] == "Bern"


def test_a_yes_is_less_sure_where_newer_texts_speak_of_the_person() -> None:
    with MemoryManager(":memory:", llm="none", settings=Settings(worker="none")) as memory:
        memory.remember("Kim is pregnant", source_type="user_input")
        before = memory.synthesize("Is Kim pregnant?").metadata["confidence"]
        memory.remember("Kim came home from the hospital with her baby", source_type="user_input")
        assert memory.synthesize("Is Kim pregnant?").metadata["confidence"] < 0.9 < before
