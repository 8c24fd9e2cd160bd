"""The pictures of the documents, taken from the demo.

`scripts/test -m slow tests/console/test_pictures.py` takes them anew.
"""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from playwright.sync_api import Browser
from rich.console import Console

from engrain import MemoryManager, Settings
from engrain.cli.demo import run_demo
from tests.console.browsers import Window, process

pytestmark = [pytest.mark.slow, pytest.mark.sqlite("it opens the file that the demo leaves")]

_FOLDER = Path(__file__).resolve().parents[2] / "docs" / "images"
_BUILT = """() => document.querySelector("#main .place > :not(.past):not(.coming)")
  && !document.querySelector("#main [aria-busy]")
  && (!document.querySelector(".picture") || document.querySelector(".picture canvas"))"""
_PICTURES = {
    "recall": "/?q=Where+does+Ilka+live%3F",
    "answer": "/answer?q=Where+does+Ilka+live%3F",
    "memories": "/memories",
    "facts": "/facts?subject=Ilka",
    "graph": "/graph",
    "sessions": "/sessions?session=trip",
    "review": "/review",
    "lifecycle": "/lifecycle",
    "procedures": "/procedures",
    "records": "/records?collection=checkpoints",
    "trust": "/trust",
    "admin": "/admin",
}


def _prepared(store: Path) -> str:
    """Make the store of the demo with something for every page, and return the id of a memory with a life."""
    run_demo(None, console=Console(file=io.StringIO()), bars=Console(quiet=True), store=str(store))
    with MemoryManager(store, settings=Settings(worker="none")) as memory:
        memory.add_message("user", "We fly to Porto on 16 May and come back on the 19th.", session="trip", actor="Teo")
        memory.add_message("assistant", "Noted: Porto, 16 to 19 May.", session="trip")
        steps = [{"action": "Look up the flight", "tool_name": "search"}, {"action": "Ask before paying"}]
        flight = memory.procedures.store(
            {"name": "Book a flight", "trigger_conditions": ["a trip is planned"], "steps": steps}
        )
        for success in (True, True, False):
            memory.procedures.record_outcome(flight.id, success=success)
        memory.records("checkpoints").put(("thread-1", "0001"), {"step": 3, "next": "pay"})
        memory.forget(memory.remember("The old code of the door is 4471").id, hard=True)
        return memory.facts(subject="Ilka")[0].id


def test_take_the_pictures(browser: Browser, tmp_path: Path) -> None:
    one = _prepared(tmp_path / "memory.db")
    _FOLDER.mkdir(exist_ok=True)
    arguments = ["console", "--no-open", "--store", str(tmp_path / "memory.db")]
    with process(arguments, tmp_path / "log", r"(http://\S+)") as address:
        context = browser.new_context(viewport={"width": 1180, "height": 760}, color_scheme="light")
        window = Window(context.new_page(), address.split("/?")[0])
        window.page.goto(address)
        window.ready()
        for name, path in {**_PICTURES, "memory": f"/memory?id={one}"}.items():
            window.open(path)
            window.page.wait_for_function(_BUILT)
            if name == "records":
                window.page.locator("summary", has_text="thread-1").click()
            window.page.wait_for_function("document.fonts.status === 'loaded'")
            window.page.screenshot(path=_FOLDER / f"console-{name}.png")
        dark = browser.new_context(viewport={"width": 1180, "height": 760}, color_scheme="dark")
        dark.add_cookies(context.cookies())  # type: ignore[arg-type]
        window = Window(dark.new_page(), window.base).open(_PICTURES["recall"])
        window.page.wait_for_function(_BUILT)
        window.page.screenshot(path=_FOLDER / "console-recall-dark.png")
    assert not window.broken
