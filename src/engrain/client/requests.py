"""Calls as requests: the arguments of a method, checked, and sorted into the path, the query and the body."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any
from urllib.parse import quote

from engrain.chat.formats import listed
from engrain.chat.formats import plain as plain_message
from engrain.documents import plain
from engrain.errors import ConfigError, GovernanceViolation
from engrain.model.memory import Fact
from engrain.operations.schema import Operation, Parameter, Shape
from engrain.operations.table import ROUTES


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """A request: a verb, a path under `/v1`, a query, and a JSON body or none."""

    verb: str
    path: str
    query: list[tuple[str, str]] = field(default_factory=list)
    body: Mapping[str, Any] | None = None


def bind_arguments(
    method: Callable[..., Any], operation: Operation, args: tuple[Any, ...], kwargs: Mapping[str, Any]
) -> dict[str, Any]:
    """Return the arguments of a call by name, as the operation takes them; one it does not know is a `TypeError`."""
    bound = _signature(method).bind(None, *args, **kwargs)
    given = dict(bound.arguments)
    extra: dict[str, Any] = {}
    for parameter in list(bound.signature.parameters.values()):
        if parameter.kind is parameter.VAR_KEYWORD:
            extra = given.pop(parameter.name, {})
    given.pop(next(iter(bound.signature.parameters)))  # self
    if operation.spread:
        given |= {operation.spread: extra} if extra else {}
    else:
        given |= extra
    for name in [name for name in given if operation.parameter(name) is None]:
        if name in extra:
            raise TypeError(f"{method.__name__}() got an unexpected keyword argument {name!r}")
        if given.pop(name) is not None:
            where = f"use {method.__name__} of a MemoryManager where the store is"
            raise ConfigError(f"{name} cannot be sent to a server: {where}")
    if operation.parameter("messages") is not None and "messages" in given:
        given["messages"] = [plain_message(each) for each in listed(given["messages"])]
    if operation.parameter("evolve") is not None:
        given.setdefault("evolve", False)  # as the signature says: a server with a model has its own default
    return given


@cache
def _signature(method: Callable[..., Any]) -> inspect.Signature:
    return inspect.signature(method)


def build_request(operation: Operation, given: Mapping[str, Any], *, file: bool = False) -> HttpRequest:
    """Return the request for a call with these arguments; with a `file` all of them are in the query."""
    values = {
        name: _checked(operation.parameter(name), json_value(value, name), value) for name, value in given.items()
    }
    routes = ROUTES[operation.name]
    filled = (each for each in routes if all(given.get(name) is not None for name in each.names))
    route = next(filled, routes[-1])
    path = route.path
    for name in route.names:
        segment = _path_segment(values.pop(name), name)
        # Elsewhere a slash would be another address; with no id that has one, its code is as unknown.
        path = path.replace(f"{{{name}:text}}", segment).replace(f"{{{name}}}", segment.replace("%2F", "%252F"))
    if route.has_body and not file:
        return HttpRequest(route.verb, path, body=values)
    query = [pair for name, value in values.items() for pair in _query_pairs(operation.parameter(name), name, value)]
    return HttpRequest(route.verb, path, query)


def json_value(value: Any, name: str) -> Any:
    """Return an argument as JSON types: times as ISO 8601, spans as seconds; what only a program has is refused."""
    if isinstance(value, Fact):
        return [value.subject, value.predicate, value.object]
    if hasattr(value, "to_dict"):
        return value.to_dict()
    if isinstance(value, Mapping):
        return {key: json_value(item, name) for key, item in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str | bytes):
        return [json_value(item, name) for item in value]
    found = plain(value)
    if not (found is None or isinstance(found, str | bool | int | float | Mapping)):
        raise TypeError(
            f"{name} is a {type(value).__name__}, which cannot be sent: give its name where there is one, or use a "
            f"MemoryManager where the store is"
        )
    return found


def _path_segment(value: Any, name: str) -> str:
    if not isinstance(value, str):
        raise TypeError(f"{name} must be a string, not {type(value).__name__}")
    if not value.strip():
        raise ValueError(f"{name} is blank: give a name or leave it out")
    encoded = quote(value, safe="")
    return encoded.replace(".", "%2E") if set(value) == {"."} else encoded


def _query_pairs(parameter: Parameter | None, name: str, value: Any) -> list[tuple[str, str]]:
    if value is None:
        return []
    if parameter is not None and parameter.shape is Shape.OBJECT:
        return [(name, json.dumps(value))]
    return [(name, each if isinstance(each, str) else json.dumps(each)) for each in _as_list(value)]


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


# ------------------------------------------------------------------------------------------------------- wrong types


def _checked(parameter: Parameter | None, value: Any, given: object) -> Any:
    """Return a value as it is sent, if it has the shape of its parameter; else raise what the manager raises."""
    if parameter is None or (value is None and parameter.nullable):
        return value
    fits, what = _SHAPES[parameter.shape]
    if parameter.repeated:
        what = f"a list, each in it {what}"
        alone = parameter.shape is Shape.TEXT and isinstance(value, str)
        wrong = [each for each in value if not fits(each)] if isinstance(value, list) else [] if alone else [given]
    else:
        wrong = [] if fits(value) else [given]
    if wrong:
        one_of = parameter.choices and not parameter.repeated
        kind = _ERRORS.get(parameter.name, ValueError if one_of else TypeError)
        raise kind(f"{parameter.name} must be {what}, not {type(wrong[0]).__name__}")
    return value


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _are_texts(count: int) -> Callable[[object], bool]:
    return lambda value: isinstance(value, list) and len(value) == count and all(map(_is_text, value))


_SHAPES: Mapping[Shape, tuple[Callable[[object], bool], str]] = {
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
"""The form of each shape as it is sent, and in words."""
_COUNTS = ("limit", "cursor", "batch_size", "max_depth", "max_iterations", "min_support", "expand_hops", "multi_query")
_ERRORS: Mapping[str, type[Exception]] = {
    "content": GovernanceViolation,
    "ranking": TypeError,  # it may be an object too
    **dict.fromkeys(_COUNTS, ValueError),
}
"""What the manager raises for a value of a wrong type, where that is no `TypeError`."""
