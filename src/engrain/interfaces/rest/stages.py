"""The stages of a recall on the span of the request that asked."""

from __future__ import annotations

from opentelemetry.trace import get_current_span

from engrain.model.results import Recall


def add_stages(result: object) -> None:
    """Tell the span of the request in hand how long each stage of a recall took; the words of it stay here."""
    span = get_current_span()
    if isinstance(result, Recall) and span.is_recording():
        for stage in result.trace:
            span.add_event(stage.name, {"ms": stage.ms, "in": stage.came_in, "out": stage.went_out})
