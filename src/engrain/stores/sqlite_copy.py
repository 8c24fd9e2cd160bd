"""A file read whole, as raw rows: org by org, along indexes whoever else is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engrain.stores.sql import called
from engrain.stores.sql_copy import COPIED, NUMBERED, Copied, Pages, Place
from engrain.stores.sql_read import SQLReader

_PARENTS = 50  # rows whose children are read at once
_OWNERS = ("namespace", "audit_head", "audit", "receipt", "job", "server_key", "answer", "setting")
_AS = {
    ("vector", "embedder"): "(SELECT name FROM embedder e WHERE e.id = vector.embedder)",
    ("vector", "v"): "(SELECT x.v FROM vector_exact x WHERE x.embedder = vector.embedder AND x.num = vector.num)",
}


class SQLiteCopying(SQLReader):
    """The verbs that read a whole file."""

    def orgs(self) -> list[str]:
        """Return the orgs that have anything, by name; '' is whose the store's own rows are."""
        found = self._ask(" UNION ".join(f"SELECT org FROM {name}" for name in _OWNERS))
        return sorted(org for (org,) in found)

    def amount(self) -> int:
        """Return how many rows there are to copy."""
        counts = (f"(SELECT count(*) FROM {each.read_from} WHERE {each.condition or 'true'})" for each in COPIED)
        return int(self._ask(f"SELECT {' + '.join(counts)}")[0][0])

    def numbers(self) -> dict[str, int]:
        """Return the highest numbers that were ever given, by table."""
        given = dict(self._ask("SELECT name, seq FROM sqlite_sequence"))
        (last,) = self._ask("SELECT max(seq) FROM revision")[0]
        return {name: int(given.get(name) or 0) for name in NUMBERED} | {"revision": int(last or 0)}

    def rows(self, table: Copied, org: str) -> Pages:
        """Go through the rows of an org, page by page, each with where it ends."""
        if not table.parent:
            yield from self._pages(table, "org", org, [])
            return
        for (space,) in self._ask("SELECT id FROM namespace WHERE org = ? ORDER BY id", (org,)):
            if table.parent == "namespace":
                yield from self._pages(table, table.by, space, [space])
            else:
                yield from self._children(table, space)

    def _pages(self, table: Copied, column: str, of: object, inside: Place) -> Pages:
        """Follow the key among the rows whose column has one value."""
        key = [name for name in table.key if name != column]
        if not key:
            key = [column]
        named, marks = ", ".join(key), ", ".join("?" * len(key))
        select = f"SELECT {named}, {_listed(table)} FROM {table.read_from} WHERE {column} = ?"
        select += f" AND {table.condition}" if table.condition else ""
        tail = f"ORDER BY {named} LIMIT {table.size}"
        found = self._ask(f"{select} {tail}", (of,))
        while found:
            last = list(found[-1][: len(key)])
            yield [*inside, *last], [row[len(key) :] for row in found]
            if len(found) < table.size:
                return
            found = self._ask(f"{select} AND ({named}) > ({marks}) {tail}", (of, *last))

    def _children(self, table: Copied, space: int) -> Pages:
        """Follow the parents of a namespace, and read what hangs on some of them at a time."""
        select = f"SELECT {_listed(table)} FROM {table.read_from} WHERE {table.by} IN "
        tail = f" AND {table.condition}" if table.condition else ""
        tail += f" ORDER BY {', '.join(dict.fromkeys((table.by, *table.key)))}"
        for parents in self._parents(table.parent, space):
            if found := self._ask(f"{select} ({', '.join('?' * len(parents))}){tail}", parents):
                yield [space, parents[-1]], found

    def _parents(self, name: str, space: int) -> Iterator[list[Any]]:
        number = "id" if name == "entity" else "num"
        # Sorted here: an index of another order would be left for a walk through the rows of all namespaces.
        found = sorted(one for (one,) in self._ask(f"SELECT {number} FROM {name} WHERE ns = ?", (space,)))
        for start in range(0, len(found), _PARENTS):
            yield found[start : start + _PARENTS]


def _listed(table: Copied) -> str:
    return ", ".join(_AS.get((table.name, column), called(column)) for column in table.columns)
