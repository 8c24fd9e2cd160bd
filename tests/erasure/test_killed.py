"""A process that is killed while it erases: what it had begun is whole, and what is left of it is finished later."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder, FrozenClock
from tests.rows import standing

_SCRIPT = """
import sys
from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder
with MemoryManager(sys.argv[1], embedder=FakeEmbedder(8), settings=Settings(worker="none")) as m:
    print("begin", flush=True)
    m.forget_all(user="ana", hard=True)
    print("end", flush=True)
"""


def opened(path: Path, clock: FrozenClock) -> MemoryManager:
    return MemoryManager(path, embedder=FakeEmbedder(8), clock=clock, settings=Settings(worker="none"))


@pytest.mark.matrix
@pytest.mark.parametrize("after", [0.05, 0.6])
def test_it_goes_on_where_it_stopped(tmp_path: Path, after: float) -> None:
    clock = FrozenClock("2099-01-01T00:00:00+00:00")
    path = tmp_path / "memory.db"
    with opened(path, clock) as m:
        notes = ({"content": f"note Vexillo{n}q of the day", "resolve": "off"} for n in range(600))
        m.scoped(user="ana").remember_many(notes)
        m.scoped(user="bo").remember("note Vexillo7q of the day")
    with subprocess.Popen([sys.executable, "-c", _SCRIPT, str(path)], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
        time.sleep(after)
        process.send_signal(signal.SIGKILL)
    clock.advance(timedelta(minutes=5))
    with opened(path, clock) as m:
        left = m.scoped(user="ana").count(status="all")
        assert left % 100 == 0  # a step is whole or has not been
        assert m.verify_audit().ok
        assert m.audit_integrity().tampered_ids == ()
        m.flush()
        assert {receipt.status for receipt in m.receipts()} <= {"complete"}
        assert m.forget_all(user="ana", hard=True).count == left
        assert [memory.content for memory in m.iter_memories(status="all")] == ["note Vexillo7q of the day"]
        assert standing(path, [f"Vexillo{n}q" for n in range(5, 600, 9)]) == []
