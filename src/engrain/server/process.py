"""The server process: it listens, works on the queue, and stops without losing a request that it has read."""

from __future__ import annotations

import asyncio
import errno
import gc
import logging
import os
import secrets
import shlex
import shutil
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from concurrent.futures import Future
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from types import FrameType
from typing import Any, Final, cast

import anyio.to_thread
import h11
import uvicorn
from anyio import CapacityLimiter
from fastapi import FastAPI, Request, Response
from starlette.middleware.cors import CORSMiddleware
from starlette.responses import JSONResponse, PlainTextResponse
from starlette.types import ASGIApp
from uvicorn.protocols.http.flow_control import CLOSE_HEADER
from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

from engrain.errors import AccessDenied, ConfigError, EngrainError, StoreError
from engrain.lazy import Later
from engrain.manager import MemoryManager
from engrain.model.audit import Role
from engrain.model.memory import Scope
from engrain.server.callers import ANONYMOUS_ADMIN
from engrain.server.console.gate import load_pages, local_app
from engrain.server.context import ServerContext
from engrain.server.files import Scratch
from engrain.server.limits import CROWDED, Limits, RequestGuard, is_loopback
from engrain.server.observability import Metrics, Observer, Traces, configure_logging, log, log_event
from engrain.server.wire import CONSOLE_PATH, MEDIA_TYPE, Problem

