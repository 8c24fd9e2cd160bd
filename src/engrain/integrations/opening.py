"""Shared by all integrations: opening and closing the memory, sync and async variants, and retries."""

from __future__ import annotations

from collections.abc import Callable, Coroutine, Iterator
from contextlib import contextmanager, suppress
from functools import partial, wraps
from os import PathLike
from typing import Any, ParamSpec, Self, TypeAlias, TypeVar

import anyio.to_thread

from engrain.aio import AsyncMemoryManager
from engrain.errors import ConfigError, Conflict
from engrain.manager import MemoryManager
from engrain.model.results import Page
from engrain.protocols import Store
from engrain.read.listing import all_pages

P = ParamSpec("P")
T = TypeVar("T")
Memory: TypeAlias = "MemoryManager | AsyncMemoryManager | str | PathLike[str] | Store"
"""A memory, or the store for `MemoryManager` to open."""
ALL = 1_000_000_000  # turns: more than any log has
_PAGE = 1000
_TEXT = 60_000  # bytes: a server takes no longer texts


@contextmanager
def framework(extra: str) -> Iterator[None]:
    """Within it the framework of an integration is imported; `ConfigError` names the extra that installs it."""
    try:
        yield
    except ImportError as error:
        raise ConfigError(f'{error.name} is not installed: pip install "engrain[{extra}]"') from error


class Opened:
    """The memory of an integration: one that is given stays open, one that it opened is closed with it.

    Args:
        memory: A `MemoryManager` or a `Client`, the async twin of one, or a path, `":memory:"` or a URL to open.
    """

    def __init__(self, memory: Any) -> None:
        given = getattr(memory, "sync", memory)
        self._owns = not callable(getattr(given, "records", None))
        self.memory: MemoryManager = MemoryManager(given) if self._owns else given

    def close(self) -> None:
        """Close the memory if it was opened here."""
        if self._owns:
            self.memory.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        self.close()


def plain_text(text: str) -> str:
    """Return a text as it can be remembered: without NUL and halves of surrogate pairs, and not too long."""
    return text.replace("\0", " ").encode(errors="replace")[:_TEXT].decode(errors="ignore")


def index_text(text: str) -> str | None:
    """Return a text as the index of a record, None for a blank one."""
    plain = plain_text(text)
    return plain if plain.strip() else None


async def in_thread(call: Callable[[], T]) -> T:
    """Run a call in a thread to its end: once begun, it happens whole."""
    return await anyio.to_thread.run_sync(call)


def threaded(method: Callable[P, T]) -> Callable[P, Coroutine[Any, Any, T]]:
    """Return a method as a coroutine: its calls run in a thread."""

    @wraps(method)
    async def call(*args: P.args, **named: P.kwargs) -> T:
        return await in_thread(partial(method, *args, **named))

    return call


def awaited(method: Callable[..., T]) -> Callable[..., Coroutine[Any, Any, T]]:
    """Return the coroutine of a method, called in a thread: that of the object's `sync` where it has one."""

    @wraps(method)
    async def call(self: object, /, *args: Any, **named: Any) -> T:
        return await in_thread(partial(getattr(getattr(self, "sync", self), method.__name__), *args, **named))

    return call


def listed(listing: Callable[..., Page[T]], *args: Any, limit: int = _PAGE, **asked: Any) -> Iterator[T]:
    """Return all items of a listing such as `records.list` or `records.keys`, page by page."""
    return all_pages(lambda cursor: listing(*args, limit=limit, cursor=cursor, **asked))


def retried(attempt: Callable[[], T]) -> T:
    """Repeat an attempt while it raises `Conflict` because of a concurrent writer."""
    while True:
        with suppress(Conflict):
            return attempt()
