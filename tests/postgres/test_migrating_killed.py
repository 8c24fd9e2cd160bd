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
from engrain.transfer.declared import moving
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


def _is_complete(target: str) -> bool:
    """Whether the move has ended; a store that is still being moved there refuses to open."""
    with closing(_store(target)) as store:
        if moving(store) is None:
            return True
    with pytest.raises(StoreUnavailable):
        MemoryManager(target, embedder=None)
    return False


@pytest.mark.matrix
@pytest.mark.skipif(sys.platform == "win32", reason="nothing kills a process that way there")
@pytest.mark.parametrize(("from_", "to"), [("file", "server"), ("server", "file")])
def test_a_move_that_is_killed_goes_on(tmp_path: Path, from_: str, to: str) -> None:
    chance, ends = random.Random(f"{from_} {to}"), []
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
        target, complete = places[to], False
        for delay in (0.0, *(chance.uniform(0, 0.35) for _ in range(KILLS - 1))):
            ends.append(subprocess.run([sys.executable, "-c", RUN, source, target, str(delay)], check=False).returncode)
            complete = _is_complete(target)  # also after a kill that came between the last commit and the end
            if complete:
                break
        assert ends[0] == -signal.SIGKILL
        assert complete or len(ends) == KILLS
        if not complete:
            MemoryManager.migrate(source, target)
        assert contents(target) == contents(made)
