"""`engrain migrate`: what was moved is shown, and a second run is refused."""

from __future__ import annotations

from pathlib import Path

from engrain import MemoryManager
from tests.cli.conftest import Run


def test_a_store_is_moved_and_shown(run: Run, tmp_path: Path) -> None:
    source, target = tmp_path / "source.db", tmp_path / "target.db"
    run("remember", "The boat is moored in Genoa", "--store", source)
    shown = run("migrate", source, target)
    assert shown.code == 0
    assert "1 org moved to" in shown.out.replace("\n", " ")
    assert "Genoa" in run("recall", "Where is the boat?", "--store", target).out
    refused = run("migrate", source, target)
    assert refused.code == 1
    assert "is not empty" in refused.err
    found = run("migrate", target, tmp_path / "third.db", "--json").document
    assert found["rows"]["memory"] == 1
    with MemoryManager(tmp_path / "third.db", embedder=None) as third:
        assert found["target"] == third.store.url
    assert set(found["heads"]) == {"default"}
