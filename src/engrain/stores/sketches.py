"""A large namespace's vectors as sketches: one bit for each dimension, which side of the middle it is on.

A million vectors of 256 dimensions take 36 MB instead of 256. A search counts differing bits over every row that the
mask lets through, weighs the bits of the best by the query, and reads the best of those from the file in 16 bits. So
nothing is derived that the file would have to keep in step, and what comes back has its exact cosine.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Any

from engrain.arrays import Bytes, Floats, Ints, Mask, np
from engrain.stores.mirror import AT_ONCE, Mirror, grown

_READ = 400  # of the likeliest, read from the file and scored exactly
_READ_EACH = 2  # the same, for each row asked for
_WEIGHED = 20  # rows whose bits are weighed, for each that is read
_BLOCK = 65536  # rows whose bits are counted at a time: they stay in the CPU's cache
_SAMPLE = 4096  # rows that tell about how many bits the nearest differ in
_CHUNK = 500


class Sketches:
    """The sketches of one namespace's vectors by one embedder, row by row beside the mirror's columns."""

    def __init__(self, mirror: Mirror, embedder: int, dimensions: int, *, read: int = 0) -> None:
        self._mirror = mirror
        self._embedder = embedder
        self._read = read or _READ * max(1, 256 // dimensions)  # fewer bits say less
        self._bits = [np.zeros(0, np.uint64) for _ in range(0, dimensions, 64)]
        self._along = np.full(0, np.nan, np.float32)  # dot product with the middle; NaN without a vector
        self._middle = self._spread = np.zeros(dimensions, np.float32)
        self._count = self._upto = 0
        self._asked = b""
        self._places, self._cosines = np.zeros(0, np.int64), np.zeros(0, np.float32)

    @property
    def held_bytes(self) -> int:
        """How much memory the sketches take."""
        return int(self._along.nbytes + sum(column.nbytes for column in self._bits))

    # -------------------------------------------------------------------------------------------------------- freshness

    def refresh(self, connection: sqlite3.Connection, changed: Iterable[int] = ()) -> None:
        """Sketch the vectors of new rows and of those that changed."""
        self._asked = b""
        size, have = self._mirror.size, len(self._along)
        if size > have:
            room = max(size, int(have * 1.1))
            self._bits = [grown(column, room) for column in self._bits]
            self._along = grown(self._along, room)
            self._along[have:] = np.nan
        vectors = "SELECT num, scale, q FROM vector WHERE"
        for num in changed:
            places = self._mirror.places(np.array([num], np.int64))
            self._along[places[places >= 0]] = np.nan
            if self._count >= AT_ONCE:
                one = f"{vectors} ns = (SELECT ns FROM memory WHERE num = ?) AND embedder = ? AND num = ?"
                self._place(connection.execute(one, (num, self._embedder, num)).fetchall())
        if self._count < AT_ONCE:  # too few to say where the middle is: begin again with those that have come since
            self._count = self._upto = 0
        if self._mirror.last > self._upto:
            where, of = self._mirror.inside(self._upto)
            found = connection.execute(
                f"{vectors} {where} AND embedder = ? AND num > ?", (*of, self._embedder, self._upto)
            )
            while rows := found.fetchmany(AT_ONCE):
                self._place(rows)
            self._upto = self._mirror.last

    def _place(self, found: list[tuple[int, float, bytes]]) -> None:
        if not found:
            return
        places = self._mirror.places(np.array([num for num, _, _ in found], np.int64))
        whole = np.frombuffer(b"".join(q for _, _, q in found), np.int8).reshape(len(found), -1)
        vectors = whole * np.array([scale for _, scale, _ in found], np.float32)[:, None]
        if not self._count:
            self._middle = vectors.mean(axis=0)
            self._spread = np.abs(vectors - self._middle).mean(axis=0)
        self._count += len(found)
        known = places >= 0
        places, vectors = places[known], vectors[known]
        self._along[places] = np.einsum("ij,j->i", vectors, self._middle)  # without the threads of a matrix product
        for column, words in zip(self._bits, self._sketched(vectors), strict=True):
            column[places] = words

    def _sketched(self, vectors: Floats) -> Ints:
        """Return the bits of vectors in words, one row a word."""
        packed = np.packbits(vectors > self._middle, axis=1)
        padded = np.zeros((len(vectors), 8 * len(self._bits)), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return np.ascontiguousarray(padded.view(np.uint64).T)

    # ---------------------------------------------------------------------------------------------------------- reading

    def search(self, connection: sqlite3.Connection, query: Floats, mask: Mask, limit: int) -> tuple[Ints, Floats]:
        """Return the places of the nearest rows in the mask and their cosines, best first."""
        if limit <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        wanted = max(self._read, _READ_EACH * limit)
        places = self._near(query, mask & ~np.isnan(self._along[: self._mirror.size]), wanted * _WEIGHED)
        if len(places) > wanted:
            weights = self._weighed(query, places)
            places = np.sort(places[np.argpartition(-weights, wanted)[:wanted]])
        scores = self._exact(connection, places, query)
        self._asked, self._places, self._cosines = query.tobytes(), places, scores
        order = np.argsort(-scores, kind="stable")[:limit]
        return places[order], scores[order]

    def _near(self, query: Floats, allowed: Mask, wanted: int) -> Ints:
        """Return at least as many places as wanted, those whose bits differ least from the query's."""
        passing, size = int(np.count_nonzero(allowed)), len(allowed)
        if passing <= wanted:
            return np.flatnonzero(allowed)
        if 4 * passing < size:
            places = np.flatnonzero(allowed)
            differing = self._differing(query, [column[places] for column in self._bits])
            return np.asarray(places[differing <= _cut(differing, wanted)])
        differing = self._differing(query, [column[:size] for column in self._bits])
        if passing < size:
            differing[~allowed] = np.iinfo(np.uint16).max
        return np.flatnonzero(differing <= _cut(differing, wanted))

    def _differing(self, query: Floats, columns: Sequence[Any]) -> Ints:
        """Return in how many bits each row differs from the query's."""
        words = self._sketched(query[None, :])[:, 0]
        differing = np.zeros(len(columns[0]), np.uint16)
        for start in range(0, len(differing), _BLOCK):
            block = differing[start : start + _BLOCK]
            for column, word in zip(columns, words, strict=True):
                block += np.bitwise_count(column[start : start + _BLOCK] ^ word)
        return np.asarray(differing)

    def _weighed(self, query: Floats, places: Ints) -> Floats:
        """Return about the cosine of rows: each bit stands for a step of its dimension off the middle."""
        steps = np.zeros(64 * len(self._bits), np.float32)
        steps[: len(query)] = (query - self._middle) * self._spread
        table = steps.reshape(-1, 8) @ _signs().T  # by the place and the value of a byte of bits
        codes = np.stack([column[places] for column in self._bits], axis=1).view(np.uint8)
        steps_taken = table.ravel().take(codes + np.arange(len(table), dtype=np.int32) * 256)
        return np.asarray(steps_taken.sum(axis=1) + self._along[places], np.float32)

    def cosines(self, connection: sqlite3.Connection, places: Ints, query: Floats) -> Floats:
        """Return the cosine of each row, NaN where it has no vector."""
        if self._asked != query.tobytes() or not len(self._places):
            return self._exact(connection, places, query)
        at = np.minimum(np.searchsorted(self._places, places), len(self._places) - 1)
        known = self._places[at] == places  # the search that went before has many of them
        out = np.where(known, self._cosines[at], np.float32(np.nan))
        out[~known] = self._exact(connection, places[~known], query)
        return out

    def _exact(self, connection: sqlite3.Connection, places: Ints, query: Floats) -> Floats:
        nums = self._mirror["num"][places]
        scores = np.full(len(nums), np.nan, np.float32)
        for start in range(0, len(nums), _CHUNK):
            some = nums[start : start + _CHUNK].tolist()
            found = dict(
                connection.execute(
                    f"SELECT num, v FROM vector_exact WHERE embedder = ? AND num IN ({','.join('?' * len(some))})",
                    (self._embedder, *some),
                ).fetchall()
            )
            rows = np.frombuffer(b"".join(found[num] for num in some if num in found), np.float16)
            have = [start + place for place, num in enumerate(some) if num in found]
            scores[have] = rows.reshape(len(have), len(query)).astype(np.float32) @ query
        return scores


def _cut(differing: Ints, wanted: int) -> int:
    """Return the least number of bits in which more rows than wanted differ; a sample tells about where it is."""
    sample = np.sort(differing[:: max(1, len(differing) // _SAMPLE)])
    cut = int(sample[min(wanted * len(sample) // len(differing), len(sample) - 1)])
    while np.count_nonzero(differing <= cut) <= wanted:
        cut += 1
    while cut > 0 and np.count_nonzero(differing <= cut - 1) > wanted:
        cut -= 1
    return cut


def _signs() -> Bytes:
    """Return +1 or -1 for each bit of each value of a byte."""
    every = np.arange(256, dtype=np.uint8)[:, None]
    return np.unpackbits(every, axis=1).astype(np.int8) * 2 - 1
