"""What the requests of a server share: the manager, its threads, and how the server was told to behave."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass

from anyio import CapacityLimiter
from starlette.datastructures import Headers

from recollect.interfaces.access import Caller
from recollect.interfaces.rest.problems import Problem, retry_after
from recollect.interfaces.rest.scratch import Scratch
from recollect.manager import MemoryManager
from recollect.once import Once
from recollect.rates import RateLimiter

THREADS = 16


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
    ) -> None:
        self.memory, self.caller, self.limits, self.scratch = memory, caller, limits, Scratch(scratch)
        self.limiter = CapacityLimiter(THREADS)
        self.once = Once(memory)
        self._writes = _rate(limits.writes_per_minute)
        self._requests = _rate(limits.requests_per_minute)

    def count(self, caller: Caller, *, writes: bool) -> None:
        """Count a request of a caller, and a write if it is one; too many within a minute raise a 429 `Problem`."""
        for rate, what in ((self._requests, "requests"), (self._writes if writes else None, "writes")):
            if rate is not None and (wait := rate.attempt(caller.key)):
                told = f"{rate.limit} {what} a minute are allowed: wait {wait:.0f} s, or send several in one batch"
                raise Problem(429, "too-many", told, {"code": "rate"}, retry_after(wait))


def _rate(limit: int | None) -> RateLimiter | None:
    return RateLimiter(limit) if limit else None
