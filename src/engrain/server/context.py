"""What the requests of a server share: the manager, who a caller is, the threads, and the limits of each key."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from weakref import WeakValueDictionary

from anyio import CapacityLimiter, Semaphore
from starlette.datastructures import Headers

from engrain.errors import AccessDenied
from engrain.idempotency import IdempotentRequests
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.model.memory import Scope
from engrain.operations.remote import Caller
from engrain.policies.rate_limit import RateLimiter
from engrain.server.limits import Limits
from engrain.server.problems import Problem, retry_after

THREADS, THREADS_PER_KEY = 16, 8
"""How many requests are worked on at once, and how many of them may be of one key."""

ANONYMOUS_ADMIN = Caller(Role.ADMIN)
"""Who asks where a store has no keys: whoever reaches a port that only this machine reaches."""

Authenticate = Callable[[MemoryManager, Headers], Caller]


def authenticate(memory: MemoryManager, headers: Headers) -> Caller:
    """Return who asks, by the key in the `Authorization` header.

    Raises:
        AccessDenied: The key is missing, unknown or revoked, and the store has had keys.
    """
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


class ServerContext:
    """One server: its manager, how it authenticates callers, its threads and limits, and the scope it is bound to."""

    def __init__(
        self, memory: MemoryManager, authenticate: Authenticate, limits: Limits, bound: Scope | None = None
    ) -> None:
        if memory.scope != Scope(memory.scope.org):
            raise ValueError("a server needs the manager itself: name the scope that it serves with `bound`")
        self.memory, self.limits = memory, limits
        self.threads = CapacityLimiter(THREADS)
        self.idempotent = IdempotentRequests(memory)
        self._authenticate, self._bound = authenticate, bound
        self._turns: WeakValueDictionary[str, Semaphore] = WeakValueDictionary()
        self._rates = [
            (RateLimiter(limit), writes)
            for limit, writes in ((limits.requests_per_minute, False), (limits.writes_per_minute, True))
            if limit
        ]

    def caller(self, headers: Headers) -> Caller:
        """Return who asks, within the scope that the server is bound to; raises `AccessDenied`."""
        caller = self._authenticate(self.memory, headers)
        return caller if self._bound is None else caller.within(self._bound)

    @asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Wait until a key has fewer than its share of requests under way, so that threads are left for others."""
        if not caller.key:
            yield
            return
        turns = self._turns.setdefault(caller.key, Semaphore(THREADS_PER_KEY))
        async with turns:
            yield

    def count(self, caller: Caller, writes: bool) -> None:
        """Count a request of a caller; one too many within a minute is a 429 `Problem`."""
        for rate, of_writes in self._rates:
            if (writes or not of_writes) and (wait := rate.attempt(caller.key)):
                what = "writes" if of_writes else "requests"
                detail = f"{rate.limit} {what} a minute are allowed: wait {wait:.0f} s, or send several in one batch"
                raise Problem(429, "too-many", detail, {"code": "rate"}, retry_after(wait))
