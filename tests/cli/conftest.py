"""The command line as a test calls it: in this process, or as a process of its own where that is what matters."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engrain.cli.main import main


@dataclass(frozen=True)
class Ran:
    """How a command ended and what it wrote."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Return standard output, which is one JSON document and nothing else."""
        assert self.code == 0, self.err
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found


Run = Callable[..., Ran]


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store that the commands of a test open, by words only unless they say otherwise."""
    path = tmp_path / "memory.db"
    monkeypatch.setenv("ENGRAIN_STORE", str(path))
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "none")
    return path


@pytest.fixture
def run(store: Path, capfd: pytest.CaptureFixture[str]) -> Run:
    """Run a command in this process."""

    def call(*words: object) -> Ran:
        code = main([str(word) for word in words])
        written = capfd.readouterr()
        return Ran(code, written.out, written.err)

    return call


@pytest.fixture
def process(store: Path) -> Run:
    """Run a command as a process of its own, with `stdin` as its standard input."""

    def call(*words: object, stdin: str = "") -> Ran:
        done = subprocess.run(
            [sys.executable, "-m", "engrain", *map(str, words)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call
