"""What a filter means: whether one memory passes it, worked out by looking at the memory. Pure.

The engines answer filters in their own ways, and the conformance suite holds each of them to this.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.facts import slot
from recollect.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test
from recollect.models import Memory

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq,
    "ne": operator.ne,
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
    "gte": operator.ge,
    "lte": operator.le,
}
_SCOPE = ("org", "user", "agent", "session")
_ACCESSES = {"accessed_2": 0, "accessed_3": 1}
_SLOT = {"subject_key": 0, "predicate_key": 1, "object_key": 2}


def passes(memory: Memory, where: Filter, *, num: int = 0) -> bool:
    """Say whether the memory, kept under the row number `num`, is inside the filter."""
    scope = memory.scope
    inside = where.user is None or scope.user == where.user or (where.shared and scope.user is None)
    return scope.org == where.org and inside and all(_holds(memory, each, num) for each in where.conditions)


def column(memory: Memory, name: str, *, num: int = 0) -> Any:
    """Return what a memory has in the column of a stored row."""
    if name == "num":
        return num
    if name in _SCOPE:
        return getattr(memory.scope, name)
    if name in _SLOT:
        return None if memory.fact is None else slot(memory.fact)[_SLOT[name]]
    if name == "used_at":
        return memory.last_accessed or memory.recorded_at
    if name in _ACCESSES:
        return (*memory.accessed_before, None, None)[_ACCESSES[name]]
    return memory.source.type if name == "source_type" else getattr(memory, name)


def _holds(memory: Memory, condition: Condition, num: int) -> bool:
    if isinstance(condition, Test):
        return _test(column(memory, condition.column, num=num), condition)
    if isinstance(condition, AnyOf):
        return any(all(_holds(memory, each, num) for each in branch) for branch in condition.branches)
    if isinstance(condition, Tagged):
        found = [tag in memory.tags for tag in condition.tags]
        return all(found) if condition.every else any(found)
    return _meta(memory.metadata, condition)


def _test(value: Any, test: Test) -> bool:
    if test.value is None:
        return (value is None) == (test.op == "eq")
    if value is None:
        return test.or_null
    if test.op in ("in", "nin"):
        return (value in test.value) == (test.op == "in")
    return _COMPARE[test.op](value, test.value)


def _meta(metadata: Mapping[str, object], term: Meta | Logic) -> bool:
    if isinstance(term, Logic):
        held = [_meta(metadata, part) for part in term.terms]
        return not held[0] if term.op == "not" else any(held) if term.op == "or" else all(held)
    present, value, wanted = term.key in metadata, metadata.get(term.key), term.value
    if term.op == "exists":
        return present is wanted
    if term.op in ("ne", "nin"):
        return not present or not any(_same(value, other) for other in (wanted if term.op == "nin" else (wanted,)))
    if not present:
        return False
    if term.op in ("eq", "in"):
        return any(_same(value, other) for other in (wanted if term.op == "in" else (wanted,)))
    if term.op == "contains":
        return _contains(value, wanted)
    return _kind(value) == _kind(wanted) and _COMPARE[term.op](value, wanted)


def _kind(value: object) -> str:
    if isinstance(value, bool) or value is None:
        return repr(value)
    return "number" if isinstance(value, int | float) else type(value).__name__


def _same(value: object, other: object) -> bool:
    return _kind(value) == _kind(other) and value == other


def _contains(value: object, wanted: object) -> bool:
    if isinstance(value, str):
        return isinstance(wanted, str) and wanted in value
    return isinstance(value, Sequence) and any(_same(item, wanted) for item in value)
