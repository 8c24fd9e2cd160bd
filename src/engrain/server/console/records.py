"""The Records page: exact values by key, one collection at a time, and the memory of each."""

from __future__ import annotations

from functools import partial

from engrain.model import results
from engrain.server.console.elements import button, details, el, empty, pre, section
from engrain.server.console.page import Page
from engrain.server.console.parts import described, owner

_LIMIT = 50


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        collection, prefix = page.query.get("collection"), page.query.get("prefix", "")
        if collection is None:
            _list(page, await page.call("records collections", limit=_LIMIT, cursor=page.cursor))
            return
        parts = [part for part in prefix.split("/") if part]
        found = await page.call("records list", collection=collection, prefix=parts, limit=_LIMIT, cursor=page.cursor)
        with el("div", "", "row wrap"):
            el("h2", collection, "grow")
            page.link("All collections", "/records", "button flat")
        if not found:
            empty("There is no such record in this scope.", "A collection belongs to exactly one user and agent.")
        for record in found:
            _record(page, collection, record)
        page.further(found.next)

    with page.asking("Show"):
        page.fields("records", page.query)
    await page.shows(show)


def _list(page: Page, found: results.Page[results.Collection]) -> None:
    if not found:
        empty("There are no records yet.", "Programs keep exact values here, such as checkpoints and settings.")
        return
    with section("Collections"):
        rows = []
        for each in found:
            way = partial(page.link, each.name, "/records", collection=each.name, **owner(each.scope))
            rows.append((way, described(each.scope), each.scope.session))
        page.table("Collections", ("collection", "of", "session"), rows)
        page.further(found.next)


def _record(page: Page, collection: str, record: results.ExactRecord) -> None:
    name = " / ".join(record.key)
    with details(name, classes="item"):
        pre(record.value, "Value")
        link = record.memory_id and partial(page.link, "its memory", "/memory", id=record.memory_id)
        rows = {"Revision": record.revision, "Made": record.created_at, "Changed": record.updated_at}
        page.pairs({**rows, "Expires": record.expires_at, "Found by": link})
        if page.may("records delete"):
            with el("div", "", "actions"):
                gone = f"Revision {record.revision} of this record of {collection} is gone for good, without undo"
                ask = f"Delete {name}?", f"{gone}{', and so is the memory of its index text' if link else ''}."
                whole = {"collection": collection, "key": list(record.key), "expected": record.revision}
                delete = page.doing("Deleted.", "records delete", ask=ask, verb="Delete", **whole)
                button("Delete", delete, "danger", picture="delete_forever")
