"""Ingesting: files become memories that are found, twice adds nothing, and a bad file stops no other."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Ingested, MemoryManager

CHAT = [
    {"role": "user", "content": "I moved to Tbilisi in March"},
    {"role": "assistant", "content": "How do you like the city?"},
    {"role": "user", "content": "The bread is wonderful"},
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a text, a Markdown file and a chat."""
    place = tmp_path / "files"
    (place / "notes").mkdir(parents=True)
    (place / "a.txt").write_text("The boiler was serviced by Novak in May.")
    (place / "notes" / "b.md").write_text("# Garden\n\nThe roses want water.\n\n## Shed\n\nThe key hangs inside.\n")
    (place / "chat.jsonl").write_text("\n".join(map(json.dumps, CHAT)))
    return place


def test_a_text_is_found(memory: MemoryManager, folder: Path) -> None:
    assert memory.ingest(folder / "a.txt") == Ingested(files=1, created=1)
    (hit,) = memory.recall("who serviced the boiler?")
    assert (hit.memory.kind, hit.memory.source.ref) == ("semantic", str(folder / "a.txt"))
    assert (hit.memory.source.type, hit.memory.source.origin) == ("external_data", "ingestion")


def test_markdown_knows_its_headings(memory: MemoryManager, folder: Path) -> None:
    memory.ingest(folder / "notes")
    headings = {each.metadata["heading"] for each in memory.iter_memories()}
    assert "Garden" in {heading.split(" > ")[0] for heading in headings}
    assert "roses" in memory.recall("what wants water?").texts[0]


def test_a_chat_is_a_session_in_order(memory: MemoryManager, folder: Path) -> None:
    assert memory.ingest(folder / "chat.jsonl").created == 3
    turns = list(memory.iter_memories(order="recorded_at"))
    assert [turn.content for turn in sorted(turns, key=lambda turn: turn.position or 0)] == [
        turn["content"] for turn in CHAT
    ]
    assert len({turn.scope.session for turn in turns}) == 1
    assert {turn.kind for turn in turns} == {"episodic"}
    assert memory.recall("where did I move?").texts[0] == CHAT[0]["content"]


def test_a_folder_is_read_whole(memory: MemoryManager, folder: Path) -> None:
    result = memory.ingest(folder)
    assert (result.files, result.failed) == (3, {})
    assert result.created == memory.count()


def test_twice_adds_nothing(memory: MemoryManager, folder: Path) -> None:
    first, again = memory.ingest(folder), memory.ingest(folder)
    assert (again.created, again.known, again.files) == (0, first.created, 3)
    assert memory.count() == first.created


def test_gz_holds_the_same(memory: MemoryManager, folder: Path) -> None:
    with gzip.open(folder / "a.txt.gz", "wt") as file:
        file.write((folder / "a.txt").read_text())
    assert memory.ingest([folder / "a.txt", folder / "a.txt.gz"]) == Ingested(files=2, created=1, known=1)


@pytest.mark.parametrize("raw", [b"\x00\x01binary", b"\xff\xfe caf\xe9"], ids=["binary", "not UTF-8"])
def test_a_bad_file_stops_no_other(memory: MemoryManager, folder: Path, raw: bytes) -> None:
    bad = folder / "0bad.txt"
    bad.write_bytes(raw)
    result = memory.ingest(folder)
    assert result.files == 3
    assert list(result.failed) == [str(bad)]
    assert "line 1" in result.failed[str(bad)]
    assert memory.recall("boiler", k=1).texts == ("The boiler was serviced by Novak in May.",)


def test_the_lines_before_a_bad_line_are_kept(memory: MemoryManager, folder: Path) -> None:
    with (folder / "chat.jsonl").open("a") as file:
        file.write("\n{torn")
    result = memory.ingest(folder / "chat.jsonl")
    assert (result.created, result.files, len(result.failed)) == (3, 0, 1)


def test_a_missing_path_is_reported_before_anything_is_read(memory: MemoryManager, folder: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"missing\.txt"):
        memory.ingest([folder, folder / "missing.txt"])
    assert memory.count() == 0


def test_progress_ends_with_all_the_bytes(memory: MemoryManager, folder: Path) -> None:
    seen: list[tuple[int, int, str]] = []
    memory.ingest(folder, progress=lambda done, total, label: seen.append((done, total, label)))
    total = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    assert [done for done, _, _ in seen] == sorted(done for done, _, _ in seen)
    assert {of for _, of, _ in seen} == {total}
    assert seen[-1][0] == total
    assert {"a.txt", "b.md", "chat.jsonl"} <= {label for _, _, label in seen}


def test_defaults_hold_for_every_item(memory: MemoryManager, folder: Path) -> None:
    memory.scoped(user="ana").ingest(folder, tags=["imported"], domain="home")
    assert memory.count(tags=["imported"], domain="home") == memory.count() > 0
    assert {each.scope.user for each in memory.iter_memories()} == {"ana"}


@pytest.mark.parametrize("default", [{"content": "x"}, {"key": "x"}, {"colour": "red"}, {"importance": 7}])
def test_a_default_that_cannot_be_is_refused(memory: MemoryManager, folder: Path, default: dict[str, Any]) -> None:
    with pytest.raises((TypeError, ValueError)):
        memory.ingest(folder, **default)
    assert memory.count() == 0


def test_the_store_itself_is_passed_over(tmp_path: Path, folder: Path) -> None:
    with MemoryManager(folder / "memory.db", embedder=None) as memory:
        memory.remember("Ana drinks tea")
        assert memory.ingest(folder).failed == {}


def test_an_empty_folder_is_no_files(memory: MemoryManager, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    assert memory.ingest(tmp_path / "empty") == Ingested()


@pytest.mark.parametrize("path", ["", " "])
def test_a_blank_path_reads_nothing(path: str) -> None:
    """As a `Path` it would be the folder that the program stands in."""
    with MemoryManager(":memory:", embedder=None) as memory:
        with pytest.raises(ValueError, match="paths is blank"):
            memory.ingest(path)
        assert memory.count() == 0
