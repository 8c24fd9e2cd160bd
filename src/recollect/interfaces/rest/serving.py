"""What the requests of a server share: the manager, its threads, and how the server was told to behave."""

from __future__ import annotations

from dataclasses import dataclass, field

from anyio import CapacityLimiter

from recollect.manager import MemoryManager

THREADS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much a caller may send: bytes of a body and of a file, writes and requests of a key in a minute.

    None is no limit. A batch is one write.
    """

    body_bytes: int = 2_000_000
    file_bytes: int = 100_000_000
    writes_per_minute: int | None = 60
    requests_per_minute: int | None = None


@dataclass(slots=True)
class Serving:
    """One server: the manager behind it, the threads that work for it, and its limits."""

    memory: MemoryManager
    limits: Limits = field(default_factory=Limits)
    limiter: CapacityLimiter = field(default_factory=lambda: CapacityLimiter(THREADS))
