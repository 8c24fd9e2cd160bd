"""Rows that are named by their ids or numbers are read by those, however many others their namespace has."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain.model.filters import Filter, Test
from engrain.storage.rows import Record
from engrain.storage.sqlite.store import SQLiteStore
from engrain.testing.rows import record

pytestmark = pytest.mark.sqlite("steps of its virtual machine")

FEW, MANY = 300, 3_000
ALL = Filter("default", "ana")


def steps(path: Path, rows: int) -> list[int]:
    """Return how much work some reads are in a namespace of so many rows, in hundreds of steps."""
    counted = []
    store = SQLiteStore(path, durability="normal")
    texts = [record(f"text {number}", user="ana") for number in range(rows)]
    nums = list(store.write(lambda transaction: transaction.put(*texts), "default"))
    some = [texts[place].memory.id for place in (7, 70, 100, 200)]
    places = [nums[place] for place in range(0, 300, 20)]
    asked: list[Callable[..., object]] = [
        lambda view: view.find(Record, ALL.but(Test("id", "in", tuple(some)))),
        lambda view: view.find(Record, ALL.but(Test("id", "eq", some[0]))),
        lambda view: view.find(Record, ALL.but(Test("num", "in", tuple(places)))),
        lambda view: view.actors(ALL),  # by an index that has to read the last row alone
    ]
    for read in asked:
        with store.read("default") as view:
            view.actors(ALL)
        store.write(lambda transaction: transaction.put(record("one more", user="ana")), "default")
        done = [0]

        def count(done: list[int] = done) -> None:
            done[0] += 1

        with store.read("default") as view:
            view._connection.set_progress_handler(count, 100)  # type: ignore[attr-defined]
            read(view)
            view._connection.set_progress_handler(None, 0)  # type: ignore[attr-defined]
        counted.append(done[0])
    store.close()
    return counted


def test_no_read_takes_more_steps_in_a_larger_namespace(tmp_path: Path) -> None:
    few, many = steps(tmp_path / "few.db", FEW), steps(tmp_path / "many.db", MANY)
    assert all(after <= before + 2 for before, after in zip(few, many, strict=True)), (few, many)
