"""The searching verbs of a reader on PostgreSQL, all of them in the engine: nothing of a namespace is held here.

Every search is one or two statements, so that a process needs no memory of what the others wrote. What a view of the
store was asked for is remembered until it ends or writes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from engrain.arrays import Floats, Ints, Numbers, distinct, np
from engrain.model.filters import Filter
from engrain.storage.index.columns import FIXED_CODES, K1, RANKED_AS, SESSION_B, SESSION_K1, B, idf
from engrain.storage.index.namespaces import best, merged, unit_vector
from engrain.storage.postgres.connections import HEADER, Nums
from engrain.storage.postgres.session import Session
from engrain.storage.rows import Columns, Description, Ranked, TextStats, stored
from engrain.storage.sql.reader import SQLReader

MOST = 2**62  # rows that a statement may be asked for


class NamespaceSize(NamedTuple):
    """How many memories a namespace holds, and their index terms."""

    documents: int = 0
    length: int = 0


@dataclass(slots=True)
class ViewMemo:
    """What was asked of one view of the store, which stays true as long as nothing is written in it."""

    extents: dict[int, NamespaceSize] = field(default_factory=dict)
    frequency: dict[tuple[int, str], int] = field(default_factory=dict)  # rows that hold a term in a namespace
    rows: dict[int, tuple[int, int]] = field(default_factory=dict)  # namespace and length by row number
    sizes: dict[tuple[str, int], int] = field(default_factory=dict)  # dimensions by embedder and namespace
    indexed: dict[str, float] = field(default_factory=dict)  # vectors in an embedder's index, 0 without one


class PostgresView(SQLReader):
    """A transaction bound to an org, as its searches see it."""

    _org: str
    _session: Session
    _memo: ViewMemo

    def _forget_searches(self) -> None:
        """Begin to remember anew: at the start, and after each write in the same transaction."""
        self._memo = ViewMemo()

    def _arrays(self, names: Sequence[str], statement: str, params: Sequence[object]) -> list[Ints]:
        """Return the columns that a statement finds, whole numbers all: thousands of rows cost little as arrays."""
        every = ", ".join(f"array_agg({name}::bigint)" for name in names)
        ((*found,),) = self._raw(f"SELECT {every} FROM ({statement}) x ({', '.join(names)})", params)
        return [whole(()) if column is None else column for column in found]

    def _rows(self, nums: Ints) -> dict[int, tuple[int, int]]:
        """Return namespace and length of rows by their numbers; those that are not there are missing."""
        known = self._memo.rows
        strange = [num for num in dict.fromkeys(nums.tolist()) if num not in known]
        if strange:
            asked = "SELECT num, ns, length FROM memory WHERE org = ? AND num = ANY(CAST(? AS bigint[]))"
            known.update((num, (ns, length)) for num, ns, length in self._ask(asked, [self._org, Nums(strange)]))
        return known

    def _measure(self, namespaces: Iterable[int], terms: Iterable[str]) -> None:
        """Learn how large namespaces are and in how many of their rows the terms stand, in one look."""
        seen, spaces, named = self._memo, list(namespaces), list(dict.fromkeys(terms))
        new = [ns for ns in spaces if ns not in seen.extents]
        strange = [term for term in named if any((ns, term) not in seen.frequency for ns in spaces)]
        if not new and not strange:
            return
        for ns in new:
            seen.extents[ns] = NamespaceSize()
        seen.frequency.update(dict.fromkeys(((ns, term) for ns in spaces for term in strange), 0))
        found = self._ask(
            "SELECT ns, NULL AS term, sum(documents)::bigint AS documents, sum(length)::bigint FROM counter "
            "WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) GROUP BY ns "
            "UNION ALL SELECT ns, term, count(*)::bigint, 0 FROM posting WHERE org = ? "
            "AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[])) GROUP BY ns, term",
            [self._org, new, self._org, spaces, strange],
        )
        for ns, term, number, length in found:
            if term is None:
                seen.extents[ns] = NamespaceSize(number, length)
            else:
                seen.frequency[ns, term] = number


def whole(values: Iterable[int]) -> Ints:
    """Return whole numbers as an array."""
    return np.array(list(values), np.int64)


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


class PostgresWords(PostgresView):
    """The verbs about words."""

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        """Rank by BM25; rows that hold none of the terms are not found."""
        spaces = sorted(self._namespaces(where))
        self._measure(spaces, terms)
        stats = self._stats(spaces, terms)
        if limit <= 0 or not terms or not spaces:
            return Ranked(whole(()), np.zeros(0, np.float32), stats)
        held = self._held(spaces, terms)
        if not held.terms:
            return Ranked(whole(()), np.zeros(0, np.float32), stats)
        found, unseen = self._promising(held, where, _LIKELY * limit + _BESIDE)
        ranked = self._ranked(terms, found, limit)
        surest = float(ranked.scores[-1]) if len(ranked.nums) >= limit else 0.0
        if unseen and surest * (1 - _SLACK) <= unseen:
            ranked = self._ranked(terms, self._all(held, where, limit), limit)
        return Ranked(ranked.nums, ranked.scores, stats)

    def _stats(self, spaces: Sequence[int], terms: Iterable[str]) -> TextStats:
        """Return how common each term is in namespaces that were measured."""
        memo = self._memo
        documents = sum(memo.extents[ns].documents for ns in spaces)
        length = float(sum(memo.extents[ns].length for ns in spaces))
        frequency = {term: sum(memo.frequency[ns, term] for ns in spaces) for term in terms}
        return TextStats(documents, length / max(documents, 1), frequency)

    def _gains(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each term (by row) adds to the BM25 score of each of the rows found (by column)."""
        rows = self._rows(nums)
        mine = np.array([num in rows for num in nums.tolist()], np.bool_)
        out = np.zeros((len(terms), len(nums)), np.float32)
        if len(terms) and mine.any():
            out[:, Nums(mine)] = self._impacts(terms, nums[mine])
        return out

    # ------------------------------------------------------------------------------------------------------- searching

    def _held(self, spaces: Sequence[int], terms: Mapping[str, float]) -> _Held:
        """Return the terms that namespaces hold, in order."""
        seen = self._memo
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
        inside, params = self._where(where)
        limit = min(limit, MOST)
        found = self._ask(_PROMISING.format(inside), [K1 * (1 - B), *held.params(self._org), limit, self._org, *params])
        self._memo.rows.update((num, (ns, length)) for num, _, ns, length in found if ns is not None)
        unseen = min((bound for _, bound, _, _ in found), default=0.0) if len(found) == limit else 0.0
        return whole(sorted(num for num, _, ns, _ in found if ns is not None)), float(unseen)

    def _all(self, held: _Held, where: Filter, limit: int) -> Ints:
        """Return the best of all rows that pass, and some more: the last places are for exact scores to decide."""
        inside, params = self._where(where)
        found = self._ask(
            _ALL.format(inside), [*held.params(self._org), self._org, *params, K1 * (1 - B), min(limit + _BESIDE, MOST)]
        )
        self._memo.rows.update((num, (ns, length)) for num, ns, length in found)
        return whole(sorted(num for num, _, _ in found))

    def _ranked(self, terms: Mapping[str, float], nums: Ints, limit: int) -> Ranked:
        """Score rows that are known to be there, and return the best, equal ones in their order."""
        total = np.zeros(len(nums), np.float32)
        if len(nums):
            for weight, impacts in zip(terms.values(), self._impacts(tuple(terms), nums), strict=True):
                total += impacts if weight == 1 else impacts * np.float32(weight)
        places = np.flatnonzero(total > 0)
        top = places[best(total[places], limit)]
        return Ranked(nums[top], total[top])

    def _impacts(self, terms: Sequence[str], nums: Ints) -> Floats:
        """Return what each term (by row) adds to the score of each of the rows (by column), all of which are there."""
        rows = [self._memo.rows[num] for num in nums.tolist()]
        spaces = list(dict.fromkeys(ns for ns, _ in rows))
        self._measure(spaces, terms)
        counts = self._term_counts(spaces, terms, nums)
        lengths = whole(length for _, length in rows)
        parts = whole(map({ns: part for part, ns in enumerate(spaces)}.__getitem__, (ns for ns, _ in rows)))
        norm = K1 * (1 - B) + (K1 * B / np.array([self._average(ns) for ns in spaces]))[parts] * lengths
        documents = np.array([self._memo.extents[ns].documents for ns in spaces], np.float64)
        frequency = np.array([[self._memo.frequency[ns, term] for ns in spaces] for term in terms], np.float64)
        telling = idf(documents, frequency)[:, parts]
        return np.asarray(telling * (counts * (K1 + 1) / (counts + norm))).astype(np.float32)

    def _average(self, ns: int) -> float:
        documents, length = self._memo.extents[ns]
        return max(float(length) / max(documents, 1), 1.0)

    def _term_counts(self, spaces: Sequence[int], terms: Sequence[str], nums: Ints) -> Floats:
        """Return how often each of the rows (by column) holds each of the terms (by row)."""
        named = sorted(set(terms))
        asked = sorted(set(nums.tolist()))
        held = [term for term in named if any(self._memo.frequency[ns, term] for ns in spaces)]
        at = {term: place for place, term in enumerate(named)}
        counts = np.zeros((len(named), len(asked)), np.float32)
        if held:
            place, num, count = self._arrays(
                ("place", "num", "count"), _COUNTS, [held, self._org, list(spaces), Nums(asked)]
            )
            counts[whole(map(at.__getitem__, held))[place - 1], np.searchsorted(asked, num)] = count
        return counts[[at[term] for term in terms]][:, np.searchsorted(asked, nums)]


