"""Workers sweep one store that is being written to, and are killed; nothing may be lost, learnt or let go twice.

    python -m campaigns lives --rounds 50

Writers remember episodes and facts with short lives; workers end, learn, expire, archive and evict. All of them are
killed at a random moment. In the end one sweep finishes, and the store is checked: every acknowledged memory is there,
has left at most once, and not before it was learnt from; every fact was learnt once; counts and audit trail are whole.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from campaigns.report import finish
from campaigns.soundness import examine
from engrain import MemoryManager, RetentionPolicy, Settings
from engrain.model.choices import KindName
from engrain.model.memory import Kind, Memory, Status
from engrain.opening import open_store
from engrain.storage.rows import CounterRow, Revision
from engrain.testing import FakeEmbedder

CAP = 60
_START = 60.0  # seconds until every process works
_LEAVING = ("expire", "archive", "evict")


@dataclass(slots=True)
class Round:
    """What one round did: acknowledged memories, how many have left by now, and what was missing or wrong."""

    number: int
    acknowledged: int
    left: int
    faults: list[str] = field(default_factory=list)


def opened(place: str) -> MemoryManager:
    """Open the store under policies by which memories live for about a second."""
    policies = (
        RetentionPolicy(kind="episodic", ttl=0.5, cap=CAP),
        RetentionPolicy(kind="semantic", cap=CAP, curve="exponential", rate=100_000.0),
    )
    chosen = Settings(retention="bounded", policies=policies, worker="none")
    return MemoryManager(place, user="ana", agent="scout", embedder=FakeEmbedder(16), settings=chosen)


def write(place: str, notes: str, name: str) -> None:
    """Remember for ever, noting each memory once the call has returned."""
    book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with opened(place) as m:
        for number in range(1_000_000):
            kind: KindName = "episodic" if number % 3 else "semantic"
            session = f"{name}{number // 5}" if kind == "episodic" else None
            text = f"I have a dog named {name}{number}." if kind == "episodic" else f"Shelf {name}{number} is blue"
            ttl = 0.3 if number % 7 == 0 else None
            kept = m.remember(text, kind=kind, session=session, source_type="user_input", importance=0.4, ttl=ttl)
            os.write(book, f"{kept.id}\n".encode())


def sweep(place: str) -> None:
    """Sweep for ever."""
    with opened(place) as m:
        while True:
            m.sweep()


def run_round(folder: Path, number: int, *, writers: int, sweepers: int, seconds: float, seed: int) -> Round:
    """Let all processes work for up to `seconds`, kill them, and look at what is there."""
    place, rng = str(folder / "memory.db"), random.Random(f"{seed} {number}")
    books = [folder / f"notes-r{number}w{n}" for n in range(writers)]
    command = [sys.executable, "-m", "campaigns.lives"]
    children = [
        subprocess.Popen([*command, "--write", place, str(book), f"r{number}w{n}x"]) for n, book in enumerate(books)
    ]
    children += [subprocess.Popen([*command, "--sweep", place]) for _ in range(sweepers)]
    until = time.monotonic() + _START
    while not all(book.exists() and book.stat().st_size for book in books) and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(rng.uniform(0.2, seconds))
    for child in children:
        child.kill()
        child.wait()
    return _held(folder, place, number)


def _held(folder: Path, place: str, number: int) -> Round:
    with opened(place) as m:
        m.sweep()
    kept, faults = examine(place)
    promised = [line for book in sorted(folder.glob("notes-*")) for line in book.read_text().split("\n")[:-1]]
    faults += [f"{memory_id} was acknowledged and is gone" for memory_id in promised if memory_id not in kept]
    faults += [*_twice(place), *_unlearnt(kept.values()), *_miscounted(place, kept.values())]
    left = sum(memory.stored_status is not Status.ACTIVE for memory in kept.values())
    return Round(number, len(promised), left, faults)


def _twice(place: str) -> Iterator[str]:
    """Name what left more than once."""
    store = open_store(place, Settings())
    try:
        with store.read() as reader:
            left = Counter(revision.num for revision in reader.find(Revision) if revision.change in _LEAVING)
    finally:
        store.close()
    yield from (f"row {num} left {times} times" for num, times in left.items() if times > 1)


def _unlearnt(memories: Iterable[Memory]) -> Iterator[str]:
    """Name episodes that left before they were learnt from, and facts that were learnt twice."""
    facts: Counter[str] = Counter()
    for memory in memories:
        by_default = memory.status in (Status.EXPIRED, Status.ARCHIVED) and memory.expiry != "given"
        if memory.kind is Kind.EPISODIC and by_default and memory.consolidated_at is None:
            yield f"{memory.id} left before it was learnt from"
        if memory.kind is Kind.SEMANTIC and memory.content.startswith("I have a dog"):
            facts[memory.content] += 1
    yield from (f"{text!r} was learnt {times} times" for text, times in facts.items() if times > 1)


def _miscounted(place: str, memories: Iterable[Memory]) -> Iterator[str]:
    """Name what the store counts otherwise than it is, and caps that are exceeded by what may be evicted."""
    alive = Counter(m.kind.value for m in memories if m.status is Status.ACTIVE and not m.is_superseded)
    store = open_store(place, Settings())
    try:
        with store.read() as reader:
            counted = {counter.kind: counter.live for counter in reader.find(CounterRow, order="kind") if counter.live}
    finally:
        store.close()
    if counted != dict(alive):
        yield f"the store counts {counted}, and there are {dict(alive)}"


def run(rounds: int, *, writers: int = 2, sweepers: int = 2, seconds: float = 3.0, seed: int = 1) -> list[Round]:
    """Run rounds, each of which ends in a kill."""
    with tempfile.TemporaryDirectory() as name:
        opened(str(Path(name) / "memory.db")).close()
        return [
            run_round(Path(name), n, writers=writers, sweepers=sweepers, seconds=seconds, seed=seed)
            for n in range(1, rounds + 1)
        ]


def main() -> int:
    """Run the campaign, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--sweepers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=3.0, help="the longest a round lasts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", nargs=3, metavar=("STORE", "NOTES", "NAME"), help=argparse.SUPPRESS)
    parser.add_argument("--sweep", metavar="STORE", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        write(*chosen.write)
    if chosen.sweep:
        sweep(chosen.sweep)
    done = run(
        chosen.rounds, writers=chosen.writers, sweepers=chosen.sweepers, seconds=chosen.seconds, seed=chosen.seed
    )
    rows = [{"round": r.number, "acknowledged": r.acknowledged, "left": r.left, "faults": len(r.faults)} for r in done]
    return finish(
        "lives",
        rows,
        {"rounds": len(done), "acknowledged": done[-1].acknowledged, "left": done[-1].left},
        [f"round {r.number}: {fault}" for r in done for fault in r.faults],
    )


if __name__ == "__main__":
    sys.exit(main())
