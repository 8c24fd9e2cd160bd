"""Whose turn it is to ask: so many at once, and one by one where the model itself counts what all of them took."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from weakref import WeakKeyDictionary

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.llm.attempts import counted_by
from recollect.llm.named import NamedLLM
from recollect.protocols import LLM

_alone: WeakKeyDictionary[LLM, threading.RLock] = WeakKeyDictionary()
_of_the_rest = [threading.RLock()]  # of those that cannot be a key: they wait for each other too


@contextmanager
def admitted(engine: Engine, llm: LLM, until: float) -> Iterator[None]:
    """Wait for one's turn, until a time (monotonic); raises `ProviderError` when it does not come.

    No more than `settings.llm_concurrency` calls of a manager and its views are under way at once in a process.
    """
    counts = counted_by(llm) is not None and not isinstance(llm, NamedLLM)  # which tells what each call took
    lock = _lock(llm) if counts else None
    if lock is not None and not lock.acquire(timeout=_left(until)):
        raise _crowded()
    try:
        with engine.gate.passed(_left(until)) as let_in:
            if not let_in:
                raise _crowded()
            yield
    finally:
        if lock is not None:
            lock.release()


def _left(until: float) -> float:
    return max(until - time.monotonic(), 0.0)


def _crowded() -> ProviderError:
    return ProviderError("the language model is asked by too many at once: try again later, or raise llm_concurrency")


def _lock(llm: LLM) -> threading.RLock:
    try:
        return _alone.setdefault(llm, threading.RLock())
    except TypeError:
        return _of_the_rest[0]


def _renew() -> None:
    """Give a forked child locks of its own: whoever held them is not in it."""
    _alone.clear()
    _of_the_rest[0] = threading.RLock()


os.register_at_fork(after_in_child=_renew)
