"""Memories: the table of everything in view, paged by the store, and what is done to many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from engrain.model.memory import Memory
from engrain.model.results import Imported, Ingested
from engrain.model.results import Page as Listed
from engrain.server.console import actions
from engrain.server.console.dialogs import Dialog
from engrain.server.console.elements import Tag, button, choice, details, el, empty, field
from engrain.server.console.page import Page
from engrain.server.console.parts import KINDS, status_of

_FILTERS = ("kinds", "status", "domain", "tags", "actor", "session", "since", "until", "order", "limit")
_STATUS = {"": "live", "all": "all"} | {s: s for s in ("superseded", "quarantined", "archived", "expired", "forgotten")}
_ORDERS = {
    "": "newest first",
    "recorded_at": "oldest first",
    "-updated_at": "changed last",
    "-valid_from": "latest event first",
    "valid_from": "earliest event first",
    "-importance": "most important first",
}
_FIELDS = {"domain": "Domain", "tags": "Tags, any of", "actor": "Stated by", "session": "Session"}
_FIELDS |= {"since": "Event since", "until": "Event before"}
_BULK = (
    ("Pin or unpin", actions.pin, "", ""),
    ("Forget", actions.forget, "", ""),
    ("Erase", actions.erase, "danger", "hard"),
)
_LIMIT = "50"
Column = tuple[str, Callable[[Memory], Any]]
_COLUMNS: tuple[Column, ...] = (
    ("kind", lambda memory: memory.kind.value),
    ("status", lambda memory: status_of(memory).replace("active", "")),
    ("by", lambda memory: memory.actor),
    ("session", lambda memory: memory.scope.session),
    ("importance", lambda memory: memory.importance),
    ("strength", lambda memory: memory.strength),
    ("trust", lambda memory: memory.trust),
    ("true since", lambda memory: memory.valid_from),
    ("until", lambda memory: memory.valid_until),
)
_NUMBERS = ("importance", "strength", "trust")
_SPARSE = ("status", "by", "session", "until")  # columns that are left out where no row has something in them


async def build(page: Page) -> None:
    """Build the page."""
    await MemoriesPage(page).build()


class MemoriesPage:
    """The table with its filters, and the memories that are ticked in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.ticked: dict[str, Memory] = {}
        self.bulk: Tag

    async def build(self) -> None:
        """Build it."""
        page = self.page
        with el("div", "", "row wrap"):
            if page.may("remember"):
                button("Add", page.on(partial(actions.add, page)), "primary", picture="add")
            if page.may("ingest"):
                button("Import", page.on(partial(import_file, page)), picture="upload_file")
        opened = any(name in page.query for name in _FILTERS)
        with details("Filter and sort", opened=opened), page.asking("Apply", classes=""), el("div", "", "grid3"):
            choice("Kind", "kinds", KINDS, page.query.get("kinds", ""))
            choice("Status", "status", _STATUS, page.query.get("status", ""))
            choice("Order", "order", _ORDERS, page.query.get("order", ""))
            for name, label in _FIELDS.items():
                field(label, name, page.query.get(name, ""), placeholder="2025-04-01" if label[:5] == "Event" else "")
            choice("Rows", "limit", {n: n for n in ("20", _LIMIT, "200")}, page.query.get("limit", _LIMIT))
        self.bulk = el("div", "", "bulk", role="group", aria_label="Ticked memories")
        await page.shows(self.show)

    async def show(self) -> None:
        """Show the page of the table that the address describes."""
        page, query = self.page, self.page.query
        given: dict[str, Any] = {name: query.get(name) for name in _FILTERS if name not in ("limit", "order")}
        given |= {name: query[name].split(",") for name in ("kinds", "tags") if name in query}
        rows: Listed[Memory] = await page.call(
            "list", **given, order=query.get("order"), limit=int(query.get("limit", _LIMIT)), cursor=query.get("cursor")
        )
        total = await page.call("count", **given)
        self.ticked = {each.id: each for each in rows if each.id in self.ticked}
        self._show_bulk()
        if not rows:
            what = "No memory is like this." if any(given.values()) else "Nothing is remembered yet."
            empty(what, "Drop a filter, or add one with the buttons above.")
            return
        with el("p", "", "summary"):
            el("strong", f"{total:,} {'memory' if total == 1 else 'memories'}")
            if len(rows) < total:
                el("span", f"{len(rows):,} on this page")
        self._table(rows)
        page.further(rows)

    def _table(self, rows: Listed[Memory]) -> None:
        columns = [each for each in _COLUMNS if each[0] not in _SPARSE or any(each[1](memory) for memory in rows)]
        with el("div", "", "scroll", tabindex="0", role="region", aria_label="Memories"), el("table", "", "memories"):
            with el("thead"), el("tr"):
                with el("th", "", scope="col"):
                    el("span", "tick", "hidden")
                for head in ("memory", *(head for head, _ in columns)):
                    el("th", head, "number" if head in _NUMBERS else "", scope="col")
            with el("tbody"):
                for memory in rows:
                    self._row(memory, columns)

    def _row(self, memory: Memory, columns: Sequence[Column]) -> None:
        page = self.page
        with el("tr", "", "item"):
            with el("td", "", "tick"):
                words = " ".join(memory.content.split())[:40]
                box = el("input", type="checkbox", aria_label=f"Tick {words}")
                box._props["^checked"] = "" if memory.id in self.ticked else None
                box.on("change", partial(self._tick, memory), js_handler="(e) => emit(e.target.checked)")
            with el("td", "", "wide", data_head="memory"):
                page.to_memory(memory)
            for head, value_of in columns:
                value = value_of(memory)
                look = "number" if isinstance(value, float) else "name" if head in ("by", "session") else ""
                with el("td", "", look, data_head=head, title=value if look == "name" else None):
                    if isinstance(value, datetime):
                        page.when(value, day=True)
                    elif isinstance(value, float):
                        el("span", f"{value:.2f}")
                    elif value:
                        el("span", value, f"badge {value}" if head in ("kind", "status") else "")

    def _tick(self, memory: Memory, event: Any) -> None:
        self.ticked.update({memory.id: memory}) if event.args else self.ticked.pop(memory.id, None)
        self._show_bulk()

    def _show_bulk(self) -> None:
        page = self.page
        self.bulk.clear()
        if not self.ticked:
            return
        with self.bulk, el("div", "", "row wrap bar-of-many"):
            el("strong", f"{len(self.ticked)} ticked")

            for label, work, classes, guarded in _BULK:
                if page.may("forget" if work is not actions.pin else "pin", guarded):
                    button(label, page.on(partial(self._do, work)), f"small {classes}")

    async def _do(self, work: Callable[..., Any]) -> None:
        await work(self.page, list(self.ticked.values()))


