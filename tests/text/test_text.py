"""Text as it is checked, compared, cut and counted."""

from __future__ import annotations

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from engrain import GovernanceViolation
from engrain.language.tokens import sentences
from engrain.text import OfflineTokenizer, check_content, check_text, digest, literals, normalise, pattern, shorten

TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), max_size=60)


# ------------------------------------------------------------------------------------------------------------- checked


@pytest.mark.parametrize("value", [None, 5, 1.5, b"bytes", ["a"], object()])
def test_a_value_that_is_no_string_is_a_type_error(value: object) -> None:
    with pytest.raises(TypeError, match="what must be a string"):
        check_text(value, what="what")


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "a\ud800", "\udfffb", "\ud83d"])
def test_an_unstorable_value_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match="what holds"):
        check_text(text, what="what")


ODD = ("", " ", "é", "😀", "👩\u200d👩\u200d👧", "שלום", "\u202eabc", "\ufeffx", "e\u0301", "\U0010ffff")


@pytest.mark.parametrize("text", ODD)
def test_every_other_string_is_returned_as_it_is(text: str) -> None:
    assert check_text(text) is text


UNSEEN = ("\u200b", "\ufeff", "\u2060\u200d", " \u00ad\n\u202e", "\u3164\u115f")


@pytest.mark.parametrize("text", ["", " ", "\n\t\u2003\u3000 ", *UNSEEN])
def test_blank_content_is_refused(text: str) -> None:
    with pytest.raises(GovernanceViolation, match="blank"):
        check_content(text, max_bytes=100)


@pytest.mark.parametrize(
    "text", [f"{unseen}a{unseen}" for unseen in UNSEEN] + ["\u0301", "\u00b7", "👩\u200d👧", "\x01"]
)
def test_what_shows_anything_is_kept_with_what_does_not_show(text: str) -> None:
    assert check_content(text, max_bytes=100) is text


@pytest.mark.parametrize(("letter", "size"), [("a", 1), ("é", 2), ("好", 3), ("😀", 4)])
def test_the_limit_is_in_bytes_and_belongs_to_what_is_allowed(letter: str, size: int) -> None:
    text = letter * 30
    assert check_content(text, max_bytes=30 * size) == text
    with pytest.raises(GovernanceViolation, match=f"{30 * size} bytes, the limit is {30 * size - 1}") as caught:
        check_content(text, max_bytes=30 * size - 1)
    assert isinstance(caught.value, ValueError)
    assert caught.value.reasons


# ------------------------------------------------------------------------------------------------------------ compared


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Ana likes tea", "  ana\tLIKES\n\ntea "),
        ("Straße", "STRASSE"),
        ("ﬁne café", "fine cafe\u0301"),
        ("Ｆｕｌｌ width", "full width"),
        ("(Really?)", "(really?)"),
        ("Don't", "don't"),
    ],
)
def test_the_same_statement(one: str, other: str) -> None:
    assert normalise(one) == normalise(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Hunter2", "hunter2"),
        ("x²", "x2"),
        ("½ cup", "1/2 cup"),
        ("v1.2", "V1.2"),
        ("use C++", "use C"),
        ("a_B", "a_b"),
        ("no", "on"),
        ("tea", "te a"),
        ("①", "1"),
        ("A@b.org", "a@b.org"),
    ],
)
def test_not_the_same_statement(one: str, other: str) -> None:
    assert normalise(one) != normalise(other)


@given(TEXTS)
def test_normalising_twice_is_once_and_white_space_says_nothing(text: str) -> None:
    once = normalise(text)
    assert normalise(once) == once
    assert normalise(f"  {text}\n") == once


@given(st.lists(TEXTS, min_size=1, max_size=3), st.lists(TEXTS, min_size=1, max_size=3))
def test_a_digest_distinguishes_its_parts(one: list[str], other: list[str]) -> None:
    assert (digest(*one) == digest(*other)) == (one == other)


# ----------------------------------------------------------------------------------------------------------------- cut


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("", []),
        (" \n ", []),
        ("One.", ["One."]),
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ('He said "hi." Then he left.', ['He said "hi."', "Then he left."]),
        ("Dr. Who met J. Smith at St. Ives. They left.", ["Dr. Who met J. Smith at St. Ives.", "They left."]),
        ("e.g. tea, vs. coffee", ["e.g. tea, vs. coffee"]),
        ("It costs 3.50 euros. Cheap.", ["It costs 3.50 euros.", "Cheap."]),
        ("今日は。「明日も。」また！", ["今日は。", "「明日も。」", "また！"]),
        ("Title\n\nBody", ["Title", "Body"]),
        ("List:\n- one\n- two\n1. three", ["List:", "- one", "- two", "1. three"]),
        ("two lines\nof one sentence", ["two lines\nof one sentence"]),
        ("Wait... what?", ["Wait...", "what?"]),
    ],
)
def test_sentences(text: str, parts: list[str]) -> None:
    assert sentences(text) == parts


