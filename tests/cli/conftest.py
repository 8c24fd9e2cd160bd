"""The command line as a test calls it: in this process, or as a process of its own where that is what matters."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from engrain.cli.main import main
from tests.forks import forking


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


@pytest.fixture(scope="package")
def engrain(request: pytest.FixtureRequest) -> Iterator[list[str]]:
    """The command, which costs little where processes can fork."""
    if request.config.getoption("engine") == "postgres":
        yield [sys.executable, "-m", "engrain"]  # whoever holds connections cannot be forked
        return
    with forking(dict(os.environ)) as folder:
        yield [str(folder / "engrain")] if folder else [sys.executable, "-m", "engrain"]


@pytest.fixture
def process(store: Path, engrain: list[str]) -> Run:
    """Run a command as a process of its own, with `stdin` as its standard input."""

    def call(*words: object, stdin: str = "") -> Ran:
        done = subprocess.run(
            [*engrain, *map(str, words)],
            input=stdin,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )
        return Ran(done.returncode, done.stdout, done.stderr)

    return call
