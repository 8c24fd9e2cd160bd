"""Arguments as they travel: a method's own, sorted into the path, the query and the body of its route."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from engrain.documents.writing import plain
from engrain.errors import GovernanceViolation
from engrain.model.memory import Fact
from engrain.operations.schema import Operation, Parameter, Route, Shape


@dataclass(frozen=True, slots=True)
class Asked:
    """A request: a verb, a path under `/v1`, a query, and a body or none."""

    verb: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    body: Mapping[str, Any] | None = None


def asked(operation: Operation, route: Route, given: Mapping[str, Any], *, file: bool = False) -> Asked:
    """Return the request for a call with these arguments; with a `file` all of them stand in the query."""
    values = {name: _checked(operation.parameter(name), wire(value, name), value) for name, value in given.items()}
    path = route.path
    for name in route.names:
        segment = _segment(values.pop(name), name)
        # Elsewhere a slash would be another address; with no id that has one, its code is as unknown.
        path = path.replace(f"{{{name}:text}}", segment).replace(f"{{{name}}}", segment.replace("%2F", "%252F"))
    if route.has_body and not file:
        return Asked(route.verb, path, body=values)
    return Asked(route.verb, path, [pair for name, value in values.items() for pair in _pairs(operation, name, value)])


def route_for(routes: Iterable[Route], given: Mapping[str, Any]) -> Route:
    """Return the route whose path these arguments fill."""
    found = list(routes)
    return next((each for each in found if all(given.get(name) is not None for name in each.names)), found[-1])


def _checked(parameter: Parameter | None, value: Any, given: object) -> Any:
    """Return a value as it travels, if it is what the parameter holds; else raise what the manager raises."""
    if parameter is None or (value is None and parameter.nullable):
        return value
    fits, told = _HELD[parameter.shape]
    if parameter.repeated and isinstance(value, list):
        strange = [each for each in value if not fits(each)]
        wrong, told = bool(strange), f"a list, each in it {told}"
    elif parameter.repeated:
        strange, told = [given], f"a list, each in it {told}"
        wrong = parameter.shape is not Shape.TEXT or not isinstance(value, str)
    else:
        strange, wrong = [given], not fits(value)
    if wrong:
        one_of = parameter.choices and not parameter.repeated
        kind = _WRONG.get(parameter.name, ValueError if one_of else TypeError)
        raise kind(f"{parameter.name} must be {told}, not {type(strange[0]).__name__}")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(count: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) == count and all(map(_is_text, value))


_HELD: Mapping[Shape, tuple[Callable[[object], bool], str]] = {
    Shape.TEXT: (_is_text, "a string"),
    Shape.PATH: (_is_text, "a path"),
    Shape.TIME: (_is_text, "a datetime, a date or an ISO 8601 string"),
    Shape.FLAG: (lambda value: isinstance(value, bool), "True or False"),
    Shape.INTEGER: (_is_whole, "a whole number"),
    Shape.NUMBER: (_is_number, "a number"),
    Shape.DURATION: (_is_number, "a timedelta or a number of seconds"),
    Shape.OBJECT: (lambda value: isinstance(value, dict), "a mapping"),
    Shape.FACT: (_are_texts(3), "(subject, predicate, object), three strings"),
    Shape.ENTITY: (_are_texts(2), "a (type, name) pair"),
}
"""What each shape is on its way, and in words."""
_COUNTS = ("limit", "cursor", "batch_size", "max_depth", "max_iterations", "min_support", "expand_hops", "multi_query")
_WRONG: Mapping[str, type[Exception]] = {
    "content": GovernanceViolation,
    "ranking": TypeError,  # it may be an object too
    **dict.fromkeys(_COUNTS, ValueError),
}
"""What the manager raises for a value of a wrong type, where that is no `TypeError`."""


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
    if isinstance(value, Fact):
        return [value.subject, value.predicate, value.object]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: wire(item, name) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [wire(item, name) for item in value]
    written = plain(value)
    if not (written is None or isinstance(written, str | bool | int | float | Mapping)):
        raise TypeError(
            f"{name} is a {type(value).__name__}, which does not travel: give its name where there is one, or use a "
            f"MemoryManager beside the store"
        )
    return written
