"""The process-wide managers, made at first use from the environment and the configuration file."""

from __future__ import annotations

import atexit
from functools import cache
from threading import Lock

from engrain.aio import AsyncMemoryManager
from engrain.manager import MemoryManager

_lock = Lock()


@cache
def _manager() -> MemoryManager:
    manager = MemoryManager()
    atexit.register(manager.close)
    return manager


@cache
def _async_manager() -> AsyncMemoryManager:
    manager = AsyncMemoryManager()
    atexit.register(manager.sync.close)
    return manager


def get_memory_manager() -> MemoryManager:
    """Return the process-wide manager over the default store, the same one every time; safe for threads."""
    with _lock:
        return _manager()


def get_async_memory_manager() -> AsyncMemoryManager:
    """Return the process-wide async manager over the default store, the same one every time; safe for threads."""
    with _lock:
        return _async_manager()
