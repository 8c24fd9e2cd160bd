"""BM25 over a namespace's postings, with the posting lists of recent questions kept as arrays.

score(d) = sum over terms of w * idf * tf (k1 + 1) / (tf + k1 (1 - b + b len(d) / avg)), idf = ln(1 + (n - df + .5) /
(df + .5)), where n, df and avg are those of the namespace (Robertson and Zaragoza, "The Probabilistic Relevance
Framework", 2009).
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.arrays import Floats, Ints, Numbers, np
from engrain.storage.index.columns import NamespaceColumns
from engrain.storage.index.masks import PassingSessions
from engrain.storage.index.source import IndexSource

K1, B = 0.9, 0.4  # short texts want little length normalisation
SESSION_K1, SESSION_B = 1.2, 0.75  # a session is a long document
_ROOM = 4_000_000  # postings kept per namespace, 12 bytes each


@dataclass(slots=True)
class _List:
    """The rows that hold a term, how often, and, as of a state of the columns, what that adds to the score of each."""

    rows: Ints
    counts: Floats
    upto: int  # the last row that was looked at
    impacts: Floats | None = None
    state: tuple[int, int] = (-1, -1)


def idf(documents: Numbers, frequency: Ints | Numbers) -> Numbers:
    """Return the inverse document frequency of terms."""
    return np.asarray(np.log(1 + (documents - frequency + 0.5) / (frequency + 0.5)))


class PostingLists:
    """The posting lists of one namespace, read when first asked for and extended as rows are added."""

    def __init__(self, columns: NamespaceColumns) -> None:
        self._columns = columns
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

    def read(self, source: IndexSource, terms: Iterable[str]) -> list[_List]:
        """Return the lists of terms, in order, after reading those that are new and the new rows of the others."""
        terms, last = list(terms), self._columns.last
        since: dict[str, int] = {}
        for term in terms:
            known = self._lists.get(term)
            if known is None:
                since[term] = 0
            elif known.upto < last:
                since[term] = known.upto
        if since:
            self._read(source, since)
        found = [self._lists[term] for term in terms]
        for term in terms:
            self._lists.move_to_end(term)
        while self._held > _ROOM and len(self._lists) > len(terms):
            self._held -= len(self._lists.popitem(last=False)[1].rows)
        return found

    def _read(self, source: IndexSource, since: Mapping[str, int]) -> None:
        rows = dict.fromkeys(since, (np.zeros(0, np.int64), np.zeros(0, np.float32)))
        namespaces = self._columns.namespaces_after(min(since.values()))
        for term, nums, counts in source.postings(self._columns.key, since, namespaces):
            rows[term] = nums, counts
        for term, (nums, counts) in rows.items():
            order = np.argsort(nums, kind="stable")
            self._extend(term, nums[order], counts[order], since[term])

    def _extend(self, term: str, nums: Ints, counts: Floats, since: int) -> None:
        """Add the postings found after a row to the list of a term."""
        places = self._columns.places(nums)
        new = (places >= 0) & (nums > since)
        places, counts = places[new].astype(np.int32), counts[new]
        known = self._lists.get(term)
        self._held += len(places)
        if known is not None:
            places, counts = np.concatenate((known.rows, places)), np.concatenate((known.counts, counts))
        self._lists[term] = _List(places, counts, self._columns.last)

    def scores(self, source: IndexSource, terms: Mapping[str, float]) -> Floats:
        """Return the BM25 score of every row of the namespace."""
        total = np.zeros(self._columns.size, np.float32)
        for found, weight in zip(self.read(source, terms), terms.values(), strict=True):
            if len(found.rows):
                impacts = self._impacts(found)
                total[found.rows] += impacts if weight == 1 else impacts * np.float32(weight)
        return total

    def _impacts(self, found: _List) -> Floats:
        """Return what the term adds to the score of each row that holds it; computed again when anything changed."""
        if found.impacts is None or found.state != self._columns.state:
            documents, lengths = self._columns.totals()
            parts: Any = self._columns["ns"][found.rows] if self._columns.of_org else 0
            holding = np.bincount(parts, minlength=len(documents)) if self._columns.of_org else len(found.rows)
            averages = np.maximum(lengths / np.maximum(documents, 1), 1.0)
            telling = idf(documents, np.asarray(holding))
            norm = K1 * (1 - B) + (K1 * B / averages)[parts] * self._columns["length"][found.rows]
            found.impacts = (telling[parts] * (found.counts * (K1 + 1) / (found.counts + norm))).astype(np.float32)
            found.state = self._columns.state
        return found.impacts

    def term_scores(self, source: IndexSource, terms: Sequence[str], places: Ints) -> Floats:
        """Return what each of the terms (by row) adds to the BM25 score of each of the places (by column)."""
        columns = np.zeros(self._columns.size, np.int32)  # 0 for the rows that nobody asks for
        columns[places] = np.arange(1, len(places) + 1)
        out = np.zeros((len(terms), len(places) + 1), np.float32)
        for row, found in zip(out, self.read(source, terms), strict=True):
            row[columns[found.rows]] = self._impacts(found)
        return out.take(columns[places], axis=1)

    def session_scores(
        self, source: IndexSource, terms: Mapping[str, float], sessions: PassingSessions, asked: Ints
    ) -> Floats:
        """Return the BM25 score of each session asked for (by code) as one document made of the rows that pass."""
        wanted = np.flatnonzero(np.bincount(asked, minlength=len(sessions.lengths)))
        columns = np.full(len(sessions.lengths) + 1, len(wanted), np.int32)
        columns[wanted] = np.arange(len(wanted))
        lengths, parts = sessions.lengths[wanted], sessions.parts[wanted]
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / sessions.averages)[parts] * lengths
        total = np.zeros(len(wanted), np.float32)
        for found, weight in zip(self.read(source, terms), terms.values(), strict=True):
            holding = sessions.codes[found.rows]
            counts = np.bincount(columns[holding], found.counts, minlength=len(wanted))[: len(wanted)]
            telling = idf(sessions.counts, sessions.holding(holding))
            total += (weight * telling[parts] * (counts * (SESSION_K1 + 1) / (counts + norm))).astype(np.float32)
        return np.asarray(total[columns[asked]])
