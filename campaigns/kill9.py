"""Writers are killed in the middle of their work; whatever was acknowledged must be there.

    python -m campaigns kill9 --rounds 200

Each writer notes in a file of its own what a call has returned, once it has returned. A line there is a promise.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path

from campaigns.report import finish
from campaigns.soundness import examine
from engrain import MemoryManager
from engrain.model.memory import Memory, Status
from engrain.testing import FakeEmbedder

ROUNDS_PER_FILE = 10
_START = 300.0  # seconds a writer may take to begin, on a busy machine too
_WORDS = "tea milk sugar cup kettle leaf river bridge winter garden Ana Tbilisi Boston moved lives likes rain".split()


@dataclass(slots=True)
class Round:
    """What one round did: acknowledged calls, how many memories the store holds, and what was missing or wrong."""

    number: int
    acknowledged: int
    memories: int
    faults: list[str] = field(default_factory=list)


# ------------------------------------------------------------------------------------------------------------ writer


def write(place: str, notes: str, seed: int) -> None:
    """Remember, update and forget until killed, noting each call once it has returned."""
    rng = random.Random(seed)
    book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    mine: list[str] = []

    def note(sign: str, memory: Memory) -> None:
        os.write(book, f"{sign} {memory.id} {memory.version}\n".encode())

    with MemoryManager(place, embedder=FakeEmbedder(32)) as m:
        for n in range(1_000_000):
            text = f"{seed} {n}: {' '.join(rng.choices(_WORDS, k=rng.randint(1, 30)))}"
            chance = rng.random()
            if chance < 0.7 or not mine:
                memory, _ = m.remember(text)
                mine.append(memory.id)
                note("+", memory)
            elif chance < 0.8:
                for memory, _ in m.remember_many({"content": f"{text} {part}"} for part in range(5)):
                    mine.append(memory.id)
                    note("+", memory)
            elif chance < 0.9:
                note("=", m.update(rng.choice(mine), content=text))
            else:
                memory_id = mine.pop(rng.randrange(len(mine)))
                m.forget(memory_id)
                os.write(book, f"- {memory_id} 0\n".encode())


# ---------------------------------------------------------------------------------------------------------- campaign


def promises(notes: Path) -> list[tuple[str, str, int]]:
    """Return what a writer noted: (sign, id, version); a last line cut short is no promise."""
    lines = notes.read_text().split("\n")[:-1] if notes.exists() else []
    return [(sign, memory_id, int(version)) for sign, memory_id, version in (line.split() for line in lines)]


def broken(kept: dict[str, Memory], promised: list[tuple[str, str, int]]) -> list[str]:
    """Return the promises that the store does not keep."""
    faults = []
    for sign, memory_id, version in promised:
        memory = kept.get(memory_id)
        if memory is None:
            faults.append(f"{memory_id} was acknowledged and is gone")
        elif memory.version < version:
            faults.append(f"{memory_id} is at version {memory.version}; {version} was acknowledged")
        elif sign == "-" and memory.status is not Status.FORGOTTEN:
            faults.append(f"{memory_id} was forgotten and is {memory.status}")
    return faults


def run_round(folder: Path, number: int, *, writers: int, seconds: float, rng: random.Random) -> Round:
    """Let writers work on the file in `folder` for up to `seconds`, kill them, and hold the store to their notes."""
    place = folder / "memory.db"
    command = [sys.executable, "-m", "campaigns.kill9", "--write", str(place)]
    children = [
        subprocess.Popen([*command, str(folder / f"notes-{number}-{n}"), "--seed", str(rng.randrange(2**31))])
        for n in range(writers)
    ]
    if number % 5:
        _await_work(folder, number, children)
        time.sleep(rng.uniform(0, seconds))
    else:
        time.sleep(rng.uniform(0, seconds + 2))  # blindly, into the opening too
    early = [child.poll() for child in children]
    for child in children:
        child.kill()
        child.wait()
    promised = [promise for notes in sorted(folder.glob("notes-*")) for promise in promises(notes)]
    kept, faults = examine(str(place))
    faults += broken(kept, promised)
    faults += [f"writer {n} ended by itself with {code}" for n, code in enumerate(early) if code is not None]
    fresh = sum(len(promises(notes)) for notes in folder.glob(f"notes-{number}-*"))
    return Round(number, fresh, len(kept), faults)


def _await_work(folder: Path, number: int, children: list[subprocess.Popen[bytes]]) -> None:
    until = time.monotonic() + _START
    while len([book for book in folder.glob(f"notes-{number}-*") if book.stat().st_size]) < len(children):
        if time.monotonic() > until or any(child.poll() is not None for child in children):
            return
        time.sleep(0.01)


def run(rounds: int, *, writers: int = 2, seconds: float = 2.0, seed: int = 1) -> list[Round]:
    """Run rounds, numbered from 1, a new file for every ten."""
    rng = random.Random(seed)
    done: list[Round] = []
    for start in range(1, rounds + 1, ROUNDS_PER_FILE):
        with tempfile.TemporaryDirectory() as folder:
            numbers = range(start, min(start + ROUNDS_PER_FILE, rounds + 1))
            done += [run_round(Path(folder), n, writers=writers, seconds=seconds, rng=rng) for n in numbers]
    return done


def main() -> int:
    """Run the campaign, or one writer of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--writers", type=int, default=2)
    parser.add_argument("--seconds", type=float, default=2.0, help="the longest a round writes")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--write", nargs=2, metavar=("STORE", "NOTES"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.write:
        place, notes = chosen.write
        write(place, notes, chosen.seed)
        return 0
    done = run(chosen.rounds, writers=chosen.writers, seconds=chosen.seconds, seed=chosen.seed)
    rows = [
        {"round": r.number, "acknowledged": r.acknowledged, "memories": r.memories, "faults": len(r.faults)}
        for r in done
    ]
    totals = {"rounds": len(done), "writers": chosen.writers, "acknowledged": sum(r.acknowledged for r in done)}
    return finish(
        "kill -9 during concurrent writes", rows, totals, [f"round {r.number}: {f}" for r in done for f in r.faults]
    )


if __name__ == "__main__":
    sys.exit(main())
