"""What a sweep costs: by what is due, and not by what is stored."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from engrain.config import Settings
from engrain.evaluation.corpus import Corpus
from engrain.evaluation.figures import Row, Speed, Timings, growth, timed
from engrain.evaluation.places import of_server, places
from engrain.evaluation.speed import Progress
from engrain.manager import MemoryManager
from engrain.model.memory import Expiry, Kind, Memory, Scope, Source, SourceType
from engrain.storage.interface import Transaction
from engrain.storage.rows import Record
from engrain.text import content_hash

SIZES = (10_000, 100_000)
IDLE = "sweep, nothing due"
DUE = "sweep, for each memory that is due"
RULES = "first sweep under other policies, for each memory stored"
_LEAST, _DUE, _ROUNDS, _BATCH = 1_000, 100, 5, 2_000
_START = datetime(2026, 1, 1, tzinfo=UTC)
_DAY = timedelta(days=1)


class _Clock:
    """A clock that is put forward by hand."""

    def __init__(self) -> None:
        self.at = _START

    def now(self) -> datetime:
        """Return the time."""
        return self.at


def run(
    *,
    sizes: Sequence[int] = SIZES,
    seed: int = 7,
    store: str | None = None,
    store_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
) -> Speed:
    """Sweep stores of these sizes, of whose memories 100 are due at a time, and none; then put other policies in force.

    The stores are temporary, as those of `engrain.evaluation.speed.run`, and hold rows alone: a sweep reads neither
    words nor vectors.
    """
    chosen = tuple(sorted(set(sizes)))
    if not chosen or chosen[0] < _LEAST:
        raise ValueError(f"sizes are at least {_LEAST:,} memories, and there is at least one")
    rows: list[Row] = []
    with places(store, store_dir, purpose="bench") as made:
        for done, size in enumerate(chosen, start=1):
            rows += _measured(made.at(f"swept-{size}"), size, seed)
            made.leave(f"swept-{size}")
            if progress is not None:
                progress(done, len(chosen), f"{size:,} memories")
    for name in (IDLE, DUE):
        rows += growth(rows, name, least=_LEAST, most=lambda _: 2.0, clock=bool(made.server))
    found = tuple(of_server(rows) if made.server else rows)
    return Speed(found, sizes=chosen, seed=seed, embedder="none", about="a made-up store", server=made.server)


def _measured(path: str, size: int, seed: int) -> list[Row]:
    clock, bounded = _Clock(), Settings(worker="none", retention="bounded")
    with MemoryManager(path, user="whole", embedder=None, settings=bounded, clock=clock) as manager:
        for some in _batches(_memories(size, seed), _BATCH):
            manager.store.write(partial(_put, some), manager.scope.org)
        manager.sweep()  # which notes by what policies it was
        idle, due = Timings(), Timings()
        for _ in range(_ROUNDS):
            idle.of(manager.sweep)
            clock.at += _DAY
            expired = due.each(_DUE, manager.sweep)
            if expired.expired != _DUE:
                raise AssertionError(f"{expired.expired} memories expired, not {_DUE}")
    with MemoryManager(path, user="whole", embedder=None, settings=Settings(worker="none"), clock=clock) as manager:
        rules = Timings()
        rules.each(size, manager.sweep)
    return [timed(IDLE, size, idle), timed(DUE, size, due), timed(RULES, size, rules)]


def _put(records: Sequence[Record], transaction: Transaction) -> None:
    transaction.put(*records)


def _memories(size: int, seed: int) -> Iterator[Record]:
    """Make facts, some of which have an end: 100 on each of the first days, the others after ten years."""
    scope = Scope(user="whole")
    for number, item in enumerate(Corpus(seed).items("whole", size)):
        content = f"{item['content']} ({number})"
        day = number // _DUE
        ends = _START + (_DAY * (day + 1) if day < _ROUNDS else _DAY * 3650)
        memory = Memory(
            id=f"mem_{number:032x}",
            content=content,
            scope=scope,
            recorded_at=_START,
            updated_at=_START,
            valid_from=_START,
            kind=Kind.SEMANTIC,
            importance=0.6,
            expires_at=ends,
            expiry=Expiry.GIVEN,
            source=Source(SourceType.USER_INPUT, content_hash=content_hash(content)),
        )
        yield Record(memory, memory.id, f"{number:032x}", due_at=ends)


def _batches(records: Iterator[Record], size: int) -> Iterator[list[Record]]:
    batch: list[Record] = []
    for record in records:
        batch.append(record)
        if len(batch) == size:
            yield batch
            batch = []
    if batch:
        yield batch
