"""Mounts the console on an application: its pages start with the first request for one."""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from functools import cache
from typing import Any

import anyio.to_thread
from fastapi import FastAPI
from starlette.responses import RedirectResponse
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from engrain.lazy import library
from engrain.server.console.gate import Gate
from engrain.server.context import ServerContext
from engrain.server.files import Scratch
from engrain.server.wire import CONSOLE_PATH, Problem

CONTEXT = "console_context"  # the name in the state of a request under which pages find the server
_in_use = threading.Lock()  # the framework's pages belong to a process


class Console:
    """The console of a server, which a key or the address with a token opens; it starts with the first request."""

    def __init__(self, context: ServerContext, token: str | None = None) -> None:
        self._context, self._gate = context, Gate(self._serve, context, token)
        self._pages: Any = None
        self._running: AsyncExitStack | None = None
        self._starting = anyio.Lock()

    @property
    def routes(self) -> list[Route | Mount]:
        """The routes of the console for an application."""
        return [Route(CONSOLE_PATH, lambda _: RedirectResponse(f"{CONSOLE_PATH}/")), Mount(CONSOLE_PATH, self._gate)]

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Serve pages inside of it."""
        async with AsyncExitStack() as stack:
            self._running = stack
            try:
                yield
            finally:
                self._running = None

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        async with self._starting:
            if self._pages is None:
                self._pages = await self._started()
        scope.setdefault("state", {})[CONTEXT] = self._context
        await self._pages(scope, receive, send)

    async def _started(self) -> Any:
        if self._running is None:
            raise Problem(503, "stopping", "the server is starting or stopping: try again")
        app = await anyio.to_thread.run_sync(load_pages)
        if not _in_use.acquire(blocking=False):
            raise Problem(503, "unavailable", "another server in this process has the console open")
        self._running.callback(_in_use.release)
        await self._running.enter_async_context(app.router.lifespan_context(app))
        return app


@cache
def load_pages() -> FastAPI:
    """Load the framework of the pages, and return the application with them, one for a process."""
    logging.getLogger("nicegui").setLevel(logging.ERROR)  # it warns of each address that is not found
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None)
    library("engrain.server.console.shell", extra="console").prepare(app)
    return app


def local_app(context: ServerContext, token: str) -> FastAPI:
    """Return an application with nothing but the console, which the address with the token opens."""
    console = Console(context, token)
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, lifespan=lambda _: console.running())
    app.router.routes.extend(console.routes)
    app.state.context, app.state.scratch = context, Scratch(None)
    return app
