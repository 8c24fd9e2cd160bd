"""What counts as a word, in many scripts, and under which term it is indexed."""

from __future__ import annotations

import unicodedata
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.tokens import (
    ANALYSER,
    LONGEST,
    STOP,
    content_pairs,
    counts,
    index_term,
    is_stop,
    query_terms,
    stem,
    terms,
    words,
)

TEXT = st.text(st.characters(exclude_categories=["Cs"]))
WORDY = st.lists(
    st.sampled_from(
        "Café e\u0301te\u0301 don’t CVE-2024-3094 U.S. 8th 1,000 C++ 北京大学 が 서울에서 ภาษาไทย हिन्दी 👍🏽 🇩🇪"
        " a_b x@y.org ½ ŉ ﷺ -- ' Wi-Fi \u200b ₹5 ǅ".split(" ")
    )
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Caroline moved to Berlin.", ["caroline", "moved", "to", "berlin"]),
        ("", []),
        ("  \n\t … --- !? ", []),
        # apostrophes
        ("Don't! I don’t", ["don't", "i", "don't"]),
        ("Caroline's dogs' toys, the O’Brien’s", ["caroline", "dogs", "toys", "the", "o", "brien"]),
        ("I'd say they've left; we'll see", ["i", "say", "they", "left", "we", "see"]),
        # identifiers: the whole, then the parts
        ("CVE-2024-3094", ["cve-2024-3094", "cve", "2024", "3094"]),
        ("(CVE-2024-3094's", ["cve-2024-3094", "cve", "2024", "3094"]),
        ("10.0.0.1:8080", ["10.0.0.1:8080", "10", "0", "0", "1", "8080"]),
        ("__init__.py run_2", ["init", "py", "run_2", "run", "2"]),
        ("2023-05-08", ["2023-05-08", "2023", "05", "08"]),
        ("bob.smith@example.com", ["bob", "smith", "example", "com"]),
        ("see https://example.org/docs/long-term", ["see", "https", "example", "org", "docs", "long", "term"]),
        ("C++ and C#, #python @alice c", ["c++", "and", "c#", "python", "alice", "c"]),
        # numbers
        ("$1,000 and 1,234,567.50", ["1000", "and", "1234567.50", "1234567", "50"]),
        ("December 1,2023", ["december", "1", "2023"]),
        # hyphens, initials
        ("long-term and/or well‑known", ["long", "term", "and", "or", "well", "known"]),
        ("e-mail Wi-Fi", ["e", "mail", "email", "wi", "fi", "wifi"]),
        ("R&D at 5 p.m. in the U.K.", ["rd", "at", "5", "pm", "in", "the", "uk"]),
        ("the US, the U.S. and us", ["the", "usa", "the", "usa", "and", "us"]),
        ("end.Next", ["end", "next"]),
        # accents, compatibility forms, case
        ("Café cafe\u0301 CAFÉ", ["cafe", "cafe", "cafe"]),
        ("Łódź Straße STRASSE Ørsted", ["lodz", "strasse", "strasse", "orsted"]),
        ("ﬁne Ｆｕｌｌ ΣΊΣΥΦΟΣ σίσυφος İstanbul", ["fine", "full", "σισυφοσ", "σισυφοσ", "istanbul"]),
        ("so\u00adft zero\u200bwidth", ["soft", "zerowidth"]),
        # scripts whose words run into each other
        ("我喜欢猫", ["我喜", "喜欢", "欢猫"]),
        ("猫", ["猫"]),
        ("東京タワー、ﾄｳｷｮｳ", ["東京", "京タ", "タワ", "ワー", "トウ", "ウキ", "キョ", "ョウ"]),
        ("我用Python3写", ["我用", "python3", "写"]),
        ("서울에서", ["서울", "울에", "에서"]),
        ("ไทย ລາວ", ["ไท", "ทย", "ລາ", "າວ"]),
        # scripts that write vowels as marks
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("\u0644\u064e\u064a\u0652\u0633\u064e", ["\u0644\u064a\u0633"]),
        ("\u05e2\u05b4\u05d1\u05b0\u05e8\u05b4\u05d9\u05ea", ["\u05e2\u05d1\u05e8\u05d9\u05ea"]),
        # emoji
        ("so 👍🏽 ❤️ 🇩🇪🇫🇷!", ["so", "👍", "❤", "🇩🇪", "🇫🇷"]),
        ("👨‍👩‍👧", ["👨", "👩", "👧"]),
    ],
)
def test_words(text: str, expected: list[str]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("went", "go"),
        ("bought", "buying"),
        ("children", "child"),
        ("kids", "child"),
        ("better", "good"),
        ("wives", "wife"),
        ("buses", "bus"),
        ("painted", "painting"),
        ("Mum", "mother"),
        ("mom's", "mothers"),
        ("TVs", "television"),
        ("pictures", "photo"),
        ("favourite", "favorite"),
        ("organising", "organized"),
        ("Realised", "realizes"),
        ("8th", "8"),
        ("two", "2"),
        ("Aug", "August"),
        ("e-mail", "email"),
        ("naïve", "naive"),
        ("U.S.", "USA"),
    ],
)
def test_forms_of_one_word_share_a_term(one: str, other: str) -> None:
    assert set(terms(one)) & set(terms(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("rose", "rise"),
        ("ground", "grind"),
        ("lives", "life"),
        ("us", "US"),
        ("C++", "c"),
        ("organ", "organise"),
        ("kidding", "kid"),
    ],
)
def test_different_words_share_none(one: str, other: str) -> None:
    assert not set(terms(one)) & set(terms(other))


