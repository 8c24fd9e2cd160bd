"""The console of a database: each page shows what is there, and what is done on it is done there."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.console.browsers import serving
from tests.console.test_pages import PAGES, seeded
from tests.postgres import servers


@pytest.mark.slow
def test_pages_show_a_database_and_change_it(browser: Browser, tmp_path: Path) -> None:
    with servers.database() as url, serving(browser, url, tmp_path / "log") as served:
        memory = seeded(served.memory())
        one = memory.facts(subject="Ana")[0].id
        with served.window(memory) as window:
            for path, text in PAGES.items():
                window.open(path)
                window.main.get_by_text(text).first.wait_for()
            window.open("/review")
            window.click("Admit")
            window.fill("Reason, for the audit trail", "a test", window.dialog)
            window.click("Admit", place=window.dialog)
            window.sees("1 admitted.")
            assert not memory.review()
            window.open(f"/memory?id={one}")
            window.click("Correct")
            window.fill("Text", "Ana moved to Braga", window.dialog)
            window.click("Save", place=window.dialog)
            window.sees("Corrected.")
            window.click("Undo")
            window.sees("Undone.")
            assert memory.get(one).content == "Ana moved to Porto"  # type: ignore[union-attr]
            window.click("Erase")
            window.fill("Type erase to confirm", "erase", window.dialog)
            window.click("Erase", place=window.dialog)
            window.sees("Save receipt")
            assert memory.get(one) is None
            assert not window.broken
            assert not window.strangers()
