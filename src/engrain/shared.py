"""The process-wide managers, made at first use from the environment and the configuration file."""

from __future__ import annotations

import atexit
from threading import Lock

from engrain.aio import AsyncMemoryManager
from engrain.manager import MemoryManager

_lock = Lock()
_managers: list[MemoryManager] = []
_async_managers: list[AsyncMemoryManager] = []


def get_memory_manager() -> MemoryManager:
    """Return the process-wide manager over the default store, the same one until it is closed; safe for threads."""
    with _lock:
        if not _managers or _managers[-1].store.closed:
            _managers[:] = [MemoryManager()]
            atexit.register(_managers[-1].close)
        return _managers[-1]


def get_async_memory_manager() -> AsyncMemoryManager:
    """Return the process-wide async manager, the same one until it is closed; safe for threads."""
    with _lock:
        if not _async_managers or _async_managers[-1].sync.store.closed:
            _async_managers[:] = [AsyncMemoryManager()]
            atexit.register(_async_managers[-1].sync.close)
        return _async_managers[-1]
