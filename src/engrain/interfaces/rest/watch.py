"""The outermost layer: each request has an id, is counted, timed, traced and logged, and never ends in nothing."""

from __future__ import annotations

from contextlib import AsyncExitStack
from urllib.parse import quote

from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.interfaces.rest.logs import log, note_request
from engrain.interfaces.rest.metrics import Metrics
from engrain.interfaces.rest.problems import Problem
from engrain.interfaces.rest.seen import Seen
from engrain.interfaces.rest.traces import Traces

_CUT_OFF = 499
"""What is noted where the client left before there was an answer; nobody is sent it."""


class Watch:
    """Watches the requests of an application; with `text` their paths and queries are logged."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, traces: Traces, text: bool = False) -> None:
        self._app, self._metrics, self._traces, self._text = app, metrics, traces, text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, whatever happens within."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen = Seen.of(scope)

        async def told(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = seen.id
            elif message["type"] == "http.response.body":
                seen.bytes += len(message.get("body", b""))
            await send(message)

        async with AsyncExitStack() as ending:
            ending.enter_context(self._traces.span(scope, seen))
            self._metrics.begin()
            ending.callback(self._end, scope, seen)
            await self._guarded(scope, receive, told, seen)

    async def _guarded(self, scope: Scope, receive: Receive, send: Send, seen: Seen) -> None:
        try:
            await self._app(scope, receive, send)
        except Exception as error:  # the edge: a bug, which is logged and answered
            log.error("bug", exc_info=error, extra={"fields": {"request": seen.id}})
            if not seen.status:
                bug = Problem(500, "bug", f"this is a bug: the server's log says where, under {seen.id}")
                await bug.response()(scope, receive, send)

    def _end(self, scope: Scope, seen: Seen) -> None:
        seen.status = seen.status or _CUT_OFF
        seen.end(scope)
        self._metrics.end(seen)
        note_request(seen, raw=_raw(scope) if self._text else None)


def _raw(scope: Scope) -> dict[str, str]:
    path = (scope.get("raw_path") or quote(scope["path"]).encode()).decode("latin-1")
    return {"path": path, "query": scope["query_string"].decode("latin-1")}
