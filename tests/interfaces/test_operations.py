"""The table of operations is the methods' own signatures, and nothing said twice."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from os import PathLike
from typing import Any, Literal, Protocol

import click
import pytest

from engrain.interfaces.access import Caller
from engrain.interfaces.commands import operation_command
from engrain.interfaces.glossary import describe
from engrain.interfaces.operations import Operation, Parameter, Shape, operation
from engrain.interfaces.routes import Route
from engrain.interfaces.table import OPERATIONS
from engrain.model.audit import Role
from engrain.model.memory import Fact, Kind, Scope
from engrain.server.mcp.tools import Tool, input_model
from engrain.server.requests import request_model


class _Policy(Protocol):
    def score(self) -> float: ...


class _Diary:
    def find(self, query: str, *, k: int = 10, since: datetime | str | None = None) -> list[str]:
        """Find an entry; None when there is none.

        More that nobody reads in a list of commands.
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
        kinds: Kind | str | Sequence[Kind | str] | None = None,
        where: Mapping[str, Any] | None = None,
        ttl: timedelta | float | None = None,
        fact: Fact | tuple[str, str, str] | None = None,
        share: float = 0.5,
        quiet: bool = False,
        on_error: Literal["raise", "skip"] = "raise",
        policy: str | _Policy | None = None,
        progress: Callable[[int], None] | None = None,
        listener: _Policy | None = None,
    ) -> None:
        """Take everything."""


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
    tool = Tool("find", "Find", ("find",), "Find an entry.", {"mood": ""}, table=(after,))
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


@pytest.mark.parametrize("found", OPERATIONS, ids=lambda found: found.name)
def test_every_operation_and_every_parameter_is_described(found: Operation):
    assert found.summary.endswith(".")
    assert [p.name for p in found.parameters if not describe(p.name, found.name)] == []


def test_names_of_operations_are_unique():
    names = [found.name for found in OPERATIONS]
    assert len(names) == len(set(names))