_rest = Later("engrain.server.app")  # without which the console starts
_PATIENCE = 2.0  # seconds until a store that does not answer counts as one that cannot be written
_FRESH = 0.5  # seconds for which an answer about the store is reused, so that probes do not keep it busy
_FREE = 1_000_000  # bytes that a disk must have free for its store to count as one that can be written
_LULL = 0.5  # seconds without a request after which a connection is closed while the server stops
_WARM_UP_USER = "engrain-warm-up"  # a user without memories: the recall that warms up counts no access
_SWITCH = 0.001  # seconds for which a thread computes while others wait: probes and short calls wait less
_OPENED = 2.0  # seconds in which a browser shows the first page of the console: until then nothing else is done
_PROBE = 0.5  # seconds after which a client that closed its side is probed, then twice as long, and so on
_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_CORS_REQUEST_HEADERS = (
    *("Authorization", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "X-Request-Id"),
    *("Mcp-Session-Id", "Mcp-Protocol-Version", "Last-Event-ID"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerOptions:
    """How to serve."""

    store: str = ""  # the store, for the log
    new: bool = False  # the store is new, for the log
    host: str = "127.0.0.1"  # the address to listen at
    port: int = 8765  # the port to listen at, 0 for a free one
    worker: bool = True  # the store's background work is done here
    log_level: str = "info"  # debug, info, warning or error
    log_text: bool = False  # texts, questions and messages of errors are logged
    origins: Collection[str] = ()  # origins of pages that may ask, as browsers write them
    limits: Limits = field(default_factory=Limits)  # how much callers may send, and how fast
    stop_seconds: float = 30.0  # how long a stopping server waits for requests in hand
    bound: Scope | None = None  # the only scope that is served, None for those of every key
    mem0: bool = False  # also answer at mem0's routes
    examine: Callable[[], Mapping[str, Any]] | None = None  # reports on the health of the whole store, for the console


def serve(memory: MemoryManager, options: ServerOptions) -> None:
    """Serve a manager until a signal stops it, and close it; `ConfigError` for an open host or a port in use."""
    configure_logging(options.log_level, text=options.log_text)
    server = create_server(memory, options, traces=Traces.from_environment())
    if find_spec("mcp") is None:
        log_event("mcp is off", logging.WARNING, cure=_rest.MCP_MISSING)
    server.handle_signals()  # before the log reports that it listens
    sys.setswitchinterval(_SWITCH)
    with _listen(options) as (listening, url):
        server.warm_up()
        log_event("listening", url=url, pid=os.getpid(), store=options.store, new=options.new, keys=memory.keys.exist())
        server.run_on(listening)
    memory.close()
    log_event("stopped")


def serve_console(memory: MemoryManager, options: ServerOptions, show: Callable[[str], None]) -> None:
    """Serve only the console, at an address that `show` is called with, until a signal stops it."""
    configure_logging(options.log_level, text=options.log_text)
    token = secrets.token_urlsafe(24)
    server = create_server(memory, options, token=token)
    server.handle_signals()
    with _listen(options) as (listening, url):
        show(f"{url}{CONSOLE_PATH}/?token={token}")
        # The pages are loaded while the browser opens and nothing else runs, without a collection of garbage.
        gc.disable()
        load_pages()
        gc.freeze()  # what is loaded stays
        gc.enable()
        threading.Thread(target=_recall_once, args=(memory, _OPENED), daemon=True).start()
        server.run_on(listening)
    memory.close()


def _recall_once(memory: MemoryManager, after: float = 0.0) -> None:
    """Load the embedder and the search index; a provider that is away now may be back by the first question."""
    time.sleep(after)
    with suppress(EngrainError):
        memory.recall("What is new?", k=1, touch=False)


def check_local(options: ServerOptions) -> None:
    """Raise `ConfigError` when other machines would reach a store without keys."""
    if not is_loopback(options.host):
        named = f" --store {shlex.quote(options.store)}" if options.store else ""
        raise ConfigError(
            f"this store has no keys, so it is served to this machine only and not at {options.host}: "
            f"leave out --host, or make a key first with: engrain keys create --role admin{named}"
        )


def create_server(
    memory: MemoryManager, options: ServerOptions, *, traces: Traces | None = None, token: str | None = None
) -> Server:
    """Return the server of a manager, which stays the caller's to close; with a token it is only the console."""
    keyless = token is not None or not memory.keys.exist()
    if keyless:
        check_local(options)
    worker = Worker(memory, 0.0 if token is None else _OPENED) if options.worker else None
    metrics = Metrics(memory, lambda: worker is not None and worker.is_alive())
    options = replace(options, limits=replace(options.limits, refused=metrics.refuse))
    if token is None:
        app = _rest.create_app(memory, limits=options.limits, guarded=True, bound=options.bound, mem0=options.mem0)
    else:
        app = local_app(ServerContext(memory, lambda *_: ANONYMOUS_ADMIN, options.limits, options.bound), token)
    traces = traces or Traces()
    config = uvicorn.Config(
        _with_middleware(app, options, keyless=keyless, metrics=metrics, traces=traces),
        http=cast(Any, partial(Connection, limits=options.limits)),
        ws="none" if find_spec("nicegui") is None else "websockets-sansio",  # of the console
        ws_max_size=options.limits.body_bytes,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=options.limits.idle_seconds,
        h11_max_incomplete_event_size=options.limits.head_bytes,
    )
    app.state.scratch.sweep()
    server = Server(config, app, worker=worker, traces=traces, stop_seconds=options.stop_seconds)
    if token is None:
        add_probes(app, server, metrics)
    app.state.context.examine = options.examine
    return server


def _with_middleware(
    app: ASGIApp, options: ServerOptions, *, keyless: bool, metrics: Metrics, traces: Traces
) -> ASGIApp:
    app = RequestGuard(app, keyless=keyless, origins=options.origins, limits=options.limits)
    if options.origins:
        app = CORSMiddleware(
            app,
            allow_origins=list(options.origins),
            allow_methods=("GET", "POST", "PUT", "PATCH", "DELETE"),
            allow_headers=_CORS_REQUEST_HEADERS,
            expose_headers=("ETag", "Location", "Retry-After", "X-Request-Id", "Mcp-Session-Id"),
        )
    return Observer(app, metrics=metrics, traces=traces, text=options.log_text)


@contextmanager
def _listen(options: ServerOptions) -> Iterator[tuple[socket.socket, str]]:
    """Bind a socket; connections wait until it is served."""
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
        yield listening, f"http://{f'[{host}]' if ':' in host else host}:{port}"


class Worker(threading.Thread):
    """A thread that works on the store's queue `after` some seconds until it is stopped."""

    def __init__(self, memory: MemoryManager, after: float = 0.0) -> None:
        super().__init__(name="engrain-server-worker", daemon=True)
        self._memory, self._after, self._stopping = memory, after, threading.Event()

    def stop(self) -> None:
        """Stop the worker after its current job; returns immediately."""
        self._stopping.set()

    def run(self) -> None:
        """Work on the queue until `stop`."""
        try:
            self._stopping.wait(self._after)
            self._memory.work(self._stopping)
            log_event("the worker stopped", logging.DEBUG)
        except Exception as error:  # the edge: no caller waits for this thread
            log.error("the worker ended by a bug", exc_info=error)


class Server(uvicorn.Server):
    """Uvicorn's server, which the first signal stops, and the second, or a time-out, ends immediately."""

    def __init__(
        self, config: uvicorn.Config, app: FastAPI, *, worker: Worker | None, traces: Traces, stop_seconds: float
    ) -> None:
        super().__init__(config)
        self.stopping: Final = threading.Event()
        self.worker = worker
        self._scratch: Scratch = app.state.scratch
        self.app = app
        self._traces, self._stop_seconds = traces, stop_seconds

    def warm_up(self) -> None:
        """Load the data for the first requests: the embedder, the search index, the description of all routes."""
        began = time.monotonic()
        self.app.openapi()
        _recall_once(self.app.state.context.memory.scoped(user=_WARM_UP_USER))
        log_event("warm", logging.DEBUG, ms=round((time.monotonic() - began) * 1000))

    def run_on(self, listening: socket.socket) -> None:
        """Serve a listening socket until a signal or `stop`; return once every request that was read is answered."""
        listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # head and body of an answer are two packets
        with ExitStack() as ended:
            ended.callback(self._traces.close)
            ended.callback(self._scratch.remove)
            if self.worker is not None:
                self.worker.start()
                ended.callback(self.worker.join)
                ended.callback(self.worker.stop)
            asyncio.run(self.serve(sockets=[listening]))

    def stop(self) -> None:
        """Take no new connections or jobs, and let `run_on` return."""
        self.stopping.set()
        self.should_exit = True
        if self.worker is not None:
            self.worker.stop()

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Handle signals, and raise none again at the end, as uvicorn does."""
        self.handle_signals()
        yield

    def handle_signals(self) -> None:
        """Handle signals until the process ends: the worker and the store are closed after the last answer."""
        if threading.current_thread() is threading.main_thread():
            for number in _SIGNALS:
                signal.signal(number, self.handle_exit)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Stop at the first signal; end the process at the second."""
        if self.stopping.is_set():
            self._abort("a second signal")
        self.stop()
        late = threading.Timer(self._stop_seconds, self._abort, [f"not done after {self._stop_seconds:.0f} s"])
        late.daemon = True
        late.start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Answer the requests that were read; the last answer on each connection has `Connection: close`."""
        log_event("stopping", requests=len(self.server_state.tasks), connections=len(self.server_state.connections))
        self.server_state.default_headers = [*self.server_state.default_headers, CLOSE_HEADER]
        await super().shutdown(sockets)

    def _abort(self, why: str) -> None:
        """End the process immediately; acknowledged writes are in the store, others may not be."""
        log_event(f"cut: {why}", logging.ERROR)
        sys.stderr.flush()
        self._scratch.remove()
        os._exit(1)  # the exit code of a process that ends before its requests are answered


def add_probes(app: FastAPI, server: Server, metrics: Metrics) -> None:
    """Add `/health`, `/ready` and `/metrics`; they have threads of their own, so that a busy server answers too."""
    context: ServerContext = app.state.context
    limiter = CapacityLimiter(2)
    store = WriteCheck(context.memory)

    async def health() -> Response:
        """Report that the process answers."""
        return JSONResponse({"status": "up"})

    async def ready() -> Response:
        """Report whether requests would be answered: the store can be written, the worker runs, nothing stops."""
        if server.stopping.is_set():
            raise Problem(503, "stopping", "the server is stopping")
        if server.worker is not None and not server.worker.is_alive():
            raise Problem(503, "unavailable", "the worker has ended")
        context.check_file()
        if not await anyio.to_thread.run_sync(store.check, limiter=limiter):
            raise Problem(503, "unavailable", "the store cannot be written")
        return JSONResponse({"status": "ready"})

    async def scrape(request: Request) -> Response:
        """Return the metrics of this server for Prometheus; with keys in the store, to one of role admin for an org."""

        def read() -> bytes:
            caller = context.caller(request.headers)
            caller.needs(Role.ADMIN, "metrics")
            if caller.scope is not None and (caller.scope.user, caller.scope.agent) != (None, None):
                raise AccessDenied("metrics are of the whole server: use a key bound to neither user nor agent")
            return metrics.text()

        text = await anyio.to_thread.run_sync(read, limiter=limiter)
        return Response(text, headers={"Content-Type": Metrics.media_type})

    probes: tuple[tuple[str, Any, type[Response], tuple[int, ...]], ...] = (
        ("/health", health, JSONResponse, ()),
        ("/ready", ready, JSONResponse, (503,)),
        ("/metrics", scrape, PlainTextResponse, (401, 403)),
    )
    for path, endpoint, kind, refused in probes:
        summary = (endpoint.__doc__ or "").partition("\n")[0]
        responses: dict[int | str, dict[str, Any]] = dict.fromkeys((*refused, 421), _rest.REFUSED)
        app.add_api_route(path, endpoint, summary=summary, tags=["server"], response_class=kind, responses=responses)
        app.add_api_route(path, endpoint, methods=["HEAD"], include_in_schema=False)  # which uptime checkers use


class WriteCheck:
    """Whether the store can be written, as of now or half a second ago; one that hangs delays no caller for long."""

    def __init__(self, memory: MemoryManager) -> None:
        self._memory, self._lock = memory, threading.Lock()
        path = Path(memory.store.url)
        self._size, self._cut = path.stat().st_size if path.is_file() else 0, False
        self._answer: Future[bool] | None = None
        self._since = self._until = 0.0  # when its check began, and how long it is reused

    def check(self) -> bool:
        """Return the answer of a new check or of the one under way; False when that takes too long."""
        with self._lock:
            answer = self._answer
            if answer is None or (answer.done() and time.monotonic() >= self._until):
                answer = Future()
                thread = threading.Thread(target=self._write, args=[answer], name="engrain-ready", daemon=True)
                thread.start()  # which may fail: then no check is under way
                self._answer, self._since = answer, time.monotonic()
            left = self._since + _PATIENCE - time.monotonic()
        with suppress(TimeoutError):
            return answer.result(max(left, 0.0))
        return False

    def _write(self, answer: Future[bool]) -> None:
        """Take the store's lock for writing, and write nothing."""
        is_usable = False
        try:
            with suppress(StoreError):
                self._memory.store.write(lambda _: None)
                is_usable = self._is_usable()
        finally:
            self._until = time.monotonic() + _FRESH
            answer.set_result(is_usable)

    def _is_usable(self) -> bool:
        """Return whether the file of the store, if it has one, is whole, may be written, and may grow."""
        path = Path(self._memory.store.url)
        if not path.is_file():
            return True
        size = path.stat().st_size
        if size < self._size and not self._memory.store.is_whole():  # type: ignore[attr-defined]  # of a file
            self._cut = True  # even if a checkpoint makes it as long as it was: of empty pages
        self._size = size
        may_write = os.access(path, os.W_OK) and path.stat().st_mode & 0o222 != 0  # which does not stop root
        return not self._cut and may_write and shutil.disk_usage(path.parent).free >= _FREE


class Connection(H11Protocol):
    """A connection on which a head, and the rest of an unread body, must arrive, and an answer be read, in time."""

    def __init__(self, *args: Any, limits: Limits, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.limits = limits
        self._timers: dict[str, asyncio.TimerHandle] = {}

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Wait for the first head; of more connections than there may be, the one that is idle for longest ends."""
        super().connection_made(transport)
        self._idle_since = self.loop.time()
        self._start("head", self.limits.head_seconds, self._head_late)
        if len(self.connections) > self.limits.connections:
            others = (each for each in self.connections if isinstance(each, Connection) and each is not self)
            idle = min((each for each in others if each._is_idle), key=lambda each: each._idle_since, default=None)
            if idle is None:
                self.app_state: dict[str, Any] = {**self.app_state, CROWDED: True}
            else:
                idle._end("connections")

    def on_response_complete(self) -> None:
        """Note since when it is idle."""
        self._idle_since = self.loop.time()
        super().on_response_complete()

    def handle_events(self) -> None:
        """Answer the received request, and wait for the rest of a head, or of a body that is not read."""
        super().handle_events()
        begun = self.conn.their_state is h11.IDLE and bool(self.conn.trailing_data[0])
        unread = self.conn.their_state is h11.SEND_BODY and self._is_idle and self in self.connections  # no WebSocket
        if not (begun or unread):
            self._stop("head")
        elif "head" not in self._timers:
            self._start("head", self.limits.head_seconds, self._head_late)

    def _head_late(self) -> None:
        if self.conn.our_state is h11.IDLE and self.conn.trailing_data[0]:
            self.limits.refused("slow head")
            self._refuse(Problem(408, "timeout", "the head of the request took too long to arrive"))
        else:
            self.transport.close()

    def pause_writing(self) -> None:
        """Wait `answer_seconds` for a client that does not read its answer."""
        super().pause_writing()
        self._start("answer", self.limits.answer_seconds, partial(self._end, "slow reader"))

    def resume_writing(self) -> None:
        """Stop the clock: the client reads again."""
        super().resume_writing()
        self._stop("answer")

    def _end(self, limit: str) -> None:
        """Count the limit that was exceeded, and drop the connection and its work."""
        self.limits.refused(limit)
        self.transport.abort()

    def send_400_response(self, msg: str) -> None:
        """Answer a request that is not HTTP; the parser's reason is left out, as it may quote the request."""
        if getattr(sys.exception(), "error_status_hint", 400) == 431:
            self.limits.refused("head")
            self._refuse(Problem(431, "too-large", f"a head may have {self.limits.head_bytes:,} bytes"))
        else:
            self._refuse(Problem(400, "invalid", "this is no HTTP/1.1 request"))

    def _refuse(self, problem: Problem) -> None:
        """Answer in place of the application, and close."""
        if self.conn.our_state in (h11.IDLE, h11.SEND_RESPONSE):
            body = bytes(problem.response().body)
            headers = [("content-type", MEDIA_TYPE), ("content-length", str(len(body))), ("connection", "close")]
            response = h11.Response(status_code=problem.status, headers=headers)
            for event in (response, h11.Data(data=body), h11.EndOfMessage()):
                self.transport.write(self.conn.send(event) or b"")
        self.transport.close()

    def eof_received(self) -> bool:  # type: ignore[override]
        """Keep the connection of a client that sent a request and closed its side, until it is answered or too late."""
        if self._is_idle or self.cycle.more_body:
            return False
        self.cycle.keep_alive = False
        self._start("closed", self.limits.answer_seconds, self._closed_late)
        if self.conn.their_http_version == b"1.1":
            self._start("probe", _PROBE, partial(self._probe, _PROBE))
        return True

    def _closed_late(self) -> None:
        if not self.cycle.response_started:
            self._end("closed side")

    def _probe(self, waited: float) -> None:
        """Write an interim response: a half-closed client may still read it, a closed connection resets it."""
        if not self.cycle.response_started:
            interim = h11.InformationalResponse(status_code=100, headers=[], reason="Continue")
            self.transport.write(self.conn.send(interim) or b"")
            self._start("probe", 2 * waited, partial(self._probe, 2 * waited))

    def shutdown(self) -> None:
        """Close after the request that is being answered; an idle connection waits `_LULL` seconds for another."""
        if self._is_idle:
            self._start("lull", _LULL, self._close_if_idle)
        elif self.cycle.response_started:
            self.cycle.keep_alive = False
        else:
            self.cycle.default_headers = [*self.cycle.default_headers, CLOSE_HEADER]

    def _close_if_idle(self) -> None:
        if self.conn.their_state is h11.IDLE and not self.conn.trailing_data[0]:
            self.transport.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every timer of the connection."""
        for name in list(self._timers):
            self._stop(name)
        super().connection_lost(exc)

    @property
    def _is_idle(self) -> bool:
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is None or cycle.response_complete

    def _start(self, name: str, seconds: float, then: Callable[[], object]) -> None:
        self._stop(name)
        self._timers[name] = self.loop.call_later(seconds, then)

    def _stop(self, name: str) -> None:
        if (timer := self._timers.pop(name, None)) is not None:
            timer.cancel()
