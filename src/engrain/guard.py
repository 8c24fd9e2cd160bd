"""Calls of user-supplied code: `guard` contains failures, coroutines are run to completion; cancellation."""

from __future__ import annotations

import inspect
import logging
import os
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent import futures
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial, wraps
from operator import attrgetter
from typing import TYPE_CHECKING, Any, TypeVar, cast

from engrain.errors import RecallCancelled

T = TypeVar("T")
log: logging.Logger = logging.getLogger("engrain")
# By what providers are asked; their other methods are their owner's business and stay what they are.
_ASKED = (
    "complete embed embed_query embed_weighted rerank extract decide grade variants hypothetical intent suspicions"
).split()


def guard(
    what: str, call: Callable[[], T], *, failed: Callable[[Exception], object] | None = None, quotes: bool = False
) -> T | None:
    """Call user code that must not break memory: a failure is logged (with `quotes` its kind alone) and is None."""
    try:
        return call()
    except RecallCancelled:
        raise
    except Exception as error:
        cause = type(error).__name__ if quotes else f"{type(error).__name__}: {error}"
        log.warning("%s failed (%s); memory goes on without it", what, cause)
        if not quotes:
            log.debug("%s failed", what, exc_info=True)
        if failed is not None:
            failed(error)
        return None


def checked_callbacks(callbacks: object) -> tuple[object, ...]:
    """Return callbacks as a tuple; None is none."""
    if callbacks is None:
        return ()
    if isinstance(callbacks, str | bytes) or not isinstance(callbacks, Iterable):
        raise TypeError(f"callbacks must be a list of objects, not {type(callbacks).__name__}")
    return tuple(callbacks)


def notify(callbacks: Iterable[object], event: str, *arguments: object) -> None:
    """Call the method named `event` of each callback that has one; a failure is logged and stops no other."""
    for callback in callbacks:
        method = getattr(callback, event, None)
        if callable(method):
            guard(f"{type(callback).__name__}.{event}", partial(method, *arguments))


if TYPE_CHECKING:
    from asyncio import AbstractEventLoop


def awaited(provider: T) -> T:
    """Return a provider unchanged, or wrapped, with its name and attributes, so that its coroutines are awaited."""
    waiting = {name: _waiting(name) for name in _ASKED if inspect.iscoroutinefunction(getattr(provider, name, None))}
    if not waiting:
        return provider
    others = (name for name in dir(provider) if not name.startswith("_") and name not in waiting)
    passed = {name: property(attrgetter(f"_provider.{name}")) for name in others}
    return cast(T, type(type(provider).__name__, (_Awaited,), {**passed, **waiting})(provider))


class _Awaited:
    """A provider with coroutines, wrapped so that its methods return when they are done."""

    def __init__(self, provider: object) -> None:
        self._provider = provider

    def __getattr__(self, name: str) -> Any:
        return getattr(object.__getattribute__(self, "_provider"), name)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Awaited) and other._provider is self._provider  # which two managers may share

    def __hash__(self) -> int:
        return hash(id(self._provider))

    def __repr__(self) -> str:
        return repr(self._provider)


def _waiting(name: str) -> Callable[..., object]:
    def method(self: _Awaited, *args: object, **kwargs: object) -> object:
        return finished(lambda: getattr(self._provider, name)(*args, **kwargs))

    return method


def finished(ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run a coroutine to completion in the event loop of this process, and return or raise its result."""
    return _LOOPS.setdefault(os.getpid(), _Loop()).finished(ask)


class _Loop:
    """An event loop in a thread of its own, from its first use on."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._loop: AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None

    def finished(self, ask: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """Run a coroutine to completion, and return or raise its result; cancel it when that is interrupted."""
        import asyncio

        loop = self._running()
        if threading.current_thread() is self._thread:  # a provider that asks a memory itself; its loop waits for it
            with futures.ThreadPoolExecutor(1) as thread:
                return thread.submit(lambda: asyncio.run(ask())).result()
        asked = asyncio.run_coroutine_threadsafe(ask(), loop)
        try:
            return asked.result()
        finally:
            asked.cancel()

    def _running(self) -> AbstractEventLoop:
        import asyncio

        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(target=self._loop.run_forever, name="engrain-awaiting", daemon=True)
                self._thread.start()
            return self._loop


_LOOPS: dict[int, _Loop] = {}  # by process: of a fork's parent nothing but the memory is there


_checks: ContextVar[tuple[tuple[Callable[[], bool], bool], ...]] = ContextVar("cancellation", default=())


@contextmanager
def cancellable(is_cancelled: Callable[[], bool], *, writes: bool = False) -> Iterator[None]:
    """End reads inside, such as recalls and exports, at their next checkpoint once the call is cancelled.

    `is_cancelled` is asked often, from the thread that works. The check is that of this thread, and of tasks and
    threads that copy its context. What writes goes on to its end, but with `writes` it ends between transactions.
    """
    before = _checks.set((*_checks.get(), (is_cancelled, writes)))
    try:
        yield
    finally:
        _checks.reset(before)


def is_cancelled(*, writes: bool = False) -> bool:
    """Return whether the current call was cancelled, with `writes` also if it writes."""
    return any(check() for check, also_writes in _checks.get() if also_writes or not writes)


def checkpoint(*, writes: bool = False) -> None:
    """Raise `RecallCancelled` if the current call was cancelled; a slow embedder may call it too."""
    if is_cancelled(writes=writes):
        raise RecallCancelled("the call was cancelled: its outcome is no longer awaited")


def answered(
    function: Callable[..., Any],
    advised: Callable[[Callable[..., Any], Sequence[object], Mapping[str, object], TypeError], str | None],
    renamed: Callable[[str, Mapping[str, object]], dict[str, object]],
) -> Callable[..., Any]:
    """Return a function that repeats a refused call with its arguments `renamed`, or raises the advice about it."""

    @wraps(function)
    def call(*args: Any, **given: Any) -> Any:
        try:
            return function(*args, **given)
        except TypeError as error:
            if given and (known := renamed(function.__name__, given)).keys() != given.keys():
                return function(*args, **known)
            if (advice := advised(function, args, given, error)) is None:
                raise
            raise TypeError(advice) from None

    return call
