"""What a tool takes: a schema made from the parameters of its operations, and arguments held to it."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, create_model

from engrain.interfaces.mcp.toolbox import Tool
from engrain.model.memory import Scope
from engrain.operations.remote import FURTHEST, Caller, native, type_of
from engrain.operations.schema import Operation, Parameter
from engrain.operations.table import describe

OWNERS = ("user", "agent")
"""What says whose memories are meant, where neither the server nor the key does."""
MOST_BYTES = 64 * 1024


def input_model(tool: Tool, caller: Caller, bound: Scope) -> type[BaseModel]:
    """Return what a caller may give to a tool: nothing beyond its role, and no owner that is settled already."""
    names = tuple(n for n in tool.takes if caller.role.covers(tool.guard(n)) and not (n == "session" and bound.session))
    owners = tuple(name for name in OWNERS if getattr(bound, name) is None)
    return _model(tool, names, owners, MOST_BYTES)


@lru_cache(256)
def _model(tool: Tool, names: tuple[str, ...], owners: tuple[str, ...], most: int) -> type[BaseModel]:
    fields: dict[str, Any] = {name: _field(tool, name) for name in names}
    for name in owners:
        fields[name] = (str, _optional(f"whose memory: {describe(name)}", None))
    return create_model(tool.name, __config__=ConfigDict(extra="forbid", strict=True), **fields)


def _field(tool: Tool, name: str) -> tuple[Any, Any]:
    parameter = tool.parameter(name)
    choices = tool.choices.get(name)
    kind = Literal[choices] if choices else type_of(parameter)
    kind = list[kind] if parameter.repeated else kind  # type: ignore[valid-type]
    words = tool.takes[name] or parameter.help
    if name in tool.needed or (parameter.required and name not in tool.optional):
        return kind, Field(description=words)
    return kind, _optional(words, tool.defaults.get(name, _told(parameter)))


def _told(parameter: Parameter) -> object:
    """Return a default that a schema can tell: a plain value that means something."""
    default, told = parameter.default, "[default" in parameter.help
    if told or default == "" or not isinstance(default, bool | int | float | str) or parameter.name == "evolve":
        return None
    if isinstance(default, str):
        default = str(getattr(default, "value", default))
        return None if default == "unset" else [default] if parameter.repeated else default
    return default


def _optional(words: str, default: object) -> Any:
    """Return a field that may be left out; what has no default to tell has none in the schema either."""
    if default is None:
        return Field(default=None, description=words, json_schema_extra=_without_default)
    return Field(default=default, description=words)


def _without_default(schema: dict[str, Any]) -> None:
    schema.pop("default", None)


def schema_of(model: type[BaseModel], *, answer: bool = False) -> dict[str, Any]:
    """Return a model as JSON Schema, short: a model reads it before every conversation."""
    schema = model.model_json_schema(mode="serialization" if answer else "validation")
    lean: dict[str, Any] = _lean(schema)
    return lean


def _lean(part: Any) -> Any:
    """Leave out titles, which repeat names, and the ends of the integers that JSON knows."""
    if isinstance(part, list):
        return [_lean(each) for each in part]
    if not isinstance(part, dict):
        return part
    return {
        name: {key: _lean(each) for key, each in value.items()} if name in ("properties", "$defs") else _lean(value)
        for name, value in part.items()
        if not (name == "title" or (name in ("minimum", "maximum") and abs(value) == FURTHEST))
    }


def arguments(model: type[BaseModel], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was given, checked; null is the same as nothing, because some clients fill in every name.

    What does not fit is a `ValueError` that says which argument and why; so is a text over `MOST_BYTES`.
    """
    said = {name: value for name, value in given.items() if value is not None}
    try:
        checked = model.model_validate(said)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, each['loc']))}: {each['msg']}" for each in error.errors()[:3]]
        raise ValueError(f"{'; '.join(wrong)}. It takes {', '.join(model.model_fields) or 'nothing'}") from None
    values = {name: getattr(checked, name) for name in checked.model_fields_set}
    for name, value in values.items():
        size = len(value.encode()) if isinstance(value, str) else 0
        if size > MOST_BYTES:
            raise ValueError(
                f"{name} has {size:,} bytes, and a tool takes {MOST_BYTES:,} at most, nothing was done: keep what "
                "matters of it, in several memories; `engrain ingest` reads whole files"
            )
    return values


def passed(tool: Tool, operation: Operation, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return what of a tool's arguments one of its operations is given."""
    own = {p.name for p in operation.parameters}
    chosen = {**tool.defaults, **{n: v for n, v in values.items() if n not in OWNERS}, **tool.always}
    return {name: native(operation, name, value) for name, value in chosen.items() if name in own}


def owners(values: Mapping[str, Any]) -> dict[str, str | None]:
    """Return whose memories a call is about, as far as it says so."""
    return {name: values.get(name) for name in OWNERS}
