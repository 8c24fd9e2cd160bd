"""The reader on SQLite: rows and searches on one connection, with the in-process search index."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, NamedTuple

from engrain.errors import StoreCorrupt
from engrain.lazy import Floats, Ints, np
from engrain.model.filters import Condition, Filter, Meta, Tagged
from engrain.storage.index import columns as column_arrays
from engrain.storage.index.columns import CONVERSATION, RANKED_AS, IndexChanges, IndexKey, IndexVersion, PassingRows
from engrain.storage.index.namespaces import NamespaceIndex, best, merged, unit_vector
from engrain.storage.interface import batches
from engrain.storage.rows import Columns, Description, Ranked, TextStats, distinct, legible, stored
from engrain.storage.sql import reader
from engrain.storage.sql.copying import COPIED, NUMBERED, Copied, CopyingReader, Pages
from engrain.storage.sql.reader import FALSE, NULL, NUMBER, TEXT, TRUE, Names, Params, Scope, check_org, json_kind

Embedders = dict[str, tuple[int, int]]
"""The numbers and the dimensions of embedders, which never change once they are committed."""
_AT_ONCE = 4096  # rows read at a time: a large namespace is never in memory twice
_EXPRESSIONS = {
    **{name: f"coalesce({name}, {column_arrays.UNSET})" for name in column_arrays.TIMES},
    "position": "coalesce(position, -1)",
    "superseded": "CASE WHEN superseded_by IS NULL THEN NULL ELSE 1 END",
    CONVERSATION: "CASE WHEN session IS NULL THEN NULL ELSE ns || ' ' || session END",
}
LAST_NUM = "SELECT max(seq, coalesce((SELECT max(num) FROM memory), 0)) FROM sqlite_sequence WHERE name = 'memory'"
_STATES = (
    "SELECT id, org, user, coalesce((SELECT max(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT min(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT max(num) FROM memory WHERE ns = namespace.id), 0), "
    f"({LAST_NUM}) FROM namespace WHERE "
)
_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_KINDS = {TEXT: "= 'text'", NUMBER: "IN ('integer', 'real')", TRUE: "= 'true'", FALSE: "= 'false'", NULL: "= 'null'"}
_PARENTS = 50  # rows whose children are read at once
_MANY = 17  # namespaces of an org from which on they are indexed together
_as_json = json.JSONEncoder(ensure_ascii=False).encode


class _State(NamedTuple):
    """A namespace in the state of a view; `given` is the highest row number ever assigned in the file."""

    namespace: int
    org: str
    user: str | None
    latest_change: int
    oldest_change: int
    last_row: int
    given: int | None


class SQLiteIndexSource:
    """The source of the index for a file, through one connection and its transaction."""

    def __init__(self, connection: sqlite3.Connection, embedders: Embedders) -> None:
        self._connection, self._find, self._embedders = connection, connection.execute, embedders
        self.owners: dict[IndexKey, tuple[str, str | None]] = {}  # of the namespaces whose changes this view read
        self._version: int | None = None

    @property
    def state(self) -> tuple[Hashable, int] | None:
        """The version of the file that this view sees, as its connection counts them; None outside a transaction."""
        if not self._connection.in_transaction:
            return None
        if self._version is None:
            self._version = int(self._find("PRAGMA data_version").fetchone()[0])
        return self._connection, self._version

    def changes_since(self, key: IndexKey, version: IndexVersion | None) -> IndexChanges | None:
        of, value = ("org = ?", key) if isinstance(key, str) else ("id = ?", key)
        states = [_State._make(row) for row in self._find(_STATES + of, (value,))]
        self.owners.update({state.namespace: (state.org, state.user) for state in states})
        latest = {state.namespace: state.latest_change for state in states}
        now = IndexVersion(latest, max((state.last_row for state in states), default=0))
        if version is None:
            return IndexChanges(now, added=self._rows_after(key, 0), reloaded=True)
        seen = version.changes
        given = states[0].given if states else self._find(f"SELECT ({LAST_NUM})").fetchone()[0]
        if version.last_row > (given or 0) or any(seq > now.changes.get(ns, 0) for ns, seq in seen.items()):
            return None
        moved = [state for state in states if state.latest_change > seen.get(state.namespace, 0)]
        if any(state.oldest_change > seen.get(state.namespace, 0) + 1 for state in moved):
            return IndexChanges(now, added=self._rows_after(key, 0), reloaded=True)  # the log was cut since
        changed = [row for state in moved for row in self._changed(key, state.namespace, version)]
        last = max(now.last_row, version.last_row)  # it may have been deleted since
        added = self._rows_after(key, version.last_row) if now.last_row > version.last_row else ()
        return IndexChanges(IndexVersion(now.changes, last), changed, added)

    def _changed(
        self, key: IndexKey, namespace: int, version: IndexVersion
    ) -> list[tuple[int, bool, Sequence[Any] | None]]:
        found = self._find(
            f"SELECT c.num, c.text, memory.num IS NULL, {_columns(key)} FROM "
            "(SELECT num, max(text) AS text FROM change WHERE ns = ? AND seq > ? AND num <= ? GROUP BY num) c "
            "LEFT JOIN memory ON memory.num = c.num ORDER BY c.num",
            (namespace, version.changes.get(namespace, 0), version.last_row),
        )
        return [(num, bool(text), None if gone else row) for num, text, gone, *row in found]

    def _rows_after(self, key: IndexKey, row: int) -> Iterator[Sequence[Sequence[Any]]]:
        where, params = _inside(key, None)
        if row:
            where = "+" + where  # the new rows are at the end of the table: no index finds them sooner
        found = self._find(f"SELECT {_columns(key)} FROM memory WHERE {where} AND num > ? ORDER BY num", (*params, row))
        while rows := found.fetchmany(_AT_ONCE):
            yield rows

    def postings(
        self, key: IndexKey, since: Mapping[str, int], namespaces: Sequence[int] | None
    ) -> Iterable[tuple[str, Ints, Floats]]:
        """Return the rows with terms; a list comes as two texts, since one object per number takes twice the time."""
        where, params = _inside(key, namespaces)
        new = [term for term, row in since.items() if not row]
        known = {term: row for term, row in since.items() if row}
        parts, values = [], []
        for terms, row in ((new, 0), (list(known), min(known.values(), default=0))):
            if terms:
                parts.append(
                    f"SELECT term, num, count FROM posting_by_term WHERE {where} "
                    "AND term IN (SELECT value FROM json_each(?)) AND num > ?"
                )
                values += [*params, json.dumps(terms, ensure_ascii=False), row]
        listed = " UNION ALL ".join(parts)
        grouped = f"SELECT term, json_group_array(num), json_group_array(count) FROM ({listed}) GROUP BY term"
        found = self._find(grouped, values)
        by_term = {term: (_numbers(nums, np.int64), _numbers(counts, np.float32)) for term, nums, counts in found}
        newer = f"SELECT num, terms FROM posting_by_memory WHERE {where} AND num > ?"
        newest = self._find(newer, (*params, min(since.values()))).fetchall()
        none = (np.zeros(0, np.int64), np.zeros(0, np.float32))
        for term in since:
            nums, counts = by_term.get(term, none)
            if found_in := holding(newest, term):
                more = np.array(found_in, np.int64)
                nums, counts = np.append(nums, more[:, 0]), np.append(counts, more[:, 1].astype(np.float32))
            yield term, nums, counts

    def vectors(
        self, key: IndexKey, embedder: str, after: int, namespaces: Sequence[int] | None
    ) -> Iterator[tuple[Ints, Floats]]:
        known = self.embedder(embedder)
        if known is None:
            return
        where, params = _inside(key, namespaces)
        newer = f"SELECT num, v FROM vector WHERE {where} AND embedder = ? AND num > ?"
        found = self._find(newer, (*params, known[0], after))
        while rows := found.fetchmany(_AT_ONCE):
            yield _matrix(rows, known[1])

    def vectors_of(self, key: IndexKey, embedder: str, nums: Ints) -> tuple[Ints, Floats]:
        known = self.embedder(embedder)
        if known is None or not len(nums):
            return _matrix([], known[1] if known else 0)
        some, listed = json.dumps(np.sort(nums).tolist()), "(SELECT value FROM json_each(?))"
        among, of = f"ns = ? AND num IN {listed}", [key, some]
        if isinstance(key, str):
            among, of = f"(ns, num) IN (SELECT ns, num FROM memory WHERE num IN {listed})", [some]
        vectors = f"SELECT num, v FROM vector WHERE {among} AND embedder = ?"
        return _matrix(self._find(vectors, (*of, known[0])).fetchall(), known[1])

    def block(self, key: IndexKey) -> Mapping[str, bytes]:
        if isinstance(key, str):
            return {}
        return dict(self._find("SELECT part, data FROM index_block WHERE ns = ?", (key,)).fetchall())

    def embedder(self, name: str) -> tuple[int, int] | None:
        """Return the number and the dimensions of an embedder; None if it is unused."""
        if name not in self._embedders:
            row = self._find("SELECT id, dimensions FROM embedder WHERE name = ?", (name,)).fetchone()
            if row is None:
                return None
            self._embedders[name] = (row[0], row[1])
        return self._embedders[name]


def written(term: str) -> str:
    """Return the text that precedes the count of a term in a memory's row of postings, and of no other."""
    return f",{_as_json(term)}:"


