"""Traces: a span for each request, sent to where the environment says, and nowhere without it."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from opentelemetry.context import Context
from opentelemetry.trace import NonRecordingSpan, NoOpTracer, Span, SpanKind, Status, StatusCode, Tracer, use_span
from opentelemetry.trace import get_current_span as current_span
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator
from starlette.types import Scope

from engrain.interfaces.rest.logs import note
from engrain.interfaces.rest.seen import NOWHERE, Seen

_WHERE = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
_PARENT = TraceContextTextMapPropagator()
_CARRIED = (b"traceparent", b"tracestate")


class Traces:
    """Where the spans of a server go: to a provider's exporter, or nowhere."""

    def __init__(self, provider: Any = None) -> None:
        self._provider = provider
        self._tracer: Tracer = NoOpTracer() if provider is None else provider.get_tracer("engrain")

    @classmethod
    def from_environment(cls, environ: Mapping[str, str] = os.environ) -> Traces:
        """Return traces to the collector that the environment names; to nowhere when it names none."""
        if not any(environ.get(name) for name in _WHERE):
            return cls()
        try:
            sdk, export = import_module("opentelemetry.sdk.trace"), import_module("opentelemetry.sdk.trace.export")
            otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter")
            resources = import_module("opentelemetry.sdk.resources")
        except ImportError:
            note("no traces are sent: pip install 'engrain[telemetry]'", logging.WARNING)
            return cls()
        named = {"service.name": environ.get("OTEL_SERVICE_NAME", "engrain")}
        provider = sdk.TracerProvider(resource=resources.Resource.create(named), shutdown_on_exit=False)
        provider.add_span_processor(export.BatchSpanProcessor(otlp.OTLPSpanExporter()))
        return cls(provider)

    @contextmanager
    def span(self, scope: Scope, seen: Seen) -> Iterator[Span]:
        """Give the span of a request, the child of the one that its `traceparent` names, and end it with what was seen.

        What goes wrong is told by its type: a message may quote a text.
        """
        if self._provider is None:
            yield NonRecordingSpan(current_span().get_span_context())
            return
        carrier = {name.decode(): value.decode("latin-1") for name, value in scope["headers"] if name in _CARRIED}
        span = self._tracer.start_span(seen.method, context=_PARENT.extract(carrier, Context()), kind=SpanKind.SERVER)
        with use_span(span, end_on_exit=True, record_exception=False, set_status_on_exception=False):
            yield span
            told: dict[str, str | int] = {"http.request.method": seen.method, "http.response.status_code": seen.status}
            told |= {"engrain.operation": seen.operation, "engrain.role": seen.role, "http.route": seen.route}
            span.set_attributes(told)
            if seen.route != NOWHERE:
                span.update_name(f"{seen.method} {seen.route}")
            if seen.status >= 500:
                span.set_status(Status(StatusCode.ERROR))

    def close(self) -> None:
        """Send what waits, for two seconds at most."""
        if self._provider is not None:
            self._provider.force_flush(2000)
            self._provider.shutdown()
