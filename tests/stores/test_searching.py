"""Many byte strings are looked for at once: what is found is what is there, wherever the cuts fall."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.storage import byte_search
from engrain.storage.byte_search import LEAST, Needles

few = st.binary(min_size=0, max_size=12).map(lambda raw: bytes(b"abc"[each % 3] for each in raw))


@given(content=st.lists(few, max_size=40).map(b"".join), traces=st.lists(few, max_size=12))
def test_those_that_are_there_are_found(content: bytes, traces: list[bytes]) -> None:
    expected = {trace for trace in traces if len(trace) >= LEAST and trace in content}
    assert Needles(traces).found_in(content) == expected
    assert Needles(traces).found_in(memoryview(content)) == expected


def test_across_the_parts_that_are_looked_at_together() -> None:
    part = byte_search._AT_ONCE
    for trace in (b"vexillographer", b"zephyr" * 40):
        for start in (part - len(trace), part - 1, part - LEAST, 2 * part - 3, 3 * part - len(trace)):
            content = bytearray(b"." * (3 * part))
            content[start : start + len(trace)] = trace
            assert Needles([trace]).found_in(bytes(content)) == {trace}, (trace, start)


def test_what_is_too_short_is_not_looked_for() -> None:
    assert Needles([b"short", b""]).found_in(b"short") == frozenset()
    assert not Needles([b"short"])
    assert Needles([b"longer"]).found_in(b"short") == frozenset()
