"""The application: every operation of the table at its route, and around them what all requests go through."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Receive, Send
from starlette.types import Scope as Connection

from engrain import __version__
from engrain.interfaces.rest.callers import caller_of
from engrain.interfaces.rest.endpoints import endpoint
from engrain.interfaces.rest.files import described, file_endpoint, file_of
from engrain.interfaces.rest.mistakes import misunderstood
from engrain.interfaces.rest.openapi import describe_answers
from engrain.interfaces.rest.problems import EXPECTED, Problem, problem_of
from engrain.interfaces.rest.requests import OperationRoute
from engrain.interfaces.rest.serving import Limits, Serving
from engrain.lazy import library
from engrain.manager import MemoryManager
from engrain.model.memory import Scope
from engrain.operations.remote import Caller
from engrain.operations.schema import Operation
from engrain.operations.schema import Route as Place
from engrain.operations.table import LOCAL_ONLY as AT_THE_MACHINE
from engrain.operations.table import OPERATIONS, ROUTES

PREFIX = "/v1"
_TOLD = 20  # errors of one request that are told
MCP = "/mcp"
MCP_IS_OFF = 'pip install "engrain[mcp]", and start the server again'


class AnyText(StringConvertor):
    """A name in a path, of any characters: the framework's own `path` ends at a line."""

    regex = r"[\s\S]*"


register_url_convertor("text", AnyText())


def create_app(
    memory: MemoryManager,
    *,
    limits: Limits | None = None,
    caller: Callable[[MemoryManager, Headers], Caller] = caller_of,
    guarded: bool = False,
    scratch: str | os.PathLike[str] | None = None,
    bound: Scope | None = None,
) -> FastAPI:
    """Return the application over a manager, which stays the caller's to close.

    `caller` says of the headers of a request who asks, or raises `AccessDenied`. `guarded` says that what stands around
    the application turns away pages in browsers. Files are on their way in the folder `scratch`, None the system's own.
    `bound` is whose memories are served, None for those of every key; the manager itself is bound to none.
    """
    serving = Serving(memory, caller, limits or Limits(), scratch, bound)
    agents = _for_agents(serving, guarded)
    app = FastAPI(
        title="Engrain",
        version=__version__,
        summary="Memory for AI agents.",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would tell of paths and messages
        lifespan=None if agents is None else lambda _: agents.running(),
    )
    app.state.serving = serving
    _add_operations(app, serving)
    # A mount would send clients on to /mcp/.
    app.router.routes.append(Route(MCP, _WithoutLibrary() if agents is None else agents))
    _add_handlers(app)
    describe_answers(app)
    return app


def _for_agents(serving: Serving, guarded: bool) -> Any:
    """Return the MCP server of the same memory, None where its library is not installed."""
    if find_spec("mcp") is None:
        return None
    agents = library("engrain.interfaces.mcp.http", extra="mcp")
    return agents.mcp_app(
        serving.memory,
        caller=lambda _memory, headers: serving.known(headers),
        count=serving.count,
        threads=serving.limiter,
        guarded=guarded,
    )


class _WithoutLibrary:
    """What stands where the MCP server would be."""

    async def __call__(self, scope: Connection, receive: Receive, send: Send) -> None:
        problem = Problem(501, "no-route", f"MCP is not installed at this server: {MCP_IS_OFF}")
        await problem.response()(scope, receive, send)


def _add_operations(app: FastAPI, serving: Serving) -> None:
    offered = [each for each in OPERATIONS if each.name not in AT_THE_MACHINE]
    places = [(operation, route) for operation in offered for route in ROUTES[operation.name]]
    for operation, route in sorted(places, key=lambda place: place[1].path.count("{")):  # what is spelt out first
        is_file = file_of(operation) is not None
        app.router.add_api_route(
            PREFIX + route.path,
            (file_endpoint if is_file else endpoint)(serving, operation, route),
            methods=[route.verb],
            summary=operation.summary,
            route_class_override=OperationRoute,
            operation_id=_identified(operation, route),
            tags=[route.path.split("/")[1]],
            openapi_extra=described(operation) if is_file else None,
        )


def _identified(operation: Operation, route: Place) -> str:
    """Return the name of an operation for those who make clients of the document; of a second route, with its path."""
    first = ROUTES[operation.name][0]
    name = "_".join(re.findall(r"\w+", operation.name))
    return name if route == first else "_".join([name, *re.findall(r"\w+", route.path)])


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return misunderstood(request, error.errors()[:_TOLD]).response()

    @app.exception_handler(HTTPException)
    async def elsewhere(request: Request, error: HTTPException) -> Response:
        kind = {404: "no-route", 405: "method"}.get(error.status_code, "invalid")
        headers, told = dict(error.headers or {}), str(error.detail)
        if error.status_code == 404:
            told = "GET /openapi.json lists all addresses"
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_methods(app, request))
            told = f"this address takes {headers['Allow']}"
        return Problem(error.status_code, kind, told, headers=headers).response()

    async def failed(_: Request, error: Exception) -> Response:
        return _told(error)

    # What is told on purpose is no failure of the server, which would log it and close the connection.
    for kind in (*EXPECTED, Exception):
        app.add_exception_handler(kind, failed)


def _methods(app: FastAPI, request: Request) -> list[str]:
    """Return the methods that an address takes: of every route there, of which the framework asks only the first."""
    there = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    path = getattr(there[0], "path", None) if there else None  # what is spelt out comes before what has a place in it
    same = (route for route in there if getattr(route, "path", None) == path)
    return sorted({method for route in same for method in getattr(route, "methods", None) or ()})


def _told(error: Exception) -> Response:
    problem = problem_of(error) or Problem(500, "bug", "this is a bug: the server's log says where it happened")
    return problem.response()
