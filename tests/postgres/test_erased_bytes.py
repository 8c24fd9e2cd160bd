"""After any history on a server: what only an erased memory had is in no byte of its folder, all else is as it was."""

from __future__ import annotations

import pytest

from campaigns.erasure import database, run
from tests.postgres import servers


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 8))])
def test_nothing_of_it_is_left_and_everything_else_is(seed: int) -> None:
    with servers.private() as server, database(server.url) as url:
        texts, faults = run(server.folder, seed, store=url, steps=30, erasures=3)
    assert faults == []
    assert texts > 10
