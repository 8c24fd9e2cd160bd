"""Logs, metrics and traces of requests by the outermost layer: operation, outcome and duration; never a text."""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import traceback
import uuid
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from time import perf_counter
from typing import Any, Final, TextIO
from urllib.parse import quote

from opentelemetry.context import Context
from opentelemetry.trace import SpanKind, Status, StatusCode, Tracer, use_span
from opentelemetry.trace import get_current_span as current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from engrain.manager import MemoryManager
from engrain.model.memory import Job, JobState
from engrain.model.results import Recall
from engrain.operations.table import OPERATIONS
from engrain.server.wire import CLIENT_LEFT, CONSOLE_PATH, MCP_PATH, MEM0_PATH, PREFIX, PROBES, Problem

NO_ROUTE = "none"
_METHODS = frozenset("GET HEAD POST PUT PATCH DELETE OPTIONS TRACE CONNECT".split())
_REQUEST_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_OPERATIONS: dict[tuple[str, str], str] = {
    (route.verb, PREFIX + route.path): each.name for each in OPERATIONS for route in each.routes
} | {("GET", path): path.strip("/") for path in PROBES}
_QUIET = ("asyncio", "httpx", "httpx2", "mcp", "uvicorn")  # loggers whose warnings alone matter
_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_ENDPOINTS = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PROPAGATED = (b"traceparent", b"tracestate")
log: Final = logging.getLogger("engrain.server")
_FRAMES, _CAUSES = 50, 10  # of a traceback that is logged


@dataclass(slots=True)
class RequestRecord:
    """A request: its id, and once it is answered its route, caller, status and time."""

    id: str
    method: str
    began: float
    route: str = NO_ROUTE
    operation: str = NO_ROUTE
    role: str = ""
    key: str = ""
    status: int = 0
    ms: float = 0.0
    bytes: int = 0

    @classmethod
    def of(cls, scope: Scope) -> RequestRecord:
        """Return the record of a request that has just arrived, with the id that the client sent if it is one."""
        sent = [value.decode("latin-1") for name, value in scope["headers"] if name == b"x-request-id"]
        known = len(sent) == 1 and _REQUEST_ID.fullmatch(sent[0])
        method = scope["method"] if scope["method"] in _METHODS else "other"
        return cls(sent[0] if known else f"req-{uuid.uuid4().hex}", method, perf_counter())

    def end(self, scope: Scope) -> None:
        """Record the route, the caller and the time of the request."""
        self.status = self.status or CLIENT_LEFT
        self.ms = round((perf_counter() - self.began) * 1000, 3)
        path = getattr(scope.get("route"), "path", None)
        within = f"{scope['path']}/"
        part = next((each for each in (MCP_PATH, CONSOLE_PATH, MEM0_PATH) if within.startswith(f"{each}/")), None)
        if part is not None:
            self.route, self.operation = part, part.strip("/")
        elif path is not None:
            self.route, self.operation = path, _OPERATIONS.get((self.method, path), NO_ROUTE)
        caller = scope.get("state", {}).get("caller")
        if caller is not None:
            self.role, self.key = str(caller.role), caller.key


class Observer:
    """Records the requests of an application, and answers a bug with a 500; with `text` it logs paths and queries."""

    def __init__(self, app: ASGIApp, *, metrics: Metrics, traces: Traces, text: bool = False) -> None:
        self._app, self._metrics, self._traces, self._text = app, metrics, traces, text

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, and record it even if the application fails."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        record = RequestRecord.of(scope)

        async def send_recorded(message: Message) -> None:
            if message["type"] == "http.response.start":
                record.status = message["status"]
                MutableHeaders(scope=message)["x-request-id"] = record.id
            elif message["type"] == "http.response.body":
                record.bytes += len(message.get("body", b""))
            await send(message)

        with self._traces.span(scope, record):
            self._metrics.in_flight.inc()
            try:
                await self._app(scope, receive, send_recorded)
            except Exception as error:  # the edge: a bug, which is logged and answered
                log.error("bug", exc_info=error, extra={"fields": {"request": record.id}})
                if not record.status:
                    bug = Problem(500, "bug", f"this is a bug: the server's log says where, under {record.id}")
                    await bug.response()(scope, receive, send_recorded)
            finally:
                self._end(scope, record)

    def _end(self, scope: Scope, record: RequestRecord) -> None:
        record.end(scope)
        self._metrics.end(record)
        if not log.isEnabledFor(logging.INFO):
            return
        names = ("method", "route", "operation", "status", "ms", "bytes", *(["key"] if record.key else []))
        fields = {"request": record.id, **{name: getattr(record, name) for name in names}}
        if self._text:
            path = (scope.get("raw_path") or quote(scope["path"]).encode()).decode("latin-1")
            fields |= {"path": path, "query": scope["query_string"].decode("latin-1")}
        log_event("request", **fields)


