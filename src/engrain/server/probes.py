"""Probes: whether the process lives, whether it is ready, and how it is doing."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse, PlainTextResponse

from engrain.errors import AccessDenied, StoreError
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.server.context import ServerContext
from engrain.server.observability import Metrics
from engrain.server.openapi import REFUSED
from engrain.server.problems import Problem

_PATIENCE = 2.0  # seconds until a store that does not answer counts as one that cannot be written
_FRESH = 0.5  # seconds for which an answer about the store is reused, so that probes do not keep it busy


@dataclass(slots=True)
class ServerStatus:
    """The state of a process that serves: whether it is stopping, and whether its worker lives, None without one."""

    metrics: Metrics
    worker_alive: Callable[[], bool] | None = None
    stopping: threading.Event = field(default_factory=threading.Event)


def add_probes(app: FastAPI, status: ServerStatus) -> None:
    """Add `/health`, `/ready` and `/metrics`; they have threads of their own, so that a busy server answers too."""
    context: ServerContext = app.state.context
    limiter = CapacityLimiter(2)
    store = WriteCheck(context.memory)

    async def health() -> Response:
        """Say that the process answers."""
        return JSONResponse({"status": "up"})

    async def ready() -> Response:
        """Say whether requests would be answered: the store can be written, the worker lives, nothing is stopping."""
        if status.stopping.is_set():
            raise Problem(503, "stopping", "the server is stopping")
        if status.worker_alive is not None and not status.worker_alive():
            raise Problem(503, "unavailable", "the worker has ended")
        if not await anyio.to_thread.run_sync(store.check, limiter=limiter):
            raise Problem(503, "unavailable", "the store cannot be written")
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        """Return the metrics of this server for Prometheus; with keys in the store, to one of role admin for an org."""

        def read() -> bytes:
            caller = context.caller(request.headers)
            caller.needs(Role.ADMIN, "metrics")
            if caller.scope is not None and (caller.scope.user, caller.scope.agent) != (None, None):
                raise AccessDenied("metrics are of the whole server: use a key bound to neither user nor agent")
            return status.metrics.text()

        text = await anyio.to_thread.run_sync(read, limiter=limiter)
        return Response(text, headers={"Content-Type": Metrics.media_type})

    probes: tuple[tuple[str, Any, type[Response], tuple[int, ...]], ...] = (
        ("/health", health, JSONResponse, ()),
        ("/ready", ready, JSONResponse, (503,)),
        ("/metrics", metrics, PlainTextResponse, (401, 403)),
    )
    for path, endpoint, kind, refused in probes:
        summary = (endpoint.__doc__ or "").partition("\n")[0]
        responses: dict[int | str, dict[str, Any]] = dict.fromkeys((*refused, 421), REFUSED)
        app.add_api_route(path, endpoint, summary=summary, tags=["server"], response_class=kind, responses=responses)
        app.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)  # which uptime checkers use


class WriteCheck:
    """Whether the store can be written, as of now or half a second ago; one that hangs keeps nobody waiting long."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory, self._lock = memory, threading.Lock()
        self._since, self._until, self._answer = 0.0, 0.0, False
        self._thread: threading.Thread | None = None

    def check(self) -> bool:
        """Return the answer of a new check or of the one under way; False when that takes too long."""
        with self._lock:
            if self._thread is None:
                if time.monotonic() < self._until:
                    return self._answer
                thread = threading.Thread(target=self._write, name="engrain-ready", daemon=True)
                thread.start()  # which may fail: then no check is under way
                self._thread, self._since = thread, time.monotonic()
            thread, left = self._thread, self._since + _PATIENCE - time.monotonic()
        thread.join(max(left, 0.0))
        with self._lock:
            return self._thread is not thread and self._answer

    def _write(self) -> None:
        """Take the store's lock for writing, and write nothing."""
        answer = False
        try:
            self._memory.store.write(lambda _: None)
            answer = True
        except StoreError:
            pass
        finally:
            with self._lock:
                self._answer, self._until, self._thread = answer, time.monotonic() + _FRESH, None
