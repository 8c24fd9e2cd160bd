"""Snapshots: whole copies taken while work goes on, and their way back; neither ever overwrites."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

from engrain import MemoryManager, StoreCorrupt, StoreError, StoreUnavailable
from engrain.testing import FrozenClock


@pytest.fixture
def source(memory: MemoryManager) -> MemoryManager:
    """A memory with an edit, a forgotten one and another user's."""
    memory.update(memory.remember("Ana drinks tea").id, content="Ana drinks green tea")
    memory.forget(memory.remember("a slip").id)
    memory.scoped(user="ben").remember("Ben drinks coffee")
    return memory


def everything(memory: MemoryManager) -> list[object]:
    """Return all versions of all that a memory holds."""
    return [memory.history(each.id) for each in memory.iter_memories(status="all", order="recorded_at")]


def test_a_snapshot_opens_and_is_equal(source: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    path = source.snapshot(tmp_path / "copy.db")
    assert path == str(tmp_path / "copy.db")
    with MemoryManager(path, clock=clock) as copy:
        assert everything(copy) == everything(source)
        assert copy.recall("green tea").texts == source.recall("green tea").texts
        assert copy.verify_audit() == source.verify_audit()
        assert copy.stats().vectors == source.stats().vectors


def test_a_snapshot_goes_its_own_way(source: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    path = source.snapshot(tmp_path / "copy.db")
    source.remember("after the snapshot")
    with MemoryManager(path, clock=clock) as copy:
        copy.remember("in the copy alone")
        assert "after the snapshot" not in copy.recall("snapshot").texts
    assert "in the copy alone" not in source.recall("copy").texts


@pytest.mark.sqlite("a database has no folder")
def test_by_default_it_is_named_by_the_time_beside_the_store(source: MemoryManager, tmp_path: Path) -> None:
    assert source.snapshot() == str(tmp_path / "snapshots" / "memory_20260105_120000.db")


def test_it_holds_the_accesses_counted_until_then(source: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
    (tea,) = source.recall("green tea", k=1).memories
    with MemoryManager(source.snapshot(tmp_path / "copy.db"), clock=clock) as copy:
        assert copy.get(tea.id).access_count == 1  # type: ignore[union-attr]


def test_it_is_one_file(source: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    source.snapshot(tmp_path / "copies" / "copy.db")
    assert [path.name for path in (tmp_path / "copies").iterdir()] == ["copy.db"]


def test_a_memory_without_a_file_can_be_copied_to_one(tmp_path: Path) -> None:
    with MemoryManager(":memory:", embedder=None) as memory:
        memory.remember("Ana drinks tea")
        path = memory.snapshot(tmp_path / "copy.db")
    with MemoryManager(path, embedder=None) as copy:
        assert copy.recall("tea").texts == ("Ana drinks tea",)


def test_it_overwrites_nothing(source: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "copy.db").write_text("precious")
    with pytest.raises(StoreUnavailable):
        source.snapshot(tmp_path / "copy.db")
    assert (tmp_path / "copy.db").read_text() == "precious"


def test_it_is_whole_while_others_write(tmp_path: Path) -> None:
    with MemoryManager(tmp_path / "memory.db", embedder=None) as memory:
        stop = threading.Event()

        def write() -> None:
            number = 0
            while not stop.is_set():
                memory.remember_many([{"content": f"{number} left"}, {"content": f"{number} right"}])
                number += 1

        writer = threading.Thread(target=write)
        writer.start()
        paths = [memory.snapshot(tmp_path / f"copy{number}.db") for number in range(5)]
        stop.set()
        writer.join()
    for path in paths:
        with MemoryManager(path, embedder=None) as copy:
            assert copy.count() % 2 == 0
            assert copy.verify_audit().ok


class TestRestoring:
    def test_a_restored_copy_is_equal(self, source: MemoryManager, tmp_path: Path, clock: FrozenClock) -> None:
        copy = source.snapshot(tmp_path / "copy.db")
        path = MemoryManager.restore(copy, tmp_path / "restored.db")
        assert path == str(tmp_path / "restored.db")
        with MemoryManager(path, clock=clock) as restored:
            assert everything(restored) == everything(source)

    @pytest.mark.sqlite("its file, and the log beside it")
    def test_a_store_in_use_is_no_snapshot(self, source: MemoryManager, tmp_path: Path) -> None:
        source.remember("Not yet in the file itself.")
        with pytest.raises(StoreUnavailable, match="store in use, not a snapshot; what is in .*-wal would be lost"):
            MemoryManager.restore(source.store.url, tmp_path / "restored.db")
        assert not (tmp_path / "restored.db").exists()

    def test_it_never_overwrites(self, source: MemoryManager, tmp_path: Path) -> None:
        copy = source.snapshot(tmp_path / "copy.db")
        (tmp_path / "there.db").write_text("precious")
        with pytest.raises(StoreUnavailable, match="never overwrites"):
            MemoryManager.restore(copy, tmp_path / "there.db")
        assert (tmp_path / "there.db").read_text() == "precious"

    def test_a_missing_snapshot_is_named(self, tmp_path: Path) -> None:
        with pytest.raises(StoreUnavailable, match="no such file"):
            MemoryManager.restore(tmp_path / "missing.db", tmp_path / "restored.db")

    def test_a_missing_folder_is_named(self, source: MemoryManager, tmp_path: Path) -> None:
        copy = source.snapshot(tmp_path / "copy.db")
        with pytest.raises(StoreUnavailable, match="create it first"):
            MemoryManager.restore(copy, tmp_path / "missing" / "restored.db")

    @pytest.mark.parametrize("raw", [b"", b"Dear diary, " * 1000, b"SQLite format 3\x00" + b"\x00" * 5000])
    def test_an_invalid_snapshot_restores_nothing(self, tmp_path: Path, raw: bytes) -> None:
        (tmp_path / "bad.db").write_bytes(raw)
        with pytest.raises(StoreError):
            MemoryManager.restore(tmp_path / "bad.db", tmp_path / "restored.db")
        assert sorted(path.name for path in tmp_path.iterdir()) == ["bad.db"]

    def test_a_damaged_snapshot_restores_nothing(self, source: MemoryManager, tmp_path: Path) -> None:
        source.remember_many({"content": f"note {number} " * 20} for number in range(300))
        copy = Path(source.snapshot(tmp_path / "copy.db"))
        raw = bytearray(copy.read_bytes())
        middle = len(raw) // 2
        raw[middle : middle + 20_000] = bytes(20_000)
        copy.write_bytes(raw)
        with pytest.raises(StoreCorrupt):
            MemoryManager.restore(copy, tmp_path / "restored.db")
        assert not (tmp_path / "restored.db").exists()


def test_a_folder_that_is_missing_is_not_made(source: MemoryManager, tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="does not exist: create it first"):
        source.snapshot(tmp_path / "nowhere" / "copy.db")
    assert not (tmp_path / "nowhere").exists()


def test_a_snapshot_from_the_view_of_a_user_warns_that_it_holds_more(
    source: MemoryManager, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    source.snapshot(tmp_path / "all.db")
    assert not caplog.messages
    source.scoped(user="ana").snapshot(tmp_path / "copy.db")
    assert "holds the whole store, not only what this view sees" in caplog.text
