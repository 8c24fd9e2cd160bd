"""Filters of LangGraph's searches and listings: of values, of namespaces, and the nearest vectors."""

from __future__ import annotations

import math
import operator
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from langgraph.store.base import MatchCondition

_ORDERS = {"$gt": operator.gt, "$gte": operator.ge, "$lt": operator.lt, "$lte": operator.le}


def passes(value: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return whether the fields of a value pass a filter."""
    return all(_is(_at(value, name), each) for name, each in wanted.items())


def matches(condition: MatchCondition, namespace: Sequence[str]) -> bool:
    """Return whether a namespace begins or ends with a path, in which `*` is any label."""
    path = condition.path
    if condition.match_type not in ("prefix", "suffix"):
        raise ValueError(f"Unsupported match type: {condition.match_type}")
    labels = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return len(namespace) >= len(path) and all(want in ("*", label) for label, want in zip(labels, path, strict=True))


def cosine(one: Sequence[float], other: Sequence[float]) -> float:
    """Return the cosine of two vectors, 0 where one of them is zero."""
    norms = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / norms if norms else 0.0


def _at(value: Any, name: str) -> Any:
    """Return the field of a name, which may lead through objects by dots."""
    if not isinstance(value, Mapping):
        return None
    if name in value or "." not in name:
        return value.get(name)
    head, _, rest = name.partition(".")
    return _at(value.get(head), rest)


def _is(value: Any, wanted: Any) -> bool:
    """Return whether a field matches a filter: operators with operands, an object in part, or a whole value."""
    if isinstance(wanted, Mapping):
        if any(str(name).startswith("$") for name in wanted):
            return all(_compared(value, name, each) for name, each in wanted.items())
        return isinstance(value, Mapping) and all(_is(value.get(name), each) for name, each in wanted.items())
    if isinstance(wanted, list | tuple):
        alike = isinstance(value, list) and len(value) == len(wanted)
        return alike and all(_is(own, each) for own, each in zip(value, wanted, strict=True))
    return bool(value == wanted) and isinstance(value, bool) == isinstance(wanted, bool)


def _compared(value: Any, name: str, wanted: Any) -> bool:
    if name in ("$eq", "$ne"):
        return _is(value, wanted) == (name == "$eq")
    if name not in _ORDERS:
        raise ValueError(f"Unsupported operator: {name}")
    try:
        return bool(_ORDERS[name](float(value), float(wanted)))
    except (TypeError, ValueError):
        return False
