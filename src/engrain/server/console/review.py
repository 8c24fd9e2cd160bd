"""Review: what waits for a verdict, side by side with what it meets, and the reason."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from engrain.model.memory import Memory
from engrain.model.results import Page as Listed
from engrain.model.results import ReviewItem
from engrain.server.console import actions
from engrain.server.console.elements import Tag, button, el, empty, tick
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
        with el("div", "", "stack", role="group", aria_label="Decide on many") as many:
            ticked = partial(_many, page, chosen, many)
        if len(items) > 1:
            ticked()
        for item in items:
            _item(page, item, chosen, ticked)
        page.further(items.next)

    await page.shows(show)


def _many(page: Page, chosen: Mapping[str, Memory | str], place: Tag) -> None:
    place.clear()
    with place, el("div", "", "row wrap bar-of-many"):
        el("span", f"{len(chosen)} ticked" if chosen else "Tick some to decide on them together.", "muted")
        for label, verdict in (("Admit", actions.admit), ("Reject", actions.reject)):
            decide = page.on(partial(verdict, page, list(chosen.values())))
            button(f"{label} {len(chosen)} ticked", decide, "small", disabled=not chosen)


def _item(page: Page, item: ReviewItem, chosen: dict[str, Memory | str], ticked: Callable[[], None]) -> None:
    target = item.id if item.memory is None or item.merge is not None else item.memory
    with el("section", "", "card item", aria_label=f"{_KINDS.get(item.kind, item.kind)}: {item.reason}"):
        with el("div", "", "row wrap"):
            tick("Tick this one", chosen, item.id, target, ticked)
            el("span", _KINDS.get(item.kind, item.kind), f"badge {item.kind}")
            el("h2", item.reason, "grow")
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
            first = "Reject" if item.kind == "quarantine" else "Admit"
            for label, act, picture in (("Admit", admit, "check"), ("Reject", reject, "block")):
                look = "primary" if label == first else ""
                button(label, page.on(act), look, picture=picture, data_key=label[0].lower())
