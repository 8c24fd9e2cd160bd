"""Workers that have memories described are killed in the middle of it; each memory is described once, or not yet.

    python -m campaigns described --rounds 30

The model is scripted and slow, so that most deaths fall while it thinks. In the end one worker finishes, and the store
is looked at: every acknowledged memory is there, described exactly once, and the audit trail is whole.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path

from campaigns.report import finish
from campaigns.soundness import examine
from engrain import MemoryManager, Settings
from engrain.engine import SystemClock
from engrain.opening import open_store
from engrain.protocols import Clock
from engrain.storage.rows import Revision
from engrain.testing import FakeEmbedder, FrozenClock, ScriptedLLM

_START = 60.0  # seconds until every process works
_SUMMARY = "APT28 hit a host"


@dataclass(slots=True)
class Round:
    """What one round did: acknowledged memories, how many were described when all were killed, and what was wrong."""

    number: int
    acknowledged: int
    described: int
    faults: list[str] = field(default_factory=list)


def model(slow: float) -> ScriptedLLM:
    """Return a model that takes its time."""

    def reply(prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        time.sleep(random.uniform(0, slow))
        triple = {"subject": "APT28", "relation": "targets", "object": "host"}
        return json.dumps({"summary": _SUMMARY, "triples": [triple]})

    return ScriptedLLM(reply)


def opened(place: str, *, slow: float = 0.02, clock: Clock | None = None) -> MemoryManager:
    """Open the store with the model."""
    settings = Settings(worker="none")
    given = clock or SystemClock()
    embedder = FakeEmbedder(16)
    return MemoryManager(place, user="ana", llm=model(slow), embedder=embedder, settings=settings, clock=given)


def write(place: str, notes: str, name: str) -> None:
    """Remember for ever, noting each memory once the call has returned."""
    book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with opened(place) as m:
        for number in range(1_000_000):
            kept = m.remember(f"APT28 hit host {name}{number}.", domain="cti")
            os.write(book, f"{kept.id}\n".encode())
            time.sleep(0.01)


def work(place: str) -> None:
    """Do what is queued for ever."""
    with opened(place) as m:
        while True:
            m.flush(1.0)
            time.sleep(0.005)


def run_round(folder: Path, number: int, *, workers: int, seconds: float, seed: int) -> Round:
    """Let all processes work for up to `seconds`, kill them, finish what is left, and look at what is there."""
    place, book, rng = str(folder / "memory.db"), folder / f"notes-{number}", random.Random(f"{seed} {number}")
    command = [sys.executable, "-m", "campaigns.described"]
    children = [subprocess.Popen([*command, "--write", place, str(book), f"r{number}x"])]
    children += [subprocess.Popen([*command, "--work", place]) for _ in range(workers)]
    until = time.monotonic() + _START
    while not (book.exists() and book.stat().st_size) and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(rng.uniform(0.2, seconds))
    for child in children:
        child.kill()
        child.wait()
    before = sum(_described(place).values())
    later = FrozenClock((SystemClock().now() + timedelta(hours=2)).isoformat())  # every lease is over
    with opened(place, slow=0, clock=later) as m:
        done = m.flush()
    kept, faults = examine(place)
    promised = [line for each in sorted(folder.glob("notes-*")) for line in each.read_text().split("\n")[:-1]]
    faults += [f"{memory_id} was acknowledged and is gone" for memory_id in promised if memory_id not in kept]
    faults += [] if done else ["something is left to do"]
    times = _described(place)
    faults += [f"{each.id} was not described" for each in kept.values() if each.summary != _SUMMARY]
    faults += [f"row {num} was described {n} times" for num, n in times.items() if n > 1]
    return Round(number, len(promised), before, faults)


def _described(place: str) -> dict[int, int]:
    """Return how often each row was described."""
    store, found = open_store(place, Settings()), dict[int, int]()
    try:
        with store.read() as reader:
            for revision in reader.find(Revision):
                if revision.change == "enrich":
                    found[revision.num] = found.get(revision.num, 0) + 1
    finally:
        store.close()
    return found


def run(rounds: int, *, workers: int = 2, seconds: float = 1.5, seed: int = 1) -> list[Round]:
    """Run rounds on one file, numbered from 1."""
    with tempfile.TemporaryDirectory() as folder:
        numbers = range(1, rounds + 1)
        return [run_round(Path(folder), n, workers=workers, seconds=seconds, seed=seed) for n in numbers]


def main() -> int:
    """Run the campaign, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=1.5, help="the longest a round works")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", nargs=3, metavar=("STORE", "NOTES", "NAME"), help=argparse.SUPPRESS)
    parser.add_argument("--work", metavar="STORE", help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        write(*chosen.write)
        return 0
    if chosen.work:
        work(chosen.work)
        return 0
    done = run(chosen.rounds, workers=chosen.workers, seconds=chosen.seconds, seed=chosen.seed)
    rows = [
        {"round": r.number, "acknowledged": r.acknowledged, "described": r.described, "faults": len(r.faults)}
        for r in done
    ]
    totals = {"rounds": len(done), "workers": chosen.workers, "acknowledged": done[-1].acknowledged if done else 0}
    faults = [f"round {r.number}: {fault}" for r in done for fault in r.faults]
    return finish("kill -9 while memories are described", rows, totals, faults)


if __name__ == "__main__":
    sys.exit(main())
