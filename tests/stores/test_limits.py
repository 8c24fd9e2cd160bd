"""When the world says no: read-only places, a full disk, a foreign lock. Clear errors, nothing lost, and on it goes."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain.errors import StoreUnavailable
from engrain.model.filters import Filter
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import add
from engrain.testing.rows import memory

pytestmark = pytest.mark.sqlite("its files and locks")

ROOT = Path(__file__).resolve().parents[2]
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="permissions and limits of POSIX")

# Runs in a process of its own: tries what the arguments say on a store and prints how each try ended.
SCRIPT = """
import json, sys
from engrain.errors import EngrainError
from engrain.model.filters import Filter
from engrain.protocols import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import add
from engrain.testing.rows import memory

place, *tries = sys.argv[1:]
ends, store = [], None
for each in tries:
    try:
        if each == "open":
            store = SQLiteStore(place)
            ends.append("read-only" if store.read_only else "ok")
        elif each == "read":
            with store.read("default") as view:
                found = view.find(Record, Filter("default"))
                assert len(view.search_text({"tea": 1.0}, Filter("default"), limit=9999).nums) == len(found)
            ends.append([row.memory.content for row in found])
        elif each == "write":
            add(store, memory("written", id="mem_written"), "tea")
            ends.append("ok")
        elif each == "fill":
            kept = []
            try:
                for n in range(10_000):
                    add(store, memory(f"{n} " + "x" * 20_000, id=f"mem_{n}"), "tea")
                    kept.append(f"mem_{n}")
            except EngrainError as error:
                ends.append([kept, type(error).__name__, str(error)])
        elif each.startswith("snapshot:"):
            ends.append(store.snapshot(each.removeprefix("snapshot:")))
        elif each == "close":
            store.close()
            ends.append("ok")
    except EngrainError as error:
        ends.append([type(error).__name__, str(error)])
