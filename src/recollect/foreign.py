"""Foreign code (providers, packs, policies, callbacks): how it is called so that memory goes on when it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from functools import partial
from typing import TypeVar

T = TypeVar("T")
log = logging.getLogger("recollect")


def guard(
    what: str,
    call: Callable[[], T],
    *,
    failed: Callable[[Exception], object] | None = None,
    quotes: bool = False,
) -> T | None:
    """Call foreign code that must not break memory: its failure is logged, told to `failed`, and becomes None.

    Of an error that may quote what was asked (`quotes`) only its kind is logged.
    """
    try:
        return call()
    except Exception as error:
        said = type(error).__name__ if quotes else f"{type(error).__name__}: {error}"
        log.warning("%s failed (%s); memory goes on without it", what, said)
        if not quotes:
            log.debug("%s failed", what, exc_info=True)
        if failed is not None:
            failed(error)
        return None


def tell(callbacks: Iterable[object], event: str, *arguments: object) -> None:
    """Call the method named `event` of those that have it; one that fails keeps no other from hearing of it."""
    for callback in callbacks:
        method = getattr(callback, event, None)
        if callable(method):
            guard(f"{type(callback).__name__}.{event}", partial(method, *arguments))
