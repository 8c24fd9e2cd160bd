"""What the requests of a server share: the manager, its threads, and how the server was told to behave."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, Semaphore
from starlette.datastructures import Headers

from engrain.interfaces.rest.problems import Problem, retry_after
from engrain.interfaces.rest.scratch import Scratch
from engrain.manager import MemoryManager
from engrain.model.memory import Scope
from engrain.once import Once
from engrain.operations.remote import Caller
from engrain.policies.rate_limit import RateLimiter

THREADS, SHARE = 16, 8
"""How many requests are worked on at once, and how many of them may be one key's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a caller may send: bytes of a body and of a file, writes and requests of a key in a minute.

    None is no limit. A batch is one write. A packed file may have as many bytes when it is unpacked.
    """

    body_bytes: int = 2_000_000
    file_bytes: int = 100_000_000
    writes_per_minute: int | None = 60
    requests_per_minute: int | None = None


class Serving:
    """One server: the manager behind it, how it knows its callers, the threads that work for it, and its limits."""

    def __init__(
        self,
        memory: MemoryManager,
        caller: Callable[[MemoryManager, Headers], Caller],
        limits: Limits,
        scratch: str | os.PathLike[str] | None = None,
        bound: Scope | None = None,
    ) -> None:
        if memory.scope != Scope(memory.scope.org):
            raise ValueError("a server needs the manager itself: say with `bound` whose memories it serves")
        self.memory, self.caller, self.limits, self.scratch = memory, caller, limits, Scratch(scratch)
        self._bound = bound
        self._turns: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()
        self.limiter = CapacityLimiter(THREADS)
        self.once = Once(memory)
        self._writes = _rate(limits.writes_per_minute)
        self._requests = _rate(limits.requests_per_minute)

    def known(self, headers: Headers) -> Caller:
        """Return who asks, within what the server is bound to; raises `AccessDenied`."""
        caller = self.caller(self.memory, headers)
        return caller if self._bound is None else caller.within(self._bound)

    @asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Let a key have so many requests under way at once that threads are left for others; the rest wait."""
        if not caller.key:
            yield
            return
        turns = self._turns.setdefault(caller.key, Semaphore(SHARE))
        async with turns:
            yield

    def count(self, caller: Caller, *, writes: bool) -> None:
        """Count a request of a caller, and a write if it is one; too many within a minute raise a 429 `Problem`."""
        for rate, what in ((self._requests, "requests"), (self._writes if writes else None, "writes")):
            if rate is not None and (wait := rate.attempt(caller.key)):
                told = f"{rate.limit} {what} a minute are allowed: wait {wait:.0f} s, or send several in one batch"
                raise Problem(429, "too-many", told, {"code": "rate"}, retry_after(wait))


def _rate(limit: int | None) -> RateLimiter | None:
    return RateLimiter(limit) if limit else None
