"""Search by vectors on PostgreSQL with pgvector: the engine finds the nearest in 16 bits, their cosines are exact.

A scope of no more than `INDEXED_FROM` memories is read whole: that is exact, and an index that finds nearly all takes
as long. A larger one asks the embedder's HNSW index, if somebody made one and the scope is so much of it that few
strangers are met on the way; what it cannot answer in full is read whole after all.
"""

from __future__ import annotations

from collections.abc import Sequence

from engrain.arrays import Floats, Ints, np
from engrain.model.filters import Filter
from engrain.storerows import Ranked
from engrain.stores import kernels
from engrain.stores.postgres.asking import MOST, PostgresAsking, whole
from engrain.stores.postgres.connections import Nums
from engrain.stores.postgres.copying import HEADER

INDEXED_FROM = 200_000  # memories
_SPARE = 32  # candidates beyond the limit: the engine sees the question in 16 bits, and may misplace neighbours
_LIKELY = 2  # candidates for each row asked for, before the filter
_VISIT = 40  # looking at a vector along the index costs as much as reading so many one after another
_SEARCHED = 20  # candidates that HNSW weighs for each that is asked for
_MOST_SEARCHED = 1000  # the most that pgvector takes for hnsw.ef_search
_SCANNED = 200  # vectors visited at most for each that is weighed, before the scope is read whole

_Found = list[tuple[int, bytes]]  # row numbers and vectors as they are sent

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


class PostgresVectors(PostgresAsking):
    """The verbs about vectors."""

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        """Rank by cosine, all of them exact."""
        spaces = self._namespaces(where)
        dimensions = self._dimensions(embedder, spaces) if limit > 0 else 0
        if not dimensions:
            return kernels.merged([], limit)
        unit = kernels.unit(vector, dimensions)
        asked = _Asked(self, embedder, unit, where, limit)
        self._measure(spaces, ())
        documents = sum(self._seen.extents[ns].documents for ns in spaces)
        if not self._worth(embedder, dimensions, documents):
            return _ranked(asked.one_by_one(), unit, limit)
        found = asked.along_index(documents)
        return _ranked(found if len(found) >= limit else asked.passing(), unit, limit)

    def score_vector(self, embedder: str, vector: Floats, nums: Ints) -> Floats:
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
                unit = kernels.unit(vector, (len(found[0][1]) - HEADER) // 2)
                known, cosines = _scored(found, unit)
                at = np.minimum(np.searchsorted(known, nums), len(known) - 1)
                out = np.where(known[at] == nums, cosines[at], out)
        return out

    def _dimensions(self, embedder: str, spaces: Sequence[int]) -> int:
        """Return how many numbers the vectors of an embedder have, 0 where there are none."""
        sizes = self._seen.sizes
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
        if embedder not in self._seen.indexed:
            found = self._ask(_INDEXED, [embedder, str(dimensions)])
            self._seen.indexed[embedder] = max((size for (size,) in found), default=-1.0)
        size = self._seen.indexed[embedder]
        return size >= 0 and documents > self._session.indexed_from * max(size / documents, 1.0)


class _Asked:
    """One search, which may have to be tried in several ways."""

    def __init__(self, view: PostgresVectors, embedder: str, unit: Floats, where: Filter, limit: int) -> None:
        self._view = view
        self._limit = limit
        self._dimensions = len(unit)
        self._mine: list[object] = [view._org, view._namespaces(where), embedder]
        self._inside, self._params = view._walled(where)
        self._text = f"[{','.join(map(repr, unit.astype(np.float16).tolist()))}]"

    def along_index(self, documents: int) -> _Found:
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

    def one_by_one(self) -> _Found:
        """Return the nearest that pass of the whole scope; mostly the filter has to look at the very nearest only."""
        found, whole_scope = self._nearest(f"{_ONE_BY_ONE}, num")
        return found if whole_scope or len(found) >= self._limit else self.passing()

    def passing(self) -> _Found:
        """Return the nearest of those that pass, all of which are looked at."""
        sql = _PASSING.format(mine=_MINE, inside=self._inside, by=f"{_ONE_BY_ONE}, x.num")
        spared = min(self._limit + _SPARE, MOST)
        return self._view._raw(sql, [*self._mine, self._view._org, *self._params, self._text, spared])

    def _nearest(self, by: str) -> tuple[_Found, bool]:
        """Return those of the nearest that pass, and whether there were no others."""
        candidates = _candidates(self._limit)
        found = self._view._raw(
            _NEAREST.format(mine=_MINE, inside=self._inside, by=by),
            [*self._mine, self._text, candidates, self._view._org, *self._params],
        )
        return [(num, v) for num, v in found if v is not None], len(found) < candidates


def _candidates(limit: int) -> int:
    return min(_LIKELY * limit + _SPARE, MOST)


def _scored(found: _Found, unit: Floats) -> tuple[Ints, Floats]:
    """Return rows in their order, and the exact cosine of each."""
    found = sorted(found)
    sent = np.frombuffer(b"".join(v for _, v in found), ">i2").reshape(len(found), -1)
    rows = sent[:, HEADER // 2 :].astype("<i2").view(np.float16).astype(np.float32)
    return whole(num for num, _ in found), rows @ unit


def _ranked(found: _Found, unit: Floats, limit: int) -> Ranked:
    if not found:
        return kernels.merged([], limit)
    nums, cosines = _scored(found, unit)
    top = kernels.best(cosines, limit)
    return Ranked(nums[top], cosines[top])
