"""Foreign code (providers, packs, policies, callbacks): how it is called so that memory goes on when it fails."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")
log = logging.getLogger("recollect")


def guard(what: str, call: Callable[[], T]) -> T | None:
    """Call foreign code that must not break memory: its failure is logged and becomes None."""
    try:
        return call()
    except Exception as error:
        log.warning("%s failed (%s: %s); memory goes on without it", what, type(error).__name__, error)
        log.debug("%s failed", what, exc_info=True)
        return None
