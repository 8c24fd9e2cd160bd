"""A view of one org on PostgreSQL: rows by the SQL that engines share, searches by its own."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from contextlib import AbstractContextManager
from typing import Any

from engrain.arrays import np
from engrain.model.filters import Meta, Tagged
from engrain.storage.postgres.connections import HEADER, legible
from engrain.storage.postgres.search import PostgresSearch
from engrain.storage.postgres.session import Session
from engrain.storage.rows import called
from engrain.storage.sql.copying import COPIED, NUMBERED, Copied, Pages
from engrain.storage.sql.reader import FALSE, NULL, NUMBER, TEXT, TRUE, Names, Params, SQLReader, json_kind, json_kinds

_COMPARE = {"gt": ">", "gte": ">=", "lt": "<", "lte": "<="}
_UNDER = "(metadata::json -> CAST(? AS text))"  # the value under a key; NULL where there is none
_ITSELF = "({} #>> CAST(ARRAY[] AS text[]))"  # a scalar without its quotes; conditions hold no braces
# Any number as an exact numeric. One with a point or an exponent is a double: from 2^53 on its digits are rounded and
# say less than it is, while a whole number means what it says.
_EXACT = (
    "(CASE WHEN {0}::text ~ '[.eE]' AND abs({0}::text::numeric) BETWEEN 9007199254740992 AND 9223372036854774784 "
    "THEN {0}::text::double precision::bigint::numeric ELSE {0}::text::numeric END)"
)


class PostgresDialect:
    """How PostgreSQL writes it; JSON conditions are true or false, never NULL."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """Return the comparison with an array."""
        return "= ANY(?)", [[*values]]

    def tagged(self, test: Tagged) -> tuple[str, Params]:
        """Return the condition that any, or every one, of the tags in an array is there."""
        found = f"jsonb_exists_{'all' if test.every else 'any'}(tags::jsonb, CAST(? AS text[]))"
        return found, [list(dict.fromkeys(test.tags))]

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """Return a comparison with the value under a key; any key that JSON can hold will do."""
        kinds = json_kinds(test)
        if test.op == "exists":
            return f"{_UNDER} IS {'NOT ' if TRUE in kinds else ''}NULL", [test.key]
        if test.op in _COMPARE:
            values: Params = [test.value if kinds[0] == TEXT else _digits(test.value)]
        else:
            values = _lists(test.value if test.op in ("in", "nin") else (test.value,))
            values += [test.value] if test.op == "contains" and kinds[0] == TEXT else []
        found = f"EXISTS (SELECT 1 FROM (SELECT {_UNDER} AS j OFFSET 0) m WHERE {_comparison(test.op, kinds)})"
        return f"NOT {found}" if test.op in ("ne", "nin") else found, [test.key, *values]

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Return the elements of an array as a table."""
        return "(SELECT unnest(CAST(? AS bigint[])) AS value)", [[*numbers]]

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """Return it without functions, which would be called for every row that row-level security lets through."""
        return ('"user" IS NULL', []) if user is None else ('"user" = ?', [user])

    def json_rows(self, *columns: str) -> str:
        """Return one JSON list of lists; it is NULL when there is no row."""
        return f"json_agg(json_build_array({', '.join(columns)}))::text"

    def by_index(self, name: str) -> str:
        """Return nothing: the planner chooses by itself."""
        return ""


def _comparison(op: str, kinds: tuple[str, ...]) -> str:
    """Return what must hold of the value `m.j` in the metadata."""
    if op == "contains":
        items = f"EXISTS (SELECT 1 FROM json_array_elements(m.j) c (value) WHERE {_is_one_of(kinds, 'c.value')})"
        within = f'strpos({_ITSELF.format("m.j")} COLLATE "C", CAST(? AS text)) > 0' if TEXT in kinds else "false"
        return f"CASE json_typeof(m.j) WHEN 'array' THEN {items} WHEN 'string' THEN {within} ELSE false END"
    if op not in _COMPARE:
        return _is_one_of(kinds, "m.j")
    if TEXT in kinds:
        kind, compared = "string", f'{_ITSELF.format("m.j")} COLLATE "C" {_COMPARE[op]} CAST(? AS text)'
    else:
        kind, compared = "number", f"{_EXACT.format('m.j')} {_COMPARE[op]} CAST(CAST(? AS text) AS numeric)"
    return f"CASE json_typeof(m.j) WHEN '{kind}' THEN {compared} ELSE false END"


def _is_one_of(kinds: tuple[str, ...], value: str) -> str:
    """Return one list for all texts and one for all numbers, so that hundreds of them are compared at once."""
    arms = ""
    if TEXT in kinds:
        arms += f" WHEN 'string' THEN {_ITSELF.format(value)} COLLATE \"C\" = ANY(CAST(? AS text[]))"
    if NUMBER in kinds:
        arms += f" WHEN 'number' THEN {_EXACT.format(value)} = ANY(CAST(CAST(? AS text[]) AS numeric[]))"
    if truths := [f"'{kind}'" for kind in (TRUE, FALSE) if kind in kinds]:
        arms += f" WHEN 'boolean' THEN {value}::text IN ({', '.join(truths)})"
    if NULL in kinds:
        arms += " WHEN 'null' THEN true"
    return f"CASE json_typeof({value}){arms} ELSE false END" if arms else "1=0"


