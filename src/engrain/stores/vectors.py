"""A namespace's vectors as one int8 matrix, row by row beside the mirror's columns."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from engrain.arrays import Floats, Ints, Mask, np
from engrain.stores import kernels
from engrain.stores.mirror import AT_ONCE, Mirror, grown

_RESCORED = 48  # the best by int8, which may have misplaced them, are scored again from float16
_CHUNK = 500
_FEW = 3  # where less than one row in so many passes, those are brought together first


class Matrix:
    """The vectors of one namespace by one embedder; rows without a vector have scale 0."""

    def __init__(self, mirror: Mirror, embedder: int, dimensions: int) -> None:
        self._mirror = mirror
        self._embedder = embedder
        self._rows = np.zeros((0, dimensions), np.int8)
        self._scales = np.full(0, np.nan, np.float32)
        self._upto = 0
        self._asked = b""
        self._cosines = np.zeros(0, np.float32)

    @property
    def held_bytes(self) -> int:
        """How much memory the matrix takes."""
        return int(self._rows.nbytes + self._scales.nbytes)

    def refresh(self, connection: sqlite3.Connection, changed: Iterable[int] = ()) -> None:
        """Read the vectors of new rows and of those that changed."""
        self._asked = b""
        size, have = self._mirror.size, len(self._scales)
        if size > have:
            room = max(size, int(have * 1.5))
            self._rows = grown(self._rows, room)
            self._scales = grown(self._scales, room)
            self._scales[have:] = np.nan
        vectors = "SELECT num, scale, q FROM vector WHERE"
        if self._mirror.last > self._upto:
            where, of = self._mirror.inside(self._upto)
            found = connection.execute(
                f"{vectors} {where} AND embedder = ? AND num > ?", (*of, self._embedder, self._upto)
            )
            while rows := found.fetchmany(AT_ONCE):
                self._place(rows)
            self._upto = self._mirror.last
        for num in changed:
            places = self._mirror.places(np.array([num], np.int64))
            self._scales[places[places >= 0]] = np.nan
            one = f"{vectors} ns = (SELECT ns FROM memory WHERE num = ?) AND embedder = ? AND num = ?"
            self._place(connection.execute(one, (num, self._embedder, num)).fetchall())

    def _place(self, found: list[tuple[int, float, bytes]]) -> None:
        if not found:
            return
        places = self._mirror.places(np.array([num for num, _, _ in found], np.int64))
        vectors = np.frombuffer(b"".join(q for _, _, q in found), np.int8).reshape(len(found), -1)
        known = places >= 0
        self._rows[places[known]] = vectors[known]
        self._scales[places[known]] = np.array([scale for _, scale, _ in found], np.float32)[known]

    def search(self, connection: sqlite3.Connection, query: Floats, mask: Mask, limit: int) -> tuple[Ints, Floats]:
        """Return the places of the nearest rows in the mask and their cosines, best first."""
        size = self._mirror.size
        allowed = mask & ~np.isnan(self._scales[:size])
        places = np.flatnonzero(allowed)
        if not len(places) or limit <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        if len(places) * _FEW < size:
            self._cosines = np.full(size, np.nan, np.float32)
            scores = self._cosines[places] = kernels.dots(self._rows[places], query) * self._scales[places]
            top = kernels.best(scores, max(limit, _RESCORED))
            places, scores = places[top], scores[top]
        else:  # most rows pass: to score them all is less than to bring those together
            self._cosines = kernels.dots(self._rows[:size], query) * self._scales[:size]
            scores = self._cosines if len(places) == size else np.where(allowed, self._cosines, -np.inf)
            places = kernels.best(scores, min(max(limit, _RESCORED), len(places)))
            scores = scores[places]
        self._asked = query.tobytes()
        scores[:_RESCORED] = self._exact(connection, places[:_RESCORED], query)
        scores[_RESCORED:] = np.minimum(scores[_RESCORED:], scores[:_RESCORED].min())  # never past one known exactly
        order = np.lexsort((places, -scores))[:limit]
        return places[order], scores[order]

    def cosines(self, connection: sqlite3.Connection, places: Ints, query: Floats) -> Floats:
        """Return the cosine of each row, NaN where it has no vector."""
        if self._asked != query.tobytes() or len(self._cosines) != self._mirror.size:
            return self._dots(places, query)
        known = self._cosines[places]  # the search that went before has most of them
        rest = np.isnan(known)
        if rest.any():
            known[rest] = self._dots(places[rest], query)
        return known

    def _dots(self, places: Ints, query: Floats) -> Floats:
        return np.asarray(self._rows[places].astype(np.float32) @ query * self._scales[places], np.float32)

    def _exact(self, connection: sqlite3.Connection, places: Ints, query: Floats) -> Floats:
        nums = self._mirror["num"][places]
        scores = np.empty(len(nums), np.float32)
        for start in range(0, len(nums), _CHUNK):
            some = nums[start : start + _CHUNK].tolist()
            found = dict(
                connection.execute(
                    f"SELECT num, v FROM vector_exact WHERE embedder = ? AND num IN ({','.join('?' * len(some))})",
                    (self._embedder, *some),
                ).fetchall()
            )
            rows = np.frombuffer(b"".join(found[num] for num in some), np.float16).reshape(len(some), -1)
            scores[start : start + _CHUNK] = rows.astype(np.float32) @ query
        return scores
