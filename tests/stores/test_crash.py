"""Writers killed in the middle of their work: nothing acknowledged is lost, and nothing is out of step."""

from __future__ import annotations

import pytest

from campaigns import kill9
from tests.rounds import rounds

pytestmark = pytest.mark.sqlite("its files")


def test_an_acknowledged_write_survives_kill_9() -> None:
    done = kill9.run(rounds(8), writers=2, seconds=0.5, seed=7)
    assert [fault for each in done for fault in each.faults] == []
    assert sum(each.acknowledged for each in done) > 0
