"""Processes and workers on one database: nothing lost, no job twice, fresh reads, also when a worker is killed.

python -m campaigns postgres --store postgresql://user@host/database --seconds 20
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from datetime import UTC, datetime
from pathlib import Path

from campaigns.report import finish
from engrain import MemoryManager
from engrain.model.memory import Job
from engrain.storage.rows import Record
from engrain.testing import FakeEmbedder

ORGS = ("acme", "other", "third")


class Background(FakeEmbedder):
    """An embedder whose vectors are made by a worker."""

    inline = False


def writing(m: MemoryManager, name: str, folder: Path, until: float, faults: list[str]) -> None:
    """Remember, note what was acknowledged, and look for what the other processes have noted."""
    mine, number = folder / f"{name}.ids", 0
    view = m.for_org(ORGS[sum(map(ord, name)) % len(ORGS)])
    while time.time() < until:
        memory, _ = view.remember(f"{name} says number {number} of its own")
        number += 1
        with mine.open("a") as book:
            book.write(f"{memory.scope.org} {memory.id}\n")
        for book_of in folder.glob("*.ids"):
            lines = book_of.read_text().split("\n")[:-1]
            org, newest = lines[-1].split() if lines else ("", "")
            if newest and m.for_org(org).get(newest) is None:
                faults.append(f"{newest} was acknowledged to {book_of.name} and {name} does not see it")


def child(role: str, url: str, folder: Path) -> list[str]:
    """Do one process's part; return what went wrong."""
    faults: list[str] = []
    with MemoryManager(url, embedder=Background(32)) as m:
        (folder / f"ready-{os.getpid()}").touch()
        while not (folder / "go").exists():
            time.sleep(0.01)
        until = float((folder / "go").read_text())
        if role == "worker":
            while time.time() < until:
                m.flush(timeout=0.5)
            return faults
        names = [f"{role}-{n}" for n in range(3)]
        threads = [threading.Thread(target=writing, args=(m, name, folder, until, faults)) for name in names]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    return faults


def run(url: str, seconds: float) -> tuple[list[dict[str, object]], list[str]]:
    """Let two writing processes and two workers work for so long, and kill one worker; return rows and faults."""
    MemoryManager(url, embedder=Background(32)).close()
    faults: list[str] = []
    with tempfile.TemporaryDirectory() as name:
        command = [sys.executable, "-m", "campaigns.postgres", "--store", url, "--folder", name]
        parts = [
            subprocess.Popen([*command, "--child", role], stdout=subprocess.PIPE, text=True)
            for role in ("one", "two", "worker", "worker")
        ]
        while len(list(Path(name).glob("ready-*"))) < len(parts) and all(part.poll() is None for part in parts):
            time.sleep(0.01)
        (Path(name) / "go.new").write_text(str(time.time() + seconds))
        (Path(name) / "go.new").rename(Path(name) / "go")
        time.sleep(seconds / 2)
        parts[-1].kill()
        for part in parts[:-1]:
            said, _ = part.communicate()
            faults += json.loads(said or '["a process ended without a word"]')
        parts[-1].communicate()
        noted = [line.split() for book in sorted(Path(name).glob("*.ids")) for line in book.read_text().splitlines()]
    return examine(url, noted, faults)


def examine(url: str, noted: list[list[str]], faults: list[str]) -> tuple[list[dict[str, object]], list[str]]:
    """Hold the database to what was acknowledged, once the leases of the killed have run out."""
    rows: list[dict[str, object]] = []
    with MemoryManager(url, embedder=Background(32)) as m:
        m.store.write(lambda tx: tx.update(Job, [], lease_until=datetime.now(UTC)))  # as after a minute
        m.flush()
        for org in ORGS:
            view = m.for_org(org)
            with view.store.read(org) as reader:
                kept = {row.memory.id for row in reader.find(Record)}
            own = {memory_id for of, memory_id in noted if of == org}
            chain, stats = view.verify_audit(), view.stats()
            faults += [f"{memory_id} was acknowledged and is gone" for memory_id in sorted(own - kept)]
            faults += [f"{len(kept - own)} memories of {org} too many"] * bool(kept - own)
            faults += [] if chain.ok else [f"the chain of {org} breaks at {chain.first_broken}"]
            faults += [f"{org} has jobs left: {dict(stats.jobs)}"] * any(stats.jobs.values())
            rows.append({"org": org, "memories": len(kept), "entries": chain.entries, "vectors": str(stats.vectors)})
    return rows, faults


def main() -> int:
    """Run the campaign, or one process of it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--store", required=True)
    parser.add_argument("--seconds", type=float, default=20.0)
    for hidden in ("--child", "--folder"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.child:
        print(json.dumps(child(chosen.child, chosen.store, Path(chosen.folder))))
        return 0
    rows, faults = run(chosen.store, chosen.seconds)
    return finish("two processes and two workers on one database", rows, {"seconds": chosen.seconds}, faults)


if __name__ == "__main__":
    sys.exit(main())
