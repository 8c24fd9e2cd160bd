"""A store moved between engines is the same store: every row, every answer, and what is numbered next."""

from __future__ import annotations

import shutil
import sqlite3
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path
from typing import cast

import psycopg
import pytest

from engrain import AsyncMemoryManager, AuditBroken, MemoryManager, StoreError, StoreUnavailable
from engrain.lazy import np
from engrain.model.filters import Filter, Test
from engrain.storage.interface import Store
from engrain.storage.postgres import PostgresStore
from engrain.storage.rows import STORE_ORG, Record, Setting
from engrain.storage.sql.copying import COPIED
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.rows import NOON, record
from tests.postgres import rich, servers

pytestmark = pytest.mark.sqlite("a path is a file where stores move between engines")

Places = Callable[[str], str]
ENGINES = ("file", "server")


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A file with rows of every kind, which no test changes."""
    path = tmp_path_factory.mktemp("source") / "source.db"
    rich.fill(path)
    rich.fill_up(path)
    return str(path)


@pytest.fixture(scope="module")
def source_contents(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A smaller one, all of whose rows were made by calls."""
    path = tmp_path_factory.mktemp("source") / "told.db"
    rich.fill(path, seed=2)
    return str(path)


@pytest.fixture
def new(tmp_path: Path) -> Iterator[Places]:
    """Name places of an engine where nothing is."""
    with ExitStack() as stack:

        def place(engine: str) -> str:
            if engine == "file":
                return str(tmp_path / f"{uuid.uuid4().hex}.db")
            return rich.address(stack.enter_context(servers.database()))

        yield place


def store_at(place: str) -> Store:
    return cast(Store, PostgresStore(place)) if "://" in place else SQLiteStore(place)


def contents(place: str) -> object:
    with closing(store_at(place)) as store:
        found = rich.contents(store)
    return {org: sums for org, sums in found.items() if any(total.rows for total in sums.values())}


def test_the_source_has_rows_of_every_kind(source: str) -> None:
    with closing(SQLiteStore(source)) as store:
        found = rich.contents(store)
    assert {table.name for table in COPIED if not sum(sums[table.name].rows for sums in found.values())} == set()
    assert found.keys() >= set(rich.ORGS)


def test_there_and_back_it_answers_as_before(source_contents: str, new: Places, tmp_path: Path) -> None:
    there, back = new("server"), new("file")
    moved = MemoryManager.migrate(source_contents, there)
    again = MemoryManager.migrate(there, back)
    assert (moved.rows, moved.orgs, moved.heads) == (again.rows, again.orgs, again.heads)
    assert (moved.orgs, set(moved.heads)) == (3, set(rich.ORGS))
    assert contents(there) == contents(back) == contents(source_contents)
    before = rich.answers(source_contents, tmp_path)
    assert rich.answers(there, tmp_path) == before
    assert rich.answers(back, tmp_path) == before
    wanted = rich.recalled(source_contents)
    for place in (there, back):
        for ours, theirs in zip(rich.recalled(place), wanted, strict=True):
            assert [name for name, _ in ours] == [name for name, _ in theirs]
            assert [score for _, score in ours] == pytest.approx([score for _, score in theirs], abs=1e-5)
    assert any(wanted)


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_within_an_engine_it_is_the_same(source: str, new: Places, engine: str) -> None:
    first, second = new(engine), new(engine)
    MemoryManager.migrate(source, first)
    MemoryManager.migrate(first, second)
    assert contents(second) == contents(source)


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_numbers_go_on_after_the_highest_ever_given(tmp_path: Path, new: Places, engine: str) -> None:
    path, target = str(tmp_path / "source.db"), new(engine)
    with closing(SQLiteStore(path)) as store:
        nums = store.write(lambda tx: tx.put(*(record(f"note {n}") for n in range(5))), "default")
        store.write(lambda tx: tx.delete(Record, [Test("num", "in", tuple(nums[3:]))]), "default")
    MemoryManager.migrate(path, target)
    with closing(store_at(target)) as store:
        (num,) = store.write(lambda tx: tx.put(record("one more")), "default")
        assert num == max(nums) + 1
        assert store.write(lambda tx: tx.namespace("another", None), "another") > 1


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_move_mentions_its_progress(source: str, new: Places, engine: str) -> None:
    seen: list[tuple[int, int, str]] = []
    moved = MemoryManager.migrate(source, new(engine), progress=lambda *source_contents: seen.append(source_contents))
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert seen[-1][0] == seen[-1][1] >= 2 * sum(moved.rows.values())
    assert {label for _, _, label in seen} >= {"memory", "posting", "setting"}


