"""Questions that are asked before something is done, and forms that open over a page."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from engrain.server.console.elements import button, el, field, form
from engrain.server.console.page import Page


class Dialog:
    """A form over the page: `await dialog` has the values of its fields, or None when it was closed."""

    def __init__(self, page: Page, title: str) -> None:
        self._page = page
        self._done: asyncio.Future[dict[str, str] | None] = asyncio.get_running_loop().create_future()
        with page.client.content:
            self.element: Final = el("dialog", "", "dialog", aria_label=title)
        self.element.on("close", lambda: self._end(None), [])
        with self.element:
            self.form: Final = form(self._end)
            with self.form:
                el("h2", title)

    def _end(self, values: dict[str, str] | None) -> None:
        if not self._done.done():
            self._done.set_result(values)

    async def answer(self) -> dict[str, str] | None:
        """Wait for the answer, and close."""
        self._page.run(f"engrain.open({self.element.id})")
        try:
            return await self._done
        finally:
            self._page.run(f"engrain.close({self.element.id})")
            self.element.delete()

    def cancel(self) -> None:
        """Close it without an answer."""
        self._end(None)


@contextmanager
def dialog(page: Page, title: str, verb: str, *, danger: bool = False) -> Iterator[Dialog]:
    """Build a dialog; what is built inside comes before its buttons."""
    made = Dialog(page, title)
    with made.form:
        yield made
        with el("div", "", "actions end"):
            button("Cancel", made.cancel)
            with el("button", "", "button danger" if danger else "button primary", type="submit"):
                el("span", verb)


async def ask(
    page: Page,
    title: str,
    *lines: str,
    verb: str,
    danger: bool = False,
    typed: str = "",
    reason: bool | None = None,
    more: Callable[[], object] | None = None,
) -> dict[str, str] | None:
    """Ask once before something is done, and return the values of the fields, None when it is not confirmed.

    `typed` must be typed to confirm. With True a reason must be given, with False it may be. `more` builds more fields.
    """
    with dialog(page, title, verb, danger=danger) as made:
        for line in lines:
            el("p", line)
        if more is not None:
            more()
        if reason is not None:
            hint = "" if reason else "You may leave it empty."
            field("Reason, for the audit trail", "reason", maxlength=500, required=reason, hint=hint)
        if typed:
            field(f"Type {typed} to confirm", "typed", required=True, pattern=typed, autocapitalize="off")
    answer = await made.answer()
    return None if answer is None or (typed and answer.get("typed") != typed) else answer
