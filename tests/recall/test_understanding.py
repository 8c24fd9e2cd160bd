"""What kind of answer a question wants, and how hard it is."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.read.retrieval import difficulty, understand

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)

INTENTS = [
    ("What tools does APT28 use?", "relational"),
    ("What malware does Lazarus use?", "relational"),
    ("Which sectors does the Lazarus Group target?", "relational"),
    ("Which vulnerabilities has APT28 exploited?", "relational"),
    ("What shampoo do I use?", "factual"),
    ("What tools does my brother use?", "factual"),
    ("Which knife did the cook use?", "factual"),
    ("Show me the invoice", "factual"),
    ("What colour is the boat?", "factual"),
    ("The whyte house", "factual"),
    ("Is the cause known?", "causal"),
    ("Why did the ferry sink?", "causal"),
    ("WHY did it rain in March 2024?", "causal"),
    ("When did the ferry leave?", "temporal"),
    ("What happened last week?", "temporal"),
    ("Who knows Ben?", "relational"),
    ("How are Ana and Ben related?", "relational"),
    ("the intermediate betweenness", "factual"),
    ("Tell me about the harbour", "exploratory"),
    ("Give me an overview of the project", "exploratory"),
    ("", "factual"),
]


@pytest.mark.parametrize(("text", "kind"), INTENTS)
def test_the_kind_of_a_question(text: str, kind: str) -> None:
    assert understand(text, NOW, ()).intent == kind


SIGNS = [
    ("Show me the invoice", False, 0.0),
    ("Who likes tea?", False, 0.4),
    ("the colour of the boat", False, 0.4),
    ("Ana's sister's boat", False, 0.4),
    ("Ana's boat", False, 0.0),
    ("boat", True, 0.3),
    ("Is tea better than coffee?", False, 0.3),
    ("tea, coffee, milk", False, 0.2),
    ("tea and coffee", False, 0.0),
    ("tea? coffee?", False, 0.2),
    ("one two three four five six seven eight nine ten eleven", False, 0.0),
    ("one two three four five six seven eight nine ten eleven twelve", False, 0.15),
    ("what did the person I met in Tbilisi recommend?", False, 0.4),
    ("Who likes tea?", True, 0.7),
    ("Ana's sister's boat, and Ben, or Mira, is better than one two three four five six", True, 1.35),
]


@pytest.mark.parametrize(("text", "temporal", "score"), SIGNS)
def test_how_hard_a_question_is(text: str, temporal: bool, score: float) -> None:
    assert difficulty(text, temporal=temporal).score == pytest.approx(score)


def test_hard_begins_at_a_half() -> None:
    assert not difficulty("Who likes tea?", temporal=False).hard
    assert difficulty("tea, coffee, milk", temporal=True).hard
    assert difficulty("tea, coffee, milk", temporal=True).reasons == ("a time", "several clauses")


@pytest.mark.parametrize("text", ["the whole whichever", "mores lesser moreover", "thence, android"])
def test_words_count_only_whole(text: str) -> None:
    assert difficulty(text, temporal=False).score == 0
