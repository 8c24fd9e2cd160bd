"""Parameters of operations as pydantic models: what a request may hold, checked before anything is called."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, Json, create_model

from recollect.interfaces.glossary import describe
from recollect.interfaces.operations import SCOPE, Operation, Parameter, Shape
from recollect.interfaces.routes import Route

_TYPES: Mapping[Shape, Any] = {
    Shape.TEXT: str,
    Shape.PATH: str,
    Shape.TIME: str,
    Shape.FLAG: bool,
    Shape.INTEGER: Annotated[int, Field(ge=-(2**53), le=2**53)],
    Shape.NUMBER: Annotated[float, Field(allow_inf_nan=False)],
    Shape.DURATION: Annotated[float, Field(allow_inf_nan=False, description="seconds")],
    Shape.OBJECT: dict[str, Any],
    Shape.FACT: Annotated[list[str], Field(min_length=3, max_length=3)],
    Shape.ENTITY: Annotated[list[str], Field(min_length=2, max_length=2)],
}
_TUPLES = (Shape.FACT, Shape.ENTITY)
MOST: Mapping[str, float] = {"k": 1000, "limit": 1000, "batch_size": 10_000, "max_depth": 100, "timeout": 60}
"""The largest value of what decides how much work one request is."""
_MANY = 10_000


def named_in(path: str) -> list[str]:
    """Return the names that stand in a path."""
    return re.findall(r"{(\w+)", path)


def scope_names(operation: Operation) -> tuple[str, ...]:
    """Return what says whose memories are meant: org always, the others where the operation has none of its own."""
    own = {p.name for p in operation.parameters}
    return tuple(name for name in SCOPE if name == "org" or name not in own)


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
    kind = Literal[parameter.choices] if parameter.choices else _TYPES[parameter.shape]
    if parameter.name in MOST and not parameter.repeated:
        kind = Annotated[kind, Field(le=MOST[parameter.name])]
    if query and parameter.shape is Shape.OBJECT:
        kind = Annotated[dict[str, Any], Json]
    if parameter.repeated:
        kind = Annotated[list[kind], Field(max_length=_MANY)]  # type: ignore[valid-type]
        if query:
            kind = Annotated[kind, BeforeValidator(_alone)]
        if not query and not parameter.required and parameter.shape is Shape.TEXT:
            kind = kind | _alone_of(parameter)
    if parameter.required:
        return kind, Field(description=parameter.help)
    # What is not given is not passed on, so the default stays the method's own; it is told in words.
    return kind | None, Field(default=None, description=parameter.help)


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
    return {name: _native(operation, name, value) for name, value in kept.items()}, asked


def _native(operation: Operation, name: str, value: Any) -> Any:
    """Return a value as the method takes it: what JSON has no type for comes as a list or a number."""
    parameter = operation.parameter(name)
    if parameter is None or value is None:
        return value
    if parameter.shape is Shape.DURATION:
        return timedelta(seconds=value)
    if parameter.shape in _TUPLES:
        return [tuple(each) for each in value] if parameter.repeated else tuple(value)
    return value


def placed(values: Mapping[str, str], operation: Operation) -> tuple[dict[str, Any], dict[str, str | None]]:
    """Sort what stood in the path: what the operation takes, and what says whose memories are meant."""
    own = {p.name for p in operation.parameters}
    return {n: v for n, v in values.items() if n in own}, {n: v for n, v in values.items() if n not in own}
