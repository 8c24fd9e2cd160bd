"""The index of one namespace, or of all namespaces of an org: columns, masks, postings and vectors in memory."""

from __future__ import annotations

import json
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Hashable, Mapping, Sequence
from functools import cache
from importlib import import_module
from threading import Lock, RLock
from types import ModuleType
from typing import Any, ClassVar, Final

from engrain.lazy import Bytes, Floats, Ints, Mask, np
from engrain.storage.index import columns as column_arrays
from engrain.storage.index.columns import IndexChanges, IndexKey, IndexSource, NamespaceColumns, grown, packed
from engrain.storage.rows import Ranked, places_among

EXACT_UP_TO = 4096  # rows that are kept as floats; beyond, int8 is quicker to scan and takes a quarter of the memory
_RESCORED = 48  # the best by int8, whose order may be wrong
_FEW = 3  # if fewer than one row in this many passes, those are gathered first

# Of sketches:
SKETCHED_AT_ONCE = 4096  # vectors from which on the middle of a namespace's vectors is known well enough
_READ = 400  # of the likeliest, that are read and scored exactly
_READ_EACH = 2  # the same, for each requested row
_WEIGHED = 20  # rows whose bits are weighted, for each that is read
_BLOCK = 65536  # rows whose bits are counted at a time: they fit in the CPU's cache
_SAMPLE = 4096  # rows that serve to estimate in how many bits the nearest differ

Found = tuple[Ints, Floats]  # indices of rows, best first, and their cosines
SKETCHED_FROM = 200_000  # rows: a full scan of more takes too long and too much memory
_VIEWS = 64  # whose last state is cached
_SAVED = 10  # an index is saved from a tenth of the rows on from which it is sketched: fewer are read quickly
_OUTDATED = 5_000  # changes, or new rows, after which it is saved again
_OUTDATED_SHARE = 20  # the same, as one new row for this many
_ROOM = 1 << 30  # bytes that the indexes of a process may take
_AT_ONCE = 512  # rows converted to floats at a time: they fit in the CPU's cache
_MANY = 4096  # rows or scores from which on a costly setup is worthwhile
_SAMPLED = 16  # one score in this many is sampled to guess the cut of the best


class HeldVectors(ABC):
    """The vectors of a namespace by one embedder: the arrays `_parts`, and `_numbers`, NaN for a row without one."""

    _growth: ClassVar[float]

    def __init__(self, columns: NamespaceColumns, embedder: str, dimensions: int, parts: list[Any]) -> None:
        self.dimensions = dimensions
        self._columns, self._embedder, self._parts = columns, embedder, parts
        self._numbers = np.zeros(0, np.float32)
        self._upto = 0  # the last row whose vector was read
        self._asked = b""  # the query whose cosines are cached

    @property
    def held_bytes(self) -> int:
        """How much memory they take."""
        return int(self._numbers.nbytes + sum(part.nbytes for part in self._parts))

    @abstractmethod
    def search(self, source: IndexSource, query: Floats, mask: Mask, limit: int) -> Found:
        """Return the indices of the nearest rows in the mask and their cosines, best first."""

    @abstractmethod
    def cosines(self, source: IndexSource, places: Ints, query: Floats) -> Floats:
        """Return the cosine of each row, NaN where it has no vector."""

    @abstractmethod
    def _place(self, places: Ints, vectors: Floats) -> None:
        """Put vectors in their places."""

    def refresh(self, source: IndexSource, changed: Sequence[int] = ()) -> None:
        """Read the vectors of new rows and of those that changed."""
        self._asked = b""
        size, have = self._columns.size, len(self._numbers)
        if size > have:  # new rows have no vector
            room = max(size, int(have * self._growth))
            self._parts = [grown(part, room) for part in self._parts]
            self._numbers = grown(self._numbers, room)
            self._numbers[have:] = np.nan
        if changed:
            nums = np.array(changed, np.int64)
            places = self._columns.places(nums)
            self._numbers[places[places >= 0]] = np.nan
            self._put(*source.vectors_of(self._columns.key, self._embedder, nums[nums <= self._upto]))
        if self._columns.last > self._upto:
            key, after = self._columns.key, self._upto
            for nums, vectors in source.vectors(key, self._embedder, after, self._columns.namespaces_after(after)):
                self._put(nums, vectors)
            self._upto = self._columns.last

    def _existing(self, mask: Mask) -> Mask:
        return np.asarray(mask & ~np.isnan(self._numbers[: self._columns.size]))

    def _put(self, nums: Ints, vectors: Floats) -> None:
        places = self._columns.places(nums)
        known = places >= 0
        if known.any():
            self._place(places[known], vectors[known])

    def _exact(self, source: IndexSource, places: Ints, query: Floats) -> Floats:
        """Return the cosine of rows by the vectors in the store, NaN without one."""
        nums = self._columns["num"][places]
        scores = np.full(len(nums), np.nan, np.float32)
        found, vectors = source.vectors_of(self._columns.key, self._embedder, nums)
        if len(found):
            order = np.argsort(nums, kind="stable")
            scores[order[np.searchsorted(nums, found, sorter=order)]] = dots(vectors, query)
        return scores


