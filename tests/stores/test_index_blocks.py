"""The index of a large namespace is saved in the file: the next process begins with it, and nothing erased is in it."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engrain import MemoryManager, Settings
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing import FakeEmbedder

pytestmark = pytest.mark.sqlite("blocks in its file")

QUESTIONS = ("Who likes tea?", "the blue boat", "What did Zoltan say about the harbour?")


def opened(path: Path, *, saved: bool = True) -> MemoryManager:
    """Open a file whose namespaces all count as large, or none of them."""
    store = SQLiteStore(path, durability="normal", sketched_from=10 if saved else 1_000_000)
    return MemoryManager(store, user="ana", embedder=FakeEmbedder(), settings=Settings(worker="none"))


def fill(memory: MemoryManager, begin: int, end: int) -> list[str]:
    """Remember turns of two sessions by several people; return their ids."""
    texts = ("Somebody likes tea, cup {}", "The blue boat number {} came in", "The harbour is closed at {} today")
    items = [
        {
            "content": texts[number % 3].format(number),
            "actor": ("Zoltan", "Bela")[number % 2],
            "session": f"talk {number // 20}",
        }
        for number in range(begin, end)
    ]
    return [kept.id for kept in memory.remember_many(items)]


def answers(memory: MemoryManager) -> list[list[tuple[str, float]]]:
    """Return what is found for each question."""
    return [[(hit.id, hit.score) for hit in memory.recall(each, k=20, touch=False)] for each in QUESTIONS]


def parts(path: Path) -> dict[str, bytes]:
    """Return the saved parts, by name."""
    with closing(sqlite3.connect(path)) as file:
        return dict(file.execute("SELECT part, data FROM index_block").fetchall())


def test_what_is_found_is_the_same_whatever_happens_after_it_was_saved(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with opened(path) as memory:
        ids = fill(memory, 0, 60)
        before = answers(memory)
    saved = parts(path)
    assert saved
    with opened(path) as memory:
        assert answers(memory) == before
    assert parts(path) == saved  # nothing has changed since
    with opened(path, saved=False) as memory:  # a process that has not read the block changes rows
        memory.update(ids[3], content="The blue boat is green now")
        memory.forget(ids[6])
        fill(memory, 60, 70)
        memory.recall("tea")
    with opened(path) as memory:
        found = answers(memory)
    with closing(sqlite3.connect(path)) as file, file:
        file.execute("DELETE FROM index_block")
    with opened(path) as memory:
        assert answers(memory) == found
    assert found != before


def test_a_block_is_deleted_with_a_memory_and_saved_again_without_its_names(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with opened(path) as memory:
        fill(memory, 0, 30)
        once = memory.remember("The violin is out of tune", actor="Quendolin", session="a night in Ghent")
        answers(memory)
    assert b"Quendolin" in parts(path)["head"]
    with opened(path) as memory:
        answers(memory)  # the process has its names
        forgotten = memory.forget(once.id, hard=True)
        assert forgotten.receipt is not None
        assert forgotten.receipt.status == "complete"
        assert parts(path) == {}
        assert b"Quendolin" not in path.read_bytes()
        after = answers(memory)
    assert "Zoltan" in parts(path)["head"].decode()
    everything = b"".join(each.read_bytes() for each in tmp_path.iterdir())
    assert b"Quendolin" not in everything
    assert b"a night in Ghent" not in everything
    with opened(path) as memory:
        assert answers(memory) == after


def test_a_block_that_another_version_saved_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "m.db"
    with opened(path) as memory:
        fill(memory, 0, 30)
        before = answers(memory)
    with closing(sqlite3.connect(path)) as file, file:
        head = parts(path)["head"].replace(b'"num"', b'"number"')
        file.execute("UPDATE index_block SET data = ? WHERE part = 'head'", (head,))
    with opened(path) as memory:
        assert answers(memory) == before
