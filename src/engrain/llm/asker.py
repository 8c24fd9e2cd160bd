"""The language model in force, called on the account of a scope: budget, time-out, retries, concurrency."""

from __future__ import annotations

import math
import os
import random
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import WeakKeyDictionary

from engrain.engine import Engine
from engrain.errors import EngrainError, ProviderError
from engrain.guard import guard, log
from engrain.lazy import Later
from engrain.llm.client import NamedLLM, Usage, name_of
from engrain.llm.usage import Budget
from engrain.model.memory import Scope
from engrain.model.results import OFFLINE
from engrain.protocols import LLM

if TYPE_CHECKING:
    import asyncio
else:
    asyncio = Later("asyncio")

MAX_ANSWER = 1000
"""Tokens of an answer when the caller gives no `max_tokens`."""
MAX_QUESTION = 100_000
"""Tokens of a question at most, estimated; a longer one is refused, neither sent nor cut."""
_OVERHEAD = 16  # tokens that a provider adds to a question for roles and message boundaries
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts
_SHORTEST_TIMEOUT = 0.001  # seconds
_MAX_COUNTED = 1 << 53  # tokens that a model's own counter may report


class Spent(ProviderError):
    """The budget of the day does not reach for another call; no call was made."""


class Asker:
    """The language model in force for one use (`"extract"`, `"verdict"`, ...), on the account of a scope.

    An `LLM` itself. `complete` raises `Spent` when the budget is used up, and `ProviderError`, which never quotes a
    text, when no answer came. Transient failures are retried `settings.llm_retries` times. The whole call, waiting
    included, takes `settings.llm_timeout` seconds at most, except that an object of the caller's is not interrupted.
    """

    def __init__(self, engine: Engine, llm: LLM, scope: Scope, use: str) -> None:
        self._engine, self._llm, self.use = engine, llm, use
        self._budget = Budget(engine, Scope(scope.org, scope.user))
        self._usage, self._lock = Usage(), threading.Lock()

    @property
    def name(self) -> str:
        """The name of the model in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage:
        """The calls, each attempt one, and tokens of this asker."""
        return self._usage

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, which is never blank."""
        settings = self._engine.settings
        call = self._call(prompt, system, MAX_ANSWER if max_tokens is None else max_tokens)
        for attempt in range(settings.llm_retries + 1):
            try:
                return self._attempt(call)
            except ProviderError as error:
                pause = _pause(error, attempt)
                if not error.transient or attempt == settings.llm_retries or time.monotonic() + pause >= call.deadline:
                    raise
                log.info("%s: asked again in %.1f seconds", error, pause)
            time.sleep(pause)
        raise AssertionError("an attempt ends in an answer or an error")

    def _call(self, prompt: str, system: str, max_tokens: int) -> _Call:
        if max_tokens < 1:
            raise ValueError(f"max_tokens is {max_tokens}: at least 1")
        count = self._engine.tokenizer.count_tokens
        sent = count(prompt) + count(system) + _OVERHEAD
        if sent > MAX_QUESTION:
            size = f"about {sent:,} tokens, the limit is {MAX_QUESTION:,}"
            raise ProviderError(f"the question is too long for a language model: {size}: ask about less at once")
        return _Call(prompt, system, max_tokens, sent, time.monotonic() + self._engine.settings.llm_timeout)

    def _attempt(self, call: _Call) -> str:
        """Ask once; every attempt is one call of the budget."""
        wanted = call.sent + call.max_tokens
        with _slot(self._engine, self._llm, call.deadline):
            reserved = self._budget.reserve(wanted)
            if reserved is None:
                spent = self._budget.spent()
                figures = f"{spent.calls:,} calls and {spent.tokens:,} tokens, and this one may take {wanted:,}"
                raise Spent(f"the budget for the language model does not reach for another call today (UTC): {figures}")
            # What is recorded of a call that is interrupted: how much it took is not known.
            reply = _Reply("", Usage(1, call.sent), ProviderError("the call was interrupted", unsure=True))
            try:
                ask = _ask_named if isinstance(self._llm, NamedLLM) else _ask_foreign
                reply = ask(self._llm, call, self._engine.tokenizer.count_tokens)
            finally:
                self._budget.settle(self.use, reserved, reply.used, reply.error)
                with self._lock:
                    self._usage += reply.used
        if reply.error is not None:
            raise reply.error
        return reply.text


