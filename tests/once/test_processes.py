"""Several processes carry out requests on one file, and are killed at it: each is carried out once, or not at all."""

from __future__ import annotations

import random
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest

from recollect import MemoryManager, RequestRepeated, Settings
from recollect.once import Answer, Once
from recollect.testing import FakeEmbedder
from recollect.turnrows import TurnRow

_SCRIPT = """
import sys
from recollect import MemoryManager, RequestRepeated, Settings
from recollect.once import Answer, Once
from recollect.testing import FakeEmbedder

path, first, last = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
with MemoryManager(path, embedder=FakeEmbedder(8), settings=Settings(worker="none")) as m:
    once = Once(m)
    print("begin", flush=True)
    sys.stdin.readline()
    for number in range(first, last):
        try:
            found = once.begin("default", "", f"name {number}", b"it")
            if not isinstance(found, Answer):
                with found as ticket:
                    made = m.add_message("user", f"kettle {number}", session="one")
                    ticket.answer(200, made.id)
            print(number, "answered", flush=True)
        except RequestRepeated as error:
            print(number, error.code, flush=True)
"""


def opened(path: Path) -> MemoryManager:
    return MemoryManager(path, embedder=FakeEmbedder(8), settings=Settings(worker="none"))


def started(path: Path, first: int, last: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", _SCRIPT, str(path), str(first), str(last)]
    return subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def go(*processes: subprocess.Popen[str]) -> None:
    """Let them begin together, once all of them are there."""
    for process in processes:
        assert process.stdout is not None
        assert process.stdout.readline() == "begin\n"
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("\n")
        process.stdin.flush()


def said(memory: MemoryManager) -> Counter[int]:
    """Return how often each message was kept: the same words said twice are two messages."""
    with memory.store.read() as reader:
        return Counter(int((turn.content or "").split()[-1]) for turn in reader.find(TurnRow, order="position"))


def test_of_several_processes_one_carries_it_out(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    opened(path).close()
    processes = [started(path, 0, 40) for _ in range(2)]
    go(*processes)
    told = [process.communicate()[0].splitlines() for process in processes]
    assert [len(lines) for lines in told] == [40] * 2
    assert {line.split()[1] for lines in told for line in lines} <= {"answered", "IN_FLIGHT"}
    with opened(path) as memory:
        assert said(memory) == Counter(range(40))
        once = Once(memory)
        for number in range(40):
            assert isinstance(once.begin("default", "", f"name {number}", b"it"), Answer)


def test_a_process_that_is_killed_leaves_both_the_change_and_its_mark_or_neither(tmp_path: Path) -> None:
    path, chance = tmp_path / "m.db", random.Random(11)
    opened(path).close()
    states: Counter[str] = Counter()
    for first in range(0, 4000, 1000):
        with started(path, first, first + 1000) as process:
            go(process)
            assert process.stdout is not None
            told = [process.stdout.readline() for _ in range(chance.randrange(1, 12))]
            time.sleep(chance.uniform(0, 0.02))  # strikes anywhere in what comes next
            process.kill()
            answered = sum(line.endswith("answered\n") for line in (*told, *process.stdout))
        with opened(path) as memory:
            once, kept = Once(memory, lease=timedelta(0)), said(memory)
            for number in range(first, first + answered + 2):
                state = state_of(once, f"name {number}")
                assert kept[number] == (state != "FREE"), number
                assert number >= first + answered or state == "ANSWERED"  # what was acknowledged is held
                states[state] += 1
    assert states["ANSWERED"] >= 4
    assert states["FREE"] >= 4


def state_of(once: Once, name: str) -> str:
    """Return how a request stands that nobody carries out any more."""
    try:
        found = once.begin("default", "", name, b"it")
    except RequestRepeated as error:
        return error.code
    if isinstance(found, Answer):
        return "ANSWERED"
    with found:
        return "FREE"


_HALFWAY = """
import os, signal, sys
from recollect import MemoryManager, Settings
from recollect.once import Once, Ticket
from recollect.testing import FakeEmbedder

m = MemoryManager(sys.argv[1], embedder=FakeEmbedder(8), settings=Settings(worker="none"))
found = Once(m).begin("default", "", "a", b"it")
assert isinstance(found, Ticket)
with found as ticket:
    made = m.remember_many([{"content": f"kettle {n}"} for n in range(10)], batch_size=4)
    print(" ".join(one.id for one in made), flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


def test_a_process_that_is_killed_before_it_answers_has_done_it(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    killed = subprocess.run([sys.executable, "-c", _HALFWAY, str(path)], stdout=subprocess.PIPE, text=True, check=False)
    assert killed.returncode == -9
    with opened(path) as memory:
        with pytest.raises(RequestRepeated) as caught:
            Once(memory, lease=timedelta(0)).begin("default", "", "a", b"it")
        assert caught.value.code == "DONE"
        assert list(caught.value.changed) == killed.stdout.split()  # of all three transactions
        assert memory.count() == 10
