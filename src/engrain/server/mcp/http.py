"""MCP over HTTP: an application for one address, in which each request says by its key who asks."""

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

from engrain.manager import MemoryManager
from engrain.operations.remote import Caller
from engrain.server.context import Authenticate, authenticate
from engrain.server.mcp.server import Context, Count, McpServer, error_sentence
from engrain.server.problems import Problem, problem_of

MAX_BODY_BYTES = 1_000_000
_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")


class McpApp:
    """An ASGI application over a manager, which stays the caller's to close: route `/mcp` to it.

    The application around it has to be inside `running()` while it serves, for example in its own lifespan: parts of
    an application have none of their own.

    Args:
        memory: The manager.
        authenticate: Returns who asks, from the headers of a request.
        count: Counts each call; that of the rest of the server, so that a key has one limit for all.
        threads: The threads that work for it; those of the rest of the server.
        guarded: The application around it refuses pages in browsers that reach a server without keys.
    """

    def __init__(
        self,
        memory: MemoryManager,
        *,
        authenticate: Authenticate = authenticate,
        count: Count | None = None,
        threads: CapacityLimiter | None = None,
        guarded: bool = False,
    ) -> None:
        self._memory, self._authenticate, self._threads = memory, authenticate, threads
        self._server = McpServer(memory, _caller_of, count=count, threads=threads)
        self._local_only = None if guarded else TransportSecurityMiddleware(_loopback_settings())
        self._sessions: StreamableHTTPSessionManager | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve requests inside of it."""
        # Nothing is kept from one request to the next: a key that is revoked opens nothing any more, any of several
        # servers may answer, and a restart is not noticed.
        sessions = StreamableHTTPSessionManager(
            self._server.protocol, json_response=True, stateless=True, max_request_body_size=MAX_BODY_BYTES
        )
        async with sessions.run():
            self._sessions = sessions
            try:
                yield
            finally:
                self._sessions = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request: the caller is authenticated first, and learns nothing before that."""
        sessions = self._sessions
        if scope["method"] != "POST":
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        if sessions is None:
            stopping = Problem(503, "stopping", "the server is starting or stopping: try again")
            await stopping.response()(scope, receive, send)
            return
        headers = Headers(scope=scope)
        try:
            caller = await anyio.to_thread.run_sync(self._authenticate, self._memory, headers, limiter=self._threads)
        except Exception as error:  # the edge
            problem = problem_of(error) or Problem(500, "bug", error_sentence(error))
            await problem.response()(scope, receive, send)
            return
        # Without keys whoever reaches the port is let in, so a page in a browser must not: it can give a name of its
        # own to this machine, but not the name that the request then carries.
        if self._local_only is not None and not caller.key:
            refused = await self._local_only.validate_request(Request(scope), is_post=True)
            if refused is not None:
                await refused(scope, receive, send)
                return
        scope.setdefault("state", {})["caller"] = caller
        await sessions.handle_request(scope, receive, send)


def _caller_of(context: Context) -> Caller:
    assert context.request is not None  # over HTTP there always is one
    caller: Caller = context.request.state.caller
    return caller


def _loopback_settings() -> TransportSecuritySettings:
    hosts = [form for host in _LOOPBACK for form in (host, f"{host}:*")]
    return TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=[f"http://{host}" for host in hosts])
