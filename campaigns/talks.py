"""Several processes speak in one session and are killed; the log must hold every message that was acknowledged.

    python -m campaigns talks --rounds 50

Each speaker notes a message in a file of its own once `add_message` has returned. Then, with none killed, all of them
finish: no message is lost, none is there twice, positions are unique, and the window holds its budget.
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
from dataclasses import dataclass, field
from pathlib import Path

from campaigns.report import finish
from campaigns.soundness import examine
from engrain import MemoryManager, Settings, Turn
from engrain.testing import FakeEmbedder

SESSION, BUDGET = "monday", 400
_START = 60.0  # seconds a speaker may take to begin


@dataclass(slots=True)
class Round:
    """What one round did: acknowledged messages, how many the log holds, and what was missing or wrong."""

    number: int
    acknowledged: int
    logged: int
    faults: list[str] = field(default_factory=list)


def opened(place: str) -> MemoryManager:
    """Open the store with a small window, so that it is made shorter again and again."""
    chosen = Settings(working={"max_tokens": BUDGET, "keep_last_n": 4})
    return MemoryManager(place, user="ana", session=SESSION, embedder=FakeEmbedder(32), settings=chosen)


def speak(place: str, notes: str, name: str, count: int) -> None:
    """Append messages, noting each once the call has returned; end the session now and then."""
    book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with opened(place) as m:
        for number in range(count):
            role = ("user", "assistant", "tool", "system")[number % 4]
            m.add_message(role, f"{name} says thing {number} about hive {number % 7}")
            os.write(book, f"{name} says thing {number} \n".encode())
            if number % 40 == 39 and name.endswith("0"):
                m.working.clear()


def spoken(folder: Path) -> list[str]:
    """Return what the speakers noted; a last line cut short is no promise."""
    return [line for book in sorted(folder.glob("notes-*")) for line in book.read_text().split("\n")[:-1]]


def log_of(place: str) -> tuple[list[Turn], int]:
    """Return every message of the session, and how many tokens its window holds."""
    with opened(place) as m:
        found: list[Turn] = []
        cursor = None
        while True:
            page = m.working.history(limit=1000, cursor=cursor)
            found += page
            cursor = page.next
            if cursor is None:
                return found, m.working.token_count


def run_round(folder: Path, number: int, *, speakers: int, seconds: float | None, count: int, seed: int) -> Round:
    """Let speakers speak, for up to `seconds` and then killed, or until each has said `count` things."""
    place, rng = folder / "memory.db", random.Random(f"{seed} {number}")
    command = [sys.executable, "-m", "campaigns.talks", "--speak", str(place)]
    names = [f"r{number}p{n}" for n in range(speakers)]
    books = [folder / f"notes-{name}" for name in names]
    children = [
        subprocess.Popen([*command, str(book), name, str(count if seconds is None else 1_000_000)])
        for name, book in zip(names, books, strict=True)
    ]
    if seconds is not None:
        until = time.monotonic() + _START
        while not all(book.exists() and book.stat().st_size for book in books) and time.monotonic() < until:
            time.sleep(0.01)
        time.sleep(rng.uniform(0, seconds))
        for child in children:
            child.kill()
    codes = [child.wait() for child in children]
    faults = [f"speaker {n} ended with {code}" for n, code in enumerate(codes) if seconds is None and code]
    return _held(folder, number, faults)


def _held(folder: Path, number: int, faults: list[str]) -> Round:
    place = str(folder / "memory.db")
    kept, unsound = examine(place)
    turns, tokens = log_of(place)
    logged = Counter(turn.content.partition("about")[0] for turn in turns)
    promised = spoken(folder)
    faults = [*faults, *unsound, *(f"{line!r} was acknowledged and is gone" for line in promised if line not in logged)]
    faults += [f"{text!r} is there {times} times" for text, times in logged.items() if times > 1]
    positions = [turn.position for turn in turns]
    if positions != sorted({p for p in positions if p is not None}):
        faults.append("two turns have one position")
    faults += [f"{turn.id} is no memory" for turn in turns if turn.role != "system" and turn.id not in kept]
    if tokens > BUDGET:
        faults.append(f"the window holds {tokens} tokens of {BUDGET}")
    return Round(number, len(promised), len(turns), faults)


def run(rounds: int, *, speakers: int = 3, seconds: float = 1.5, count: int = 60, seed: int = 1) -> list[Round]:
    """Run rounds that end in a kill, and a last one in which all speakers finish."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        ends = [*([seconds] * rounds), None]
        return [
            run_round(folder, n, speakers=speakers, seconds=end, count=count, seed=seed)
            for n, end in enumerate(ends, start=1)
        ]


def main() -> int:
    """Run the campaign, or one speaker of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--speakers", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=1.5, help="the longest a round speaks")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--speak", nargs=4, metavar=("STORE", "NOTES", "NAME", "COUNT"), help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.speak:
        place, notes, name, count = chosen.speak
        speak(place, notes, name, int(count))
        return 0
    done = run(chosen.rounds, speakers=chosen.speakers, seconds=chosen.seconds, seed=chosen.seed)
    rows = [
        {"round": r.number, "acknowledged": r.acknowledged, "logged": r.logged, "faults": len(r.faults)} for r in done
    ]
    totals = {"rounds": len(done), "speakers": chosen.speakers, "acknowledged": done[-1].acknowledged}
    return finish(
        "kill -9 while several processes speak in one session",
        rows,
        totals,
        [f"round {r.number}: {fault}" for r in done for fault in r.faults],
    )


if __name__ == "__main__":
    sys.exit(main())