_Talk = tuple[int, str]  # the number of a namespace, and a session's name in it

# Of each namespace how many sessions hold anything, and how much in all; the sessions of rows, and how long each is; of
# each term in how many sessions it stands, and how often in those of the rows.
_SESSIONS = (
    "WITH passing AS MATERIALIZED (SELECT num, ns, session, length FROM memory WHERE org = ? AND session IS NOT NULL "
    "AND {}), "
    "talk AS MATERIALIZED (SELECT ns, session, sum(length)::bigint AS length FROM passing GROUP BY ns, session), "
    "asked AS MATERIALIZED (SELECT num, ns, session FROM memory WHERE org = ? "
    "AND num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) AND session IS NOT NULL), "
    "found AS MATERIALIZED (SELECT ns, width_bucket(term, CAST(? AS text[])) AS place, num, count FROM posting "
    "WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND term = ANY(CAST(? AS text[]))), "
    "held AS MATERIALIZED (SELECT f.ns, f.place, p.session, sum(f.count)::bigint AS count FROM found f "
    "JOIN passing p ON p.num = f.num GROUP BY f.ns, f.place, p.session) "
    "SELECT ns, NULL::bigint, NULL::int, NULL, count(*) FILTER (WHERE length > 0)::bigint, sum(length)::bigint "
    "FROM talk GROUP BY ns "
    "UNION ALL SELECT ns, num, NULL, session, coalesce(length, 0), NULL FROM asked LEFT JOIN talk USING (ns, session) "
    "UNION ALL SELECT ns, NULL, place, NULL, count(*)::bigint, NULL FROM held GROUP BY ns, place "
    "UNION ALL SELECT ns, NULL, place, session, count, NULL FROM held "
    "WHERE (ns, session) IN (SELECT ns, session FROM asked)"
)


