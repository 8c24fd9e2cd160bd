"""Search for many byte strings at once: `Needles.found_in` returns which are in a file, for proofs of erasure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any, Final

from engrain.lazy import np

LEAST = 6  # bytes: shorter ones are in any large file by chance
_AT_ONCE = 1 << 18  # bytes searched together: they fit in a processor's cache


class Needles:
    """Byte strings to search for; those shorter than `LEAST` are left out."""

    def __init__(self, traces: Iterable[bytes]) -> None:
        self._traces = frozenset(trace for trace in traces if len(trace) >= LEAST)
        self._by_start: dict[bytes, set[int]] = defaultdict(set)  # lengths by their first bytes
        for trace in self._traces:
            self._by_start[trace[:LEAST]].add(len(trace))
        self.longest: Final = max(map(len, self._traces), default=0)
        self._starts = np.array(sorted(map(int.from_bytes, self._by_start)), np.uint64)
        self._table = np.zeros(1 << 16, np.bool_)
        for start in self._by_start:
            self._table[_mixed(np.frombuffer(start, np.uint8))[0]] = True

    def __bool__(self) -> bool:
        return bool(self._by_start)

    def found_in(self, data: bytes | memoryview) -> frozenset[bytes]:
        """Return the byte strings that are in `data`; takes time linear in it."""
        found: set[bytes] = set()
        view, starts = memoryview(data), self._starts
        for start in range(0, len(view), _AT_ONCE):
            if not len(starts):
                break
            some = self._some(view[start : start + _AT_ONCE + self.longest - 1], starts)
            if some - found:  # strings that were found are not searched again
                found |= some
                starts = np.array(sorted({int.from_bytes(trace[:LEAST]) for trace in self._traces - found}), np.uint64)
        return frozenset(found)

    def _some(self, view: memoryview, wanted: Any) -> set[bytes]:
        if len(view) < LEAST:
            return set()
        each = np.frombuffer(view, np.uint8)
        places = np.flatnonzero(self._table[_mixed(each)[: len(each) - LEAST + 1]])
        starts = np.zeros(len(places), np.uint64)
        for offset in range(LEAST):
            starts = (starts << np.uint64(8)) | each[places + offset]
        at = np.minimum(np.searchsorted(wanted, starts), len(wanted) - 1)
        places = places[wanted[at] == starts]
        heres = (bytes(view[place : place + self.longest]) for place in places.tolist())
        return {here[:size] for here in heres for size in self._by_start[here[:LEAST]] if here[:size] in self._traces}


def _mixed(each: Any) -> Any:
    """Return a number for every three consecutive bytes, a filter that rules out most positions."""
    wide = each.astype(np.uint16)
    return wide[:-2] + wide[1:-1] * np.uint16(31) + wide[2:] * np.uint16(961)
