"""The arithmetic under a search: int8 dot products and the best k of an array.

With the `fast` extra the dot products run on the CPU's int8 instructions; without it numpy does them in blocks.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from types import ModuleType

from recollect.numeric import Bytes, Floats, Ints, np

_BLOCK = 4096  # rows turned to floats at a time: they stay in the CPU's cache


@cache
def _simd() -> ModuleType | None:
    try:
        return import_module("numkong")
    except ImportError:
        return None


def quantise(vector: Floats) -> tuple[Bytes, float]:
    """Return a vector as int8 and the factor that turns it back into floats; zeros stay zeros."""
    peak = float(np.abs(vector).max(initial=0.0))
    if peak == 0.0:
        return np.zeros(len(vector), np.int8), 0.0
    return np.rint(vector * (127.0 / peak)).astype(np.int8), peak / 127.0


def dots(rows: Bytes, query: Floats) -> Floats:
    """Return the dot product of each int8 row with a float query."""
    simd = _simd()
    if simd is not None and len(rows) >= _BLOCK:
        exact, factor = quantise(query)
        products = np.asarray(simd.cdist(exact.reshape(1, -1), rows, "dot"))[0]
        return np.asarray(products * factor, np.float32)
    out = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _BLOCK):
        out[start : start + _BLOCK] = rows[start : start + _BLOCK].astype(np.float32) @ query
    return out


def best(scores: Floats, limit: int) -> Ints:
    """Return the places of the `limit` highest scores, best first; equal scores keep their order."""
    if limit < len(scores):
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= cut)  # ties at the cut included, so that the order decides and not the luck
    else:
        places = np.arange(len(scores))
    order = np.argsort(-scores[places], kind="stable")[:limit]
    return np.asarray(places[order], np.int64)