def _lists(values: Sequence[object]) -> Params:
    """Return the texts among values as one array, and the numbers as another, as far as there are any."""
    texts = [value for value in values if json_kind(value) == TEXT]
    numbers = [_digits(value) for value in values if json_kind(value) == NUMBER]
    return [each for each in (texts, numbers) if each]


def _digits(number: object) -> str:
    """Return a number as PostgreSQL's numeric reads it without losing any of it."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**63:
        return str(int(number))
    return repr(number)


_REAL = ("importance", "confidence", "trust", "strength", "weight")


class PostgresCopying(SQLReader):
    """The verbs that read a whole org."""

    _session: Session

    def amount(self) -> int:
        """Return how many rows there are to copy."""
        counts = (
            f"(SELECT count(*) FROM {each.read_from} WHERE org = ? AND {each.condition or 'true'})" for each in COPIED
        )
        return int(self._ask(f"SELECT {' + '.join(counts)}", [self._org] * len(COPIED))[0][0])

    def numbers(self) -> dict[str, int]:
        """Return the highest numbers that were ever given, by table, whoever's they are."""
        owned = {name: "id" if name in ("namespace", "entity", "relation") else "num" for name in NUMBERED}
        owned["revision"] = "seq"
        asked = ", ".join(f"pg_sequence_last_value('{name}_{column}_seq'::regclass)" for name, column in owned.items())
        return {name: number or 0 for name, number in zip(owned, self._ask(f"SELECT {asked}")[0], strict=True)}

    def rows(self, table: Copied, org: str) -> Pages:
        """Go through the rows of the org, page by page, each with where it ends."""
        key = [name for name in table.key if name != "org"] or ["org"]
        named, marks = ", ".join(key), ", ".join("?" * len(key))
        select = f"SELECT {named}, {_listed(table)} FROM {table.read_from} WHERE org = ?"
        select += f" AND {table.condition}" if table.condition else ""
        tail = f"ORDER BY {named} LIMIT {table.size}"
        found = self._pages(table, f"{select} {tail}", [org])
        while found:
            last = list(found[-1][: len(key)])
            yield last, [row[len(key) :] for row in found]
            if len(found) < table.size:
                return
            found = self._pages(table, f"{select} AND ({named}) > ({marks}) {tail}", [org, *last])

    def _pages(self, table: Copied, statement: str, params: Sequence[Any]) -> list[tuple[Any, ...]]:
        if table.name != "vector":
            return self._ask(statement, params)
        self._session.turn_to(str(self._org))
        found = self._session.ask(statement, params, raw=True)
        return [(*row[:-1], np.frombuffer(row[-1], ">i2", offset=HEADER).astype("<i2").tobytes()) for row in found]


def _listed(table: Copied) -> str:
    # A zero has no sign in the other engine.
    return ", ".join(f"{column} + 0" if column in _REAL else called(column) for column in table.columns)


class PostgresReader(PostgresSearch, PostgresCopying):
    """A consistent view of one org."""

    _dialect = PostgresDialect()

    def __init__(self, session: Session, org: str, names: Names) -> None:
        super().__init__(names, org)
        self._session = session
        self._forget_searches()

    def _ask(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._session.turn_to(self._org)
        return self._session.ask(statement, params)

    def _raw(self, statement: str, params: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        self._session.turn_to(self._org)
        return self._session.ask(statement, params, raw=True)

    def _legible(self) -> AbstractContextManager[None]:
        return legible()

    def _vectors(self) -> tuple[str, str]:
        return "vector", "ns, embedder, num, v"

    def _vector_of_memory(self, embedder: str) -> tuple[str, Params]:
        where = "org = memory.org AND ns = memory.ns AND embedder = ? AND num = memory.num"
        return f"(SELECT halfvec_send(v) FROM vector WHERE {where})", [embedder]

    def _holders(self, namespace: str, terms: Sequence[str], rows: int) -> tuple[str, Params]:
        query = (
            "SELECT (t.place - 1)::bigint AS place, p.num "
            "FROM unnest(CAST(? AS text[])) WITH ORDINALITY t (term, place) "
            f"CROSS JOIN LATERAL (SELECT num FROM posting WHERE org = ? AND ns = {namespace} AND term = t.term "
            "ORDER BY num LIMIT ?) p ORDER BY 1, 2"
        )
        return query, [list(terms), self._org, rows]

    def _values(self, stored: Any) -> Any:
        return np.frombuffer(stored, ">i2", offset=HEADER).astype("<i2").view(np.float16).astype(np.float32)
