"""Writing rows by SQL, for every engine; an engine runs the statements and writes its own vectors."""

from __future__ import annotations

import threading
from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextvars import copy_context
from functools import lru_cache
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any, Final, Generic, TypeVar

from engrain.lazy import Floats, np
from engrain.model.filters import Condition, Test, Where
from engrain.model.memory import Status
from engrain.storage import rows as tables
from engrain.storage.interface import Transaction, grouped
from engrain.storage.rows import MEMORY_COLUMNS, TABLES, CounterRow, EntityRow, Head, Record, Row, Table, Vector, called
from engrain.storage.sql.copying import MARKED, Copied, Rows
from engrain.storage.sql.reader import Params, SQLReader, check_org, check_rows

_MARKS = ", ".join("?" * len(MEMORY_COLUMNS))
_INSERT = f"INSERT INTO memory ({', '.join(MEMORY_COLUMNS)}) VALUES ({_MARKS})"
_REPLACE = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in MEMORY_COLUMNS[1:])} WHERE num = ?"
_ENTITY_TABLE, _ACCESS_TABLE = TABLES[EntityRow], TABLES[tables.AccessRow]
_SET_ACCESS = f"UPDATE memory SET {', '.join(f'{name} = ?' for name in _ACCESS_TABLE.columns[3:])} WHERE num = ?"
_COUNTED = ("ns", "agent", "kind", "length", "status", "superseded_by")  # columns of a record that affect counts
_of_counted = itemgetter(*map(MEMORY_COLUMNS.index, _COUNTED))
_ENTITIES_AT_ONCE = 100
_COUNTS = ("documents", "length", "live")  # the counters by namespace, agent and kind
_Counted = tuple[int, str, str]
T = TypeVar("T")
_BATCH = 64  # queued writes that share one commit


