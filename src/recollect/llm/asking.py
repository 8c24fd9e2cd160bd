"""A language model asked on somebody's account: within a budget, a time, and a number of calls at once.

Nobody may ask while holding a transaction: an answer takes seconds, and the store would stand still for all others.
"""

from __future__ import annotations

import math
import random
import threading
import time

from recollect.engine import Engine
from recollect.errors import ProviderError
from recollect.foreign import log
from recollect.llm.attempts import Attempt, Call, attempted
from recollect.llm.budget import Purse, Spent
from recollect.llm.named import Usage, name_of
from recollect.llm.turns import admitted
from recollect.models import Scope
from recollect.protocols import LLM

ANSWER = 1000
"""Tokens of an answer, where whoever asks does not say."""
LONGEST = 100_000
"""Tokens of a question at most, about: what is longer is not sent, nor cut, but told to whoever asks."""
_OVERHEAD = 16  # tokens that a provider adds to a question: roles, the beginnings and ends of messages
_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0  # seconds between attempts


class Asker:
    """The language model in force, asked for one use (`"extract"`, `"verdict"`, ...) on the account of a scope.

    An `LLM` itself. `complete` raises `Spent` when the budget is used up, and `ProviderError`, which never holds a
    text, when no answer came; what passes is tried again as often as `settings.llm_retries` says. The whole of it, with
    the wait for one's turn, takes `settings.llm_timeout` seconds at most; an object of the caller's that takes longer
    is waited for. `usage` is what this asker took.
    """

    def __init__(self, engine: Engine, llm: LLM, scope: Scope, use: str) -> None:
        self._engine, self._llm, self.use = engine, llm, use
        self._purse = Purse(engine, Scope(scope.org, scope.user))
        self._usage, self._lock = Usage(), threading.Lock()

    @property
    def name(self) -> str:
        """What the model is called in results."""
        return name_of(self._llm)

    @property
    def usage(self) -> Usage:
        """What was taken so far: calls, each attempt one, and tokens."""
        return self._usage

    def complete(self, prompt: str, *, system: str = "", max_tokens: int | None = None) -> str:
        """Return the model's answer, which is never blank."""
        settings = self._engine.settings
        call = self._call(prompt, system, ANSWER if max_tokens is None else max_tokens)
        for attempt in range(settings.llm_retries + 1):
            try:
                return self._attempt(call)
            except ProviderError as error:
                pause = _pause(error, attempt)
                if not error.transient or attempt == settings.llm_retries or time.monotonic() + pause >= call.until:
                    raise
                log.info("%s: asked again in %.1f seconds", error, pause)
            time.sleep(pause)
        raise AssertionError("an attempt ends in an answer or an error")

    def _call(self, prompt: str, system: str, most: int) -> Call:
        if most < 1:
            raise ValueError(f"max_tokens is {most}: at least 1")
        count = self._engine.tokenizer.count_tokens
        sent = count(prompt) + count(system) + _OVERHEAD
        if sent > LONGEST:
            told = f"the question is too long for a language model: about {sent:,} tokens, the limit is {LONGEST:,}"
            raise ProviderError(f"{told}: ask about less at once")
        return Call(prompt, system, most, sent, time.monotonic() + self._engine.settings.llm_timeout)

    def _attempt(self, call: Call) -> str:
        """Ask once; every attempt is one call of the budget."""
        aside = call.sent + call.most
        with admitted(self._engine, self._llm, call.until):
            taken = self._purse.take(aside)
            if taken is None:
                spent = self._purse.spent()
                told = f"{spent['calls']:,} calls and {spent['tokens']:,} tokens, and this one may take {aside:,}"
                raise Spent(f"the budget for the language model does not reach for another call today (UTC): {told}")
            # What stands of a call that is broken off: nobody knows what it took.
            found = Attempt("", Usage(1, call.sent), ProviderError("the call was broken off", unsure=True))
            try:
                found = attempted(self._llm, call, self._engine.tokenizer.count_tokens)
            finally:
                self._purse.settle(self.use, taken, found.used, found.error)
                with self._lock:
                    self._usage += found.used
        if found.error is not None:
            raise found.error
        return found.text


def _pause(error: ProviderError, attempt: int) -> float:
    """Return the seconds to wait: what the provider asks for, else twice as long each time, never two askers alike."""
    asked = error.retry_after
    if asked is not None and math.isfinite(asked) and asked > 0:
        return asked * random.uniform(1.0, 1.1)
    return float(min(_FIRST_PAUSE * 2**attempt, _LONGEST_PAUSE) * random.uniform(0.75, 1.25))


def asker(engine: Engine, scope: Scope, use: str) -> Asker | None:
    """Return the model in force, asked on the account of a scope; None when there is no model."""
    return None if engine.llm is None else Asker(engine, engine.llm, scope, use)
