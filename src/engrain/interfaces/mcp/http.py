"""MCP over HTTP: an application to be mounted, in which each request says by its key who asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import anyio.to_thread
from anyio import CapacityLimiter
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.server.transport_security import TransportSecurityMiddleware, TransportSecuritySettings
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from engrain.interfaces.mcp.server import Context, Count, McpServer, sentence
from engrain.interfaces.rest.callers import caller_of
from engrain.interfaces.rest.problems import Problem, problem_of
from engrain.manager import MemoryManager
from engrain.operations.remote import Caller

BODY_BYTES = 1_000_000
Knows = Callable[[MemoryManager, Headers], Caller]
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class McpApp:
    """An ASGI application over a manager, which stays the caller's to close: route `/mcp` to it.

    The host has to be inside `running()` while it serves, for example in its own lifespan: parts of an application have
    none of their own.
    """

    def __init__(
        self,
        memory: MemoryManager,
        *,
        caller: Knows = caller_of,
        count: Count | None = None,
        threads: CapacityLimiter | None = None,
        guarded: bool = False,
    ) -> None:
        self._memory, self._caller, self._threads = memory, caller, threads
        self._server = McpServer(memory, _named, count=count, threads=threads)
        self._local = None if guarded else TransportSecurityMiddleware(_local_only())
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
                self._caller, self._memory, Headers(scope=scope), limiter=self._threads
            )
        except Exception as error:  # the edge
            await (problem_of(error) or Problem(500, "bug", sentence(error))).response()(scope, receive, send)
            return
        # Without keys whoever reaches the port is let in, so a page in a browser must not: it can give a name of its
        # own to this machine, but not the name that the request then carries.
        if self._local is not None and not caller.key:
            refused = await self._local.validate_request(Request(scope), is_post=True)
            if refused is not None:
                await refused(scope, receive, send)
                return
        scope.setdefault("state", {})["caller"] = caller
        await sessions.handle_request(scope, receive, send)


def mcp_app(
    memory: MemoryManager,
    *,
    caller: Knows = caller_of,
    count: Count | None = None,
    threads: CapacityLimiter | None = None,
    guarded: bool = False,
) -> McpApp:
    """Return the application for `/mcp` of a server.

    `caller` says of the headers of a request who asks. `count` and `threads` may be those of the rest of the server, so
    that a key has one limit for all. With `guarded` the host itself turns away pages in browsers that reach a server
    without keys.
    """
    return McpApp(memory, caller=caller, count=count, threads=threads, guarded=guarded)


def _named(context: Context) -> Caller:
    assert context.request is not None  # over HTTP there always is one
    caller: Caller = context.request.state.caller
    return caller


def _local_only() -> TransportSecuritySettings:
    hosts = [form for host in _LOOPBACK for form in (host, f"{host}:*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
