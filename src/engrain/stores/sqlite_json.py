"""How SQLite says what engines say differently: lists of values, and what is in the JSON columns, types kept apart."""

from __future__ import annotations

import json
from collections.abc import Collection, Sequence

from engrain.model.filters import Meta
from engrain.stores.sql import Params

_MOST_BOUND = 1000
_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}


class SQLiteDialect:
    """How SQLite says it; JSON conditions are 1 or 0, never NULL."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """One of the values; many whole numbers stand in it as they are, only so many can be bound."""
        if len(values) > _MOST_BOUND and all(type(value) is int for value in values):
            return f"IN ({','.join(map(str, values))})", []
        return f"IN ({','.join('?' * len(values))})", [*values]

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Numbers as a table."""
        return "json_each(?)", [json.dumps(list(numbers))]

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """A user's namespace; any other form would not be looked up in the unique index."""
        return """coalesce("user", '') = ? AND ("user" IS NULL) = ?""", [user or "", user is None]

    def by_index(self, name: str) -> str:
        """The index to read a table by."""
        return f"INDEXED BY {name}"

    def tagged(self, tags: Sequence[str], *, every: bool) -> tuple[str, Params]:
        """Any, or every one, of the tags, handed over as one JSON list however many there are."""
        wanted = list(dict.fromkeys(tags))
        found = "FROM json_each(tags) WHERE value IN (SELECT value FROM json_each(?))"
        listed = json.dumps(wanted, ensure_ascii=False)
        if every:
            return f"(SELECT count(DISTINCT value) {found}) = ?", [listed, len(wanted)]
        return f"EXISTS (SELECT 1 {found})", [listed]

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """One comparison with the value under a key; any key that JSON can hold will do."""
        inner, params = _holds(test, "m.type", "m.atom", "m.value")
        positive = f"EXISTS (SELECT 1 FROM json_each(metadata) m WHERE m.key = ? AND {inner})"
        sql = f"NOT {positive}" if test.op in ("ne", "nin") or (test.op == "exists" and not test.value) else positive
        return sql, [test.key, *params]


def _holds(test: Meta, kind: str, atom: str, value: str) -> tuple[str, Params]:
    if test.op == "exists":
        return "1=1", []
    if test.op in ("in", "nin"):
        return _is_one_of(test.value, kind, atom)
    if test.op == "contains":
        inside, params = _equals(test.value, "c.type", "c.atom")
        sql = f"({kind} = 'array' AND EXISTS (SELECT 1 FROM json_each({value}) c WHERE {inside}))"
        if isinstance(test.value, str):
            return f"({sql} OR ({kind} = 'text' AND instr({atom}, ?) > 0))", [*params, test.value]
        return sql, params
    if test.op in ("eq", "ne"):
        return _equals(test.value, kind, atom)
    kinds = "= 'text'" if isinstance(test.value, str) else "IN ('integer', 'real')"
    return f"({kind} {kinds} AND {atom} {_COMPARE[test.op]} ?)", [test.value]


def _is_one_of(wanted: Sequence[object], kind: str, atom: str) -> tuple[str, Params]:
    """One IN for all texts and one for all numbers: a chain of hundreds of comparisons takes SQLite seconds to plan."""
    plain = [value for value in wanted if value is not None and not isinstance(value, bool)]
    texts = [value for value in plain if isinstance(value, str)]
    numbers = [value for value in plain if not isinstance(value, str)]
    parts = [_equals(value, kind, atom)[0] for value in wanted if value is None or isinstance(value, bool)]
    for kinds, values in (("= 'text'", texts), ("IN ('integer', 'real')", numbers)):
        if values:
            parts.append(f"({kind} {kinds} AND {atom} IN ({','.join('?' * len(values))}))")
    return f"({' OR '.join(dict.fromkeys(parts)) or '1=0'})", [*texts, *numbers]


def _equals(wanted: object, kind: str, atom: str) -> tuple[str, Params]:
    if wanted is None:
        return f"{kind} = 'null'", []
    if isinstance(wanted, bool):
        return f"{kind} = '{'true' if wanted else 'false'}'", []
    kinds = "= 'text'" if isinstance(wanted, str) else "IN ('integer', 'real')"
    return f"({kind} {kinds} AND {atom} = ?)", [wanted]