class MatrixVectors(HeldVectors):
    """Vectors as one matrix: as in the store, or as int8; each row has a scale."""

    _growth = 1.5

    def __init__(self, columns: NamespaceColumns, embedder: str, dimensions: int, *, exact: bool) -> None:
        super().__init__(columns, embedder, dimensions, [np.zeros((0, dimensions), np.float32 if exact else np.int8)])
        self.exact = exact
        self._cosines, self._knows_all = np.zeros(0, np.float32), False

    def _place(self, places: Ints, vectors: Floats) -> None:
        self._parts[0][places], self._numbers[places] = (vectors, 1) if self.exact else quantise_rows(vectors)

    def search(self, source: IndexSource, query: Floats, mask: Mask, limit: int) -> Found:
        size, asked, allowed = self._columns.size, query.tobytes(), self._existing(mask)
        passing = int(np.count_nonzero(allowed))
        if not passing or limit <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        wanted = min(limit if self.exact else max(limit, _RESCORED), passing)
        if self.exact or passing * _FEW >= size:  # scoring all rows costs less than gathering those that pass
            if self._asked != asked or not self._knows_all:
                self._cosines, self._knows_all = self._scored(slice(size), query), True
            scores = self._cosines if passing == size else np.where(allowed, self._cosines, -np.inf)
            places = best(scores, wanted)
            scores = scores[places]
        else:
            places = np.flatnonzero(allowed)
            if self._asked != asked:
                self._cosines, self._knows_all, self._asked = np.full(size, np.nan, np.float32), False, asked
            scores = self._cosines[places] = self.cosines(source, places, query)
            top = best(scores, wanted)
            places, scores = places[top], scores[top]
        self._asked = asked
        if self.exact:
            return places, scores
        scores[:_RESCORED] = self._exact(source, places[:_RESCORED], query)
        scores[_RESCORED:] = np.minimum(scores[_RESCORED:], scores[:_RESCORED].min())  # never above an exact one
        order = np.lexsort((places, -scores))[:limit]
        return places[order], scores[order]

    def cosines(self, source: IndexSource, places: Ints, query: Floats) -> Floats:
        if self._asked != query.tobytes():
            return self._scored(places, query)
        known = self._cosines[places]  # the previous search has most of them
        rest = np.isnan(known)
        if rest.any():
            known[rest] = self._scored(places[rest], query)
        return known

    def _scored(self, places: Ints | slice, query: Floats) -> Floats:
        return np.asarray(dots(self._parts[0][places], query) * self._numbers[places])


