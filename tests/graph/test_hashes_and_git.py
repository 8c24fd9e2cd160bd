from __future__ import annotations

import pytest

from tests.graph.reading import named

SHA1 = "da39a3ee5e6b4b0d3255bfef95601890afd80709"
SHA256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
LINES = [
    "commit {0}\nAuthor: Alice",
    "tree {0}",
    "parent {0}",
    "Merge: {0} {0}",
    "index {0}..{0} 100644",
    "git checkout {0}",
    "$ git log --oneline {0}",
    "(cherry picked from commit {0})",
    "Fixes: {0}",
    "HEAD is now at {0}",
    "Reverts commit {0}.",
    "https://example.org/r/commit/{0}",
    "image@sha256:{0}",
    "{0} refs/heads/main",
]


@pytest.mark.parametrize("line", LINES)
@pytest.mark.parametrize("value", [SHA1, SHA256])
def test_the_name_of_a_commit_is_no_indicator(line: str, value: str) -> None:
    assert named(line.format(value), types="sha1 sha256 md5") == set()


def test_a_hash_of_a_file_is_one_even_below_a_commit() -> None:
    text = f"commit {SHA1}\n\nThe dropper has the hash {SHA256}."
    assert named(text, types="sha1 sha256") == {("sha256", SHA256)}
