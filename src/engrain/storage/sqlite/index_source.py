"""How the search index reads an SQLite file, within one view of it."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from engrain.arrays import Floats, Ints, np
from engrain.storage.index.source import CONVERSATION, TIMES, UNSET, IndexChanges, IndexKey, IndexVersion, column_names

Embedders = dict[str, tuple[int, int]]
"""The numbers and the dimensions of embedders, which never change once they are committed."""
_AT_ONCE = 4096  # rows read at a time: a large namespace is never held twice
_EXPRESSIONS = {
    **{name: f"coalesce({name}, {UNSET})" for name in TIMES},
    "position": "coalesce(position, -1)",
    "superseded": "CASE WHEN superseded_by IS NULL THEN NULL ELSE 1 END",
    CONVERSATION: "CASE WHEN session IS NULL THEN NULL ELSE ns || ' ' || session END",
}
_STATES = (
    "SELECT id, org, user, coalesce((SELECT max(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT min(seq) FROM change WHERE ns = namespace.id), 0), "
    "coalesce((SELECT max(num) FROM memory WHERE ns = namespace.id), 0), "
    "(SELECT seq FROM sqlite_sequence WHERE name = 'memory') FROM namespace WHERE "
)


class _State(NamedTuple):
    """A namespace as a view sees it; `given` is the highest row number that was given in the file."""

    namespace: int
    org: str
    user: str | None
    latest_change: int
    oldest_change: int
    last_row: int
    given: int | None


class SQLiteIndexSource:
    """What the index reads of a file, through one connection and its transaction."""

    def __init__(self, connection: sqlite3.Connection, embedders: Embedders) -> None:
        self._connection, self._embedders = connection, embedders
        self.restart()

    def restart(self) -> None:
        """Begin with another view."""
        self.owners: dict[
            IndexKey, tuple[str, str | None]
        ] = {}  # of the namespaces whose changes were read in this view
        self._version: int | None = None

    @property
    def state(self) -> tuple[Hashable, int] | None:
        """The version of the file that this view sees, as its connection counts them; None outside a transaction."""
        if not self._connection.in_transaction:
            return None
        if self._version is None:
            self._version = int(self._connection.execute("PRAGMA data_version").fetchone()[0])
        return self._connection, self._version

    def changes_since(self, key: IndexKey, version: IndexVersion | None) -> IndexChanges | None:
        """Return what has happened since a version; None when this view is older than it."""
        of, value = ("org = ?", key) if isinstance(key, str) else ("id = ?", key)
        states = [_State._make(row) for row in self._connection.execute(_STATES + of, (value,))]
        self.owners.update({state.namespace: (state.org, state.user) for state in states})
        now = IndexVersion(
            {state.namespace: state.latest_change for state in states},
            max((state.last_row for state in states), default=0),
        )
        if version is None:
            return IndexChanges(now, added=self._rows_after(key, 0), reloaded=True)
        seen, given = version.changes, states[0].given if states else self._given()
        if version.last_row > (given or 0) or any(seq > now.changes.get(ns, 0) for ns, seq in seen.items()):
            return None
        moved = [state for state in states if state.latest_change > seen.get(state.namespace, 0)]
        if any(state.oldest_change > seen.get(state.namespace, 0) + 1 for state in moved):
            return IndexChanges(now, added=self._rows_after(key, 0), reloaded=True)  # the log was cut since
        changed = [row for state in moved for row in self._changed(key, state.namespace, version)]
        last = max(now.last_row, version.last_row)  # which may be gone since
        added = self._rows_after(key, version.last_row) if now.last_row > version.last_row else ()
        return IndexChanges(IndexVersion(now.changes, last), changed, added)

    def _given(self) -> int | None:
        row = self._connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'memory'").fetchone()
        return None if row is None else int(row[0])

    def _changed(
        self, key: IndexKey, namespace: int, version: IndexVersion
    ) -> list[tuple[int, bool, Sequence[Any] | None]]:
        found = self._connection.execute(
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
        found = self._connection.execute(
            f"SELECT {_columns(key)} FROM memory WHERE {where} AND num > ? ORDER BY num", (*params, row)
        )
        while rows := found.fetchmany(_AT_ONCE):
            yield rows

    def postings(
        self, key: IndexKey, since: Mapping[str, int], namespaces: Sequence[int] | None
    ) -> Iterable[tuple[str, Ints, Floats]]:
        """Return the rows that hold terms; a list comes as two texts, since an object for each number takes twice."""
        where, params = _inside(key, namespaces)
        new = [term for term, row in since.items() if not row]
        known = {term: row for term, row in since.items() if row}
        parts, values = [], []
        for terms, row in ((new, 0), (list(known), min(known.values(), default=0))):
            if terms:
                parts.append(
                    f"SELECT term, num, count FROM posting WHERE {where} "
                    "AND term IN (SELECT value FROM json_each(?)) AND num > ?"
                )
                values += [*params, json.dumps(terms, ensure_ascii=False), row]
        listed = " UNION ALL ".join(parts)
        found = self._connection.execute(
            f"SELECT term, json_group_array(num), json_group_array(count) FROM ({listed}) GROUP BY term", values
        )
        for term, nums, counts in found:
            yield term, _numbers(nums, np.int64), _numbers(counts, np.float32)

    def vectors(
        self, key: IndexKey, embedder: str, after: int, namespaces: Sequence[int] | None
    ) -> Iterator[tuple[Ints, Floats]]:
        """Return the vectors of rows after one."""
        known = self.embedder(embedder)
        if known is None:
            return
        where, params = _inside(key, namespaces)
        found = self._connection.execute(
            f"SELECT num, v FROM vector WHERE {where} AND embedder = ? AND num > ?", (*params, known[0], after)
        )
        while rows := found.fetchmany(_AT_ONCE):
            yield _matrix(rows, known[1])

    def vectors_of(self, key: IndexKey, embedder: str, nums: Ints) -> tuple[Ints, Floats]:
        """Return the vectors of some rows."""
        known = self.embedder(embedder)
        if known is None or not len(nums):
            return _matrix([], known[1] if known else 0)
        some = json.dumps(nums.tolist())
        if isinstance(key, str):
            joined = "memory m CROSS JOIN vector v ON v.ns = m.ns AND v.num = m.num WHERE m.num"
        else:
            joined = "vector v WHERE v.ns = ? AND v.num"
        found = self._connection.execute(
            f"SELECT v.num, v.v FROM {joined} IN (SELECT value FROM json_each(?)) AND v.embedder = ?",
            (some, known[0]) if isinstance(key, str) else (key, some, known[0]),
        )
        return _matrix(found.fetchall(), known[1])

    def embedder(self, name: str) -> tuple[int, int] | None:
        """Return the number and the dimensions of an embedder; None when nobody has used it."""
        if name not in self._embedders:
            row = self._connection.execute("SELECT id, dimensions FROM embedder WHERE name = ?", (name,)).fetchone()
            if row is None:
                return None
            self._embedders[name] = (row[0], row[1])
        return self._embedders[name]


def _columns(key: IndexKey) -> str:
    return ", ".join(_EXPRESSIONS.get(name, f"memory.{name}") for name in column_names(key))


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
    """Return a JSON list of whole numbers as an array."""
    return np.fromstring(listed[1:-1], kind, sep=",") if len(listed) > 2 else np.zeros(0, kind)
