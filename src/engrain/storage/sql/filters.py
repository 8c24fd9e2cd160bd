"""Filters as SQL, for every engine: one text for each shape of a filter, kept in a cache, and values always bound.

The shape of a filter is its structure without its values: which columns are compared how, and with what kind of value.
An engine adds a `Dialect` for what truly differs: how JSON is looked into and how a list of values is bound. Statements
are written with `?` where a value is bound.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from functools import lru_cache
from typing import Any, Protocol

from engrain.model.filters import AnyOf, Condition, Filter, Meta, Tagged, Test
from engrain.storage.rows import stored
from engrain.storage.sql.tables import called

Params = list[Any]
Shape = tuple[Any, ...]

TEXT, NUMBER, TRUE, FALSE, NULL = "text", "number", "true", "false", "null"
"""The kinds of values in JSON; values of two kinds are never equal."""


class Dialect(Hashable, Protocol):
    """How an engine writes what engines write differently; each text is made for a shape, each list of its values."""

    def list_size(self, values: Sequence[object]) -> int:
        """Return the size by which the text of a list differs: lists of one size have one text."""
        ...

    def list_text(self, size: int) -> str:
        """Return what follows a column that is one of the values, of which there is at least one."""
        ...

    def bind_list(self, values: Sequence[object], size: int) -> Params:
        """Return the values of a list as `list_text` binds them."""
        ...

    def tags_text(self, every: bool) -> str:
        """Return the condition that a memory carries tags: true or false, never NULL."""
        ...

    def bind_tags(self, tags: Sequence[str], every: bool) -> Params:
        """Return the values that `tags_text` binds."""
        ...

    def metadata_text(self, op: str, kinds: tuple[str, ...]) -> str:
        """Return a comparison inside the caller's metadata with values of these kinds: true or false, never NULL."""
        ...

    def bind_metadata(self, test: Meta, kinds: tuple[str, ...]) -> Params:
        """Return the values that `metadata_text` binds."""
        ...

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return a table of whole numbers, whose one column is called `value`."""
        ...

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return the condition that a namespace is a user's, or that of what carries no user, as its index has it."""
        ...

    def json_rows(self, *columns: str) -> str:
        """Return the aggregate that makes one JSON list of some columns of all rows, each row a list."""
        ...

    def by_index(self, name: str) -> str:
        """Return what follows a table that is to be read by an index, where an engine has to be told."""
        ...


_NULLABLE = frozenset(("position", "due_at", "noted", "unlearnt"))  # columns to order by that may be NULL
_OPERATORS = {"eq": "=", "ne": "<>", "lt": "<", "le": "<=", "gt": ">", "ge": ">="}
_COMPILED = 2048  # texts kept

# The shapes of single conditions: ("list", column, op, size, or NULL) · ("null", column, op) · ("compare", column, op,
# or NULL) · ("tags", every) · ("meta", op, kinds) · ("any", shapes) · ("and" | "or" | "not", shapes).


def compile_conditions(tests: Sequence[Condition], dialect: Dialect) -> tuple[str, Params]:
    """Return all of the conditions as one, and its values; none at all is true. Columns come from our own code."""
    params: Params = []
    return _text(_shape(tests, dialect, params), dialect), params


def _shape(tests: Sequence[Condition], dialect: Dialect, params: Params) -> Shape:
    """Return the shape of conditions, and add their values to `params` in the order in which the text binds them."""
    shapes: list[Shape] = []
    for test in tests:
        if isinstance(test, Test):
            shapes.append(_comparison(test, dialect, params))
        elif isinstance(test, AnyOf):
            shapes.append(("any", tuple(_shape(branch, dialect, params) for branch in test.branches)))
        elif isinstance(test, Tagged):
            params += dialect.bind_tags(test.tags, test.every)
            shapes.append(("tags", test.every))
        elif isinstance(test, Meta):
            kinds = _kinds(test)
            params += dialect.bind_metadata(test, kinds)
            shapes.append(("meta", test.op, kinds))
        else:
            shapes.append((test.op, _shape(test.terms, dialect, params)))
    return tuple(shapes)


def _comparison(test: Test, dialect: Dialect, params: Params) -> Shape:
    value = test.value
    if test.op in ("in", "nin"):
        wanted = [stored(item) for item in value if item is not None]
        size = dialect.list_size(wanted) if wanted else 0
        if wanted:
            params += dialect.bind_list(wanted, size)
        or_null = test.or_null or (test.op == "in" and None in value)
        return ("list", test.column, test.op, size if wanted else None, or_null)
    if value is None:
        return ("null", test.column, test.op)
    params.append(stored(value))
    return ("compare", test.column, test.op, test.or_null)


