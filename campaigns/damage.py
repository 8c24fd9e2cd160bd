"""A store's file is damaged in many ways; using it ends in an answer, a `StoreError` or an `AuditBroken`.

python -m campaigns damage --rounds 500
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from campaigns.report import finish
from campaigns.shapes import WORDS, any_memory, any_words
from engrain.errors import AuditBroken, StoreError
from engrain.model.filters import Filter
from engrain.model.memory import AuditEntry, Job
from engrain.storage.interface import Transaction
from engrain.storage.rows import Edge, Head, Posting, Record, Revision, Row, Setting, Vector
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import E1, add, floats, put_memory
from engrain.testing.rows import NOON, memory

KINDS: tuple[type[Row], ...] = (Record, Revision, Edge, Posting, Vector, Head, Setting, AuditEntry, Job)
EVERYTHING = Filter("default")


def build(place: str) -> None:
    """Make a store that holds rows of every kind."""
    rng = random.Random(0)

    def change(tx: Transaction) -> None:
        for n in range(150):
            vector = [rng.gauss(0, 1) for _ in range(8)]
            num = put_memory(tx, any_memory(rng, str(n)), any_words(rng), {E1: vector})
            tx.put(AuditEntry("default", n + 1, NOON, "remember", str(n), "", "d", "h"), Edge(num, "related", num))
            tx.put(Revision(num, 1, NOON, NOON, '{"content": "x"}'))
        tx.put(Head("default", 150, "h"), Setting("a", "b"), Job("j", "embed", "default", "m", NOON))

    store = SQLiteStore(place)
    store.write(change, "default")
    store.close()


def flip(content: bytearray, rng: random.Random) -> None:
    """Change some bytes."""
    for _ in range(rng.choice((1, 1, 10, 200))):
        content[rng.randrange(len(content))] = rng.randrange(256)


def cut(content: bytearray, rng: random.Random) -> None:
    """Lose the end."""
    del content[rng.randrange(len(content)) :]


def blank(content: bytearray, rng: random.Random) -> None:
    """Lose a page to zeros."""
    page = rng.randrange(len(content) // 4096) * 4096
    content[page : page + 4096] = bytes(4096)


def swap(content: bytearray, rng: random.Random) -> None:
    """Exchange two pages."""
    a, b = (rng.randrange(1, len(content) // 4096) * 4096 for _ in range(2))
    content[a : a + 4096], content[b : b + 4096] = content[b : b + 4096], content[a : a + 4096]


def behead(content: bytearray, rng: random.Random) -> None:
    """Change the header."""
    for _ in range(rng.randint(1, 20)):
        content[rng.randrange(100)] = rng.randrange(256)


def grow(content: bytearray, rng: random.Random) -> None:
    """Add what does not belong there."""
    content.extend(rng.randbytes(rng.choice((1, 4096, 10_000))))


WAYS: tuple[Callable[[bytearray, random.Random], None], ...] = (flip, cut, blank, swap, behead, grow)


def use(place: str) -> None:
    """Open the store, read all of it, search it and write to it."""
    store = SQLiteStore(place, patience=2)
    try:
        with store.read("default") as view:
            for kind in KINDS:
                view.find(kind, EVERYTHING if kind is Record else ())
            view.search_text(dict.fromkeys(WORDS, 1.0), EVERYTHING, limit=100)
            view.search_vector(E1, floats([1.0] * 8), EVERYTHING, limit=100)
        add(store, memory("new", id="mem_new"), "tea", {E1: [1.0] * 8})
        with store.read("default") as view:
            view.search_text({"tea": 1.0}, EVERYTHING, limit=100)
        store.integrity()
    finally:
        store.close()


def run_round(whole: bytes, folder: Path, seed: int) -> tuple[str, str, str]:
    """Damage a copy and use it; return the way, how it ended, and the fault if that was wrong."""
    rng = random.Random(seed)
    way = rng.choice(WAYS)
    content = bytearray(whole)
    way(content, rng)
    place = folder / f"damaged-{seed}.db"
    place.write_bytes(content)
    try:
        use(str(place))
    except (StoreError, AuditBroken) as error:  # a header that names an older schema has the trail verified
        return way.__name__, type(error).__name__, ""
    except Exception as error:
        return way.__name__, "fault", f"seed {seed} ({way.__name__}): {type(error).__name__}: {error}"
    return way.__name__, "answered", ""


def run(rounds: int, seed: int = 1) -> tuple[Counter[tuple[str, str]], list[str]]:
    """Run rounds; return how often each way ended how, and every fault."""
    ends: Counter[tuple[str, str]] = Counter()
    faults = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(str(folder / "whole.db"))
        whole = (folder / "whole.db").read_bytes()
        for each in range(seed, seed + rounds):
            way, end, fault = run_round(whole, folder, each)
            ends[way, end] += 1
            faults += [fault] if fault else []
            for leftover in folder.glob(f"damaged-{each}.db*"):
                leftover.unlink()
    return ends, faults


def main() -> int:
    """Run the campaign."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    ends, faults = run(chosen.rounds, chosen.seed)
    rows = [{"damage": way, "end": end, "rounds": count} for (way, end), count in sorted(ends.items())]
    return finish("damaged files", rows, {"rounds": chosen.rounds}, faults)


if __name__ == "__main__":
    sys.exit(main())
