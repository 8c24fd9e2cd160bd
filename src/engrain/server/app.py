"""The application: every operation of the table at its route, MCP next to them, problems for errors, and OpenAPI."""

from __future__ import annotations

import json
import os
import re
from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import cache, partial
from importlib.resources import files
from importlib.util import find_spec
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from starlette.convertors import StringConvertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.routing import Match
from starlette.routing import Route as AppRoute

from engrain import __version__
from engrain.documents import result_schema
from engrain.lazy import library
from engrain.manager import MemoryManager
from engrain.model.memory import JSON, Scope
from engrain.operations.schema import Operation, Route
from engrain.operations.table import OPERATIONS
from engrain.server import wire
from engrain.server.console.gate import Console
from engrain.server.context import Authenticate, ServerContext, authenticate
from engrain.server.endpoints import OperationRoute, endpoint, invalid_request
from engrain.server.files import Scratch, file_endpoint, openapi_body
from engrain.server.limits import Limits
from engrain.server.mem0 import add_routes as add_mem0_routes

MCP_MISSING = 'pip install "engrain[mcp]", and start the server again'
CONSOLE_MISSING = MCP_MISSING.replace("mcp", "console")
_OFFERED = [(operation, route) for operation in OPERATIONS for route in operation.routes]
_DOCS = {
    "/docs": ("index.html", "text/html"),
    "/docs/start.js": ("start.js", "text/javascript"),
    "/docs/swagger-ui-bundle.js": ("swagger-ui-bundle.js.gz", "text/javascript"),
    "/docs/swagger-ui.css": ("swagger-ui.css.gz", "text/css"),
}
"""The page that shows the OpenAPI document and sends requests, Swagger UI, and its files: all served from here."""
_DOCS_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; style-src 'self' 'unsafe-inline'; "
    "frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
}
REFUSED: JSON = {  # the answer with a problem, as OpenAPI describes it
    "description": "It is refused",
    "content": {wire.MEDIA_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}},
}
_TEXT: JSON = {"schema": {"type": "string"}}


class AnyText(StringConvertor):
    """A name in a path, of any characters: the framework's own `path` ends at a line."""

    regex = r"[\s\S]*"


register_url_convertor("text", AnyText())


def create_app(
    memory: MemoryManager,  # the manager, bound to no user, agent or session
    *,
    limits: Limits | None = None,  # how much callers may send, None for the defaults
    # Returns the caller, from the headers of a request, or raises `AccessDenied`.
    authenticate: Authenticate = authenticate,
    guarded: bool = False,  # something around the application refuses pages in browsers
    # The folder for files on their way, None for the system's temporary one.
    scratch: str | os.PathLike[str] | None = None,
    bound: Scope | None = None,  # the only scope that is served, None for those of every key
    mem0: bool = False,  # also answer at mem0's routes, under /mem0
) -> FastAPI:
    """Return the application over a manager, which stays the caller's to close."""
    if memory.scope != Scope(memory.scope.org):
        raise ValueError("a server needs the manager itself: name the scope that it serves with `bound`")
    context = ServerContext(memory, authenticate, limits, bound)
    mcp: Any = None
    if find_spec("mcp") is not None:
        mcp = library("engrain.server.mcp", extra="mcp").McpApp(memory, context=context, guarded=guarded)
    console = Console(context) if find_spec("nicegui") is not None else None
    parts = [part.running for part in (mcp, console) if part is not None]
    app = Application(
        title="Engrain",
        version=__version__,
        summary="Memory for AI agents.",
        docs_url=None,  # its page loads scripts from elsewhere: see `_DOCS`
        redoc_url=None,
        redirect_slashes=False,
        telemetry={"tracing": False, "metrics": False, "logs": False},  # it would export paths and messages
        lifespan=lambda _: _all_running(parts),
    )
    app.state.context, app.state.scratch = context, Scratch(scratch)
    app.router.routes.extend(_operations().routes)
    if mem0:
        add_mem0_routes(app)
    for path, (name, media) in _DOCS.items():
        app.add_route(path, partial(_docs_file, name, media), include_in_schema=False)
    moved = Response(status_code=307, headers={"Location": "../docs"})
    app.router.routes.append(AppRoute("/docs/", moved, methods=["GET"], include_in_schema=False))
    # A mount would redirect clients to /mcp/.
    missing = wire.Problem(501, "no-route", f"MCP is not installed at this server: {MCP_MISSING}")
    app.router.routes.append(AppRoute(wire.MCP_PATH, mcp or missing.response()))
    app.router.routes.extend(console.mounted() if console is not None else ())
    _add_error_handlers(app)
    return app


@asynccontextmanager
async def _all_running(parts: Iterable[Callable[[], AbstractAsyncContextManager[None]]]) -> AsyncIterator[None]:
    """Run the parts of the application that have something to start and to end."""
    async with AsyncExitStack() as stack:
        for part in parts:
            await stack.enter_async_context(part())
        yield


@cache
def _operations() -> APIRouter:
    """Return the routes of all operations, built once a process: every application has the same ones."""
    router = APIRouter()
    for operation, route in sorted(_OFFERED, key=lambda each: each[1].path.count("{")):  # literal paths first
        named = operation.name if route == operation.routes[0] else operation.name + route.path
        router.add_api_route(
            wire.PREFIX + route.path,
            (file_endpoint if operation.file else endpoint)(operation, route),
            methods=[route.verb],
            summary=operation.summary,
            route_class_override=OperationRoute,
            operation_id="_".join(re.findall(r"\w+", named)),
            tags=[route.path.split("/")[1]],
            openapi_extra=openapi_body(operation) if operation.file else None,
        )
    return router


