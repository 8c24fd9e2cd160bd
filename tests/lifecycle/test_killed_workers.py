"""Workers that are killed while they sweep a store that is being written to lose nothing, and do nothing twice."""

from __future__ import annotations

import pytest

from campaigns.lives import run


@pytest.mark.slow
def test_workers_and_writers_may_be_killed_at_any_moment() -> None:
    done = run(1, seconds=1.5)
    assert [fault for each in done for fault in each.faults] == []
    assert done[-1].acknowledged
