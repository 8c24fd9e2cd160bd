"""Ending a recall that nobody waits for any more: a check that is asked between its stages."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar

from engrain.errors import RecallCancelled

_check: ContextVar[Callable[[], bool] | None] = ContextVar("cancellation", default=None)


@contextmanager
def cancellable(is_cancelled: Callable[[], bool]) -> Iterator[None]:
    """Let recalls inside, and answers and contexts made of them, end at their next checkpoint once they are cancelled.

    The check is that of this thread, and of tasks and threads that copy its context. Writes are carried out whole.

    Args:
        is_cancelled: Says whether the outcome is no longer wanted; it is asked often, from the thread that works.
    """
    outer = _check.get()
    before = _check.set(is_cancelled if outer is None else lambda: is_cancelled() or outer())
    try:
        yield
    finally:
        _check.reset(before)


def checkpoint() -> None:
    """End here if the recall under way was cancelled; an embedder or a reranker that takes long may call it too.

    Raises:
        RecallCancelled: It was cancelled.
    """
    check = _check.get()
    if check is not None and check():
        raise RecallCancelled("the recall was cancelled: nobody waits for its outcome any more")