def holding(memories: Sequence[tuple[int, str]], term: str) -> list[tuple[int, int]]:
    """Return the memories with a term, and its counts, from their rows of postings."""
    mark = written(term)
    found = ((num, terms.partition(mark)[2]) for num, terms in memories if mark in terms)
    return [(num, int(rest.partition(",")[0])) for num, rest in found]


def _columns(key: IndexKey) -> str:
    return ", ".join(_EXPRESSIONS.get(name, f"memory.{name}") for name in column_arrays.column_names(key))


def _inside(key: IndexKey, namespaces: Sequence[int] | None) -> tuple[str, list[Any]]:
    """Return an SQL condition on `ns` and its values."""
    if not isinstance(key, str):
        return "ns = ?", [key]
    if namespaces is not None:
        return "ns IN (SELECT value FROM json_each(?))", [json.dumps(list(namespaces))]
    return "ns IN (SELECT id FROM namespace WHERE org = ?)", [key]


def _matrix(rows: Sequence[tuple[int, bytes]], dimensions: int) -> tuple[Ints, Floats]:
    nums = np.array([num for num, _ in rows], np.int64)
    vectors: Any = np.frombuffer(b"".join(v for _, v in rows), np.float16).reshape(len(rows), dimensions)
    return nums, vectors


def _numbers(listed: str, kind: Any) -> Any:
    return np.fromstring(listed[1:-1], kind, sep=",") if len(listed) > 2 else np.zeros(0, kind)


