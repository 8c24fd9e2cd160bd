"""The offline tokenizer beside two real vocabularies, over texts of many scripts and kinds."""

from __future__ import annotations

import random
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.text import OfflineTokenizer

TOKENS = OfflineTokenizer()
SAMPLES = {path.stem: path.read_text(encoding="utf-8") for path in sorted(Path(__file__).parent.glob("samples/*.txt"))}

# Counted by tiktoken 0.14.0 with cl100k_base and o200k_base.
TRUE = {
    "arabic": (381, 167),
    "arabic_report": (229, 94),
    "bengali": (507, 142),
    "chinese": (299, 202),
    "chinese_report": (152, 93),
    "emoji": (130, 104),
    "english": (193, 188),
    "english_report": (73, 73),
    "french": (274, 226),
    "french_report": (122, 95),
    "georgian": (514, 104),
    "german": (289, 225),
    "german_report": (143, 113),
    "greek": (602, 276),
    "greek_report": (329, 132),
    "hashes": (226, 226),
    "hebrew": (466, 177),
    "hebrew_report": (271, 107),
    "hindi": (615, 194),
    "hindi_report": (313, 91),
    "japanese": (293, 208),
    "japanese_report": (180, 129),
    "json": (191, 192),
    "korean": (296, 194),
    "korean_report": (172, 100),
    "markdown": (149, 150),
    "numbers": (156, 156),
    "polish": (253, 221),
    "python": (242, 243),
    "russian": (407, 236),
    "russian_report": (211, 103),
    "spanish": (254, 214),
    "spanish_report": (124, 100),
    "tamil": (469, 117),
    "thai": (464, 204),
    "thai_report": (228, 112),
    "turkish": (232, 185),
    "ukrainian": (269, 169),
    "vietnamese": (289, 188),
}
MIXED = st.text(
    st.sampled_from("aZé7 \n\t.,{}_ßпΩ好か한ไทยाल\u0301😀👍🏽\u200d\ufe0f") | st.characters(codec="utf-8"), max_size=60
)


@pytest.mark.parametrize("name", SAMPLES)
def test_near_the_mean_of_both_vocabularies_in_every_script(name: str) -> None:
    assert abs(TOKENS.count_tokens(SAMPLES[name]) / (sum(TRUE[name]) / 2) - 1) <= 0.20


def test_seldom_far_from_the_mean() -> None:
    far = [name for name in SAMPLES if abs(TOKENS.count_tokens(SAMPLES[name]) / (sum(TRUE[name]) / 2) - 1) > 0.15]
    assert len(far) <= 3


@pytest.mark.parametrize("name", SAMPLES)
def test_a_budget_is_never_blown_by_more_than_two_thirds(name: str) -> None:
    assert TOKENS.count_tokens(SAMPLES[name]) >= 0.6 * max(TRUE[name])


@pytest.mark.matrix
@pytest.mark.parametrize("name", SAMPLES)
def test_a_cut_uses_what_it_may(name: str) -> None:
    text = SAMPLES[name]
    word = 3 if name.partition("_")[0] in ("chinese", "japanese", "thai") else 27
    whole = TOKENS.count_tokens(text)
    for limit in range(whole):
        cut = TOKENS.truncate_to_tokens(text, limit)
        assert text.startswith(cut)
        assert limit - word <= TOKENS.count_tokens(cut) <= limit
    assert TOKENS.truncate_to_tokens(text, whole) == text


@given(MIXED, st.integers(0, 60))
def test_a_beginning_never_counts_more_than_the_whole(text: str, length: int) -> None:
    assert TOKENS.count_tokens(text[:length]) <= TOKENS.count_tokens(text)


@given(MIXED, st.integers(0, 30))
def test_a_cut_fits_and_stays_as_it_is(text: str, limit: int) -> None:
    cut = TOKENS.truncate_to_tokens(text, limit)
    assert TOKENS.count_tokens(cut) <= limit
    assert TOKENS.truncate_to_tokens(cut, limit) == cut


@given(MIXED)
def test_a_text_that_is_not_blank_counts(text: str) -> None:
    assert (TOKENS.count_tokens(text) >= 1) or not text.strip()


@pytest.mark.parametrize(
    "text", ["नमस्ते मीरा", "ที่นี่", "e\u0301te\u0301", "👍🏽👍🏽", "👩\u200d🚀👩\u200d🚀", "❤\ufe0f❤\ufe0f"]
)
def test_no_cut_divides_a_character(text: str) -> None:
    marks = "\u0301\u200d\ufe0f🏽" + "ेी्ि" + "ี่"
    for limit in range(TOKENS.count_tokens(text)):
        rest = text[len(TOKENS.truncate_to_tokens(text, limit)) :]
        assert rest[0] not in marks
        assert rest[0] != "🚀"


def test_words_are_kept_whole_and_long_strings_cut() -> None:
    assert TOKENS.truncate_to_tokens("internationalisation", 2) == "internationali"
    assert TOKENS.truncate_to_tokens("an internationalisation", 2) == "an"
    noise = "".join(random.Random(5).choices("abcdefghijklmnopqrstuvwxyz", k=5000))
    assert len(TOKENS.truncate_to_tokens(noise, 100)) > 200


def test_a_number_counts_the_space_before_it_and_a_word_does_not() -> None:
    assert TOKENS.count_tokens("at 1234567") == 5
    assert TOKENS.count_tokens("at home") == 2