def _kinds(test: Meta) -> tuple[str, ...]:
    """Return the kinds of the values that a comparison inside the metadata names, in a fixed order."""
    if test.op == "exists":
        return (TRUE if test.value else FALSE,)
    values = test.value if test.op in ("in", "nin") else (test.value,)
    found = {json_kind(value) for value in values}
    return tuple(kind for kind in (TEXT, NUMBER, TRUE, FALSE, NULL) if kind in found)


def json_kind(value: object) -> str:
    """Return the kind of a value in JSON."""
    if value is None:
        return NULL
    if isinstance(value, bool):
        return TRUE if value else FALSE
    return TEXT if isinstance(value, str) else NUMBER


@lru_cache(maxsize=_COMPILED)
def _text(shape: Shape, dialect: Dialect) -> str:
    """Return the text of conditions of a shape."""
    return _joined(" AND ", [_condition(each, dialect) for each in shape]) if shape else "1=1"


def _condition(shape: Shape, dialect: Dialect) -> str:
    match shape:
        case ("compare", column, op, or_null):
            column = called(column)
            compared = f"{column} {_OPERATORS[op]} ?"
            return f"({compared} OR {column} IS NULL)" if or_null else compared
        case ("null", column, op):
            return f"{called(column)} IS {'' if op == 'eq' else 'NOT '}NULL"
        case ("list", column, op, size, or_null):
            return _list_condition(called(column), op, size, or_null, dialect)
        case ("any", branches):
            return _joined(" OR ", [_text(branch, dialect) for branch in branches])
        case ("tags", every):
            return dialect.tags_text(every)
        case ("meta", op, kinds):
            return dialect.metadata_text(op, kinds)
        case ("not", terms):
            return f"NOT ({_text(terms, dialect)})"
        case (op, terms):
            return _joined(f" {op.upper()} ", [_condition(term, dialect) for term in terms]) if terms else "1=1"
    raise AssertionError(f"not the shape of a condition: {shape!r}")


def _list_condition(column: str, op: str, size: int | None, or_null: bool, dialect: Dialect) -> str:
    """Return the condition that a column is, or is not, one of some values; of none it never is."""
    text = "1=0" if size is None else f"{column} {dialect.list_text(size)}"
    if op == "nin":
        text = f"{column} IS NOT NULL" if size is None else f"NOT ({text})"
    return f"({text} OR {column} IS NULL)" if or_null else text


def _joined(word: str, parts: Sequence[str]) -> str:
    """Join conditions in halves: a chain of hundreds would be deeper than an engine's parser allows."""
    if len(parts) <= 8:
        return f"({word.join(parts)})"
    half = len(parts) // 2
    return f"({_joined(word, parts[:half])}{word}{_joined(word, parts[half:])})"


def one_of(column: str, values: Sequence[object], dialect: Dialect) -> tuple[str, Params]:
    """Return the condition that a column is one of the values; of none it never is."""
    if not values:
        return "1=0", []
    size = dialect.list_size(values)
    return f"{column} {dialect.list_text(size)}", dialect.bind_list(values, size)


def scoped(
    where: Filter, namespaces: Sequence[int] | None, dialect: Dialect, *, by_memory: bool = False
) -> tuple[str, Params]:
    """Return a filter as SQL: the scope first. `namespaces` None means every namespace of the org.

    Rows that have no namespace of their own are in that of the memory of their `num`: `by_memory`.
    """
    if namespaces is None:
        scope, params = "ns IN (SELECT id FROM namespace WHERE org = ?)", [where.org]
    else:
        scope, params = one_of("ns", namespaces, dialect)
    if by_memory:
        scope = f"num IN (SELECT num FROM memory WHERE {scope})"
    text, more = compile_conditions(where.conditions, dialect)
    return f"{scope} AND {text}", params + more


@lru_cache(maxsize=_COMPILED)
def ordering(order: str, columns: tuple[str, ...], key: tuple[str, ...] = (), *, filled: bool = False) -> str:
    """Return an ORDER BY clause from `column` or `-column`, ties broken by the rows' own order, or else by their `key`.

    What is missing comes first, and last in descending order; `filled` says that nothing is missing.
    """
    column = order.removeprefix("-")
    if column == "num" and "num" not in columns:
        return _by([called(name) for name in key])
    if column not in columns:
        raise ValueError(f"cannot order by {order!r}: use one of {', '.join(columns)}, with a leading - for descending")
    direction = " DESC" if order.startswith("-") else " ASC"
    missing = column in _NULLABLE or (column == "num" and key not in ((), ("num",)))  # of what may cite no memory
    nulls = "" if filled or not missing else " NULLS LAST" if order.startswith("-") else " NULLS FIRST"
    ties = key or ("num",)
    return _by([f"{called(column)}{direction}{nulls}", *(f"{called(tie)}{direction}" for tie in ties if tie != column)])


def _by(parts: Sequence[str]) -> str:
    return f"ORDER BY {', '.join(parts)}" if parts else ""
