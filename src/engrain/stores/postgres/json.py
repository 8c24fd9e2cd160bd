"""How PostgreSQL looks into the JSON columns, which are text: tags and the caller's metadata, with types kept apart."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from engrain.model.filters import Meta
from engrain.stores.sql import Params

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
    """How PostgreSQL says it; JSON conditions are true or false, never NULL."""

    def among(self, values: Sequence[object]) -> tuple[str, Params]:
        """One of the values, handed over as one array."""
        return "= ANY(?)", [[*values]]

    def each(self, numbers: Collection[int]) -> tuple[str, Params]:
        """Numbers as a table."""
        return "(SELECT unnest(CAST(? AS bigint[])) AS value)", [[*numbers]]

    def of_user(self, user: str | None) -> tuple[str, Params]:
        """A user's namespace; functions would be called for every row that row-level security lets through."""
        return ('"user" IS NULL', []) if user is None else ('"user" = ?', [user])

    def by_index(self, name: str) -> str:
        """The planner knows by itself."""
        return ""

    def tagged(self, tags: Sequence[str], *, every: bool) -> tuple[str, Params]:
        """Any, or every one, of the tags, handed over as one array however many there are."""
        wanted = list(dict.fromkeys(tags))
        function = "jsonb_exists_all" if every else "jsonb_exists_any"
        return f"{function}(tags::jsonb, CAST(? AS text[]))", [wanted]

    def metadata(self, test: Meta) -> tuple[str, Params]:
        """One comparison with the value under a key; any key that JSON can hold will do."""
        if test.op == "exists":
            return f"{_UNDER} IS {'NOT ' if test.value else ''}NULL", [test.key]
        sql, params = _holds(test)
        found = f"EXISTS (SELECT 1 FROM (SELECT {_UNDER} AS j OFFSET 0) m WHERE {sql})"
        return f"NOT {found}" if test.op in ("ne", "nin") else found, [test.key, *params]


def _holds(test: Meta) -> tuple[str, Params]:
    if test.op in ("in", "nin"):
        return _is_one_of(test.value, "m.j")
    if test.op == "contains":
        inside, params = _is_one_of((test.value,), "c.value")
        items = f"EXISTS (SELECT 1 FROM json_array_elements(m.j) c (value) WHERE {inside})"
        within, text = "false", []
        if isinstance(test.value, str):
            within, text = f'strpos({_ITSELF.format("m.j")} COLLATE "C", CAST(? AS text)) > 0', [test.value]
        kinds = f"WHEN 'array' THEN {items} WHEN 'string' THEN {within}"
        return f"CASE json_typeof(m.j) {kinds} ELSE false END", [*params, *text]
    if test.op in ("eq", "ne"):
        return _is_one_of((test.value,), "m.j")
    sign = _COMPARE[test.op]
    if isinstance(test.value, str):
        compared, value = f'{_ITSELF.format("m.j")} COLLATE "C" {sign} CAST(? AS text)', test.value
    else:
        compared, value = f"{_EXACT.format('m.j')} {sign} CAST(CAST(? AS text) AS numeric)", _digits(test.value)
    kind = "string" if isinstance(test.value, str) else "number"
    return f"CASE json_typeof(m.j) WHEN '{kind}' THEN {compared} ELSE false END", [value]


def _is_one_of(wanted: Sequence[object], value: str) -> tuple[str, Params]:
    """One list for all texts and one for all numbers, so that hundreds of them are compared at once."""
    texts = [each for each in wanted if isinstance(each, str)]
    numbers = [_digits(each) for each in wanted if isinstance(each, int | float) and not isinstance(each, bool)]
    truths = [str(each).lower() for each in wanted if isinstance(each, bool)]
    arms, params = "", []
    if texts:
        arms += f" WHEN 'string' THEN {_ITSELF.format(value)} COLLATE \"C\" = ANY(CAST(? AS text[]))"
        params.append(texts)
    if numbers:
        arms += f" WHEN 'number' THEN {_EXACT.format(value)} = ANY(CAST(CAST(? AS text[]) AS numeric[]))"
        params.append(numbers)
    if truths:
        arms += f" WHEN 'boolean' THEN {value}::text = ANY(CAST(? AS text[]))"
        params.append(truths)
    if None in wanted:
        arms += " WHEN 'null' THEN true"
    return (f"CASE json_typeof({value}){arms} ELSE false END" if arms else "1=0"), params


def _digits(number: object) -> str:
    """Return a number as PostgreSQL's numeric reads it without losing any of it."""
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**63:
        return str(int(number))
    return repr(number)
