"""Which memories are quoted, and with which words."""

from __future__ import annotations

from engrain.synthesis.evidence import gathered
from tests.synthesis.evidence_by_hand import NOW, evidence, found, hit

LONG = (
    "The meeting began at nine. " * 12
    + "The keys of the boathouse hang behind the blue door. "
    + "Nobody spoke of the weather. " * 12
)


def test_a_short_memory_is_quoted_whole():
    (quote,) = evidence("Where is the key?", "  The key is under the mat.\nAsk Bo. ").quotes
    assert quote.text == quote.memory.content


def test_of_a_long_memory_the_sentences_that_answer_are_quoted():
    (quote,) = evidence("Where do the keys of the boathouse hang?", LONG).quotes
    assert "behind the blue door" in quote.text
    assert len(quote.text) <= 300
    assert quote.text in LONG


def test_a_long_memory_without_sentences_is_quoted_in_part():
    (quote,) = evidence("Where is the key?", "key " * 30_000).quotes
    assert 0 < len(quote.text) <= 600
    (quote,) = evidence("Where is the key?", "…" * 5_000).quotes
    assert 0 < len(quote.text) <= 300


def test_near_copies_are_quoted_once():
    again = hit("The keys hang behind the blue door!", number=1)
    quotes = evidence("Where are the keys?", hit("The keys hang behind the blue door."), again).quotes
    assert [quote.memory.id for quote in quotes] == ["m0"]


def test_a_statement_of_two_people_is_quoted_twice():
    other = hit("The keys hang behind the blue door.", number=1, actor="Bo")
    assert len(evidence("Where are the keys?", hit("The keys hang behind the blue door."), other).quotes) == 2


def test_contested_memories_come_last():
    disputed = hit("The keys hang in the shed.", relevance=1.0, contested=("m1",))
    quotes = evidence("Where are the keys?", disputed, hit("The keys hang behind the blue door.", number=1)).quotes
    assert [quote.memory.id for quote in quotes] == ["m1", "m0"]


def test_nothing_is_quoted_when_no_hit_is_relevant_enough():
    assert evidence("Where are the keys?", hit("Sardines are sold on Fridays.", relevance=0.2)).quotes == ()
    assert evidence("Where are the keys?").quotes == ()


def test_weak_hits_are_quoted_near_the_top_alone():
    relevance = [0.9, 0.05, 0.2, 0.9, 0.9, 0.9, 0.9, 0.9, 0.5, 0.6]
    hits = [hit(f"Note {chr(97 + n)}{n} of the day.", relevance=each, number=n) for n, each in enumerate(relevance)]
    quoted = gathered(found("Which note?", *hits), now=NOW, threshold=0.3)
    assert [quote.memory.id for quote in quoted.quotes] == [f"m{n}" for n in (0, 2, 3, 4, 5, 6, 7, 9)]


def test_no_more_is_quoted_than_asked_for():
    hits = [hit(f"Key number {n} hangs on hook {chr(97 + n)}{n}.", number=n) for n in range(9)]
    assert len(gathered(found("Which key?", *hits), now=NOW, threshold=0.3, most=4).quotes) == 4
