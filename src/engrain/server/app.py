"""The application: every operation of the table at its route, MCP next to them, and problems for errors."""

from __future__ import annotations

import os
import re
from importlib.util import find_spec
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.routing import Match, Route
from starlette.types import Receive, Scope, Send

from engrain import __version__
from engrain.lazy import library
from engrain.manager import MemoryManager
from engrain.model import memory as models
from engrain.operations.schema import Operation
from engrain.operations.schema import Route as OperationPath
from engrain.operations.table import ROUTES
from engrain.server.context import Authenticate, ServerContext, authenticate
from engrain.server.endpoints import endpoint
from engrain.server.files import Scratch, file_endpoint, file_parameter, openapi_body
from engrain.server.limits import Limits
from engrain.server.openapi import describe_answers, offered_routes
from engrain.server.problems import EXPECTED, Problem, problem_of
from engrain.server.requests import OperationRoute, invalid_request
from engrain.server.wire import MCP_PATH, PREFIX

MCP_MISSING = 'pip install "engrain[mcp]", and start the server again'
_MISTAKES = 20  # of one request that are reported


class AnyText(StringConvertor):
    """A name in a path, of any characters: the framework's own `path` ends at a line."""

    regex = r"[\s\S]*"


register_url_convertor("text", AnyText())


def create_app(
    memory: MemoryManager,
    *,
    limits: Limits | None = None,
    authenticate: Authenticate = authenticate,
    guarded: bool = False,
    scratch: str | os.PathLike[str] | None = None,
    bound: models.Scope | None = None,
) -> FastAPI:
    """Return the application over a manager, which stays the caller's to close.

    Args:
        memory: The manager, bound to no user, agent or session.
        limits: How much callers may send, None for the defaults.
        authenticate: Returns who asks, from the headers of a request, or raises `AccessDenied`.
        guarded: Something around the application refuses pages in browsers.
        scratch: The folder for files on their way, None for the system's temporary one.
        bound: The only scope that is served, None for those of every key.
    """
    context = ServerContext(memory, authenticate, limits or Limits(), bound)
    mcp = _mcp_app(context, guarded)
    app = FastAPI(
        title="Engrain",
        version=__version__,
        summary="Memory for AI agents.",
        docs_url=None,  # their pages load scripts from elsewhere
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would export paths and messages
        lifespan=None if mcp is None else lambda _: mcp.running(),
    )
    app.state.context, app.state.scratch = context, Scratch(scratch)
    _add_operations(app)
    # A mount would redirect clients to /mcp/.
    app.router.routes.append(Route(MCP_PATH, _McpMissing() if mcp is None else mcp))
    _add_error_handlers(app)
    describe_answers(app)
    return app


def _mcp_app(context: ServerContext, guarded: bool) -> Any:
    """Return the MCP server of the same memory, None where its library is not installed."""
    if find_spec("mcp") is None:
        return None
    http = library("engrain.server.mcp.http", extra="mcp")
    return http.McpApp(
        context.memory,
        authenticate=lambda _memory, headers: context.caller(headers),
        count=context.count,
        threads=context.threads,
        guarded=guarded,
    )


class _McpMissing:
    """Answers at the address of the MCP server where its library is not installed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        problem = Problem(501, "no-route", f"MCP is not installed at this server: {MCP_MISSING}")
        await problem.response()(scope, receive, send)


def _add_operations(app: FastAPI) -> None:
    context: ServerContext = app.state.context
    for operation, route in sorted(offered_routes(), key=lambda each: each[1].path.count("{")):  # literal paths first
        has_file = file_parameter(operation) is not None
        app.router.add_api_route(
            PREFIX + route.path,
            file_endpoint(context, app.state.scratch, operation, route)
            if has_file
            else endpoint(context, operation, route),
            methods=[route.verb],
            summary=operation.summary,
            route_class_override=OperationRoute,
            operation_id=_operation_id(operation, route),
            tags=[route.path.split("/")[1]],
            openapi_extra=openapi_body(operation) if has_file else None,
        )


def _operation_id(operation: Operation, route: OperationPath) -> str:
    """Return the name of an operation for those who generate clients; of a second route, with its path."""
    name = "_".join(re.findall(r"\w+", operation.name))
    return name if route == ROUTES[operation.name][0] else "_".join([name, *re.findall(r"\w+", route.path)])


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return invalid_request(request, error.errors()[:_MISTAKES]).response()

    @app.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Response:
        kind = {404: "no-route", 405: "method"}.get(error.status_code, "invalid")
        headers, detail = dict(error.headers or {}), str(error.detail)
        if error.status_code == 404:
            detail = "GET /openapi.json lists all addresses"
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_allowed_methods(app, request))
            detail = f"this address takes {headers['Allow']}"
        return Problem(error.status_code, kind, detail, headers=headers).response()

    async def failed(_: Request, error: Exception) -> Response:
        bug = Problem(500, "bug", "this is a bug: the server's log says where it happened")
        return (problem_of(error) or bug).response()

    # Expected errors are no failure of the server, which would log them and close the connection.
    for kind in (*EXPECTED, Exception):
        app.add_exception_handler(kind, failed)


def _allowed_methods(app: FastAPI, request: Request) -> list[str]:
    """Return the methods that an address takes: of every route there, of which the framework asks only the first."""
    matching = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    path = getattr(matching[0], "path", None) if matching else None  # a literal path comes before one with names
    same = (route for route in matching if getattr(route, "path", None) == path)
    return sorted({method for route in same for method in getattr(route, "methods", None) or ()})
