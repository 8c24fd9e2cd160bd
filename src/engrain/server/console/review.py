"""The Review page: pending memories, side by side with those they concern, and the reason."""

from __future__ import annotations

from functools import partial

from engrain.model.memory import Memory
from engrain.model.results import Page as Listed
from engrain.model.results import ReviewItem
from engrain.server.console import actions
from engrain.server.console.elements import button, el, empty
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import Act, Ticks, memory_card
from engrain.views import suspected

_LIMIT, _KINDS = 20, WORDS["review"]
_MANY: dict[str, tuple[Act[Memory | str], str]] = {
    "Admit {} ticked": (actions.admit, ""),
    "Reject {} ticked": (actions.reject, ""),
}


async def build(page: Page) -> None:
    """Build the page."""
    wanted = page.query.get("kind")
    with el("div", "", "tabs", role="group", aria_label="What waits"):
        for kind, label in _KINDS.items():
            here = (wanted or "") == kind
            page.link(label, "/review", "here" if here else "", kind=kind).set(aria_current="true" if here else None)

    many = Ticks[Memory | str](page, "Decide on many", _MANY, hint="Tick some to decide on them together.")

    async def show() -> None:
        items: Listed[ReviewItem] = await page.call("review", kind=wanted, limit=_LIMIT, cursor=page.cursor)
        if not items:
            empty("Nothing waits for a verdict.", "What looks like an attack or contradicts others will wait here.")
        many.show({item.id: _target(item) for item in items}, {})
        for item in items:
            _item(page, item, many)
        page.further(items.next)

    await page.shows(show)


def _target(item: ReviewItem) -> Memory | str:
    return item.id if item.memory is None or item.merge is not None else item.memory


def _item(page: Page, item: ReviewItem, many: Ticks[Memory | str]) -> None:
    with el("section", "", "card item", aria_label=f"{_KINDS.get(item.kind, item.kind)}: {item.reason}"):
        with el("div", "", "row wrap"):
            many.box("Tick this one", item.id)
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
            first = "Reject" if item.kind == "quarantine" else "Admit"
            for label, act, picture in (("Admit", actions.admit, "check"), ("Reject", actions.reject, "block")):
                decide, look = page.on(partial(act, page, [_target(item)])), "primary" if label == first else ""
                button(label, decide, look, picture=picture, data_key=label[0].lower())
