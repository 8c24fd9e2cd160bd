"""A view of one org on PostgreSQL: rows by the SQL that engines share, searches in one or two statements each."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import datetime
from itertools import islice
from typing import Any, TypeVar

from psycopg.errors import SerializationFailure

from engrain.lazy import Floats, Ints, np
from engrain.model.filters import Filter, Meta, Tagged
from engrain.storage.index.columns import K1, RANKED_AS, SESSION_B, SESSION_K1, B, idf, name_codes, ranking_columns
from engrain.storage.index.namespaces import best, merged, unit_vector
from engrain.storage.postgres.connections import HEADER, Cursor, Halfvec, Nums, Session
from engrain.storage.postgres.schema import named_statements
from engrain.storage.rows import Description, Ranked, TextStats, distinct, legible, places_among, stored
from engrain.storage.sql.copying import COPIED, NUMBERED, Copied, CopyingReader, Pages
from engrain.storage.sql.reader import FALSE, NULL, NUMBER, TEXT, TRUE, Dialect, Names, Params, json_kind, json_kinds

R = TypeVar("R")
_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_UNDER = "(metadata::json -> CAST(? AS text))"  # the value under a key; NULL without one
_ITSELF = "({} #>> CAST(ARRAY[] AS text[]))"  # a scalar without its quotes; conditions contain no braces
# Any number as an exact numeric. One with a point or an exponent is a double: from 2^53 on its digits are rounded and
# are less than its value, while a whole number is exact.
_EXACT = (
    "(CASE WHEN {0}::text ~ '[.eE]' AND abs({0}::text::numeric) BETWEEN 9007199254740992 AND 9223372036854774784 "
    "THEN {0}::text::double precision::bigint::numeric ELSE {0}::text::numeric END)"
)
MOST = 2**62  # the maximum rows of a statement
_REAL = ("importance", "confidence", "trust", "strength", "weight")
_LIKELY = 6  # candidate rows for each requested row
_BESIDE = 64  # and so many more
_SLACK = 1e-5  # the maximum error of a score in single precision
INDEXED_FROM = 200_000  # memories
_SPARE = 32  # candidates beyond the limit: the engine compares in 16 bits, and may misorder neighbours
_LIKELY_VECTORS = 2  # candidates for each requested row, before the filter
_VISIT = 40  # visiting a vector along the index costs as much as reading this many sequentially
_SEARCHED = 20  # candidates that HNSW evaluates for each requested one
_MOST_SEARCHED = 1000  # the maximum of hnsw.ef_search
_SCANNED = 200  # vectors visited at most for each evaluated one, before the whole scope is read
_DOUBLE = "CAST({} AS double precision)"  # a numeric takes many times as long
_COLUMNS = ("num", "ns", *RANKED_AS, "passes")
SQL = named_statements(
    "search.sql",
    {
        "norm_base": _DOUBLE.format(K1 * (1 - B)),
        "half": _DOUBLE.format(0.5),
        "ranked": ", ".join(name for name in RANKED_AS if name not in ("session", "position")),
        "columns": ", ".join(_COLUMNS),
        "arrays": ", ".join(f"array_agg({name}) AS {name}" for name in _COLUMNS),
    },
)
# The number of columns of each part of a description.
_PARTS = {"met": 1, "alike": 1, "rows": len(_COLUMNS), "counts": 3, "sessions": 7, "vectors": 2}
_FEW = 16  # namespaces up to which they are queried one by one, along an index
_MANY = 10_000  # sizes that are remembered
_SMALL = 5_000  # rows of namespaces up to which a recall reads all, rather than almost as many one by one
_POSITIONS = 32  # bits of a position in a session


class PostgresDialect(Dialect):
    """PostgreSQL's SQL; JSON conditions are true or false, never NULL."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """Return the comparison with an array."""
        some: Any = values
        whole = {*map(type, some)} <= {int} and -MOST < min(some, default=0) <= max(some, default=0) < MOST
        return "= ANY(?)", [Nums(some) if whole else [*some]]

    def tagged(self, test: Tagged) -> tuple[str, Params]:
        """Return the condition that any, or every one, of the tags in an array is present."""
        found = f"jsonb_exists_{'all' if test.every else 'any'}(tags::jsonb, CAST(? AS text[]))"
        return found, [list(dict.fromkeys(test.tags))]

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """Return a comparison with the value under a key; any JSON key is allowed."""
        kinds = json_kinds(test)
        if test.op == "exists":
            return f"{_UNDER} IS {'NOT ' if TRUE in kinds else ''}NULL", [test.key]
        if test.op in _COMPARE:
            values: Params = [test.value if kinds[0] == TEXT else _digits(test.value)]
        else:
            given = test.value if test.op in ("in", "nin") else (test.value,)
            texts = [value for value in given if json_kind(value) == TEXT]
            numbers = [_digits(value) for value in given if json_kind(value) == NUMBER]
            values = [each for each in (texts, numbers) if each]
            values += [test.value] if test.op == "contains" and kinds[0] == TEXT else []
        found = f"EXISTS (SELECT 1 FROM (SELECT {_UNDER} AS j OFFSET 0) m WHERE {_comparison(test.op, kinds)})"
        return f"NOT {found}" if test.op in ("ne", "nin") else found, [test.key, *values]

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return the elements of an array as a table."""
        return "(SELECT unnest(CAST(? AS bigint[])) AS value)", [Nums(numbers)]

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return it without functions, which would be called for every row that row-level security admits."""
        return ('"user" IS NULL', []) if user is None else ('"user" = ?', [user])

    def tested(self, condition: str) -> str:
        """Return a function of it: a generic plan takes an index of namespaces for as good as that of numbers."""
        return f"coalesce({condition}, false)"

    def json_rows(self, *columns: str) -> str:
        """Return one JSON list of lists; it is NULL if there is no row."""
        return f"json_agg(json_build_array({', '.join(columns)}))::text"


