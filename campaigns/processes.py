"""Writer and reader processes on one file: no error, no loss, fair turns, and what is acknowledged is seen at once.

python -m campaigns processes --seconds 20
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
from dataclasses import asdict, dataclass, field
from pathlib import Path

from campaigns.report import finish, percentile
from campaigns.soundness import examine
from engrain import MemoryManager
from engrain.errors import EngrainError
from engrain.testing import FakeEmbedder

_WORDS = "tea milk sugar cup kettle leaf river bridge winter garden Ana Tbilisi Boston moved lives likes rain".split()
_START = 120.0  # seconds the processes may take to be ready
_ID = 37  # bytes a note takes: the id, padded


@dataclass(slots=True)
class Work:
    """What one process did: calls, how long each took in milliseconds, and what went wrong."""

    role: str
    calls: int = 0
    ms: list[float] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def row(self) -> dict[str, object]:
        """Return it as a line of the table."""
        shares = {f"p{share:.0%}"[:-1]: percentile(self.ms, share) for share in (0.5, 0.95)}
        return {
            "role": self.role,
            "calls": self.calls,
            **shares,
            "max": max(self.ms, default=0.0),
            "faults": len(self.faults),
        }


def write(m: MemoryManager, notes: Path, work: Work, until: float, rng: random.Random) -> None:
    """Remember until the time is up, noting each id once it is acknowledged."""
    book = os.open(notes, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    while time.time() < until:
        start = time.perf_counter()
        memory, _ = m.remember(f"{notes.name} {work.calls}: {' '.join(rng.choices(_WORDS, k=rng.randint(3, 30)))}")
        work.ms.append((time.perf_counter() - start) * 1000)
        work.calls += 1
        os.write(book, memory.id.encode().ljust(_ID - 1) + b"\n")


def read(m: MemoryManager, notes: Path, work: Work, until: float, rng: random.Random) -> None:
    """Recall, count and look for the memories that writers have just noted, until the time is up."""
    most = 0
    while time.time() < until:
        start = time.perf_counter()
        found = m.recall(" ".join(rng.choices(_WORDS, k=4)), k=10, touch=False)
        work.ms.append((time.perf_counter() - start) * 1000)
        work.calls += 1
        newest = _newest(rng.choice(sorted(notes.parent.glob("writer-?")) or [notes]))
        if newest and m.get(newest) is None:
            work.faults.append(f"{newest} was acknowledged and is not seen")
        count = m.count()
        if count < most:
            work.faults.append(f"the store shrank from {most} to {count} memories")
        most = max(most, count)
        if most > 100 and len(found) < 10:
            work.faults.append(f"only {len(found)} of {most} memories were found")


def _newest(notes: Path) -> str:
    """Return the id on the last complete line."""
    if not notes.exists():
        return ""
    lines = notes.stat().st_size // _ID
    with notes.open("rb") as book:
        book.seek(max(lines - 1, 0) * _ID)
        return book.read(_ID - 1).decode().strip() if lines else ""


def child(role: str, number: int, place: str, folder: Path) -> None:
    """Be ready, wait for the signal, do one process's part and leave what it did as JSON."""
    work = Work(f"{role} {number}")
    try:
        with MemoryManager(place, embedder=FakeEmbedder(32)) as m:
            (folder / f"ready-{role}-{number}").touch()
            while not (folder / "go").exists():
                time.sleep(0.005)
            act = write if role == "writer" else read
            until = float((folder / "go").read_text())
            act(m, folder / f"{role}-{number}", work, until, random.Random(number))
    except EngrainError as error:
        work.faults.append(f"{work.role}: {type(error).__name__}: {error}")
    if not work.calls:
        work.faults.append(f"{work.role} did nothing")
    (folder / f"{role}-{number}.json").write_text(json.dumps(asdict(work)))


def _signal(folder: Path, count: int, seconds: float) -> None:
    """Let the processes begin once all are ready, and say when to end."""
    patience = time.monotonic() + _START
    while len(list(folder.glob("ready-*"))) < count and time.monotonic() < patience:
        time.sleep(0.01)
    (folder / "go.new").write_text(str(time.time() + seconds))
    (folder / "go.new").rename(folder / "go")


def run(seconds: float, *, writers: int = 4, readers: int = 4) -> tuple[list[Work], list[str]]:
    """Let the processes work for so long; return what each did, and every fault."""
    with tempfile.TemporaryDirectory() as name:
        folder, place = Path(name), str(Path(name) / "memory.db")
        MemoryManager(place, embedder=None).close()
        parts = [("writer", n) for n in range(writers)] + [("reader", n) for n in range(readers)]
        command = [sys.executable, "-m", "campaigns.processes", "--child"]
        children = [subprocess.Popen([*command, role, str(n), place, name]) for role, n in parts]
        _signal(folder, len(children), seconds)
        codes = [each.wait() for each in children]
        faults = [f"{role} {n} ended with {code}" for (role, n), code in zip(parts, codes, strict=True) if code]
        done = [Work(**json.loads(path.read_text())) for path in sorted(folder.glob("*-*.json"))]
        kept, unsound = examine(place)
        noted = [line.strip() for book in sorted(folder.glob("writer-?")) for line in book.read_text().splitlines()]
    lost = [f"{memory_id} was acknowledged and is gone" for memory_id in noted if memory_id not in kept]
    extra = len(kept) - len(noted)
    return done, faults + lost + unsound + ([f"{extra} memories too many"] if extra else []) + [
        fault for work in done for fault in work.faults
    ]


def main() -> int:
    """Run the campaign, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--writers", type=int, default=4)
    parser.add_argument("--readers", type=int, default=4)
    parser.add_argument("--child", nargs=4, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        role, number, place, folder = chosen.child
        child(role, int(number), place, Path(folder))
        return 0
    done, faults = run(chosen.seconds, writers=chosen.writers, readers=chosen.readers)
    written = [work.calls for work in done if work.role.startswith("writer")]
    totals = {
        "seconds": chosen.seconds,
        "writes_per_second": sum(written) / chosen.seconds,
        "reads_per_second": sum(work.calls for work in done if work.role.startswith("reader")) / chosen.seconds,
        "fairness": max(written, default=0) / max(min(written, default=0), 1),
    }
    return finish(
        f"{chosen.writers} writers and {chosen.readers} readers on one file", [w.row() for w in done], totals, faults
    )


if __name__ == "__main__":
    sys.exit(main())
