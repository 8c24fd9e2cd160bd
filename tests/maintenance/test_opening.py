"""Opening and closing: a file that is no store is recognised and unchanged, and a closed memory says so."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engrain import ConfigError, MemoryManager, StoreCorrupt, StoreError, StoreUnavailable
from engrain.cli.main import main


def open_words(path: Any) -> MemoryManager:
    """Open a memory without an embedder."""
    return MemoryManager(path, embedder=None)


@pytest.mark.sqlite("the path of a file")
def test_a_folder_is_no_store(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match=str(tmp_path)):
        open_words(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_text_file_is_left_as_it_was(tmp_path: Path) -> None:
    diary = tmp_path / "diary.txt"
    diary.write_text("Dear diary, " * 500)
    with pytest.raises(StoreCorrupt) as caught:
        open_words(diary)
    assert caught.value.path == str(diary)
    assert diary.read_text() == "Dear diary, " * 500


def test_another_programs_file_is_left_as_it_was(tmp_path: Path) -> None:
    path = tmp_path / "other.db"
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("CREATE TABLE memory (id TEXT)")
    before = path.read_bytes()
    with pytest.raises(StoreCorrupt):
        open_words(path)
    assert path.read_bytes() == before


def test_a_missing_folder_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(StoreUnavailable, match="missing"):
        open_words(tmp_path / "missing" / "memory.db")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("store", "error"),
    [("", ValueError), (" ", ValueError), ("mysql://x/y", ConfigError), (7, TypeError), ("a\x00b", ValueError)],
)
def test_an_argument_that_names_no_store_is_refused(store: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        open_words(store)


def test_a_path_may_be_text_or_a_path(tmp_path: Path) -> None:
    with open_words(str(tmp_path / "m.db")) as memory:
        memory.remember("Ana drinks tea")
    with open_words(tmp_path / "m.db") as memory:
        assert memory.count() == 1


def test_closing_twice_is_closing_once(tmp_path: Path) -> None:
    memory = open_words(tmp_path / "m.db")
    memory.close()
    memory.close()


@pytest.mark.parametrize(
    "call",
    [
        lambda memory: memory.remember("x"),
        lambda memory: memory.recall("x"),
        lambda memory: memory.get("mem_0"),
        lambda memory: memory.list_memories(),
        lambda memory: memory.count(),
        lambda memory: memory.stats(),
        lambda memory: memory.forget("mem_0"),
        lambda memory: memory.verify_audit(),
        lambda memory: memory.scoped(user="ana").remember("x"),
    ],
)
def test_a_closed_memory_says_so(tmp_path: Path, call: Any) -> None:
    memory = open_words(tmp_path / "m.db")
    memory.close()
    with pytest.raises(StoreUnavailable, match="closed"):
        call(memory)


def test_a_failed_opening_holds_nothing_open(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with pytest.raises(TypeError):
        MemoryManager(path, tokenizer=object())  # type: ignore[arg-type]
    assert not path.exists()
    with open_words(path) as memory:
        assert memory.remember("Ana drinks tea").status == "created"


@pytest.mark.sqlite("the path of a file")
def test_it_shows_what_it_is(tmp_path: Path) -> None:
    with open_words(tmp_path / "m.db") as memory:
        assert repr(memory.scoped(user="ana")) == f"MemoryManager('{tmp_path / 'm.db'}', org='default', user='ana')"


@pytest.mark.parametrize(
    "place",
    [
        "host=h password=geheim dbname=d",
        "password='geheim://x' host=h",
        "dbname=postgresql://u:geheim@h/d",
        "postgresql:/h/d",
        "Postgres:d",
        "POSTGRESQL://u:geheim/x@h/d",
        "postgresql+psycopg://u:geheim@h/d",
        " postgresql://u:geheim@h/d",
        "'postgresql://u:geheim@h/d'",
        "jdbc:postgresql://h/d?password=geheim",
        "mysql://u:geheim@h/d",
        "mysql:/u:geheim@h/d",
        "mongodb+srv://u:geheim@h/d",
        "u geheim://h/d",
    ],
)
@pytest.mark.parametrize("given", [True, False])
def test_a_database_that_is_written_otherwise_is_no_file(
    place: str, given: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENGRAIN_STORE", place)
    with pytest.raises(ConfigError, match="postgresql://user:password@host") as refusal:
        MemoryManager(place if given else None)
    assert "geheim" not in str(refusal.value)
    assert main(["doctor"] if not given else ["--store", place, "doctor"]) == 1
    assert "geheim" not in "".join(capfd.readouterr())
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "words", [["snapshot"], ["export"], ["rekey", "--plain", "m.db"], ["restore", "m.db"], ["migrate", "m.db"]]
)
@pytest.mark.parametrize(
    "place", ["postgresql://u:geheim@127.0.0.1:1/d", "postgresql+psycopg://u:geheim@h/d", "mysql://u:geheim@h/d"]
)
def test_a_database_is_not_written_into_as_if_it_were_a_file(
    words: list[str], place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ENGRAIN_STORE", str(tmp_path / "m.db"))
    open_words(tmp_path / "m.db").close()
    before = set(tmp_path.rglob("*"))
    assert main([*words, place]) == 1
    assert main(["rekey", "--plain", place, "copy.db"]) == 2
    assert main(["restore", place, "copy.db"]) == main(["migrate", place, "copy.db"]) == main(["import", place]) == 1
    assert "geheim" not in "".join(capfd.readouterr())
    assert set(tmp_path.rglob("*")) == before


@pytest.mark.sqlite("the path of a file")
@pytest.mark.parametrize("name", ["my host = x.db", "host=a/m.db", "run lr host=3.db", "postgres.db", "user=ana.db"])
def test_a_file_may_be_called_almost_anything(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    with open_words(tmp_path / name) as memory:
        memory.remember("the kettle is on")
    assert (tmp_path / name).is_file()
