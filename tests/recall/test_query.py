"""Understanding a question, as a pure function of its text, its clock and who speaks."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from engrain.read.retrieval import Question, understand

NOW = datetime(2026, 1, 5, 12, tzinfo=UTC)


def ask(text: str, *actors: str) -> Question:
    """Understand a question at noon of 5 January 2026."""
    return understand(text, NOW, actors)


@pytest.mark.parametrize(
    ("text", "intent"),
    [
        ("what is Ana allergic to?", "factual"),
        ("show me the invoice", "factual"),
        ("whenever suits", "factual"),
        ("when did Ana move?", "temporal"),
        ("what happened last week?", "temporal"),
        ("who works with Ana?", "relational"),
        ("what is the relationship of Ana and Ben?", "relational"),
        ("why did the build fail?", "causal"),
        ("WHY did we move last week?", "causal"),
        ("tell me about the project", "exploratory"),
        ("summarise the meeting", "exploratory"),
        ("unrelated", "factual"),
        ("", "factual"),
    ],
)
def test_intent(text: str, intent: str) -> None:
    assert ask(text).intent == intent


def test_terms_are_informative_words_each_once() -> None:
    assert len(ask("Where is the car? The car, the CARS!").terms) == 1


def test_where_no_word_is_informative_all_count() -> None:
    assert ask("the of and").terms == ("the", "of", "and")
    assert ask("?!").terms == ()


def test_inflected_words_are_one_term() -> None:
    assert ask("running").terms == ask("runs").terms == ask("ran").terms


class TestNames:
    @pytest.mark.parametrize("text", ["what did Ana say?", "ana's cat", "ANA?"])
    def test_who_is_named(self, text: str) -> None:
        assert ask(text, "Ana", "Ben").named_actor == "Ana"

    def test_a_part_of_a_name_is_enough(self) -> None:
        assert ask("what did Lovelace write?", "Ada Lovelace", "Ben").named_actor == "Ada Lovelace"

    def test_a_nickname_is_enough(self) -> None:
        assert ask("what did Mel paint?", "Melanie", "Caroline").named_actor == "Melanie"

    def test_two_named_people_give_no_named_actor(self) -> None:
        question = ask("did Ana call Ben?", "Ana", "Ben")
        assert question.named_actor is None
        assert {"ana", "ben"} <= question.names

    @pytest.mark.parametrize("text", ["banana bread", "a and b", "the user said", ""])
    def test_what_only_looks_like_a_name_is_none(self, text: str) -> None:
        assert ask(text, "Ana", "user").named_actor is None

    def test_nobody_speaks_where_there_are_no_actors(self) -> None:
        assert ask("what did Ana say?").names == frozenset()


@pytest.mark.parametrize(
    ("text", "by_user", "by_assistant"),
    [
        ("what did I order?", True, False),
        ("where is my bike", True, False),
        ("what did you recommend?", False, True),
        ("what did you tell me?", False, True),
        ("what was said?", False, False),
        ("mystery", False, False),
    ],
)
def test_who_speaks(text: str, by_user: bool, by_assistant: bool) -> None:
    assert (ask(text).by_user, ask(text).by_assistant) == (by_user, by_assistant)


class TestTimes:
    def test_time_words_become_windows_relative_to_the_questions_clock(self) -> None:
        (window,) = ask("what did we do yesterday?").windows
        assert window.start.date().isoformat() == "2026-01-04"
        assert window.unit == "day"

    def test_a_question_without_a_time_has_none(self) -> None:
        assert ask("what is the wifi password?").windows == ()

    @pytest.mark.parametrize("text", ["when did we meet?", "what day is the party?"])
    def test_asking_for_a_time_is_noticed(self, text: str) -> None:
        assert ask(text).wants_time

    @pytest.mark.parametrize("text", ["the most recent invoice", "the last time we met"])
    def test_asking_for_the_latest_is_noticed(self, text: str) -> None:
        assert ask(text).wants_latest
        assert not ask("the first invoice").wants_latest


@pytest.mark.parametrize("text", ["(" * 500, "why " * 5000, "\ud7ff\uffff", "%s {0} \\b", "yesterday " * 500])
def test_any_text_is_understood(text: str) -> None:
    assert ask(text, "Ana").text == text
