"""The OpenAPI document of the operations is made once a process, not once a server: it is most of what a start costs.

Every application has the same routes of operations, the very objects, and a server adds a few that are alike; the
document of any others is made.
"""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from typing import Any

from fastapi import applications
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from starlette.routing import Mount, Route

_TOLD = (
    *("path", "methods", "name", "summary", "description", "operation_id", "tags", "responses", "response_model"),
    *("status_code", "response_description", "deprecated", "openapi_extra", "response_class"),
)
"""The parts of a route that the document describes."""
_KEPT = 3
_known: list[tuple[list[object], dict[str, Any], bytes]] = []


def share() -> None:
    """Let the servers of this process, and of its forks, share a document."""
    vars(applications)["get_openapi"] = _described


def _described(*, routes: Sequence[object], **words: Any) -> dict[str, Any]:
    """Return a copy of the document that was made of these very routes, or make it."""
    shown = [_mark(route) for route in routes if _is_shown(route)]
    for others, said, document in _known:
        if said == words and len(others) == len(shown) and all(map(_same, others, shown)):
            found: dict[str, Any] = pickle.loads(document)
            return found
    made: dict[str, Any] = get_openapi(routes=routes, **words)  # type: ignore[arg-type]
    if len(_known) < _KEPT:
        _known.append((shown, words, pickle.dumps(made)))
    return made


def _is_shown(route: object) -> bool:
    if isinstance(route, Route | Mount) and not isinstance(route, APIRoute):
        return False  # which FastAPI does not describe
    return getattr(route, "include_in_schema", True) is True


def _mark(route: object) -> object:
    """Return a route that asks for something, and of another what is told of it: it would keep its server alive."""
    if not isinstance(route, APIRoute) or _asks(route):
        return route
    return [*(getattr(route, name) for name in _TOLD), getattr(route.endpoint, "__code__", route.endpoint)]


def _same(one: object, other: object) -> bool:
    return one is other or (isinstance(one, list) and isinstance(other, list) and one == other)


def _asks(route: APIRoute) -> bool:
    """Say whether a route has parameters or a body, which are described by its endpoint's signature."""
    given = route.dependant
    asked = (given.path_params, given.query_params, given.header_params, given.cookie_params, given.dependencies)
    return route.body_field is not None or any(asked)
