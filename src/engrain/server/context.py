"""The shared state of a server's requests: the manager, authentication, roles, threads, limits of each key."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any, Final, TypeVar

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.datastructures import Headers
from starlette.types import Receive

from engrain.errors import AccessDenied
from engrain.idempotency import IdempotentRequests
from engrain.manager import MemoryManager
from engrain.model.memory import Scope
from engrain.policies.rate_limit import RateLimiter
from engrain.server.callers import ANONYMOUS_ADMIN, Caller
from engrain.server.limits import Admission, Limits
from engrain.server.wire import IDEMPOTENCY_KEY, VIEW_HEADER, Problem, retry_after

THREADS = 16  # the maximum number of concurrent requests
T = TypeVar("T")
Authenticate = Callable[[MemoryManager, Headers], Caller]
Count = Callable[[Caller, bool], None]
"""Counts a call of a caller, and whether it writes; one too many within a minute is a 429 `Problem`."""


def refuse_repeated(headers: Headers) -> None:
    """Refuse a header that is given twice, where one value counts."""
    for name in ("Content-Type", "If-Match", IDEMPOTENCY_KEY, VIEW_HEADER):
        if len(headers.getlist(name)) > 1:
            raise Problem(422, "invalid", f"{name} is given more than once: give it once")


def authenticate(memory: MemoryManager, headers: Headers) -> Caller:
    """Return the caller, by the key in the `Authorization` header; `AccessDenied` for a missing or invalid one."""
    presented = headers.getlist("authorization")
    if not presented:
        if memory.keys.exist():
            raise AccessDenied("this server wants a key: send Authorization: Bearer KEY", role=None)
        return ANONYMOUS_ADMIN
    scheme, _, secret = presented[0].partition(" ")
    if len(presented) > 1 or scheme.lower() != "bearer" or not secret.strip():
        raise AccessDenied("send one header, Authorization: Bearer KEY", role=None)
    key = memory.keys.recognise(secret.strip())
    if key is None:
        if not memory.keys.exist():
            raise AccessDenied("this server's store has never had a key: send none, or look at its --store", role=None)
        raise AccessDenied("the key is unknown or was revoked: ask the server's administrator for another", role=None)
    return Caller.of(key)


def count_calls(limits: Limits, clock: Callable[[], float] = monotonic) -> Count:
    """Return the rate limiters for the requests and the writes of each key."""
    numbers = (limits.requests_per_minute, "requests"), (limits.writes_per_minute, "writes")
    rates = [(RateLimiter(limit, clock=clock), what) for limit, what in numbers if limit]

    def count(caller: Caller, writes: bool) -> None:
        for rate, what in rates:
            if (writes or what == "requests") and (wait := rate.attempt(caller.key)):
                detail = (
                    f"{rate.limit} {what} a minute are allowed, nothing was done: wait {wait:.0f} s, send what belongs "
                    f"together in one (remember_many), or have the server's --{what}-per-minute raised"
                )
                raise Problem(429, "too-many", detail, {"code": "rate"}, retry_after(wait))

    return count


class ServerContext:
    """One server: its manager, how it authenticates callers, its threads and limits, and the scope it is bound to."""

    def __init__(
        self,
        memory: MemoryManager,
        authenticate: Authenticate = authenticate,
        limits: Limits | None = None,
        bound: Scope | None = None,
    ) -> None:
        self.memory: MemoryManager = memory
        self.limits: Limits = limits or Limits()
        self.threads: Final = CapacityLimiter(THREADS)
        self.idempotent: Final = IdempotentRequests(memory)
        self._authenticate, self._bound = authenticate, bound
        path = Path(memory.store.url)
        self._file = path.stat() if path.is_file() else None  # None for a database
        self.examine: Callable[[], Mapping[str, Any]] | None = None  # the health of the whole store
        self.count: Count = count_calls(self.limits)
        self.admission: Final = Admission(self.limits.requests, self.limits.refused)

    def check_file(self) -> None:
        """Raise a 503 `Problem` while the file of the store is not where it was opened."""
        path = Path(self.memory.store.url)
        if self._file is not None and not (path.exists() and os.path.samestat(self._file, path.stat())):
            why = "the file of the store was moved, deleted or replaced: put it back, or stop this and start it again"
            raise Problem(503, "unavailable", why)

    async def in_thread(self, work: Callable[[], T]) -> T:
        """Run a function in one of the threads of the server; once begun it is finished."""
        return await anyio.to_thread.run_sync(work, limiter=self.threads)

    async def admitted(
        self, work: Callable[[], T], receive: Receive, *, key: str, cost: int, writes: bool = False
    ) -> T:
        """Run a function in a thread once the budget of its key allows the cost; see `Admission.run`."""
        return await self.admission.run(partial(self.in_thread, work), receive, key=key, cost=cost, writes=writes)

    def caller(self, headers: Headers) -> Caller:
        """Return the caller, within the scope that the server is bound to; raises `AccessDenied`."""
        refuse_repeated(headers)
        caller = self._authenticate(self.memory, headers)
        return caller if self._bound is None else caller.within(self._bound)
