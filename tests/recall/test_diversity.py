"""Near-copies of a better hit make room on the page; nothing else moves and nothing is lost."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.results import Hit
from engrain.policies import Convex
from engrain.read.ranking import diversify, divide
from engrain.testing.rows import memory
from tests.recall.world import Scores, notes, opened, remember_all
from tests.write.test_growth import calls

TEXT = "the old ferry leaves the harbour of the island early in the morning"


def hits(*texts: str) -> list[Hit]:
    """Return hits with falling scores."""
    return [Hit(memory(text), 1 - place / 100, 0.5) for place, text in enumerate(texts)]


def page(*texts: str, k: int) -> list[str]:
    """Return the texts on a page of k."""
    return [hit.content for hit in diversify(hits(*texts), k)[0][:k]]


def test_a_duplicate_frees_its_place_in_the_result() -> None:
    assert page(TEXT, TEXT, "a lantern", k=2) == [TEXT, "a lantern"]


@pytest.mark.parametrize(
    "copy",
    [
        "The old ferry leaves the harbour of the island early in the morning.",
        "early in the morning the old ferry leaves the harbour of the island",
        "the old ferry leaves the harbour of the island early in the the morning",
    ],
)
def test_case_marks_order_and_a_little_word_make_no_difference(copy: str) -> None:
    assert page(TEXT, copy, "a lantern", k=2) == [TEXT, "a lantern"]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (TEXT + " 7", TEXT + " 8"),
        (TEXT + " Ana", TEXT + " Ben"),
        (TEXT, TEXT + " Ana"),
        (TEXT, "the old ferry never leaves the harbour of the island early in the morning"),
        (TEXT + " is open", TEXT + " isn't open"),
        (TEXT, "the old ferry leaves the harbour of the city late in the evening"),
        ("tea please", "tea thanks"),
    ],
)
def test_a_figure_a_name_or_a_negation_makes_no_copy(one: str, other: str) -> None:
    assert page(one, other, "a lantern", k=2) == [one, other]
    assert page(other, one, "a lantern", k=2) == [other, one]


def test_short_texts_are_copies_only_when_they_are_equal() -> None:
    assert page("yes", "Yes!", "no", k=2) == ["yes", "no"]
    assert page("?", "!", "no", k=2) == ["?", "no"]


def test_copies_fill_what_the_page_has_left() -> None:
    assert page(TEXT, TEXT, TEXT, "a lantern", k=3) == [TEXT, "a lantern", TEXT]
    assert page(TEXT, TEXT, TEXT, k=2) == [TEXT, TEXT]


_TEXTS = st.lists(st.sampled_from([TEXT, TEXT + ".", TEXT + " 7", "a lantern", "A lantern", "yes"]), max_size=12)


@given(_TEXTS, st.integers(0, 14))
def test_nothing_is_lost_and_scores_never_rise(texts: list[str], k: int) -> None:
    before = hits(*texts)
    after, copies = diversify(before, k)
    assert sorted(hit.id for hit in after) == sorted(hit.id for hit in before)
    scores = [hit.score for hit in after]
    assert scores == sorted(scores, reverse=True)
    if len(before) <= k:
        assert after == before
        assert not copies
    moved = [hit.id for hit in after if hit.signals and hit.signals[-1].name == "x near-copy"]
    assert moved == [hit.id for hit in copies]


_WORDS = "the of ferry Ferry harbour 7 8 not isn't Ana ana red blue market old new".split()


def _variations(seed: int, count: int) -> list[str]:
    """Return texts many of which differ from others in a word or two."""
    rng = random.Random(seed)
    bases = [[rng.choice(_WORDS) for _ in range(rng.randrange(1, 24))] for _ in range(4)]
    texts = []
    for _ in range(count):
        words = list(rng.choice(bases))
        for _ in range(rng.randrange(3)):
            words[rng.randrange(len(words))] = rng.choice(_WORDS)
        texts.append(" ".join(words))
    return texts


def _one_by_one(found: Sequence[Hit], k: int) -> list[Hit]:
    """Return the near-copies, each compared with all the better ones."""
    kept, copies = list[Hit](), list[Hit]()
    (other,) = hits("quite another thing altogether")
    for hit in found:
        if len(kept) >= k:
            break
        copied = any(diversify([each, hit, other], 2)[1] for each in kept)
        (copies if copied else kept).append(hit)
    return copies


@pytest.mark.parametrize("seed", range(8))
def test_copies_among_many_are_those_of_the_comparison_one_by_one(seed: int) -> None:
    found = hits(*_variations(seed, 40))
    assert diversify(found, 15)[1] == _one_by_one(found, 15)


# ------------------------------------------------------------------------------------------------------------- recalls


def test_a_recall_shows_others_before_copies() -> None:
    with opened() as memory:
        remember_all(memory, *(f"the ferry leaves the harbour early in the morning{'.' * dots}" for dots in range(5)))
        remember_all(memory, "the captain of a ferry has a dog")
        found = memory.recall("when does the ferry leave the harbour in the morning?", k=2, touch=False)
        plain = memory.recall("ferry harbour morning", k=2, ranking=Convex(diversity=0), touch=False)
    assert "captain" in found.texts[1]
    assert notes(found, "diversify") == ["4 near-copies of better hits moved back"]
    assert "captain" not in " ".join(plain.texts)


def test_a_page_that_holds_them_all_stays_as_it_is() -> None:
    with opened() as memory:
        remember_all(memory, TEXT, TEXT + ".", "the ferry")
        one, other = (
            memory.recall("old ferry", k=3, ranking=ranking, touch=False) for ranking in (Convex(), Convex(diversity=0))
        )
    assert one == other


def test_duplicates_are_dropped_after_the_reranker_too() -> None:
    with opened() as memory:
        remember_all(memory, TEXT, TEXT + ".", "the ferry of Mira")
        memory.set_reranker(Scores(len))
        assert memory.recall("old ferry", k=2, touch=False).texts == (TEXT + ".", "the ferry of Mira")


LETTERS = str.maketrans("0123456789", "abcdefghij")


@pytest.mark.parametrize("spelled", [False, True])
def test_the_cost_grows_with_the_number_of_alike_texts_alone(spelled: bool) -> None:
    def compared(count: int) -> int:
        numbers = [f"{number:05} {number * 7:05} {number * 13:05}" for number in range(count)]
        numbers = [each.translate(LETTERS) for each in numbers] if spelled else numbers
        return calls(lambda: divide(hits(*(f"{TEXT} {each}" for each in numbers)), count))

    assert compared(800) < 2.5 * compared(400)
