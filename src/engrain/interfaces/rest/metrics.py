"""Metrics in the words of Prometheus: counts and times by operation; no label says who asked, or about what."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily, Metric
from prometheus_client.registry import Collector

from engrain.interfaces.rest.seen import Seen
from engrain.manager import MemoryManager
from engrain.model.memory import Job, JobState

if TYPE_CHECKING:
    from engrain.interfaces.rest.background import Background

_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """The metrics of one server, in a registry of its own."""

    media_type = "text/plain; version=0.0.4; charset=utf-8"

    def __init__(self, memory: MemoryManager, background: Background | None = None) -> None:
        self.registry = registry = CollectorRegistry()
        self.requests = Counter(
            "engrain_requests", "Requests answered.", ("operation", "method", "status"), registry=registry
        )
        self.seconds = Histogram(
            "engrain_request_seconds", "How long answers took.", ("operation",), buckets=_BUCKETS, registry=registry
        )
        self.in_flight = Gauge("engrain_requests_in_flight", "Requests not answered yet.", registry=registry)
        self.refused = Counter(
            "engrain_refused", "Requests and connections refused by a limit.", ("limit",), registry=registry
        )
        registry.register(_Store(memory, lambda: background is not None and background.alive))

    def begin(self) -> None:
        """Count a request that is being answered."""
        self.in_flight.inc()

    def end(self, seen: Seen) -> None:
        """Count a request that was answered."""
        self.in_flight.dec()
        self.requests.labels(seen.operation, seen.method, str(seen.status)).inc()
        self.seconds.labels(seen.operation).observe(seen.ms / 1000)
        if seen.status == 429:
            self.refuse("rate")

    def refuse(self, limit: str) -> None:
        """Count what was refused."""
        self.refused.labels(limit).inc()

    def text(self) -> bytes:
        """Return all of it as it is scraped; reads the store."""
        return generate_latest(self.registry)


class _Store(Collector):
    """What is looked up when somebody asks: the queue, and how large the store is."""

    def __init__(self, memory: MemoryManager, works: Callable[[], bool]) -> None:
        self._memory, self._works = memory, works

    def describe(self) -> Iterator[Metric]:
        """Name nothing before it is asked for: the store is not read for it."""
        yield from ()

    def collect(self) -> Iterator[Metric]:
        """Read what there is now."""
        with self._memory.store.read() as reader:
            found = reader.count(Job, by="state")
        jobs = GaugeMetricFamily("engrain_jobs", "Queued work by state.", labels=["state"])
        for state in JobState:
            jobs.add_metric([state.value], found.get(state.value, 0))
        yield jobs
        yield GaugeMetricFamily("engrain_worker_up", "Whether this server's worker lives.", value=self._works())
        yield GaugeMetricFamily("engrain_store_bytes", "Bytes of the store.", value=self._memory.store.size())
