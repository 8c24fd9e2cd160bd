from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.graph.packs import untrailed
from engrain.language.tokens import MOST
from engrain.model.entities import name_key
from tests.graph.reading import read
from tests.rounds import rounds

PIECES = [
    *("a.", "(", "[.]", "CVE-", "A ", "http://", "@", ":", "1.", '"A ', " led to ", "APT28 uses Mimikatz and ", "x"),
    *(
        "a[.]com ",
        "a@a.",
        "::1 ",
        "1.1.1.1 ",
        "1/2/",
        "0123456789abcdef",
        "commit ",
        "git ",
        "“A ”",
        "After a, ",
        "due to ",
    ),
    *(
        "Operation A ",
        "Operation of the ",
        "APT28, ",
        "APT28 (",
        "APT28 aka Turla, ",
        "A of the ",
        "Bank of the ",
        ". ",
    ),
    *(
        ";",
        "T1059.001 ",
        "energy, ",
        "energy and a ",
        "A ransomware ",
        "ransomware ",
        "gang ",
        "A'",
        "A-",
        "A&",
        "É ",
        "ﬁ",
    ),
    *(
        "May 5 ",
        "5 May ",
        "in 2024 ",
        "2024-",
        "#a ",
        "#",
        "(dot) ",
        "Dr. ",
        "in Paris ",
        "at uses ",
        "the ",
        "not ",
        "a-",
    ),
    *(
        "_",
        "v1.1.1.1 ",
        "e.g. ",
        "was used by ",
        "denied that APT28 ",
        "phishing emails ",
        "servers ",
        "new backdoor of ",
    ),
]
WORDS = st.sampled_from(
    """APT28 uses Cobalt Strike [.] hxxp :// evil . com @ CVE-2024-1 and led to , " ( ) Dr. Alice İ ß ﬁ é 1.2.3.4 #
    play""".split()
)


@pytest.mark.matrix
@pytest.mark.parametrize("piece", PIECES)
def test_long_repetitions_end(piece: str) -> None:
    assert len(read(piece * (8_000 // len(piece)), "cti").mentions) < 10


def test_what_is_read_of_one_kind_has_a_bound() -> None:
    text = " ".join(f"10.{n >> 8 & 255}.{n & 255}.1" for n in range(MOST + 50))
    assert len(read(text, "cti").mentions) == MOST


@pytest.mark.parametrize("tail", [")", "(", "))(", ".,"])
def test_what_ends_a_url_is_looked_at_once(tail: str) -> None:
    counted = _Counted("http://a.example/" + tail * 900)
    untrailed(counted)
    assert counted.counts <= 6


class _Counted(str):
    """A text that counts how often it is searched through."""

    counts = 0

    def count(self, *args: Any) -> int:
        self.counts += 1
        return super().count(*args)


@settings(max_examples=rounds(150), deadline=None)
@given(
    st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)), st.sampled_from(["general", "cti"])
)
def test_any_text_can_be_read_and_every_span_is_in_it(text: str, domain: str) -> None:
    found = read(text, domain)
    ends = 0
    for mention in found.mentions:
        assert ends <= mention.start < mention.end <= len(text)
        assert name_key(mention.type, mention.name)
        ends = mention.end
    keys = [(each.type, name_key(each.type, each.name)) for each in found.mentions]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize("word", ["mınıng", "inſurance", "banKing", "finance"])
def test_a_letter_that_matches_another_and_folds_otherwise_hides_nothing(word: str) -> None:
    found = read(f"APT28 attacks the {word} sector and the energy sector, says CVE-2024-3094.", "cti")
    assert {"APT28", "energy", "CVE-2024-3094"} <= {mention.name for mention in found.mentions}
