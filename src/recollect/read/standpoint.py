"""Where in time a read stands, and what can be seen from there, as conditions. Pure but for the clock."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from recollect.checks import When
from recollect.engine import Engine
from recollect.filters import Condition, Test, live, unexpired, unsuperseded
from recollect.filters import listed as by_status
from recollect.models import Status
from recollect.timewords import parse_when

__all__ = ["Standpoint", "listed", "shown", "standpoint"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Standpoint:
    """When a read asks: `now` by the question's clock, `clock` by the engine's.

    `as_of` asks what was true at a time, by what is believed today; `known_at` what was believed at a time.
    """

    now: datetime
    clock: datetime
    as_of: datetime | None = None
    known_at: datetime | None = None

    @property
    def valid_at(self) -> datetime:
        """The moment at which a memory must be valid."""
        return self.now if self.as_of is None else self.as_of


def standpoint(
    engine: Engine, *, now: When | None = None, as_of: When | None = None, known_at: When | None = None
) -> Standpoint:
    """Return the standpoint of a read; what shall be believed in the future is what is believed now."""
    clock = engine.clock.now()
    known = None if known_at is None else parse_when(known_at, name="known_at")
    return Standpoint(
        now=clock if now is None else parse_when(now, name="now"),
        clock=clock,
        as_of=None if as_of is None else parse_when(as_of, name="as_of"),
        known_at=None if known is None or known >= clock else known,
    )


def shown(
    at: Standpoint, *, exclude_superseded: bool = True, include_quarantined: bool = False
) -> tuple[Condition, ...]:
    """Return the conditions of a read: what is true now, or was at `as_of`, or was taken to be at `known_at`.

    With `as_of` it does not matter what was superseded since. What has expired by the engine's clock stays away from
    every time. The conditions of a `known_at` hold for memories in the state of that time: see `recollect.read.past`.
    """
    if exclude_superseded and not include_quarantined and at.as_of is None and at.known_at is None:
        return live(at.now)
    travelling = at.as_of is not None or at.known_at is not None
    tests: list[Condition] = [
        Test("status", "in", (Status.ACTIVE, Status.QUARANTINED))
        if include_quarantined
        else Test("status", "eq", Status.ACTIVE),
        Test("believed_until", "eq", None)
        if at.known_at is None
        else Test("believed_until", "gt", at.known_at, or_null=True),
        Test("valid_from", "le", at.valid_at),
        unexpired(at.clock if travelling else at.now),
    ]
    if exclude_superseded and at.as_of is None:
        tests.append(unsuperseded(at.valid_at))
    if exclude_superseded or at.as_of is not None:
        tests.append(Test("valid_until", "gt", at.valid_at, or_null=True))
    return tuple(tests)


def listed(status: str | Sequence[str], at: Standpoint) -> tuple[Condition, ...]:
    """Return the conditions of `list_memories(status=)` from a standpoint: `active` is what a recall would see.

    With `as_of`, memories of every status are those that were valid then.
    """
    conditions = by_status(status, at.clock, shown(at))
    if at.as_of is None:
        return conditions
    return (
        *conditions,
        Test("valid_from", "le", at.as_of),
        Test("valid_until", "gt", at.as_of, or_null=True),
    )