def test_a_pending_job_is_taken_up_in_the_target(source: str, new: Places) -> None:
    target = new("server")
    MemoryManager.migrate(source, target)
    with closing(store_at(target)) as store:
        until = NOON + timedelta(minutes=5)
        job = store.write(lambda tx: tx.claim(["embed"], worker="w", now=NOON, lease_until=until))
    assert job is not None
    assert job.id.startswith("job_")


# ------------------------------------------------------------------------------------------------- what is refused


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_holds_something_stays_as_it_is(source_contents: str, new: Places, engine: str) -> None:
    target = new(engine)
    with rich.opened(target) as memory:
        memory.remember("I was here first")
    before = contents(target)
    with pytest.raises(StoreError, match="is not empty"):
        MemoryManager.migrate(source_contents, target)
    assert contents(target) == before


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_target_that_was_only_opened_takes_the_settings_of_the_source(
    source_contents: str, new: Places, engine: str
) -> None:
    target = new(engine)
    with MemoryManager(target, embedder=None):
        pass
    MemoryManager.migrate(source_contents, target)
    assert contents(target) == contents(source_contents)


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_store_is_not_moved_onto_itself(source_contents: str, new: Places, engine: str) -> None:
    place = source_contents
    if engine == "server":
        MemoryManager.migrate(source_contents, place := new(engine))
    with pytest.raises(ValueError, match="name another target"):
        MemoryManager.migrate(place, place)
    assert contents(place) == contents(source_contents)


def test_another_file_is_not_made_a_store(new: Places, tmp_path: Path) -> None:
    target = new("file")
    with pytest.raises(StoreUnavailable, match="no such file"):
        MemoryManager.migrate(tmp_path / "missing.db", target)
    with pytest.raises(ValueError, match="ends with its process"):
        MemoryManager.migrate(src=":memory:", dst=target)
    with pytest.raises(TypeError):
        MemoryManager.migrate(7, target)  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_a_trail_that_does_not_verify_is_not_moved(source: str, new: Places, tmp_path: Path) -> None:
    broken, target = tmp_path / "broken.db", new("file")
    shutil.copyfile(source, broken)
    with closing(sqlite3.connect(broken)) as connection, connection:
        connection.execute("UPDATE audit SET operation = 'nothing' WHERE org = 'acme' AND seq = 2")
    with pytest.raises(AuditBroken, match="breaks at entry 2"):
        MemoryManager.migrate(broken, target)
    assert not Path(target).exists()


# ------------------------------------------------------------------------------------------- what goes wrong meanwhile


class Stopped(BaseException):
    """Ends a run, as a signal would."""


def stopped(source: str, target: str, after: int) -> None:
    """Begin to move, and end after so many rows."""

    def end(done: int, total: int, label: str) -> None:
        if done >= after:
            raise Stopped

    with pytest.raises(Stopped):
        MemoryManager.migrate(source, target, progress=end)


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_what_is_half_moved_does_not_open(source: str, new: Places, engine: str) -> None:
    target = new(engine)
    stopped(source, target, 3000)
    with pytest.raises(StoreUnavailable, match="run engrain migrate again"):
        MemoryManager(target)
    with pytest.raises(StoreError, match="not complete itself"):
        MemoryManager.migrate(target, new("file"))
    MemoryManager.migrate(source, target)
    with rich.opened(target) as memory:
        assert memory.for_org("acme").verify_audit().ok


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_source_that_has_changed_is_distinguished_from_what_was_begun(
    source: str, new: Places, tmp_path: Path, engine: str
) -> None:
    changed, target = tmp_path / "changed.db", new(engine)
    shutil.copyfile(source, changed)
    stopped(str(changed), target, 3000)
    with rich.opened(changed) as memory:
        memory.for_org("acme").remember("Something new")
    with pytest.raises(StoreError, match="is not what .* was begun from"):
        MemoryManager.migrate(changed, target)
    with pytest.raises(StoreError, match=r"DROP SCHEMA|delete "):  # nor is it any other store
        MemoryManager.migrate(changed, target)
    MemoryManager.migrate(source, target)
    assert contents(target) == contents(source)


