"""The console of a local store: who acts, what takes long, and a file that goes away."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser

from engrain import MemoryManager, Settings
from tests.console.browsers import Window, process

pytestmark = pytest.mark.sqlite("it moves the file of a store")


@pytest.fixture
def store(tmp_path: Path) -> Path:
    """A store with one memory."""
    with MemoryManager(tmp_path / "memory.db", settings=Settings(worker="none")) as memory:
        memory.remember("Ana keeps bees")
    return tmp_path / "memory.db"


@pytest.fixture
def window(browser: Browser, store: Path) -> Iterator[Window]:
    """A window on the console of the store."""
    arguments = ["console", "--no-open", "--store", str(store)]
    with process(arguments, store.with_name("log"), r"(http://\S+)") as address:
        context = browser.new_context()
        found = Window(context.new_page(), address.split("/?")[0])
        found.page.goto(address)
        found.ready()
        yield found
        context.close()


def test_an_action_names_the_local_user(window: Window, store: Path) -> None:
    window.open("/memories")
    window.page.get_by_label("Tick Ana keeps bees").check()
    window.click("Pin or unpin")
    window.sees("1 pinned.")
    with MemoryManager(store, settings=Settings(worker="none")) as memory:
        last = memory.audit_log(limit=1)[0]
    assert (last.operation, last.actor.split(":")[0]) == ("pin", "console")
    window.click("Ana keeps bees", "link")
    window.main.get_by_text(last.actor).wait_for()
    assert "at 4 markers" not in window.main.inner_text()


def test_a_file_that_is_moved_away_is_said_until_it_is_back(window: Window, store: Path) -> None:
    gone = "The file of the store was moved, deleted or replaced: put it back, or stop this and start it again."
    window.open("/memories")
    window.sees("1 memory")
    files = [each for each in store.parent.iterdir() if each.name.startswith("memory.db")]
    for each in files:
        each.rename(each.with_name(f"moved-{each.name}"))
    window.main.get_by_text(gone).wait_for()  # nobody reloads
    window.click("Add")
    window.fill("What should be remembered?", "Bob likes tea", window.dialog)
    window.click("Remember", place=window.dialog)
    window.page.locator(".toast.wrong", has_text=gone).wait_for()
    window.page.goto(f"{window.base}/facts")
    window.main.get_by_text(gone).wait_for()
    for each in files:
        each.with_name(f"moved-{each.name}").rename(each)
    window.open("/memories")
    window.sees("1 memory")
    assert not window.main.get_by_text(gone).is_visible()


def test_an_import_is_cancelled_and_what_was_read_is_kept(window: Window, store: Path) -> None:
    chat = store.with_name("chat.jsonl")
    lines = ({"role": "user", "content": f"Message {number} about hall {number % 97}"} for number in range(30_000))
    chat.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    window.open("/memories")
    window.click("Import")
    window.page.set_input_files("input[type=file]", chat)
    window.dialog.get_by_role("progressbar", name="Reading chat.jsonl").wait_for()
    window.click("Cancel", place=window.dialog)
    window.page.locator(".toast", has_text="Cancelled. What was done so far is kept.").wait_for()
    with MemoryManager(store, settings=Settings(worker="none")) as memory:
        assert memory.count() < 30_000


def test_a_chat_of_whatsapp_is_read_message_by_message(window: Window, store: Path) -> None:
    chat = store.with_name("WhatsApp Chat with Bob.txt")
    chat.write_text(
        "[28.10.25, 09:14:03] Ana: My boat is called Kittiwake.\nIt is blue.\n"
        "[28.10.25, 09:15:00] Bob: \u200e<attached: photo.jpg>\n"
        "[29.10.25, 10:15:00] Bob: Mine is Puffin.\n",
        "utf-8",
    )
    window.open("/memories")
    window.click("Import")
    window.page.set_input_files("input[type=file]", chat)
    window.dialog.get_by_text("1 attachments and notices").wait_for()
    with MemoryManager(store, settings=Settings(worker="none")) as memory:
        assert {each.actor for each in memory.iter_memories(kinds=["episodic"])} == {"Ana", "Bob"}


def test_the_store_is_exported_examined_and_copied(window: Window, store: Path) -> None:
    window.open("/admin")
    with window.page.expect_download() as saved:
        window.click("Export this view")
    saved.value.save_as(store.with_name("export.jsonl"))
    assert "Ana keeps bees" in store.with_name("export.jsonl").read_text("utf-8")
    window.click("Examine")
    window.main.get_by_text("The whole report").wait_for()
    window.click("Snapshot")
    window.click("Write", place=window.dialog)
    window.sees("Written:")
    assert list((store.parent / "snapshots").glob("*.db"))
