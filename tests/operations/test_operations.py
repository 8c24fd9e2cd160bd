"""The table of operations follows the signatures and docstrings of the methods."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, Literal, Protocol, TypedDict, Unpack

import click
import pytest

from engrain.cli.commands import operation_command
from engrain.model.audit import Role
from engrain.model.memory import Fact, Kind, Scope
from engrain.operations.schema import Operation, Parameter, Route, Shape, operation, parameter_docs
from engrain.operations.table import OPERATIONS
from engrain.server.callers import Caller
from engrain.server.endpoints import request_model
from engrain.server.tools import Tool, input_model


class _Policy(Protocol):
    def score(self) -> float: ...


class _Diary:
    def find(self, query: str, *, k: int = 10, since: datetime | str | None = None) -> list[str]:
        """Find an entry; None when there is none.

        More that is not in a list of commands.
        """
        return [query] * k

    def find_later(
        self, query: str, *, k: int = 10, since: datetime | str | None = None, mood: str = "calm"
    ) -> list[str]:
        """Find an entry."""
        return [f"{query} {mood}"] * k

    def quote(self, query: str, *, length: int = 3, **filters: Any) -> str:
        """Quote an entry."""
        return ""

    def shapes(
        self,
        words: Sequence[str],
        files: str | PathLike[str] | Iterable[str | PathLike[str]] = (),
        *,
        kinds: Kind | Sequence[Kind] | None = None,
        where: Mapping[str, Any] | None = None,
        ttl: timedelta | float | None = None,
        fact: Fact | tuple[str, str, str] | None = None,
        share: float = 0.5,
        quiet: bool = False,
        on_error: Literal["raise", "skip"] = "raise",
        source: Literal["user", "tool"] | str = "user",
        policy: str | _Policy | None = None,
        progress: Callable[[int], None] | None = None,
        listener: _Policy | None = None,
    ) -> None:
        """Take everything."""


class _Times(TypedDict, total=False):
    since: datetime | str | None


class _Filters(_Times, total=False):
    """Filters of a search.

    Attributes:
        tags: Only entries with any
            of these tags.
        since: Only entries at or after this time.
        shared: Also entries of others.
    """

    tags: Sequence[str] | None
    shared: bool


class _Library:
    """A library.

    Args:
        folder: Where the books are.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder

    def search(self, query: str, *, k: int = 10, **filters: Unpack[_Filters]) -> list[str]:
        """Search the library.

        Args:
            query: The question, in words: `"who wrote it?"`.
            k (int): How many books at most. Default 10.

                Never more than a shelf.
            **filters: As for `count`.

        Returns:
            The titles, best first.

        Raises:
            ValueError: `k` is negative.
        """
        return [f"{query} {k} {filters}"]

    def count(self, **filters: Any) -> int:
        """Count books.

        Args:
            shared: Also books that are lent out.
        """
        return len(filters)


def _names(found: Operation) -> list[str]:
    return [parameter.name for parameter in found.parameters]


def _help(found: Operation) -> str:
    command = operation_command(found)
    return command.get_help(click.Context(command, info_name=found.name))


def test_an_operation_is_named_and_summed_up_by_its_method():
    found = operation(_Diary.find_later)
    assert (found.name, found.method, found.summary) == ("find-later", "find_later", "Find an entry.")
    assert operation(_Diary.find).summary == "Find an entry."


def test_a_new_parameter_of_the_method_is_in_the_help_with_nothing_else_changed():
    assert "--mood" not in _help(operation(_Diary.find))
    assert "--mood TEXT" in _help(operation(_Diary.find_later))
    assert "[default: calm]" in _help(operation(_Diary.find_later))


def test_it_is_in_all_three_interfaces() -> None:
    before, after = operation(_Diary.find), operation(_Diary.find_later, name="find")
    route = Route("POST", "/diary/find")
    tool = Tool("find", "Find", (after,), "Find an entry.", ("mood",))
    assert "--mood" in _help(after)
    assert "mood" in request_model(after, route).model_fields
    assert "mood" not in request_model(before, route).model_fields
    assert "mood" in input_model(tool, Caller(Role.READ), Scope("acme")).model_fields


def test_keyword_arguments_that_are_passed_on_are_those_of_the_method_they_go_to():
    found = operation(_Diary.quote, rest=_Diary.find, omit=("since",))
    assert _names(found) == ["query", "length", "k"]


