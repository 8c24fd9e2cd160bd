"""Several processes speak in one session, and some are killed: no acknowledged message is lost."""

from __future__ import annotations

import pytest

from campaigns import talks


@pytest.mark.slow
def test_an_acknowledged_write_is_in_the_log_after_any_kill() -> None:
    rounds = talks.run(1, speakers=2, seconds=0.5, count=30, seed=7)
    assert [fault for each in rounds for fault in each.faults] == []
    assert rounds[-1].acknowledged >= 60
