"""BM25 over a namespace's postings, with the posting lists of recent questions kept as arrays.

score(d) = sum over terms of w * idf * tf (k1 + 1) / (tf + k1 (1 - b + b len(d) / avg)), idf = ln(1 + (n - df + .5) /
(df + .5)), where n, df and avg are those of the namespace (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009).
"""

from __future__ import annotations

import math
import sqlite3
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass

from recollect.numeric import Floats, Ints, Mask, np
from recollect.stores.mirror import Mirror

K1, B = 0.9, 0.4  # short texts want little length normalisation
SESSION_K1, SESSION_B = 1.2, 0.75  # a session is a long document
_ROOM = 4_000_000  # postings kept per namespace, 8 bytes each


@dataclass(slots=True)
class _List:
    rows: Ints
    counts: Floats
    upto: int


def idf(documents: int, frequency: int) -> float:
    """Return how telling a term is: the less frequent, the more."""
    return math.log(1 + (documents - frequency + 0.5) / (frequency + 0.5))


class Lexicon:
    """The posting lists of one namespace, read when first asked for and extended as rows are added."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._lists: OrderedDict[str, _List] = OrderedDict()
        self._held = 0

    @property
    def held_bytes(self) -> int:
        """About how much memory the lists take."""
        return self._held * 8

    def forget(self) -> None:
        """Drop every list, because some text changed."""
        self._lists.clear()
        self._held = 0

    def postings(self, connection: sqlite3.Connection, term: str) -> _List:
        """Return the rows (by place in the mirror) that hold the term, and how often."""
        mirror = self._mirror
        known = self._lists.get(term)
        if known is not None and known.upto >= mirror.last:
            self._lists.move_to_end(term)
            return known
        since = known.upto if known else 0
        found = connection.execute(
            "SELECT num, count FROM posting WHERE ns = ? AND term = ? AND num > ? ORDER BY num",
            (mirror.namespace, term, since),
        ).fetchall()
        nums = np.array([num for num, _ in found], np.int64)
        places = mirror.places(nums)
        counts = np.array([count for _, count in found], np.float32)[places >= 0]
        places = places[places >= 0].astype(np.int32)
        if known:
            places, counts = np.concatenate((known.rows, places)), np.concatenate((known.counts, counts))
        self._held += len(found)
        entry = self._lists[term] = _List(places, counts, max(mirror.last if not found else int(nums[-1]), since))
        self._lists.move_to_end(term)
        while self._held > _ROOM and len(self._lists) > 1:
            self._held -= len(self._lists.popitem(last=False)[1].rows)
        return entry

    def scores(self, connection: sqlite3.Connection, terms: Mapping[str, float]) -> Floats:
        """Return the BM25 score of every row of the namespace."""
        lengths, documents = self._mirror["length"], self._mirror.count
        total = np.zeros(self._mirror.size, np.float32)
        average = max(float(lengths.sum()) / max(documents, 1), 1.0)
        for term, weight in terms.items():
            found = self.postings(connection, term)
            if not len(found.rows):
                continue
            norm = K1 * (1 - B + B / average * lengths[found.rows])
            gain = found.counts * (K1 + 1) / (found.counts + norm)
            total[found.rows] += (weight * idf(documents, len(found.rows)) * gain).astype(np.float32)
        return total

    def session_scores(self, connection: sqlite3.Connection, terms: Mapping[str, float], mask: Mask) -> Floats:
        """Return the BM25 score of each session (by code) as one document made of the rows in the mask."""
        codes = self._mirror["session"]
        count = len(self._mirror.codes["session"])
        inside = mask & (codes >= 0)
        lengths = np.bincount(codes[inside], self._mirror["length"][inside], minlength=count)
        sessions = max(int((lengths > 0).sum()), 1)
        average = max(float(lengths.sum()) / sessions, 1.0)
        total = np.zeros(count, np.float32)
        for term, weight in terms.items():
            found = self.postings(connection, term)
            keep = inside[found.rows]
            if not keep.any():
                continue
            counts = np.bincount(codes[found.rows[keep]], found.counts[keep], minlength=count)
            norm = SESSION_K1 * (1 - SESSION_B + SESSION_B / average * lengths)
            gain = counts * (SESSION_K1 + 1) / (counts + norm)
            total += (weight * idf(sessions, int((counts > 0).sum())) * gain).astype(np.float32)
        return total
