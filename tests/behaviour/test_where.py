"""`where`: filters over the caller's metadata, with every operator, type and trap."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import MemoryManager

ROWS: dict[str, dict[str, Any]] = {
    "a": {"n": 1, "s": "apple", "yes": True, "list": [1, "x", None], "none": None},
    "b": {"n": 2.5, "s": "Banana", "yes": False, "list": []},
    "c": {"n": "1", "s": "", "map": {"k": 1}, "list": ["xy", True]},
    "d": {},
}


@pytest.fixture
def rows(memory: MemoryManager) -> MemoryManager:
    """A memory for each row."""
    memory.remember_many({"content": name, "metadata": metadata} for name, metadata in ROWS.items())
    return memory


def found(memory: MemoryManager, where: Any) -> str:
    """Return the names of the rows that pass, asked in each way there is."""
    listed = "".join(sorted(m.content for m in memory.list_memories(where=where)))
    assert "".join(sorted(memory.recall("", where=where).texts)) == listed
    assert memory.count(where=where) == len(listed)
    return listed


CASES: list[tuple[dict[str, Any], str]] = [
    ({}, "abcd"),
    ({"n": 1}, "a"),
    ({"n": 1.0}, "a"),
    ({"n": "1"}, "c"),
    ({"n": {"eq": 1}}, "a"),
    ({"n": {"ne": 1}}, "bcd"),
    ({"n": {"gt": 1}}, "b"),
    ({"n": {"gte": 1}}, "ab"),
    ({"n": {"lt": 2.5}}, "a"),
    ({"n": {"lte": 2.5}}, "ab"),
    ({"n": {"gt": 0, "lt": 2}}, "a"),
    ({"n": {"gt": ""}}, "c"),
    ({"n": {"in": [1, "1"]}}, "ac"),
    ({"n": {"in": []}}, ""),
    ({"n": {"nin": [1, "1"]}}, "bd"),
    ({"n": {"nin": []}}, "abcd"),
    ({"n": {"exists": True}}, "abc"),
    ({"n": {"exists": False}}, "d"),
    ({"s": "banana"}, ""),
    ({"s": ""}, "c"),
    ({"s": {"gte": "B"}}, "ab"),
    ({"s": {"contains": "pp"}}, "a"),
    ({"s": {"contains": "%"}}, ""),
    ({"yes": True}, "a"),
    ({"yes": 1}, ""),
    ({"n": True}, ""),
    ({"yes": {"ne": True}}, "bcd"),
    ({"none": None}, "a"),
    ({"none": {"exists": True}}, "a"),
    ({"none": {"ne": None}}, "bcd"),
    ({"list": {"contains": 1}}, "a"),
    ({"list": {"contains": "x"}}, "a"),
    ({"list": {"contains": None}}, "a"),
    ({"list": {"contains": True}}, "c"),
    ({"map": {"exists": True}}, "c"),
    ({"map.k": 1}, ""),
    ({"missing": 1}, ""),
    ({"missing": {"contains": "x"}}, ""),
    ({"n": 1, "s": "apple"}, "a"),
    ({"n": 1, "s": "Banana"}, ""),
    ({"or": [{"n": 1}, {"n": 2.5}]}, "ab"),
    ({"and": [{"n": {"gt": 0}}, {"yes": False}]}, "b"),
    ({"not": {"n": 1}}, "bcd"),
    ({"not": {"or": [{"n": 1}, {"s": {"exists": False}}]}}, "bc"),
    ({"not": {}}, ""),
    ({"n": {"gt": 0}, "not": {"s": "apple"}}, "b"),
    ({"not": {"not": {"not": {"n": 1}}}}, "bcd"),
]


@pytest.mark.parametrize(("where", "names"), CASES, ids=[str(where) for where, _ in CASES])
def test_where_finds(rows: MemoryManager, where: dict[str, Any], names: str) -> None:
    assert found(rows, where) == names


def test_a_filter_is_applied_inside_the_search(memory: MemoryManager) -> None:
    memory.remember_many({"content": f"bees bees bees {n}", "metadata": {"n": n}} for n in range(60))
    memory.remember("a single bee, bees once", metadata={"n": -1})
    assert memory.recall("bees", k=1, where={"n": -1}).texts == ("a single bee, bees once",)


@pytest.mark.parametrize(
    "key",
    [
        "a b",
        "a.b",
        "a'b",
        'a"b',
        "a]b",
        "$",
        "$.n",
        "[0]",
        "a\\b",
        "'; DROP TABLE memories; --",
        "ключ",
        "🐝",
        "%",
        "a\nb",
    ],
)
def test_any_key_is_only_a_key(memory: MemoryManager, key: str) -> None:
    memory.remember("x", metadata={key: 1})
    memory.remember("y", metadata={"n": 1})
    assert found(memory, {key: 1}) == "x"
    assert found(memory, {key: {"exists": False}}) == "y"


@pytest.mark.parametrize("value", ["'", '"', "\\", "%_", "' OR 1=1 --", "é", "🐝", 2**63 - 1, -(2**63) + 1, 0.1, -0.0])
def test_any_value_is_only_a_value(memory: MemoryManager, value: Any) -> None:
    memory.remember("x", metadata={"v": value})
    memory.remember("y", metadata={"v": "other"})
    assert found(memory, {"v": value}) == "x"
    assert found(memory, {"v": {"in": [value]}}) == "x"


def nested(levels: int) -> dict[str, Any]:
    """Return a `not` inside a `not`, so many times."""
    where: dict[str, Any] = {"n": 1}
    for _ in range(levels):
        where = {"not": where}
    return where


@pytest.mark.matrix
@pytest.mark.parametrize(
    ("where", "error", "says"),
    [
        ("n = 1", TypeError, "where must be a mapping of metadata keys to conditions, not str"),
        ([{"n": 1}], TypeError, "where must be a mapping of metadata keys to conditions, not list"),
        ({"n": {"like": "x"}}, ValueError, r"where\['n'\]: unknown operator 'like'; use one of eq, ne, gt"),
        ({"n": {}}, ValueError, r"where\['n'\] is empty: give a value or one of eq"),
        ({"n": [1]}, TypeError, r"where\['n'\]\['eq'\] takes text, a number, True, False or None, not list"),
        ({"n": {"gt": True}}, TypeError, "compares numbers or text, not bool"),
        ({"n": {"lt": None}}, TypeError, "compares numbers or text, not NoneType"),
        ({"n": {"in": "abc"}}, TypeError, "takes a list of values"),
        ({"n": {"exists": 1}}, TypeError, "is True or False"),
        ({"n": float("nan")}, ValueError, "must be finite"),
        ({"n": 2**63}, ValueError, "must fit in 64 bits"),
        ({"n": "a\x00b"}, ValueError, "holds a NUL character"),
        ({"n": b"x"}, TypeError, "takes text, a number, True, False or None, not bytes"),
        ({"": 1}, ValueError, "where keys are non-empty strings, not ''"),
        ({1: 1}, ValueError, "where keys are non-empty strings, not 1"),
        ({"a\ud800": 1}, ValueError, "a key of where holds a lone surrogate"),
        ({"or": []}, TypeError, "where 'or' takes a non-empty list of mappings"),
        ({"and": {"n": 1}}, TypeError, "where 'and' takes a non-empty list of mappings"),
        ({"not": [{"n": 1}]}, TypeError, "where must be a mapping"),
        (nested(21), ValueError, "where is nested deeper than 20 levels: flatten it"),
        ({f"k{n}": n for n in range(501)}, ValueError, "where has more than 500 conditions"),
        ({"n": {"in": list(range(501))}}, ValueError, "has more than 500 values"),
    ],
)
@pytest.mark.parametrize("call", ["recall", "list_memories", "count"])
def test_an_invalid_filter_is_refused(
    memory: MemoryManager, call: str, where: Any, error: type[Exception], says: str
) -> None:
    query = ("bees",) if call == "recall" else ()
    with pytest.raises(error, match=says):
        getattr(memory, call)(*query, where=where)


def test_twenty_levels_and_many_values_are_fine(rows: MemoryManager) -> None:
    assert found(rows, nested(20)) == "a"
    assert found(rows, {"n": {"in": list(range(500))}}) == "a"
