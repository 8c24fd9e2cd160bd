"""Search by words on PostgreSQL: BM25 as `lexical` works it out, over postings that the engine finds.

The engine says which rows may be among the best; their scores are worked out here, by the same formula and in the same
precision as on SQLite. Whether a row passes and how long it is stands in another table than its postings, and to look
there costs more than to read them. So only the rows that could score most are looked up, if they were as short as can
be; mostly the last of those asked for scores more than any other could, and the search is done.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.arrays import Floats, Ints, Numbers, np
from engrain.model.filters import Filter
from engrain.storerows import Ranked, TextStats
from engrain.stores import kernels
from engrain.stores.lexical import K1, B, idf
from engrain.stores.postgres.asking import MOST, PostgresAsking, whole
from engrain.stores.postgres.connections import Nums

_LIKELY = 6  # rows looked at for each row asked for
_BESIDE = 64  # and so many more
_SLACK = 1e-5  # by how much a score in single precision may miss

# Postings with the most that each can add. They are asked for by lists, not by a join: of lists the planner knows how
# many rows to expect. `width_bucket` finds the place in a sorted list.
_POSTINGS = (
    "(SELECT num, count, (CAST(? AS double precision[]))[(width_bucket(ns, CAST(? AS bigint[])) - 1) "
    "* CAST(? AS integer) + width_bucket(term, CAST(? AS text[]))] AS most, "
    "(CAST(? AS double precision[]))[width_bucket(ns, CAST(? AS bigint[]))] AS slope FROM posting "
    "WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[])))"
)
# Rows by the most that their terms can add, whatever their length; then those of them that pass.
_PROMISING = (
    f"WITH held AS MATERIALIZED (SELECT num, sum(most * count / (count + ?)) AS bound FROM {_POSTINGS} p "
    "GROUP BY num ORDER BY bound DESC, num LIMIT ?) "
    "SELECT held.num, held.bound, m.ns, m.length FROM held LEFT JOIN LATERAL "
    "(SELECT ns, length FROM memory WHERE org = ? AND num = held.num AND {} OFFSET 0) m ON true"
)
# The best of all that pass.
_ALL = (
    f"SELECT m.num, m.ns, m.length FROM {_POSTINGS} p "
    "JOIN (SELECT num, ns, length FROM memory WHERE org = ? AND {}) m ON m.num = p.num "
    "GROUP BY m.num, m.ns, m.length "
    "ORDER BY sum(p.most * p.count / (p.count + ? + p.slope * m.length))::real DESC, m.num LIMIT ?"
)
# How often rows hold terms. Asked for term by term, the planner takes the index that begins with them; asked for all at
# once, it reads every posting of many rows.
_COUNTS = (
    "SELECT t.place, p.num, p.count FROM unnest(CAST(? AS text[])) WITH ORDINALITY t (term, place) "
    "CROSS JOIN LATERAL (SELECT num, count FROM posting WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) "
    "AND term = t.term AND num = ANY(CAST(? AS bigint[])) OFFSET 0) p"
)


@dataclass(frozen=True, slots=True)
class _Held:
    """Terms that are held in namespaces, and the most that each can add to a row: by namespace, then by term."""

    spaces: Sequence[int]
    terms: Sequence[str]
    most: Numbers
    slopes: Sequence[float]

    def params(self, org: str) -> list[object]:
        """Return what `_POSTINGS` is asked with."""
        spaces, terms = list(self.spaces), list(self.terms)
        return [self.most.ravel().tolist(), spaces, len(terms), terms, list(self.slopes), spaces, org, spaces, terms]


class PostgresWords(PostgresAsking):
    """The verbs about words."""

    def text_stats(self, terms: Sequence[str], where: Filter) -> TextStats:
        """Return how common each term is in the searched namespaces."""
        spaces, seen = self._namespaces(where), self._seen
        self._measure(spaces, terms)
        documents = sum(seen.extents[ns].documents for ns in spaces)
        length = float(sum(seen.extents[ns].length for ns in spaces))
        frequency = {term: sum(seen.frequency[ns, term] for ns in spaces) for term in terms}
        return TextStats(documents, length / max(documents, 1), frequency)

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by BM25; rows that hold none of the terms are not found."""
        spaces = sorted(self._namespaces(where))
        if limit <= 0 or not terms or not spaces:
            return kernels.merged([], limit)
        self._measure(spaces, terms)
        held = self._held(spaces, terms)
        if not held.terms:
            return kernels.merged([], limit)
        found, unseen = self._promising(held, where, _LIKELY * limit + _BESIDE)
        ranked = self._ranked(terms, found, limit)
        surest = float(ranked.scores[-1]) if len(ranked.nums) >= limit else 0.0
        if unseen and surest * (1 - _SLACK) <= unseen:
            ranked = self._ranked(terms, self._all(held, where, limit), limit)
        return ranked

    def score_terms(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each term (by row) adds to the BM25 score of each of the rows found (by column)."""
        rows = self._rows(nums)
        mine = np.array([num in rows for num in nums.tolist()], np.bool_)
        out = np.zeros((len(terms), len(nums)), np.float32)
        if len(terms) and mine.any():
            out[:, Nums(mine)] = self._impacts(terms, nums[mine])
        return out

    def holders(self, namespace: int, terms: Sequence[str], *, limit: int) -> Sequence[Sequence[int]]:
        """Return, for each term, rows of a namespace that hold it, in row order and at most `limit`."""
        found: list[list[int]] = [[] for _ in terms]
        if terms:
            rows = self._ask(
                "SELECT t.place, p.num FROM unnest(CAST(? AS text[])) WITH ORDINALITY t (term, place) "
                "CROSS JOIN LATERAL (SELECT num FROM posting WHERE org = ? AND ns = ? AND term = t.term "
                "ORDER BY num LIMIT ?) p ORDER BY t.place, p.num",
                [list(terms), self._org, namespace, None if limit < 0 else min(limit, MOST)],
            )
            for place, num in rows:
                found[place - 1].append(num)
        return found

    # ------------------------------------------------------------------------------------------------------- searching

    def _held(self, spaces: Sequence[int], terms: Mapping[str, float]) -> _Held:
        """Return the terms that namespaces hold, in order."""
        seen = self._seen
        held = sorted(
            term for term, weight in terms.items() if weight > 0 and any(seen.frequency[ns, term] for ns in spaces)
        )
        documents = np.array([seen.extents[ns].documents for ns in spaces], np.float64)[:, None]
        frequency = np.array([[seen.frequency[ns, term] for term in held] for ns in spaces], np.float64)
        weights = np.array([terms[term] for term in held], np.float64)
        most = idf(documents, frequency.reshape(len(spaces), len(held))) * weights * (K1 + 1)
        return _Held(spaces, held, most, [K1 * B / self._average(ns) for ns in spaces])

    def _promising(self, held: _Held, where: Filter, limit: int) -> tuple[Ints, float]:
        """Return the rows that pass among those of the highest bounds, and the bound of what was not looked at."""
        inside, params = self._walled(where)
        limit = min(limit, MOST)
        found = self._ask(_PROMISING.format(inside), [K1 * (1 - B), *held.params(self._org), limit, self._org, *params])
        self._seen.rows.update((num, (ns, length)) for num, _, ns, length in found if ns is not None)
        unseen = min((bound for _, bound, _, _ in found), default=0.0) if len(found) == limit else 0.0
        return whole(sorted(num for num, _, ns, _ in found if ns is not None)), float(unseen)

    def _all(self, held: _Held, where: Filter, limit: int) -> Ints:
        """Return the best of all rows that pass, and some more: the last places are for exact scores to decide."""
        inside, params = self._walled(where)
        found = self._ask(
            _ALL.format(inside), [*held.params(self._org), self._org, *params, K1 * (1 - B), min(limit + _BESIDE, MOST)]
        )
        self._seen.rows.update((num, (ns, length)) for num, ns, length in found)
        return whole(sorted(num for num, _, _ in found))

    def _ranked(self, terms: Mapping[str, float], nums: Ints, limit: int) -> Ranked:
        """Score rows that are known to be there, and return the best, equal ones in their order."""
        total = np.zeros(len(nums), np.float32)
        if len(nums):
            for weight, impacts in zip(terms.values(), self._impacts(tuple(terms), nums), strict=True):
                total += impacts if weight == 1 else impacts * np.float32(weight)
        places = np.flatnonzero(total > 0)
        top = places[kernels.best(total[places], limit)]
        return Ranked(nums[top], total[top])

    def _impacts(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each term (by row) adds to the score of each of the rows (by column), all of which are there."""
        rows = [self._seen.rows[num] for num in nums.tolist()]
        spaces = list(dict.fromkeys(ns for ns, _ in rows))
        self._measure(spaces, terms)
        counts = self._counts(spaces, terms, nums)
        lengths = whole(length for _, length in rows)
        parts = whole(map({ns: part for part, ns in enumerate(spaces)}.__getitem__, (ns for ns, _ in rows)))
        norm = K1 * (1 - B) + (K1 * B / np.array([self._average(ns) for ns in spaces]))[parts] * lengths
        documents = np.array([self._seen.extents[ns].documents for ns in spaces], np.float64)
        frequency = np.array([[self._seen.frequency[ns, term] for ns in spaces] for term in terms], np.float64)
        telling = idf(documents, frequency)[:, parts]
        return np.asarray(telling * (counts * (K1 + 1) / (counts + norm))).astype(np.float32)

    def _average(self, ns: int) -> float:
        documents, length = self._seen.extents[ns]
        return max(float(length) / max(documents, 1), 1.0)

    def _counts(self, spaces: Sequence[int], terms: Sequence[str], nums: Ints) -> Floats:
        """Return how often each of the rows (by column) holds each of the terms (by row)."""
        named = sorted(set(terms))
        asked = sorted(set(nums.tolist()))
        held = [term for term in named if any(self._seen.frequency[ns, term] for ns in spaces)]
        at = {term: place for place, term in enumerate(named)}
        counts = np.zeros((len(named), len(asked)), np.float32)
        if held:
            place, num, count = self._arrays(
                ("place", "num", "count"), _COUNTS, [held, self._org, list(spaces), Nums(asked)]
            )
            counts[whole(map(at.__getitem__, held))[place - 1], np.searchsorted(asked, num)] = count
        return counts[[at[term] for term in terms]][:, np.searchsorted(asked, nums)]
