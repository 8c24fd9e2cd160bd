"""BM25 over a namespace's postings, with the posting lists of recent questions kept as arrays.

score(d) = sum over terms of w * idf * tf (k1 + 1) / (tf + k1 (1 - b + b len(d) / avg)), idf = ln(1 + (n - df + .5) /
(df + .5)), where n, df and avg are those of the namespace (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009).
"""

from __future__ import annotations

import sqlite3
from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.arrays import Floats, Ints, Numbers, np
from engrain.stores.masks import Sessions
from engrain.stores.mirror import Mirror

K1, B = 0.9, 0.4  # short texts want little length normalisation
SESSION_K1, SESSION_B = 1.2, 0.75  # a session is a long document
_AT_ONCE = 100  # terms asked for at once
# A list comes as two texts: to make a Python object of each of its numbers would take twice as long.
_WHOLE = "SELECT json_group_array(num), json_group_array(count)"
_BY_TERM = "SELECT term, json_group_array(num), json_group_array(count)"
_ROOM = 4_000_000  # postings kept per namespace, 12 bytes each


@dataclass(slots=True)
class _List:
    """The rows that hold a term, how often, and, as of a state of the mirror, what that adds to the score of each."""

    rows: Ints
    counts: Floats
    upto: int
    impacts: Floats | None = None
    state: tuple[int, int] = (-1, -1)


def idf(documents: Numbers, frequency: Ints | Numbers) -> Numbers:
    """Return how telling a term is: the less frequent, the more."""
    return np.asarray(np.log(1 + (documents - frequency + 0.5) / (frequency + 0.5)))


class Lexicon:
    """The posting lists of one namespace, read when first asked for and extended as rows are added."""

    def __init__(self, mirror: Mirror) -> None:
        self._mirror = mirror
        self._lists: OrderedDict[str, _List] = OrderedDict()
        self._held = 0

    @property
    def held_bytes(self) -> int:
        """About how much memory the lists take."""
        return self._held * 12

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
        where, of = mirror.inside(since)
        listed = f"SELECT num, count FROM posting WHERE {where} AND term = ? AND num > ? ORDER BY num"
        nums, counts = connection.execute(f"{_WHOLE} FROM ({listed})", (*of, term, since)).fetchone()
        return self._extended(term, known, _numbers(nums, np.int64), _numbers(counts, np.float32))

    def _extended(self, term: str, known: _List | None, nums: Ints, counts: Floats) -> _List:
        """Keep the list of a term with the postings found after those that it had."""
        mirror, since = self._mirror, known.upto if known else 0
        places = mirror.places(nums)
        counts = counts[places >= 0]
        places = places[places >= 0].astype(np.int32)
        if known:
            places, counts = np.concatenate((known.rows, places)), np.concatenate((known.counts, counts))
        self._held += len(nums)
        entry = self._lists[term] = _List(places, counts, max(int(nums[-1]) if len(nums) else mirror.last, since))
        self._lists.move_to_end(term)
        while self._held > _ROOM and len(self._lists) > 1:
            self._held -= len(self._lists.popitem(last=False)[1].rows)
        return entry

    def prepare(self, connection: sqlite3.Connection, terms: Iterable[str]) -> None:
        """Read the lists of terms that are new in one go: in each namespace they lie side by side."""
        strange = [term for term in dict.fromkeys(terms) if term not in self._lists]
        if not strange:
            return
        where, of = self._mirror.inside()
        rows: dict[str, tuple[Ints, Floats]] = {}
        for start in range(0, len(strange), _AT_ONCE):
            some = strange[start : start + _AT_ONCE]
            listed = f"SELECT term, num, count FROM posting WHERE {where} AND term IN ({','.join('?' * len(some))})"
            for term, nums, counts in connection.execute(f"{_BY_TERM} FROM ({listed}) GROUP BY term", (*of, *some)):
                rows[term] = _numbers(nums, np.int64), _numbers(counts, np.float32)
        for term in strange:
            nums, counts = rows.get(term, (np.zeros(0, np.int64), np.zeros(0, np.float32)))
            order = np.argsort(nums, kind="stable")  # they come namespace by namespace
            self._extended(term, None, nums[order], counts[order])

    def scores(self, connection: sqlite3.Connection, terms: Mapping[str, float]) -> Floats:
        """Return the BM25 score of every row of the namespace."""
        total = np.zeros(self._mirror.size, np.float32)
        for term, weight in terms.items():
            found = self.postings(connection, term)
            if len(found.rows):
                impacts = self._impacts(found)
                total[found.rows] += impacts if weight == 1 else impacts * np.float32(weight)
        return total

    def _impacts(self, found: _List) -> Floats:
        """Return what the term adds to the score of each row that holds it; worked out again when anything changed."""
        if found.impacts is None or found.state != self._mirror.state:
            documents, lengths = self._mirror.totals()
            parts: Any = self._mirror["ns"][found.rows] if self._mirror.crowded else 0
            holding = np.bincount(parts, minlength=len(documents)) if self._mirror.crowded else len(found.rows)
            averages = np.maximum(lengths / np.maximum(documents, 1), 1.0)
            telling = idf(documents, np.asarray(holding))
            norm = K1 * (1 - B) + (K1 * B / averages)[parts] * self._mirror["length"][found.rows]
            found.impacts = (telling[parts] * (found.counts * (K1 + 1) / (found.counts + norm))).astype(np.float32)
            found.state = self._mirror.state
        return found.impacts

    def term_scores(self, connection: sqlite3.Connection, terms: Sequence[str], places: Ints) -> Floats:
        """Return what each of the terms (by row) adds to the BM25 score of each of the places (by column)."""
        columns = np.zeros(self._mirror.size, np.int32)  # 0 for the rows that nobody asks for
        columns[places] = np.arange(1, len(places) + 1)
        out = np.zeros((len(terms), len(places) + 1), np.float32)
        for row, term in zip(out, terms, strict=True):
            found = self.postings(connection, term)
            row[columns[found.rows]] = self._impacts(found)
        return out.take(columns[places], axis=1)

    def session_scores(
        self, connection: sqlite3.Connection, terms: Mapping[str, float], sessions: Sessions, asked: Ints
    ) -> Floats:
        """Return the BM25 score of each session asked for (by code) as one document made of the rows that pass."""
        wanted = np.flatnonzero(np.bincount(asked, minlength=len(sessions.lengths)))
        columns = np.full(len(sessions.lengths) + 1, len(wanted), np.int32)
        columns[wanted] = np.arange(len(wanted))
        lengths, parts = sessions.lengths[wanted], sessions.parts[wanted]
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / sessions.averages)[parts] * lengths
        total = np.zeros(len(wanted), np.float32)
        for term, weight in terms.items():
            found = self.postings(connection, term)
            holding = sessions.codes[found.rows]
            counts = np.bincount(columns[holding], found.counts, minlength=len(wanted))[: len(wanted)]
            telling = idf(sessions.counts, sessions.holding(holding))
            total += (weight * telling[parts] * (counts * (SESSION_K1 + 1) / (counts + norm))).astype(np.float32)
        return np.asarray(total[columns[asked]])


def _numbers(listed: str, kind: Any) -> Any:
    """Return a JSON list of whole numbers as an array."""
    return np.fromstring(listed[1:-1], kind, sep=",") if len(listed) > 2 else np.zeros(0, kind)
