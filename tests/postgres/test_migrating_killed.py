"""A move that is killed at any moment goes on in the next run, and ends as if nothing had been."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from contextlib import ExitStack, closing
from pathlib import Path
from typing import cast

import pytest

from engrain import MemoryManager, StoreUnavailable
from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.sqlite.store import SQLiteStore
from tests.postgres import rich, servers

pytestmark = pytest.mark.sqlite("a path is a file where stores move between engines")

KILLS = 3
# A run that kills itself some milliseconds after it first heard of a row, whatever it is doing then.
RUN = """
import os, signal, sys, threading
from engrain import MemoryManager
source, target, delay = sys.argv[1:]
begun = []
def report(done, total, label):
    if not begun:
        begun.append(True)
        threading.Timer(float(delay), os.kill, (os.getpid(), signal.SIGKILL)).start()
MemoryManager.migrate(source, target, progress=report)
os._exit(0)
"""


def contents(place: str) -> object:
    with closing(_store(place)) as store:
        found = rich.contents(store)
    return {org: sums for org, sums in found.items() if any(total.rows for total in sums.values())}


def _store(place: str) -> Store:
    return cast(Store, PostgresStore(place)) if "://" in place else SQLiteStore(place)


@pytest.mark.skipif(sys.platform == "win32", reason="nothing kills a process that way there")
@pytest.mark.parametrize(("from_", "to"), [("file", "server"), ("server", "file")])
def test_a_move_that_is_killed_goes_on(tmp_path: Path, from_: str, to: str) -> None:
    chance, ends, refused = random.Random(f"{from_} {to}"), [], 0
    with ExitStack() as stack:
        made = str(tmp_path / "source.db")
        rich.fill(made, calls=15)
        rich.fill_up(made)
        places = {
            name: rich.address(stack.enter_context(servers.database())) if name == "server" else str(tmp_path / "to.db")
            for name in ("file", "server")
        }
        source = made
        if from_ == "server":
            source = places["server"]
            MemoryManager.migrate(made, source)
        target = places[to]
        for _ in range(KILLS):
            run = [sys.executable, "-c", RUN, source, target, str(chance.uniform(0, 0.35))]
            ends.append(subprocess.run(run, check=False).returncode)
            if ends[-1] == 0:
                break
            try:
                MemoryManager(target, embedder=None).close()
            except StoreUnavailable:
                refused += 1
        assert -signal.SIGKILL in ends
        assert refused
        if ends[-1] != 0:
            MemoryManager.migrate(source, target)
        assert contents(target) == contents(made)
