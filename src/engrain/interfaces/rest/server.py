"""A process that serves: it listens, works beside the requests, and stops without losing one that it has read."""

from __future__ import annotations

import asyncio
import errno
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from importlib.util import find_spec
from types import FrameType

import uvicorn
from starlette.middleware.cors import CORSMiddleware
from starlette.types import ASGIApp

from engrain.errors import ConfigError
from engrain.interfaces.rest.app import MCP_IS_OFF, create_app
from engrain.interfaces.rest.background import Background
from engrain.interfaces.rest.bodies import Bodies
from engrain.interfaces.rest.bounds import Bounds
from engrain.interfaces.rest.gate import Gate, is_loopback
from engrain.interfaces.rest.logs import begin, note
from engrain.interfaces.rest.metrics import Metrics
from engrain.interfaces.rest.probes import Running, add_probes
from engrain.interfaces.rest.protocol import connections
from engrain.interfaces.rest.scratch import Scratch
from engrain.interfaces.rest.serving import Limits
from engrain.interfaces.rest.traces import Traces
from engrain.interfaces.rest.watch import Watch
from engrain.manager import MemoryManager
from engrain.model.memory import Scope

_CUT = 1
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_HEADERS = ("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id")
_SHOWN = ("ETag", "Location", "Retry-After", "X-Request-Id", "Mcp-Session-Id")
_MCP = ("Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID")


@dataclass(frozen=True, slots=True, kw_only=True)
class Served:
    """How a server was told to be; `bound` is whose memories it serves, None for those of every key.

    `store` and `new` are for its log.
    """

    store: str = ""
    new: bool = False
    host: str = "127.0.0.1"
    port: int = 8765
    worker: bool = True
    log_level: str = "info"
    log_text: bool = False
    origins: Collection[str] = ()
    limits: Limits = field(default_factory=Limits)
    bounds: Bounds = field(default_factory=Bounds)
    bound: Scope | None = None


def surround(app: ASGIApp, told: Served, *, open: bool, metrics: Metrics, traces: Traces | None = None) -> ASGIApp:
    """Return an application with all that a request goes through on its way to an operation, outermost first."""
    within: ASGIApp = Bodies(app, limits=told.limits, metrics=metrics)
    within = Gate(within, open=open, origins=told.origins, bounds=told.bounds, metrics=metrics)
    if told.origins:
        within = CORSMiddleware(
            within,
            allow_origins=list(told.origins),
            allow_methods=("GET", "POST", "PATCH", "DELETE"),
            allow_headers=(*_HEADERS, *_MCP),
            expose_headers=_SHOWN,
        )
    return Watch(within, metrics=metrics, traces=traces or Traces(), text=told.log_text)


def serve(memory: MemoryManager, told: Served) -> int:
    """Serve a manager, which is closed at the end, until a signal says stop; return the exit code.

    Raises `ConfigError` where other machines would reach a store that has no keys.
    """
    begin(told.log_level, text=told.log_text)
    server = server_of(memory, told, traces=Traces.from_environment())
    if find_spec("mcp") is None:
        note("mcp is off", logging.WARNING, cure=MCP_IS_OFF)
    server.hear()  # before anybody is told that it listens
    with _listening(told, memory) as listening:
        server.work_on(listening)
    memory.close()
    note("stopped")
    return 0


def server_of(memory: MemoryManager, told: Served, *, traces: Traces | None = None) -> Server:
    """Return the server of a manager, which stays the caller's to close; raises as `serve` does."""
    keyless = not memory.keys.exist()
    if keyless and not is_loopback(told.host):
        raise ConfigError(
            f"this store has no keys, so it is served to this machine only and not at {told.host}: "
            "leave out --host, or make a key first with: engrain keys create --role admin"
        )
    background = Background(memory) if told.worker else None
    running = Running(Metrics(memory, background), background)
    app = create_app(memory, limits=told.limits, guarded=True, bound=told.bound)
    add_probes(app, running)
    traces = traces or Traces()
    around = surround(app, told, open=keyless, metrics=running.metrics, traces=traces)
    scratch: Scratch = app.state.serving.scratch
    scratch.sweep()
    return Server(_config(around, told, running), running, traces, told.bounds.stop_seconds, scratch)


@contextmanager
def _listening(told: Served, memory: MemoryManager) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in told.host else socket.AF_INET
    try:
        opened = socket.create_server((told.host, told.port), family=family, backlog=1024)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise ConfigError(
            f"port {told.port} of {told.host} is in use: another server runs there; end it, or choose another with "
            "--port (0 takes a free one)"
        ) from None
    with opened as listening:
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        note("listening", url=url, pid=os.getpid(), store=told.store, new=told.new, keys=memory.keys.exist())
        yield listening


def _config(app: ASGIApp, told: Served, running: Running) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=connections(told.bounds, running.metrics.refuse),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=told.bounds.idle_seconds,
        h11_max_incomplete_event_size=told.bounds.head_bytes,
    )


class Server(uvicorn.Server):
    """Uvicorn's server with another end: a signal is a wish to stop, the second, or the time-out, is an order."""

    def __init__(
        self, config: uvicorn.Config, running: Running, traces: Traces, seconds: float, scratch: Scratch
    ) -> None:
        super().__init__(config)
        self._running, self._traces, self._seconds, self._scratch = running, traces, seconds, scratch

    def work_on(self, listening: socket.socket) -> None:
        """Answer who comes to a socket until told to stop, and return when all is done that was begun."""
        background = self._running.background
        if background is not None:
            background.start()
        try:
            asyncio.run(self.serve(sockets=[listening]))
        finally:
            if background is not None:
                background.stop()
                background.join()
            self._scratch.remove()
            self._traces.close()

    def stop(self) -> None:
        """Begin to stop."""
        self._running.stopping.set()
        self.should_exit = True
        if self._running.background is not None:
            self._running.background.stop()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Hear signals, and do not die of them in the end."""
        self.hear()
        yield

    def hear(self) -> None:
        """Hear signals until the process ends: the worker and the store are still to come when the last is answered."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                signal.signal(number, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; when that was said before, stop now."""
        if self._running.stopping.is_set():
            cut("a second signal", self._scratch)
        self.stop()
        late = threading.Timer(self._seconds, cut, [f"not done after {self._seconds:.0f} s", self._scratch])
        late.daemon = True
        late.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what was read, each connection's last answer saying that it closes."""
        note("stopping", requests=len(self.server_state.tasks), connections=len(self.server_state.connections))
        self.server_state.default_headers = [*self.server_state.default_headers, (b"connection", b"close")]
        await super().shutdown(sockets)


def cut(why: str, scratch: Scratch) -> None:
    """End the process at once; what was acknowledged is in the store, what was not may not be. Its files go."""
    note(f"cut: {why}", logging.ERROR)
    sys.stderr.flush()
    scratch.remove()
    os._exit(_CUT)
