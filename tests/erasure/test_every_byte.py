"""After any history: what only an erased memory had is in no byte of a file, another owner's equal text stands."""

from __future__ import annotations

from pathlib import Path

import pytest

from campaigns.erasure import run


@pytest.mark.sqlite("every byte of its files")
@pytest.mark.parametrize("seed", range(1, 4))
def test_nothing_of_it_is_left_and_everything_else_is(tmp_path: Path, seed: int) -> None:
    texts, faults = run(tmp_path, seed)
    assert faults == []
    assert texts > 10
