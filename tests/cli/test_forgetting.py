"""Forgetting asks first: on a terminal it waits for an answer, elsewhere it refuses without `--yes`."""

from __future__ import annotations

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.cli.conftest import Run

pty = pytest.importorskip("pty", reason="there are no pseudo-terminals here")


@pytest.fixture
def memory_id(run: Run) -> str:
    return str(run("remember", "Ana lives in Boston", "--json").document["id"])


def at_a_terminal(answer: str, *words: str) -> tuple[int, str]:
    """Run a command whose three streams are a terminal, and answer what it asks."""
    ours, theirs = pty.openpty()
    child = subprocess.Popen([sys.executable, "-m", "engrain", *words], stdin=theirs, stdout=theirs, stderr=theirs)
    os.close(theirs)
    os.write(ours, answer.encode())
    shown = b""
    with suppress(OSError):  # how some systems say that the other end is closed
        while part := os.read(ours, 4096):
            shown += part
    os.close(ours)
    return child.wait(60), shown.decode()


def test_without_a_terminal_it_refuses(process: Run, memory_id: str) -> None:
    ran = process("forget", memory_id)
    assert ran.code == 2
    assert "--yes" in ran.err
    assert process("get", memory_id).code == 0


def test_yes_does_not_ask(run: Run, memory_id: str) -> None:
    assert run("forget", memory_id, "--yes").code == 0
    assert "no memories" in run("list").out
    assert run("list", "--status", "forgotten", "--json").document["memories"][0]["id"] == memory_id


def test_the_question_quotes_the_memory_and_yes_forgets(store: Path, run: Run, memory_id: str) -> None:
    code, shown = at_a_terminal("y\n", "forget", memory_id)
    assert 'forget "Ana lives in Boston"?' in shown
    assert code == 0
    assert "no memories" in run("list").out


def test_no_changes_nothing(run: Run, memory_id: str) -> None:
    code, shown = at_a_terminal("n\n", "forget", memory_id)
    assert code == 1
    assert "nothing was changed" in shown
    assert run("get", memory_id).code == 0
