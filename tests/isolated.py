"""The embedded store with the tenant isolation of a server, so that a missing check of the org fails on SQLite too.

A reader or transaction that is bound to an org finds no rows of another org by conditions alone and changes none; one
that is bound to no org changes jobs and settings only.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar, cast

from engrain.model.filters import Condition, Filter
from engrain.model.memory import Job
from engrain.storage.interface import Reader, Transaction
from engrain.storage.rows import STORE_ORG, Record, Row, Setting
from engrain.storage.sqlite.reader import SQLiteReader
from engrain.storage.sqlite.store import SQLiteStore

T = TypeVar("T")
_BY_MEMORY = "SELECT n.org FROM memory m JOIN namespace n ON n.id = m.ns WHERE m.num = ?"
_BY_ENTITY = "SELECT n.org FROM entity e JOIN namespace n ON n.id = e.ns WHERE e.id = ?"
_BY_TALK = "SELECT n.org FROM conversation c JOIN namespace n ON n.id = c.ns WHERE c.num = ?"
_BY_COLLECTION = "SELECT n.org FROM collection c JOIN namespace n ON n.id = c.ns WHERE c.num = ?"
_BY_NAMESPACE = "SELECT org FROM namespace WHERE id = ?"
_PLACES = {
    "ns": _BY_NAMESPACE,
    "namespace": _BY_NAMESPACE,
    "conversation": _BY_TALK,
    "collection": _BY_COLLECTION,
    "entity": _BY_ENTITY,
    "num": _BY_MEMORY,
}
_ENDS = {"Edge": _BY_MEMORY, "RelationRow": _BY_ENTITY}


class IsolatedStore(SQLiteStore):
    """A store whose readers and transactions are `IsolatedReader`."""

    @contextmanager
    def read(self, org: str | None = None) -> Iterator[Reader]:
        """Read the rows of one org."""
        with super().read(org) as reader:
            yield cast(Reader, IsolatedReader(reader, org))

    def write(
        self, change: Callable[[Transaction], T], org: str | None = None, users: Collection[str | None] | None = None
    ) -> T:
        """Write the rows of one org."""
        return super().write(
            lambda transaction: change(cast(Transaction, IsolatedReader(transaction, org))), org, users
        )


class IsolatedReader:
    """A reader or transaction that sees the rows of one org."""

    def __init__(self, inner: Reader, org: str | None) -> None:
        self._inner, self._bound = cast(Any, inner), org

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def find(
        self,
        kind: type[Row],
        where: Filter | Sequence[Condition] = (),
        *,
        order: str = "num",
        limit: int | None = None,
        links: bool = True,
    ) -> list[Any]:
        """Find rows, without those of other orgs."""
        if self._bound is None or isinstance(where, Filter):
            return list(self._inner.find(kind, where, order=order, limit=limit, links=links))
        rows = self._inner.find(kind, where, order=order, links=links)
        return [row for row in rows if self._is_inside(row)][:limit]

    def update(self, kind: type[Row], where: Sequence[Condition], /, **changes: object) -> int:
        """Change rows; a row of another org fails the test."""
        self._check(kind, where)
        return int(self._inner.update(kind, where, **changes))

    def delete(self, kind: type[Row], where: Sequence[Condition]) -> int:
        """Remove rows; a row of another org fails the test."""
        self._check(kind, where)
        return int(self._inner.delete(kind, where))

    def _check(self, kind: type[Row], where: Sequence[Condition]) -> None:
        if self._bound is None:
            assert kind in (Job, Setting), f"rows of {kind.__name__} are changed in a transaction of their org"
            return
        others = [row for row in self._inner.find(kind, where) if not self._is_inside(row)]
        assert not others, f"a transaction of org {self._bound!r} changes {others[0]!r}"

    def _is_inside(self, row: Any) -> bool:
        org = _org_of(self._inner, row)
        return org == self._bound or (isinstance(row, Setting) and org == STORE_ORG)


def _org_of(reader: SQLiteReader, row: Any) -> str:
    if isinstance(row, Record):
        return row.memory.scope.org
    if isinstance(getattr(row, "org", None), str):
        return str(row.org)
    if (by_end := _ENDS.get(type(row).__name__)) is not None:
        return _org_by(reader, by_end, row.source)
    name = next(name for name in _PLACES if hasattr(row, name))
    return _org_by(reader, _PLACES[name], getattr(row, name))


def _org_by(reader: SQLiteReader, query: str, number: int) -> str:
    found = reader._connection.execute(query, (number,)).fetchone()
    return "" if found is None else str(found[0])