class _Stopped(Exception):
    """The import was cancelled."""


async def import_file(page: Page) -> None:
    """Read a file into memory, with progress and a report."""
    made = Dialog(page, "Import a file")
    state = {"done": 0.0, "stop": False}

    def progress(done: int, total: int, _label: str) -> None:
        if state["stop"]:
            raise _Stopped
        state["done"] = done / max(total, 1)

    async def read(event: Any) -> None:
        file, name = await page.received(event.file)
        bar.set(max=1)
        watch.activate()
        try:
            if name.removesuffix(".gz").endswith(".engrain.jsonl") and page.may("import"):
                _report(page, report, await page.call("import", path=file))
            else:
                found = await page.call("ingest", paths=file, name=name, more={"progress": progress})
                _report(page, report, found)
        except _Stopped:
            report.show("Cancelled; what was read so far is kept, and reading the file again adds only the rest.")
        finally:
            watch.deactivate()
            bar.set(value=1)
            page.discard(file)
        await page.reload()

    async def reading(event: Any) -> None:  # its parameter says that it wants the event
        await page.on(read)(event)

    with made.form:
        el("p", "Text, Markdown, JSON, JSONL or a chat export; .gz of each. Reading a file twice adds nothing.")
        upload = ui.upload(label="Choose a file", auto_upload=True, on_upload=reading, max_files=1)
        upload.props('flat bordered aria-label="File to import" color=primary')
        bar = el("progress", "", value=0, max=1, aria_label="Progress of the import")
        report = el("div", "", "report", role="status")
        with el("div", "", "actions end"):
            button("Cancel the import", lambda: state.update(stop=True))
            button("Done", made.cancel, "primary")
    watch = ui.timer(0.3, lambda: bar.set(value=round(float(state["done"]), 2)), active=False)
    await made.answer()
    watch.cancel()


def _report(page: Page, place: Tag, found: Ingested | Imported) -> None:
    rows: dict[str, object] = {"New": found.created, "Known already": found.known}
    if isinstance(found, Ingested):
        rows |= {"Files read": found.files} | {Path(each).name: why for each, why in found.failed.items()}
        rows |= {"Left out": ", ".join(f"{count:,} {what}" for what, count in found.left_out.items())}
    else:
        rows |= {f"Line {line}": why for line, why in list(found.rejected.items())[:20]}
    place.clear()
    with place:
        page.pairs(rows)
