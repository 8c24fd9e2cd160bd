"""Processes that write to and read several organisations at once, on one server or on the nodes of its cluster."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

import numpy as np

from benchmarks import processes
from benchmarks.corpus import Corpus
from benchmarks.report import Row
from benchmarks.speed import Found, Run, Steps, Suite
from benchmarks.stores import NO_WORKER, Stores
from engrain import ConfigError, MemoryManager

_PLACES = [(f"org-{number}", f"user-{number}") for number in range(8)]  # each with its share of the memories
_BATCH = 500
_KINDS = {"remember": "write", "recall": "read"}


def _serving(stores: Stores, run: Run) -> Iterator[Steps]:
    if not stores.server:
        raise ConfigError("a server is measured, or the nodes of a cluster: name it, or its coordinator, by --store")
    nodes = len(stores.nodes())
    for size in run.sizes:
        yield Steps(1 + 2 * max(nodes, 1), _steps(stores, run, size, nodes))


def _steps(stores: Stores, run: Run, size: int, nodes: int) -> Found:
    name, alone = f"serving-{size}", dict[str, tuple[float, ...]]()
    address, label = stores.address(name), "node" if nodes else "server"
    for count in range(1, max(nodes, 1) + 1):
        if nodes:
            stores.spread(name, count)
        if count == 1:
            _fill(address, size, run.seed)
            yield f"{size:,} memories", []
        for kind, role in _KINDS.items():
            what, cpu = f"{kind}, {count} {label}{'s' * (count > 1)}", stores.nodes_cpu_ms()
            done = processes.in_places(address, _PLACES, role=role, seconds=run.seconds, seed=run.seed + count)
            if errors := [error for part in done for error in part.errors]:
                raise RuntimeError(f"{what} failed: {errors[:3]}")
            taken = [ms for part in done for ms in part.ms]
            found = float(np.median(taken)), len(taken) / run.seconds, (stores.nodes_cpu_ms() - cpu) / len(taken)
            p50, rate, each = alone.setdefault(kind, found)
            yield (
                what,
                [
                    Row(what, size, p50_ms=found[0], limit=f"1 {label}", limit_ms=p50, ratio=found[0] / p50),
                    Row(f"{what}: in a second", size, value=found[1]),
                    Row(f"{what}: in a second, over 1 {label}", size, value=found[1] / rate, unit="x"),
                    Row(f"{what}: CPU there for each call, ms", size, value=found[2]),
                    Row(f"{what}: CPU there, over 1 {label}", size, value=found[2] / max(each, 1e-3), unit="x"),
                ],
            )
    stores.drop(name)


def _fill(address: str, size: int, seed: int) -> None:
    with MemoryManager(address, embedder=processes.EMBEDDER, settings=NO_WORKER) as manager:
        for org, user in _PLACES:
            items = Corpus(seed).items(user, max(size // len(_PLACES), 1))
            while batch := list(islice(items, _BATCH)):
                manager.for_org(org).scoped(user=user).remember_many(batch)


SERVING = Suite("made-up conversations", sizes=(10_000, 100_000), least=len(_PLACES), steps=_serving)
"""Rates and times of eight processes, one for each organisation; a ratio is to one node in the same run."""