class SQLTransaction(SQLReader):
    """A view that may also write. It sees its own changes; others only after the commit."""

    _counted: tuple[str, ...] = ("live",)  # the counters of `_COUNTS` that the engine maintains
    _logs_changes = False  # whether `_moved` needs every change
    _owned: tuple[str, ...] = ()  # the columns before the key of every table without duplicates
    _counts: dict[_Counted, list[int]]

    @abstractmethod
    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        """Run a statement; return how many rows it changed."""

    @abstractmethod
    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        """Run a statement for each of many rows."""

    @abstractmethod
    def _free(self, count: int) -> Sequence[int]:
        """Return `count` unused, ascending numbers for new records."""

    @abstractmethod
    def _dimensions_of(self, embedder: str, wanted: int) -> int:
        """Return the dimensions of an embedder's vectors, which never change; `wanted` if it is new."""

    @abstractmethod
    def _put_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        """Insert vectors by one embedder, whose `values` in 16 bits, of length 1, are given row by row."""

    def _moved(self, rows: Iterable[tuple[int, int]], *, text: bool = False) -> None:
        """Log that rows, by namespace and number, have changed; `text` if their words or vectors have."""

    @abstractmethod
    def _forget(self) -> None:
        """Drop cached results, so that searches after this see what was written."""

    def finish(self) -> None:
        """Write the state kept for the whole transaction; called once, before the commit."""
        self._write_counts()

    def namespace(self, org: str, user: str | None) -> int:
        check_org(self._org, org)
        key = (org, user)
        if key not in self._numbers and self._number(org, user) is None:
            self._forget_scopes()
            made = self._ask('INSERT INTO namespace (org, "user") VALUES (?, ?) RETURNING id', key)
            self._numbers[key] = int(made[0][0])
        self._names[self._numbers[key]] = key
        return self._numbers[key]

    def put(self, *rows: Row) -> Sequence[int]:
        check_rows(self._org, rows)
        self._forget()
        nums: list[int] = []
        for kind, same in groupby(rows, type):
            some: list[Any] = list(same)
            if kind is Record:
                nums += self._put_records(some)
            elif kind is EntityRow:
                nums += self._put_entities(some)
            elif kind is Vector:
                self._put_unit_vectors(some)
            elif kind is tables.AccessRow:
                self._moved((row.ns, row.num) for row in some)
                self._do_all(_SET_ACCESS, [(*_ACCESS_TABLE.encode(row)[3:], row.num) for row in some])
            else:
                self._put_rows(kind, some)
        return nums

    def _put_rows(self, kind: type, rows: Sequence[Any]) -> None:
        table = TABLES[kind]
        if kind is tables.MergeRow:
            self._without_own.clear()
        if kind is Head:
            self._heads.update(((row.org, row.user), row) for row in rows)
        for width, some in groupby(map(table.encode, rows), key=len):
            self._do_all(_insert(table, width, self._owned), list(some))

    def _put_entities(self, rows: Sequence[EntityRow]) -> list[int]:
        """Insert entities in one statement for many; they get their ids in the given order."""
        columns = [name for name in _ENTITY_TABLE.columns if name != "id"]
        found: list[int] = []
        for start in range(0, len(rows), _ENTITIES_AT_ONCE):
            values = [_ENTITY_TABLE.encode(row._replace(id=0)) for row in rows[start : start + _ENTITIES_AT_ONCE]]
            marks = ", ".join([f"({', '.join('?' * len(columns))})"] * len(values))
            made = self._ask(
                f"INSERT INTO entity ({', '.join(columns)}) VALUES {marks} RETURNING id",
                [value for row in values for value in row],
            )
            found += sorted(number for (number,) in made)
        return found

    def _put_records(self, records: Sequence[Record]) -> list[int]:
        numbers = {key: self.namespace(*key) for key in {(r.memory.scope.org, r.memory.scope.user) for r in records}}
        free = iter(self._free(sum(not record.num for record in records)))
        if nums := tuple(record.num for record in records if record.num):
            self._note_change([Test("num", "in", nums)])
        new, put = [], []
        for record in records:
            values = tables.encode_record(record, numbers[record.memory.scope.org, record.memory.scope.user])
            self._count(_of_counted(values))
            if record.num:
                self._do(_REPLACE, (*values[1:], record.num))
                put.append(record.num)
            else:
                put.append(next(free))
                new.append((put[-1], *values[1:]))
        if new:
            self._do_all(_INSERT, new)
        return put

    def _put_unit_vectors(self, vectors: Sequence[Vector]) -> None:
        for embedder, same in groupby(vectors, key=attrgetter("embedder")):
            batch = list(same)
            values: Any = np.array([vector.values for vector in batch], np.float32)
            norms = np.sqrt(np.einsum("ij,ij->i", values, values))[:, None]
            if not np.isfinite(norms).all():
                raise ValueError(f"{embedder} gave a vector that is not finite")
            self._keep_vectors(embedder, batch, values / np.where(norms > 0, norms, 1))
            self._moved(((vector.namespace, vector.num) for vector in batch), text=True)

    def _keep_vectors(self, embedder: str, vectors: Sequence[Vector], values: Floats) -> None:
        if (dimensions := self._dimensions_of(embedder, values.shape[1])) != values.shape[1]:
            raise ValueError(f"{embedder} makes {dimensions} dimensions, not {values.shape[1]}: give it another id")
        self._put_vectors(embedder, vectors, values.astype(np.float16))

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        self._forget()
        values = {column: tables.stored(value) for column, value in changes.items()}
        if kind is Record and (self._logs_changes or not changes.keys().isdisjoint(_COUNTED)):
            self._note_change(where, values)
        if kind in (tables.NamespaceRow, Head):
            self._forget_names()
        clause, params = self._where(where)
        columns = ", ".join(f"{called(column)} = ?" for column in changes)
        return self._do(f"UPDATE {self._table(kind)} SET {columns} WHERE {clause}", [*values.values(), *params])

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        self._forget()
        if kind is Record:
            self._note_change(where, text=True)
        if kind is CounterRow:
            self._write_counts()
        if kind is Head:
            self._forget_names()
        clause, params = self._where(where)
        if kind is Vector:
            return self._delete_vectors(clause, params)
        return self._do(f"DELETE FROM {self._table(kind)} WHERE {clause}", params)

    def _forget_names(self) -> None:
        """Discard the cached owners of namespaces and heads of audit chains."""
        self._forget_scopes()
        self._numbers.clear()
        self._names.clear()
        self._heads.clear()

    def _delete_vectors(self, clause: str, params: Params) -> int:
        """Remove the vectors that pass; return how many there were."""
        return self._do(f"DELETE FROM vector WHERE {clause}", params)

    def _where(self, where: Where, kind: type[object] = Record) -> tuple[str, Params]:
        if kind is CounterRow:
            self._write_counts()
        return super()._where(where, kind)

    def _note_change(
        self, where: Sequence[Condition], changes: Mapping[str, Any] | None = None, *, text: bool = False
    ) -> None:
        """Record that the records that pass will change or be deleted, for the counts and for the index."""
        clause, params = self._where(where)
        rows = self._ask(f"SELECT num, {', '.join(_COUNTED)} FROM memory WHERE {clause}", params)
        self._moved([(row[1], row[0]) for row in rows], text=text)
        for _, *values in rows:
            self._count(values, -1)
            if changes is not None:
                self._count([changes.get(name, value) for name, value in zip(_COUNTED, values, strict=True)])

    def _count(self, counted: Sequence[Any], times: int = 1) -> None:
        """Add a record to the counts by the values of `_COUNTED`, or remove it."""
        namespace, agent, kind, length, status, superseded_by = counted
        live = status == Status.ACTIVE.value and superseded_by is None and agent is not None
        counts = self._counts.setdefault((namespace, agent or "", kind), [0, 0, 0])
        for place, number in enumerate((1, length, int(live))):
            counts[place] += times * number

    def _write_counts(self) -> None:
        """Add the changes of the counts to the counters of the namespaces."""
        columns = [_COUNTS.index(name) for name in self._counted]
        rows = [(*key, *(counts[place] for place in columns)) for key, counts in self._counts.items()]
        rows = sorted(row for row in rows if any(row[3:]))
        self._counts.clear()
        if rows:
            names, marks = ", ".join(self._counted), ", ".join("?" * (3 + len(columns)))
            added = ", ".join(f"{name} = counter.{name} + excluded.{name}" for name in self._counted)
            key = ", ".join(dict.fromkeys((*self._owned, *TABLES[CounterRow].key)))
            self._do_all(
                f"INSERT INTO counter (ns, agent, kind, {names}) VALUES ({marks}) "
                f"ON CONFLICT ({key}) DO UPDATE SET {added}",
                rows,
            )

    def load(self, table: Copied, rows: Rows) -> None:
        self._forget()
        if table.name == "vector":
            vectors = [Vector._make((*of, np.frombuffer(sent, "<f2").astype(np.float32))) for *of, sent in rows]
            for embedder, same in grouped(vectors, attrgetter("embedder")).items():
                self._keep_vectors(embedder, same, np.stack([vector.values for vector in same]))
        elif table.name == "merged":
            self._do_all("UPDATE entity SET merged_into = ? WHERE id = ?", [(into, one) for one, into in rows])
        elif table.name == "entity":
            at = table.columns.index("merged_into")
            self._load_rows(table, [(*row[:at], None, *row[at + 1 :]) for row in rows])
        else:
            if table.name == "memory":
                for row in rows:
                    self._count(_of_counted(row))
            self._load_rows(table, rows)
            self._last_num = None

    def _load_rows(self, table: Copied, rows: Rows) -> None:
        columns, marks = ", ".join(map(called, table.columns)), ", ".join("?" * len(table.columns))
        self._do_all(f"INSERT INTO {table.read_from} ({columns}) VALUES ({marks})", rows)

    def cleared(self) -> None:
        for name in ("setting", "job"):
            self._do(f"DELETE FROM {name} WHERE org = ''")

    def complete(self, orgs: Iterable[str], numbers: Mapping[str, int]) -> None:
        for org in orgs:
            self._do(f"DELETE FROM setting WHERE org = ? AND {MARKED}", (org,))
        for name, number in numbers.items():
            if number:
                self._number_after(name, number)

    @abstractmethod
    def _number_after(self, table: str, number: int) -> None:
        """Make the numbers of a table continue after one, and never at a smaller one than they would."""


