"""Writers and readers in separate processes: no error, no loss, and no process starves."""

from __future__ import annotations

from campaigns import processes


def test_writers_and_readers_get_along() -> None:
    done, faults = processes.run(1.0, writers=2, readers=2)
    assert faults == []
    assert len(done) == 4
    assert all(work.calls > 0 for work in done)
