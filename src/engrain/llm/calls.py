"""One call of a language model of any make: attempts, time-outs, and how many at once."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from engrain.engine import Engine
from engrain.errors import EngrainError, ProviderError
from engrain.guard import guard
from engrain.lazy import Later
from engrain.llm.client import NamedLLM, Usage
from engrain.protocols import LLM

if TYPE_CHECKING:
    import asyncio
else:
    asyncio = Later("asyncio")

_MOST = 1 << 53  # tokens that a counter may say
_LEAST = 0.001  # seconds that a call has at least: none at all is no time-out


class Call(NamedTuple):
    """A question: its words, the longest answer to it, about how many tokens are sent, and until when (monotonic)."""

    prompt: str
    system: str
    most: int
    sent: int
    until: float

    @property
    def left(self) -> float:
        """The seconds that it still has."""
        return max(self.until - time.monotonic(), _LEAST)


class Attempt(NamedTuple):
    """An answer, or the error in its place, and what it took.

    An error that is `unsure` may have taken more than `used`: up to the longest answer.
    """

    text: str
    used: Usage
    error: ProviderError | None = None


def attempted(llm: LLM, call: Call, count: Callable[[str], int]) -> Attempt:
    """Ask once. Tokens are those that the model counted, and those of `count` where it did not."""
    if isinstance(llm, NamedLLM):
        return _of_named(llm, call, count)
    before = counted_by(llm)
    failed: list[Exception] = []
    found = guard("the language model", partial(_told, llm, call), failed=failed.append, quotes=True)
    moved = _moved(before, counted_by(llm))
    if isinstance(found, str) and found.strip():
        return Attempt(found, Usage(1, moved[0] or call.sent, moved[1] or count(found)))
    error = failed[0] if failed else found
    told = _plainly(error)
    if isinstance(error, Exception):
        return Attempt("", Usage(1, moved[0] or call.sent * told.unsure, moved[1]), told)
    return Attempt("", Usage(1, moved[0] or call.sent, moved[1]), told)


def _of_named(llm: NamedLLM, call: Call, count: Callable[[str], int]) -> Attempt:
    failed: list[Exception] = []
    found = guard("the language model", partial(_once, llm, call), failed=failed.append)
    if found is None:
        found = _plainly(failed[0], unsure=True)
    if isinstance(found, ProviderError):
        return Attempt("", Usage(1, call.sent * found.unsure), found)
    text, sent, given, trouble = found
    used = Usage(1, sent or call.sent, given or count(text))
    return Attempt(text, used, ProviderError(trouble, unsure=not sent) if trouble else None)


def _once(llm: NamedLLM, call: Call) -> tuple[str, int, int, str] | ProviderError:
    try:
        return llm.once(call.prompt, system=call.system, max_tokens=call.most, timeout=call.left)
    except ProviderError as error:
        return error
    except EngrainError as error:  # a library or a key that is gone meanwhile
        return ProviderError(str(error))


def _told(llm: LLM, call: Call) -> object:
    try:
        return llm.complete(call.prompt, system=call.system, max_tokens=call.most)
    except ProviderError as error:
        return error
    except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
        if threading.current_thread() is threading.main_thread():  # where a signal may have raised it
            raise
        return error


def _plainly(what: object, *, unsure: bool = False) -> ProviderError:
    """Return what somebody else's model did instead of answering; its own words may hold a text."""
    told = f"the language model gave no answer ({type(what).__name__})"
    if isinstance(what, ProviderError):
        return ProviderError(told, transient=what.transient, retry_after=what.retry_after, unsure=what.unsure)
    return ProviderError(told, unsure=unsure or isinstance(what, TimeoutError))


def counted_by(llm: LLM) -> tuple[int, int] | None:
    """Return the tokens that a model says were sent to it and came of it so far, None when it does not count."""
    found = guard("the language model's usage", partial(_counts, llm), quotes=True)
    return None if found is None or not all(map(_is_count, found)) else found


def _counts(llm: LLM) -> Any:
    usage = getattr(llm, "usage", None)
    return getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)


def _is_count(number: object) -> bool:
    return isinstance(number, int) and 0 <= number <= _MOST


def _moved(before: tuple[int, int] | None, after: tuple[int, int] | None) -> tuple[int, int]:
    """Return what a model counted meanwhile; a counter that was set back says nothing."""
    if before is None or after is None:
        return 0, 0
    return max(after[0] - before[0], 0), max(after[1] - before[1], 0)


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
        with engine.llm_limiter.acquire(_left(until)) as let_in:
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