def test_terms_keep_order_repeats_and_stop_words() -> None:
    assert terms("The dog and the dogs") == ["the", "dog", "and", "the", "dog"]


def test_counts_are_the_terms_counted() -> None:
    assert counts("The dog and the dogs") == {"the": 2, "dog": 2, "and": 1}
    assert counts("") == {}


def test_a_question_of_one_character_finds_it_inside_a_run() -> None:
    assert set(query_terms("猫?")) <= counts("我养了一只猫。").keys()
    assert set(query_terms("책")) <= counts("새 책을 샀다").keys()
    assert set(query_terms("喜欢")) <= counts("我喜欢猫").keys()


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("When did Caroline go to the support group?", ["carolin", "go", "support", "group"]),
        ("What's the dog's name, and what is the dog eating?", ["dog", "name", "eat"]),
        ("What happened in May?", ["happen", "may"]),
        ("Why didn't they've any?", ["whi", "didn't", "they", "ani"]),  # nothing else is left
        ("Who are you?", ["who", "are", "you"]),
        ("is CVE-2024-3094 fixed?", ["cve-2024-3094", "cve", "2024", "3094", "fix"]),
        ("", []),
        ("?!", []),
    ],
)
def test_a_question_is_asked_by_its_content_words(question: str, expected: list[str]) -> None:
    assert query_terms(question) == expected


def test_content_pairs_keep_the_words_of_the_text() -> None:
    text = "Caroline's children went to the Café in the U.S. by E-bike."
    assert content_pairs(text) == [
        ("Caroline", "carolin"),
        ("children", "child"),
        ("went", "go"),
        ("Café", "cafe"),
        ("US", "usa"),
        ("E", "e"),
        ("bike", "bicycl"),
        ("Ebike", "ebik"),
    ]


@pytest.mark.parametrize(
    "word", ["the", "The", "WHAT", "don't", "Don’t", "didn't", "it's", "I'd", "we'll", "how", "us"]
)
def test_stop_words(word: str) -> None:
    assert is_stop(word)


@pytest.mark.parametrize(
    "word", ["May", "dog", "US", "own", "last", "first", "year", "mother's", "CVE-1", "猫", "no.1"]
)
def test_content_words(word: str) -> None:
    assert not is_stop(word)


def test_every_stop_word_is_one_by_the_analyser_too() -> None:
    assert [word for word in sorted(STOP) if not is_stop(word) or query_terms(f"{word} zebra") != ["zebra"]] == []


def test_a_stem_is_the_term_of_one_word() -> None:
    assert [stem(word) for word in ("Went", "Café", "don’t", "8th")] == ["go", "cafe", "don't", "8"]


def test_what_is_longer_than_a_term_may_be_is_cut_alike_everywhere() -> None:
    long = "x" * 1000
    assert words(long) == terms(long) == query_terms(long) == ["x" * LONGEST]


@pytest.mark.parametrize("text", ["a-" * 200_000, "猫" * 200_000, "e\u0301" * 200_000, "," * 200_000, "a'" * 200_000])
def test_a_huge_text_without_spaces_is_read(text: str) -> None:
    assert all(len(term) <= LONGEST for term in counts(text))


def test_threads_read_the_same() -> None:
    texts = [f"running{number} organised 8th children café 北京{number}" for number in range(500)]
    expected = [terms(text) for text in texts]
    with ThreadPoolExecutor(4) as pool:
        for found in pool.map(lambda _: [terms(text) for text in texts], range(8)):
            assert found == expected


def test_the_analyser_has_a_name() -> None:
    """A store keeps it; when an expectation of this file changes, so must the name."""
    assert ANALYSER == "en-snowball-3"


@given(TEXT | WORDY)
def test_no_text_is_refused_and_every_term_is_a_word(text: str) -> None:
    found = terms(text)
    assert all(term and len(term) <= LONGEST and not any(map(str.isspace, term)) for term in found)
    assert counts(text) == Counter(found)
    assert set(query_terms(text)) <= set(found)
    assert len(set(query_terms(text))) == len(query_terms(text))
    assert {index_term(surface) for surface, _ in content_pairs(text)} == {term for _, term in content_pairs(text)}


@given(TEXT | WORDY)
def test_the_normal_form_of_a_text_does_not_matter(text: str) -> None:
    assert terms(unicodedata.normalize("NFC", text)) == terms(unicodedata.normalize("NFD", text))


@given(TEXT | WORDY, TEXT | WORDY)
def test_texts_are_analysed_word_by_word(one: str, other: str) -> None:
    assert terms(f"{one} {other}") == terms(one) + terms(other)
