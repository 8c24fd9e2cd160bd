"""A digest keeps the sentences that tell most, as they were said, within its budget."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.conversation import digest
from engrain.conversation.summaries import utterances
from engrain.text import OfflineTokenizer
from tests.rounds import rounds

TOKENS = OfflineTokenizer()
CHAT = """\
Ana: Hey Bo! How are you?
Bo: Great, thanks! What have you been up to?
Ana: I moved to Porto on Friday. It is lovely here.
Bo: Wow, that's awesome!
Ana: I'm allergic to penicillin, by the way.
Bo: When does your flight leave?
Ana: On Tuesday.
Bo: Are you bringing Pixel along?
Ana: Yes!
Bo: Good luck! See you soon."""


class Characters:
    """A tokenizer to which every character is a token."""

    def count_tokens(self, text: str) -> int:
        return len(text)

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return text[:max_tokens]


class Pieces(Characters):
    """A tokenizer that counts a word more than its letters, and cuts too late."""

    def count_tokens(self, text: str) -> int:
        return len(text) + 3 * len(text.split())

    def truncate_to_tokens(self, text: str, max_tokens: int) -> str:
        return text[: max_tokens + 5]


def letters_of(sentences: Iterable[str]) -> str:
    return "".join("".join(sentences).replace(".", "").split())


def test_facts_stay_and_small_talk_goes():
    kept = digest(CHAT, 60, TOKENS)
    assert "- Ana: I moved to Porto on Friday." in kept
    assert "- Ana: I'm allergic to penicillin, by the way." in kept
    assert "Good luck" not in kept
    assert "awesome" not in kept
    assert "How are you" not in kept


def test_an_answer_that_says_little_alone_keeps_its_question():
    kept = digest(CHAT, 200, TOKENS).splitlines()
    place = kept.index("- Ana: On Tuesday.")
    assert kept[place - 1] == "- Bo: When does your flight leave?"
    assert kept[kept.index("- Ana: Yes!") - 1] == "- Bo: Are you bringing Pixel along?"


def test_what_informs_most_stays_when_space_is_short():
    assert digest(CHAT, 17, TOKENS) == "- Ana: I'm allergic to penicillin, by the way."


def test_a_paragraph_names_each_speaker_once_in_a_row():
    text = "Ana: I moved to Porto on Friday. I work at the harbour\nBo: My sister Mia lives in Rome."
    assert digest(text, 60, TOKENS, tier=2) == (
        "Ana: I moved to Porto on Friday. I work at the harbour.\nBo: My sister Mia lives in Rome."
    )


def test_the_archive_holds_facts_alone():
    text = "Ana: The old lighthouse keeper told strange stories.\nBo: I'm allergic to penicillin."
    assert digest(text, 60, TOKENS, tier=3) == "Bo: I'm allergic to penicillin."


def test_an_earlier_summary_comes_first_and_competes():
    kept = digest("Ana: I bought a boat for 900 euros.", 60, TOKENS, existing="- Ana: I live in Porto.")
    assert kept == "- Ana: I live in Porto.\n- Ana: I bought a boat for 900 euros."
    assert digest("Ana: The weather is mild", 12, TOKENS, existing="- Ana: I'm allergic to nuts.") == (
        "- Ana: I'm allergic to nuts."
    )


def test_a_repetition_is_kept_once_but_another_number_is_new():
    said = "The meeting is at 3 pm on Friday."
    text = f"Ana: {said}\nBo: {said}\nAna: {said.replace('3', '4')}"
    kept = digest(text, 100, TOKENS)
    assert (kept.count("3 pm"), kept.count("4 pm")) == (1, 1)


def test_a_denial_does_not_pass_for_what_it_denies():
    said = "I eat meat on Sundays with my brother Luis at the old harbour restaurant."
    for text in (f"Ana: {said}\nAna: {said.replace('eat', 'never eat')}", f"Ana: I never {said[2:]}\nAna: {said}"):
        assert len(digest(text, 100, TOKENS).splitlines()) == 2


def test_a_sentence_of_words_of_two_others_is_new():
    text = "Ana: The meeting is on Friday at 3 pm.\nAna: I own 4 boats.\nAna: The meeting is on Friday at 4 pm."
    assert len(digest(text, 100, TOKENS).splitlines()) == 3


def test_where_no_sentence_fits_the_best_one_is_cut():
    assert digest("Ana: I moved to Porto on Friday the third.", 6, TOKENS) == "Ana: I moved to Porto"


def test_small_talk_alone_leaves_something_all_the_same():
    assert digest("Ana: Hi!\nBo: Thanks a lot!", 50, TOKENS) != ""


def test_blank_text_leaves_nothing_but_the_earlier_summary():
    assert digest("  \n ", 50, TOKENS) == ""
    assert digest("", 50, TOKENS, existing="- Ana: I live in Porto.") == "- Ana: I live in Porto."


def test_a_zero_budget_gives_no_text_and_a_negative_one_is_an_error():
    assert digest(CHAT, 0, TOKENS) == ""
    with pytest.raises(ValueError, match="negative"):
        digest(CHAT, -1, TOKENS)


@pytest.mark.matrix
@pytest.mark.parametrize(
    "text",
    [
        '{"name": "Ana", "city": "Porto", "age": 41}, ' * 50,
        "def f(x):\n    return x + 1\n\n" * 20,
        "| city | rent |\n|---|---|\n| Porto | 780 |\n" * 10,
        "2024-05-01 12:00:01 ERROR worker 7: timeout after 30 s\n" * 30,
        "x" * 5000,
        "我们决定下周二在上海见面。" * 30,
        "سنلتقي يوم الثلاثاء في دمشق. " * 30,
    ],
)
def test_text_of_any_kind_is_summarised_within_the_budget(text):
    kept = digest(text, 40, TOKENS)
    assert 0 < TOKENS.count_tokens(kept) <= 40


def test_hard_wrapped_prose_is_read_as_sentences():
    text = "Ana: I have been living in the old town of Porto since the\n  spring of 2019 and I do not want to leave it."
    assert digest(text, 60, TOKENS) == (
        "- Ana: I have been living in the old town of Porto since the spring of 2019 and I do not want to leave it."
    )


LINES = st.lists(
    st.tuples(
        st.sampled_from(["Ana: ", "user: ", "assistant: ", "", "  ", "- ", "- Bo: ", "Note: "]),
        st.one_of(
            st.text(max_size=60),
            st.sampled_from(
                [
                    "I live in Rome.",
                    "We decided to sell it for 30 euros! Why?",
                    "Yes.",
                    "Are you allergic to nuts?",
                    "I met Mr",
                    "milk",
                    "e.g. the red one. It cost 3.5 euros… Ok",
                ]
            ),
        ),
    ),
    max_size=12,
).map(lambda lines: "\n".join(who + said for who, said in lines))


@settings(deadline=None, max_examples=rounds(150))
@given(
    text=LINES,
    existing=st.one_of(st.none(), LINES),
    target=st.integers(0, 120),
    tier=st.integers(1, 4),
    tokenizer=st.sampled_from([TOKENS, Characters(), Pieces()]),
)
def test_never_over_the_target_never_a_word_of_its_own(text, existing, target, tier, tokenizer):
    kept = digest(text, target, tokenizer, tier=tier, existing=existing)
    assert tokenizer.count_tokens(kept) <= target or kept == ""
    said = iter(letters_of(one.text for source in (existing or "", text) for one in utterances(source)))
    assert all(letter in said for letter in letters_of(one.text for one in utterances(kept)))


@settings(deadline=None, max_examples=rounds(100))
@given(text=LINES, target=st.integers(1, 120))
def test_each_bullet_is_a_whole_statement_of_a_speaker(text, target):
    kept = digest(text, target, TOKENS)
    there = {(said.who, said.text) for said in utterances(text)}
    assert not kept.startswith("- ") or {(said.who, said.text) for said in utterances(kept)} <= there


@settings(deadline=None, max_examples=rounds(100))
@given(text=LINES, target=st.integers(1, 120))
def test_bullets_summarised_again_within_the_same_budget_do_not_change(text, target):
    once = digest(text, target, TOKENS)
    assert not once.startswith("- ") or digest(once, target, TOKENS) == once  # else a cut, which may fit as a bullet


def test_a_full_summary_drops_old_points_for_new_ones():
    kept = ""
    for crates in (3, 30, 300):
        said = "\n".join(f"Ana: In {month} I bought {crates} crates of apples." for month in ("March", "April", "May"))
        kept = digest(said, 60, TOKENS, existing=kept or None)
        assert f" {crates} " in kept
        assert " 3 " in kept
    assert TOKENS.count_tokens(kept) <= 60


def test_idle_words_are_not_kept_where_informative_ones_do_not_fit():
    said = "Ana: In March I moved two hives behind the barn in Kakheti.\nBo: Noted, thank you for telling me."
    room = TOKENS.count_tokens("- Bo: Noted, thank you for telling me.")
    assert digest(said, room, TOKENS).startswith("Ana: In March I moved two hives")


def test_another_month_or_place_is_news_too():
    said = "\n".join(f"Ana: In {month} I moved two hives behind the barn." for month in ("March", "April"))
    assert digest(said, 60, TOKENS).count("hives") == 2
