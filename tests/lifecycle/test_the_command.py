"""`engrain lifecycle` shows counts over time and the policies in force."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager
from engrain.cli.main import main


def test_it_shows_counts_and_policies(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    store = str(tmp_path / "memory.db")
    with MemoryManager(store, embedder=None) as memory:
        memory.remember("Ana drinks tea")
    asked = ["lifecycle", "--store", store, "--embedder", "none"]
    assert main(asked) == 0
    shown = capsys.readouterr().out
    assert "retention: keep" in shown
    assert "exponential 0.01/day" in shown
    assert main([*asked, "--json", "--since", "2020-01-01"]) == 0
    assert '"active": 1' in capsys.readouterr().out
    assert main([*asked, "--since", "2999-01-01"]) == 1
    assert "it must be before until" in capsys.readouterr().err
