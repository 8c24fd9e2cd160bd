"""The Review page: pending memories, side by side with those they concern, and the reason."""

from __future__ import annotations

from functools import partial

from engrain.model import results
from engrain.model.memory import Memory
from engrain.server.console import actions
from engrain.server.console.elements import button, el, empty
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import Act, Ticks, memory_card
from engrain.views import suspected

_LIMIT, _COUNTED, _KINDS = 20, 50, WORDS["review"]
_MANY: dict[str, tuple[Act[Memory | str], str]] = {
    "Admit {} ticked": (actions.admit, ""),
    "Reject {} ticked": (actions.reject, ""),
}


async def build(page: Page) -> None:
    """Build the page."""
    wanted = page.query.get("kind")
    tabs = el("div", "", "tabs", role="group", aria_label="What waits")
    many = Ticks[Memory | str](page, "Decide on many", _MANY, hint="Tick some to decide on them together.")

    async def show() -> None:
        items = await page.call("review", kind=wanted, limit=_LIMIT, cursor=page.cursor)
        counted = [await page.call("review", kind=kind or None, limit=_COUNTED) for kind in _KINDS]
        tabs.clear()
        with tabs:
            for (kind, label), some in zip(_KINDS.items(), counted, strict=True):
                look, text = "here" if (wanted or "") == kind else "", f"{label} {len(some)}{'+' if some.next else ''}"
                page.link(text, "/review", look, kind=kind).set(aria_current="true" if look else None)
        if not items:
            what = "Nothing of this kind waits for a verdict." if counted[0] else "Nothing waits for a verdict."
            empty(what, "What looks like an attack or contradicts others will wait here.")
        settled = {each.id: each.id if each.memory is None or each.merge else each.memory for each in items}
        many.show(settled, {})
        for item in items:
            _item(page, item, settled[item.id], many)
        page.further(items.next)

    await page.shows(show)


def _item(page: Page, item: results.ReviewItem, settled: Memory | str, many: Ticks[Memory | str]) -> None:
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
                decide, look = page.on(partial(act, page, [settled])), "primary" if label == first else ""
                button(label, decide, look, picture=picture, data_key=label[0].lower())