@given(st.text(st.sampled_from("ab .!?\n\"')-1。」"), max_size=40))
def test_sentences_lose_nothing_but_white_space(text: str) -> None:
    parts = sentences(text)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(part.strip() for part in parts)


@pytest.mark.parametrize(
    ("text", "limit", "short"),
    [
        ("short", 10, "short"),
        ("  two   words ", 10, "two words"),
        ("one two three four", 10, "one two…"),
        ("one, two", 6, "one…"),
        ("unbreakable", 5, "unbr…"),
    ],
)
def test_shortened(text: str, limit: int, short: str) -> None:
    assert shorten(text, limit) == short


@given(TEXTS, st.integers(2, 40))
def test_shortened_is_never_longer(text: str, limit: int) -> None:
    assert len(shorten(text, limit)) <= limit


# ------------------------------------------------------------------------------------------------------------- counted

TOKENS = OfflineTokenizer()


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("", 0),
        (" ", 0),
        ("   ", 1),
        ("word", 1),
        ("two words", 2),
        ("a, b", 3),
        ("line\nline", 3),
        ("1234567", 3),
        ("好好", 2),
        ("internationalisation", 5),
    ],
)
def test_tokens(text: str, count: int) -> None:
    assert TOKENS.count_tokens(text) == count


@given(TEXTS, st.integers(0, 30))
def test_a_truncated_text_is_a_beginning_that_fits(text: str, limit: int) -> None:
    cut = TOKENS.truncate_to_tokens(text, limit)
    assert text.startswith(cut)
    assert TOKENS.count_tokens(cut) <= limit
    if TOKENS.count_tokens(text) <= limit:
        assert cut == text


@given(TEXTS, TEXTS)
def test_tokens_add_up(one: str, other: str) -> None:
    assert TOKENS.count_tokens(f"{one}\n{other}") >= max(TOKENS.count_tokens(one), TOKENS.count_tokens(other))


# ------------------------------------------------------------------------------------------------------------ patterns

ATOMS = (
    *("a", "bc", r"\w", r"[d(|]", r"\u0065", "(?:ab|c)", "(?P<n>x)", "(?i:yz)"),
    *("(?=q)", "(?<!r)", "(?!st)", "(?>uv)", "."),
)
QUANTIFIERS = ("", "", "?", "*", "+", "{2}", "{0,3}", "??", "{1,2}?")
EXPRESSIONS = st.recursive(
    st.tuples(st.sampled_from(ATOMS), st.sampled_from(QUANTIFIERS)).map("".join),
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=4).map("".join),
        st.tuples(st.lists(inner, min_size=1, max_size=3).map("|".join), st.sampled_from(QUANTIFIERS)).map(
            lambda pair: f"(?:{pair[0]}){pair[1]}"
        ),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.text("abcdexyzquv(| ABCXYıſİ", max_size=12))
@example("(?:a)??", "")
@example("(?:a)*?b", "b")
def test_a_pattern_finds_what_re_finds(expression: str, text: str) -> None:
    try:
        compiled = re.compile(expression, re.IGNORECASE)
    except re.error:
        return  # a name twice
    lazy = pattern(expression, re.IGNORECASE)
    for one in ("search", "match", "fullmatch"):
        found, expected = getattr(lazy, one)(text), getattr(compiled, one)(text)
        assert (found and found.span()) == (expected and expected.span())
        lazy = pattern(expression, re.IGNORECASE)
    assert [found.span() for found in lazy.finditer(text)] == [found.span() for found in compiled.finditer(text)]


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("(?:my|our) (?:old )?flat|rent(?:ed|s)?", ["flat", "rent"]),
        (r"(?P<x>\w+) (?:moved|went) to", ["moved", "went"]),
        (r"(?(1)ab|cd)e{2,9}?(?=f)", [""]),
        (r"\(?:gh\)|[ij(]k", ["gh", "k"]),
    ],
)
def test_the_literals_of_an_expression_are_those_that_a_match_needs(expression: str, expected: list[str]) -> None:
    assert literals(expression) == expected
