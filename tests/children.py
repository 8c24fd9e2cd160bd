"""Processes that a test starts: forks of one that has imported the library, where processes can fork."""

from __future__ import annotations

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import chdir
from multiprocessing.process import BaseProcess
from pathlib import Path

from engrain.testing.conformance.concurrency import context

_WANTED = ["engrain.testing.conformance", "engrain.server.process", "mcp", "tests.prepared"]
_ROOT = Path(__file__).resolve().parent.parent


def prepare() -> None:
    """Say what the process that others are forks of imports, before the first is started."""
    if "forkserver" in multiprocessing.get_all_start_methods():
        multiprocessing.set_forkserver_preload(_WANTED)


def command(arguments: Sequence[str], log: Path, environ: Mapping[str, str]) -> BaseProcess:
    """Start `engrain` with arguments in this folder, in an environment; what it prints goes into `log`."""
    child = context().Process(target=_command, args=(list(arguments), str(log), os.getcwd(), dict(environ)))
    with chdir(_ROOT):  # where the process that others are forks of finds the tests, when this is the first
        child.start()
    return child


def _command(arguments: list[str], log: str, folder: str, environ: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(environ)
    os.chdir(folder)
    tempfile.tempdir = None  # it was looked for in the environment of the process that this is a fork of
    book = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    for stream in (1, 2):
        os.dup2(book, stream)
    sys.argv = ["engrain", *arguments]
    from engrain.cli.main import main

    sys.exit(main())
