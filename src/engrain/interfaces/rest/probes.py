"""What others ask of a server rather than of its memory: does it live, is it ready, how is it doing."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import anyio.to_thread
from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Response
from starlette.responses import JSONResponse, PlainTextResponse

from engrain.errors import AccessDenied, StoreError
from engrain.interfaces.rest.background import Background
from engrain.interfaces.rest.metrics import Metrics
from engrain.interfaces.rest.openapi import REFUSED
from engrain.interfaces.rest.problems import Problem
from engrain.interfaces.rest.serving import Serving
from engrain.model.audit import Role

_PATIENCE = 2.0  # seconds until a store that does not answer is one that cannot be written
_FRESH = 0.5  # seconds for which an answer about the store stands: whoever asks often does not keep it busy


@dataclass(slots=True)
class Running:
    """The state of a process that serves: whether it is stopping, and what works beside the requests."""

    metrics: Metrics
    background: Background | None = None
    stopping: threading.Event = field(default_factory=threading.Event)


def add_probes(app: FastAPI, running: Running) -> None:
    """Add `/health`, `/ready` and `/metrics`; they have threads of their own, so that a busy server answers too."""
    serving: Serving = app.state.serving
    limiter = CapacityLimiter(2)
    store = _Writable(serving)

    async def health() -> Response:
        """Say that the process answers."""
        return JSONResponse({"status": "up"})

    async def ready() -> Response:
        """Say whether requests would be answered: the store can be written, the worker lives, nothing is stopping."""
        if running.stopping.is_set():
            raise Problem(503, "stopping", "the server is stopping")
        if running.background is not None and not running.background.alive:
            raise Problem(503, "unavailable", "the worker has ended")
        if not await anyio.to_thread.run_sync(store.check, limiter=limiter):
            raise Problem(503, "unavailable", "the store cannot be written")
        return JSONResponse({"status": "ready"})

    async def metrics(request: Request) -> Response:
        """Return the metrics of this server for Prometheus; with keys in the store, to one of role admin for an org."""

        def read() -> bytes:
            caller = serving.known(request.headers)
            caller.needs(Role.ADMIN, "metrics")
            if caller.scope is not None and (caller.scope.user, caller.scope.agent) != (None, None):
                raise AccessDenied("metrics are of the whole server: use a key bound to neither user nor agent")
            return running.metrics.text()

        return Response(
            await anyio.to_thread.run_sync(read, limiter=limiter), headers={"Content-Type": Metrics.media_type}
        )

    probes: tuple[tuple[str, Any, type[Response], tuple[int, ...]], ...] = (
        ("/health", health, JSONResponse, ()),
        ("/ready", ready, JSONResponse, (503,)),
        ("/metrics", metrics, PlainTextResponse, (401, 403)),
    )
    for path, endpoint, kind, refused in probes:
        summary = (endpoint.__doc__ or "").partition("\n")[0]
        told: dict[int | str, dict[str, Any]] = dict.fromkeys((*refused, 421), REFUSED)
        app.add_api_route(path, endpoint, summary=summary, tags=["server"], response_class=kind, responses=told)
        app.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)  # which uptime checkers ask by


class _Writable:
    """Whether the store can be written, as of now or half a second ago; nobody is kept waiting by one that is away."""

    def __init__(self, serving: Serving) -> None:
        self._serving, self._lock = serving, threading.Lock()
        self._since, self._until, self._answer = 0.0, 0.0, False
        self._looking: threading.Thread | None = None

    def check(self) -> bool:
        """Look whether it can be, or wait for whoever looks already; False when that takes longer than a while."""
        with self._lock:
            if self._looking is None:
                if time.monotonic() < self._until:
                    return self._answer
                looking = threading.Thread(target=self._look, name="engrain-ready", daemon=True)
                looking.start()  # which may fail: then nobody looks
                self._looking, self._since = looking, time.monotonic()
            looking, left = self._looking, self._since + _PATIENCE - time.monotonic()
        looking.join(max(left, 0.0))
        with self._lock:
            return self._looking is not looking and self._answer

    def _look(self) -> None:
        """Take the store's lock for writing, and write nothing."""
        answer = False
        try:
            self._serving.memory.store.write(lambda _: None)
            answer = True
        except StoreError:
            pass
        finally:
            with self._lock:
                self._answer, self._until, self._looking = answer, time.monotonic() + _FRESH, None