print(json.dumps(ends))
"""


def attempt(place: Path, *tries: str, ordinary: bool = False, file_size: int | None = None) -> list[Any]:
    """Try things on a store in a new process, as an ordinary user or under a limit of bytes per file."""

    def prepare() -> None:
        if ordinary and os.geteuid() == 0:
            _give_up_roots_way_with_permissions()
        if file_size is not None:
            import resource

            resource.setrlimit(resource.RLIMIT_FSIZE, (file_size, resource.RLIM_INFINITY))

    command = [sys.executable, "-B", "-c", SCRIPT, str(place), *tries]  # a limit would cut compiled files too
    ran = subprocess.run(
        command, capture_output=True, text=True, cwd=ROOT, preexec_fn=prepare, timeout=120, check=False
    )
    assert ran.returncode == 0, ran.stderr
    found: list[Any] = json.loads(ran.stdout)
    return found


def _give_up_roots_way_with_permissions() -> None:
    import ctypes

    drop_from_bounding_set, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        if ctypes.CDLL(None).prctl(drop_from_bounding_set, capability, 0, 0, 0):
            os._exit(99)


@pytest.fixture
def place(tmp_path: Path) -> Iterator[Path]:
    """A store with one memory, in a folder of its own that can be deleted again whatever a test does to it."""
    folder = tmp_path / "folder"
    folder.mkdir()
    store = SQLiteStore(folder / "memory.db")
    add(store, memory("kept"), "tea")
    store.close()
    yield folder / "memory.db"
    folder.chmod(0o755)


@POSIX
def test_a_read_only_file_is_read_and_not_written(place: Path) -> None:
    place.chmod(0o444)
    before = place.read_bytes()
    opened, read, write, again, closed = attempt(place, "open", "read", "write", "read", "close", ordinary=True)
    assert (opened, read, again, closed) == ("read-only", ["kept"], ["kept"], "ok")
    assert isinstance(write, list)
    assert write[0] == "StoreUnavailable"
    assert "read-only" in write[1]
    assert str(place) in write[1]
    assert place.read_bytes() == before


@POSIX
def test_a_read_only_folder_is_read_and_not_written(place: Path) -> None:
    place.parent.chmod(0o555)
    before = sorted(each.name for each in place.parent.iterdir())
    opened, read, write, closed = attempt(place, "open", "read", "write", "close", ordinary=True)
    assert (opened, read, closed) == ("read-only", ["kept"], "ok")
    assert isinstance(write, list)
    assert write[0] == "StoreUnavailable"
    assert sorted(each.name for each in place.parent.iterdir()) == before


@POSIX
def test_a_snapshot_can_be_taken_of_a_read_only_store(place: Path, tmp_path: Path) -> None:
    place.parent.chmod(0o555)
    copy = tmp_path / "copy.db"
    assert attempt(place, "open", f"snapshot:{copy}", ordinary=True) == ["read-only", str(copy)]
    assert attempt(copy, "open", "read") == ["ok", ["kept"]]


@POSIX
def test_a_store_cannot_be_made_in_a_read_only_folder(place: Path) -> None:
    place.parent.chmod(0o555)
    ((error, message),) = attempt(place.with_name("new.db"), "open", ordinary=True)
    assert error == "StoreUnavailable"
    assert "read-only" in message
    assert not place.with_name("new.db").exists()


@POSIX
def test_a_file_that_may_not_be_read_is_unavailable(place: Path) -> None:
    place.chmod(0o000)
    ((error, message),) = attempt(place, "open", ordinary=True)
    assert error == "StoreUnavailable"
    assert str(place) in message


@POSIX
def test_a_file_that_may_not_grow_keeps_what_was_acknowledged(place: Path) -> None:
    opened, (kept, error, message), read = attempt(place, "open", "fill", "read", file_size=3_000_000)
    assert (opened, error) == ("ok", "StoreUnavailable")
    assert "free space" in message
    assert str(place) in message
    assert len(kept) > 10
    assert isinstance(read, list)
    assert len(read) == len(kept) + 1
    assert attempt(place, "open", "read", "write") == ["ok", read, "ok"]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of four megabytes."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    root = sys.platform == "linux" and os.geteuid() == 0
    if not root or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("mounting a small disk needs root; the limit on file sizes is tested instead")
    yield folder
    subprocess.run(["umount", str(folder)], check=True)


def test_a_full_disk_keeps_acknowledged_writes_and_recovers_when_space_is_freed(small_disk: Path) -> None:
    ballast = small_disk / "ballast"
    ballast.write_bytes(bytes(1_000_000))
    store = SQLiteStore(small_disk / "memory.db")
    kept: list[str] = []

    def fill() -> None:
        for n in range(10_000):
            add(store, memory("x" * 20_000, id=f"mem_{n}"), "tea")
            kept.append(f"mem_{n}")

    with pytest.raises(StoreUnavailable) as raised:
        fill()
    assert "disk is full" in str(raised.value)
    assert "free some space" in str(raised.value)
    assert len(kept) > 10
    ballast.unlink()
    add(store, memory(id="mem_after"), "tea")
    for again in (store, SQLiteStore(small_disk / "memory.db")):
        with again.read("default") as view:
            assert [row.memory.id for row in view.find(Record, Filter("default"))] == [*kept, "mem_after"]
            assert len(view.search_text({"tea": 1.0}, Filter("default"), limit=9999).nums) == len(kept) + 1
        assert again.integrity() is None
        again.close()


def test_a_lock_of_another_program_is_waited_for_and_then_named(place: Path) -> None:
    store = SQLiteStore(place, patience=0.3)
    foreign = sqlite3.connect(place, isolation_level=None)
    foreign.execute("BEGIN EXCLUSIVE")
    with pytest.raises(StoreUnavailable) as raised:
        add(store, memory("new"), "tea")
    assert "locked by another program" in str(raised.value)
    assert "try again" in str(raised.value)
    with store.read("default") as view:
        assert [row.memory.content for row in view.find(Record, Filter("default"))] == ["kept"]
    foreign.execute("ROLLBACK")
    foreign.close()
    add(store, memory("new"), "tea")
    with store.read("default") as view:
        assert [row.memory.content for row in view.find(Record, Filter("default"))] == ["kept", "new"]
    store.close()


def test_a_lock_of_another_program_on_opening_does_not_keep_readers_out(place: Path) -> None:
    foreign = sqlite3.connect(place, isolation_level=None)
    foreign.execute("BEGIN EXCLUSIVE")
    store = SQLiteStore(place, patience=0.3)
    with store.read("default") as view:
        assert [row.memory.content for row in view.find(Record, Filter("default"))] == ["kept"]
    foreign.execute("ROLLBACK")
    foreign.close()
    store.close()


def test_an_unknown_durability_is_a_value_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError):
        SQLiteStore(tmp_path / "memory.db", durability="off")
    assert not (tmp_path / "memory.db").exists()


@pytest.mark.parametrize("durability", ["full", "normal"])
def test_each_durability_opens_what_the_other_wrote(tmp_path: Path, durability: str) -> None:
    for name in (durability, "full", "normal"):
        store = SQLiteStore(tmp_path / "memory.db", durability=name)
        add(store, memory(name), "tea")
        store.close()
    store = SQLiteStore(tmp_path / "memory.db")
    with store.read("default") as view:
        assert len(view.find(Record, Filter("default"))) == 3
    store.close()


@POSIX
def test_a_store_its_log_its_lock_and_its_copies_are_for_this_account_alone(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    store = SQLiteStore(place)
    add(store, memory("kept"), "tea")
    (tmp_path / "copies").mkdir(mode=0o700)
    store.snapshot(str(tmp_path / "copies" / "copy.db"))
    made = {each.name: each.stat().st_mode & 0o777 for each in tmp_path.rglob("*")}
    store.close()
    files = ("memory.db", "memory.db-wal", "memory.db-shm", "memory.db.lock", "copy.db")
    assert made == {**dict.fromkeys(files, 0o600), "copies": 0o700}


@POSIX
def test_a_file_that_exists_keeps_its_mode_and_its_lock_takes_it(place: Path) -> None:
    place.chmod(0o660)
    assert attempt(place, "open", "write", "close") == ["ok", "ok", "ok"]
    lock = place.with_name("memory.db.lock")
    assert [each.stat().st_mode & 0o777 for each in (place, lock)] == [0o660, 0o660]
