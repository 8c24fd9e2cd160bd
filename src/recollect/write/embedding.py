"""Vectors in the write: best effort, so that a failing embedder never loses a memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime

from recollect.errors import ProviderError
from recollect.foreign import guard
from recollect.jobkinds import EMBED
from recollect.models import Job, Memory
from recollect.numeric import Floats, np
from recollect.protocols import Embedder


def embed(embedder: Embedder | None, texts: Sequence[str]) -> list[Floats | None]:
    """Return a vector for each text, or None for all of them when the embedder is slow, missing or fails."""
    if embedder is None or not texts or not getattr(embedder, "inline", True):
        return [None] * len(texts)
    rows = guard(f"embedder {embedder.id}", lambda: vectors(embedder, texts))
    return [None] * len(texts) if rows is None else list(rows)


def vectors(embedder: Embedder, texts: Sequence[str]) -> Floats:
    """Return one vector per text; raises `ProviderError` when what came back is not that."""
    rows = np.asarray(embedder.embed(texts), np.float32)
    if rows.shape != (len(texts), embedder.dimensions):
        raise ProviderError(
            f"embedder {embedder.id} gave an array of shape {rows.shape}, not {(len(texts), embedder.dimensions)}"
        )
    if not np.isfinite(rows).all():
        raise ProviderError(f"embedder {embedder.id} gave numbers that are not finite")
    return rows


def embed_job(new_id: Callable[[str], str], memory: Memory, now: datetime) -> Job:
    """Return the job that gives a memory its vector later."""
    return Job(id=new_id("job"), kind=EMBED, org=memory.scope.org, memory_id=memory.id, run_at=now)
