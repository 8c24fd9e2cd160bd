"""Writers and readers in processes of their own: no error, no loss, and nobody is left out."""

from __future__ import annotations

from campaigns import processes


def test_four_writers_and_four_readers_get_along() -> None:
    done, faults = processes.run(1.5, writers=4, readers=4)
    assert faults == []
    assert len(done) == 8
    assert all(work.calls > 0 for work in done)