class SketchedVectors(HeldVectors):
    """Vectors as one bit for each dimension: the side of the mean that it is on.

    A million vectors of 256 dimensions take 36 MB instead of 256. A search counts differing bits over every row that
    the mask admits, weights the bits of the best by the query, and reads the best of those. The number of a row is its
    dot product with the mean.
    """

    _growth = 1.1

    def __init__(self, columns: NamespaceColumns, embedder: str, dimensions: int, *, read: int = 0) -> None:
        super().__init__(columns, embedder, dimensions, [np.zeros(0, np.uint64) for _ in range(0, dimensions, 64)])
        self._read = read or _READ * max(1, 256 // dimensions)  # fewer bits distinguish less
        self._middle = self._spread = np.zeros(dimensions, np.float32)
        self._count = 0
        self._places, self._cosines = np.zeros(0, np.int64), np.zeros(0, np.float32)

    def refresh(self, source: IndexSource, changed: Sequence[int] = ()) -> None:
        if self._count < SKETCHED_AT_ONCE:  # too few to know the mean: sketch all existing ones again
            self._count = self._upto = 0
        super().refresh(source, changed)

    def _place(self, places: Ints, vectors: Floats) -> None:
        vectors = vectors.astype(np.float32)
        if not self._count:
            self._middle = vectors.mean(axis=0)
            self._spread = np.abs(vectors - self._middle).mean(axis=0)
        self._count += len(vectors)
        self._numbers[places] = dots(vectors, self._middle)
        for column, words in zip(self._parts, self._sketched(vectors), strict=True):
            column[places] = words

    def block(self) -> dict[str, bytes]:
        """Return the sketches of the existing rows as the parts of a block."""
        alive, size = self._columns.alive, self._columns.size
        arrays: dict[str, Any] = {"along": self._numbers[:size][alive], "middle": self._middle, "spread": self._spread}
        arrays["count"] = np.array([self._count])
        arrays |= {f"bits {place}": column[:size][alive] for place, column in enumerate(self._parts)}
        return {f"{self._embedder} {name}": packed(values) for name, values in arrays.items()}

    def restore(self, parts: Mapping[str, bytes]) -> None:
        """Load the sketches of a block whose rows the columns have loaded."""
        arrays = {
            name.removeprefix(f"{self._embedder} "): column_arrays.unpacked(data, self._columns.size).copy()
            for name, data in parts.items()
            if name.startswith(f"{self._embedder} ")
        }
        self._parts = [arrays[f"bits {place}"] for place in range(len(self._parts))]
        self._numbers, self._count, self._upto = arrays["along"], int(arrays["count"][0]), self._columns.last
        self._middle, self._spread = arrays["middle"], arrays["spread"]

    def _sketched(self, vectors: Floats) -> Ints:
        """Return the bits of vectors in words, one row a word."""
        packed = np.packbits(vectors > self._middle, axis=1)
        padded = np.zeros((len(vectors), 8 * len(self._parts)), np.uint8)
        padded[:, : packed.shape[1]] = packed
        return np.ascontiguousarray(padded.view(np.uint64).T)

    def search(self, source: IndexSource, query: Floats, mask: Mask, limit: int) -> Found:
        if limit <= 0:
            return np.zeros(0, np.int64), np.zeros(0, np.float32)
        wanted = max(self._read, _READ_EACH * limit)
        places = self._near(query, self._existing(mask), wanted * _WEIGHED)
        if len(places) > wanted:
            places = np.sort(places[np.argpartition(-self._weighed(query, places), wanted)[:wanted]])
        scores = self._exact(source, places, query)
        self._asked, self._places, self._cosines = query.tobytes(), places, scores
        order = np.argsort(-scores, kind="stable")[:limit]
        return places[order], scores[order]

    def _near(self, query: Floats, allowed: Mask, wanted: int) -> Ints:
        """Return at least `wanted` indices, those whose bits differ least from the query's."""
        passing, size = int(np.count_nonzero(allowed)), len(allowed)
        if passing <= wanted:
            return np.flatnonzero(allowed)
        if 4 * passing < size:
            places = np.flatnonzero(allowed)
            differing = self._differing(query, [column[places] for column in self._parts])
            return np.asarray(places[differing <= _cut(differing, wanted)])
        differing = self._differing(query, [column[:size] for column in self._parts])
        if passing < size:
            differing[~allowed] = np.iinfo(np.uint16).max
        return np.flatnonzero(differing <= _cut(differing, wanted))

    def _differing(self, query: Floats, columns: Sequence[Any]) -> Ints:
        words = self._sketched(query[None, :])[:, 0]
        differing = np.zeros(len(columns[0]), np.uint16)
        for start in range(0, len(differing), _BLOCK):
            block = differing[start : start + _BLOCK]
            for column, word in zip(columns, words, strict=True):
                block += np.bitwise_count(column[start : start + _BLOCK] ^ word)
        return np.asarray(differing)

    def _weighed(self, query: Floats, places: Ints) -> Floats:
        """Return the approximate cosine of rows: each bit is a step of its dimension from the mean."""
        steps = np.zeros(64 * len(self._parts), np.float32)
        steps[: len(query)] = (query - self._middle) * self._spread
        signs = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int8) * 2 - 1
        table = steps.reshape(-1, 8) @ signs.T  # by the index and the value of a byte of bits
        codes = np.stack([column[places] for column in self._parts], axis=1).view(np.uint8)
        steps_taken = table.ravel().take(codes + np.arange(len(table), dtype=np.int32) * 256)
        return np.asarray(steps_taken.sum(axis=1) + self._numbers[places], np.float32)

    def cosines(self, source: IndexSource, places: Ints, query: Floats) -> Floats:
        if self._asked != query.tobytes() or not len(self._places):
            return self._exact(source, places, query)
        known = (at := places_among(self._places, places)) >= 0  # the previous search has many of them
        out = np.where(known, self._cosines[at], np.float32(np.nan))
        out[~known] = self._exact(source, places[~known], query)
        return out


