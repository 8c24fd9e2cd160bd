"""A folder of Markdown in step with memory: edits update, deletions forget, edits here are written back when asked."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import MemoryManager, Synced

FRONT = "---\ntags: [boat, home]\naliases:\n  - K\n---\n"
BOAT = f"{FRONT}# Boat\n\nKittiwake has berth twelve.\n\n## Key\n\nThe key hangs inside.\n"


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    """A folder with two notes and a picture."""
    place = tmp_path / "vault"
    (place / "home").mkdir(parents=True)
    (place / ".obsidian").mkdir()
    (place / ".obsidian" / "plugin.md").write_text("Settings of a plugin.")
    (place / "home" / "boat.md").write_text(BOAT)
    (place / "tea.md").write_text("Ana drinks green tea.\n")
    (place / "boat.png").write_bytes(b"\x89PNG")
    return place


def texts(memory: MemoryManager) -> set[str]:
    return {each.content for each in memory.iter_memories()}


def test_a_folder_is_read_once_with_its_tags(memory: MemoryManager, vault: Path) -> None:
    left_out = {"files that are not Markdown": 1}
    skipped = {str(vault / "boat.png"): "1 files that are not Markdown"}
    assert memory.sync_folder(vault) == Synced(files=2, created=3, left_out=left_out, skipped=skipped)
    assert memory.sync_folder(vault) == Synced(files=2, known=3, left_out=left_out, skipped=skipped)
    assert texts(memory) == {
        "# Boat\n\nKittiwake has berth twelve.",
        "## Key\n\nThe key hangs inside.",
        "Ana drinks green tea.",
    }
    (key,) = [each for each in memory.iter_memories() if "key" in each.content]
    assert (key.tags, key.metadata["heading"]) == (("boat", "home"), "Boat > Key")
    assert key.source.ref == str(vault / "home" / "boat.md")


def test_an_edited_passage_updates_its_memory(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    before = {each.content: each.id for each in memory.iter_memories()}
    file = vault / "home" / "boat.md"
    file.write_text(BOAT.replace("twelve", "forty").replace("# Boat", "A new first line.\n\n# Boat"))
    result = memory.sync_folder(vault)
    assert (result.created, result.updated, result.forgotten, result.known) == (1, 1, 0, 2)
    changed = "# Boat\n\nKittiwake has berth forty."
    after = {each.content: each.id for each in memory.iter_memories()}
    assert after[changed] == before["# Boat\n\nKittiwake has berth twelve."]
    assert "twelve" in memory.history(after[changed])[0].content


def test_a_deleted_passage_is_forgotten(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    (vault / "tea.md").unlink()
    (vault / "home" / "boat.md").write_text(BOAT.partition("## Key")[0])
    result = memory.sync_folder(vault)
    assert (result.forgotten, result.known) == (2, 1)
    assert texts(memory) == {"# Boat\n\nKittiwake has berth twelve."}


def test_an_edit_here_is_written_back_when_asked(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    (key,) = [each for each in memory.iter_memories() if "key" in each.content]
    memory.update(key.id, content="## Key\n\nThe key is with Bo.")
    file = vault / "home" / "boat.md"
    assert memory.sync_folder(vault).left_out["memories edited here"] == 1
    assert file.read_text() == BOAT
    assert memory.sync_folder(vault, write_back=True).written == 1
    assert file.read_text() == BOAT.replace("The key hangs inside.", "The key is with Bo.")
    again = memory.sync_folder(vault, write_back=True)
    assert (again.files, again.known, again.left_out) == (2, 3, {"files that are not Markdown": 1})
    file.write_text(BOAT.replace("The key hangs inside.", "The key is with Cy."))
    assert memory.sync_folder(vault).updated == 1


def test_a_passage_changed_on_both_sides_stays_on_both(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    (tea,) = [each for each in memory.iter_memories() if "tea" in each.content]
    memory.update(tea.id, content="Ana drinks black tea.")
    (vault / "tea.md").write_text("Ana drinks white tea.\n")
    result = memory.sync_folder(vault, write_back=True)
    assert result.left_out["passages changed here and in the file"] == 1
    assert (result.updated, result.written, result.created) == (0, 0, 0)
    assert "Ana drinks black tea." in texts(memory)
    assert (vault / "tea.md").read_text() == "Ana drinks white tea.\n"


def test_a_memory_forgotten_here_does_not_come_back(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    (tea,) = [each for each in memory.iter_memories() if "tea" in each.content]
    memory.forget(tea.id)
    result = memory.sync_folder(vault)
    assert result.left_out["passages that were forgotten or closed here"] == 1
    assert (result.created, len(texts(memory))) == (0, 2)


def test_one_text_in_two_files_is_two_memories(memory: MemoryManager, vault: Path) -> None:
    (vault / "again.md").write_text("Ana drinks green tea.\n")
    assert memory.sync_folder(vault).created == 4
    (vault / "again.md").unlink()
    assert memory.sync_folder(vault).forgotten == 1
    assert "Ana drinks green tea." in texts(memory)


def test_a_folder_that_is_not_mounted_forgets_nothing(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    for file in vault.rglob("*.md"):
        file.unlink()
    with pytest.raises(ValueError, match="holds no Markdown file"):
        memory.sync_folder(vault)
    assert memory.count() == 3
    with pytest.raises(FileNotFoundError):
        memory.sync_folder(vault / "elsewhere")


def test_a_folder_that_was_moved_keeps_its_memories_under_its_name(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    moved = vault.rename(vault.with_name("notes"))
    assert memory.sync_folder(moved, name=str(vault)).known == 3


def test_a_file_that_cannot_be_read_keeps_its_memories(memory: MemoryManager, vault: Path) -> None:
    memory.sync_folder(vault)
    (vault / "tea.md").write_bytes(b"\xff\xfe")
    result = memory.sync_folder(vault)
    assert list(result.failed) == [str(vault / "tea.md")]
    assert "Ana drinks green tea." in texts(memory)


def test_other_users_are_not_touched(memory: MemoryManager, vault: Path) -> None:
    ana, bo = memory.scoped(user="ana"), memory.scoped(user="bo")
    ana.sync_folder(vault)
    bo.sync_folder(vault)
    (vault / "tea.md").unlink()
    assert ana.sync_folder(vault).forgotten == 1
    assert bo.count() == 3