@pytest.mark.matrix
@pytest.mark.parametrize("engine", ENGINES)
def test_a_row_that_is_changed_before_the_check_is_found(source: str, new: Places, engine: str) -> None:
    target, before = new(engine), contents(source)

    def tamper(done: int, total: int, label: str) -> None:
        if done == total // 2:
            statement = "UPDATE link SET relation = 'else' WHERE source = (SELECT min(source) FROM link)"
            connect = psycopg.connect if engine == "server" else sqlite3.connect
            with closing(connect(target)) as connection, connection:
                connection.execute(statement.replace("link", "engrain.link") if engine == "server" else statement)

    with pytest.raises(StoreError, match="differs from the source in link of org"):
        MemoryManager.migrate(source, target, progress=tamper)
    with pytest.raises(StoreError, match="differs from the source in link of org"):
        MemoryManager.migrate(source, target)
    with pytest.raises(StoreUnavailable, match="not complete"):
        MemoryManager(target)
    assert contents(source) == before


def test_a_concurrent_reader_of_the_target_sees_all_of_it_in_the_end(source: str, new: Places) -> None:
    target, words = new("file"), {"colours": 1.0}
    where = Filter("acme", user="ana")
    with closing(SQLiteStore(target)) as reader:
        found: list[int] = []

        def look(done: int, total: int, label: str) -> None:
            with reader.read("acme") as view:
                found.append(len(view.search_text(words, where, limit=5000).nums))

        MemoryManager.migrate(source, target, progress=look)
        with reader.read("acme") as view:
            assert len(view.search_text(words, where, limit=5000).nums) == 400
            asked = np.array([1, 1, 2], np.float32)
            assert len(view.search_vector("another/one/3", asked, where, limit=5000).nums) == 400
    assert found[0] == 0


# --------------------------------------------------------------------------------------------------- other ways to it


def test_encrypted_files_move_both_ways(source_contents: str, new: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sqlcipher3")
    there, back = new("server"), new("file")
    MemoryManager.migrate(source_contents, there)
    monkeypatch.setenv("ENGRAIN_ENCRYPTION_KEY", "a passphrase of some length")
    MemoryManager.migrate(there, back)
    again = new("server")
    MemoryManager.migrate(back, again)
    found = contents(again)
    monkeypatch.delenv("ENGRAIN_ENCRYPTION_KEY")
    assert found == contents(source_contents)
    with pytest.raises(StoreError):
        contents(back)


def test_a_snapshot_of_a_server_is_a_file_that_comes_back(source_contents: str, new: Places, tmp_path: Path) -> None:
    there, back = new("server"), new("server")
    MemoryManager.migrate(source_contents, there)
    (tmp_path / "copies").mkdir()
    with rich.opened(there) as memory:
        copy = memory.snapshot(tmp_path / "copies" / "copy.db")
    assert [found.name for found in Path(copy).parent.iterdir()] == ["copy.db"]
    assert contents(copy) == contents(source_contents)
    assert "://" in MemoryManager.restore(copy, back)
    assert contents(back) == contents(source_contents)


def test_a_snapshot_of_a_server_goes_into_the_data_folder(
    new: Places, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    with rich.opened(new("server")) as memory:
        path = Path(memory.snapshot())
    assert path.parent.name == "snapshots"
    assert path.is_file()


@pytest.mark.anyio
async def test_the_async_twin_moves_too(source_contents: str, new: Places) -> None:
    target = new("file")
    assert (await AsyncMemoryManager.migrate(source_contents, target)).orgs == 3


def test_no_mark_is_left(source_contents: str, new: Places) -> None:
    target = new("server")
    MemoryManager.migrate(source_contents, target)
    with closing(store_at(target)) as store:
        for org in (STORE_ORG, *rich.ORGS):
            with store.read(org) as view:
                assert not [row for row in view.find(Setting, order="name") if row.name.startswith("migration")]
