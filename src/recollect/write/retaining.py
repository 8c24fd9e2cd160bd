"""What retention says of a memory that is written: when it expires, and when a sweep has to look at it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from recollect.models import Memory
from recollect.policies.retention import Retention
from recollect.protocols import Record


def retained(retention: Retention, record: Record) -> Record:
    """Return a record with the end that its policy gives it, and the moment at which it is due."""
    memory = retention.expiring(record.memory)
    return replace(record, memory=memory, due_at=retention.due_at(memory))


def columns(retention: Retention, before: Memory, changes: Mapping[str, Any]) -> dict[str, Any]:
    """Return changes of a memory's columns together with what follows from them: its end, and when it is due.

    `changes` are fields of a memory; others, such as its identity, are left as they are.
    """
    known = {name: value for name, value in changes.items() if hasattr(before, name)}
    after = retention.expiring(replace(before, **known))
    more = {"expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}
    return {**changes, **more}


def noted(retention: Retention, memory: Memory, now: datetime) -> dict[str, Any]:
    """Return the columns to note, without a revision, for what retention says of a memory from now on.

    An end that would have come already is left to the next sweep, which records it: until now the memory was there, and
    that stays what was known.
    """
    after = retention.expiring_at(memory, now)
    if after.expires_at is not None and after.expires_at <= now and after.expires_at != memory.expires_at:
        return {"expires_at": memory.expires_at, "expiry": memory.expiry, "due_at": now}
    return {"expires_at": after.expires_at, "expiry": after.expiry, "due_at": retention.due_at(after)}
