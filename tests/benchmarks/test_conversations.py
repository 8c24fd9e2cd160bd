"""Made-up conversations: repeatable, complete in every language, and rated as a person would."""

from __future__ import annotations

import json
from typing import Any

import pytest

from benchmarks.conversations import LANGUAGES, PHRASES, Asked, Split, conversation, evaluate, is_right
from tests.rounds import PART, WHOLE

SPLITS: tuple[Split, Split] = ("development", "held-out")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("split", SPLITS)
def test_a_seed_makes_one_conversation(language: str, split: Split) -> None:
    made = [conversation(language, split, seed) for seed in (1, 1, 2)]
    assert made[0] == made[1] != made[2]
    for each in made:
        assert len(each.sessions) == 6
        assert each.changes
        assert any(asked.answerable for asked in each.questions)
        assert not all(asked.answerable for asked in each.questions)


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_truth_is_in_the_messages(language: str) -> None:
    made = conversation(language, "held-out", 3)
    texts = [message["content"].casefold() for messages in made.sessions for message in messages]
    for asked in made.questions:
        if asked.expected:
            assert any(asked.expected[0].casefold() in text for text in texts), asked
    for change in made.changes:
        assert change.old.casefold() in texts


def test_held_out_templates_are_no_templates_of_development() -> None:
    def forms(table: dict[str, Any]) -> list[tuple[list[str], list[str]]]:
        return [(table[name.removesuffix("_held_out")], table[name]) for name in table if name.endswith("_held_out")]

    for language in LANGUAGES:
        for topic in PHRASES[language].values():
            if isinstance(topic, dict):
                for development, held_out in forms(topic):
                    assert not set(development) & set(held_out)


@pytest.mark.parametrize(
    ("asked", "answer", "right"),
    [
        (Asked("", "home", expected=("Porto",), wrong=("Berlin",)), "Lena lives in Porto.", True),
        (Asked("", "home", expected=("Porto",), wrong=("Berlin",)), "Lena moved from Berlin to Porto.", False),
        (Asked("", "born", expected=("5 May 1990", "1990-05-05")), "1990-05-05", True),
        (Asked("", "home", wrong=("Rome",)), "Rome", False),
        (Asked("", "allergy", verdict="yes"), "Yes: Lena is allergic to kiwi.", True),
        (Asked("", "allergy", verdict="no"), "Yes: Lena is allergic to kiwi.", False),
        (Asked("", "allergy", verdict="no"), "Nein, Lena ist nicht allergisch.", True),
    ],
)
def test_answers_are_rated(asked: Asked, answer: str, right: bool) -> None:
    assert is_right(asked, answer) is right


def test_an_evaluation_reports_every_language() -> None:
    report = evaluate(size=1, one_in=1 if WHOLE else PART, embedder="none")
    assert [*report.figures] == [*LANGUAGES, "all"]
    whole = report.figures["all"]
    outcomes = sum(sum(each.values()) for each in report.kinds.values())
    assert whole.questions == outcomes == sum(report.figures[name].questions for name in LANGUAGES)
    assert len(report.wrong) == whole.wrong
    assert "held-out" in report.table()
    assert json.loads(json.dumps(report.to_dict()))["kinds"] == report.kinds
