"""How much a memory is in use: hot, warm or cold, by the times of its last accesses. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from enum import StrEnum

from recollect.models import Memory

COOLS, COLD = timedelta(hours=1), timedelta(days=7)


class Heat(StrEnum):
    """Hot was accessed three times within seven days, and within the hour; cold not for seven days; the rest is warm.

    A memory that nobody has read yet is warm for its first seven days.
    """

    HOT = "hot"
    WARM = "warm"
    COLD = "cold"


def heat(memory: Memory, now: datetime) -> Heat:
    """Return how much a memory is in use at `now`."""
    used = memory.last_accessed or memory.recorded_at
    if now - used > COLD:
        return Heat.COLD
    third = memory.accessed_before[1] if len(memory.accessed_before) > 1 else None
    return Heat.HOT if third is not None and now - third <= COLD and now - used <= COOLS else Heat.WARM


def accessed(memory: Memory, times: Iterable[datetime]) -> tuple[datetime, tuple[datetime, ...]]:
    """Return the last access, and the two before it, of a memory that was accessed at these times too."""
    known = () if memory.last_accessed is None else (memory.last_accessed, *memory.accessed_before)
    latest = sorted((*known, *times), reverse=True)[:3]
    return latest[0], tuple(latest[1:])
