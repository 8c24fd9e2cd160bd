"""Evidence made by hand."""

from __future__ import annotations

from datetime import UTC, datetime

from recollect import MemoryManager, Settings
from recollect.results import Hit
from recollect.synthesis.parts import Evidence, Quote

NOW = datetime(2026, 5, 10, tzinfo=UTC)


def evidence(query: str, *texts: str | tuple[str, str]) -> Evidence:
    """Return texts, each with the day it tells of or of the 8th of May 2026, as evidence."""
    quotes = []
    with MemoryManager(":memory:", embedder=None, settings=Settings(worker="none")) as memory:
        for each in texts:
            text, day = (each, "2026-05-08") if isinstance(each, str) else each
            kept, _ = memory.remember(text, valid_from=f"{day}T10:00:00+00:00", resolve="off")
            quotes.append(Quote(Hit(kept, 1.0, 0.8), text))
    return Evidence(query, "factual", NOW, tuple(quotes))
