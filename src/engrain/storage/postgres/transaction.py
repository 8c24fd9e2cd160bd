"""Transactions of one org, and of the whole store, which visit the orgs one after another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any, Generic, TypeVar, cast

from engrain.lazy import Floats, Ints
from engrain.model.filters import Condition, Filter, Test, Where
from engrain.model.filters import column as column_of
from engrain.model.memory import AuditEntry, Job, JobState
from engrain.storage import rows as tables
from engrain.storage.postgres.connections import Halfvec, Nums, OtherTurn, Session
from engrain.storage.postgres.reader import SQL, PostgresDialect, PostgresReader, ViewMemo
from engrain.storage.rows import STORE_ORG, TABLES, Head, KeyRow, LookUp, Posting, Ranked, Record, Row, Setting, stored
from engrain.storage.sql.copying import Copied
from engrain.storage.sql.copying import Rows as Raw
from engrain.storage.sql.reader import Names, compile_conditions
from engrain.storage.sql.transaction import SQLTransaction

R = TypeVar("R")
V = TypeVar("V", bound=PostgresReader)
_JOB = TABLES[Job]


class PostgresTransaction(SQLTransaction, PostgresReader):
    """A view of one org that may also write."""

    _counted = ("documents", "length", "live")
    _owned = ("org",)
    _dimensions_of = PostgresReader._dimensions_of

    def __init__(self, session: Session, org: str, names: Names) -> None:
        PostgresReader.__init__(self, session, org, names)
        self._counts = {}
        self._unused: list[int] = []  # numbers for new records that were fetched ahead

    def _do(self, statement: str, params: Sequence[object] = ()) -> int:
        self._session.turn_to(self._org)
        cursor = self._session.later(statement, params)
        self._session.send()
        return cursor.rowcount

    def _do_all(self, statement: str, rows: Sequence[Sequence[object]]) -> None:
        self._session.turn_to(self._org)
        self._session.later(statement, *rows)

    def _forget(self) -> None:
        self._memo = ViewMemo()

    def _forget_names(self) -> None:
        super()._forget_names()
        self._session.forget_namespaces()

    def _measured(self, namespaces: Sequence[int] | Ints, terms: Iterable[str] = ()) -> Ints:
        self._write_counts()
        return super()._measured(namespaces, terms)

    def search_text(self, terms: Mapping[str, float], where: Filter, *, limit: int) -> Ranked:
        self._write_counts()
        return super().search_text(terms, where, limit=limit)

    def look_up(self, org: str, user: str | None, **asked: Any) -> LookUp:
        numbers, found = self.together(  # for probably new records
            lambda: self._ask(SQL["numbers"], (len(asked.get("identities", ())),)),
            lambda: super(PostgresTransaction, self).look_up(org, user, **asked),
        )
        self._unused += [number for (number,) in numbers]
        return found  # type: ignore[no-any-return]

    def _free(self, count: int) -> Sequence[int]:
        self._session.made += count
        if (missing := count - len(self._unused)) > 0:
            self._unused += [number for (number,) in self._ask(SQL["numbers"], (missing,))]
        numbers, self._unused = self._unused[:count], self._unused[count:]
        return numbers

    def _put_rows(self, kind: type, rows: Sequence[Row]) -> None:
        if kind in (AuditEntry, Head) and self._session.users is not None:
            for user in {row.user or "" for row in cast(Sequence[Head], rows)}.difference(self._session.users):
                raise OtherTurn(user)
        if kind is not Posting:
            super()._put_rows(kind, rows)
            return
        columns: Any = zip(*sorted(map(TABLES[Posting].encode, rows), key=lambda row: (row[1], row[2])), strict=True)
        spaces, terms, nums, counts = columns
        self._do_all(SQL["put_postings"], [(Nums(spaces), list(terms), Nums(nums), Nums(counts))])

    def _load_rows(self, table: Copied, rows: Raw) -> None:
        kinds = dict(self._ask(SQL["types"], (table.read_from,)))
        values = {name: list(column) for name, column in zip(table.columns, zip(*rows, strict=True), strict=True)}
        values.pop("org", None)  # all rows are of this one
        arrays = ", ".join(f"CAST(? AS {kinds[name]}[])" for name in values)
        names = ", ".join(map(tables.called, values))
        self._do(f"INSERT INTO {table.read_from} ({names}) SELECT * FROM unnest({arrays})", [*values.values()])

    def _number_after(self, table: str, number: int) -> None:
        self._session.set(citus__enable_ddl_propagation="off")  # a cluster refuses the lock on the table's sequence
        self._ask("SELECT engrain.number_after(?, ?)", (table, number))

    def _put_vectors(self, embedder: str, vectors: Sequence[tables.Vector], values: Floats) -> None:
        each = ((of.namespace, embedder, of.num, Halfvec(row)) for of, row in zip(vectors, values, strict=True))
        self._do_all(SQL["put_vectors"], [*each])

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        self._session.turn_to(self._org, locking=False)
        for state, due in ((JobState.QUEUED, "run_at"), (JobState.RUNNING, "lease_until")):
            values = worker, stored(lease_until), list(kinds), state.value, stored(now)
            if found := self._session.ask(SQL["claim"].format(due=due, job=_JOB.listed), values):
                return _JOB.decode(found[0])  # type: ignore[no-any-return]
        return None


class EveryOrg(Generic[V]):
    """A view of all orgs. A call that names an org, by a filter or a row, is done there; any other in each of them."""

    def __init__(self, session: Session, names: Names, make: Callable[[Session, str, Names], V]) -> None:
        self._session, self._names, self._make = session, names, make
        self._views: dict[str, V] = {}
        self._sees_jobs = False

    def _of(self, org: str) -> V:
        if org not in self._views:
            self._views[org] = self._make(self._session, org, self._names)
        return self._views[org]

    def __getattr__(self, name: str) -> Any:
        """Return a method that names an org, in its filter or itself."""
        if name.startswith("_"):
            raise AttributeError(name)

        def method(*arguments: Any, **named: Any) -> Any:
            org = next((each.org for each in (*arguments, *named.values()) if isinstance(each, Filter)), None)
            org = next((each for each in arguments if isinstance(each, str)), None) if org is None else org
            if org is None:
                raise RuntimeError(f"{name} names no org: read with the org's name")
            return getattr(self._of(org), name)(*arguments, **named)

        return method

    def orgs(self, kind: type[object] = object, where: Sequence[Condition] = ()) -> list[str]:
        """Return the orgs that may have rows of a kind, by name; of jobs, those in which one passes."""
        if kind is Job:
            tests, params = compile_conditions(where, PostgresDialect())
            found = self._of_jobs(f"SELECT DISTINCT org FROM engrain.job WHERE {tests} ORDER BY org", params)
        else:
            found = self._session.ask("SELECT name FROM engrain.org ORDER BY name", ())
        return [name for (name,) in found]

    def _of_jobs(self, statement: str, params: Sequence[object]) -> list[tuple[Any, ...]]:
        """Return the rows found among the jobs of every org, which a worker may see."""
        if not self._sees_jobs:
            self._session.set(engrain__jobs="on")
            self._sees_jobs = True
        return self._session.ask(statement, params)

    # ----------------------------------------------------------------------------------------------------------- rows

    def find(
        self, kind: type[R], where: Where = (), *, order: str = "num", limit: int | None = None, **asked: Any
    ) -> list[R]:
        if isinstance(where, Filter):
            return self._of(where.org).find(kind, where, order=order, limit=limit, **asked)
        (only,) = where if len(where) == 1 else (None,)
        if kind is KeyRow and isinstance(only, Test) and (only.column, only.op) == ("id", "eq"):
            # A server's key may be looked up by its id without its org.
            self._session.set(engrain__key=str(only.value))
            table = TABLES[KeyRow]
            rows = self._session.ask(f"SELECT {table.listed} FROM engrain.server_key WHERE id = ?", (only.value,))
            return [table.decode(row) for row in rows]
        found: list[R] = []
        for org in self.orgs(kind, where):
            found += self._of(org).find(kind, _own(kind, where, org), order=order, limit=limit, **asked)
        found.sort(key=lambda row: _place(row, order.removeprefix("-")), reverse=order.startswith("-"))
        return found[:limit]

    def count(self, kind: type[Row], where: Where = (), *, by: str | None = None) -> Mapping[str, int]:
        if isinstance(where, Filter):
            return self._of(where.org).count(kind, where, by=by)
        total: Counter[str] = Counter() if by else Counter({"": 0})
        for org in self.orgs():
            total.update(self._of(org).count(kind, _own(kind, where, org), by=by))
        return total

    def amount(self) -> int:
        return sum(self._of(org).amount() for org in self.orgs())

    def numbers(self) -> dict[str, int]:
        return self._of(STORE_ORG).numbers()


class EveryOrgTransaction(EveryOrg[PostgresTransaction]):
    """The same for what changes rows."""

    def __init__(self, session: Session, names: Names) -> None:
        super().__init__(session, names, PostgresTransaction)
        self._nothing: dict[tuple[str, ...], list[str]] = {}  # by kinds, orgs where others are taking all due jobs

    def finish(self) -> None:
        """Write the state kept for the whole transaction, in each org."""
        for view in self._views.values():
            view.finish()

    def put(self, *rows: Row) -> Sequence[int]:
        nums: list[int] = []
        for row in rows:
            org = row.memory.scope.org if isinstance(row, Record) else getattr(row, "org", None)
            if org is None:
                kind = type(row).__name__
                raise RuntimeError(f"a {kind} does not name its org: write it in a transaction of that org")
            nums += self._of(org).put(row)
        return nums

    def complete(self, orgs: Iterable[str], numbers: Mapping[str, int]) -> None:
        for org in orgs:
            self._of(org).complete([org], {})
        self._of(STORE_ORG).complete([STORE_ORG], numbers)

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        return sum(self._of(org).update(kind, _own(kind, where, org), **changes) for org in self.orgs(kind, where))

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        return sum(self._of(org).delete(kind, _own(kind, where, org)) for org in self.orgs(kind, where))

    def claim(self, kinds: Sequence[str], *, worker: str, now: datetime, lease_until: datetime) -> Job | None:
        """Lease the job that has been due longest of all, in the next org if others take all of one."""
        nothing = self._nothing.setdefault(tuple(kinds), [])
        while found := self._of_jobs(SQL["org_due"], (list(kinds), stored(now), nothing) * 2):
            _, org = min((due, org) for org, due in found)
            job = self._of(org).claim(kinds, worker=worker, now=now, lease_until=lease_until)
            if job is not None:
                return job
            nothing.append(org)
        return None


def _own(kind: type[object], where: Sequence[Condition], org: str) -> Sequence[Condition]:
    """Return conditions that only rows of one org pass: the store's own settings are found from every org."""
    return [*where, Test("org", "eq", org)] if kind is Setting else where


def _place(row: Any, column: str) -> tuple[bool, Any]:
    """Return the sort key of a row: missing values come first."""
    if not isinstance(row, Record) or column in ("length", "marks", "due_at"):
        value = getattr(row, column, 0)
    else:
        named = {"noted": "session", "unlearnt": "recorded_at"}.get(column, column)
        value = column_of(row.memory, named, num=row.num)
    return value is not None, value
