"""A small namespace's vectors as floats: scored exactly, without a second look at the file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from engrain.arrays import Floats, Ints, Mask, np
from engrain.stores import kernels
from engrain.stores.mirror import AT_ONCE, Mirror, grown

MOST = 2048  # rows; beyond, int8 is quicker to read through, and takes a quarter of the memory
_VECTORS = "SELECT v.num, x.v FROM vector v JOIN vector_exact x ON x.embedder = v.embedder AND x.num = v.num WHERE"


class Exact:
    """The vectors of one namespace by one embedder, as the file has them; rows without a vector are NaN."""

    def __init__(self, mirror: Mirror, embedder: int, dimensions: int) -> None:
        self._mirror = mirror
        self._embedder = embedder
        self._rows = np.zeros((0, dimensions), np.float32)
        self._upto = 0
        self._asked = b""
        self._cosines = np.zeros(0, np.float32)

    @property
    def held_bytes(self) -> int:
        """How much memory the vectors take."""
        return int(self._rows.nbytes)

    def refresh(self, connection: sqlite3.Connection, changed: Iterable[int] = ()) -> None:
        """Read the vectors of new rows and of those that changed."""
        self._asked = b""
        size, have = self._mirror.size, len(self._rows)
        if size > have:
            self._rows = grown(self._rows, max(size, int(have * 1.5)))
            self._rows[have:] = np.nan
        if self._mirror.last > self._upto:
            where, of = self._mirror.inside(self._upto)
            found = connection.execute(
                f"{_VECTORS} {where} AND v.embedder = ? AND v.num > ?", (*of, self._embedder, self._upto)
            )
            while rows := found.fetchmany(AT_ONCE):
                self._place(rows)
            self._upto = self._mirror.last
        for num in changed:
            places = self._mirror.places(np.array([num], np.int64))
            self._rows[places[places >= 0]] = np.nan
            one = f"{_VECTORS} ns = (SELECT ns FROM memory WHERE num = ?) AND v.embedder = ? AND v.num = ?"
            self._place(connection.execute(one, (num, self._embedder, num)).fetchall())

    def _place(self, found: list[tuple[int, bytes]]) -> None:
        if not found:
            return
        places = self._mirror.places(np.array([num for num, _ in found], np.int64))
        vectors = np.frombuffer(b"".join(v for _, v in found), np.float16).reshape(len(found), -1)
        known = places >= 0
        self._rows[places[known]] = vectors[known]

    def search(self, connection: sqlite3.Connection, query: Floats, mask: Mask, limit: int) -> tuple[Ints, Floats]:
        """Return the places of the nearest rows in the mask and their cosines, best first."""
        scores = self._scores(query)
        places = np.flatnonzero(mask & ~np.isnan(scores))
        top = places[kernels.best(scores[places], max(limit, 0))]
        return top, scores[top]

    def cosines(self, connection: sqlite3.Connection, places: Ints, query: Floats) -> Floats:
        """Return the cosine of each row, NaN where it has no vector."""
        return np.asarray(self._scores(query)[places])

    def _scores(self, query: Floats) -> Floats:
        asked = query.tobytes()
        if self._asked != asked:
            self._asked, self._cosines = asked, self._rows[: self._mirror.size] @ query
        return self._cosines