def _comparison(op: str, kinds: tuple[str, ...]) -> str:
    """Return the condition on the value `m.j` in the metadata."""
    if op == "contains":
        items = f"EXISTS (SELECT 1 FROM json_array_elements(m.j) c (value) WHERE {_is_one_of(kinds, 'c.value')})"
        within = f'strpos({_ITSELF.format("m.j")} COLLATE "C", CAST(? AS text)) > 0' if TEXT in kinds else "false"
        return f"CASE json_typeof(m.j) WHEN 'array' THEN {items} WHEN 'string' THEN {within} ELSE false END"
    if op not in _COMPARE:
        return _is_one_of(kinds, "m.j")
    if TEXT in kinds:
        kind, compared = "string", f'{_ITSELF.format("m.j")} COLLATE "C" {_COMPARE[op]} CAST(? AS text)'
    else:
        kind, compared = "number", f"{_EXACT.format('m.j')} {_COMPARE[op]} CAST(CAST(? AS text) AS numeric)"
    return f"CASE json_typeof(m.j) WHEN '{kind}' THEN {compared} ELSE false END"


def _is_one_of(kinds: tuple[str, ...], value: str) -> str:
    """Return one list for all texts and one for all numbers, so that hundreds of them are compared at once."""
    arms = ""
    if TEXT in kinds:
        arms += f" WHEN 'string' THEN {_ITSELF.format(value)} COLLATE \"C\" = ANY(CAST(? AS text[]))"
    if NUMBER in kinds:
        arms += f" WHEN 'number' THEN {_EXACT.format(value)} = ANY(CAST(CAST(? AS text[]) AS numeric[]))"
    if truths := [f"'{kind}'" for kind in (TRUE, FALSE) if kind in kinds]:
        arms += f" WHEN 'boolean' THEN {value}::text IN ({', '.join(truths)})"
    if NULL in kinds:
        arms += " WHEN 'null' THEN true"
    return f"CASE json_typeof({value}){arms} ELSE false END" if arms else "1=0"