async def _docs_file(name: str, media: str, _: Request) -> Response:
    packed = {"Content-Encoding": "gzip", "Cache-Control": "max-age=86400"} if name.endswith(".gz") else {}
    content = files("engrain.server").joinpath("swagger", name).read_bytes()
    return Response(content, media_type=media, headers={**_DOCS_HEADERS, **packed})


def _add_error_handlers(app: FastAPI) -> None:
    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        return invalid_request(request, error.errors()[:20]).response()  # of one request that are reported

    @app.exception_handler(HTTPException)
    async def unrouted(request: Request, error: HTTPException) -> Response:
        kind = {404: "no-route", 405: "method"}.get(error.status_code, "invalid")
        headers, detail = dict(error.headers or {}), str(error.detail)
        if error.status_code == 404:
            off = request.url.path.startswith(wire.CONSOLE_PATH) and find_spec("nicegui") is None
            lists = "GET /openapi.json lists all addresses, and GET /docs shows them"
            detail = f"the console is not installed at this server: {CONSOLE_MISSING}" if off else lists
        if error.status_code == 405:
            headers["Allow"] = ", ".join(_allowed_methods(app, request))
            detail = f"this address takes {headers['Allow']}"
        return wire.Problem(error.status_code, kind, detail, headers=headers).response()

    async def failed(_: Request, error: Exception) -> Response:
        bug = wire.Problem(500, "bug", "this is a bug: the server's log says where it happened")
        return (wire.problem_of(error) or bug).response()

    @app.exception_handler(ClientDisconnect)
    async def left(_: Request, __: Exception) -> Response:
        return Response(status_code=wire.CLIENT_LEFT)  # for the log: the connection is closed

    # Expected errors are no failure of the server, which would log them and close the connection.
    for kind in (*wire.EXPECTED, Exception):
        app.add_exception_handler(kind, failed)


def _allowed_methods(app: FastAPI, request: Request) -> list[str]:
    """Return the methods of an address: of all its routes, since the framework matches only the first one."""
    matching = [route for route in app.routes if route.matches(request.scope)[0] is not Match.NONE]
    path = getattr(matching[0], "path", None) if matching else None  # a literal path comes before one with names
    same = (route for route in matching if getattr(route, "path", None) == path)
    return sorted({method for route in same for method in getattr(route, "methods", None) or ()})


@cache
def examples() -> Mapping[str, Mapping[str, Any]]:
    """Return a request of each operation by its name, as the document shows it."""
    found: dict[str, Any] = json.loads(files("engrain.operations").joinpath("examples.json").read_text("utf-8"))
    return found


class Application(FastAPI):
    """An application whose OpenAPI document has a description of every answer, and an example of every request."""

    def openapi(self) -> dict[str, Any]:
        """Return the document, which is made once."""
        if self.openapi_schema is None:
            _complete(super().openapi())
        return super().openapi()


def _complete(document: dict[str, Any]) -> None:
    components = document.setdefault("components", {})
    schemas = components.setdefault("schemas", {})
    for unused in ("HTTPValidationError", "ValidationError"):
        schemas.pop(unused, None)
    schemas["Problem"] = wire.SCHEMA
    components["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer", "description": "a key of the server"}}
    document["security"] = [{"key": []}, {}]  # without keys in the store, none is needed
    for operation, route in _OFFERED:
        path = wire.PREFIX + route.path.replace(":text}", "}")  # which is for the router alone
        entry = document["paths"][path][route.verb.lower()]
        entry["description"] = f"Needs a key of role {operation.role.value}."
        entry["parameters"] = [*entry.get("parameters", []), *_headers(operation, route)]
        entry["responses"] = _responses(operation, route, entry, schemas)
        example = dict(examples().get(operation.name, {}))
        for parameter in entry["parameters"]:
            if parameter["in"] != "header" and parameter["name"] in example:
                parameter["example"] = example.pop(parameter["name"])
        if route.has_body and operation.file is None:
            for content in entry.get("requestBody", {}).get("content", {}).values():
                content["example"] = example


def _headers(operation: Operation, route: Route) -> list[JSON]:
    found = [
        (wire.VIEW_HEADER, "the scope of the request, as `user=ana&session=monday`; next to org, user, agent, session")
    ]
    if operation.effect != "read":
        found.append(
            (wire.IDEMPOTENCY_KEY, "your own key for this request: sent again, it is answered the same, done once")
        )
    if route.verb == "PATCH":
        found.append(("If-Match", "the ETag of what was read: edit only that"))
    if operation.name == "get":
        found.append(("If-None-Match", "the ETag of the caller's copy: nothing is sent when it is still that"))
    return [{"name": name, "in": "header", "required": False, "description": text, **_TEXT} for name, text in found]


def _responses(operation: Operation, route: Route, entry: JSON, schemas: JSON) -> JSON:
    refused: JSON = {status: {**REFUSED, "description": text} for status, text in wire.STATUSES.items()}
    if route.verb == "PATCH":
        refused["412"] = {**REFUSED, "description": wire.TITLES["stale"]}
    if operation.name == "get":
        refused["304"] = {"description": "The caller's copy is current", "headers": {"ETag": _TEXT}}
    if operation.file is not None and operation.effect == "read":
        return {"200": entry["responses"]["200"], **refused}
    schema, definitions = result_schema(operation.returns, operation.answer)
    schemas.update(definitions)
    headers: JSON = {wire.REPLAYED: _TEXT} if operation.effect != "read" else {}
    answer: JSON = {"content": {"application/json": {"schema": schema}}}
    done: JSON = {"200": {"description": operation.summary, "headers": headers, **answer}}
    if "Remembered" in definitions and operation.answer == "result":
        stored = {**headers, "Location": _TEXT, "ETag": _TEXT}
        done["201"] = {"description": "It was stored", "headers": stored, **answer}
    return {**done, **refused}
