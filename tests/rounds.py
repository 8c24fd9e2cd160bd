"""How much of random work and of large matrices a run does: a short form of all of it, or, asked for, the whole.

`scripts/test --whole` runs every round, every case of a matrix and what is marked `slow`.
"""

from __future__ import annotations

import os
from collections import defaultdict
from zlib import crc32

import pytest

WHOLE = os.environ.get("ENGRAIN_TEST_WHOLE") == "1"
PART = 4
"""The usual run does one in so many."""
MOST = 40
"""And of one matrix no more than so many."""


def rounds(whole: int) -> int:
    """Return how many of `whole` random examples this run tries."""
    return whole if WHOLE else -(-whole // PART)


def of_this_run(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return the tests of a run: of one marked `matrix` a quarter, at most `MOST`, spread by a hash of their names."""
    matrices: defaultdict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if not WHOLE and item.get_closest_marker("matrix") and not item.get_closest_marker("slow"):
            matrices[_matrix_of(item)].append(item)
    left = {case for cases in matrices.values() for case in set(cases) - set(quarter(cases)[:MOST])}
    return [item for item in items if item not in left]


def quarter(items: list[pytest.Item]) -> list[pytest.Item]:
    """Return a quarter of some tests, at least one, chosen by a hash of their names."""
    return sorted(items, key=lambda item: crc32(item.nodeid.encode()))[: rounds(len(items))]


def _matrix_of(item: pytest.Item) -> str:
    """Return what an item is a case of: its test, or, without parameters, the class that is marked as a whole."""
    test, parameters, _ = item.nodeid.partition("[")
    return test if parameters else test.rpartition("::")[0]
