"""A store is encrypted, given another key, and decrypted from the command line; keys are in the environment."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.conftest import Run

HEADER = b"SQLite format 3"


@pytest.mark.sqlite("a file that is encrypted")
def test_there_and_back(run: Run, store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("remember", "the kettle is on")
    secret, plain = tmp_path / "secret.db", tmp_path / "plain.db"
    monkeypatch.setenv("ENGRAIN_NEW_ENCRYPTION_KEY", "correct horse")
    assert "encrypted" in run("rekey", store, secret).out
    assert not secret.read_bytes().startswith(HEADER)
    monkeypatch.setenv("ENGRAIN_ENCRYPTION_KEY", "correct horse")
    assert "kettle" in run("list", "--store", secret).out
    assert run("rekey", secret, plain, "--plain", "--json").document == {"path": str(plain), "encrypted": False}
    assert plain.read_bytes().startswith(HEADER)
    monkeypatch.setenv("ENGRAIN_ENCRYPTION_KEY", "wrong horse")
    refused = run("rekey", secret, tmp_path / "never.db", "--plain")
    assert (refused.code, (tmp_path / "never.db").exists()) == (1, False)


def test_a_missing_key_without_a_terminal_is_an_error(run: Run, store: Path, tmp_path: Path) -> None:
    run("remember", "the kettle is on")
    refused = run("rekey", store, tmp_path / "copy.db")
    assert (refused.code, "ENGRAIN_NEW_ENCRYPTION_KEY" in refused.err) == (2, True)
    assert not (tmp_path / "copy.db").exists()
