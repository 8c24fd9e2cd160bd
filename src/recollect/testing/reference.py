"""What a store must answer, worked out plainly: filters by looking at each memory, BM25 by its formula."""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from recollect.filters import AnyOf, Condition, Filter, Logic, Meta, Tagged, Test
from recollect.models import Memory
from recollect.numeric import Floats, np

K1, B = 0.9, 0.4
SESSION_K1, SESSION_B = 1.2, 0.75

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


def passes(memory: Memory, where: Filter) -> bool:
    """Say whether the memory is inside the filter."""
    scope = memory.scope
    inside = where.user is None or scope.user == where.user or (where.shared and scope.user is None)
    return scope.org == where.org and inside and all(_holds(memory, condition) for condition in where.conditions)


def _holds(memory: Memory, condition: Condition) -> bool:
    if isinstance(condition, Test):
        return _test(memory, condition)
    if isinstance(condition, AnyOf):
        return any(all(_test(memory, test) for test in branch) for branch in condition.branches)
    if isinstance(condition, Tagged):
        found = [tag in memory.tags for tag in condition.tags]
        return all(found) if condition.every else any(found)
    return _meta(memory.metadata, condition)


def _test(memory: Memory, test: Test) -> bool:
    value = getattr(memory.scope if test.column in ("org", "user", "agent", "session") else memory, test.column)
    if test.value is None:
        return (value is None) == (test.op == "eq")
    if value is None:
        return test.or_null
    return value in test.value if test.op == "in" else _COMPARE[test.op](value, test.value)


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


def bm25(
    documents: Mapping[int, Sequence[str]], terms: Mapping[str, float], *, k1: float = K1, b: float = B
) -> dict[int, float]:
    """Return the BM25 score of each document (a number and its terms) that holds a term; one namespace's worth."""
    counts = {num: Counter(words) for num, words in documents.items()}
    mean = max(sum(map(len, documents.values())) / max(len(documents), 1), 1.0)
    scores: dict[int, float] = {}
    for term, weight in terms.items():
        holders = [num for num, count in counts.items() if count[term]]
        idf = math.log(1 + (len(documents) - len(holders) + 0.5) / (len(holders) + 0.5))
        for num in holders:
            tf = counts[num][term]
            gain = tf * (k1 + 1) / (tf + k1 * (1 - b + b * len(documents[num]) / mean))
            scores[num] = scores.get(num, 0.0) + weight * idf * gain
    return scores


def cosines(rows: Sequence[Sequence[float]] | Floats, vector: Sequence[float] | Floats) -> list[float]:
    """Return the cosine of each row with the vector, in double precision."""
    matrix, one = np.asarray(rows, dtype=np.float64), np.asarray(vector, dtype=np.float64)
    norms = np.linalg.norm(matrix, axis=1) * np.linalg.norm(one)
    return [float(value) for value in (matrix @ one) / np.where(norms == 0, 1.0, norms)]
