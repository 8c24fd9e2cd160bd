"""A process that is killed in the middle of a run loses nothing, and the next run does nothing twice."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from engrain import MemoryManager, Settings

QUIET = Settings(worker="none")
EPISODES = 60
WORKER = """
import sys
from engrain import MemoryManager, Settings
from engrain.lifecycle.consolidation import consolidate
with MemoryManager(sys.argv[1], embedder=None, settings=Settings(worker="none")) as memory:
    for _ in range(int(sys.argv[2])):
        consolidate(memory._engine, None, batch_size=2)
        print("batch", flush=True)
    sys.stdin.read()
"""


def test_a_killed_run_is_finished_by_the_next(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    with MemoryManager(place, user="ana", embedder=None, settings=QUIET) as memory:
        for n in range(EPISODES):
            memory.remember(f"I have a dog named Rex{n}.", session=f"s{n}", source_type="user_input")
    for batches in (1, 4, 9):
        worker = subprocess.Popen(
            [sys.executable, "-c", WORKER, str(place), str(batches + 4)],  # however late it is killed, some is left
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONUTF8": "1"},
        )
        assert worker.stdout is not None
        for _ in range(batches):
            assert worker.stdout.readline() == b"batch\n"
        time.sleep(0.003 * batches)  # into the middle of something else each time
        worker.kill()
        worker.communicate()
    with MemoryManager(place, user="ana", embedder=None, settings=QUIET) as memory:
        left = memory.count(kinds=["episodic"]) - memory.count(kinds=["semantic"])
        assert 0 < left < EPISODES
        done = 0
        while batch := memory.consolidate(batch_size=20).processed:
            done += batch
        assert done == left
        facts = list(memory.iter_memories(kinds=["semantic"]))
        assert len({fact.content for fact in facts}) == len(facts) == EPISODES
        assert all(len(fact.links) == 1 and fact.evidence_count == 1 for fact in facts)
        assert memory.verify_audit().ok