@dataclass(slots=True)
class _CountedSessions:
    """What the engine counted."""

    talks: dict[int, tuple[int, int]] = field(default_factory=dict)  # how many of a namespace hold anything, how much
    of: dict[int, _Talk] = field(default_factory=dict)  # a row's session
    lengths: dict[_Talk, int] = field(default_factory=dict)
    holding: dict[tuple[int, int], int] = field(default_factory=dict)  # sessions, by namespace and term
    counts: dict[tuple[_Talk, int], int] = field(default_factory=dict)  # of terms


class PostgresSessions(PostgresView):
    """The verb about sessions."""

    def _session_scores(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        """Return the BM25 score of each row's session, of the rows that pass the filter."""
        scores, spaces = np.zeros(len(nums), np.float32), self._namespaces(where)
        if not len(nums) or not terms or not spaces:
            return scores
        self._measure(spaces, terms)
        named = [term for term in terms if any(self._memo.frequency[ns, term] for ns in spaces)]
        counted = self._count_sessions(sorted(named), where, nums)
        by_session = dict(zip(counted.lengths, self._by_session(named, terms, counted).tolist(), strict=True))
        mine = [at for at, num in enumerate(nums.tolist()) if num in counted.of]
        scores[mine] = [by_session[counted.of[num]] for num in nums[mine].tolist()]
        return scores

    def _count_sessions(self, named: Sequence[str], where: Filter, nums: Ints) -> _CountedSessions:
        """Count in one look; terms are given in order, and stand in the answer as their places."""
        inside, params = self._where(where)
        spaces, asked = self._namespaces(where), Nums(dict.fromkeys(nums.tolist()))
        out, terms = _CountedSessions(), list(named)
        rows = self._ask(
            _SESSIONS.format(inside),
            [self._org, *params, self._org, asked, spaces, terms or [""], self._org, spaces, terms],
        )
        for ns, num, place, session, count, total in rows:
            if num is not None:
                out.of[num] = ns, session
                out.lengths[ns, session] = count
            elif place is None:
                out.talks[ns] = count, total
            elif session is None:
                out.holding[ns, place - 1] = count
            else:
                out.counts[(ns, session), place - 1] = count
        return out

    def _by_session(self, named: Sequence[str], terms: Mapping[str, float], counted: _CountedSessions) -> Floats:
        """Return the score of each session, in the order of their lengths."""
        total = np.zeros(len(counted.lengths), np.float32)
        if not any(counted.lengths.values()):
            return total
        filled = np.maximum(np.array([number for number, _ in counted.talks.values()], np.float64), 1)
        averages = np.maximum(np.array([much for _, much in counted.talks.values()], np.float64) / filled, 1.0)
        parts = {ns: part for part, ns in enumerate(counted.talks)}
        of = whole(parts.get(ns, 0) for ns, _ in counted.lengths)
        norm = SESSION_K1 * (1 - SESSION_B) + (SESSION_K1 * SESSION_B / averages)[of] * whole(counted.lengths.values())
        places = {term: place for place, term in enumerate(sorted(named))}
        for term in named:
            place = places[term]
            telling = idf(filled, np.array([counted.holding.get((ns, place), 0) for ns in counted.talks], np.float64))
            held = np.array([counted.counts.get((talk, place), 0) for talk in counted.lengths], np.float64)
            total += (terms[term] * telling[of] * (held * (SESSION_K1 + 1) / (held + norm))).astype(np.float32)
        return total


INDEXED_FROM = 200_000  # memories
_SPARE = 32  # candidates beyond the limit: the engine sees the question in 16 bits, and may misplace neighbours
_LIKELY_VECTORS = 2  # candidates for each row asked for, before the filter
_VISIT = 40  # looking at a vector along the index costs as much as reading so many one after another
_SEARCHED = 20  # candidates that HNSW weighs for each that is asked for
_MOST_SEARCHED = 1000  # the most that pgvector takes for hnsw.ef_search
_SCANNED = 200  # vectors visited at most for each that is weighed, before the scope is read whole

_FoundVectors = list[tuple[int, bytes]]  # row numbers and vectors as they are sent

_MINE = "FROM vector WHERE org = ? AND ns = ANY(CAST(? AS bigint[])) AND embedder = ?"
# The nearest of all, then those of them that pass.
_NEAREST = (
    "WITH near AS MATERIALIZED (SELECT num, v {mine} ORDER BY {by} LIMIT ?) "
    "SELECT near.num, CASE WHEN m.passes THEN near.v END FROM near LEFT JOIN LATERAL "
    "(SELECT true AS passes FROM memory WHERE org = ? AND num = near.num AND {inside} OFFSET 0) m ON true"
)
# The nearest of those that pass.
_PASSING = (
    "SELECT x.num, x.v FROM (SELECT num, v {mine}) x "
    "JOIN (SELECT num FROM memory WHERE org = ? AND {inside}) m ON m.num = x.num ORDER BY {by} LIMIT ?"
)
_ONE_BY_ONE = "(v <#> CAST(CAST(? AS text) AS halfvec)) + 0"  # the sum keeps the planner from taking the index
_ALONG = "CAST(v AS halfvec({0})) <#> CAST(CAST(? AS text) AS halfvec({0}))"
_INDEXED = (
    "SELECT greatest(c.reltuples, 0)::double precision FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid "
    "JOIN pg_am a ON a.oid = c.relam WHERE i.indrelid = to_regclass('engrain.vector') AND a.amname = 'hnsw' "
    "AND i.indisvalid AND pg_get_expr(i.indpred, i.indrelid) = "
    "'(embedder = ' || quote_literal(CAST(? AS text)) || '::text)' "
    "AND position('halfvec(' || ? || ')' IN pg_get_expr(i.indexprs, i.indrelid)) > 0"
)


class PostgresVectors(PostgresView):
    """The verbs about vectors."""

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine, all of them exact."""
        spaces = self._namespaces(where)
        dimensions = self._dimensions(embedder, spaces) if limit > 0 else 0
        if not dimensions:
            return merged([], limit)
        unit = unit_vector(vector, dimensions)
        asked = _Asked(self, embedder, unit, where, limit)
        self._measure(spaces, ())
        documents = sum(self._memo.extents[ns].documents for ns in spaces)
        if not self._worth(embedder, dimensions, documents):
            return _ranked_vectors(asked.one_by_one(), unit, limit)
        found = asked.along_index(documents)
        return _ranked_vectors(found if len(found) >= limit else asked.passing(), unit, limit)

    def _cosines(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
        """Return the cosine of rows already found, NaN where there is no vector."""
        out = np.full(len(nums), np.nan, np.float32)
        rows = self._rows(nums)
        mine = [num for num in dict.fromkeys(nums.tolist()) if num in rows]
        if mine:
            spaces = list(dict.fromkeys(rows[num][0] for num in mine))
            found = self._raw(
                f"SELECT num, v {_MINE} AND num = ANY(CAST(? AS bigint[]))",
                [self._org, spaces, embedder, Nums(mine)],
            )
            if found:
                unit = unit_vector(vector, (len(found[0][1]) - HEADER) // 2)
                known, cosines = _scored(found, unit)
                at = np.minimum(np.searchsorted(known, nums), len(known) - 1)
                out = np.where(known[at] == nums, cosines[at], out)
        return out

    def _dimensions(self, embedder: str, spaces: Sequence[int]) -> int:
        """Return how many numbers the vectors of an embedder have, 0 where there are none."""
        sizes = self._memo.sizes
        strange = [ns for ns in spaces if (embedder, ns) not in sizes]
        if strange:
            sizes.update(dict.fromkeys(((embedder, ns) for ns in strange), 0))
            found = self._ask(
                "SELECT s.ns, v.size FROM unnest(CAST(? AS bigint[])) s (ns) CROSS JOIN LATERAL (SELECT "
                "vector_dims(v) AS size FROM vector WHERE org = ? AND vector.ns = s.ns AND embedder = ? LIMIT 1) v",
                [strange, self._org, embedder],
            )
            sizes.update(((embedder, ns), size) for ns, size in found)
        return max((sizes[embedder, ns] for ns in spaces), default=0)

    def _worth(self, embedder: str, dimensions: int, documents: int) -> bool:
        """Say whether to walk an index is less than to read the scope: it meets everybody's vectors on the way.

        Where a scope is a third of the index three times as many are met, and the scope has to be three times as large.
        """
        if documents <= self._session.indexed_from:
            return False
        if embedder not in self._memo.indexed:
            found = self._ask(_INDEXED, [embedder, str(dimensions)])
            self._memo.indexed[embedder] = max((size for (size,) in found), default=-1.0)
        size = self._memo.indexed[embedder]
        return size >= 0 and documents > self._session.indexed_from * max(size / documents, 1.0)


class _Asked:
    """One search, which may have to be tried in several ways."""

    def __init__(self, view: PostgresVectors, embedder: str, unit: Floats, where: Filter, limit: int) -> None:
        self._view = view
        self._limit = limit
        self._dimensions = len(unit)
        self._mine: list[object] = [view._org, view._namespaces(where), embedder]
        self._inside, self._params = view._where(where)
        self._text = f"[{','.join(map(repr, unit.astype(np.float16).tolist()))}]"

    def along_index(self, documents: int) -> _FoundVectors:
        """Return the nearest of so many that pass by the index; they are fewer than the limit where it gave up."""
        candidates = _candidates(self._limit)
        searched = min(max(candidates, min(_SEARCHED * candidates, documents // _VISIT)), _MOST_SEARCHED)
        settings = {
            "hnsw.iterative_scan": "relaxed_order",
            "hnsw.ef_search": str(searched),
            "hnsw.max_scan_tuples": str(_SCANNED * searched),
            "plan_cache_mode": "force_custom_plan",  # a plan for any embedder cannot use the index of one
        }
        calls = ", ".join("set_config(?, ?, true)" for _ in settings)
        self._view._ask(f"SELECT {calls}", [each for pair in settings.items() for each in pair])
        return self._nearest(_ALONG.format(self._dimensions))[0]

    def one_by_one(self) -> _FoundVectors:
        """Return the nearest that pass of the whole scope; mostly the filter has to look at the very nearest only."""
        found, whole_scope = self._nearest(f"{_ONE_BY_ONE}, num")
        return found if whole_scope or len(found) >= self._limit else self.passing()

    def passing(self) -> _FoundVectors:
        """Return the nearest of those that pass, all of which are looked at."""
        sql = _PASSING.format(mine=_MINE, inside=self._inside, by=f"{_ONE_BY_ONE}, x.num")
        spared = min(self._limit + _SPARE, MOST)
        return self._view._raw(sql, [*self._mine, self._view._org, *self._params, self._text, spared])

    def _nearest(self, by: str) -> tuple[_FoundVectors, bool]:
        """Return those of the nearest that pass, and whether there were no others."""
        candidates = _candidates(self._limit)
        found = self._view._raw(
            _NEAREST.format(mine=_MINE, inside=self._inside, by=by),
            [*self._mine, self._text, candidates, self._view._org, *self._params],
        )
        return [(num, v) for num, v in found if v is not None], len(found) < candidates


def _candidates(limit: int) -> int:
    return min(_LIKELY_VECTORS * limit + _SPARE, MOST)


def _scored(found: _FoundVectors, unit: Floats) -> tuple[Ints, Floats]:
    """Return rows in their order, and the exact cosine of each."""
    found = sorted(found)
    sent = np.frombuffer(b"".join(v for _, v in found), ">i2").reshape(len(found), -1)
    rows = sent[:, HEADER // 2 :].astype("<i2").view(np.float16).astype(np.float32)
    return whole(num for num, _ in found), rows @ unit


def _ranked_vectors(found: _FoundVectors, unit: Floats, limit: int) -> Ranked:
    if not found:
        return merged([], limit)
    nums, cosines = _scored(found, unit)
    top = best(cosines, limit)
    return Ranked(nums[top], cosines[top])


_NAMED = ("actor", "domain", "agent")
_FEW = 16  # namespaces whose latest rows are asked of each by itself, along its index


class PostgresColumns(PostgresView):
    """The verbs about rows as ranking sees them."""

    def _columns(self, nums: Ints) -> Columns:
        """Return what ranking needs to know of rows already found."""
        names = [name for name in RANKED_AS if name not in ("session", "position")]
        found = self._ask(
            f"SELECT num, ns, session, coalesce(position, -1), {', '.join(names)} FROM memory "
            "WHERE org = ? AND num = ANY(CAST(? AS bigint[])) ORDER BY num",
            [self._org, Nums(dict.fromkeys(nums.tolist()))],
        )
        out: dict[str, Any] = {name: np.zeros(len(nums), kind) for name, kind in RANKED_AS.items()}
        codes: dict[str, dict[str, int]] = {name: {} for name in _NAMED}
        codes.update((name, dict(fixed)) for name, fixed in FIXED_CODES.items())
        if found:
            ordered = whole(row[0] for row in found)
            at = np.minimum(np.searchsorted(ordered, nums), len(ordered) - 1)
            mine = ordered[at] == nums
            columns = zip(*found, strict=True)
            read: dict[str, Sequence[Any]] = dict(
                zip(("num", "ns", "session", "position", *names), columns, strict=True)
            )
            read["session"] = _coded({}, ((ns, s) if s is not None else None for ns, s, *_ in (r[1:3] for r in found)))
            for name, known in codes.items():
                read[name] = _coded(known, read[name])
            for name, kind in RANKED_AS.items():
                out[name][mine] = np.array(read[name], kind)[at[mine]]
            self._memo.rows.update(
                (row[0], (row[1], length)) for row, length in zip(found, read["length"], strict=True)
            )
        out["source_class"] = out.pop("source_type")
        return Columns(
            actors=tuple(codes["actor"]), domains=tuple(codes["domain"]), agents=tuple(codes["agent"]), **out
        )

    def _around(self, nums: Ints, where: Filter, span: int) -> Ints:
        """Return the rows around each in its session, as far as they pass the filter."""
        around = np.full((len(nums), 2 * max(span, 0)), -1, np.int64)
        spaces = self._namespaces(where)
        if not around.size or not spaces:
            return around
        asked = Nums(dict.fromkeys(nums.tolist()))
        inside, params = self._where(where)
        of, offset, beside, passes, space, length = self._arrays(
            ("num", "apart", "beside", "passes", "ns", "length"),
            "WITH a AS MATERIALIZED (SELECT num, ns, session, position FROM memory WHERE org = ? "
            "AND num = ANY(CAST(? AS bigint[])) AND ns = ANY(CAST(? AS bigint[])) "
            "AND session IS NOT NULL AND position >= 0) "
            "SELECT a.num, n.position - a.position, n.num, n.inside::int, a.ns, n.length FROM a CROSS JOIN LATERAL "
            f"(SELECT num, position, length, coalesce({inside}, false) AS inside FROM memory WHERE org = ? "
            "AND ns = a.ns AND session = a.session AND position BETWEEN greatest(a.position - ?, 0) AND a.position + ? "
            "AND position <> a.position OFFSET 0) n",
            [self._org, asked, spaces, *params, self._org, span, span],
        )
        if len(of):
            order = np.argsort(beside, kind="stable")  # of several at one place the newest counts
            of, offset, beside, passes = of[order], offset[order], beside[order], passes[order]
            once = np.flatnonzero(np.diff(beside, prepend=-1))
            known = zip(space[order][once].tolist(), length[order][once].tolist(), strict=True)
            self._memo.rows.update(zip(beside[once].tolist(), known, strict=True))
            table = np.full((len(asked), 2 * span), -1, np.int64)
            rows = np.argsort(asked)[np.searchsorted(np.sort(asked), of)]
            table[rows, offset + span - (offset > 0)] = np.where(passes > 0, beside, -1)
            place = {num: row for row, num in enumerate(asked)}
            around = table[[place[num] for num in nums.tolist()]]
        return around

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        """Return the rows with the latest event times, newest first."""
        spaces = self._namespaces(where)
        if limit <= 0 or not spaces:
            return whole(())
        inside, params, limit = *self._where(where), min(limit, MOST)
        for sign, moment in ((">=", since), ("<", until)):
            if moment is not None:
                inside, params = f"{inside} AND valid_from {sign} ?", [*params, stored(moment)]
        by = "ORDER BY valid_from DESC, num DESC LIMIT ?"
        if len(spaces) > _FEW:
            found = self._ask(f"SELECT num FROM memory WHERE org = ? AND {inside} {by}", [self._org, *params, limit])
        else:
            found = self._ask(
                "SELECT m.num FROM unnest(CAST(? AS bigint[])) s (ns) CROSS JOIN LATERAL (SELECT num, valid_from "
                f"FROM memory WHERE org = ? AND memory.ns = s.ns AND {inside} {by}) m "
                "ORDER BY m.valid_from DESC, m.num DESC LIMIT ?",
                [spaces, self._org, *params, limit, limit],
            )
        return whole(num for (num,) in found)

    def actors(self, where: Filter) -> Sequence[str]:
        """Return who speaks or acts in the rows that pass, by name."""
        spaces = self._namespaces(where)
        if not spaces:
            return []
        inside, params = self._where(where)
        first = "SELECT min(actor) FROM memory WHERE org = ? AND memory.ns ="
        found = self._ask(  # from name to name along the index, however many rows each has
            f"WITH RECURSIVE said (ns, actor) AS (SELECT s.ns, ({first} s.ns) FROM unnest(CAST(? AS bigint[])) s (ns) "
            f"UNION ALL SELECT said.ns, ({first} said.ns AND memory.actor > said.actor) FROM said "
            "WHERE said.actor IS NOT NULL) "
            "SELECT DISTINCT actor FROM said WHERE actor IS NOT NULL AND (SELECT 1 FROM memory WHERE org = ? "
            f"AND memory.ns = said.ns AND memory.actor = said.actor AND {inside} LIMIT 1) = 1 ORDER BY actor",
            [self._org, spaces, self._org, self._org, *params],
        )
        return [actor for (actor,) in found]


def _coded(codes: dict[Any, int], values: Iterable[Any]) -> list[int]:
    return [-1 if value is None else codes.setdefault(value, len(codes)) for value in values]


class PostgresSearch(PostgresWords, PostgresSessions, PostgresVectors, PostgresColumns):
    """All searches of a view; it calls `_forget_searches` when it begins, and after each write."""

    def describe(
        self,
        nums: Ints,
        where: Filter,
        *,
        span: int = 0,
        terms: Mapping[str, float] | None = None,
        embedder: str | None = None,
        vector: Floats | None = None,
    ) -> Description:
        """Return what ranking needs to know of rows that were found."""
        around = self._around(nums, where, span)
        rows, terms = distinct(nums, around), terms or {}
        columns = self._columns(rows)
        cosines = np.full(len(rows), np.nan, np.float32)
        if embedder is not None and vector is not None:
            wanted = distinct(nums, around[:, span - 1 : span + 1] if span else around)
            cosines[np.searchsorted(rows, wanted)] = self._cosines(embedder, vector, wanted)
        gains = self._gains(tuple(terms), rows)
        return Description(rows, around, columns, gains, cosines, self._session_scores(terms, where, nums))
