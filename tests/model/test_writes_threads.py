"""Several threads write contradicting things to one store; all that was acknowledged is there afterwards, and sound."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from campaigns.soundness import examine
from campaigns.writes import write
from engrain import MemoryManager, Settings
from engrain.testing import FakeEmbedder


@pytest.mark.parametrize("seed", [1, 2])
def test_what_threads_were_given_is_kept_and_sound(tmp_path: Path, seed: int) -> None:
    path, promised = str(tmp_path / "memory.db"), set()
    settings = Settings(worker="none", durability="normal")
    with MemoryManager(path, embedder=FakeEmbedder(32), settings=settings) as memory:
        calls = write(memory, seed, until=lambda made: made >= 60, note=lambda _, stored: promised.add(stored))
        assert calls >= 240
        assert memory.verify_audit().ok
    memories, wrong = examine(path)
    assert wrong == []
    assert promised <= memories.keys()
    now = datetime.now(UTC)
    live = [(m.scope, m.kind, m.content.casefold()) for m in memories.values() if m.is_live_at(now)]
    assert len(live) == len(set(live))
    for one in memories.values():
        assert one.superseded_by is None or one.id in memories[one.superseded_by].supersedes
        assert one.valid_until is None or one.valid_from <= one.valid_until
