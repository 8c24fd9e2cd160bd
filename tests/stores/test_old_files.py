"""A file of the last schema of the product's old name is brought up by one step, whole and verified, or left as it is.

`schema_11.sql` is the dump of a store with rows of every kind, as the last version of the old name wrote them.
"""

from __future__ import annotations

import os
import signal
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from engrain import AuditHead, MemoryManager
from engrain.errors import AuditBroken, SchemaMismatch, StoreError
from engrain.storage.sqlite.schema import APPLICATION_ID, migrate, migrations
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import FakeEmbedder
from engrain.testing.conformance.concurrency import context
from tests.stores.test_limits import attempt

pytestmark = [
    pytest.mark.sqlite("files of an older schema"),
    pytest.mark.filterwarnings("ignore:.*index terms by:RuntimeWarning"),
]

DUMP = Path(__file__).with_name("schema_11.sql")
OLD_APPLICATION_ID = 0x52434C54
UNCHANGED = (
    "namespace memory link revision posting embedder change entity entity_note mention relation merge conversation "
    "turn audit audit_head witness receipt job setting server_key answer"
).split()
ADDED = {"turn": {"data"}, "audit": {"user"}, "audit_head": {"user"}}


@pytest.fixture
def old(tmp_path: Path) -> Path:
    """A file as the old version left it."""
    place = tmp_path / "memory.db"
    with closing(sqlite3.connect(place)) as file:
        file.executescript(DUMP.read_text(encoding="utf-8"))
        file.execute("PRAGMA journal_mode = WAL")
        file.execute(f"PRAGMA application_id = {OLD_APPLICATION_ID}")
        file.execute("PRAGMA user_version = 11")
    return place


def rows(place: Path, table: str) -> list[tuple[object, ...]]:
    """Return the rows of a table, its columns in the order of their names, without those that later steps add."""
    with closing(sqlite3.connect(place)) as file:
        found = {name for _, name, *_ in file.execute(f"PRAGMA table_info({table})")}
        names = sorted(found - ADDED.get(table, set()))
        columns = ", ".join(f'"{name}"' for name in names)
        return sorted(file.execute(f"SELECT {columns} FROM {table}"), key=repr)


def harm(place: Path, *statements: str) -> None:
    """Change a file behind the back of every program that knows it."""
    with closing(sqlite3.connect(place)) as file, file:
        for statement in statements:
            assert file.execute(statement).rowcount


def opened(place: Path) -> MemoryManager:
    """Open it as its writer did."""
    return MemoryManager(place, embedder=FakeEmbedder(8))


def described(place: Path) -> dict[str, object]:
    """Return what the schema of a file is made of, whatever text it was made by."""
    with closing(sqlite3.connect(place)) as file:
        found: dict[str, object] = {}
        for kind, name, text in file.execute("SELECT type, name, sql FROM sqlite_master ORDER BY name").fetchall():
            if kind == "table":
                columns = file.execute(f"PRAGMA table_xinfo({name})").fetchall()
                keys = file.execute(f"PRAGMA foreign_key_list({name})").fetchall()
                found[name] = (
                    sorted(row[1:] for row in columns),
                    sorted(row[2:] for row in keys),
                    "WITHOUT ROWID" in text,
                )
            elif kind == "index":
                columns = file.execute(f"PRAGMA index_xinfo({name})").fetchall()
                found[name] = [row[2:] for row in columns], (text or "").partition(" WHERE ")[2]
            else:
                found[name] = " ".join(text.split())
        return found


def test_every_row_is_kept(old: Path) -> None:
    before = {table: rows(old, table) for table in UNCHANGED}
    assert all(before.values()), [table for table, found in before.items() if not found]
    vectors, summaries = rows(old, "vector_exact"), rows(old, "told")
    SQLiteStore(old).close()
    assert {table: rows(old, table) for table in UNCHANGED} == before
    with closing(sqlite3.connect(old)) as file:
        assert file.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert file.execute("PRAGMA user_version").fetchone() == (migrations().latest,)
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("PRAGMA foreign_key_check").fetchall() == []
        kept = file.execute("SELECT embedder, num, v FROM vector").fetchall()
        assert sorted(kept) == sorted(vectors)
        assert (
            file.execute("SELECT ns, agent, kind, live FROM counter").fetchall()
            == file.execute(
                "SELECT ns, agent, counted, count(*) FROM memory WHERE counted IS NOT NULL GROUP BY 1, 2, 3"
            ).fetchall()
        )
        assert file.execute("SELECT count(*) FROM counter").fetchone() != (0,)
    assert rows(old, "summary") == summaries


def test_every_step_has_a_number_of_its_own() -> None:
    known = migrations()
    assert [number for number, _ in known.steps] == list(range(12, known.latest + 1))


def test_it_becomes_what_a_new_file_is(old: Path, tmp_path: Path) -> None:
    SQLiteStore(old).close()
    SQLiteStore(tmp_path / "new.db").close()
    assert described(old) == described(tmp_path / "new.db")


