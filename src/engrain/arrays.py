"""numpy, loaded at its first use, so that `import engrain` stays light."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engrain.lazy import Later

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]
    Bytes = NDArray[np.int8]
    Ints = NDArray[np.int64]
    Mask = NDArray[np.bool_]
    Numbers = NDArray[np.float64]
else:
    np = Later("numpy")
    Floats = Bytes = Ints = Mask = Numbers = Any

__all__ = ["Bytes", "Floats", "Ints", "Mask", "Numbers", "distinct", "np", "places_of"]

_WIDE = 2**18  # from the lowest number to the highest: what a table may span


def distinct(*nums: Ints) -> Ints:
    """Return the row numbers in order, each once; -1 means no row and is left out."""
    together = np.concatenate([each.ravel() for each in nums])
    together = together[together >= 0]
    if not len(together):
        return together
    low, high = int(together.min()), int(together.max())
    if high - low < _WIDE:
        held = np.zeros(high - low + 1, np.bool_)
        held[together - low] = True
        return np.asarray(np.flatnonzero(held) + low, np.int64)
    together.sort()
    return np.asarray(together[np.append(True, together[1:] != together[:-1])])


def places_of(known: Ints, nums: Ints) -> Ints:
    """Return the place of each row number among the known ones, which hold them all; -1 for -1."""
    if not len(known):
        return np.full(nums.shape, -1, np.int64)
    low, span = int(known[0]), int(known[-1] - known[0])
    if span >= _WIDE:
        return np.asarray(np.where(nums >= 0, np.searchsorted(known, nums), -1), np.int64)
    places = np.empty(span + 2, np.int64)
    places[0] = -1
    places[known - (low - 1)] = np.arange(len(known))
    return places[np.maximum(nums - (low - 1), 0)]