class SQLiteDialect(reader.Dialect):
    """SQLite's SQL; JSON conditions are 1 or 0, never NULL."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """Return a comparison with 1, 2, 4 or 8 values, the last repeated, or with a longer list as one JSON text."""
        if len(values) > 8:  # values of a list; longer lists are bound as one JSON text
            return "IN (SELECT value FROM json_each(?))", [_as_json(list(values))]
        size = 1 << (len(values) - 1).bit_length()
        text = "= ?" if size == 1 else f"IN ({', '.join('?' * size)})"
        return text, [*values, *[values[-1]] * (size - len(values))]

    def tagged(self, test: Tagged) -> tuple[str, Params]:
        """Return the condition that any, or every one, of the tags in a JSON list is present."""
        wanted = list(dict.fromkeys(test.tags))
        listed = json.dumps(wanted, ensure_ascii=False)
        found = "FROM json_each(tags) WHERE value IN (SELECT value FROM json_each(?))"
        if test.every:
            return f"(SELECT count(DISTINCT value) {found}) = ?", [listed, len(wanted)]
        return f"EXISTS (SELECT 1 {found})", [listed]

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """Return a comparison with the value under a key; any JSON key is allowed."""
        kinds = reader.json_kinds(test)
        values: Params = []
        if test.op in ("in", "nin"):
            of_kind = [[value for value in test.value if json_kind(value) == kind] for kind in (TEXT, NUMBER)]
            values = [json.dumps(each, ensure_ascii=False) for each in of_kind if each]
        elif test.op != "exists" and kinds[0] in (TEXT, NUMBER):
            values = [test.value] * (2 if test.op == "contains" and kinds[0] == TEXT else 1)
        text = f"EXISTS (SELECT 1 FROM json_each(metadata) m WHERE m.key = ? AND {_comparison(test.op, kinds)})"
        negated = test.op in ("ne", "nin") or (test.op == "exists" and FALSE in kinds)
        return f"NOT {text}" if negated else text, [test.key, *values]

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return the elements of a JSON list as a table."""
        return "json_each(?)", [json.dumps(list(numbers))]

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return the only form of the condition for which the unique index is used."""
        return """coalesce("user", '') = ? AND ("user" IS NULL) = ?""", [user or "", user is None]

    def json_rows(self, *columns: str) -> str:
        """Return one JSON list of lists; it is NULL when there is no row."""
        return f"CASE count(*) WHEN 0 THEN NULL ELSE json_group_array(json_array({', '.join(columns)})) END"

    def by_index(self, name: str) -> str:
        """Return the clause that names the index."""
        return f"INDEXED BY {name}"

    def tested(self, condition: str) -> str:
        """Return the condition with a sign before it, which keeps it from being looked up in an index."""
        return f"+{condition}"


DIALECT = SQLiteDialect()


def _comparison(op: str, kinds: tuple[str, ...]) -> str:
    """Return the SQL condition on an element `m` of the metadata."""
    if op == "exists":
        return "1=1"
    if op in ("in", "nin"):
        # One list for all texts and one for all numbers: SQLite takes seconds to plan hundreds of comparisons.
        among = dict.fromkeys((TEXT, NUMBER), " AND m.atom IN (SELECT value FROM json_each(?))")
        tests = [f"(m.type {_KINDS[kind]}{among.get(kind, '')})" for kind in kinds]
        return f"({' OR '.join(tests) or '1=0'})"
    (kind,) = kinds
    if op == "contains":
        inside = f"(m.type = 'array' AND EXISTS (SELECT 1 FROM json_each(m.value) c WHERE {_equal(kind, 'c')}))"
        return f"({inside} OR (m.type = 'text' AND instr(m.atom, ?) > 0))" if kind == TEXT else inside
    return _equal(kind, "m", "=" if op in ("eq", "ne") else _COMPARE[op])


def _equal(kind: str, element: str, sign: str = "=") -> str:
    compared = f" AND {element}.atom {sign} ?" if kind in (TEXT, NUMBER) else ""
    return f"({element}.type {_KINDS[kind]}{compared})"


@dataclass(slots=True)
class Memo:
    """A process's cache for a file: owners of namespaces, numbers of embedders, and the last indexes searched."""

    names: Names = field(default_factory=Names)
    embedders: Embedders = field(default_factory=dict)
    scopes: dict[Scope, list[IndexKey]] = field(default_factory=dict)


