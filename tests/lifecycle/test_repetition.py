"""A repetition of known content is worth one band less; new content is not."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import MemoryManager, Settings
from tests.rounds import rounds

NOTABLE = "We moved the billing service of Alvorna to Postgres"
AGAIN = "The billing service of Alvorna: we moved the service to Postgres"


def importance(memory: MemoryManager, content: str, **fields: object) -> float:
    """Remember a text and return its importance."""
    kept = memory.remember(content, **fields).memory  # type: ignore[arg-type]
    assert kept is not None
    return kept.importance


def test_the_same_words_again_are_worth_a_band_less(memory: MemoryManager) -> None:
    assert importance(memory, NOTABLE) >= 0.5
    assert importance(memory, AGAIN) == 0.49


@pytest.mark.parametrize(
    ("first", "again", "left"),
    [
        ("My name is Alex Moreno", "My name is: Alex Moreno!", 0.79),
        ("The market sells sardines", "The market sells the sardines", 0.19),
    ],
)
def test_each_band_gives_the_one_below(memory: MemoryManager, first: str, again: str, left: float) -> None:
    assert importance(memory, first) > left
    assert importance(memory, again) == left


def test_a_trivial_memory_is_unchanged(memory: MemoryManager) -> None:
    assert importance(memory, "ok thanks", kind="episodic", session="a") == 0.05
    assert importance(memory, "ok thanks", kind="episodic", session="b") == 0.05


def test_a_caller_who_gives_an_importance_has_it(memory: MemoryManager) -> None:
    memory.remember(NOTABLE)
    assert importance(memory, AGAIN, importance=0.66) == 0.66


def test_a_scorer_of_ones_own_has_the_last_word() -> None:
    with MemoryManager(":memory:", embedder=None, settings=Settings.load(importance=lambda _: 0.7)) as memory:
        memory.remember(NOTABLE)
        assert importance(memory, AGAIN) == 0.7


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("The flat in Porto costs 780 euros a month", "The flat in Porto costs 820 euros a month"),
        ("Ana signed the lease of the flat", "Ben signed the lease of the flat"),
        ("Ana eats meat with her friends", "Ana does not eat meat with her friends"),
        ("Ana isst Fleisch mit Freunden", "Ana isst kein Fleisch mit Freunden"),
        ("Ana signed the lease", "Ana signed the lease and the insurance"),
        ("Atlas lives in Boston", "Atlas moved to Tbilisi"),
        ("Atlas lives in Boston", "Atlas no longer lives in Boston"),
        ("The port is 8080", "Actually the port is 9090"),
    ],
)
def test_another_figure_name_or_denial_is_no_repetition(memory: MemoryManager, first: str, second: str) -> None:
    with MemoryManager(":memory:", embedder=None) as empty:
        alone = importance(empty, second)
    memory.remember(first)
    assert importance(memory, second) == alone


def test_who_comes_back_repeats_nothing_that_holds(memory: MemoryManager) -> None:
    first = importance(memory, "Atlas lives in Boston")
    memory.remember("Atlas lives in Tbilisi now")
    assert importance(memory, "Atlas lives in Boston now") >= first


def test_another_speaker_who_says_i_says_something_new(memory: MemoryManager) -> None:
    first = importance(memory, "I love the flat in Porto", kind="episodic", actor="Ana", session="s")
    assert importance(memory, "I love the flat in Porto", kind="episodic", actor="Ben", session="s") == first
    assert importance(memory, "I love the flat in Porto", kind="episodic", actor="Ana", session="t") < first


def test_another_day_s_yesterday_is_another_day(memory: MemoryManager) -> None:
    said = {"kind": "episodic", "actor": "Ana", "session": "s"}
    first = importance(memory, "I saw the doctor yesterday", **said, valid_from="2025-01-01T10:00:00Z")
    assert importance(memory, "I saw the doctor yesterday", **said, valid_from="2025-02-01T10:00:00Z") == first
    assert importance(memory, "I saw the doctor yesterday", **said, valid_from="2025-02-01T11:00:00Z") < first


def test_a_statement_of_another_user_counts_for_nothing(memory: MemoryManager) -> None:
    memory.scoped(user="ana").remember(NOTABLE)
    assert importance(memory.scoped(user="ben"), AGAIN) >= 0.5
    assert importance(memory, AGAIN) >= 0.5


def test_an_agent_repeats_what_it_sees(memory: MemoryManager) -> None:
    memory.scoped(agent="one").remember(NOTABLE)
    assert importance(memory.scoped(agent="two"), AGAIN) >= 0.5
    assert importance(memory.scoped(agent="one"), AGAIN) == 0.49


def test_a_forgotten_memory_is_not_known(memory: MemoryManager) -> None:
    memory.forget(memory.remember(NOTABLE).id)
    assert importance(memory, AGAIN) >= 0.5


def test_what_is_drawn_from_a_text_does_not_repeat_it(memory: MemoryManager) -> None:
    source = memory.remember(NOTABLE, kind="episodic")
    assert importance(memory, AGAIN, derived_from=[source.id]) >= 0.5


@pytest.mark.parametrize("write", ["one by one", "at once"])
def test_a_batch_is_like_its_parts(memory: MemoryManager, write: str) -> None:
    texts = [NOTABLE, AGAIN, "The market sells sardines", "The market sells the sardines"]
    if write == "at once":
        kept = [each.memory for each in memory.remember_many({"content": text} for text in texts)]
    else:
        kept = [memory.remember(text).memory for text in texts]
    assert [each.importance for each in kept] == [kept[0].importance, 0.49, kept[2].importance, 0.19]


WORDS = st.sampled_from("Ana Ben the sardines market sells 12 moved flat not Porto week signed lease".split())
SAID = st.lists(st.lists(WORDS, min_size=2, max_size=7).map(" ".join), min_size=1, max_size=12)


@settings(max_examples=rounds(15))
@given(SAID)
def test_any_batch_is_like_its_parts(texts: list[str]) -> None:
    found = []
    for at_once in (True, False):
        with MemoryManager(":memory:", embedder=None, settings=Settings.load(resolve="off")) as memory:
            said = [{"content": text, "kind": "episodic", "session": str(n)} for n, text in enumerate(texts)]
            many = memory.remember_many(said) if at_once else [memory.remember(**each) for each in said]  # type: ignore[arg-type]
            found.append([each.memory.importance for each in many])
    assert found[0] == found[1]
