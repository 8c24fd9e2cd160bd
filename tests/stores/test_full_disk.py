"""An export that finds no space says so, and leaves nothing behind."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import resource, sys
from engrain import MemoryManager, Settings, StoreError

memory = MemoryManager(":memory:", user="ana", llm="none", settings=Settings(worker="none"))
memory.remember_many([{"content": f"Note {number} of the depot, " + "x" * 300} for number in range(200)])
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
try:
    memory.export(sys.argv[1])
except StoreError as error:
    print(type(error).__name__, error)
"""


def test_no_space_is_an_error_of_the_store(tmp_path: Path) -> None:
    target = tmp_path / "out.jsonl"
    # Without -B the import of a module under the limit would leave half of its compiled file for all later processes.
    done = subprocess.run(
        [sys.executable, "-B", "-c", PROGRAM, str(target)], capture_output=True, text=True, timeout=120, check=False
    )
    assert done.stdout.startswith("StoreUnavailable"), done.stderr
    assert "nothing was left there" in done.stdout
    assert list(tmp_path.iterdir()) == []
