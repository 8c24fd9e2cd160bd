"""What is not a usable store file is refused by the right error, says what to do, and is left as it was."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from campaigns import damage
from engrain import MemoryManager
from engrain.errors import SchemaMismatch, StoreCorrupt, StoreError, StoreUnavailable
from engrain.model.filters import Filter
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import add
from engrain.testing.rows import memory

pytestmark = pytest.mark.sqlite("its files")


def a_store(place: Path, *contents: str) -> Path:
    """Make a store that holds these memories."""
    store = SQLiteStore(place)
    for content in contents:
        add(store, memory(content), "tea")
    store.close()
    return place


def contents(place: Path) -> list[str]:
    """Open a store and return the texts in it."""
    with closing(SQLiteStore(place)) as store, store.read("default") as view:
        return [row.memory.content for row in view.find(Record, Filter("default"))]


def beside(place: Path) -> dict[str, bytes]:
    """Return everything in the folder of `place`, by name."""
    return {each.name: each.read_bytes() for each in sorted(place.parent.iterdir()) if each.is_file()}


def refuse(place: Path, error: type[StoreError], *words: str) -> StoreError:
    """Assert that opening raises `error` with these words in it, names the path and changes nothing."""
    before = beside(place) if place.parent.is_dir() else {}
    with pytest.raises(error) as raised:
        SQLiteStore(place)
    assert type(raised.value) is error
    for word in words or (str(place),):
        assert word in str(raised.value)
    assert raised.value.path == str(place)
    assert (beside(place) if place.parent.is_dir() else {}) == before
    return raised.value


@pytest.mark.parametrize("size", [1, 15, 16, 99, 511, 512, 4096, 100_000])
def test_a_text_file_is_no_store(tmp_path: Path, size: int) -> None:
    place = tmp_path / "notes.txt"
    place.write_text(("Buy milk. " * size)[:size])
    refuse(place, StoreCorrupt, "not an Engrain store", "name another file", "left as it is")


@pytest.mark.parametrize("journal", ["wal", "delete"])
def test_another_programs_sqlite_file_is_no_store(tmp_path: Path, journal: str) -> None:
    place = tmp_path / "bookmarks.db"
    foreign = sqlite3.connect(place)
    foreign.execute(f"PRAGMA journal_mode = {journal}")
    foreign.execute("CREATE TABLE memory (num INTEGER PRIMARY KEY, url TEXT)")
    foreign.execute("INSERT INTO memory (url) VALUES ('https://example.org')")
    foreign.commit()
    foreign.close()
    refuse(place, StoreCorrupt, "another program's SQLite file", "name another file", "left as it is")


def test_another_programs_sqlite_file_in_use_is_no_store(tmp_path: Path) -> None:
    place = tmp_path / "bookmarks.db"
    foreign = sqlite3.connect(place)
    foreign.execute("PRAGMA journal_mode = wal")
    foreign.execute("CREATE TABLE pages (url TEXT)")
    foreign.commit()
    content = place.read_bytes()
    with pytest.raises(StoreCorrupt):
        SQLiteStore(place)
    assert place.read_bytes() == content
    foreign.execute("INSERT INTO pages VALUES ('https://example.org')")
    foreign.commit()
    foreign.close()


def test_a_newer_store_asks_for_an_upgrade(tmp_path: Path) -> None:
    place = a_store(tmp_path / "memory.db", "kept")
    newer = sqlite3.connect(place)
    newer.execute("PRAGMA user_version = 999")
    newer.close()
    error = refuse(place, SchemaMismatch, "newer Engrain", "999", "upgrade")
    assert isinstance(error, SchemaMismatch)
    assert error.found == 999
    assert 0 < error.supported < 999


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    place = tmp_path / "memories"
    place.mkdir()
    refuse(place, StoreUnavailable, "is a folder", "name a file in it")


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    place = tmp_path / "nowhere" / "memory.db"
    refuse(place, StoreUnavailable, str(tmp_path / "nowhere"), "does not exist", "create it first")
    assert not (tmp_path / "nowhere").exists()


def test_a_file_in_the_place_of_a_folder_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreUnavailable):
        SQLiteStore(tmp_path / "file" / "memory.db")


def test_a_name_too_long_for_the_system_is_named(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable):
        SQLiteStore(tmp_path / ("m" * 300))


@pytest.mark.parametrize("wrong", [None, 5, b"memory.db"])
def test_a_path_of_another_type_is_a_type_error(wrong: object) -> None:
    with pytest.raises(TypeError):
        SQLiteStore(wrong)  # type: ignore[arg-type]


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    place.touch()
    a_store(place, "kept")
    assert contents(place) == ["kept"]


@pytest.mark.parametrize("name", ["a b.db", "q?mode=memory", "h#x", "p%20c", "it's", "ж🏠.db", "file:x.db", ".hidden"])
def test_any_name_is_that_of_the_file(tmp_path: Path, name: str) -> None:
    a_store(tmp_path / name, "kept")
    assert (tmp_path / name).is_file()
    assert contents(tmp_path / name) == ["kept"]


def test_a_closed_store_leaves_one_file_and_its_lock(tmp_path: Path) -> None:
    a_store(tmp_path / "memory.db", "kept")
    assert sorted(beside(tmp_path / "memory.db")) == ["memory.db", "memory.db.lock"]


def test_the_lock_file_may_be_lost(tmp_path: Path) -> None:
    place = a_store(tmp_path / "memory.db", "kept")
    (tmp_path / "memory.db.lock").unlink()
    assert contents(place) == ["kept"]


def _zeros(content: bytearray) -> None:
    content[4096:8192] = bytes(4096)


def _half(content: bytearray) -> None:
    del content[len(content) // 2 :]


def _header(content: bytearray) -> None:
    content[0:16] = b"Not SQLite at all"[:16]


@pytest.mark.parametrize("harm", [_zeros, _half, _header])
def test_a_damaged_store_is_called_damaged(tmp_path: Path, harm: Callable[[bytearray], None]) -> None:
    place = a_store(tmp_path / "memory.db", *(f"{n} {'tea ' * 200}" for n in range(50)))
    content = bytearray(place.read_bytes())
    harm(content)
    place.write_bytes(content)
    with pytest.raises(StoreCorrupt) as raised:
        contents(place)
    assert str(place) in str(raised.value)
    assert "restore a snapshot" in str(raised.value) or "not an Engrain store" in str(raised.value)
    assert place.read_bytes() == bytes(content)


def test_damage_of_any_kind_ends_in_an_answer_or_a_store_error() -> None:
    ends, faults = damage.run(60, seed=5000)
    assert faults == []
    assert sum(ends.values()) == 60


def test_a_log_left_by_a_crash_is_taken_up(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    store = SQLiteStore(place)
    add(store, memory("kept"), "tea")
    copy = tmp_path / "crashed" / "memory.db"
    copy.parent.mkdir()
    for suffix in ("", "-wal"):
        copy.with_name(copy.name + suffix).write_bytes(place.with_name(place.name + suffix).read_bytes())
    store.close()
    assert contents(copy) == ["kept"]


def test_a_torn_end_of_the_log_loses_only_what_was_never_acknowledged(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    store = SQLiteStore(place)
    add(store, memory("kept"), "tea")
    whole = place.with_name("memory.db-wal").stat().st_size
    add(store, memory("torn"), "tea")
    copy = tmp_path / "crashed" / "memory.db"
    copy.parent.mkdir()
    copy.write_bytes(place.read_bytes())
    log = place.with_name("memory.db-wal").read_bytes()
    copy.with_name("memory.db-wal").write_bytes(log[: whole + (len(log) - whole) // 2])
    store.close()
    assert contents(copy) == ["kept"]


def test_an_id_exists_once_in_a_file_across_scopes(tmp_path: Path) -> None:
    with closing(SQLiteStore(tmp_path / "m.db")) as store:
        add(store, memory("one", id="mem_1"))
        with pytest.raises(StoreError):
            add(store, memory("two", id="mem_1", org="other"))


@pytest.mark.parametrize("part", [b'"memories":', b'"receipt":', b'"memory_ids":'])
def test_a_receipt_with_a_flipped_bit_is_damage_and_no_error_of_the_library(tmp_path: Path, part: bytes) -> None:
    path = tmp_path / "memory.db"
    with MemoryManager(path, user="ana", llm="none") as manager:
        manager.forget(manager.remember("to be erased entirely").id, hard=True)
    stored = bytearray(path.read_bytes())
    for place in [at for at in range(len(stored)) if stored.startswith(part, at)]:
        stored[place + len(part) - 2] ^= 1
    path.write_bytes(stored)
    with MemoryManager(path, user="ana", llm="none") as manager:
        with contextlib.suppress(StoreCorrupt):
            manager.audit_log()
        with pytest.raises(StoreCorrupt):
            manager.receipts()
