"""Review: what waits for a verdict, side by side with what it meets, and the reason."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from engrain.model.memory import Memory
from engrain.model.results import Page as Listed
from engrain.model.results import ReviewItem
from engrain.server.console import actions
from engrain.server.console.elements import button, el, empty, tick
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import memory_card
from engrain.views import suspected

_LIMIT, _KINDS = 20, WORDS["review"]


async def build(page: Page) -> None:
    """Build the page."""
    wanted, chosen = page.query.get("kind"), dict[str, Memory | str]()
    with el("div", "", "tabs", role="group", aria_label="What waits"):
        for kind, label in _KINDS.items():
            here = (wanted or "") == kind
            page.link(label, "/review", "here" if here else "", kind=kind).set(aria_current="true" if here else None)

    async def show() -> None:
        items: Listed[ReviewItem] = await page.call("review", kind=wanted, limit=_LIMIT, cursor=page.cursor)
        if not items:
            empty("Nothing waits for a verdict.", "What looks like an attack or contradicts others will wait here.")
        for gone in chosen.keys() - {item.id for item in items}:
            del chosen[gone]
        if len(items) > 1:
            _many(page, chosen, items)
        for item in items:
            _item(page, item, chosen)
        page.further(items)

    await page.shows(show)


def _target(item: ReviewItem) -> Memory | str:
    return item.id if item.memory is None or item.merge is not None else item.memory


def _many(page: Page, chosen: dict[str, Memory | str], items: Listed[ReviewItem]) -> None:
    async def decide(verdict: Callable[..., Awaitable[None]]) -> None:
        await verdict(page, list(chosen.values()) or [_target(each) for each in items])

    with el("div", "", "row wrap bar-of-many", role="group", aria_label="Decide on many"):
        el("span", "Ticked ones, or all on this page:", "muted")
        for label, verdict in (("Admit", actions.admit), ("Reject", actions.reject)):
            button(label, page.on(partial(decide, verdict)), "small", aria_label=f"{label} the ticked ones")


def _item(page: Page, item: ReviewItem, chosen: dict[str, Memory | str]) -> None:
    target = _target(item)
    with el("section", "", "card item", aria_label=f"{_KINDS.get(item.kind, item.kind)}: {item.reason}"):
        with el("div", "", "row wrap"):
            tick("Tick this one", chosen, item.id, target)
            el("span", _KINDS.get(item.kind, item.kind), f"badge {item.kind}")
            el("strong", item.reason, "grow")
        with el("div", "", "columns"):
            with el("div"):
                el("h3", "Waits")
                if item.merge is not None:
                    el("p", f"{item.merge.other.name} ({item.merge.other.type}) counts as {item.merge.keep.name}")
                if item.memory is not None:
                    memory_card(page, item.memory, mark=suspected(item.memory))
            with el("div"):
                el("h3", "Meets")
                for other in item.others:
                    memory_card(page, other)
                if item.merge is not None:
                    el("p", f"{item.merge.keep.name} ({item.merge.keep.type})")
                elif not item.others:
                    el("p", "No other memory; the text itself is the reason.", "muted")
        with el("div", "", "actions"):
            admit, reject = partial(actions.admit, page, [target]), partial(actions.reject, page, [target])
            button("Admit", page.on(admit), "primary", picture="check", data_key="a")
            button("Reject", page.on(reject), picture="block", data_key="r")
