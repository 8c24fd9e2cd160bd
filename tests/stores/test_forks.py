"""A store and `os.fork`: parent and child both go on, and what either was acknowledged stays."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain.model.filters import Filter
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.conformance.base import E1, add, floats
from engrain.testing.rows import memory

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here"),
    pytest.mark.filterwarnings("ignore:This process:DeprecationWarning"),  # that it has threads is the point
]


def tea(store: SQLiteStore, name: str) -> None:
    """Keep a memory of that id."""
    add(store, memory(id=name), "tea", {E1: [1, 0, 0]})


def ids(store: SQLiteStore) -> list[str]:
    """Return the ids of all memories, found in three ways that have to agree."""
    with store.read("default") as view:
        found = view.find(Record, Filter("default"))
        assert len(view.search_text({"tea": 1.0}, Filter("default"), limit=1000).nums) == len(found)
        assert len(view.search_vector(E1, floats([1, 1, 1]), Filter("default"), limit=1000).nums) == len(found)
    return [row.memory.id for row in found]


def in_child(act: Callable[[], None]) -> int:
    """Run `act` in a forked child; return the child's process id."""
    child = os.fork()
    if child:
        return child
    code = 1
    try:
        act()
        code = 0
    finally:
        os._exit(code)


def succeeded(child: int) -> bool:
    """Wait for a child."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0


def test_parent_and_child_both_write_and_see_each_other(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    tea(store, "before")

    def act() -> None:
        assert ids(store) == ["before"]
        tea(store, "child")

    assert succeeded(in_child(act))
    tea(store, "parent")
    assert ids(store) == ["before", "child", "parent"]
    store.close()


def test_a_child_outlives_its_parents_store(tmp_path: Path) -> None:
    place = tmp_path / "memory.db"
    store = SQLiteStore(place)
    tea(store, "before")
    listen, speak = os.pipe()

    def act() -> None:
        tea(store, "child 1")
        os.close(speak)
        os.read(listen, 1)
        tea(store, "child 2")

    child = in_child(act)
    while len(ids(store)) < 2:
        time.sleep(0.01)
    store.close()
    opened = f"from engrain.storage.sqlite.store import SQLiteStore; SQLiteStore({str(place)!r}).close()"
    subprocess.run([sys.executable, "-c", opened], check=True)
    os.close(speak)
    os.close(listen)
    assert succeeded(child)
    again = SQLiteStore(place)
    assert ids(again) == ["before", "child 1", "child 2"]
    assert again.integrity() is None
    again.close()


def test_forks_while_threads_read_and_write(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "memory.db")
    tea(store, "first")
    stop = threading.Event()
    written: list[str] = []

    def work(part: int) -> None:
        while not stop.is_set():
            name = f"{part} {len(written)} {time.monotonic_ns()}"
            tea(store, name)
            written.append(name)
            ids(store)

    threads = [threading.Thread(target=work, args=(part,)) for part in range(2)]
    for thread in threads:
        thread.start()
    children = []
    for n in range(5):
        time.sleep(0.05)
        children.append(in_child(lambda n=n: tea(store, f"child {n}")))  # type: ignore[misc]
    ended = [succeeded(child) for child in children]
    stop.set()
    for thread in threads:
        thread.join()
    assert ended == [True] * 5
    assert set(ids(store)) == {"first", *written, *(f"child {n}" for n in range(5))}
    assert store.integrity() is None
    store.close()


def test_a_store_in_memory_is_the_childs_own_copy() -> None:
    store = SQLiteStore(":memory:")
    tea(store, "before")

    def act() -> None:
        assert ids(store) == ["before"]
        tea(store, "child")
        assert ids(store) == ["before", "child"]

    assert succeeded(in_child(act))
    assert ids(store) == ["before"]
    store.close()


def test_closed_stores_do_not_block_others(tmp_path: Path) -> None:
    closed, store = SQLiteStore(tmp_path / "closed.db"), SQLiteStore(tmp_path / "memory.db")
    tea(closed, "before")
    closed.close()
    assert succeeded(in_child(lambda: tea(store, "child")))
    assert ids(store) == ["child"]
    store.close()
