"""The verbs that change rows, for every engine; an engine says how a statement runs, and writes its own vectors."""

from __future__ import annotations

import uuid
from abc import abstractmethod
from collections.abc import Iterable, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any

from engrain.arrays import Floats, np
from engrain.graphrows import EntityRow
from engrain.model.filters import Condition
from engrain.storerows import Posting, Record, Row, Vector
from engrain.stores import sql, tables
from engrain.stores.bound import check_org, check_rows
from engrain.stores.sql_read import Names, SQLReader

_MARKS = ", ".join("?" * len(tables.MEMORY_COLUMNS))
_INSERT = f"INSERT INTO memory ({', '.join(tables.MEMORY_COLUMNS)}) VALUES ({_MARKS})"
_REPLACE = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in tables.MEMORY_COLUMNS[1:])} WHERE num = ?"
_ENTITY = tables.TABLES[EntityRow]


class SQLTransaction(SQLReader):
    """A view that may also write. It sees its own changes; nobody else does before the commit."""

    _counted: tuple[str, ...] = ("tally",)  # tables in which the engine counts by namespace

    def __init__(self, names: Names, org: str | None) -> None:
        super().__init__(names, org)
        self._numbers: dict[tuple[str, str | None], int] = {}

    @abstractmethod
    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        """Carry out a statement; return how many rows it changed."""

    @abstractmethod
    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Carry out a statement for each of many rows."""

    @abstractmethod
    def _free(self, count: int) -> Sequence[int]:
        """Return so many numbers for new records, rising, that no record has or had."""

    @abstractmethod
    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        """Keep vectors by one embedder, whose `values`, of length 1, are given row by row."""

    @abstractmethod
    def _moved(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        """Note that rows, by namespace and number, will say something new; `text` where it is their text."""

    @abstractmethod
    def _forget(self) -> None:
        """Drop what was found: searches after this shall see what was written."""

    def _conflict(self, table: tables.Table) -> tuple[str, ...]:
        """Return the columns whose values no two rows of a table share."""
        return table.key

    def namespace(self, org: str, user: str | None) -> int:
        """Return the number of the namespace, making it when new."""
        check_org(self._org, org)
        key = (org, user)
        if key in self._numbers:
            return self._numbers[key]
        found = self._named(org, user)
        if not found:
            self._walls.clear()
            found = self._ask('INSERT INTO namespace (org, "user") VALUES (?, ?) RETURNING id', key)
        number = self._numbers[key] = int(found[0][0])
        self._names[number] = key
        return number

    def put(self, *rows: Row) -> Sequence[int]:
        """Insert rows, or replace those of the same key; return the numbers of the records and entities among them."""
        check_rows(self._org, rows)
        self._forget()
        nums: list[int] = []
        for kind, same in groupby(rows, type):
            if kind is Record:
                nums += self._put_records([row for row in same if isinstance(row, Record)])
            elif kind is EntityRow:
                nums += [self._ask(*_inserted(_ENTITY, row, " RETURNING id"))[0][0] for row in same]
            elif kind is Vector:
                self._put_unit_vectors([row for row in same if isinstance(row, Vector)])
            else:
                self._put_rows(kind, list(same))
        return nums

    def _put_rows(self, kind: type, rows: Sequence[Row]) -> None:
        table = tables.TABLES[kind]
        tail = _replacing(table, self._conflict(table)) if table.replaces else ""
        values = list(map(table.encode, rows))
        if kind is Posting:
            values.sort(key=itemgetter(1))  # by term, the order of the table: fewer pages are touched
            self._moved(((row.namespace, row.num) for row in rows if isinstance(row, Posting)), text=True)
        for width, some in groupby(values, key=lambda row: len(row) - (table.numbered and row[-1] is None)):
            columns = ", ".join(map(sql.called, table.columns[:width]))
            marks = ", ".join("?" * width)
            self._do_all(f"INSERT INTO {table.name} ({columns}) VALUES ({marks}){tail}", [row[:width] for row in some])

    def _put_records(self, records: Sequence[Record]) -> list[int]:
        spaces = {(r.memory.scope.org, r.memory.scope.user) for r in records}
        numbers = {key: self.namespace(*key) for key in spaces}
        free = iter(self._free(sum(not record.num for record in records)))
        new, nums = [], []
        for record in records:
            namespace = numbers[record.memory.scope.org, record.memory.scope.user]
            values = tables.encode_record(record, namespace)
            if record.num:
                self._moved([(namespace, record.num)])
                self._do(_REPLACE, (*values[1:], record.num))
                nums.append(record.num)
            else:
                nums.append(next(free))
                new.append((nums[-1], *values[1:]))
        if new:
            self._do_all(_INSERT, new)
        return nums

    def _put_unit_vectors(self, vectors: Sequence[Vector]) -> None:
        for embedder, same in groupby(vectors, key=attrgetter("embedder")):
            batch = list(same)
            values: Any = np.stack([np.asarray(vector.values, np.float32) for vector in batch])
            if not np.isfinite(values).all():
                raise ValueError(f"{embedder} gave a vector that is not finite")
            norms = np.linalg.norm(values, axis=1, keepdims=True)
            self._put_vectors(embedder, batch, values / np.where(norms > 0, norms, 1))
            self._moved(((vector.namespace, vector.num) for vector in batch), text=True)

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        """Set columns of the rows that pass; return how many there were."""
        self._forget()
        clause, params = self._where(where)
        if kind is Record:
            self._noted("memory", clause, params)
        columns = ", ".join(f"{sql.called(column)} = ?" for column in changes)
        values = [tables.stored(value) for value in changes.values()]
        return self._do(f"UPDATE {self._table(kind)} SET {columns} WHERE {clause}", [*values, *params])

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        """Remove the rows that pass; return how many there were."""
        self._forget()
        clause, params = self._where(where)
        if kind is Vector:
            return self._delete_vectors(clause, params)
        name = self._table(kind)
        if kind in (Record, Posting):
            self._noted(name, clause, params, text=True)
        return self._do(f"DELETE FROM {name} WHERE {clause}", params)

    @abstractmethod
    def _delete_vectors(self, clause: str, params: sql.Params) -> int:
        """Remove the vectors that pass; return how many there were."""

    def _noted(self, name: str, clause: str, params: sql.Params, *, text: bool = False) -> None:
        """Note which rows of a table will change, where an engine wants to know."""

    def users(self, org: str) -> Sequence[str | None]:
        """Return the users of an org that have a namespace, None for what carries no user."""
        check_org(self._org, org)
        return [user for (user,) in self._ask('SELECT "user" FROM namespace WHERE org = ? ORDER BY id', (org,))]

    def abandon(self, org: str, user: str | None) -> bool:
        """Give up the name of a namespace that holds nothing any more; its number is never used again."""
        if user is None:
            return False
        number = self.namespace(org, user)
        held = (f"SELECT 1 FROM {name} WHERE ns = ?" for name in ("memory", "entity", "conversation", "merge"))
        if self._ask(f"SELECT EXISTS ({' UNION '.join(held)})", [number] * 4)[0][0]:
            return False
        for name in self._counted:
            self._do(f"DELETE FROM {name} WHERE ns = ?", (number,))
        name = f"erased {uuid.uuid4().hex}"
        self._do('UPDATE namespace SET "user" = ? WHERE id = ?', (name, number))
        self._numbers.pop((org, user))
        self._names[number] = (org, name)
        self._walls.clear()
        return True


def _inserted(table: tables.Table, row: Row, tail: str) -> tuple[str, tuple[Any, ...]]:
    values = table.encode(row)
    values = values[:-1] if table.numbered and values[-1] is None else values
    columns = ", ".join(map(sql.called, table.columns[: len(values)]))
    return f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join('?' * len(values))}){tail}", values


def _replacing(table: tables.Table, key: Sequence[str]) -> str:
    """Return what makes an INSERT overwrite the row of the same key."""
    others = [sql.called(column) for column in table.columns if column not in key]
    setting = f"UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in others)}" if others else "NOTHING"
    return f" ON CONFLICT ({', '.join(map(sql.called, key))}) DO {setting}"
