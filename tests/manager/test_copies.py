"""Snapshots taken while others write, and their way back: a copy is whole or it is not there."""

from __future__ import annotations

import sqlite3
import threading
from datetime import timedelta
from pathlib import Path

import pytest

from engrain import MemoryManager, SchemaMismatch, StoreCorrupt, StoreUnavailable
from engrain.testing import FrozenClock
from tests.manager.conftest import Open


@pytest.mark.sqlite("a database has no folder")
def test_the_default_name_is_the_time_and_no_two_are_one(
    memory: MemoryManager, clock: FrozenClock, tmp_path: Path
) -> None:
    first, second = Path(memory.snapshot()), Path(memory.snapshot())
    clock.advance(timedelta(seconds=1))
    third = Path(memory.snapshot())
    assert first.parent == tmp_path / "snapshots"
    assert [path.name for path in (first, second, third)] == [
        "memory_20260105_120000.db",
        "memory_20260105_120000_2.db",
        "memory_20260105_120001.db",
    ]


def test_a_snapshot_is_of_one_moment_while_others_write(memory: MemoryManager, opened: Open, tmp_path: Path) -> None:
    done = threading.Event()

    def write() -> None:
        n = 0
        while not done.is_set():
            memory.remember_many([{"content": f"pair {n} left"}, {"content": f"pair {n} right"}])
            n += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for n in range(3):
            memory.snapshot(tmp_path / f"copy{n}.db")
    finally:
        done.set()
        writer.join()
    for n in range(3):
        copy = opened(f"copy{n}.db")
        texts = {kept.content for kept in copy.iter_memories()}
        assert {text.replace("left", "right") for text in texts if "left" in text} == {t for t in texts if "right" in t}
        assert copy.verify_audit().ok


def test_a_restored_store_is_the_snapshot_and_the_snapshot_stays(
    memory: MemoryManager, opened: Open, tmp_path: Path
) -> None:
    memory.remember("the kettle is on")
    snapshot = Path(memory.snapshot(tmp_path / "one.db"))
    before = snapshot.read_bytes()
    assert MemoryManager.restore(snapshot, tmp_path / "back.db") == str(tmp_path / "back.db")
    back = opened("back.db")
    back.remember("said later")
    assert back.count() == 2
    assert snapshot.read_bytes() == before


def test_a_restore_needs_a_sound_snapshot_and_a_free_place(memory: MemoryManager, tmp_path: Path) -> None:
    snapshot = Path(memory.snapshot(tmp_path / "one.db"))
    (tmp_path / "junk.db").write_bytes(b"SQLite format 3\x00" + b"junk" * 2000)
    (tmp_path / "empty.db").touch()
    foreign = sqlite3.connect(tmp_path / "foreign.db")
    foreign.execute("CREATE TABLE notes (text)")
    foreign.close()
    newer = sqlite3.connect(Path(memory.snapshot(tmp_path / "newer.db")))
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    for name, error in {
        "nowhere.db": StoreUnavailable,
        "empty.db": StoreUnavailable,
        "junk.db": StoreCorrupt,
        "foreign.db": StoreCorrupt,
        "newer.db": SchemaMismatch,
    }.items():
        with pytest.raises(error, match=name):
            MemoryManager.restore(tmp_path / name, tmp_path / "back.db")
    for target in (snapshot, tmp_path, tmp_path / "no folder" / "back.db"):
        with pytest.raises(StoreUnavailable):
            MemoryManager.restore(snapshot, target)
    assert not (tmp_path / "back.db").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".")]
