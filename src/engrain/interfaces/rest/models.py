"""Parameters of operations as pydantic models: what a request may hold, checked before anything is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json, create_model

from engrain.operations.remote import native, scope_names, type_of
from engrain.operations.schema import Operation, Parameter, Route, Shape
from engrain.operations.table import describe

_MANY, _MANY_ASKED = 1000, 256


def named_in(path: str) -> list[str]:
    """Return the names that stand in a path."""
    return re.findall(r"{(\w+)", path)


@cache
def request_model(operation: Operation, route: Route) -> type[BaseModel]:
    """Return the model of a body, or of a query where the route has none; unknown names are refused."""
    apart = set(named_in(route.path))
    fields: dict[str, Any] = {}
    for parameter in operation.parameters:
        if parameter.name not in apart and parameter.shape is not Shape.PATH:
            fields[parameter.name] = _field(parameter, query=not route.has_body)
    for name in scope_names(operation):
        if name not in apart and name not in fields:
            fields[name] = (str | None, Field(default=None, description=describe(name)))
    return create_model(
        model_name(operation, route),
        __config__=ConfigDict(extra="forbid", strict=route.has_body, title=model_name(operation, route)),
        **fields,
    )


def model_name(operation: Operation, route: Route) -> str:
    """Return a name that no other request has."""
    words = [*re.findall(r"\w+", operation.name), "Request" if route.has_body else "Query"]
    return "".join(word.capitalize() for word in words)


def _field(parameter: Parameter, *, query: bool) -> tuple[Any, Any]:
    kind = type_of(parameter)
    if query and parameter.shape is Shape.OBJECT:
        kind = Annotated[dict[str, Any], Json]
    if parameter.repeated:
        kind = Annotated[list[kind], Field(max_length=_MANY_ASKED if query else _MANY)]  # type: ignore[valid-type]
        if query:
            kind = Annotated[kind, BeforeValidator(_alone)]
        if not query and not parameter.required and parameter.shape is Shape.TEXT:
            kind = kind | _alone_of(parameter)
    words = parameter.help
    if parameter.required:
        return kind, Field(description=words)
    # What is not given is not passed on, so the default stays the method's own; it is told in words.
    return kind | None, Field(default=None, description=words)


def _alone_of(parameter: Parameter) -> Any:
    return Literal[parameter.choices] if parameter.choices else str


def _alone(value: object) -> object:
    return [value] if isinstance(value, str) else value


def given(model: BaseModel, operation: Operation) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Return what a request holds for the operation, and what says whose memories are meant; nothing it left out."""
    values = {name: getattr(model, name) for name in model.model_fields_set}
    own = {p.name for p in operation.parameters}
    asked = {name: values.pop(name) for name in scope_names(operation) if name in values and name not in own}
    if "org" in own and "org" in values:
        asked["org"] = values["org"]
    nullable = {p.name for p in operation.parameters if p.clearable}
    kept = {name: value for name, value in values.items() if value is not None or name in nullable}
    return {name: native(operation, name, value) for name, value in kept.items()}, asked


def placed(values: Mapping[str, str], operation: Operation) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Sort what stood in the path: what the operation takes, and what says whose memories are meant."""
    own = {p.name for p in operation.parameters}
    return {n: v for n, v in values.items() if n in own}, {n: v for n, v in values.items() if n not in own}
