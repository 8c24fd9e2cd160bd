"""Workers that are killed while a model describes memories describe each of them once, and lose none."""

from __future__ import annotations

import pytest

from campaigns.described import run


@pytest.mark.slow
def test_workers_may_be_killed_while_the_model_thinks() -> None:
    done = run(1, seconds=1.0)
    assert [fault for each in done for fault in each.faults] == []
    assert done[-1].acknowledged