@lru_cache(maxsize=256)
def _insert(table: Table, width: int, owned: tuple[str, ...]) -> str:
    """Return the INSERT of a table's first columns, which overwrites a row of the same key if it `replaces`."""
    columns, marks = ", ".join(map(called, table.columns[:width])), ", ".join("?" * width)
    insert = f"INSERT INTO {table.name} ({columns}) VALUES ({marks})"
    if not table.replaces:
        return insert
    key = tuple(dict.fromkeys((*owned, *table.key)))
    others = [called(column) for column in table.columns if column not in key]
    setting = f"UPDATE SET {', '.join(f'{column} = excluded.{column}' for column in others)}" if others else "NOTHING"
    return f"{insert} ON CONFLICT ({', '.join(map(called, key))}) DO {setting}"


class Queued(Generic[T]):
    """One caller's change, and its outcome: an exception raised inside `with` is its error."""

    def __init__(self, change: Callable[[Transaction], T], org: str | None = None) -> None:
        self.change = change
        self.org = org
        self.context: Final = copy_context()  # another thread may run it
        self.done = False
        self.error: BaseException | None = None
        self.value: T | None = None

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
        self.error = error
        return isinstance(error, Exception)  # an interrupt is not this change's own failure: it stops the writer

    def run(self, transaction: Any) -> None:
        """Run the change in its caller's context, and finish the transaction."""
        self.value = self.context.run(self.change, transaction)
        transaction.finish()


class Queue:
    """Changes that one `commit` makes at a time, each with its own error; unmarked ones are run by the next writer."""

    def __init__(self, commit: Callable[[Sequence[Queued[object]]], None]) -> None:
        self.lock: Final = threading.RLock()
        self._commit, self._busy = commit, False
        self._at_queue = threading.Lock()
        self._waiting: deque[Queued[object]] = deque()

    def write(self, change: Callable[[Transaction], T], org: str | None) -> T:
        """Commit a change of an org's rows, alone or with other threads' changes."""
        queued = Queued(change, org)
        with self._at_queue:
            self._waiting.append(queued)  # type: ignore[arg-type]
        try:
            with self.lock:
                while not queued.done:
                    self._some()
        finally:
            if not queued.done:  # interrupted: no other thread may run it
                with self._at_queue:
                    self._waiting.remove(queued)  # type: ignore[arg-type]
        if queued.error is not None:
            raise queued.error
        return queued.value  # type: ignore[return-value]

    def _some(self) -> None:
        if self._busy:
            raise RuntimeError("a change must not write to its own store: use the transaction it was given")
        with self._at_queue:
            batch = [self._waiting[i] for i in range(min(_BATCH, len(self._waiting)))]
        together = Queued[None](lambda _: None)
        self._busy = True
        try:
            with together:
                self._commit(batch)
            for queued in batch:
                queued.error = queued.error or together.error
                queued.done = True
        finally:
            self._busy = False
            with self._at_queue:
                for queued in batch:
                    if queued.done:
                        self._waiting.remove(queued)
