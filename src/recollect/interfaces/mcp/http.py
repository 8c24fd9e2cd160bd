"""MCP over HTTP: an application to be mounted, in which each request says by its key who asks."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from recollect.interfaces.access import Caller
from recollect.interfaces.mcp.server import Context, McpServer, sentence
from recollect.interfaces.rest.callers import caller_of
from recollect.interfaces.rest.problems import Problem, problem_of
from recollect.manager import MemoryManager
from recollect.rates import RateLimiter

BODY_BYTES = 1_000_000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class McpApp:
    """An ASGI application over a manager, which stays the caller's to close: route `/mcp` to it.

    The host has to be inside `running()` while it serves, for example in its own lifespan: parts of an application have
    none of their own.
    """

    def __init__(
        self, memory: MemoryManager, *, writes: RateLimiter | None = None, threads: CapacityLimiter | None = None
    ) -> None:
        self._memory, self._threads = memory, threads
        self._server = McpServer(memory, _named, writes=writes, threads=threads)
        self._local = TransportSecurityMiddleware(_local_only())
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests inside of it."""
        # Nothing is kept from one request to the next: a key that is revoked opens nothing any more, any of several
        # servers may answer, and a restart is not noticed.
        sessions = StreamableHTTPSessionManager(
            self._server.protocol, json_response=True, stateless=True, max_request_body_size=BODY_BYTES
        )
        async with sessions.run():
            self._sessions = sessions
            try:
                yield
            finally:
                self._sessions = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: who asks is found out first, and nobody is told anything before that."""
        sessions = self._sessions
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if sessions is None:
            await Problem(503, "stopping", "the server is starting or stopping: try again").response()(
                scope, receive, send
            )
            return
        try:
            caller = await anyio.to_thread.run_sync(
                caller_of, self._memory, Headers(scope=scope), limiter=self._threads
            )
        except Exception as error:  # the edge
            await (problem_of(error) or Problem(500, "bug", sentence(error))).response()(scope, receive, send)
            return
        # Without keys whoever reaches the port is let in, so a page in a browser must not: it can give a name of its
        # own to this machine, but not the name that the request then carries.
        if not caller.key and (refused := await self._local.validate_request(Request(scope), is_post=True)):
            await refused(scope, receive, send)
            return
        scope.setdefault("state", {})["caller"] = caller
        await sessions.handle_request(scope, receive, send)


def mcp_app(
    memory: MemoryManager, *, writes: RateLimiter | None = None, threads: CapacityLimiter | None = None
) -> McpApp:
    """Return the application for `/mcp` of a server.

    `writes` and `threads` may be those of the rest of the server, so that a key has one limit for both.
    """
    return McpApp(memory, writes=writes, threads=threads)


def _named(context: Context) -> Caller:
    assert context.request is not None  # over HTTP there always is one
    caller: Caller = context.request.state.caller
    return caller


def _local_only() -> TransportSecuritySettings:
    hosts = [form for host in _LOOPBACK for form in (host, f"{host}:*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
