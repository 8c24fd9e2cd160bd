"""Any text comes back to the letter, and is found, whatever it is made of."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from engrain import MemoryManager
from tests.rounds import rounds

TEXTS = [
    "plain",
    "  indented, with a trailing space ",
    "line one\r\nline two\n\n\ttabbed",
    "emoji 👩‍👩‍👧 and flags 🇬🇪",
    "e\u0301 is not \u00e9 to the letter",
    "zero\u200bwidth and \u202ereversed\u202c",
    "日本語の文章です。",
    "مرحبا بالعالم",
    "'; DROP TABLE memory; --",
    '{"json": [1, 2]} \\u0000 \\n',
    "%s {0} $x `y` <b>z</b>",
    "\ufeffwith a byte order mark",
    "x" * 100_000,
]


@pytest.mark.matrix
@pytest.mark.parametrize("text", TEXTS, ids=range(len(TEXTS)))
def test_it_comes_back_to_the_letter(tmp_path: Path, text: str) -> None:
    with MemoryManager(tmp_path / "m.db") as memory:
        memory_id = memory.remember(text, metadata={"said": text[:500]}, tags=["kept"]).id
    with MemoryManager(tmp_path / "m.db") as memory:
        (found,) = memory.recall(text[:200]).memories
        assert (found.id, found.content, found.metadata) == (memory_id, text, {"said": text[:500]})
        assert found.source.verify(text)


@settings(max_examples=rounds(60), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=80))
def test_any_other_text_does_too(memory: MemoryManager, text: str) -> None:
    if text.strip():
        (kept, _) = memory.remember(text, kind="episodic", session=f"s{memory.count()}")
        assert memory.history(kept.id)[0].content == text
        memory.recall(text, k=1)
