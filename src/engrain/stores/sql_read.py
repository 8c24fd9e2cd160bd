"""The verbs that find rows, for every engine: what is asked, of which table, inside which walls."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar, cast

from engrain.graphrows import MentionRow
from engrain.model.filters import Condition, Filter
from engrain.model.memory import Job
from engrain.storerows import Record, Revision, Row, Vector
from engrain.stores import sql, sql_ties, tables
from engrain.stores.bound import own
from engrain.stores.sql_graph import SQLGraph
from engrain.stores.sql_jobs import jobs_of
from engrain.turnrows import TurnRow

R = TypeVar("R")
_MEMORY = ", ".join(tables.MEMORY_COLUMNS)
_ORDERS = (
    "recorded_at updated_at valid_from importance confidence num position access_count used_at due_at noted unlearnt"
)
_FINDABLE = sorted(_ORDERS.split())
Names = dict[int, tuple[str, str | None]]


class SQLReader(SQLGraph):
    """A view that finds rows by SQL; an engine says how it asks, and adds its searches.

    `org` is whose rows it is about, None for all. `names` are the org and user of namespaces by number, as far as they
    are known.
    """

    def __init__(self, names: Names, org: str | None) -> None:
        self._names, self._org = names, org
        self._walls: dict[tuple[str, str | None, bool], list[int]] = {}

    @abstractmethod
    def _vectors(self) -> tuple[str, str]:
        """Return the table of vectors and the columns of a `Vector`, its values last as `_values` reads them."""

    @abstractmethod
    def _values(self, stored: Any) -> Any:
        """Read the values of a vector."""

    def find(
        self, kind: type[R], where: Filter | Sequence[Condition] = (), *, order: str = "num", limit: int | None = None
    ) -> list[R]:
        """Return rows of one kind; records come with their links. A `Filter` walls revisions by their memories."""
        clause, params = self._where(where, kind)
        tail = "" if limit is None else f" LIMIT {int(limit)}"
        if kind is Record:
            by = sql.ordering(order, _FINDABLE)
            rows = self._ask(f"SELECT {_MEMORY}, {sql_ties.TIED} FROM memory WHERE {clause} {by}{tail}", params)
            viewer = where.agent if isinstance(where, Filter) else None
            with self._legible():
                return cast(list[R], self._records(rows, viewer))
        if kind is Vector:
            name, columns = self._vectors()
            by = sql.ordering(order, ("ns", "embedder", "num"), ("ns", "embedder", "num"))
            rows = self._raw(f"SELECT {columns} FROM {name} WHERE {clause} {by}{tail}", params)
            with self._legible():
                return cast(list[R], [Vector(ns, code, num, self._values(held)) for ns, code, num, held in rows])
        table = tables.TABLES[kind]
        columns = ", ".join(map(sql.called, (*table.columns, *table.shown)))
        by = sql.ordering(order, table.columns, table.key)
        rows = self._ask(f"SELECT {columns} FROM {table.read_from} WHERE {clause} {by}{tail}", params)
        with self._legible():
            return cast(list[R], list(map(table.decode, rows)))

    def count(
        self, kind: type[Row], where: Filter | Sequence[Condition] = (), *, by: str | None = None
    ) -> Mapping[str, int]:
        """Count rows, in all or by the values of one column."""
        clause, params = self._where(where, kind)
        name = self._vectors()[0] if kind is Vector else self._table(kind)
        if by is None:
            return {"": self._ask(f"SELECT count(*) FROM {name} WHERE {clause}", params)[0][0]}
        column = sql.called(by)
        rows = self._ask(f"SELECT {column}, count(*) FROM {name} WHERE {clause} GROUP BY {column} ORDER BY 1", params)
        return {str(value): number for value, number in rows}

    def highest(self, kind: type[Row], column: str, where: Sequence[Condition]) -> int | None:
        """Return the largest value of a column of whole numbers, None when no row has one."""
        clause, params = self._where(where, kind)
        found = self._ask(f"SELECT max({column}) FROM {self._table(kind)} WHERE {clause}", params)[0][0]
        return None if found is None else int(found)

    def _table(self, kind: type[Row]) -> str:
        return "memory" if kind is Record else tables.TABLES[kind].name

    def _where(self, where: Filter | Sequence[Condition], kind: type[object] = Record) -> tuple[str, sql.Params]:
        if not isinstance(where, Filter):
            return sql.conjunction(where, self._dialect)
        where = own(self._org, where)
        if kind is Job:
            return jobs_of(where, self._walled, self._dialect)
        if kind is MentionRow or (kind is Vector and where.conditions):  # inside a filter when its memory is
            inside, params = self._walled(where)
            return f"num IN (SELECT num FROM memory WHERE {inside})", params
        if kind is TurnRow:  # a turn is inside a filter when its conversation is
            inside, params = self._walled(where)
            return f"conversation IN (SELECT num FROM conversation WHERE {inside})", params
        return self._walled(where, kind)

    def _walled(self, where: Filter, kind: type[object] = Record) -> tuple[str, sql.Params]:
        namespaces = None if own(self._org, where).user is None else self._namespaces(where)
        return sql.scoped(where, namespaces, self._dialect, walled=kind is not Revision)

    def _records(self, rows: Sequence[tuple[Any, ...]], viewer: str | None) -> list[Record]:
        records = [tables.decode_record(row, *self._name(row[2])) for row in rows]
        return sql_ties.tied(self._ask, rows, records, viewer, self._dialect)

    def _name(self, namespace: int) -> tuple[str, str | None]:
        known = self._names.get(namespace)
        if known is None:
            org, user = self._ask('SELECT org, "user" FROM namespace WHERE id = ?', (namespace,))[0]
            known = self._names[namespace] = (org, user)
        return known

    def _named(self, org: str, user: str | None) -> list[tuple[Any, ...]]:
        mine, params = self._dialect.of_user(user)
        return self._ask(f"SELECT id FROM namespace WHERE org = ? AND {mine}", (org, *params))

    def _namespaces(self, where: Filter) -> list[int]:
        wall = (own(self._org, where).org, where.user, where.shared)
        if wall not in self._walls:
            if where.user is None:
                found = [row[0] for row in self._ask("SELECT id FROM namespace WHERE org = ?", (where.org,))]
            elif where.shared:
                mine = self._namespaces(replace(where, shared=False, conditions=()))
                found = [*mine, *(row[0] for row in self._named(where.org, None))]
            else:
                found = [row[0] for row in self._named(where.org, where.user)]
            self._walls[wall] = sorted(found)
        return self._walls[wall]
