"""What has been superseded is history: the end that a policy gave it is gone, whenever a sweep comes."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, RetentionPolicy, Settings
from engrain.testing import FrozenClock

_TTL = timedelta(days=20)
_POLICY = RetentionPolicy(kind="semantic", ttl=_TTL.total_seconds())


@pytest.mark.parametrize("swept_before", [True, False], ids=["swept in time", "swept late"])
def test_a_superseded_memory_does_not_expire_by_a_policy(
    tmp_path: Path, clock: FrozenClock, swept_before: bool
) -> None:
    settings = Settings(worker="none", retention="bounded", policies=(_POLICY,))
    with MemoryManager(tmp_path / "memory.db", clock=clock, settings=settings) as memory:
        old = memory.remember("Mia likes tea").id
        before = memory.get(old)
        assert before is not None
        assert before.expires_at == clock.now() + _TTL
        memory.supersede(old, "Mia likes coffee")
        if swept_before:
            memory.sweep()
        clock.advance(_TTL + timedelta(days=1))
        for _ in range(2):
            found = memory.get(old)
            assert found is not None
            assert (found.status, found.expires_at, found.is_superseded) == ("superseded", None, True)
            memory.sweep()
