"""A store under a key: nothing of it can be read without, and everything works with it."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path

import pytest

from engrain import MemoryManager, StoreCorrupt, StoreUnavailable
from engrain.storage.sqlite.files import ENVIRONMENT, connect, key_of
from engrain.storage.sqlite.store import SQLiteStore
from tests.stores.test_old_files import DUMP, OLD_APPLICATION_ID

pytestmark = pytest.mark.sqlite("its files")

RAW = bytes(range(32))
KEYS: list[str | bytes] = [RAW, RAW.hex().upper(), "it's a passphrase"]
MARKER = "quokka behind the barn door"


def opened(place: Path, key: str | bytes | None) -> MemoryManager:
    return MemoryManager(SQLiteStore(place, key=key), embedder=None)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    with opened(tmp_path / "memory.db", RAW) as m:
        m.remember(MARKER)
    return tmp_path / "memory.db"


def files(folder: Path) -> Iterator[Path]:
    return (file for file in folder.rglob("*") if file.is_file())


@pytest.mark.matrix
@pytest.mark.parametrize("key", KEYS, ids=["bytes", "digits", "passphrase"])
def test_no_file_holds_what_was_said(tmp_path: Path, key: str | bytes) -> None:
    place = tmp_path / "memory.db"
    with opened(place, key) as m:
        stored = m.remember(MARKER)
        m.add_message("user", MARKER, session="s")
        m.snapshot(tmp_path / "copy.db")
        written = {file.name: file.read_bytes() for file in files(tmp_path)}
        assert {"memory.db", "memory.db-wal", "copy.db"} <= written.keys()
        for content in written.values():
            assert b"quokka" not in content
            assert stored.id.encode() not in content
            assert b"SQLite format 3" not in content
            assert b"CREATE TABLE" not in content
    for each in (place, tmp_path / "copy.db"):
        with opened(each, key) as m:
            assert m.recall("barn").texts[0] == MARKER
            assert m.store.integrity() is None  # type: ignore[attr-defined]


@pytest.mark.parametrize("key", ["another", RAW[::-1]], ids=["passphrase", "bytes"])
def test_another_key_is_an_error_and_leaves_the_file(place: Path, key: str | bytes) -> None:
    before = place.read_bytes()
    with pytest.raises(StoreUnavailable, match="does not open with this key"):
        opened(place, key)
    assert place.read_bytes() == before
    assert [file.name for file in files(place.parent) if "key" in file.name] == []


def test_without_its_key_it_is_no_store(place: Path) -> None:
    before = place.read_bytes()
    with pytest.raises(StoreCorrupt, match="or is encrypted"):
        opened(place, None)
    assert place.read_bytes() == before


def test_a_key_does_not_open_what_is_not_encrypted(tmp_path: Path) -> None:
    with opened(tmp_path / "plain.db", None) as m:
        m.remember(MARKER)
    before = (tmp_path / "plain.db").read_bytes()
    with pytest.raises(StoreUnavailable, match="is not encrypted"):
        opened(tmp_path / "plain.db", RAW)
    assert (tmp_path / "plain.db").read_bytes() == before


def test_errors_and_names_never_show_the_key(place: Path) -> None:
    with pytest.raises(StoreUnavailable) as raised:
        opened(place, "hunter2 is my passphrase")
    assert "hunter2" not in f"{raised.value!r} {raised.value}"
    store = SQLiteStore(place, key=RAW)
    assert RAW.hex() not in f"{store!r} {store.url} {store._key!r}"
    store.close()


@pytest.mark.parametrize("key", ["", "  ", b"", b"short", "a\0b"])
def test_an_invalid_key_is_refused_before_anything_is_touched(tmp_path: Path, key: str | bytes) -> None:
    with pytest.raises(ValueError, match="key"):
        SQLiteStore(tmp_path / "memory.db", key=key)
    assert list(files(tmp_path)) == []


def test_a_store_in_memory_has_nothing_to_encrypt() -> None:
    with pytest.raises(ValueError, match="no file to encrypt"):
        SQLiteStore(":memory:", key=RAW)


def test_the_environment_names_the_key(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    key, another = "0f" * 32, "f0" * 32  # no passphrases: to derive a key takes long
    monkeypatch.setenv(ENVIRONMENT, key)
    with MemoryManager(tmp_path / "memory.db", embedder=None) as m:
        m.remember(MARKER)
        m.snapshot(tmp_path / "copy.db")
    with MemoryManager(":memory:", embedder=None) as m:
        assert m.count() == 0
    MemoryManager.restore(tmp_path / "copy.db", tmp_path / "back.db")
    with MemoryManager(tmp_path / "back.db", embedder=None) as m:
        assert m.count() == 1
    monkeypatch.delenv(ENVIRONMENT)
    with pytest.raises(StoreCorrupt, match="or is encrypted"):
        MemoryManager(tmp_path / "memory.db", embedder=None)
    MemoryManager.restore(tmp_path / "copy.db", tmp_path / "again.db", key=key)
    with pytest.raises(StoreUnavailable, match=r"copy\.db does not open with this key"):
        MemoryManager.restore(tmp_path / "copy.db", tmp_path / "no.db", key=another)
    assert not (tmp_path / "no.db").exists()


def test_threads_share_it(place: Path) -> None:
    with opened(place, RAW) as m:
        threads = [threading.Thread(target=m.remember, args=(f"thing {n}",)) for n in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert m.count() == 9


@pytest.mark.filterwarnings("ignore:.*index terms by:RuntimeWarning")
def test_the_safety_copy_of_a_migration_is_encrypted(tmp_path: Path) -> None:
    place = tmp_path / "old.db"
    with closing(connect(str(place), key_of(RAW), isolation_level=None)) as connection:
        connection.executescript(DUMP.read_text(encoding="utf-8"))
        connection.execute("INSERT INTO namespace (org, user) VALUES ('quokka', NULL)")
        connection.execute(f"PRAGMA application_id = {OLD_APPLICATION_ID}")
        connection.execute("PRAGMA user_version = 11")
    opened(place, RAW).close()
    (copy,) = tmp_path.glob("*.before-schema-*")
    assert b"quokka" not in copy.read_bytes()
    with closing(connect(str(copy), key_of(RAW))) as connection:
        assert ("quokka",) in connection.execute("SELECT org FROM namespace").fetchall()


def test_a_damaged_page_is_found(place: Path) -> None:
    with place.open("r+b") as file:
        file.seek(3 * 4096 + 100)
        file.write(b"\0" * 64)
    with pytest.raises(StoreCorrupt):
        look_everywhere(place)


def look_everywhere(place: Path) -> None:
    store = SQLiteStore(place, key=RAW)
    try:
        if found := store.integrity():
            raise StoreCorrupt(found)
    finally:
        store.close()


def test_a_store_is_copied_while_its_own_process_goes_on_writing(tmp_path: Path) -> None:
    with opened(tmp_path / "old.db", None) as m:
        ended = threading.Event()

        def write() -> int:
            count = 0
            while not ended.is_set():
                m.remember(f"note {count}")
                count += 1
            return count

        with ThreadPoolExecutor(1) as pool:
            written = pool.submit(write)
            try:
                for n in range(3):
                    MemoryManager.rekey(tmp_path / "old.db", tmp_path / f"copy{n}.db", new_key=RAW)
            finally:
                ended.set()
            assert written.result() == m.count()
    assert sorted(file.name for file in files(tmp_path) if file.name.startswith(".")) == []
    with opened(tmp_path / "old.db", None) as m:
        assert m.count() == written.result()
        assert m.verify_audit().ok


@pytest.mark.matrix
@pytest.mark.parametrize("old", [None, RAW, "a passphrase"], ids=["plain", "bytes", "passphrase"])
@pytest.mark.parametrize("new", [None, RAW[::-1], "another one"], ids=["to plain", "to bytes", "to passphrase"])
def test_a_store_is_copied_under_another_key(tmp_path: Path, old: str | bytes | None, new: str | bytes | None) -> None:
    with opened(tmp_path / "old.db", old) as m:
        stored = m.remember(MARKER).id
        m.add_message("user", "I keep bees", session="s")
        assert MemoryManager.rekey(tmp_path / "old.db", tmp_path / "new.db", key=old, new_key=new).endswith("new.db")
    assert (b"quokka" in (tmp_path / "new.db").read_bytes()) == (new is None)
    with opened(tmp_path / "new.db", new) as m:
        assert m.get(stored).content == MARKER  # type: ignore[union-attr]
        assert m.verify_audit().ok
        assert m.remember("and it goes on").status == "created"
        assert len(m.get_messages(session="s")) == 1
    assert sorted(file.name for file in files(tmp_path) if file.name.startswith(".")) == []
    with pytest.raises(StoreUnavailable, match="exists already"):
        MemoryManager.rekey(tmp_path / "old.db", tmp_path / "new.db", key=old)
    with pytest.raises((StoreUnavailable, StoreCorrupt)):
        MemoryManager.rekey(tmp_path / "old.db", tmp_path / "no.db", key="none of these")
    assert not (tmp_path / "no.db").exists()


def test_an_erased_memory_is_erased_from_an_encrypted_file_too(place: Path) -> None:
    with opened(place, RAW) as m:
        stored = m.remember("the locker code is Vexillo88")
        receipt = m.forget(stored.id, hard=True).receipt
        assert receipt is not None
        assert (receipt.status, receipt.verified, "encrypted" in receipt.notes[0]) == ("complete", False, True)
        assert (m.get(stored.id), [memory.content for memory in m.iter_memories()]) == (None, [MARKER])
        assert [job for job in m.lifecycle.jobs() if job.kind == "prove"] == []
