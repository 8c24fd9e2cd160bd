"""The importance of a text: identity before chit-chat, always from 0 to 1, and deterministic."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import MemoryManager, Settings
from engrain.language.cues import importance, is_chatter
from engrain.language.tokens import content_pairs
from engrain.policies import word_count_importance
from engrain.write.prepare import describe


def score(text: str) -> float:
    """Return the importance of a text."""
    return importance(text, content_pairs(text))


CRITICAL = ("My name is Alex and I am allergic to penicillin", "My daughter Emma was born on 4 May 2019 in Lisbon")
TRIVIAL = ("ok thanks", "Ok!", "haha yes", "see you tomorrow", "Sounds good.", "thank you", "good night", "...", "👍")


@pytest.mark.parametrize("text", CRITICAL)
def test_identity_counts_most(text: str) -> None:
    assert score(text) >= 0.8  # critical


@pytest.mark.parametrize("text", TRIVIAL)
def test_chit_chat_counts_least(text: str) -> None:
    assert score(text) < 0.2


AGREED = (
    *(
        "hm okay sure",
        "Hmm, ok.",
        "mhm",
        "uh-huh, sure",
        "Alright, sounds good!",
        "ok cool, talk later",
        "Fair enough…",
    ),
    *("hm okay klar", "Na gut, passt", "ach so, verstehe", "jo, passt schon", "super, danke dir", "Kein Problem!"),
    *("mm vale claro", "ah, entiendo", "ok, perfecto", "jaja, qué bien", "de acuerdo", "no hay problema"),
    *("hum d'accord bien sûr", "ah oui, je vois", "bof, ok", "très bien, merci", "pas de souci", "ça marche"),
)
STATED = (
    *("Okay sure, the deadline is Friday", "Hm, Ana is allergic to nuts", "Fine Gael won", "I see a therapist"),
    *("Hm, ich wohne in Graz", "Genau um neun fährt der Zug", "Vale, vivo en Sevilla", "D'accord, j'habite à Lyon"),
)


@pytest.mark.parametrize("text", AGREED)
def test_mere_agreement_is_trivial_in_four_languages(text: str) -> None:
    with MemoryManager(":memory:", embedder=None, settings=Settings(worker="none")) as memory:
        assert memory.remember(text, kind="episodic").memory.band == "trivial"
    assert is_chatter(text)


@pytest.mark.parametrize("text", STATED)
def test_a_text_with_a_statement_after_it_is_not(text: str) -> None:
    assert score(text) >= 0.2
    assert not is_chatter(text)


@pytest.mark.parametrize(
    "ordered",
    [
        ("ok thanks", "The weather was fine", "I prefer green tea to coffee", "My mother is allergic to nuts"),
        ("Is it raining?", "It is raining", "The meeting is on 5 May at 14:30"),
        ("We went for a walk", "We went for a walk with Ana and Marco"),
        ("The server is slow", "The server db-14 at 10.0.0.7 is slow since CVE-2024-3094"),
    ],
    ids=["kinds", "question", "names", "identifiers"],
)
def test_a_more_informative_text_counts_more(ordered: tuple[str, ...]) -> None:
    scores = [score(text) for text in ordered]
    assert all(less < more for less, more in pairwise(scores)), scores


@given(st.text(max_size=200))
def test_any_text_has_a_share_and_the_same_one_again(text: str) -> None:
    assert 0.0 <= score(text) <= 1.0
    assert score(text) == score(text)


@pytest.mark.matrix
@pytest.mark.parametrize("text", ["word " * 50_000, "好" * 100_000, "a" * 500_000, "ok " * 30_000])
def test_a_very_long_text_has_one_too(text: str) -> None:
    assert 0.0 <= score(text) <= 1.0


def test_the_length_alone_can_be_the_measure() -> None:
    assert word_count_importance("word " * 50) == 0.25
    assert word_count_importance("word " * 5000) == 1.0
    with pytest.raises(TypeError, match="must be a string, not NoneType"):
        word_count_importance(None)  # type: ignore[arg-type]
    assert describe("word " * 50, Settings(importance="word_count")).importance == 0.25


@pytest.mark.parametrize(
    ("given_back", "kept"), [(0.3, 0.3), (7, 1.0), (-1, 0.0), (float("nan"), 0.5), ("much", 0.5), (None, 0.5)]
)
def test_a_function_of_ones_own_is_held_to_the_range(given_back: object, kept: float) -> None:
    rated = describe("a text", Settings(importance=lambda _: given_back))  # type: ignore[arg-type, return-value]
    assert rated.importance == kept


def test_a_function_of_ones_own_that_fails_loses_nothing() -> None:
    def fails(_: str) -> float:
        raise RuntimeError("no")

    assert describe("a text", Settings(importance=fails)).importance == 0.5
