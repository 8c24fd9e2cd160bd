"""A language model asked on somebody's account: within a budget, a time, and a number of calls at once.

Nobody may ask while holding a transaction: an answer takes seconds, and the store would stand still for all others.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from weakref import WeakKeyDictionary

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.foreign import guard
from recollect.llm.budget import Purse, Spent
from recollect.llm.named import NamedLLM, Reply, Usage, name_of
from recollect.models import Scope
from recollect.protocols import LLM

ANSWER = 1000
"""Tokens of an answer, where whoever asks does not say."""
_OVERHEAD = 16  # tokens that a provider adds to a question: roles, the beginnings and ends of messages
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts

_one_by_one: WeakKeyDictionary[LLM, threading.RLock] = WeakKeyDictionary()


class Asker:
    """The language model in force, asked for one use (`"extract"`, `"verdict"`, ...) on the account of a scope.

    An `LLM` itself. `complete` raises `Spent` when the budget is used up, and `ProviderError`, which never holds a
    text, when no answer came; what passes is tried again as often as `settings.llm_retries` says, within
    `settings.llm_timeout` seconds. `usage` is what this asker took.
    """

    def __init__(self, engine: Engine, llm: LLM, scope: Scope, use: str) -> None:
        self._engine, self._llm, self.use = engine, llm, use
        self._purse = Purse(engine, Scope(scope.org, scope.user))
        self.usage = Usage()

    @property
    def name(self) -> str:
        """What the model is called in results."""
        return name_of(self._llm)

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, which is never blank."""
        settings = self._engine.settings
        until = time.monotonic() + settings.llm_timeout
        for attempt in range(settings.llm_retries + 1):
            try:
                return self._attempt(prompt, system, max_tokens or ANSWER)
            except ProviderError as error:
                pause = _pause(error, attempt)
                if not error.transient or attempt == settings.llm_retries or time.monotonic() + pause > until:
                    raise
            time.sleep(pause)
        raise AssertionError("an attempt ends in an answer or an error")

    def _attempt(self, prompt: str, system: str, most: int) -> str:
        """Ask once; every attempt is one call of the budget."""
        count = self._engine.tokenizer.count_tokens
        sent = count(prompt) + count(system) + _OVERHEAD
        with self._admitted():
            if not self._purse.take(sent + most):
                raise Spent("the budget for the language model is spent for today")
            failed: list[Exception] = []
            reply = guard("the language model", partial(self._reply, prompt, system, most, sent), failed=failed.append)
            error = _failure(reply, failed, known=isinstance(self._llm, NamedLLM))
            used = Usage(1, reply.input_tokens, reply.output_tokens) if reply else Usage(1, sent * _charged(error))
            self._purse.settle(self.use, sent + most, used, failed=error is not None)
        self.usage += used
        if error is not None:
            raise error
        assert reply is not None
        return reply.text

    @contextmanager
    def _admitted(self) -> Iterator[None]:
        """Wait for one's turn: no more than `settings.llm_concurrency` calls at once in a process."""
        gate = self._engine.gate
        if not gate.acquire(timeout=self._engine.settings.llm_timeout):
            raise ProviderError("the language model is asked by too many at once: try again later", transient=False)
        try:
            yield
        finally:
            gate.release()

    def _reply(self, prompt: str, system: str, most: int, sent: int) -> Reply:
        """Return one attempt's answer with its tokens, counted by the model where it counts, else by the tokenizer."""
        llm = self._llm
        if isinstance(llm, NamedLLM):
            return llm.once(prompt, system=system, max_tokens=most)
        before = _used(llm)
        if before is None:
            return self._counted(llm.complete(prompt, system=system, max_tokens=most), sent)
        with _alone(llm):  # its counter is that of everybody who asks it
            before = _used(llm) or before
            reply = self._counted(llm.complete(prompt, system=system, max_tokens=most), sent)
            after = _used(llm)
        if after is None:
            return reply
        return reply._replace(input_tokens=after[0] - before[0], output_tokens=after[1] - before[1])

    def _counted(self, answer: object, sent: int) -> Reply:
        if not isinstance(answer, str) or not answer.strip():
            return Reply("", sent, 0, f"the language model gave no answer ({type(answer).__name__})")
        return Reply(answer, sent, self._engine.tokenizer.count_tokens(answer))


def _failure(reply: Reply | None, failed: list[Exception], *, known: bool) -> ProviderError | None:
    """Return what went wrong, None when nothing did; only the messages of a model of ours are known to hold no text."""
    if reply is not None:
        return ProviderError(reply.trouble) if reply.trouble else None
    error = failed[0]
    if isinstance(error, ProviderError):
        told = str(error) if known else "the language model gave no answer (ProviderError)"
        return ProviderError(told, transient=error.transient, retry_after=error.retry_after, timed_out=error.timed_out)
    return ProviderError(f"the language model gave no answer ({type(error).__name__})")


def _charged(error: ProviderError | None) -> bool:
    """Say whether a call without an answer may have cost what was sent."""
    return error is not None and error.timed_out


def _pause(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: what the provider asks for, else twice as long each time, never two askers alike."""
    if error.retry_after is not None:
        return max(error.retry_after, 0.0)
    return float(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25))


def _used(llm: LLM) -> tuple[int, int] | None:
    """Return the tokens that a model says were sent to it and came of it so far, None when it does not count."""
    usage = getattr(llm, "usage", None)
    sent, given = (getattr(usage, name, None) for name in ("input_tokens", "output_tokens"))
    return (sent, given) if isinstance(sent, int) and isinstance(given, int) else None


def _alone(llm: LLM) -> threading.RLock:
    try:
        return _one_by_one.setdefault(llm, threading.RLock())
    except TypeError:  # one that cannot be a key
        return threading.RLock()


def asker(engine: Engine, scope: Scope, use: str) -> Asker | None:
    """Return the model in force, asked on the account of a scope; None when there is no model."""
    return None if engine.llm is None else Asker(engine, engine.llm, scope, use)