def _cut(differing: Ints, wanted: int) -> int:
    """Return the least number of differing bits that more rows than wanted have; a sample gives an estimate."""
    sample = np.sort(differing[:: max(1, len(differing) // _SAMPLE)])
    cut = int(sample[min(wanted * len(sample) // len(differing), len(sample) - 1)])
    while np.count_nonzero(differing <= cut) <= wanted:
        cut += 1
    while cut > 0 and np.count_nonzero(differing <= cut - 1) > wanted:
        cut -= 1
    return cut


class NamespaceIndex:
    """The index of a namespace or an org: hold `lock` from `refresh` on; from `sketched_from` rows on with sketches."""

    def __init__(self, key: IndexKey, sketched_from: int = SKETCHED_FROM) -> None:
        self.lock: Final = RLock()
        self.busy = False
        self.columns: Final = NamespaceColumns(key)
        self.masks: Final = column_arrays.MaskCache(self.columns)
        self.postings: Final = column_arrays.PostingLists(self.columns)
        self._sketched_from = sketched_from
        self._vectors: dict[str, HeldVectors] = {}
        self._seen: dict[Hashable, int] = {}  # states at which the contents were read, by view
        self._saved: column_arrays.IndexVersion | None = None  # of the block in the store, as far as is known here

    def refresh(self, source: IndexSource) -> bool:
        """Update the index to the state of a view; False, without a change, if the view is older than the index."""
        state = source.state
        if state is not None and self._seen.get(state[0]) == state[1]:
            return True
        try:
            if self.columns.version is None and self.columns.restore(parts := source.block(self.columns.key)):
                self.note_saved()
                for embedder, dimensions in json.loads(parts["sketched"]).items():
                    sketches = self._vectors[embedder] = SketchedVectors(self.columns, embedder, dimensions)
                    sketches.restore(parts)
            changes = source.changes_since(self.columns.key, self.columns.version)
            if changes is None:
                return False
            self._apply(source, changes)
        except BaseException:  # a part may have been applied: start again next time
            self.columns.reset()
            self._seen = {}
            raise
        if state is not None:
            self._seen[state[0]] = state[1]
        return True

    def note_saved(self) -> None:
        """Note that the store has a block of this state."""
        self._saved = self.columns.version

    @property
    def large(self) -> bool:
        """Whether the index is large enough to be saved."""
        columns = self.columns
        return columns.version is not None and not columns.of_org and columns.size * _SAVED >= self._sketched_from

    def outdated(self) -> bool:
        """Return whether enough has changed since a block was saved to save it again."""
        version, saved, size = self.columns.version, self._saved, self.columns.size
        if version is None or saved is None:
            return True
        changes = sum(seq - saved.changes.get(ns, 0) for ns, seq in version.changes.items())
        return changes > _OUTDATED or version.last_row - saved.last_row > max(_OUTDATED, size // _OUTDATED_SHARE)

    def block(self, source: IndexSource) -> Mapping[str, bytes] | None:
        """Return the index as a block; None if it is not exactly the state of a source."""
        changes = source.changes_since(self.columns.key, self.columns.version)
        if changes is None or changes.reloaded or changes.version != self.columns.version:
            return None
        sketches = {name: each for name, each in self._vectors.items() if isinstance(each, SketchedVectors)}
        parts = {"sketched": json.dumps({name: each.dimensions for name, each in sketches.items()}).encode()}
        for each in sketches.values():
            parts |= each.block()
        return self.columns.block() | parts

    def _apply(self, source: IndexSource, changes: IndexChanges) -> None:
        moves, seen, self._seen = self.columns.moves, self._seen, {}
        self.columns.apply(changes)
        texts = any(text for _, text, _ in changes.changed)
        if any(row is None for _, _, row in changes.changed):  # and the block with it
            self._saved = None
        if texts or changes.reloaded:
            self.postings.forget()
        small = self.columns.size <= EXACT_UP_TO
        for embedder, held in list(self._vectors.items()):
            if changes.reloaded or (isinstance(held, MatrixVectors) and held.exact != small):
                del self._vectors[embedder]
        changed = [num for num, _, _ in changes.changed] if texts else []
        for held in self._vectors.values():
            held.refresh(source, changed)
        if moves == self.columns.moves and len(seen) < _VIEWS:
            self._seen = seen  # all these views have the same state

    def vectors(self, source: IndexSource, embedder: str, dimensions: int) -> HeldVectors:
        """Return the vectors by one embedder, read on first use, in the form that suits their number."""
        held, size = self._vectors.get(embedder), self.columns.size
        if held is None or (size >= self._sketched_from and not isinstance(held, SketchedVectors)):
            if size >= self._sketched_from:
                held = SketchedVectors(self.columns, embedder, dimensions)
            else:
                held = MatrixVectors(self.columns, embedder, dimensions, exact=size <= EXACT_UP_TO)
            self._vectors[embedder] = held
            held.refresh(source)
        return held

    @property
    def held_bytes(self) -> int:
        """About how much memory it takes."""
        vectors = sum(held.held_bytes for held in self._vectors.values())
        return self.columns.held_bytes + self.postings.held_bytes + vectors


class IndexCache:
    """The indexes of a process; the least recently read are dropped when they exceed the memory limit."""

    def __init__(self, sketched_from: int = SKETCHED_FROM) -> None:
        self._sketched_from = sketched_from
        self._held: OrderedDict[IndexKey, NamespaceIndex] = OrderedDict()
        self._lock, self._reads = Lock(), 0

    def __call__(self, key: IndexKey) -> NamespaceIndex:
        with self._lock:
            found = self._held.get(key)
            if found is None:
                found = self._held[key] = NamespaceIndex(key, self._sketched_from)
            self._held.move_to_end(key)
            return found

    def large(self) -> list[NamespaceIndex]:
        """Return the indexes that are large enough to be saved."""
        with self._lock:
            return [index for index in self._held.values() if index.large]

    def trim(self) -> None:
        """Drop indexes above the limit; checked occasionally, since counting takes a while."""
        self._reads += 1
        if self._reads % 256:  # reads
            return
        with self._lock:
            total = sum(index.held_bytes for index in self._held.values())
            while total > _ROOM and len(self._held) > 1:
                _, oldest = self._held.popitem(last=False)
                total -= oldest.held_bytes


@cache
def _simd() -> ModuleType | None:
    try:
        return import_module("numkong")
    except ImportError:
        return None


def unit_vector(vector: Floats, dimensions: int) -> Floats:
    """Return a vector at length 1, zeros unchanged; one of other dimensions, or not finite, is a `ValueError`."""
    values = np.asarray(vector, np.float32)
    if values.shape != (dimensions,):
        raise ValueError(f"the vector has shape {values.shape}; this embedder's have {dimensions} dimensions")
    norm = float(np.linalg.norm(values))
    if not np.isfinite(norm):
        raise ValueError("the vector to compare with is not finite")
    return values / np.float32(norm) if norm > 0 else values


def quantise_rows(vectors: Floats) -> tuple[Bytes, Floats]:
    """Return rows of vectors as int8, and for each the factor that converts it back into floats."""
    values = vectors.astype(np.float32)
    peaks = np.abs(values).max(axis=1, initial=0.0, keepdims=True)
    factors = np.where(peaks > 0, 127 / np.where(peaks > 0, peaks, 1), 0)
    return np.rint(values * factors).astype(np.int8), (peaks[:, 0] / 127).astype(np.float32)


def dots(rows: Bytes | Floats, query: Floats) -> Floats:
    """Return each row's dot product with a float query, row by row, so that BLAS wakes no threads."""
    if rows.dtype == np.float32:
        return np.asarray(np.vecdot(rows, query))
    if rows.dtype == np.int8 and len(rows) >= _MANY and (simd := _simd()) is not None:
        exact, factors = quantise_rows(query[None, :])
        return np.asarray(simd.cdist(exact, rows, "dot")[0] * factors, np.float32)
    out = np.empty(len(rows), np.float32)
    for start in range(0, len(rows), _AT_ONCE):
        out[start : start + _AT_ONCE] = np.vecdot(rows[start : start + _AT_ONCE].astype(np.float32), query)
    return out


def best(scores: Floats, limit: int) -> Ints:
    """Return the indices of the `limit` highest scores, best first; equal scores keep their order."""
    if len(scores) > max(_MANY, _SAMPLED * limit):
        sample = scores[::_SAMPLED]  # from which the cut is estimated
        rank = len(sample) - min(2 * limit // _SAMPLED + 8, len(sample))
        places = np.flatnonzero(scores >= np.partition(sample, rank)[rank])
        if len(places) >= limit:
            return np.asarray(places[_best(scores[places], limit)], np.int64)
    return _best(scores, limit)


def _best(scores: Floats, limit: int) -> Ints:
    if limit < len(scores):
        cut = np.partition(scores, len(scores) - limit)[len(scores) - limit]
        places = np.flatnonzero(scores >= cut)  # ties at the cut included, so that the order decides between them
    else:
        places = np.arange(len(scores))
    return np.asarray(places[np.argsort(-scores[places], kind="stable")[:limit]], np.int64)


def merged(found: Sequence[tuple[Ints, Floats]], limit: int) -> Ranked:
    """Return the best of several scoring as one; equal scores are in the order of the rows."""
    if not found:
        return Ranked(np.zeros(0, np.int64), np.zeros(0, np.float32))
    nums, scores = np.concatenate([n for n, _ in found]), np.concatenate([s for _, s in found])
    if len(found) > 1:
        order = np.lexsort((nums, -scores))[:limit]
        nums, scores = nums[order], scores[order]
    return Ranked(nums, scores)
