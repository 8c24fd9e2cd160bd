"""The application: every operation of the table at its route, and around them what all requests go through."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from importlib.util import find_spec
from typing import Any

import anyio.to_thread
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.routing import Route

from recollect import __version__
from recollect.interfaces.rest.callers import caller_of
from recollect.interfaces.rest.endpoints import endpoint
from recollect.interfaces.rest.problems import Problem, problem_of
from recollect.interfaces.rest.serving import Limits, Serving
from recollect.interfaces.routes import ROUTES
from recollect.interfaces.table import OPERATIONS
from recollect.libraries import library
from recollect.manager import MemoryManager

PREFIX = "/v1"
MCP = "/mcp"


def create_app(memory: MemoryManager, *, limits: Limits | None = None) -> FastAPI:
    """Return the application over a manager, which stays the caller's to close."""
    serving = Serving(memory, limits or Limits())
    agents = _for_agents(serving)
    app = FastAPI(
        title="Recollect",
        version=__version__,
        summary="Memory for AI agents.",
        lifespan=None if agents is None else lambda _: agents.running(),
    )
    app.state.serving = serving
    _add_operations(app, serving)
    if agents is not None:
        app.router.routes.append(Route(MCP, agents))  # a mount would send clients on to /mcp/
    _add_handlers(app)

    @app.middleware("http")
    async def known(request: Request, go_on: Callable[[Request], Awaitable[Response]]) -> Response:
        if not request.url.path.startswith(PREFIX):
            return await go_on(request)
        try:
            request.state.caller = await anyio.to_thread.run_sync(
                caller_of, memory, request.headers, limiter=serving.limiter
            )
        except Exception as error:  # the edge
            return _told(error)
        return await go_on(request)

    return app


def _for_agents(serving: Serving) -> Any:
    """Return the MCP server of the same memory, None where its library is not installed."""
    if find_spec("mcp") is None:
        return None
    return library("recollect.interfaces.mcp.http", extra="mcp").mcp_app(serving.memory, threads=serving.limiter)


def _add_operations(app: FastAPI, serving: Serving) -> None:
    for operation in OPERATIONS:
        for route in ROUTES.get(operation.name, ()):
            if any(p.shape == "path" for p in operation.parameters):
                continue
            app.add_api_route(
                PREFIX + route.path,
                endpoint(serving, operation, route),
                methods=[route.verb],
                summary=operation.summary,
                operation_id=f"{operation.method}.{route.path}",
                tags=[route.path.split("/")[1]],
            )


def _add_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        errors = [{"at": list(each["loc"]), "what": each["msg"]} for each in error.errors()]
        told = "; ".join(f"{'.'.join(map(str, each['at']))}: {each['what']}" for each in errors[:3])
        return Problem(422, "invalid", told, {"errors": errors}).response()

    @app.exception_handler(HTTPException)
    async def elsewhere(_: Request, error: HTTPException) -> Response:
        kind = {404: "no-route", 405: "method"}.get(error.status_code, "invalid")
        return Problem(error.status_code, kind, str(error.detail), headers=error.headers or {}).response()

    @app.exception_handler(Exception)
    async def failed(_: Request, error: Exception) -> Response:
        return _told(error)


def _told(error: Exception) -> Response:
    problem = problem_of(error) or Problem(500, "bug", "this is a bug: the server's log says where it happened")
    return problem.response()
