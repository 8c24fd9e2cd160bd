"""Forks: a child must not inherit an open SQLite connection; `watch` closes a store's connections at every fork.

The locks of an open connection belong to the process that opened it. A child that inherits one believes that it has
them; when the parent closes, another process sees no lock and removes the write-ahead log into which the
child goes on writing. So every store closes its connections before a fork, and opens them again after it on both sides.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol
from weakref import WeakSet

_stores: WeakSet[Forkable] = WeakSet()
_resting: list[Forkable] = []
_turn = threading.RLock()


class Forkable(Protocol):
    """A store that can be suspended for a fork."""

    def rest(self) -> None:
        """Wait for reads and writes to end, close every connection, and block new ones."""

    def wake(self) -> None:
        """Allow reads and writes again."""


def watch(store: Forkable) -> None:
    """Suspend the store at every fork from now on."""
    with _turn:
        _stores.add(store)


def _before() -> None:
    _turn.acquire()
    for store in list(_stores):
        _resting.append(store)
        store.rest()


def _after() -> None:
    while _resting:
        _resting.pop().wake()
    _turn.release()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(before=_before, after_in_parent=_after, after_in_child=_after)