class SQLiteReader(CopyingReader):
    """A consistent view of the file, searching in the process's indexes."""

    _dialect = DIALECT
    _vectors = "vector_view"

    def __init__(
        self, connection: sqlite3.Connection, indexes: Callable[[IndexKey], NamespaceIndex], memo: Memo, org: str | None
    ) -> None:
        super().__init__(memo.names, org)
        self._connection, self._memo = connection, memo
        self._source, self._indexes, self._held = SQLiteIndexSource(connection, memo.embedders), indexes, ExitStack()
        self._locked: dict[IndexKey, NamespaceIndex] = {}
        self._fresh = False  # whether the locked indexes are at this view
        self._looked = False  # whether anything of this view was read yet
        self._places: dict[tuple[int, int, int], tuple[Ints, Ints, Ints | slice]] = {}
        self._passing: dict[tuple[int, int], tuple[Filter, PassingRows]] = {}
        self._asked: tuple[Filter, list[NamespaceIndex]] | None = None

    def close(self) -> None:
        """Release the indexes that were read."""
        self._held.close()
        self._locked.clear()
        self._fresh = False
        self._passing.clear()
        self._places.clear()
        self._asked = None

    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._looked = True
        return self._connection.execute(statement, params).fetchall()

    _raw = _ask

    def _holders(self, namespace: str, terms: Sequence[str], rows: int) -> tuple[str, Params]:
        rows_of = f"SELECT num FROM posting_by_term WHERE ns = {namespace} AND term = t.value ORDER BY num LIMIT ?"
        query = (
            f"SELECT t.value AS term, (SELECT group_concat(num) FROM ({rows_of})) AS nums FROM json_each(?) t "
            f"UNION ALL SELECT '', group_concat(num || terms, '\n') FROM posting_by_memory WHERE ns = {namespace}"
        )
        return query, [rows, _as_json(list(terms))]

    def _rows_holding(self, found: Mapping[str, str | None], terms: Sequence[str], rows: int) -> list[list[int]]:
        by_term, lines = super()._rows_holding(found, terms, rows), (found.get("") or "").split("\n")
        try:
            newest = [(int(line[: line.index(",")]), line) for line in lines if line]
        except ValueError as error:
            raise StoreCorrupt(f"holds postings that make no sense ({error}): restore a snapshot of it") from error
        more = ([num for num, line in newest if mark in line] for mark in map(written, terms))
        return [sorted(known + new)[:rows] if new else known for known, new in zip(by_term, more, strict=True)]

    def _values(self, stored: Any) -> Any:
        return np.frombuffer(stored, np.float16).astype(np.float32)

    def _searched(self, where: Filter) -> list[NamespaceIndex]:
        """Return the indexes that a filter is searched in; a query repeats the same filter."""
        if self._asked is None or self._asked[0] is not where:
            check_org(self._org, where.org, "a filter")
            self._asked = where, self._open(where)
        return self._asked[1]

    def _open(self, where: Filter) -> list[NamespaceIndex]:
        if self._connection.in_transaction and not self._looked:
            return self._open_first(where)
        keys = self._keys(where)
        self._refresh(keys)
        return [self._locked[key] for key in keys]

    def _open_first(self, where: Filter) -> list[NamespaceIndex]:
        """Lock and open the indexes before the view begins; begin again if they were read meanwhile."""
        scope = (where.org, where.user, where.shared)
        if keys := self._memo.scopes.get(scope):
            self._hold(keys)
            self._refresh(keys)
            if self._is_current(where, keys):
                return [self._locked[key] for key in keys]
        found = self._keys(where)
        if not found:
            return []
        self._memo.scopes[scope] = found
        self.close()
        self._connection.execute("COMMIT")
        self._connection.execute("BEGIN")
        self._source = SQLiteIndexSource(self._connection, self._memo.embedders)
        self._forget_scopes()
        self._looked = False
        return self._open_first(where)

    def _is_current(self, where: Filter, keys: list[IndexKey]) -> bool:
        """Return whether these are still the indexes for a filter: without a query where their owner was just read."""
        if where.user is None or where.shared or self._source.owners.get(keys[0]) != (where.org, where.user):
            return self._keys(where) == keys
        self._scope_numbers[where.org, where.user, where.shared] = [key for key in keys if isinstance(key, int)]
        return True

    def _keys(self, where: Filter) -> list[IndexKey]:
        """Return the keys to search: the numbers of namespaces, or an org with many."""
        if where.user is not None:
            return [*self._namespaces(where)]
        few = self._ask(f"SELECT id FROM namespace WHERE org = ? LIMIT {_MANY}", (where.org,))
        return [where.org] if len(few) == _MANY else sorted(number for (number,) in few)

    def _hold(self, wanted: Iterable[IndexKey]) -> None:
        """Take the locks of exactly these indexes, always in the same order."""
        self.close()
        for key in sorted(set(wanted), key=lambda key: (isinstance(key, str), key)):
            index = self._indexes(key)
            self._held.enter_context(index.lock)
            if index.busy:  # used by a view around this one, in the same thread
                index = NamespaceIndex(key)
            index.busy = True
            self._held.callback(setattr, index, "busy", False)
            self._locked[key] = index

    def _refresh(self, wanted: Iterable[IndexKey]) -> None:
        """Update the indexes to this view, including those that were requested before."""
        if not self._locked.keys() >= set(wanted):
            self._hold([*self._locked, *wanted])
        if self._fresh:
            return
        self._looked = True
        for key, index in list(self._locked.items()):
            with legible():
                if not index.refresh(self._source):  # another thread reads a later view: use a private one
                    self._locked[key] = index = NamespaceIndex(key)
                    index.refresh(self._source)
        self._fresh = True

    def _holding(self, nums: Ints) -> list[NamespaceIndex]:
        """Return the loaded indexes, after adding those of rows that are in none of them."""
        if sum(len(self._placed(index, nums)[0]) for index in self._locked.values()) < len(nums):
            strange = np.ones(len(nums), np.bool_)
            for _, _, mine in self._having(self._locked.values(), nums):
                strange[mine] = False
            among, params = reader.one_of("num", nums[strange].tolist(), DIALECT)
            self._refresh([number for (number,) in self._ask(f"SELECT DISTINCT ns FROM memory WHERE {among}", params)])
        return list(self._locked.values())

    def _placed(self, index: NamespaceIndex, nums: Ints) -> tuple[Ints, Ints | slice]:
        """Return the indices of rows in an index, and which of them exist; ranking repeats the same request."""
        key = (id(index), id(nums), index.columns.size)
        known = self._places.get(key)
        if known is None:
            places = index.columns.places(nums)
            inside = places >= 0
            mine = slice(None) if inside.all() else np.flatnonzero(inside)
            known = self._places[key] = (nums, places[mine], mine)
        return known[1:]  # cached with the row numbers, so that their id stays unique

    def _having(
        self, indexes: Iterable[NamespaceIndex], nums: Ints
    ) -> Iterator[tuple[NamespaceIndex, Ints, Ints | slice]]:
        """Yield the indexes that have some of the rows, each with the indices of these in it, and which they are."""
        for index in indexes:
            places, mine = self._placed(index, nums)
            if len(places):
                yield index, places, mine

    def _through(self, index: NamespaceIndex, where: Filter) -> PassingRows:
        """Return the rows of an index that pass; a query repeats the same filter."""
        key = (id(index), id(where))
        known = self._passing.get(key)
        if known is None:
            passing = index.masks.passing(where.conditions, lambda test: self._elsewhere(index, test))
            known = self._passing[key] = (where, passing)  # cached with it, so that its id stays unique
        return known[1]

    def _elsewhere(self, index: NamespaceIndex, test: Condition) -> Ints:
        """Return the rows of an index that pass a condition on data outside of it."""
        inside, key = _inside(index.columns.key, None)
        clause, params = reader.compile_conditions((test,), DIALECT)
        found = self._connection.execute(f"SELECT num FROM memory WHERE {inside} AND {clause}", key + params)
        return np.fromiter((row[0] for row in found), np.int64)

    def actors(self, where: Filter) -> Sequence[str]:
        indexes = self._searched(where)
        return list(dict.fromkeys(name for index in indexes for name in self._through(index, where).actors))

    def search_time(
        self, where: Filter, *, limit: int, since: datetime | None = None, until: datetime | None = None
    ) -> Ints:
        found = [(np.zeros(0, np.int64), np.zeros(0, np.int64))]
        for index in self._searched(where):
            times, inside = index.columns["valid_from"], self._through(index, where).mask
            if since is not None:
                inside = inside & (times >= stored(since))
            if until is not None:
                inside = inside & (times < stored(until))
            places = np.flatnonzero(inside)
            found.append((index.columns["num"][places], times[places]))
        nums, times = (np.concatenate(each) for each in zip(*found, strict=True))
        if 0 < limit < len(times):  # ties at the cut included: the order decides between them
            kept = np.flatnonzero(times >= np.partition(times, len(times) - limit)[len(times) - limit])
            nums, times = nums[kept], times[kept]
        return np.asarray(nums[np.lexsort((-nums, -times))[: max(limit, 0)]], np.int64)

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        indexes, found = self._searched(where), []
        for index in indexes if limit > 0 else ():
            with legible():
                scores = index.postings.scores(self._source, terms)
            passing = (scores > 0) & self._through(index, where).mask
            if np.count_nonzero(passing) <= _AT_ONCE or not passing[top := best(scores, limit)].all():
                places = np.flatnonzero(passing)  # which takes long where they are many
                top = places[best(scores[places], limit)]
            found.append((index.columns["num"][top], scores[top]))
        documents = sum(index.columns.count for index in indexes)
        length = sum(float(index.columns.totals()[1].sum()) for index in indexes)
        with legible():
            lists = [index.postings.read(self._source, terms) for index in indexes]
        frequency = {term: sum(len(each[place].rows) for each in lists) for place, term in enumerate(terms)}
        return merged(found, limit)._replace(stats=TextStats(documents, length / max(documents, 1), frequency))

    def search_vector(self, embedder: str, vector: Floats, where: Filter, *, limit: int) -> Ranked:
        indexes, known = self._searched(where), self._source.embedder(embedder)
        if known is None or limit <= 0:
            return merged([], limit)
        found = []
        for index in indexes:
            unit, mask = unit_vector(vector, known[1]), self._through(index, where).mask
            with legible():
                places, scores = index.vectors(self._source, embedder, known[1]).search(self._source, unit, mask, limit)
            found.append((index.columns["num"][places], scores))
        return merged(found, limit)

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
        similar = merged([], 0)
        if nearest and embedder is not None and vector is not None:
            similar = self.search_vector(embedder, vector, where, limit=nearest)
            nums = distinct(nums, similar.nums)
        nums, around = self._around(nums, where, span, np.zeros(0, np.int64) if lenders is None else lenders)
        rows, words = distinct(nums, around), terms or {}
        compared = distinct(nums, around[:, span - 1 : span + 1] if span else around)
        with legible():
            columns, gains = self._columns(rows), self._gains(tuple(words), rows)
            sessions = self._session_scores(words if any(words.values()) else {}, where, nums)
        cosines = np.full(len(rows), np.nan, np.float32)
        if embedder is not None and vector is not None:
            cosines[np.searchsorted(rows, compared)] = self._cosines(embedder, vector, compared)
        return Description(rows, around, columns, gains, cosines, sessions, nums, similar)

    def _around(self, nums: Ints, where: Filter, span: int, lenders: Ints) -> tuple[Ints, Ints]:
        if len(lenders):
            nums = distinct(nums, self._around(lenders, where, span, lenders[:0])[1])
        around, indexes = np.full((len(nums), 2 * span), -1, np.int64), self._searched(where)
        for index, places, mine in self._having(indexes if span else (), nums):
            beside = index.columns.neighbours(places, span)
            allowed = (beside >= 0) & self._through(index, where).mask.take(beside)
            around[mine] = np.where(allowed, index.columns["num"].take(beside), -1)
        return nums, around

    def _columns(self, rows: Ints) -> Columns:
        codes, indexes = column_arrays.name_codes(), self._holding(rows)
        parts = [(index.columns, *self._placed(index, rows)) for index in indexes]
        for columns, _, _ in parts:
            columns.add_names(codes)

        def read(name: str) -> Any:
            out = np.zeros(len(rows), RANKED_AS[name])
            for number, (columns, places, mine) in enumerate(parts):  # no two namespaces share a session
                out[mine] = columns.ranked(places, number << 32, codes, name)
            return out

        return column_arrays.ranking_columns(read, codes)

    def _gains(self, terms: Sequence[str], rows: Ints) -> Floats:
        out = np.zeros((len(terms), len(rows)), np.float32)
        for index, places, mine in self._having(self._locked.values() if terms else (), rows):
            out[:, mine] = index.postings.term_scores(self._source, terms, places)
        return out

    def _cosines(self, embedder: str, vector: Floats, rows: Ints) -> Floats:
        out = np.full(len(rows), np.nan, np.float32)
        known = self._source.embedder(embedder)
        if known is not None:
            unit = unit_vector(vector, known[1])
            for index, places, mine in self._having(self._locked.values(), rows):
                with legible():
                    out[mine] = index.vectors(self._source, embedder, len(unit)).cosines(self._source, places, unit)
        return out

    def _session_scores(self, terms: Mapping[str, float], where: Filter, nums: Ints) -> Floats:
        out = np.zeros(len(nums), np.float32)
        for index, places, mine in self._having(self._searched(where) if terms else (), nums):
            codes, scores = index.columns.conversations[places], np.zeros(len(places), np.float32)
            inside, sessions = codes >= 0, self._through(index, where).sessions
            scores[inside] = index.postings.session_scores(self._source, terms, sessions, codes[inside])
            out[mine] = scores
        return out

    def orgs(self) -> list[str]:
        found = self._ask(" UNION ".join(f"SELECT org FROM {each.name}" for each in COPIED if not each.parent))
        return sorted(org for (org,) in found)

    def amount(self) -> int:
        counts = (f"(SELECT count(*) FROM {each.read_from} WHERE {each.condition})" for each in COPIED)
        return int(self._ask(f"SELECT {' + '.join(counts)}")[0][0])

    def numbers(self) -> dict[str, int]:
        last = f"SELECT 'memory', ({LAST_NUM}) UNION ALL SELECT 'revision', max(seq) FROM revision"
        given = dict(self._ask(f"SELECT name, seq FROM sqlite_sequence UNION ALL {last}"))
        return {name: int(given.get(name) or 0) for name in NUMBERED}

    def rows(self, table: Copied, org: str) -> Pages:
        if not table.parent:
            yield from self._pages(table, "org", org)
            return
        for (space,) in self._ask("SELECT id FROM namespace WHERE org = ? ORDER BY id", (org,)):
            if table.parent == "namespace":
                yield from self._pages(table, table.by, space, inside=(space,))
            elif table.parent == "collection":  # one may have more than can be read at once
                for (num,) in self._ask("SELECT num FROM collection WHERE ns = ? ORDER BY num", (space,)):
                    yield from self._pages(table, table.by, num, inside=(space, num))
            else:
                yield from self._children(table, space)

    def _children(self, table: Copied, space: int) -> Pages:
        """Iterate over the parents of a namespace, and read the children of some of them at a time."""
        number = NUMBERED[table.parent]
        # Sorted here: an index of another order would make the planner scan the rows of all namespaces.
        parents = sorted(one for (one,) in self._ask(f"SELECT {number} FROM {table.parent} WHERE ns = ?", (space,)))
        ordered = ", ".join(dict.fromkeys((table.by, *table.key)))
        for some in batches(parents, _PARENTS):
            inside = f"{table.by} IN ({', '.join('?' * len(some))}) AND {table.condition}"
            read = f"SELECT {self._listed(table)} FROM {table.read_from} WHERE {inside} ORDER BY {ordered}"
            if found := self._ask(read, some):
                yield [space, some[-1]], found

    def _expression(self, table: Copied, column: str) -> str:
        if (table.name, column) == ("vector", "embedder"):
            return "(SELECT name FROM embedder e WHERE e.id = vector.embedder)"
        return super()._expression(table, column)
