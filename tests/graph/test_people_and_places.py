from __future__ import annotations

import pytest

from tests.graph.reading import named


def test_cues_decide_the_type() -> None:
    text = "Yesterday Dr. Mara Quell of Acme Labs flew to Lisbon with Anna Vogel."
    assert named(text) == {
        ("person", "Mara Quell"),
        ("organization", "Acme Labs"),
        ("place", "Lisbon"),
        ("person", "Anna Vogel"),
    }


@pytest.mark.parametrize("name", ["Acme Inc", "Foo GmbH", "University of Oslo", "Bank of Nowhere", "Deutsche Bank"])
def test_bodies_are_known_by_a_word_of_theirs(name: str) -> None:
    assert ("organization", name) in named(f"She works at {name} now.")


@pytest.mark.parametrize(
    "text",
    [
        "Thanks so much! That was great. How have you been?",
        "I am off. It is late. We went home. They laughed.",
        "See you on Monday, Mom. OK?",
        "Wow, LOL, I'm so HAPPY today.",
        "Researchers say so. Attackers know.",
        "",
        "!!! ...",
    ],
)
def test_sentence_starts_pronouns_days_and_shouts_are_no_names(text: str) -> None:
    assert named(text) == set()


def test_what_no_cue_types_is_a_name() -> None:
    assert named("Thanks, Melanie! We read “Becoming Nicole” together.") == {
        ("name", "Melanie"),
        ("name", "Becoming Nicole"),
    }


def test_a_quoted_sentence_is_no_name() -> None:
    assert named('He said "we should go home now" and left.') == set()


def test_hashtags_lose_their_sign() -> None:
    assert named("so proud #family2024 #1 https://example.org/#top", types="hashtag") == {("hashtag", "family2024")}


def test_a_place_that_is_a_given_name_needs_a_preposition() -> None:
    assert ("place", "Florence") in named("We flew to Florence.")
    assert ("name", "Florence") in named("We called Florence.")
