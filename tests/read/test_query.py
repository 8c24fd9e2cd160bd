"""What a question is understood to ask."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.read.retrieval import Question, understand

MONDAY = datetime(2026, 1, 5, 12, tzinfo=UTC)


def asked(text: str, *actors: str) -> Question:
    """Return the question, asked on a Monday of a memory in which these people speak."""
    return understand(text, MONDAY, actors)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("Where does Ana live?", "factual"),
        ("What is the wifi password?", "factual"),
        ("Show me the invoice", "factual"),
        ("Show the relations file", "factual"),
        ("Why did the server fail?", "causal"),
        ("What caused the outage?", "causal"),
        ("How come he left?", "causal"),
        ("When did Ana move?", "temporal"),
        ("What did we do last week?", "temporal"),
        ("How are Ana and Marco related?", "relational"),
        ("Who works with Ana?", "relational"),
        ("Tell me about Ana", "exploratory"),
        ("What do we know of the incident", "exploratory"),
        ("", "factual"),
    ],
)
def test_the_intent_is_read_from_whole_words(text: str, intent: str) -> None:
    assert asked(text).intent == intent


def test_the_terms_are_the_informative_words_each_once() -> None:
    assert asked("What did the cats say to the dogs and cats?").terms == ("cat", "say", "dog")
    assert set(asked("to be or not to be").terms) == {"to", "be", "or", "not"}
    assert asked("?!").terms == ()


def test_a_window_is_relative_to_the_questions_own_clock() -> None:
    (window,) = asked("what happened yesterday?").windows
    assert (window.start, window.end) == (datetime(2026, 1, 4, tzinfo=UTC), datetime(2026, 1, 5, tzinfo=UTC))
    assert asked("what happened?").windows == ()


@pytest.mark.parametrize(
    ("text", "when", "latest"),
    [
        ("When did Ana move?", True, False),
        ("Where does Ana live?", False, False),
        ("What did Ana say last time?", False, True),
        ("What is the most recent invoice?", False, True),
    ],
)
def test_asking_when_and_asking_for_the_latest(text: str, when: bool, latest: bool) -> None:
    question = asked(text)
    assert (question.wants_time, question.wants_latest) == (when, latest)


@pytest.mark.parametrize(
    ("text", "actors", "named"),
    [
        ("What did Ana say?", ("Ana", "Marco"), "Ana"),
        ("What did ana say?", ("Ana Silva", "Marco"), "Ana Silva"),
        ("What did Mar say?", ("Ana", "Marco"), "Marco"),
        ("What did Ana tell Marco?", ("Ana", "Marco"), None),
        ("What did they say?", ("Ana", "Marco"), None),
        ("What did the user say?", ("user", "assistant"), None),
        ("What did Ana say?", (), None),
        ("analysis of the banana", ("Ana",), None),
    ],
)
def test_who_is_named(text: str, actors: tuple[str, ...], named: str | None) -> None:
    assert asked(text, *actors).named_actor == named


def test_who_asks_and_who_is_asked() -> None:
    mine, yours, neither = asked("What is my name?"), asked("What did you recommend?"), asked("What is the name?")
    assert (mine.by_user, mine.by_assistant) == (True, False)
    assert (yours.by_user, yours.by_assistant) == (False, True)
    assert (neither.by_user, neither.by_assistant) == (False, False)


@given(st.text(max_size=80), st.lists(st.text(min_size=1, max_size=10), max_size=3))
def test_any_text_is_understood(text: str, actors: list[str]) -> None:
    question = understand(text, MONDAY, actors)
    assert question.text == text
    assert len(set(question.terms)) == len(question.terms)
    assert question.named_actor in (None, *actors)
    assert all(window.start <= window.end for window in question.windows)


@pytest.mark.parametrize("now", [datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC)])
@pytest.mark.parametrize(
    "text", ["last week", "in 300 years", "10000 years ago", "next March", "tomorrow", "yesterday"]
)
def test_the_ends_of_the_calendar_are_no_error(text: str, now: datetime) -> None:
    assert all(window.start <= window.end for window in understand(text, now, ()).windows)
