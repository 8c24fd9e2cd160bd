"""The schema of an operation's result holds for what it returns, and for nothing that looks a little different."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import StrEnum
from functools import cache
from typing import Any, Literal, NamedTuple, get_type_hints

import jsonschema
import pytest

from engrain import MemoryManager
from engrain.documents import document, result_schema
from engrain.model.memory import Heat
from engrain.model.results import Page
from engrain.operations.table import OPERATIONS
from engrain.views import Graph, Lifecycle, Procedures, Working
from tests.house_rules import members
from tests.result_documents.results import Case

CHECKED = jsonschema.FormatChecker(formats=())
ANY = ("data", "value")
"""Keys that hold whatever JSON a caller gave."""
OF_PYTHON = {
    "MemoryManager.for_org",
    "MemoryManager.records",
    "MemoryManager.scoped",
    "MemoryManager.iter_memories",
    "MemoryManager.set_reranker",
}


@CHECKED.checks("date-time", raises=ValueError)
def _is_moment(value: object) -> bool:
    return not isinstance(value, str) or ("T" in value and datetime.fromisoformat(value).tzinfo is not None)


@cache
def held(hint: Any, answer: str = "result") -> jsonschema.Draft202012Validator:
    """Return what holds a document to the schema of an annotation."""
    schema, definitions = result_schema(hint, answer, prefix="#/$defs/")
    whole = {**schema, "$defs": definitions}
    jsonschema.Draft202012Validator.check_schema(whole)
    return jsonschema.Draft202012Validator(whole, format_checker=CHECKED)


def sent(case: Case) -> Any:
    """Return a result as its caller reads it."""
    return json.loads(json.dumps(document(case.result, case.answer)))


def test_every_operation_was_tried(cases: Sequence[Case]) -> None:
    missing = {each.name for each in OPERATIONS} - {case.name for case in cases}
    assert not missing, (
        f"tests/result_documents/results.py has no result of {', '.join(sorted(missing))}: call it there"
    )


def test_the_result_of_an_operation_matches_its_schema(cases: Sequence[Case]) -> None:
    for case in cases:
        errors = [
            f"{error.json_path}: {error.message}" for error in held(case.hint, case.answer).iter_errors(sent(case))
        ]
        assert not errors, f"{case.name}: {errors}"


def changed(value: Any) -> Iterator[Any]:
    """Yield a document with one key less, one more, and another type under each of its keys."""
    if isinstance(value, dict):
        for name in value:
            yield {key: item for key, item in value.items() if key != name}
            if name not in ANY:
                yield {**value, name: {"not": ["this"]} if not isinstance(value[name], dict) else "no object"}
        yield {**value, "one_more": 1}


def test_a_key_less_a_key_more_and_another_type_are_reported(cases: Sequence[Case]) -> None:
    named = {case.name: case for case in cases if case.hint != dict[str, Any]}
    for case in named.values():
        schema = held(case.hint, case.answer)
        for wrong in changed(sent(case)):
            assert not schema.is_valid(wrong), f"{case.name}: {wrong}"


@pytest.mark.parametrize(
    ("path", "wrong"),
    [
        (("hits", 0, "score"), "high"),
        (("hits", 0, "memory", "kind"), "spectral"),
        (("hits", 0, "memory", "recorded_at"), "yesterday"),
        (("hits", 0, "memory", "recorded_at"), "2026-01-05T12:00:00"),
        (("hits", 0, "memory", "version"), 1.5),
        (("hits", 0, "memory", "pinned"), 1),
        (("hits", 0, "memory", "tags"), "home"),
        (("hits", 0, "memory", "scope"), None),
        (("trace", 0, "came_in"), None),
        (("abstained",), "no"),
    ],
)
def test_a_wrong_value_deep_inside_is_reported(cases: Sequence[Case], path: tuple[Any, ...], wrong: object) -> None:
    case = next(case for case in cases if case.name == "recall" and case.result)
    found = copy.deepcopy(sent(case))
    *way, last = path
    inside = found
    for step in way:
        inside = inside[step]
    assert held(case.hint, case.answer).is_valid(found)
    inside[last] = wrong
    assert not held(case.hint, case.answer).is_valid(found)


def methods() -> Iterator[tuple[str, Any]]:
    """Yield every public method that returns something to a caller, with what it is annotated with."""
    for owner in (MemoryManager, Graph, Lifecycle, Procedures, Working):
        for name in sorted(members(owner)):
            if not name.startswith("_") and inspect.isroutine(method := getattr(owner, name)):
                yield f"{owner.__name__}.{name}", get_type_hints(method, include_extras=True).get("return")


def test_what_every_method_returns_is_described_and_names_mean_one_class_everywhere() -> None:
    all_definitions: dict[str, Any] = {}
    for name, hint in methods():
        if name in OF_PYTHON:
            with pytest.raises(TypeError, match="has no form as a JSON document"):
                result_schema(hint)
            continue
        _, definitions = result_schema(hint)
        for each, schema in definitions.items():
            assert all_definitions.setdefault(each, schema) == schema
            assert schema["description"].endswith((".", "!", "?")), f"{each} says nothing"
    assert {"Memory", "Recall", "Hit", "Synthesis", "Receipt", "RetentionPolicy", "Reached"} <= all_definitions.keys()


def test_references_begin_as_they_are_asked_to() -> None:
    assert result_schema(Page[int])[0]["properties"]["memories"]["items"] == {"type": "integer"}
    schema, definitions = result_schema(get_type_hints(MemoryManager.stats)["return"])
    assert (schema, list(definitions)) == ({"$ref": "#/components/schemas/Stats"}, ["Stats"])
    assert result_schema(Heat, "heat", prefix="#/$defs/")[0]["properties"]["heat"] == {"$ref": "#/$defs/Heat"}


class Role(StrEnum):
    """The permissions of a caller."""

    READ = "read"
    WRITE = "write"


class Place(NamedTuple):
    """Where it is."""

    street: str
    number: int


@dataclass(frozen=True)
class Pass:
    """A pass, which opens a door; it has more to it.

    And more.
    """

    role: Role
    made: datetime
    day: date
    lasts: timedelta
    place: Place
    opened: Mapping[int, str]
    kind: Literal["door", "gate"] = "door"
    used: datetime | None = None
    secret: str | None = None
    both: tuple[int, str] = (1, "one")


def test_a_class_that_is_new_is_described_by_its_annotations() -> None:
    schema, definitions = result_schema(list[Pass], "passes")
    assert schema["properties"]["passes"] == {"type": "array", "items": {"$ref": "#/components/schemas/Pass"}}
    found = definitions["Pass"]
    assert found["description"] == "A pass, which opens a door; it has more to it."
    assert found["required"] == list(found["properties"])
    assert found["properties"]["made"] == {"type": "string", "format": "date-time"}
    assert found["properties"]["lasts"] == {"type": "number", "description": "seconds"}
    assert found["properties"]["kind"] == {"type": "string", "enum": ["door", "gate"]}
    assert found["properties"]["secret"] == {"anyOf": [{"type": "string"}, {"type": "null"}]}
    assert definitions["Role"] == {
        "description": "The permissions of a caller.",
        "type": "string",
        "enum": ["read", "write"],
    }
    assert set(definitions) == {"Pass", "Role", "Place"}


def test_two_classes_of_one_name_are_refused() -> None:
    other = type("Role", (), {"__annotations__": {"name": str}, "__doc__": "Another."})
    with pytest.raises(TypeError, match="two classes are named Role"):
        result_schema(tuple[Role, dataclass(other)])  # type: ignore[misc]
