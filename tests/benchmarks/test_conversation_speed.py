"""A run over a made-up conversation measures appends beside plain memories, and leaves nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.speed import APPEND, CONVERSATION, END


@pytest.mark.slow
def test_appends_are_compared_with_memories_of_the_same_session(tmp_path: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    found = CONVERSATION.run(sizes=[200, 250], store_dir=tmp_path, progress=lambda *step: seen.append(step))
    rows = {(row.what, row.size): row for row in found.rows}
    for size in (200, 250):
        row = rows[APPEND, size]
        assert row.limit == "remember in the same session"
        assert row.ratio is not None
        assert row.ratio > 0
        assert (rows[END, size].cpu_ms or 0) > 0
    assert (rows[f"{APPEND}: growth from 200", 250].value or 0) > 0
    assert [done for done, _, _ in seen] == [1, 2]
    assert list(tmp_path.iterdir()) == []


def test_a_conversation_that_is_too_short_to_measure_is_refused() -> None:
    with pytest.raises(ValueError, match="at least 200"):
        CONVERSATION.run(sizes=[199])
