"""Long text is cut at its seams, no passage is too long, and the passages joined are the text."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.formats.documents import LIMIT, cut, passages

PROSE = st.text(alphabet=st.sampled_from("ab .!\n\t#-=`é。"), max_size=400)


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


@given(PROSE, st.integers(1, 50))
def test_pieces_are_within_the_limit_and_join_to_the_text(text, limit):
    pieces = list(cut(text, limit))
    assert "".join(pieces) == text
    assert all(0 < len(piece) <= limit for piece in pieces)


@given(PROSE, st.booleans(), st.integers(1, 60))
def test_passages_are_within_the_limit_and_join_to_the_text(text, markdown, limit):
    found = list(passages(lines(text), markdown=markdown, limit=limit))
    assert "".join(passage.text for passage in found) == "".join(lines(text))
    assert all(0 < len(passage.text) <= limit for passage in found)


def test_the_widest_seam_in_reach_is_cut():
    assert list(cut("One two. Three.\n\nFour five. Six.", 24)) == ["One two. Three.\n\n", "Four five. Six."]
    assert list(cut("One two three. Four five six. Seven", 30)) == ["One two three. Four five six. ", "Seven"]
    assert list(cut("one two three four", 10)) == ["one two ", "three four"]
    assert list(cut("x" * 25, 10)) == ["x" * 10, "x" * 10, "x" * 5]


def test_a_seam_that_would_leave_a_crumb_is_passed_over():
    assert list(cut("Hi.\n\n" + "word " * 10, 40))[0] == "Hi.\n\n" + "word " * 7


def test_a_text_of_one_endless_line_is_cut_in_good_time():
    found = list(passages(["word " * 400_000]))
    assert sum(len(passage.text) for passage in found) == 2_000_000
    assert max(len(passage.text) for passage in found) <= LIMIT


def test_sections_of_markdown_know_their_headings():
    text = "intro\n# Guide\n## Install #\npip\n## Use\nrun\n# C#\nmore\n"
    assert [(p.text, p.headings) for p in passages(lines(text), markdown=True)] == [
        ("intro\n", ()),
        ("# Guide\n## Install #\npip\n", ("Guide", "Install")),
        ("## Use\nrun\n", ("Guide", "Use")),
        ("# C#\nmore\n", ("C#",)),
    ]


def test_underlined_headings_count_and_rules_do_not():
    text = "Guide\n=====\n\nInstall\n-------\ntext\nmore text\n---\n\n- item\n---\nend\n"
    found = list(passages(lines(text), markdown=True))
    assert [passage.headings for passage in found] == [("Guide", "Install")]


def test_code_between_fences_has_no_headings():
    text = "# A\n```sh\n# not a heading\n```\n~~~~\n~~~\n# nor this\n~~~~\n# B\nend\n"
    assert [passage.headings for passage in passages(lines(text), markdown=True)] == [("A",), ("B",)]


def test_plain_text_has_no_headings():
    assert [passage.headings for passage in passages(["# a comment\n", "x\n", "# b\n"])] == [()]
