"""Threads that search while others write: each view agrees with itself, whatever it looks at first."""

from __future__ import annotations

import random
import threading
from functools import partial
from pathlib import Path

from campaigns.fuzz import Fuzz
from campaigns.shapes import WORDS, any_filter
from engrain.storage.interface import Reader, Store
from engrain.storage.rows import Record
from engrain.testing.conformance.base import E1, floats, together

WRITES = 120


def look(view: Reader, rng: random.Random, odd: list[object]) -> None:
    """Find the same rows in several ways and orders, over one, two or all namespaces; note what differs."""
    for _ in range(3):
        where = any_filter(rng)
        ways = [
            lambda where=where: {row.num for row in view.find(Record, where) if row.length},
            lambda where=where: set(view.search_text(dict.fromkeys(WORDS, 1.0), where, limit=10_000).nums.tolist()),
        ]
        rng.shuffle(ways)
        first, second = (way() for way in ways)
        vectors = view.search_vector(E1, floats([1.0] * 12), where, limit=10_000).nums.tolist()
        inside = {row.num for row in view.find(Record, where)}
        if first != second or not set(vectors) <= inside:
            odd.append((where, first ^ second, set(vectors) - inside))


def read(store: Store, seed: int, stop: threading.Event, odd: list[object]) -> None:
    """Look until asked to stop."""
    rng = random.Random(seed)
    while not stop.is_set():
        with store.read("default") as view:
            look(view, rng, odd)


def test_each_view_agrees_with_itself_while_others_write(tmp_path: Path) -> None:
    work = Fuzz(str(tmp_path / "memory.db"), seed=3)
    stop = threading.Event()
    odd: list[object] = []

    def write() -> None:
        acts = [work.add, work.add, work.change, work.revector, work.remove]
        try:
            for _ in range(WRITES):
                work.write([work.rng.choice(acts) for _ in range(work.rng.choice((1, 3, 20)))])
        finally:
            stop.set()

    readers = [partial(read, store, seed, stop, odd) for seed, store in enumerate((*work.stores, *work.stores))]
    assert together([write, *readers]) == [None] * 5
    assert odd == []
    for store in work.stores:
        store.close()
