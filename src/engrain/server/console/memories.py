"""Memories: the table of everything in view, paged by the store, and what is done to many at once."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from engrain.model.memory import Memory
from engrain.model.results import Imported, Ingested, in_words
from engrain.model.results import Page as Listed
from engrain.server.console import actions
from engrain.server.console.elements import Tag, button, choice, details, el, empty, field, listed, problem, tick
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page, Progress
from engrain.server.console.parts import status_of

_FILTERS = ("words", "kinds", "status", "domain", "tags", "actor", "session", "since", "until", "order", "limit")
_SORTED = {"importance": "importance", "true since": "valid_from"}  # columns by which the store sorts
_BULK = (("Pin or unpin", actions.pin, ""), ("Forget", actions.forget, ""), ("Erase", actions.erase, "hard"))
_LIMIT = "50"
_SPARSE = ("status", "by", "session", "until")  # columns that are left out where no row has something in them


async def build(page: Page) -> None:
    """Build the page."""
    with el("div", "", "row wrap"):
        if page.may("remember"):
            button("Add", page.on(partial(actions.add, page)), "primary", picture="add")
        if page.may("ingest"):
            button("Import", page.on(partial(import_file, page)), picture="upload_file")
    opened = any(name in page.query for name in _FILTERS)
    with details("Filter and sort", opened=opened), page.asking("Apply", classes=""), el("div", "", "grid3"):
        field("Words in it", "words", page.query.get("words", ""))
        choice("Kind", "kinds", WORDS["kinds"], page.query.get("kinds", ""))
        choice("Status", "status", WORDS["status"], page.query.get("status", ""))
        choice("Order", "order", WORDS["order"], page.query.get("order", ""))
        for name, label in WORDS["field"].items():
            field(label, name, page.query.get(name, ""), placeholder="2025-04-01" if label[:5] == "Event" else "")
        choice("Rows", "limit", {n: n for n in ("20", _LIMIT, "200")}, page.query.get("limit", _LIMIT))
    made = _MemoriesPage(page, el("div", "", "bulk", role="group", aria_label="Ticked memories"))
    await page.shows(made.show)


class _MemoriesPage:
    """The table with its filters, and the memories that are ticked in it."""

    def __init__(self, page: Page, bulk: Tag) -> None:
        self.page, self.bulk = page, bulk
        self.ticked: dict[str, Memory] = {}

    async def show(self) -> None:
        """Show the page of the table that the address describes."""
        page, query = self.page, self.page.query
        given: dict[str, Any] = {name: query.get(name) for name in _FILTERS if name not in ("limit", "order")}
        given |= {name: listed(query[name]) for name in ("kinds", "tags") if name in query}
        filtered, most = any(given.values()), int(query.get("limit", _LIMIT))
        rows: Listed[Memory]
        if words := given.pop("words"):
            found = await page.call("recall", query=words, k=most, touch=False, exclude_superseded=False, **given)
            rows = Listed([hit.memory for hit in found if any(each.name == "words" for each in hit.signals)])
            total = len(rows)
        else:
            total = await page.call("count", **given)
            rows = await page.call("list", **given, order=query.get("order"), limit=most, cursor=page.cursor)
        self.ticked = {each.id: each for each in rows if each.id in self.ticked}
        self._show_bulk()
        if not rows:
            what = "No memory is like this." if filtered else "Nothing is remembered yet."
            empty(what, "Drop a filter." if filtered else "Add a memory, or import a chat or a document.")
            return
        with el("p", "", "summary"):
            el("strong", f"{total:,} {'memory' if total == 1 else 'memories'}")
            if len(rows) < total:
                el("span", f"{len(rows):,} on this page")
            if words:
                el("span", f"with these words, the best {most} at most; status and order are left aside")
        table = [self._row(memory) for memory in rows]
        heads = [head for head in table[0] if head not in _SPARSE or any(row[head] for row in table)]
        page.sortable = {} if words else _SORTED
        page.table("Memories", heads, ([row[head] for head in heads] for row in table), "memories")
        page.further(rows.next)

    def _row(self, memory: Memory) -> dict[str, object]:
        page, status = self.page, status_of(memory)
        label = f"Tick {' '.join(memory.content.split())[:40]}"
        return {
            "tick": partial(tick, label, self.ticked, memory.id, memory, self._show_bulk),
            "memory": memory,
            "kind": partial(el, "span", memory.kind.value, "badge"),
            "status": "" if status == "active" else partial(el, "span", status, f"badge {status}"),
            "by": memory.actor,
            "session": memory.scope.session,
            "importance": memory.importance,
            "strength": memory.strength,
            "trust": memory.trust,
            "true since": partial(page.when, memory.valid_from, day=True),
            "until": memory.valid_until and partial(page.when, memory.valid_until, day=True),
        }

    def _show_bulk(self) -> None:
        page = self.page
        self.bulk.clear()
        if not self.ticked:
            return
        with self.bulk, el("div", "", "row wrap bar-of-many"):
            el("strong", f"{len(self.ticked)} ticked")
            for label, work, guarded in _BULK:
                look = "small danger" if guarded else "small"
                if page.may("forget" if work is not actions.pin else "pin", guarded):
                    button(label, page.on(partial(work, page, list(self.ticked.values()))), look)


async def import_file(page: Page) -> None:
    """Read a file into memory, with progress and a report."""

    async def read(event: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="engrain-") as folder:
            file = Path(folder, Path(event.file.name.replace("\\", "/")).name.lstrip(".") or "file")
            await event.file.save(file)
            report.clear()
            is_export = file.name.removesuffix(".gz").endswith(".engrain.jsonl") and page.may("import")

            def work(progress: Progress) -> Awaitable[Any]:
                if is_export:
                    return page.call("import", path=file)
                return page.call("ingest", paths=file, name=file.name, more={"progress": progress})

            found = await page.long(f"Reading {file.name}", work, report)
            if found is not None:
                _report(page, report, found)
        await page.reload()

    async def reading(event: Any) -> None:  # its parameter says that it wants the event
        await page.on(read)(event)

    with page.dialog("Import a file") as made:
        el("p", "Text, Markdown, PDF, Word, web pages, JSON and JSONL; chats of ChatGPT, Claude and others as JSON.")
        el("p", "A text is read by its paragraphs. Reading a file twice adds nothing.", "muted")
        upload = ui.upload(auto_upload=True, on_upload=reading).classes("out").props("no-thumbnails")
        choose = button("Choose a file", upload.reset, picture="upload_file", autofocus=True)
        choose.on("click", js_handler=f"() => document.querySelector('#c{upload.id} input[type=file]').click()")
        report = el("div", "", "report", role="status")
    await made.answer()


def _report(page: Page, place: Tag, found: Ingested | Imported) -> None:
    rows: dict[str, object] = {"New": found.created, "Known already": found.known}
    if isinstance(found, Ingested):
        rows |= {"Files read": found.files}
        rows |= {"Left out": in_words(found.left_out)}
    else:
        rows |= {f"Line {line}": why for line, why in list(found.rejected.items())[:20]}
    with place:
        for each, why in found.failed.items() if isinstance(found, Ingested) else ():
            problem(f"{Path(each).name} was not read", why)
        page.pairs(rows)
