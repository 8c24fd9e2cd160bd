"""Access counts: gathered while memories are recalled, written in small transactions, never in the way of a read."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from threading import Lock
from time import monotonic
from typing import NamedTuple

from engrain.engine import Engine
from engrain.errors import StoreError
from engrain.guard import log
from engrain.model.filters import Test
from engrain.model.memory import Memory, accessed
from engrain.storage.interface import Transaction, by_org
from engrain.storage.rows import Record

MAX_WAITING, MAX_SECONDS = 500, 2.0
MAX_STRENGTH, STEP = 2.0, 0.1


class _Accesses(NamedTuple):
    """The accesses of one memory that are not written yet."""

    org: str
    times: int
    latest: tuple[datetime, ...]  # the last three, latest first


class AccessLog:
    """The accesses not yet written. Losing them to a crash loses counts, never a memory."""

    def __init__(self) -> None:
        self._since = 0.0
        self._begin()

    def _begin(self) -> None:
        self._owner = os.getpid()
        self._lock = Lock()
        self._unwritten: dict[str, _Accesses] = {}

    def _reset_after_fork(self) -> None:
        if self._owner != os.getpid():  # what had gathered is the parent's to write
            self._begin()

    def add(self, org: str, ids: Sequence[str], now: datetime) -> None:
        """Count one access for each id, which is of a memory of this org."""
        self._reset_after_fork()
        with self._lock:
            if ids and not self._unwritten:
                self._since = monotonic()
            for memory_id in ids:
                known = self._unwritten.get(memory_id)
                latest = (now,) if known is None else tuple(sorted((*known.latest, now), reverse=True)[:3])
                self._unwritten[memory_id] = _Accesses(org, 1 if known is None else known.times + 1, latest)

    def due(self) -> bool:
        """Say whether there is enough, or it has waited long enough, to be written."""
        self._reset_after_fork()
        with self._lock:
            return len(self._unwritten) >= MAX_WAITING or (
                bool(self._unwritten) and monotonic() - self._since >= MAX_SECONDS
            )

    @property
    def waiting(self) -> bool:
        """Something is not written yet."""
        return bool(self._unwritten)

    def shown(self, memory: Memory) -> Memory:
        """Return the memory with the accesses that are not written yet."""
        with self._lock:
            seen = self._unwritten.get(memory.id)
            return memory if seen is None else _counted(memory, seen)

    def write(self, engine: Engine) -> None:
        """Write what has gathered; a store that cannot be written keeps no counts."""
        self._reset_after_fork()
        with self._lock:
            gathered, self._unwritten = self._unwritten, {}
        if not gathered or engine.store.read_only:
            return
        try:
            for org, ids in by_org(gathered, lambda memory_id: gathered[memory_id].org).items():
                engine.store.write(partial(_write, {memory_id: gathered[memory_id] for memory_id in ids}), org)
        except StoreError as error:
            log.warning("access counts were not written: %s", error)


def _counted(memory: Memory, seen: _Accesses) -> Memory:
    last, before = accessed(memory, seen.latest)
    strength = min(MAX_STRENGTH, round(memory.strength + STEP * seen.times, 6))
    count = memory.access_count + seen.times
    return replace(memory, access_count=count, last_accessed=last, accessed_before=before, strength=strength)


def _write(gathered: Mapping[str, _Accesses], transaction: Transaction) -> None:
    for record in transaction.find(Record, [Test("id", "in", tuple(gathered))]):
        memory = _counted(record.memory, gathered[record.memory.id])
        second, third = (*memory.accessed_before, None, None)[:2]
        transaction.update(
            Record,
            [Test("num", "eq", record.num)],
            access_count=memory.access_count,
            last_accessed=memory.last_accessed,
            accessed_2=second,
            accessed_3=third,
            strength=memory.strength,
        )
