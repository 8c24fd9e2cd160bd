"""Arguments as they travel: a method's own, sorted into the path, the query and the body of its route."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from enum import Enum
from os import PathLike, fspath
from typing import Any
from urllib.parse import quote

from recollect.documents import plain
from recollect.interfaces.operations import Operation, Shape
from recollect.interfaces.routes import Route


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: a verb, a path under `/v1`, a query, and a body or none."""

    verb: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    body: Mapping[str, Any] | None = None


def asked(operation: Operation, route: Route, given: Mapping[str, Any], *, file: bool = False) -> Asked:
    """Return the request for a call with these arguments; with a `file` all of them stand in the query."""
    values = {name: wire(value, name) for name, value in given.items()}
    path = route.path
    for name in route.names:
        path = path.replace(f"{{{name}:path}}", f"{{{name}}}").replace(f"{{{name}}}", _segment(values.pop(name), name))
    if route.has_body and not file:
        return Asked(route.verb, path, body=values)
    return Asked(route.verb, path, [pair for name, value in values.items() for pair in _pairs(operation, name, value)])


def route_for(routes: Iterable[Route], given: Mapping[str, Any]) -> Route:
    """Return the route whose path these arguments fill."""
    found = list(routes)
    return next((each for each in found if all(given.get(name) is not None for name in each.names)), found[-1])


def _segment(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"{name} is blank: give a name or leave it out")
    coded = quote(value, safe="")
    return coded.replace(".", "%2E") if set(value) == {"."} else coded


def _pairs(operation: Operation, name: str, value: Any) -> list[tuple[str, str]]:
    parameter = operation.parameter(name)
    if value is None:
        return []
    if parameter is not None and parameter.shape is Shape.OBJECT:
        return [(name, json.dumps(value))]
    return [(name, _text(each)) for each in (value if isinstance(value, list) else [value])]


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else json.dumps(value)


def wire(value: Any, name: str) -> Any:
    """Return an argument as JSON types: times as ISO 8601, spans as seconds; what only a program holds is refused."""
    if isinstance(value, Enum):
        return value.value
    if value is None or isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, PathLike):
        return fspath(value)
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: wire(item, name) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, bytes):
        return [wire(item, name) for item in value]
    written = plain(value)
    if written is value:
        raise TypeError(
            f"{name} is a {type(value).__name__}, which does not travel: give its name where there is one, or use a "
            f"MemoryManager beside the store"
        )
    return written
