"""AsyncClient: the client for async code, each method one hop to a thread."""

from __future__ import annotations

from typing import Any, cast

from engrain.aio import AsyncMemoryManager, Threads
from engrain.client.client import Client
from engrain.manager import MemoryManager


class AsyncClient(AsyncMemoryManager):
    """The same memory as `Client`, for async code: the same constructor, the methods of `AsyncMemoryManager`.

    The sync client behind it is `sync`.
    """

    def __init__(self, url: str, **more: Any) -> None:
        self.sync = cast(MemoryManager, Client(url, **more))  # of the same methods, though not of the class
        self._threads = Threads()
