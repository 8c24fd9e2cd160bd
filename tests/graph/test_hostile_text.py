from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recollect.entities import name_key
from tests.graph.reading import read

PIECES = ["a.", "(", "[.]", "CVE-", "A ", "http://", "@", ":", "1.", '"A ', " led to ", "APT28 uses Mimikatz and ", "x"]
WORDS = st.sampled_from(
    """APT28 uses Cobalt Strike [.] hxxp :// evil . com @ CVE-2024-1 and led to , " ( ) Dr. Alice İ ß ﬁ é 1.2.3.4 #
    play""".split()
)


@pytest.mark.parametrize("piece", PIECES)
def test_long_repetitions_end(piece: str) -> None:
    assert len(read(piece * (20_000 // len(piece)), "cti").mentions) < 10


@settings(max_examples=150, deadline=None)
@given(
    st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=30).map(" ".join)), st.sampled_from(["general", "cti"])
)
def test_any_text_can_be_read_and_every_span_lies_in_it(text: str, domain: str) -> None:
    found = read(text, domain)
    ends = 0
    for mention in found.mentions:
        assert ends <= mention.start < mention.end <= len(text)
        assert name_key(mention.type, mention.name)
        ends = mention.end
    keys = [(each.type, name_key(each.type, each.name)) for each in found.mentions]
    assert len(keys) == len(set(keys))
