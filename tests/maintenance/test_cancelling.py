"""What takes long ends when it is cancelled, leaves nothing half done, and can be begun again."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from itertools import count, pairwise
from pathlib import Path

import pytest

from engrain import MemoryManager, RecallCancelled
from engrain.guard import cancellable


def after(calls: int) -> Callable[[], bool]:
    """Return what says that something is cancelled from so many questions on."""
    asked = count(1)
    return lambda: next(asked) > calls


@pytest.fixture
def filled(tmp_path: Path) -> Iterator[MemoryManager]:
    """A memory of some hundred texts, each linked to the one before it."""
    with MemoryManager(tmp_path / "filled.db", embedder=None) as memory:
        texts = ({"content": f"parcel {n} is in hall {n % 97}"} for n in range(900))
        ids = [each.id for each in memory.remember_many(texts)]
        for one, other in pairwise(ids[:40]):
            memory.link(other, one)
        yield memory


def test_a_cancelled_export_leaves_no_file(filled: MemoryManager, tmp_path: Path) -> None:
    with cancellable(after(3)), pytest.raises(RecallCancelled):
        filled.export(tmp_path / "export.jsonl")
    assert not list(tmp_path.glob("*export*"))


def test_a_cancelled_import_keeps_what_was_read_with_its_links(filled: MemoryManager, tmp_path: Path) -> None:
    filled.export(tmp_path / "export.jsonl")
    with MemoryManager(tmp_path / "copy.db", embedder=None) as copy:
        with cancellable(after(620), writes=True), pytest.raises(RecallCancelled):
            copy.import_(tmp_path / "export.jsonl", trust="external_data")
        assert 0 < copy.count() < 900
        assert copy.import_(tmp_path / "export.jsonl", trust="external_data").rejected == {}
        here, there = ({m.id: set(m.links) for m in each.iter_memories()} for each in (filled, copy))
        assert here == there


def test_what_writes_goes_on_where_only_reads_are_cancelled(filled: MemoryManager, tmp_path: Path) -> None:
    filled.export(tmp_path / "export.jsonl")
    with MemoryManager(tmp_path / "copy.db", embedder=None) as copy, cancellable(lambda: True):
        copy.import_(tmp_path / "export.jsonl", trust="external_data")
        assert copy.count() == 900


def test_a_cancelled_ingest_keeps_what_was_read(memory: MemoryManager, tmp_path: Path) -> None:
    file = tmp_path / "chat.jsonl"
    file.write_text("\n".join(json.dumps({"role": "user", "content": f"Message {n}"}) for n in range(900)), "utf-8")
    with cancellable(lambda: True, writes=True), pytest.raises(RecallCancelled):
        memory.ingest(file)
    assert memory.count() == 500
    assert memory.ingest(file).created == 400


def test_a_cancelled_snapshot_leaves_no_file(filled: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "copies").mkdir()
    with cancellable(lambda: True, writes=True), pytest.raises(RecallCancelled):
        filled.snapshot(tmp_path / "copies" / "copy.db")
    assert not list((tmp_path / "copies").iterdir())
    filled.snapshot(tmp_path / "copies" / "copy.db")
    assert filled.count() == 900
