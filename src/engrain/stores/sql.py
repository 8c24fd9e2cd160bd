"""Filters as SQL, for every engine: the walls first, then each condition, values always bound.

An engine adds a `Dialect` for what truly differs: how JSON is looked into and how a list of values is bound. Statements
are written with `?` where a value stands.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, Protocol

from engrain.model.filters import AnyOf, Condition, Filter, Meta, Tagged, Test
from engrain.stores.tables import stored

Params = list[Any]


class Dialect(Protocol):
    """How an engine says what engines say differently."""

    def tagged(self, tags: Sequence[str], *, every: bool) -> tuple[str, Params]:
        """Return the condition that a memory carries tags: true or false, never NULL."""
        ...

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """Return a comparison inside the caller's metadata: true or false, never NULL."""
        ...

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """Return what stands after a column that is one of the values, of which there is at least one."""
        ...

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return a table of whole numbers, whose one column is called `value`."""
        ...

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return the condition that a namespace is a user's, or that of what carries no user, as its index has it."""
        ...

    def by_index(self, name: str) -> str:
        """Return what stands after a table that is to be read by an index, where an engine has to be told."""
        ...


_RESERVED = frozenset(("user",))
_MISSING = frozenset(("position", "due_at", "noted", "unlearnt"))  # columns to order by that may be NULL
_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}


def condition(test: Condition, dialect: Dialect) -> tuple[str, Params]:
    """Return one condition as SQL and its bound values; columns come from our own code, values are always bound."""
    if isinstance(test, Test):
        return _comparison(test, dialect)
    if isinstance(test, AnyOf):
        branches = [conjunction(branch, dialect) for branch in test.branches]
        return _joined(" OR ", branches)
    if isinstance(test, Tagged):
        return dialect.tagged(test.tags, every=test.every)
    if isinstance(test, Meta):
        return dialect.metadata(test)
    if test.op == "not":
        sql, params = condition(test.terms[0], dialect)
        return f"NOT ({sql})", params
    if not test.terms:
        return "1=1", []
    return _joined(f" {test.op.upper()} ", [condition(term, dialect) for term in test.terms])


def conjunction(tests: Sequence[Condition], dialect: Dialect) -> tuple[str, Params]:
    """Return all of the conditions as one; none at all is true."""
    return _joined(" AND ", [condition(test, dialect) for test in tests]) if tests else ("1=1", [])


def _joined(word: str, parts: Sequence[tuple[str, Params]]) -> tuple[str, Params]:
    return balanced(word, [sql for sql, _ in parts]), [value for _, params in parts for value in params]


def balanced(word: str, parts: Sequence[str]) -> str:
    """Join conditions in halves: a chain of hundreds would be deeper than an engine's parser allows."""
    if len(parts) <= 8:
        return f"({word.join(parts)})"
    half = len(parts) // 2
    return f"({balanced(word, parts[:half])}{word}{balanced(word, parts[half:])})"


def _comparison(test: Test, dialect: Dialect) -> tuple[str, Params]:
    column, value = called(test.column), test.value
    if test.op in ("in", "nin"):
        wanted = [item for item in value if item is not None]
        sql, params = one_of(column, wanted, dialect)
        if test.op == "nin":
            sql = f"NOT ({sql})" if wanted else f"{column} IS NOT NULL"
        or_null = test.or_null or (test.op == "in" and None in value)
        return (f"({sql} OR {column} IS NULL)" if or_null else sql), params
    if value is None:
        return (f"{column} IS NULL" if test.op == "eq" else f"{column} IS NOT NULL"), []
    sql, params = f"{column} {_OPERATORS[test.op]} ?", [stored(value)]
    return (f"({sql} OR {column} IS NULL)" if test.or_null else sql), params


def one_of(column: str, values: Sequence[object], dialect: Dialect) -> tuple[str, Params]:
    """Return the condition that a column is one of the values; of none it never is."""
    if not values:
        return "1=0", []
    sql, params = dialect.among([stored(value) for value in values])
    return f"{column} {sql}", params


def called(column: str) -> str:
    """Return a column's name as a statement writes it."""
    return f'"{column}"' if column in _RESERVED else column


def scoped(
    where: Filter, namespaces: Sequence[int] | None, dialect: Dialect, *, walled: bool = True
) -> tuple[str, Params]:
    """Return a filter as SQL: the walls first. `namespaces` None means every namespace of the org.

    Rows that are not `walled` have no namespace of their own: they stand where the memory of their `num` does.
    """
    params: Params
    if namespaces is None:
        wall, params = "ns IN (SELECT id FROM namespace WHERE org = ?)", [where.org]
    else:
        wall, params = one_of("ns", namespaces, dialect)
    if not walled:
        wall = f"num IN (SELECT num FROM memory WHERE {wall})"
    sql, more = conjunction(where.conditions, dialect)
    return f"{wall} AND {sql}", params + more


def ordering(order: str, columns: Sequence[str], key: Sequence[str] = ()) -> str:
    """Return an ORDER BY clause from `column` or `-column`, ties broken by the rows' own order, or else by their `key`.

    What is missing comes first, and last in descending order.
    """
    column = order.removeprefix("-")
    if column == "num" and "num" not in columns:
        return _by([called(name) for name in key])
    if column not in columns:
        raise ValueError(f"cannot order by {order!r}: use one of {', '.join(columns)}, with a leading - for descending")
    direction = " DESC" if order.startswith("-") else " ASC"
    missing = column in _MISSING or (column == "num" and key not in ((), ("num",)))  # of what may cite no memory
    nulls = "" if not missing else " NULLS LAST" if order.startswith("-") else " NULLS FIRST"
    ties = key or ["num"]
    return _by([f"{called(column)}{direction}{nulls}", *(f"{called(tie)}{direction}" for tie in ties if tie != column)])


def _by(parts: Sequence[str]) -> str:
    return f"ORDER BY {', '.join(parts)}" if parts else ""
