from __future__ import annotations

import re
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from engrain.language.tokens import MOST, Wording, each, stretches


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=60))
def test_words_are_the_text_in_small_letters_and_in_place(text: str) -> None:
    wording = Wording(text)
    assert wording.words == [place[0].casefold() for place in wording.places]
    assert wording.known == set(wording.words)


@given(st.text(alphabet="ab x", max_size=60), st.integers(0, 9), st.integers(0, 9))
def test_stretches_hold_every_anchor_and_lie_apart(text: str, before: int, after: int) -> None:
    found = list(stretches(re.compile("x"), text, before, after))
    assert all(first[1] < second[0] for first, second in pairwise(found))
    for place in [place for place, letter in enumerate(text) if letter == "x"]:
        assert any(low <= max(0, place - before) and place + 1 + after <= high for low, high in found)


def test_so_many_of_a_kind_are_read() -> None:
    assert len(list(each(re.compile("a"), "a" * (MOST + 5)))) == MOST