def log_event(event: str, level: int = logging.INFO, **fields: Any) -> None:
    """Log an event of the server; its fields hold no text of a user."""
    log.log(level, event, extra={"fields": fields})


def configure_logging(level: str = "info", *, text: bool = False, stream: TextIO | None = None) -> logging.Handler:
    """Write all logs of this process as lines of JSON, warnings of Python too."""
    handler = logging.StreamHandler(stream or sys.stderr)
    handler.setFormatter(JSONLines(text=text))
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.upper())
    for name in _QUIET:
        logging.getLogger(name).setLevel(max(logging.WARNING, root.level))
    logging.captureWarnings(True)
    return handler


class JSONLines(logging.Formatter):
    """One JSON document a record; without `text`, arguments that are no numbers and errors' messages are left out."""

    def __init__(self, *, text: bool = False) -> None:
        super().__init__()
        self._text = text

    def format(self, record: logging.LogRecord) -> str:
        """Return the record as a line."""
        line: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage() if self._text else _message_template(record),
        }
        if record.name != log.name:
            line["logger"] = record.name
        line |= getattr(record, "fields", {})
        arguments = record.args if isinstance(record.args, tuple) else ()
        in_message = next((each for each in arguments if isinstance(each, BaseException)), None)
        error = record.exc_info[1] if record.exc_info else in_message
        if error is not None:
            line["error"] = _error_chain(error, text=self._text)
        return json.dumps(line, ensure_ascii=True, default=str)


def _message_template(record: logging.LogRecord) -> str:
    if record.name == "py.warnings":
        return "a warning of Python"  # which is all message
    if not isinstance(record.msg, str):
        return type(record.msg).__name__
    arguments = record.args if isinstance(record.args, tuple) else (None,)
    is_counted = bool(arguments) and all(isinstance(each, int | float) for each in arguments)
    return record.getMessage() if is_counted else record.msg


def _error_chain(error: BaseException, *, text: bool) -> list[dict[str, Any]]:
    """Return an error and those that caused it, the first cause last."""
    chain: list[dict[str, Any]] = []
    found: BaseException | None = error
    while found is not None and len(chain) < _CAUSES:
        frames = traceback.extract_tb(found.__traceback__)[-_FRAMES:]
        at = [f"{frame.filename}:{frame.lineno} in {frame.name}" for frame in frames]
        chain.append({"type": type(found).__name__, "at": at} | ({"message": str(found)} if text else {}))
        inner = found.exceptions[0] if isinstance(found, BaseExceptionGroup) else None
        found = inner or found.__cause__ or (None if found.__suppress_context__ else found.__context__)
    return chain


