"""The arithmetic under a search: unit vectors, int8 dot products, the best k of an array and of several.

With the `fast` extra the dot products run on the CPU's int8 instructions; without it numpy does them in blocks.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from types import ModuleType

from engrain.arrays import Bytes, Floats, Ints, np
from engrain.storage.rows import Ranked

_BLOCK = 4096  # rows turned to floats at a time: they stay in the CPU's cache
_SAMPLED = 16  # of so many scores one is looked at to guess where the best begin


@cache
def _simd() -> ModuleType | None:
    try:
        return import_module("numkong")
    except ImportError:
        return None


def unit(vector: Floats, dimensions: int) -> Floats:
    """Return a vector at length 1, zeros as they are; one of other dimensions is a `ValueError`."""
    values = np.asarray(vector, np.float32)
    if values.shape != (dimensions,):
        raise ValueError(f"the vector has shape {values.shape}; this embedder's have {dimensions} dimensions")
    norm = float(np.linalg.norm(values))
    return values / np.float32(norm) if norm > 0 else values


def quantise(vector: Floats) -> tuple[Bytes, float]:
    """Return a vector as int8 and the factor that turns it back into floats; zeros stay zeros."""
    peak = float(np.abs(vector).max(initial=0.0))
    if peak == 0.0:
        return np.zeros(len(vector), np.int8), 0.0
    return np.rint(vector * (127.0 / peak)).astype(np.int8), peak / 127.0


def quantise_rows(vectors: Floats) -> tuple[Bytes, Floats]:
    """Return rows of vectors as int8, and for each the factor that turns it back into floats."""
    values = vectors.astype(np.float32)
    peaks = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    factors = np.where(peaks > 0, 127 / np.where(peaks > 0, peaks, 1), 0)
    return np.rint(values * factors).astype(np.int8), (peaks[:, 0] / 127).astype(np.float32)


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
    if len(scores) > max(_BLOCK, _SAMPLED * limit):
        places = _promising(scores, limit)
        return np.asarray(places[_best(scores[places], limit)], np.int64)
    return _best(scores, limit)


def _best(scores: Floats, limit: int) -> Ints:
    if limit < len(scores):
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= cut)  # ties at the cut included, so that the order decides and not the luck
    else:
        places = np.arange(len(scores))
    order = np.argsort(-scores[places], kind="stable")[:limit]
    return np.asarray(places[order], np.int64)


def _promising(scores: Floats, limit: int) -> Ints:
    """Return places among which the `limit` highest scores are, by a cut that a sample of the scores suggests."""
    sample = scores[::_SAMPLED]
    rank = len(sample) - min(2 * limit // _SAMPLED + 8, len(sample))
    places = np.flatnonzero(scores >= np.partition(sample, rank)[rank])
    return places if len(places) >= limit else np.arange(len(scores))


def merged(found: Sequence[tuple[Ints, Floats]], limit: int) -> Ranked:
    """Return the best of several rankings as one; equal scores come in the order of the rows."""
    if not found:
        return Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))
    nums, scores = np.concatenate([n for n, _ in found]), np.concatenate([s for _, s in found])
    if len(found) > 1:
        order = np.lexsort((nums, -scores))[:limit]
        nums, scores = nums[order], scores[order]
    return Ranked(nums, scores)
