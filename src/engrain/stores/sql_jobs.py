"""Whose a job is: that of whoever owns what it is for."""

from __future__ import annotations

from collections.abc import Callable

from engrain.model.filters import Filter
from engrain.stores import sql

_WORKED_ON = ("memory", "conversation")


def jobs_of(
    where: Filter, walled: Callable[[Filter], tuple[str, sql.Params]], dialect: sql.Dialect
) -> tuple[str, sql.Params]:
    """Return a filter over jobs as SQL: its walls are those of what a job is for, its other tests the job's own.

    A view of a whole org sees all of its jobs.
    """
    walls = where.walls
    own, of = sql.conjunction([test for test in where.conditions if test not in walls.conditions], dialect)
    if where.user is where.agent is None:
        return f"org = ? AND {own}", [where.org, *of]
    inside, params = walled(walls)
    held = (f"EXISTS (SELECT 1 FROM {name} t WHERE t.id = job.memory_id AND {inside})" for name in _WORKED_ON)
    return f"org = ? AND {own} AND ({' OR '.join(held)})", [where.org, *of, *params, *params]