def _digits(number: object) -> str:
    """Return a number as PostgreSQL's numeric reads it without loss."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**63:
        return str(int(number))
    return repr(number)


@dataclass(slots=True)
class ViewMemo:
    """The cached results of one view of the store, valid as long as nothing is written in it."""

    spaces: Ints = field(default_factory=lambda: _ints(()))  # namespaces, ascending
    sizes: Ints = field(default_factory=lambda: np.zeros((2, 0), np.int64))  # how many memories and terms each has
    frequency: dict[str, Ints] = field(default_factory=dict)  # in how many rows of each a term is
    indexed: dict[str, float] = field(default_factory=dict)  # vectors in an embedder's index, 0 without one
    rows: tuple[Filter | None, _DescribedRows | None] = (None, None)  # all those of small namespaces, and for what
    counts: dict[tuple[object, ...], tuple[Ints, ...]] = field(default_factory=dict)  # by such and terms

    def note(self, spaces: Ints, terms: Sequence[str], found: Iterable[Ints | None]) -> None:
        """Cache the sizes of namespaces and the frequencies of terms in them, as `sizes` finds them."""
        sized, documents, lengths, held_in, place, holding = map(_array, found)
        if not np.array_equal(spaces, self.spaces):
            self.spaces, self.sizes, self.frequency = spaces, np.zeros((2, len(spaces)), np.int64), {}
        self.sizes[:, np.searchsorted(spaces, sized)] = documents, lengths
        held = np.zeros((len(terms), len(spaces)), np.int64)
        held[place - 1, np.searchsorted(spaces, held_in)] = holding
        self.frequency.update(zip(terms, held, strict=True))


class _Unanswered(Exception):
    """A call has queued a statement to be sent with those of other calls."""


class PostgresReader(CopyingReader):
    """A consistent view of one org."""

    _dialect = PostgresDialect()
    _vectors = "vector"
    _org: str

    def __init__(self, session: Session, org: str, names: Names) -> None:
        super().__init__(names, org)
        self._session = session
        self._numbers.update((key, number) for key, number in session.namespaces.items() if key[0] == org)
        self._memo = ViewMemo()
        self._are_together = False  # whether calls are batched; each stops at its first unanswered statement
        self._asked: list[tuple[tuple[object, ...], Cursor]] = []  # by such calls
        self._answers: dict[int, list[Any]] = {}  # of them, by the id of a cursor, and what rows mean, by theirs

    def together(self, *calls: Callable[[], Any], last: bool = False) -> list[Any]:
        outer, before, done = self._are_together, len(self._asked), dict[int, Any]()
        try:
            while len(done) < len(calls):
                self._are_together = outer or last or len(calls) > len(done) + 1  # the last one need not begin again
                try:
                    for place, call in enumerate(calls):
                        if place not in done:
                            with suppress(_Unanswered):
                                done[place] = call()
                    if outer and len(done) < len(calls):
                        raise _Unanswered
                    if not outer:
                        self._session.send(ends=last and not self._session.writes)
                except SerializationFailure:  # reads have no other conflicts
                    if self._session.writes:
                        raise
                    self._forget_numbers()
                    done.clear()
                    self._answers.clear()
                    del self._asked[before:]
        finally:
            self._are_together = outer
            if not outer:
                del self._asked[before:]
                self._answers.clear()
        return [done[place] for place in range(len(calls))]

    def _ask(self, statement: str, params: Sequence[object] = (), *, raw: bool = False) -> list[tuple[Any, ...]]:
        self._session.turn_to(self._org)
        asked = statement, params, raw
        cursor = next((cursor for known, cursor in self._asked if known == asked), None)
        if cursor is None:
            if not self._are_together:
                try:
                    return self._session.ask(statement, params, raw=raw)
                except SerializationFailure:  # before any statement with such a number
                    if self._session.writes:
                        raise
                    self._forget_numbers()
                return self._session.ask(statement, params, raw=raw)
            cursor = self._session.later(statement, params, raw=raw)
            self._asked.append((asked, cursor))
        if cursor.pgresult is None:
            raise _Unanswered
        if id(cursor) not in self._answers:
            self._answers[id(cursor)] = cursor.fetchall()
        return self._answers[id(cursor)]

    def _decoded(self, kind: type[R], rows: list[tuple[Any, ...]]) -> list[R]:
        if not self._are_together:
            return super()._decoded(kind, rows)
        if id(rows) not in self._answers:  # a call begins again after each statement
            self._answers[id(rows)] = super()._decoded(kind, rows)
        return [*self._answers[id(rows)]]

    def _number(self, org: str, user: str | None) -> int | None:
        if not (self._are_together or self._session.writes):  # these begin again if it is another user's by now
            try:
                self._session.begin()
            except SerializationFailure:
                self._forget_numbers()
        number = super()._number(org, user)
        if number is not None:
            self._session.note_namespace(org, user, number)
        return number

    def _forget_numbers(self) -> None:
        self._numbers.clear()
        self._forget_scopes()

    def _raw(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        return self._ask(statement, params, raw=True)

    def _scope(self, where: Filter, column: str) -> tuple[str, Params]:
        # Each statement names its org for each table: all namespaces are inside.
        return ("true", []) if where.user is None else super()._scope(where, column)

    def _holders(self, namespace: str, terms: Sequence[str], rows: int) -> tuple[str, Params]:
        return SQL["holders"].format(namespace=namespace), [self._org, rows, list(terms)]

    def _values(self, stored: Any) -> Any:
        return _halves(stored).view(np.float16).astype(np.float32)

    # ---------------------------------------------------------------------------------------------------- statistics

    def _measured(self, namespaces: Sequence[int] | Ints, terms: Iterable[str] = ()) -> Ints:
        """Return the places of namespaces in the memo, with their sizes and the frequencies of terms."""
        memo, wanted = self._memo, np.asarray(namespaces, np.int64)
        places, unknown = places_among(memo.spaces, wanted), [term for term in terms if term not in memo.frequency]
        if (is_new := bool((places < 0).any())) or unknown:
            spaces, unknown = np.union1d(memo.spaces, wanted), [*(memo.frequency if is_new else ()), *unknown]
            mine = [self._org, Nums(spaces.tolist())]
            ((*found,),) = self._raw(SQL["sizes"], [*mine, unknown, *mine, unknown])
            memo.note(spaces, unknown, found)
            places = np.searchsorted(memo.spaces, wanted)
        return places

    def _documents(self, spaces: Sequence[int]) -> int:
        places = self._measured(spaces)
        return int(self._memo.sizes[0, places].sum())

    # --------------------------------------------------------------------------------------------------------- words

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        spaces, memo, limit = Nums(sorted(self._namespaces(where))), self._memo, min(max(limit, 0), MOST // _LIKELY)
        ranked = Ranked(_ints(()), np.zeros(0, np.float32), TextStats(0, 0.0, dict.fromkeys(terms, 0)))
        if not spaces:
            return ranked
        for likely in (_LIKELY * limit + _BESIDE, MOST) if limit and terms else ():
            nums, unseen, gains = self._likely(terms, spaces, where, likely)
            total = np.zeros(len(nums), np.float32)
            for weight, gain in zip(terms.values(), gains, strict=True):
                total += gain if weight == 1 else gain * np.float32(weight)
            places = np.flatnonzero(total > 0)
            top = places[best(total[places], limit)]
            ranked = Ranked(nums[top], total[top])
            if not unseen or (len(ranked.nums) >= limit and ranked.scores[-1] * (1 - _SLACK) > unseen):
                break
        places = self._measured(spaces, terms)
        if len(spaces) <= _FEW:  # so that later views know how many rows these have
            if len(sizes := self._session.sizes) > _MANY:
                sizes.clear()
            sizes.update({(self._org, ns): int(memo.sizes[0, at]) for ns, at in zip(spaces, places, strict=True)})
        documents, length = memo.sizes[:, places].sum(axis=1).tolist()
        frequency = {term: int(memo.frequency[term][places].sum()) for term in terms}
        return ranked._replace(stats=TextStats(documents, length / max(documents, 1), frequency))

    def _likely(
        self, terms: Mapping[str, float], spaces: list[int], where: Filter, likely: int
    ) -> tuple[Ints, float, Floats]:
        """Return the `likely` best rows that pass, the bound of the others, and each term's share of each score."""
        (inside, params), named = self._where(where), list(terms)
        if (known := self._all_rows(where, lambda: self._all_counts(spaces, named))) is not None:
            ns, length, passes = (known.columns[name][:-1] for name in ("ns", "length", "passes"))
            place, num, count = self._all_counts(spaces, named)
            at, many, passing = np.searchsorted(spaces, ns), len(spaces), passes > 0
            holding = np.bincount((place - 1) * many + at[places_among(known.nums, num)], minlength=len(named) * many)
            sizes = spaces, np.bincount(at, minlength=many), np.bincount(at, length, many)
            where_held = np.tile(spaces, len(named)), np.repeat(np.arange(len(named)) + 1, many), holding
            self._memo.note(_ints(spaces), named, map(np.asarray, (*sizes, *where_held)))
            counts = _counted(known.nums, len(named), place, num, count)[:, passing]
            return known.nums[passing], 0.0, self._gains(tuple(terms), ns[passing], length[passing], counts)
        weights = [max(terms[term], 0.0) * (K1 + 1) for term in named]
        mine = [self._org, spaces]
        asked = [*mine, named, *mine, named, weights, likely, self._org, *params]
        ((*found,),) = self._raw(SQL["best_by_words"].format(inside=inside, namespaces="CAST(? AS bigint[])"), asked)
        self._memo.note(_ints(spaces), named, found[:6])
        count, least = found[6:8]
        nums, ns, length, place, num, often = map(_array, found[8:])
        order = np.argsort(nums)
        counts = _counted(nums[order], len(named), place, num, often)
        gains = self._gains(tuple(terms), ns[order], length[order], counts)
        return nums[order], float(least) if count == likely else 0.0, gains

    def _gains(self, terms: Sequence[str], ns: Ints, length: Ints, counts: Floats) -> Floats:
        """Return the contribution of terms (by row) to the scores of rows (by column), from their counts."""
        if not terms or not len(ns):
            return counts
        found, parts = np.unique(self._measured(ns, terms), return_inverse=True)
        documents, lengths = self._memo.sizes[:, found].astype(np.float64)
        frequency = np.array([self._memo.frequency[term][found] for term in terms], np.float64)
        slopes = K1 * B / np.maximum(lengths / np.maximum(documents, 1), 1.0)  # the discount of each term
        norm = K1 * (1 - B) + slopes[parts] * length
        rarity = idf(documents, frequency)[:, parts]
        return np.asarray(rarity * (counts * (K1 + 1) / (counts + norm))).astype(np.float32)

    # ------------------------------------------------------------------------------------------------------- vectors

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        spaces = self._namespaces(where)
        if limit <= 0 or not spaces:
            return merged([], limit)
        dimensions = self._dimensions_of(embedder, len(vector), spaces)
        unit = unit_vector(vector, dimensions)
        documents = self._documents(spaces)
        indexed = self._is_index_faster(embedder, dimensions, documents)
        inside, params = self._where(where)
        mine, (whole, rest) = [Nums(spaces), self._org, embedder], _sent(unit)
        candidates = min(_LIKELY_VECTORS * limit + _SPARE, MOST)
        source = SQL["vectors_of_few" if len(spaces) <= _FEW else "vectors"]
        by = f"{source} ORDER BY {SQL['distance']}, num"
        if indexed:
            searched = min(max(candidates, min(_SEARCHED * candidates, documents // _VISIT)), _MOST_SEARCHED)
            self._session.set(
                plan_cache_mode="force_custom_plan",  # no other can use the index of an embedder
                hnsw__iterative_scan="relaxed_order",
                hnsw__ef_search=str(searched),
                hnsw__max_scan_tuples=str(_SCANNED * searched),
            )
            by = SQL["indexed"].format(dimensions=dimensions)
        asked = [*mine, whole, candidates, whole, rest, self._org, *params]
        near = self._raw(SQL["nearest"].format(inside=inside, by=by), asked)
        found = [row for row in near if row[1] is not None]
        if len(found) < limit and (indexed or len(near) == candidates):  # scan all that pass
            sql = SQL["nearest_passing"].format(inside=inside, source=source)
            found = self._raw(sql, [whole, rest, *mine, self._org, *params, whole, min(limit + _SPARE, MOST)])
        nums, cosines = _scored(zip(*found, strict=True) if found else (None, None))
        top = best(cosines, limit)
        return Ranked(nums[top], cosines[top])

    def _dimensions_of(self, embedder: str, wanted: int, spaces: Sequence[int] | None = None) -> int:
        """Return the dimensions of an embedder's vectors in some namespaces; `wanted` if there are none."""
        sizes, key = self._session.sizes, (self._org, embedder)
        if sizes.get(key) != wanted:
            here, of = ("", []) if spaces is None else ("ns = ANY(CAST(? AS bigint[])) AND ", [Nums(spaces)])
            found = self._ask(f"SELECT vector_dims(v) FROM vector WHERE {here}embedder = ? LIMIT 1", [*of, embedder])
            if not found:
                return wanted
            sizes[key] = int(found[0][0])
        return sizes[key]

    def _is_index_faster(self, embedder: str, dimensions: int, documents: int) -> bool:
        """Return whether an index scan, over the vectors of all scopes, costs less than reading the scope."""
        if documents <= self._session.indexed_from:
            return False
        if embedder not in self._memo.indexed:
            found = self._ask(SQL["index_sizes"], [embedder, str(dimensions)])
            self._memo.indexed[embedder] = max((size for (size,) in found), default=-1.0)
        size = self._memo.indexed[embedder]
        return size >= 0 and documents > self._session.indexed_from * max(size / documents, 1.0)

    # --------------------------------------------------------------------------------------------------- description

    def describe(
        self,
        nums: Ints,
        where: Filter,
        *,
        span: int = 0,
        lenders: Ints | None = None,
        terms: Mapping[str, float] | None = None,
        embedder: str | None = None,
        vector: Floats | None = None,
        nearest: int = 0,
    ) -> Description:
        spaces, words, lenders = self._namespaces(where), terms or {}, _ints(()) if lenders is None else lenders
        if embedder is None or vector is None or not spaces:
            embedder, vector, nearest = None, None, 0
        nearest = min(nearest, MOST // _SPARE)
        given = {"span": max(span, 0), "lenders": lenders, "terms": terms, "embedder": embedder, "vector": vector}
        if nearest and self._documents(spaces) > self._session.indexed_from:
            return self._described_after_search(nums, where, nearest, given)
        unit = np.zeros(0, np.float32)
        if embedder is not None and vector is not None:
            unit = unit_vector(vector, self._dimensions_of(embedder, len(vector), spaces))
        asked, similar, candidates = distinct(nums, lenders), merged([], 0), _LIKELY_VECTORS * nearest + _SPARE
        read = self._read_all(asked, where, unit, given) or self._read_described(asked, where, unit, nearest, given)
        compared, values = _scored(read.get("vectors", (None, None)))
        if nearest:
            found = np.sort(_array(*read["alike"]))
            cosines = values[np.searchsorted(compared, found)]
            if len(found) < nearest and read["met"] == [candidates]:  # there are others that pass
                return self._described_after_search(nums, where, nearest, given)
            top = best(cosines, nearest)
            similar = Ranked(found[top], cosines[top])
            nums = distinct(nums, similar.nums)
        with legible():
            known = read.get("known") or _DescribedRows(read["rows"])
            nums = distinct(nums, known.around(lenders, span)) if len(lenders) else nums
            around = known.around(nums, span)
            rows, next_to = distinct(nums, around), around[:, span - 1 : span + 1] if span else around
            at, gains = places_among(known.nums, rows), np.zeros((len(words), len(rows)), np.float32)
            sessions, cosines = np.zeros(len(nums), np.float32), np.full(len(rows), np.nan, np.float32)
            if words and len(known.nums):
                counts = _counted(rows, len(words), *map(_array, read["counts"]))
                gains = self._gains(tuple(words), known.columns["ns"][at], known.columns["length"][at], counts)
                talks = known.columns["session"][places_among(known.nums, nums)]
                sessions = _session_scores(words, talks, read.get("sessions", (None,) * 7))
            wanted = places_among(distinct(nums, next_to), compared) >= 0
            cosines[np.searchsorted(rows, compared[wanted])] = values[wanted]
            columns = ranking_columns(lambda name: known.columns[name][at], known.codes)
        return Description(rows, around, columns, gains, cosines, sessions, nums, similar)

    def _read_described(
        self, asked: Ints, where: Filter, unit: Floats, nearest: int, given: Mapping[str, Any]
    ) -> dict[str, Any]:
        """Return the columns that the statement finds for each of `_PARTS`, of words and vectors if requested."""
        (inside, of), spaces, terms = self._where(where), Nums(self._namespaces(where)), [*(given["terms"] or ())]
        span, lenders, embedder = given["span"], given["lenders"], given["embedder"]
        most, parts = _LIKELY_VECTORS * nearest + _SPARE, ["met", "alike", "rows"]
        alike, source = "alike" if nearest else "none_alike", "vectors_of_few" if len(spaces) <= _FEW else "vectors"
        tables = [SQL[alike].format(source=SQL[source]), SQL["rows"].format(inside=inside)]
        params: Params = [_sent(unit)[0], spaces, self._org, embedder, most] if nearest else []
        params += [Nums(asked.tolist()), *of, self._org, nearest + _SPARE, span, Nums(lenders.tolist()), spaces]
        params += [*of, self._org, self._org]
        if terms:
            tables.append(SQL["spoken"].format(inside=inside, namespaces="ARRAY(SELECT DISTINCT ns FROM wanted)"))
            params += [terms, self._org, terms, self._org, *of]
            parts += ["counts", "sessions"] if any(given["terms"].values()) else ["counts"]
        if len(unit):
            params += [*_sent(unit), self._org, embedder]
            parts.append("vectors")
        found = ", ".join(f"({SQL[f'{part}_columns']}) {part}_found" for part in parts)
        columns = iter(*self._raw(f"WITH {', '.join(tables)} SELECT * FROM {found}", params))
        return {part: list(islice(columns, _PARTS[part])) for part in parts}

    def _read_all(self, asked: Ints, where: Filter, unit: Floats, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the same where a search has read all rows of the namespaces; None if it has not, or lacks some."""
        of, known = self._memo.rows
        if known is None or of is not where or not len(unit) or (places_among(known.nums, asked) < 0).any():
            return None
        spaces, terms = Nums(self._namespaces(where)), given["terms"] or {}
        (vectors,) = self._raw(SQL["all_vectors"], [*_sent(unit), spaces, self._org, given["embedder"]])
        counts, compared = self._all_counts(spaces, [*terms]), _array(vectors[0])
        alike = compared[places_among(known.nums[known.columns["passes"][:-1] > 0], compared) >= 0]
        spoken = {"sessions": known.spoken(len(terms), *counts)} if any(terms.values()) else {}
        return {"known": known, "counts": counts, "vectors": vectors, "alike": [alike], "met": [], **spoken}

    def _all_rows(self, where: Filter, *beside: Callable[[], Any]) -> _DescribedRows | None:
        """Return all rows of namespaces that were small when counted, None of others; ask for what is `beside` too."""
        spaces, sizes = self._namespaces(where), self._session.sizes
        if self._memo.rows[0] is not where:
            counted = sum(sizes.get((self._org, space), MOST) for space in spaces)
            if len(spaces) > _FEW or counted > _SMALL:
                return None
            (inside, of), most = self._where(where), 2 * counted + _SPARE
            statement, params = SQL["all_rows"].format(inside=inside), [Nums(spaces), *of, self._org, most]
            (found, *_), *_ = self.together(lambda: self._raw(statement, params), *beside)
            if len(_array(found[0])) == most:  # others have added many
                sizes.clear()
                return None
            with legible():
                self._memo.rows = where, _DescribedRows(found)
        return self._memo.rows[1]

    def _all_counts(self, spaces: Sequence[int], terms: Sequence[str]) -> tuple[Ints, ...]:
        """Return the place of each of some terms in each row of small namespaces, the row and how often it is there."""
        key = (*spaces, *terms)
        if key not in self._memo.counts:
            (found,) = self._raw(SQL["all_counts"], [terms, self._org, spaces, terms])
            self._memo.counts[key] = tuple(map(_array, found))
        return self._memo.counts[key]

    def _described_after_search(self, nums: Ints, where: Filter, nearest: int, given: Mapping[str, Any]) -> Description:
        """Return the description after a separate search for the rows nearest to the vector."""
        similar = self.search_vector(given["embedder"], given["vector"], where, limit=nearest)
        return self.describe(distinct(nums, similar.nums), where, **given)._replace(similar=similar)

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        spaces = self._namespaces(where)
        if limit <= 0 or not spaces:
            return _ints(())
        inside, params, limit = *self._where(where), min(limit, MOST)
        for sign, moment in ((">=", since), ("<", until)):
            if moment is not None:
                inside, params = f"{inside} AND valid_from {sign} ?", [*params, stored(moment)]
        if len(spaces) > _FEW:
            found = self._ask(SQL["latest"].format(inside=inside), [self._org, *params, limit])
        else:
            found = self._ask(SQL["latest_of_few"].format(inside=inside), [spaces, self._org, *params, limit, limit])
        return _ints(num for (num,) in found)

    def _mentions(self, entities: Collection[int], most: int) -> list[tuple[int, int]]:
        ((*found,),) = self._raw(SQL["mentions"], [Nums(entities), self._org, most])
        return [*zip(*(_array(column).tolist() for column in found), strict=True)]

    def actors(self, where: Filter) -> Sequence[str]:
        spaces = Nums(self._namespaces(where))
        if not spaces:
            return []
        if (known := self._all_rows(where)) is not None:
            codes = known.columns["actor"][:-1][known.columns["passes"][:-1] > 0]
            return sorted(name for name, code in known.codes["actor"].items() if code in codes)
        (inside, params), mine = self._where(where), [self._org, spaces]
        asked = [*mine, *mine, self._org, self._org, *params, *mine, *mine, *params]
        return [actor for (actor,) in self._ask(SQL["actors"].format(inside=inside), asked)]

    # -------------------------------------------------------------------------------------------------- a whole store

    def amount(self) -> int:
        counts = (f"(SELECT count(*) FROM {each.read_from} WHERE org = ? AND {each.condition})" for each in COPIED)
        return int(self._ask(f"SELECT {' + '.join(counts)}", [self._org] * len(COPIED))[0][0])

    def numbers(self) -> dict[str, int]:
        last = "pg_sequence_last_value('engrain.{}_{}_seq'::regclass)".format
        asked = ", ".join(last(name, column) for name, column in NUMBERED.items())
        return {name: number or 0 for name, number in zip(NUMBERED, self._ask(f"SELECT {asked}")[0], strict=True)}

    def rows(self, table: Copied, org: str) -> Pages:
        return self._pages(table, "org", org)

    def _page(self, table: Copied, statement: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
        if table.name != "vector":
            return self._ask(statement, params)
        return [(*row[:-1], _halves(row[-1]).tobytes()) for row in self._raw(statement, params)]

    def _expression(self, table: Copied, column: str) -> str:
        # A zero has no sign in the other engine.
        return f"{column} + 0" if column in _REAL else super()._expression(table, column)


def _counted(nums: Ints, terms: int, place: Ints, num: Ints, count: Ints) -> Floats:
    """Return how often each term (by row; the first has place 1) is in each of some rows (by column), in order."""
    counts = np.zeros((terms, len(nums) + 1), np.float32)  # the last column is of other rows
    counts[place - 1, places_among(nums, num)] = count
    return counts[:, :-1]


def _ints(values: Iterable[int]) -> Ints:
    return np.array(list(values), np.int64)


def _halves(sent: bytes) -> Any:
    """Return the numbers of a vector in binary format, as 16-bit integers in this machine's byte order."""
    return np.frombuffer(sent, ">i2", offset=HEADER).astype("<i2")


def _array(column: Ints | None) -> Ints:
    return _ints(()) if column is None else column


def _sent(unit: Floats) -> tuple[Halfvec, Halfvec]:
    """Return a vector as pgvector reads it, and 2048 times what that leaves out."""
    whole = unit.astype(np.float16).astype(np.float32)
    return Halfvec(whole), Halfvec((unit - whole) * np.float32(2048))


def _scored(found: Iterable[Any]) -> tuple[Ints, Floats]:
    """Return the numbers of rows in their order, and the cosine of each, of two columns that were read."""
    nums, cosines = (_array(column) for column in found)
    order = np.argsort(nums, kind="stable")
    return np.asarray(nums)[order], np.asarray(cosines, np.float32)[order]


class _DescribedRows:
    """The rows loaded for a description, in the order of their numbers; `codes` are those of names."""

    def __init__(self, found: Sequence[Any]) -> None:
        read = dict(zip(_COLUMNS, found, strict=True))
        if read["num"] is None:
            read = dict.fromkeys(_COLUMNS, ())
        if isinstance(read["session"], list):  # by name: all rows of their namespaces
            (spaces, at), names = np.unique(read["ns"], return_inverse=True), _coded({}, read["session"])
            read["session"] = np.where(names >= 0, names * len(spaces) + at, -1)
        self.codes, order = name_codes(), np.argsort(np.asarray(read["num"], np.int64))
        read |= {name: _coded(codes, read[name]) for name, codes in self.codes.items()}
        of_none = {"num": -1, "session": -1, "passes": -1, "ns": next(iter(read["ns"]), 0)}
        self.columns = {  # the last entry is for a missing row
            name: np.append(
                np.asarray(values, kind := RANKED_AS.get(name, "i8"))[order], np.array(of_none.get(name, 0), kind)
            )
            for name, values in read.items()
        }
        self.nums: Ints = self.columns["num"][:-1]

    def around(self, nums: Ints, span: int) -> Ints:
        """Return the neighbours of each of some rows, see `Description.around`."""
        num, session, position, passes = (self.columns[name] for name in ("num", "session", "position", "passes"))
        placed = (passes >= 0) & (session >= 0) & (position >= 0)
        keys = np.where(placed, session << _POSITIONS | position, -1 << _POSITIONS)
        order = np.argsort(keys, kind="stable")
        wanted = keys[places_among(self.nums, nums)][:, None] + np.delete(np.arange(-span, span + 1), span)
        last = order[np.searchsorted(keys, wanted, side="right", sorter=order) - 1]  # of several the newest
        return np.where((keys[last] == wanted) & (passes[last] > 0), num[last], -1)

    def spoken(self, terms: int, place: Ints, num: Ints, count: Ints) -> Sequence[Any]:
        """Return what `sessions_columns` finds, from all rows of namespaces and the counts of terms in them."""
        session, sizes, passes = (self.columns[name][:-1] for name in ("session", "length", "passes"))
        inside, own = (passes > 0) & (session >= 0), np.unique(self.columns["ns"][:-1], return_inverse=True)[1]
        talks, space = session[inside], np.zeros(int(session.max(initial=-1)) + 1, np.int64)
        length, space[talks] = np.bincount(talks, sizes[inside], len(space)), own[inside]
        filled, total = np.bincount(space, length > 0), np.bincount(own[inside], sizes[inside])
        at = places_among(self.nums, num)
        held = (at >= 0) & inside[at]
        often = np.bincount(session[at[held]] * terms + place[held] - 1, count[held])
        talk, place = np.divmod(np.flatnonzero(often), terms)
        of, own = space[talk] * terms + place, space[talk]
        return talk, place + 1, often[often > 0], length[talk], filled[own], total[own], np.bincount(of)[of]


def _session_scores(terms: Mapping[str, float], sessions: Ints, found: Sequence[Any]) -> Floats:
    """Return the BM25 scores of sessions by their numbers, -1 for none, from the rows with terms."""
    talk, place, count, length, filled, total, holding = map(_array, found)
    number = np.maximum(filled, 1).astype(np.float64)
    norm = SESSION_K1 * (1 - SESSION_B + SESSION_B * length / np.maximum(total / number, 1.0))
    weights = np.array([*terms.values()])[place - 1] * idf(number, holding)
    most = int(max(talk.max(initial=-1), sessions.max(initial=0)))
    scores = weights * (count * (SESSION_K1 + 1) / (count + norm))
    return np.bincount(talk, scores, minlength=most + 2)[sessions].astype(np.float32)  # the last: none


def _coded(codes: dict[Any, int], values: Sequence[Any]) -> Ints:
    """Return the code of each value, new ones included, -1 for None."""
    different = dict.fromkeys(values)
    for value in different:
        if value is not None:
            codes.setdefault(value, len(codes))
    if len(different) == 1:  # as in most columns
        return np.full(len(values), {**codes, None: -1}[values[0]])
    return np.fromiter(map({**codes, None: -1}.__getitem__, values), np.int64, len(values))