@pytest.mark.parametrize(
    ("name", "shape", "more"),
    [
        ("words", Shape.TEXT, {"required": True, "repeated": True, "positional": True}),
        ("files", Shape.PATH, {"repeated": True, "positional": True, "required": False}),
        ("kinds", Shape.TEXT, {"repeated": True, "nullable": True, "choices": tuple(kind.value for kind in Kind)}),
        ("where", Shape.OBJECT, {"nullable": True, "positional": False}),
        ("ttl", Shape.DURATION, {"nullable": True}),
        ("fact", Shape.FACT, {"repeated": False}),
        ("share", Shape.NUMBER, {"default": 0.5, "nullable": False}),
        ("quiet", Shape.FLAG, {"default": False}),
        ("on_error", Shape.TEXT, {"choices": ("raise", "skip")}),
        ("source", Shape.TEXT, {"choices": ()}),
        ("policy", Shape.TEXT, {"nullable": True}),
    ],
)
def test_an_annotation_says_what_a_value_looks_like(name: str, shape: Shape, more: dict[str, object]):
    found = operation(_Diary.shapes).parameter(name)
    assert isinstance(found, Parameter)
    assert found.shape is shape
    assert {key: getattr(found, key) for key in more} == more


def test_what_only_a_program_could_give_is_not_offered():
    assert not {"progress", "listener", "self"} & set(_names(operation(_Diary.shapes)))


def test_a_call_passes_on_what_was_given_and_refuses_what_the_operation_does_not_have():
    found = operation(_Diary.find)
    assert found.call(_Diary(), {"query": "rain", "k": 2}) == ["rain", "rain"]
    with pytest.raises(TypeError, match="find does not take mood"):
        found.call(_Diary(), {"query": "rain", "mood": "calm"})


def test_a_docstring_describes_parameters() -> None:
    assert parameter_docs(_Library.search) == {
        "query": 'The question, in words: `"who wrote it?"`.',
        "k": "How many books at most. Default 10. Never more than a shelf.",
        "filters": "As for `count`.",
        "since": "Only entries at or after this time.",
        "tags": "Only entries with any of these tags.",
        "shared": "Also entries of others.",
    }
    assert parameter_docs(_Library) == {"folder": "Where the books are."}
    assert parameter_docs(_Diary.find) == {}


def test_keys_of_an_unpacked_typed_dict_are_optional_parameters() -> None:
    found = operation(_Library.search)
    assert _names(found) == ["query", "k", "since", "tags", "shared"]
    shapes = {p.name: (p.shape, p.repeated, p.nullable, p.required) for p in found.parameters[2:]}
    assert shapes == {
        "since": (Shape.TIME, False, True, False),
        "tags": (Shape.TEXT, True, True, False),
        "shared": (Shape.FLAG, False, False, False),
    }
    assert found.call(_Library("."), {"query": "tea", "tags": ["a"]}) == ["tea 10 {'tags': ['a']}"]


def test_a_methods_own_words_come_before_those_of_the_method_it_passes_filters_to() -> None:
    found = operation(_Library.count, rest=_Library.search)
    described = {p.name: p.help for p in found.parameters}
    assert described["shared"] == "Also books that are lent out."
    assert described["tags"] == "Only entries with any of these tags."


def test_the_docstring_is_the_help_in_every_interface() -> None:
    found = operation(_Library.search)
    text = " ".join(_help(found).split())
    assert 'The question, in words: "who wrote it?"; - reads standard input' in text
    assert "-k INTEGER How many books at most. Default 10. Never more than a shelf" in text
    assert "[default: 10]" not in text
    schema = request_model(found, Route("POST", "/search")).model_json_schema()
    assert schema["properties"]["tags"]["description"] == "Only entries with any of these tags."


def test_arguments_that_are_fixed_are_no_parameters() -> None:
    found = operation(_Library.search, omit=("k",), fixed={"k": 2})
    assert found.parameter("k") is None
    assert found.call(_Library("."), {"query": "tea"}) == ["tea 2 {}"]


def _loans(memory: _Library, *, k: int = 3) -> list[str]:
    """Return what is lent out."""
    return [memory.folder] * k


def _copy(memory: _Library, path: str | PathLike[str]) -> str:
    """Copy the library."""
    return str(path)


def test_an_operation_of_a_pack_is_a_function_of_the_manager() -> None:
    found = operation(_loans, name="loans")
    assert (_names(found), found.summary) == (["k"], "Return what is lent out.")
    assert found.call(_Library("shelf"), {"k": 2}) == ["shelf", "shelf"]
    assert found.routes == (Route("POST", "/packs/loans"),)
    local = operation(_copy)
    assert (local.routes, bool(local.local_only)) == ((), True)


@pytest.mark.parametrize("found", OPERATIONS, ids=lambda found: found.name)
def test_every_operation_and_every_parameter_is_described(found: Operation):
    assert found.summary.endswith(".")
    assert [p.name for p in found.parameters if not p.help] == []


def test_names_of_operations_are_unique():
    names = [found.name for found in OPERATIONS]
    assert len(names) == len(set(names))