def test_facts_stored_with_capitals_are_found_and_replaced(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    step = dict(migrations().steps)[19]
    with opened(place) as manager:
        manager.remember("Zelda: Gdynia", fact=("Zelda", "LIVES_IN", "Gdynia"), valid_from="2026-02-01")
        manager.remember("Zelda: Maersk", fact=("Zelda", "EMPLOYED_BY", "Maersk"))
    with closing(sqlite3.connect(place)) as file, file:
        for old_key, key in (("LIVES_IN", "lives_in"), ("EMPLOYED_BY", "works_at")):
            assert file.execute("UPDATE memory SET predicate_key = ? WHERE predicate_key = ?", (old_key, key)).rowcount
        file.executescript(step)
    with opened(place) as manager:
        assert [each.content for each in manager.facts(predicate="lives_in")] == ["Zelda: Gdynia"]
        assert [each.content for each in manager.facts(predicate="works_at")] == ["Zelda: Maersk"]
        assert manager.remember("Zelda: Sopot", fact=("Zelda", "lives-in", "Sopot")).status == "updated"


_TO_NINETEEN = """
CREATE TABLE vector_19 (
    ns INTEGER NOT NULL, embedder INTEGER NOT NULL REFERENCES embedder (id), num INTEGER NOT NULL, v BLOB NOT NULL,
    PRIMARY KEY (ns, embedder, num)
) WITHOUT ROWID;
INSERT INTO vector_19 SELECT ns, embedder, num, v FROM vector;
DROP VIEW vector_view;
DROP VIEW vector;
DROP TRIGGER vector_move;
DROP TABLE vector_by_namespace;
DROP TABLE vector_by_memory;
ALTER TABLE vector_19 RENAME TO vector;
PRAGMA writable_schema = ON;
UPDATE sqlite_master SET sql = replace(sql, 'INTEGER PRIMARY KEY,', 'INTEGER PRIMARY KEY AUTOINCREMENT,')
    WHERE name = 'memory';
PRAGMA user_version = 19;
"""


@pytest.fixture
def nineteen(tmp_path: Path) -> Path:
    """A file of schema 19, whose memories SQLite numbered; the last one was erased."""
    place = tmp_path / "nineteen.db"
    with opened(place) as manager:
        for text in ("Zelda lives in Gdynia", "Milo keeps bees", "The depot is in Poznan", "Tea is served at ten"):
            last = manager.remember(text)
        manager.forget(last.id, hard=True)
    with closing(sqlite3.connect(place)) as file:
        file.executescript(_TO_NINETEEN)
    with closing(sqlite3.connect(place)) as file:
        assert "AUTOINCREMENT" in file.execute("SELECT sql FROM sqlite_master WHERE name = 'memory'").fetchone()[0]
        assert file.execute("SELECT count(*) FROM vector").fetchone() == (3,)
    return place


def test_a_number_that_sqlite_assigned_is_not_assigned_again(nineteen: Path, tmp_path: Path) -> None:
    place, before = nineteen, [rows(nineteen, table) for table in ("memory", "posting", "vector")]
    SQLiteStore(tmp_path / "new.db").close()
    SQLiteStore(place).close()
    assert [rows(place, table) for table in ("memory", "posting", "vector")] == before
    assert described(place) == described(tmp_path / "new.db")
    with closing(sqlite3.connect(place)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert file.execute("PRAGMA foreign_key_check").fetchall() == []
    with opened(place) as manager:
        assert manager.verify_audit().ok
        assert manager.recall("Where is the depot?")[0].content == "The depot is in Poznan"
        manager.remember("Milo sold the bees")
    with closing(sqlite3.connect(place)) as file:
        assert file.execute("SELECT num FROM memory ORDER BY num").fetchall() == [(1,), (2,), (3,), (5,)]


@pytest.mark.skipif(os.name != "posix", reason="it kills its own process")
@pytest.mark.parametrize("before", ["VACUUM", "INSERT INTO memory_after", "ALTER TABLE", "CREATE VIEW", "COMMIT"])
def test_a_process_killed_in_a_step_leaves_the_file_as_it_was(nineteen: Path, before: str) -> None:
    place = nineteen
    kept = {table: rows(place, table) for table in ("memory", "audit", "vector", "sqlite_sequence")}
    child = context().Process(target=_killed_while_migrating, args=(str(place), before))
    child.start()
    child.join()
    with closing(sqlite3.connect(place)) as file:
        (version,) = file.execute("PRAGMA user_version").fetchone()
    assert (version, child.exitcode) == (19, -signal.SIGKILL)
    assert {table: rows(place, table) for table in kept} == kept
    with opened(place) as manager:
        assert manager.verify_audit().ok
    assert rows(place, "memory") == kept["memory"]


def _killed_while_migrating(place: str, before: str) -> None:
    def follow(statement: str) -> None:
        if statement.startswith(before):
            os.kill(os.getpid(), signal.SIGKILL)

    with closing(sqlite3.connect(place, isolation_level=None)) as connection:
        connection.set_trace_callback(follow)
        migrate(connection, place)


def test_a_remembered_text_is_found_and_verifies(old: Path) -> None:
    with opened(old) as manager:
        for org in ("default", "acme"):
            assert manager.for_org(org).verify_audit().ok
        hits = manager.for_org("acme").scoped(user="bo", agent="scout").recall("Where is the depot?")
        assert hits[0].content == "The depot is in Poznan"
        ana = manager.scoped(user="ana")
        assert len(list(ana.working("s3").history())) == 12
        assert {each.name for each in ana.graph.entities()} >= {"Zelda", "Oslo"}
        ana.remember("Something new, written by the new version")
        assert manager.verify_audit().ok
        assert manager.audit_integrity().integrity_score == 1.0


def test_the_one_chain_goes_on_as_the_organisations_own_and_heads_of_it_hold(old: Path) -> None:
    (last,) = [hash_ for hash_, org, *_ in rows(old, "audit_head") if org == "default"]
    kept = AuditHead("default", 32, str(last))
    with opened(old) as manager:
        assert manager.audit_head() == kept
        assert manager.verify_audit(head=kept).anchored
        manager.scoped(user="ana").remember("Something new, written by the new version")
        manager.remember("and something of nobody")
        report = manager.verify_audit(head=kept)
        assert (report.ok, report.entries) == (True, 35)
        assert not manager.verify_audit(head=AuditHead("default", 31, str(last))).ok
        assert manager.scoped(user="ana").verify_audit(head=kept).ok
        for seq in (1, 32, 33, 34):
            assert manager.audit_proof(seq).verify(manager.audit_head())


def test_a_safety_copy_is_the_file_as_it_was(old: Path) -> None:
    before = {table: rows(old, table) for table in [*UNCHANGED, "vector", "vector_exact", "tally", "told"]}
    with closing(SQLiteStore(old)) as store:
        (copy,) = old.parent.glob("memory.db.before-schema-*")
        assert {table: rows(copy, table) for table in before} == before
        assert store.drop_copies() == 1
    assert sorted(each.name for each in old.parent.iterdir()) == ["memory.db", "memory.db.lock"]


def test_a_torn_safety_copy_is_not_taken_for_a_whole_one(old: Path) -> None:
    torn = old.with_name(".memory.db.before-schema-12.0123456789abcdef")
    torn.write_bytes(b"SQLite format 3\0 and then the power failed")
    with closing(SQLiteStore(old)) as store:
        (copy,) = old.parent.glob("memory.db.before-schema-*")
        assert rows(copy, "memory") == rows(old, "memory")
        assert store.drop_copies() == 2
    assert not torn.exists()


@contextmanager
def left_alone(place: Path) -> Iterator[None]:
    """Assert that nothing in the folder of a file is changed."""
    before = {each.name: each.read_bytes() for each in place.parent.iterdir()}
    yield
    after = {each.name: each.read_bytes() for each in place.parent.iterdir()}
    after.pop("memory.db.lock", None)
    assert after == before


@pytest.mark.parametrize(
    ("org", "seq", "statement"),
    [
        ("default", 2, "UPDATE audit SET operation = 'edit' WHERE org = 'default' AND seq = 2"),
        ("default", 3, "DELETE FROM audit WHERE org = 'default' AND seq = 3"),
        ("acme", 4, "UPDATE audit_head SET seq = seq - 1 WHERE org = 'acme'"),
        ("acme", 1, "DELETE FROM audit WHERE org = 'acme'"),
    ],
)
def test_a_broken_audit_trail_is_refused_and_nothing_changes(old: Path, org: str, seq: int, statement: str) -> None:
    harm(old, statement)
    with left_alone(old), pytest.raises(AuditBroken, match="nothing was changed") as raised:
        SQLiteStore(old)
    assert raised.value.org == org
    if seq != 4:
        assert raised.value.seq == seq


def test_a_row_that_makes_no_sense_is_refused_and_nothing_changes(old: Path) -> None:
    harm(old, "UPDATE audit SET at = 'never' WHERE seq = 1")
    with left_alone(old), pytest.raises(StoreError):
        SQLiteStore(old)


def test_an_even_older_schema_is_refused_and_nothing_changes(old: Path) -> None:
    with closing(sqlite3.connect(old)) as file:
        file.execute("PRAGMA user_version = 10")
    with left_alone(old), pytest.raises(SchemaMismatch, match="schema 10") as raised:
        SQLiteStore(old)
    assert (raised.value.found, raised.value.path) == (10, str(old))


@pytest.mark.skipif(os.name != "posix", reason="permissions are those of POSIX")
def test_where_it_cannot_be_written_it_is_refused(old: Path) -> None:
    old.chmod(0o400)
    before = old.read_bytes()
    (refused,) = attempt(old, "open", ordinary=True)
    assert old.read_bytes() == before
    assert refused[0] == "StoreUnavailable"
    assert "open it once where it can be written" in refused[1]
