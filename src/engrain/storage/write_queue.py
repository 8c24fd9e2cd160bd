"""The queue of writes: whoever finds nobody at work commits for all who wait, each standing or falling alone."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Sequence
from contextvars import copy_context
from types import TracebackType
from typing import Generic, TypeVar

from engrain.storage.interface import Transaction

T = TypeVar("T")
_BATCH = 64  # queued writes that share one commit


class Queued(Generic[T]):
    """One caller's change, and how it ended: what is raised inside `with` is its error."""

    def __init__(self, change: Callable[[Transaction], T], org: str | None = None) -> None:
        self.change, self.org = change, org
        self.context = copy_context()  # another thread may carry it out
        self.done = False
        self.error: BaseException | None = None
        self.value: T | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> bool:
        self.error = error
        return isinstance(error, Exception)  # an interrupt is not this change's own failure: it stops the writer

    def run(self, transaction: Transaction) -> None:
        """Carry the change out, in its caller's context."""
        self.value = self.context.run(self.change, transaction)

    def result(self) -> T:
        """Return what the change returned, or raise what it raised."""
        if self.error is not None:
            raise self.error
        return self.value  # type: ignore[return-value]


class Queue:
    """Changes that wait for one commit after another; `commit` makes one of all that it is given.

    Each of those knows afterwards whether it failed by itself; what `commit` raises is the failure of all of them. When
    it is interrupted, what it has not marked as done is carried out by whoever comes next.
    Whoever holds `lock` keeps everybody else from writing.
    """

    def __init__(self, commit: Callable[[Sequence[Queued[object]]], None]) -> None:
        self.lock = threading.RLock()
        self._commit = commit
        self._busy = False
        self._at_queue = threading.Lock()
        self._waiting: deque[Queued[object]] = deque()

    def write(self, change: Callable[[Transaction], T], org: str | None) -> T:
        """Have a change of an org's rows committed, alone or with other threads' changes."""
        queued = Queued(change, org)
        with self._at_queue:
            self._waiting.append(queued)  # type: ignore[arg-type]
        try:
            with self.lock:
                while not queued.done:
                    self._some()
        finally:
            if not queued.done:  # interrupted: nobody else shall carry it out
                with self._at_queue:
                    self._waiting.remove(queued)  # type: ignore[arg-type]
        return queued.result()

    def _some(self) -> None:
        if self._busy:
            raise RuntimeError("a change must not write to its own store: use the transaction it was given")
        with self._at_queue:
            batch = [self._waiting[i] for i in range(min(_BATCH, len(self._waiting)))]
        together = Queued[None](lambda _: None)
        self._busy = True
        try:
            with together:
                self._commit(batch)
            for queued in batch:
                queued.error = queued.error or together.error
                queued.done = True
        finally:
            self._busy = False
            with self._at_queue:
                for queued in batch:
                    if queued.done:
                        self._waiting.remove(queued)