class Metrics:
    """The metrics of one server for Prometheus, in a registry of its own; no label identifies a caller or a text."""

    media_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, memory: MemoryManager, worker_alive: Callable[[], bool] = lambda: False) -> None:
        self._registry = registry = CollectorRegistry()
        labels = ("operation", "method", "status")
        self._requests = Counter("engrain_requests", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "engrain_request_seconds", "How long answers took.", ("operation",), buckets=_BUCKETS, registry=registry
        )
        self.in_flight: Final = Gauge("engrain_requests_in_flight", "Requests not answered yet.", registry=registry)
        refusals = "Requests and connections refused by a limit."
        self._refused = Counter("engrain_refused", refusals, ("limit",), registry=registry)
        registry.register(_StoreMetrics(memory, worker_alive))

    def end(self, record: RequestRecord) -> None:
        """Count a request that was answered."""
        self.in_flight.dec()
        self._requests.labels(record.operation, record.method, str(record.status)).inc()
        self._seconds.labels(record.operation).observe(record.ms / 1000)
        if record.status == 429:
            self.refuse("rate")

    def refuse(self, limit: str) -> None:
        """Count a request that a limit refused."""
        self._refused.labels(limit).inc()

    def text(self) -> bytes:
        """Return all of it as it is scraped; reads the store."""
        return generate_latest(self._registry)


class _StoreMetrics(Collector):
    """The queue and the size of the store, read by the next request."""

    def __init__(self, memory: MemoryManager, worker_alive: Callable[[], bool]) -> None:
        self._memory, self._worker_alive = memory, worker_alive

    def describe(self) -> Iterator[Metric]:
        yield from ()  # so that registering does not read the store

    def collect(self) -> Iterator[Metric]:
        with self._memory.store.read() as reader:
            found = reader.count(Job, by="state")
        jobs = GaugeMetricFamily("engrain_jobs", "Queued work by state.", labels=["state"])
        for state in JobState:
            jobs.add_metric([state.value], found.get(state.value, 0))
        yield jobs
        yield GaugeMetricFamily("engrain_worker_up", "Whether this server's worker lives.", value=self._worker_alive())
        yield GaugeMetricFamily("engrain_store_bytes", "Bytes of the store.", value=self._memory.store.size())


class Traces:
    """A span for each request, exported by a provider, or nowhere without one."""

    def __init__(self, provider: Any = None) -> None:
        self._provider = provider

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Traces:
        """Return an exporter of traces to the collector in the environment; a no-op without one."""
        if not any(environ.get(name) for name in _ENDPOINTS):
            return cls()
        try:
            sdk, export = import_module("opentelemetry.sdk.trace"), import_module("opentelemetry.sdk.trace.export")
            otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
            resources = import_module("opentelemetry.sdk.resources")
        except ImportError:
            log_event('no traces are sent: pip install "engrain[telemetry]"', logging.WARNING)
            return cls()
        named = {"service.name": environ.get("OTEL_SERVICE_NAME", "engrain")}
        provider = sdk.TracerProvider(resource=resources.Resource.create(named), shutdown_on_exit=False)
        provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
        return cls(provider)

    @contextmanager
    def span(self, scope: Scope, record: RequestRecord) -> Iterator[None]:
        """Open a request's span, a child of its `traceparent`; at its end it gets the record (of an error the type)."""
        if self._provider is None:
            yield
            return
        carrier = {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in _PROPAGATED}
        parent = TraceContextTextMapPropagator().extract(carrier, Context())
        tracer: Tracer = self._provider.get_tracer("engrain")
        span = tracer.start_span(record.method, context=parent, kind=SpanKind.SERVER)
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            yield
            http = {"http.request.method": record.method, "http.route": record.route}
            own = {"engrain.operation": record.operation, "engrain.role": record.role}
            span.set_attributes({**http, "http.response.status_code": record.status, **own})
            if record.route != NO_ROUTE:
                span.update_name(f"{record.method} {record.route}")
            if record.status >= 500:
                span.set_status(Status(StatusCode.ERROR))

    def close(self) -> None:
        """Send the queued traces, for two seconds at most."""
        if self._provider is not None:
            self._provider.force_flush(2000)
            self._provider.shutdown()


def trace_recall(result: object) -> None:
    """Add the stages of a recall to the span of the current request, without a word of its texts."""
    span = current_span()
    if isinstance(result, Recall) and span.is_recording():
        for stage in result.trace:
            span.add_event(stage.name, {"ms": stage.ms, "in": stage.came_in, "out": stage.went_out})
