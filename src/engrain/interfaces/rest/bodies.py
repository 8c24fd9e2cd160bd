"""Bodies are counted while they are read: what is longer than it may be is refused, and never held whole."""

from __future__ import annotations

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.interfaces.rest.app import PREFIX
from engrain.interfaces.rest.metrics import Metrics
from engrain.interfaces.rest.problems import Problem
from engrain.interfaces.rest.serving import Limits
from engrain.operations.schema import Shape
from engrain.operations.table import OPERATIONS, ROUTES

_OF_FILES = frozenset(
    PREFIX + route.path
    for operation in OPERATIONS
    if any(p.shape is Shape.PATH for p in operation.parameters)
    for route in ROUTES.get(operation.name, ())
    if route.has_body
)


class Bodies:
    """Lets the application read as much of a body as it may have; the client is told 413 as soon as it is more."""

    def __init__(self, app: ASGIApp, *, limits: Limits, metrics: Metrics) -> None:
        self._app, self._limits, self._metrics = app, limits, metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request of which no more is read than is allowed."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit = self._limits.file_bytes if scope["path"] in _OF_FILES else self._limits.body_bytes
        told = Headers(scope=scope).get("content-length", "")
        if told.isascii() and told.isdigit() and (len(told) > 18 or int(told) > limit):
            await self._refuse(limit)(scope, receive, send)
            return
        await _Reading(self, limit, receive, send).run(scope)

    def _refuse(self, limit: int) -> ASGIApp:
        self._metrics.refuse("body")
        return Problem(413, "too-large", f"a body may have {limit:,} bytes here", {"limit": limit}).response()


class _Reading:
    """One request's body on its way in; after the refusal the application is told that the client has gone."""

    def __init__(self, bodies: Bodies, limit: int, receive: Receive, send: Send) -> None:
        self._bodies, self._limit, self._left = bodies, limit, limit
        self._receive, self._send = receive, send
        self._refused = self._began = False

    async def run(self, scope: Scope) -> None:
        self._scope = scope
        await self._bodies._app(scope, self._read, self._write)

    async def _read(self) -> Message:
        message = await self._receive() if not self._refused else {"type": "http.disconnect"}
        if message["type"] != "http.request":
            return message
        self._left -= len(message.get("body", b""))
        if self._left >= 0:
            return message
        self._refused = True
        if not self._began:
            await self._bodies._refuse(self._limit)(self._scope, self._receive, self._send)
        return {"type": "http.disconnect"}

    async def _write(self, message: Message) -> None:
        self._began = True
        if not self._refused:
            await self._send(message)
