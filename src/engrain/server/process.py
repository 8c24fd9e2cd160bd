"""A process that serves: it listens, works on the queue, and stops without losing a request that it has read."""

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
from uvicorn.protocols.http.flow_control import CLOSE_HEADER

from engrain.errors import ConfigError
from engrain.manager import MemoryManager
from engrain.model.memory import Scope
from engrain.server.app import MCP_MISSING, create_app
from engrain.server.connection import connection_class
from engrain.server.files import Scratch
from engrain.server.limits import BodyLimit, Limits, RequestGuard, is_loopback
from engrain.server.observability import Metrics, Observer, Traces, configure_logging, log, log_event
from engrain.server.probes import ServerStatus, add_probes

_CUT = 1  # the exit code of a server that is ended before it is done
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_CORS_REQUEST_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"),
    *("Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID"),
)
_CORS_RESPONSE_HEADERS = ("ETag", "Location", "Retry-After", "X-Request-Id", "Mcp-Session-Id")


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How to serve.

    Args:
        store: The store, for the log.
        new: The store is new, for the log.
        host: The address to listen at.
        port: The port to listen at, 0 for a free one.
        worker: The store's background work is done here.
        log_level: debug, info, warning or error.
        log_text: Texts, questions and messages of errors are logged.
        origins: Origins whose pages may ask, as browsers write them.
        limits: How much callers may send, and how fast.
        stop_seconds: How long a stopping server waits for requests in hand.
        bound: The only scope that is served, None for those of every key.
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
    stop_seconds: float = 30.0
    bound: Scope | None = None


def serve(memory: MemoryManager, options: ServerOptions) -> int:
    """Serve a manager until a signal says stop, close it, and return the exit code.

    Raises:
        ConfigError: Other machines would reach a store that has no keys, or the port is in use.
    """
    configure_logging(options.log_level, text=options.log_text)
    server = create_server(memory, options, traces=Traces.from_environment())
    if find_spec("mcp") is None:
        log_event("mcp is off", logging.WARNING, cure=MCP_MISSING)
    server.handle_signals()  # before the log says that it listens
    with _listen(options, memory) as listening:
        server.run_on(listening)
    memory.close()
    log_event("stopped")
    return 0


def create_server(memory: MemoryManager, options: ServerOptions, *, traces: Traces | None = None) -> Server:
    """Return the server of a manager, which stays the caller's to close; raises as `serve` does."""
    keyless = not memory.keys.exist()
    if keyless and not is_loopback(options.host):
        raise ConfigError(
            f"this store has no keys, so it is served to this machine only and not at {options.host}: "
            "leave out --host, or make a key first with: engrain keys create --role admin"
        )
    worker = Worker(memory) if options.worker else None
    metrics = Metrics(memory, lambda: worker is not None and worker.is_alive())
    status = ServerStatus(metrics, None if worker is None else worker.is_alive)
    app = create_app(memory, limits=options.limits, guarded=True, bound=options.bound)
    add_probes(app, status)
    traces = traces or Traces()
    config = uvicorn.Config(
        _with_middleware(app, options, keyless=keyless, metrics=metrics, traces=traces),
        http=connection_class(options.limits, metrics.refuse),
        ws="none",
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=options.limits.idle_seconds,
        limit_concurrency=options.limits.connections + 1,
        h11_max_incomplete_event_size=options.limits.head_bytes,
    )
    scratch: Scratch = app.state.scratch
    scratch.sweep()
    return Server(config, status, worker=worker, traces=traces, scratch=scratch, stop_seconds=options.stop_seconds)


def _with_middleware(
    app: ASGIApp, options: ServerOptions, *, keyless: bool, metrics: Metrics, traces: Traces
) -> ASGIApp:
    """Return an application with all that a request goes through on its way to an operation."""
    limits, refused = options.limits, metrics.refuse
    app = BodyLimit(app, limits=limits, refused=refused)
    app = RequestGuard(app, keyless=keyless, origins=options.origins, limits=limits, refused=refused)
    if options.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(options.origins),
            allow_methods=("GET", "POST", "PATCH", "DELETE"),
            allow_headers=_CORS_REQUEST_HEADERS,
            expose_headers=_CORS_RESPONSE_HEADERS,
        )
    return Observer(app, metrics=metrics, traces=traces, text=options.log_text)


@contextmanager
def _listen(options: ServerOptions, memory: MemoryManager) -> Iterator[socket.socket]:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    try:
        opened = socket.create_server((options.host, options.port), family=family, backlog=1024)
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        raise ConfigError(
            f"port {options.port} of {options.host} is in use: another server runs there; end it, or choose another "
            "with --port (0 takes a free one)"
        ) from None
    with opened as listening:
        host, port = listening.getsockname()[:2]
        url = f"http://{f'[{host}]' if ':' in host else host}:{port}"
        keys = memory.keys.exist()
        log_event("listening", url=url, pid=os.getpid(), store=options.store, new=options.new, keys=keys)
        yield listening


class Worker(threading.Thread):
    """A thread that works on the store's queue until it is stopped."""

    def __init__(self, memory: MemoryManager) -> None:
        super().__init__(name="engrain-server-worker", daemon=True)
        self._memory, self._stopping = memory, threading.Event()

    def stop(self) -> None:
        """Let it finish the job in hand and take no other; returns at once."""
        self._stopping.set()

    def run(self) -> None:
        """Work."""
        try:
            self._memory.work(self._stopping)
        except Exception as error:  # the edge: nobody waits for this thread
            log.error("the worker ended by a bug", exc_info=error)
        else:
            log_event("the worker stopped", logging.DEBUG)


class Server(uvicorn.Server):
    """Uvicorn's server with another end: the first signal asks it to stop, the second, or the time-out, ends it."""

    def __init__(
        self,
        config: uvicorn.Config,
        status: ServerStatus,
        *,
        worker: Worker | None,
        traces: Traces,
        scratch: Scratch,
        stop_seconds: float,
    ) -> None:
        super().__init__(config)
        self.status, self.worker = status, worker
        self._traces, self._scratch, self._stop_seconds = traces, scratch, stop_seconds

    def run_on(self, listening: socket.socket) -> None:
        """Answer who connects to a socket until asked to stop, and return when all is done that was begun."""
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # head and body of an answer are two packets
        if self.worker is not None:
            self.worker.start()
        try:
            asyncio.run(self.serve(sockets=[listening]))
        finally:
            if self.worker is not None:
                self.worker.stop()
                self.worker.join()
            self._scratch.remove()
            self._traces.close()

    def stop(self) -> None:
        """Begin to stop."""
        self.status.stopping.set()
        self.should_exit = True
        if self.worker is not None:
            self.worker.stop()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals, and do not die of them in the end."""
        self.handle_signals()
        yield

    def handle_signals(self) -> None:
        """Handle signals until the process ends: the worker and the store are closed after the last answer."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                signal.signal(number, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Begin to stop; when that was asked before, stop now."""
        if self.status.stopping.is_set():
            self._cut("a second signal")
        self.stop()
        late = threading.Timer(self._stop_seconds, self._cut, [f"not done after {self._stop_seconds:.0f} s"])
        late.daemon = True
        late.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer what was read, each connection's last answer saying that it closes."""
        log_event("stopping", requests=len(self.server_state.tasks), connections=len(self.server_state.connections))
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSE_HEADER]
        await super().shutdown(sockets)

    def _cut(self, why: str) -> None:
        """End the process at once; what was acknowledged is in the store, what was not may not be."""
        log_event(f"cut: {why}", logging.ERROR)
        sys.stderr.flush()
        self._scratch.remove()
        os._exit(_CUT)