def _pause(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: what the provider asks for, else exponential backoff, both with jitter."""
    asked = error.retry_after
    if asked is not None and math.isfinite(asked) and asked > 0:
        return asked * random.uniform(1.0, 1.1)
    return float(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25))


def asker(engine: Engine, scope: Scope, use: str) -> Asker | None:
    """Return the model in force, on the account of a scope; None when there is no model."""
    return None if engine.llm is None else Asker(engine, engine.llm, scope, use)


class Account:
    """The askers of one piece of work, whether the model did any of it, and why it did not do the rest."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._askers: list[Asker] = []
        self._by = OFFLINE
        self._why_not = ""

    def asker(self, scope: Scope, use: str) -> Asker | None:
        """Return the model in force on the account of a scope; its usage is counted here."""
        llm = asker(self._engine, scope, use)
        if llm is not None:
            self._askers.append(llm)
        return llm

    def did(self) -> None:
        """Record that the model did some of the work."""
        if self._engine.llm is not None:
            self._by = name_of(self._engine.llm)

    def failed(self, error: Exception) -> None:
        """Record why the model did not do some of the work; the first reason stays.

        The message of an error of ours quotes no memory; of any other error only the type is recorded.
        """
        reason = str(error) if isinstance(error, ProviderError) else f"the language model failed ({_type(error)})"
        self._why_not = self._why_not or reason

    def worked(self) -> dict[str, Any]:
        """Return the fields of `results.Worked`."""
        used = sum((each.usage for each in self._askers), Usage())
        return {"by": self._by, "calls": used.calls, "tokens": used.tokens, "why_not": self._why_not}


def _type(value: object) -> str:
    return type(value).__name__


# ---------------------------------------------------------------------------------------------------------- one attempt


class _Call(NamedTuple):
    """A question, the longest answer to it, the estimated tokens of the question, and its deadline (monotonic)."""

    prompt: str
    system: str
    max_tokens: int
    sent: int
    deadline: float


class _Reply(NamedTuple):
    """An answer, or the error in its place, and what it took.

    After an error that is `unsure` the provider may have counted more than `used`, up to the longest answer.
    """

    text: str
    used: Usage
    error: ProviderError | None = None


def _ask_named(llm: LLM, call: _Call, count: Callable[[str], int]) -> _Reply:
    assert isinstance(llm, NamedLLM)
    timeout = max(call.deadline - time.monotonic(), _SHORTEST_TIMEOUT)
    try:
        text, sent, received, trouble = llm.once(
            call.prompt, system=call.system, max_tokens=call.max_tokens, timeout=timeout
        )
    except EngrainError as error:  # a ConfigError where a library or a key is gone meanwhile
        failure = error if isinstance(error, ProviderError) else ProviderError(str(error))
        return _Reply("", Usage(1, call.sent * failure.unsure), failure)
    used = Usage(1, sent or call.sent, received or count(text))
    return _Reply(text, used, ProviderError(trouble, unsure=not sent) if trouble else None)


def _ask_foreign(llm: LLM, call: _Call, count: Callable[[str], int]) -> _Reply:
    """Ask a model of the caller's; tokens are those that it counted, estimates where it did not."""

    def ask() -> object:
        try:
            return llm.complete(call.prompt, system=call.system, max_tokens=call.max_tokens)
        except ProviderError as error:
            return error
        except (SystemExit, KeyboardInterrupt, asyncio.CancelledError) as error:
            if threading.current_thread() is threading.main_thread():  # where a signal may have raised it
                raise
            return error

    before = _counted_by(llm)
    failed: list[Exception] = []
    answer = guard("the language model", ask, failed=failed.append, quotes=True)
    after = _counted_by(llm)
    sent, received = 0, 0
    if before is not None and after is not None:  # a counter that was reset gives nothing
        sent, received = (max(now - then, 0) for then, now in zip(before, after, strict=True))
    if isinstance(answer, str) and answer.strip():
        return _Reply(answer, Usage(1, sent or call.sent, received or count(answer)))
    cause = failed[0] if failed else answer
    what = f"the language model gave no answer ({_type(cause)})"  # its own message may quote a text
    error = ProviderError(what, unsure=isinstance(cause, TimeoutError))
    if isinstance(cause, ProviderError):
        error = ProviderError(what, transient=cause.transient, retry_after=cause.retry_after, unsure=cause.unsure)
    if isinstance(cause, Exception) and not error.unsure:
        return _Reply("", Usage(1, sent, received), error)
    return _Reply("", Usage(1, sent or call.sent, received), error)


def _counted_by(llm: LLM) -> tuple[int, int] | None:
    """Return the tokens sent and received that a model's `usage` reports, None when it does not count."""
    usage = guard("the language model's usage", lambda: getattr(llm, "usage", None), quotes=True)
    counts = guard(
        "the language model's usage",
        lambda: (getattr(usage, "input_tokens", None), getattr(usage, "output_tokens", None)),
        quotes=True,
    )
    valid = counts is not None and all(isinstance(each, int) and 0 <= each <= _MAX_COUNTED for each in counts)
    return counts if valid else None  # type: ignore[return-value]


# ---------------------------------------------------------------------------------------------------------- concurrency

_locks: WeakKeyDictionary[LLM, threading.RLock] = WeakKeyDictionary()
_shared_lock = [threading.RLock()]  # of models that cannot be a key: they wait for each other


@contextmanager
def _slot(engine: Engine, llm: LLM, deadline: float) -> Iterator[None]:
    """Wait for a slot until the deadline; raises `ProviderError` when there is none in time.

    At most `settings.llm_concurrency` calls of a manager and its views run at once in a process, and one call at a time
    of a caller's model that counts its tokens, so that the difference of its counter is that of one call.
    """
    one_at_a_time = not isinstance(llm, NamedLLM) and _counted_by(llm) is not None
    lock = _lock_of(llm) if one_at_a_time else threading.RLock()
    if not lock.acquire(timeout=max(deadline - time.monotonic(), 0.0)):
        raise _busy()
    try:
        with engine.llm_limiter.acquire(max(deadline - time.monotonic(), 0.0)) as acquired:
            if not acquired:
                raise _busy()
            yield
    finally:
        lock.release()


def _busy() -> ProviderError:
    return ProviderError("the language model is asked by too many at once: try again later, or raise llm_concurrency")


def _lock_of(llm: LLM) -> threading.RLock:
    try:
        return _locks.setdefault(llm, threading.RLock())
    except TypeError:
        return _shared_lock[0]


def _renew_locks() -> None:
    """Give a forked child locks of its own: the threads that held them do not exist in it."""
    _locks.clear()
    _shared_lock[0] = threading.RLock()


os.register_at_fork(after_in_child=_renew_locks)
