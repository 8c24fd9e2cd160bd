"""Forks: a child must not inherit an open SQLite connection.

The locks of an open connection belong to the process that opened it. A child that inherits one believes that it holds
them; when the parent closes, another process finds nobody at the file and removes the write-ahead log into which the
child goes on writing. So every store lets its connections go before a fork, and opens them anew after it on both sides.
"""

from __future__ import annotations

import os
import threading
from typing import Protocol
from weakref import WeakSet


class Forkable(Protocol):
    """What can be brought to rest for a fork."""

    def rest(self) -> None:
        """Wait until nobody reads or writes, close every connection, and let nobody in."""

    def wake(self) -> None:
        """Let them in again."""


_stores: WeakSet[Forkable] = WeakSet()
_resting: list[Forkable] = []
_turn = threading.RLock()


def watch(store: Forkable) -> None:
    """Bring the store to rest at every fork from now on."""
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
