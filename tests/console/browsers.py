"""A browser, and consoles that it opens: Debian's chromium, driven by Playwright, against the real command."""

from __future__ import annotations

import os
import re
import shutil
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, BrowserContext, Locator, Page, Request, sync_playwright

from engrain import MemoryManager, Settings
from engrain.model.choices import RoleName
from tests import children

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 60.0
STRANGER = re.compile(r"^(?!(?:http|ws)://127\.0\.0\.1:|data:|blob:)")


def found_browser() -> str:
    """Return the browser of this machine; without one the test is left out, and says so."""
    named = next(filter(None, map(shutil.which, _NAMES)), None)
    if named is None:
        pytest.skip("left out, for there is no browser: apt-get install chromium")
    return named


@contextmanager
def browsing() -> Iterator[Browser]:
    """Start a browser."""
    path = found_browser()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--process-per-site"])
        try:
            yield browser
        finally:
            browser.close()


@dataclass
class Window:
    """A window on a console, with its requests and its number of user actions."""

    page: Page
    base: str
    asked: list[str] = field(default_factory=list)
    broken: list[str] = field(default_factory=list)
    actions: int = 0

    def __post_init__(self) -> None:
        self.page.set_default_timeout(_PATIENCE * 1000)
        self.page.on("request", self._note)
        self.page.on("websocket", lambda socket: self.asked.append(socket.url))
        self.page.on("pageerror", lambda error: self.broken.append(str(error)))

    def _note(self, request: Request) -> None:
        self.asked.append(request.url)

    def open(self, path: str = "/") -> Window:
        """Open a page of the console, up to when its controls work."""
        self.actions += 1
        self.page.goto(f"{self.base}{path}")
        self.ready()
        return self

    def ready(self) -> None:
        self.page.locator("h1").first.wait_for()
        self.page.wait_for_function("window.did_handshake === true")

    def click(self, name: str, role: str = "button", place: Locator | None = None) -> None:
        """Click what has this label."""
        self.actions += 1
        (place or self.page).get_by_role(role, name=name, exact=True).first.click()  # type: ignore[arg-type]

    def fill(self, label: str, text: str, place: Locator | None = None) -> None:
        """Write into the field with this label."""
        self.actions += 1
        (place or self.page).get_by_label(label, exact=True).first.fill(text)

    def press(self, key: str) -> None:
        self.actions += 1
        self.page.keyboard.press(key)

    def sees(self, text: str) -> None:
        """Wait until a text is shown."""
        self.page.get_by_text(text).first.wait_for()

    def addressed(self, part: str) -> None:
        """Wait until the address holds a part: it changes after what is shown."""
        self.page.wait_for_function("part => location.href.includes(part)", arg=part)

    def until(self, holds: Callable[[], bool]) -> None:
        """Wait until something holds in the store."""
        deadline = time.monotonic() + _PATIENCE
        while not holds():
            assert time.monotonic() < deadline
            self.page.wait_for_timeout(20)

    @property
    def dialog(self) -> Locator:
        return self.page.locator("dialog[open]")

    @property
    def main(self) -> Locator:
        return self.page.locator("#main")

    def strangers(self) -> list[str]:
        """Return what was asked of other machines."""
        return [url for url in self.asked if STRANGER.match(url)]

    def faults(self) -> list[str]:
        """Return what keeps people who do not see or point from using the page: the serious findings of axe."""
        found = Axe().run(self.page).response["violations"]
        return [
            f"{each['id']}: {node['html'][:160]}"
            for each in found
            if each["impact"] in ("serious", "critical")
            for node in each["nodes"]
        ]

    def is_wide(self) -> bool:
        """Say whether the page has to be scrolled sideways."""
        return bool(self.page.evaluate("document.documentElement.scrollWidth > innerWidth"))


@contextmanager
def process(arguments: list[str], log: Path, pattern: str) -> Iterator[str]:
    """Run the command until the end of the block; yields what it prints that fits the pattern."""
    child = children.command(arguments, log, dict(os.environ))
    try:
        until = time.monotonic() + _PATIENCE
        while not (found := re.search(pattern, log.read_text() if log.exists() else "")):
            assert child.is_alive(), log.read_text()
            assert time.monotonic() < until, "it does not start"
            time.sleep(0.02)
        yield found[1]
    finally:
        child.terminate()
        child.join(_PATIENCE)
        assert not child.is_alive(), sys.stderr


@dataclass
class Served:
    """A server with keys over a store, which tests open as well."""

    base: str
    store: MemoryManager
    browser: Browser
    orgs: int = 0
    _free: dict[str | None, list[BrowserContext]] = field(default_factory=dict)

    def memory(self) -> MemoryManager:
        """Return the memory of an organisation that no other test has."""
        self.orgs += 1
        return self.store.for_org(f"{os.environ.get('PYTEST_XDIST_WORKER', 'gw')}-{self.orgs}")

    @contextmanager
    def window(
        self,
        memory: MemoryManager,
        role: RoleName = "admin",
        *,
        user: str | None = None,
        width: int = 1280,
        dark: bool = False,
        cookies: bool = True,
        zone: str | None = None,
    ) -> Iterator[Window]:
        """Open a window for a new key of a role, in the place of an earlier one whose files the browser has still."""
        free = self._free.setdefault(zone, [])
        context = free.pop() if free else self._context(zone)
        page = context.new_page()
        page.set_viewport_size({"width": width, "height": 900})
        page.emulate_media(color_scheme="dark" if dark else "light")
        try:
            if cookies:
                self.sign_in(context, str(memory.keys.create(role=role, user=user).secret))
            yield Window(page, self.base)
        finally:
            self._forget(context, page)
            free.append(context)

    def _context(self, zone: str | None) -> BrowserContext:
        """Make a context with a page that stays: its process, which those of the same site share, has compiled all."""
        context = self.browser.new_context(timezone_id=zone)
        context.new_page().goto(urlsplit(self.base)._replace(path="/health").geturl())
        return context

    def _forget(self, context: BrowserContext, page: Page) -> None:
        """Leave nothing of a window to the next one but the files of the console, which have no cookies."""
        place = urlsplit(self.base)
        kept = {"origin": f"{place.scheme}://{place.netloc}", "storageTypes": "local_storage,indexeddb,service_workers"}
        context.new_cdp_session(page).send("Storage.clearDataForOrigin", kept)
        for each in context.pages[1:]:  # what is of the session goes with its page
            each.close()
        context.clear_cookies()

    def close(self) -> None:
        """Close the windows that could have been used again."""
        for context in (each for free in self._free.values() for each in free):
            context.close()
        self._free.clear()

    def sign_in(self, context: BrowserContext, secret: str) -> None:
        place = urlsplit(self.base)
        answer = context.request.post(
            f"{self.base}/login", form={"key": secret}, headers={"Origin": f"{place.scheme}://{place.netloc}"}
        )
        assert answer.ok


@contextmanager
def serving(browser: Browser, store: str, log: Path) -> Iterator[Served]:
    """Serve a new store, by its path or its URL, to those who have a key."""
    with MemoryManager(store, settings=Settings(worker="none")) as memory:
        memory.keys.create(role="admin")
        arguments = ["serve", "--port", "0", "--writes-per-minute", "0", "--store", store]
        with process(arguments, log, r'"url": "(http://[^"]+)"') as url:
            served = Served(f"{url}/console", memory, browser)
            try:
                yield served
            finally:
                served.close()
