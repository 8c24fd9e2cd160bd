"""Values as JSON brings them: the type of each parameter, and what the method is given for it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import timedelta
from typing import Annotated, Any, Literal

from pydantic import Field

from engrain.interfaces.operations import SCOPE, Operation, Parameter, Shape

FURTHEST = 2**53
"""From here on numbers of JSON are not exact everywhere."""

LONGEST = 10_000 * 365 * 86_400.0
"""The longest time in seconds that means anything: of ten thousand years."""

_TYPES: Mapping[Shape, Any] = {
    Shape.TEXT: str,
    Shape.PATH: str,
    Shape.TIME: str,
    Shape.FLAG: bool,
    Shape.INTEGER: Annotated[int, Field(ge=-FURTHEST, le=FURTHEST)],
    Shape.NUMBER: Annotated[float, Field(allow_inf_nan=False)],
    Shape.DURATION: Annotated[float, Field(allow_inf_nan=False, ge=-LONGEST, le=LONGEST, description="seconds")],
    Shape.OBJECT: dict[str, Any],
    Shape.FACT: Annotated[list[str], Field(min_length=3, max_length=3)],
    Shape.ENTITY: Annotated[list[str], Field(min_length=2, max_length=2)],
}
_TUPLES = (Shape.FACT, Shape.ENTITY)
MOST: Mapping[str, float] = {"k": 1000, "limit": 1000, "batch_size": 10_000, "max_depth": 100, "timeout": 10}
"""The largest value of what decides how much work one request is."""

LEAST: Mapping[str, float] = {"chunk_size": 200}
"""The smallest value of what decides so: a report is not taken apart into letters."""


def type_of(parameter: Parameter) -> Any:
    """Return the type of one value of a parameter, be it `repeated` or not."""
    kind = Literal[parameter.choices] if parameter.choices else _TYPES[parameter.shape]
    bounded = parameter.name in MOST and not parameter.repeated
    kind = Annotated[kind, Field(le=MOST[parameter.name])] if bounded else kind
    return Annotated[kind, Field(ge=LEAST[parameter.name])] if parameter.name in LEAST else kind


def scope_names(operation: Operation) -> tuple[str, ...]:
    """Return what says whose memories are meant: org always, the others where the operation has none of its own."""
    own = {p.name for p in operation.parameters}
    return tuple(name for name in SCOPE if name == "org" or name not in own)


def native(operation: Operation, name: str, value: Any) -> Any:
    """Return a value as the method takes it: what JSON has no type for comes as a list or a number."""
    parameter = operation.parameter(name)
    if parameter is None or value is None:
        return value
    if parameter.shape is Shape.DURATION:
        return timedelta(seconds=value)
    if parameter.shape in _TUPLES:
        return [tuple(each) for each in value] if parameter.repeated else tuple(value)
    return value
