"""Rows of the graph asked for by many values at once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TypeVar

from recollect.filters import Condition, Test
from recollect.protocols import Reader

R = TypeVar("R")
_AT_ONCE = 500


def among(
    reader: Reader, kind: type[R], column: str, values: Collection[int], *tests: Condition, order: str = "id"
) -> list[R]:
    """Return the rows of a kind whose column is one of the values and that pass the tests."""
    wanted, found = list(values), list[R]()
    for start in range(0, len(wanted), _AT_ONCE):
        some: Sequence[int] = tuple(wanted[start : start + _AT_ONCE])
        found += reader.find(kind, [Test(column, "in", some), *tests], order=order)
    return found
