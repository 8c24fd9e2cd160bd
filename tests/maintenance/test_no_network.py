"""Everything works without a network: no socket is ever asked for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

CODE = """
import sys

def refuse(event, arguments):
    if event.startswith("socket."):
        raise RuntimeError(f"{event} {arguments}")

sys.addaudithook(refuse)
from engrain import MemoryManager

with MemoryManager(sys.argv[1]) as memory:
    memory.remember("Ana plays the cello")
    assert memory.flush()
    found = memory.recall("musician")
    print(found.texts[0], memory.stats().embedder, memory.stats().vectors)
    assert memory.context("cello")
    memory.export(sys.argv[1] + ".jsonl")
    memory.snapshot(sys.argv[1] + ".copy")
"""


def test_no_socket_is_asked_for(tmp_path: Path) -> None:
    command = [sys.executable, "-c", CODE, str(tmp_path / "memory.db")]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    embedder = "wordllama:l2_supercat_256:256:1"
    assert ran.stdout.strip() == f"Ana plays the cello {embedder} {{'{embedder}': 1}}"
