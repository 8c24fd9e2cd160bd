"""A request is a span: the child of its caller's, with its operation and how it ended, and without a word of it."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import StatusCode

from engrain import MemoryManager
from engrain.server.observability import Traces
from tests.rest.servers import Reached, process, serving

_PARENT = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@pytest.fixture
def spans() -> InMemorySpanExporter:
    return InMemorySpanExporter()


@pytest.fixture
def server(tmp_path: Path, spans: InMemorySpanExporter) -> Iterator[Reached]:
    provider = TracerProvider(shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(spans))
    with (
        MemoryManager(tmp_path / "memory.db", embedder=None) as memory,
        serving(memory, traces=Traces(provider)) as reached,
    ):
        yield reached


def ended(spans: InMemorySpanExporter, count: int = 1) -> list[ReadableSpan]:
    """Return so many spans: one ends when its answer has been sent."""
    until = time.monotonic() + 30
    while len(spans.get_finished_spans()) < count and time.monotonic() < until:
        time.sleep(0.01)
    found = list(spans.get_finished_spans())
    spans.clear()
    assert len(found) == count
    return found


def only(spans: InMemorySpanExporter) -> ReadableSpan:
    return ended(spans)[0]


def test_a_request_is_a_span_of_its_operation(server: Reached, spans: InMemorySpanExporter) -> None:
    server.ask("POST", "/v1/memories", {"content": "Ana likes oolong"})
    span = only(spans)
    assert span.name == "POST /v1/memories"
    assert dict(span.attributes or {}) == {
        "http.request.method": "POST",
        "http.response.status_code": 201,
        "http.route": "/v1/memories",
        "engrain.operation": "remember",
        "engrain.role": "admin",
    }
    assert span.parent is None


def test_a_recall_reports_how_long_its_stages_took(server: Reached, spans: InMemorySpanExporter) -> None:
    server.ask("POST", "/v1/memories", {"content": "Ana likes oolong"})
    only(spans)
    server.ask("POST", "/v1/recall", {"query": "what does Ana like?"})
    found = only(spans)
    assert {"gather", "fuse and boost", "cut"} <= {event.name for event in found.events}
    assert all(set(event.attributes or {}) == {"ms", "in", "out"} for event in found.events)


def test_the_callers_trace_goes_on(server: Reached, spans: InMemorySpanExporter) -> None:
    server.ask("GET", "/health", headers={"traceparent": _PARENT})
    span = only(spans)
    assert span.parent is not None
    assert f"{span.parent.trace_id:032x}-{span.parent.span_id:016x}" == _PARENT[3:52]
    server.ask("GET", "/health", headers={"traceparent": "00-nonsense"})
    assert only(spans).parent is None


def test_no_word_is_in_a_span(server: Reached, spans: InMemorySpanExporter) -> None:
    server.ask("POST", "/v1/memories", {"content": "Oolong for Ana", "user": "oolong", "key": "oolong"})
    server.ask("POST", "/v1/recall", {"query": "oolong for whom?", "user": "oolong"})
    server.ask("GET", "/v1/memories/oolong?user=oolong")
    server.ask("GET", "/v1/oolong?oolong=oolong", headers={"baggage": "oolong=oolong", "traceparent": _PARENT})
    server.ask("OOLONG", "/v1/oolong")
    assert not [span for span in ended(spans, 5) if "oolong" in span.to_json().lower()]


def test_only_a_failure_of_the_server_is_an_error(server: Reached, spans: InMemorySpanExporter) -> None:
    server.ask("GET", "/v1/nowhere")
    assert only(spans).status.status_code is StatusCode.UNSET
    assert server.server is not None
    server.server.stopping.set()
    server.ask("GET", "/ready")
    assert only(spans).status.status_code is StatusCode.ERROR


def test_without_a_collector_nothing_is_made_or_sent(tmp_path: Path) -> None:
    assert Traces.from_environment({})._provider is None
    assert Traces.from_environment({"OTEL_SERVICE_NAME": "memory"})._provider is None


def test_a_collector_without_the_extra_is_reported_in_the_log(tmp_path: Path) -> None:
    heard: list[str] = []

    class Collector(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            heard.append(self.path)
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response(200)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with HTTPServer(("127.0.0.1", 0), Collector) as collector:
        threading.Thread(target=collector.serve_forever, daemon=True).start()
        where = {"OTEL_EXPORTER_OTLP_ENDPOINT": f"http://127.0.0.1:{collector.server_port}"}
        with process(tmp_path / "memory.db", environ=where) as server:
            server.ask("GET", "/health")
            server.signal(15)
            assert server.wait() == 0
        collector.shutdown()
    warned = [line for line in server.lines() if "engrain[telemetry]" in line["event"]]
    assert heard == ["/v1/traces"] or warned  # as the extra is installed or not
