"""Several processes carry out requests on one file, and are killed at it: each is carried out once, or not at all."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, RequestRepeated, Settings
from engrain.idempotency import IdempotentRequests, StoredAnswer
from engrain.storage.rows import TurnRow
from engrain.testing import FakeEmbedder
from tests.rounds import rounds

ROUNDS = rounds(15)
_SCRIPT = """
import os, signal, sys
from engrain import MemoryManager, RequestRepeated, Settings
from engrain.idempotency import IdempotentRequests, StoredAnswer
from engrain.testing import FakeEmbedder

def say(*words):
    os.write(1, (" ".join(map(str, words)) + "\\n").encode())  # a whole line or none: one is killed between two writes

def asked(m, requests, number):
    try:
        found = requests.begin("default", "", f"name {number}", b"it")
        if not isinstance(found, StoredAnswer):
            with found as attempt:
                attempt.answer(200, m.add_message("user", f"kettle {number}", session="one").id)
        return "answered"
    except RequestRepeated as error:
        return error.code

def halfway(m, requests):
    with requests.begin("default", "", "a", b"it"):
        made = m.remember_many([{"content": f"kettle {n}"} for n in range(10)], batch_size=4)
        say(*(one.id for one in made))
        os.kill(os.getpid(), signal.SIGKILL)

def work(path, first, last):
    with MemoryManager(path, embedder=FakeEmbedder(8), settings=Settings(worker="none")) as m:
        requests = IdempotentRequests(m)
        for number in range(first, last):
            say(number, asked(m, requests, number))
        if first == last:
            halfway(m, requests)

say("ready")
for line in iter(sys.stdin.readline, ""):  # each line is done by a process of its own, a fork of this one
    child = os.fork()
    if child == 0:
        path, first, last = line.rsplit(maxsplit=2)
        say(os.getpid())
        work(path, int(first), int(last))
        os._exit(0)
    os.waitpid(child, 0)
    say("ended")
"""


class Starter:
    """A process that has imported what is needed, and starts others that carry out requests."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", _SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )

    def line(self) -> str:
        """Return what was said next."""
        assert self.process.stdout is not None
        said = self.process.stdout.readline()
        assert said.endswith("\n"), "it has ended"
        return said.rstrip("\n")

    def start(self, path: Path, first: int, last: int) -> int:
        """Have a process carry out some requests; return its id."""
        assert self.process.stdin is not None
        self.process.stdin.write(f"{path} {first} {last}\n")
        self.process.stdin.flush()
        return int(self.line())

    def rest(self) -> list[str]:
        """Return what it says until its end."""
        return list(iter(self.line, "ended"))


@pytest.fixture(scope="module")
def starters() -> Iterator[tuple[Starter, Starter]]:
    both = Starter(), Starter()
    assert [starter.line() for starter in both] == ["ready", "ready"]
    yield both
    for starter in both:
        starter.process.communicate()


def opened(path: Path) -> MemoryManager:
    return MemoryManager(path, embedder=FakeEmbedder(8), settings=Settings(worker="none"))


def said(memory: MemoryManager) -> Counter[int]:
    """Return how often each message was kept: the same words said twice are two messages."""
    with memory.store.read() as reader:
        return Counter(int((turn.content or "").split()[-1]) for turn in reader.find(TurnRow, order="position"))


def test_of_several_processes_one_carries_it_out(tmp_path: Path, starters: tuple[Starter, Starter]) -> None:
    path = tmp_path / "m.db"
    opened(path).close()
    for starter in starters:
        starter.start(path, 0, 60)
    stored = [starter.rest() for starter in starters]
    assert [len(lines) for lines in stored] == [60] * 2
    assert {line.split()[1] for lines in stored for line in lines} <= {"answered", "IN_FLIGHT"}
    with opened(path) as memory:
        assert said(memory) == Counter(range(60))
        requests = IdempotentRequests(memory)
        for number in range(60):
            assert isinstance(requests.begin("default", "", f"name {number}", b"it"), StoredAnswer)


def test_a_process_that_is_killed_leaves_both_the_change_and_its_mark_or_neither(
    tmp_path: Path, starters: tuple[Starter, Starter]
) -> None:
    path, chance = tmp_path / "m.db", random.Random(11)
    opened(path).close()
    states: Counter[str] = Counter()
    for first in range(0, ROUNDS * 1000, 1000):
        child = starters[0].start(path, first, first + 1000)
        stored = [starters[0].line() for _ in range(chance.randrange(1, 4))]
        time.sleep(chance.uniform(0, 0.01))  # strikes anywhere in what comes next
        os.kill(child, signal.SIGKILL)
        stored += [line for line in starters[0].rest() if line.endswith(" answered")]
        with opened(path) as memory:
            requests, kept = IdempotentRequests(memory, lease=timedelta(0)), said(memory)
            for number in range(first, first + len(stored) + 2):
                state = state_of(requests, f"name {number}")
                assert kept[number] == (state != "FREE"), number
                assert number >= first + len(stored) or state == "ANSWERED"  # what was acknowledged is held
                states[state] += 1
    assert states["ANSWERED"] >= ROUNDS
    assert states["FREE"] >= ROUNDS


def state_of(requests: IdempotentRequests, name: str) -> str:
    """Return the state of a request that no process carries out any more."""
    try:
        found = requests.begin("default", "", name, b"it")
    except RequestRepeated as error:
        return error.code
    if isinstance(found, StoredAnswer):
        return "ANSWERED"
    with found:
        return "FREE"


@pytest.mark.slow
def test_a_process_that_is_killed_before_it_answers_has_done_it(
    tmp_path: Path, starters: tuple[Starter, Starter]
) -> None:
    path = tmp_path / "m.db"
    starters[1].start(path, 0, 0)
    (made,) = starters[1].rest()
    with opened(path) as memory:
        with pytest.raises(RequestRepeated) as caught:
            IdempotentRequests(memory, lease=timedelta(0)).begin("default", "", "a", b"it")
        assert caught.value.code == "DONE"
        assert list(caught.value.changed) == made.split()  # of all three transactions
        assert memory.count() == 10
