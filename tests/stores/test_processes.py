"""Writers and readers in processes of their own: no error, no loss, and nobody is left out."""

from __future__ import annotations

from campaigns import processes


def test_writers_and_readers_get_along() -> None:
    done, faults = processes.run(1.0, writers=2, readers=2)
    assert faults == []
    assert len(done) == 4
    assert all(work.calls > 0 for work in done)
