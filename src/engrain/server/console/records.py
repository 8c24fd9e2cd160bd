"""Records: exact values by key, a collection at a time, and the memory that each is found by."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from engrain.model.results import ExactRecord
from engrain.server.console.dialogs import ask
from engrain.server.console.page import Page, Tag, as_json, button, details, el, empty, field, form, pairs

_LIMIT, _SHOWN = 50, 4_000


async def build(page: Page) -> None:
    """Build the page."""
    place: Tag

    async def show() -> None:
        collection, prefix = page.query.get("collection"), page.query.get("prefix", "")
        found = None
        if collection is not None:
            parts = [part for part in prefix.split("/") if part]
            cursor = page.query.get("cursor")
            found = await page.call("records list", collection=collection, prefix=parts, limit=_LIMIT, cursor=cursor)
        place.clear()
        with place:
            if found is None:
                empty("Name a collection to see its records.", "Programs keep exact values there, such as checkpoints.")
            elif not found:
                empty(
                    "There is no record of this name in this scope.",
                    "Collections belong to exactly one user and agent.",
                )
            for record in found or ():
                _record(page, str(collection), record)
            if found is not None and found.next:
                page.link("Next page", "/records", "button", collection=collection, prefix=prefix, cursor=found.next)

    async def asked(values: Mapping[str, str]) -> None:
        page.put({**{name: value.strip() for name, value in values.items()}, "cursor": ""}, push=True)
        await show()

    with form(page.on(asked), "row wrap", role="search"):
        field("Collection", "collection", page.query.get("collection", ""), kind="search", required=True)
        field("Keys that begin with", "prefix", page.query.get("prefix", ""), placeholder="parts/of/the/key")
        el("button", "Show", "button primary", type="submit")
    place = el("div", "", "stack", aria_live="polite")
    page.refresh = show
    await show()


def _record(page: Page, collection: str, record: ExactRecord) -> None:
    with details(" / ".join(record.key), classes="item"):
        value = record.value
        text = f"{len(value):,} bytes" if isinstance(value, bytes) else as_json(value)
        el("pre", text[:_SHOWN] + ("…" if len(text) > _SHOWN else ""), tabindex="0", role="region", aria_label="Value")
        pairs(
            (
                ("Revision", f"{record.revision:,}"),
                ("Made", lambda: page.when(record.created_at, precise=True)),
                ("Changed", lambda: page.when(record.updated_at, precise=True)),
                ("Expires", record.expires_at and (lambda: page.when(record.expires_at))),
                ("Found by", record.memory_id and (lambda: page.link("its memory", "/memory", id=record.memory_id))),
            )
        )
        if page.may("records delete"):
            with el("div", "", "actions"):
                button(
                    "Delete", page.on(partial(_delete, page, collection, record)), "danger", picture="delete_forever"
                )


async def _delete(page: Page, collection: str, record: ExactRecord) -> None:
    name = " / ".join(record.key)
    line = "The record and the memory of its index text are gone for good; this cannot be undone."
    if await ask(page, f"Delete {name}?", line, verb="Delete", danger=True) is not None:
        await page.call("records delete", collection=collection, key=list(record.key), expected=record.revision)
        await page.done("Deleted.")
