"""Evidence from memories in a store."""

from __future__ import annotations

from datetime import UTC, datetime

from engrain import MemoryManager, Settings
from engrain.model.results import Hit
from engrain.synthesis.evidence import Evidence, Quote

NOW = datetime(2026, 5, 10, tzinfo=UTC)


def evidence(query: str, *texts: str | tuple[str, ...]) -> Evidence:
    """Return texts as evidence, each of the 8th of May 2026 or with the day it tells of, and with who said it."""
    quotes = []
    with MemoryManager(":memory:", embedder=None, settings=Settings(worker="none")) as memory:
        for each in texts:
            text, day, *by = (each, "2026-05-08") if isinstance(each, str) else each
            actor = by[0] if by else None
            kept, _ = memory.remember(text, valid_from=f"{day}T10:00:00+00:00", resolve="off", actor=actor)
            quotes.append(Quote(Hit(kept, 1.0, 0.8), text))
    return Evidence(query, "factual", NOW, tuple(quotes))
