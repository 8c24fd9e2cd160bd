"""The Memories page: a table of all memories in view, paged by the store, and bulk actions."""

from __future__ import annotations

import tempfile
from collections.abc import Awaitable, Mapping
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

from nicegui import ui

from engrain.model import results
from engrain.model.memory import Memory
from engrain.server.console import actions
from engrain.server.console.elements import Tag, button, details, el, empty, listed, problem
from engrain.server.console.gate import FORMS
from engrain.server.console.page import Page, Progress
from engrain.server.console.parts import GONE, Act, Ticks, status_of
from engrain.text import number_of

_SORTED = {"importance": "importance", "true since": "valid_from"}  # columns by which the store sorts
_BULK: tuple[tuple[str, Act[Memory], str, str], ...] = (
    ("Pin or unpin", actions.pin, "pin", ""),
    ("Bring back", actions.bring_back, "reinstate", ""),
    ("Forget", actions.forget, "forget", ""),
    ("Erase", actions.erase, "forget", "hard"),
)
_LIMIT = "50"
_SPARSE = ("status", "by", "session", "until")  # columns that are left out where no row has something in them


async def build(page: Page) -> None:
    """Build the page."""
    with el("div", "", "row wrap"):
        if page.may("remember"):
            button("Add", page.on(partial(actions.add, page)), "primary", picture="add")
        if page.may("ingest"):
            button("Import", page.on(partial(import_file, page)), picture="upload_file")
    opened = not FORMS["memories"].keys().isdisjoint(page.query)
    with details("Filter and sort", opened=opened), page.asking("Apply", ("added",), ""), el("div", "", "grid3"):
        page.fields("memories", page.query)
    may = {label: (work, "danger" if guard else "") for label, work, name, guard in _BULK if page.may(name, guard)}
    await page.shows(partial(_show, page, may, Ticks(page, "Ticked memories", may)))


async def _show(page: Page, may: Mapping[str, tuple[Act[Memory], str]], ticks: Ticks[Memory]) -> None:
    query = page.query
    given: dict[str, Any] = {name: query.get(name) for name in {"added", *FORMS["memories"]} - {"limit", "order"}}
    given |= {name: listed(query[name]) for name in ("kinds", "tags") if name in query}
    most, added = int(query.get("limit", _LIMIT)), query.get("added")
    total = None if added else await page.call("count", **given)
    paged: dict[str, Any] = {"limit": most, "cursor": page.cursor, "order": query.get("order")}
    rows = await (_added(page, added, paged) if added else page.call("list", **given, **paged))
    here = {each.id: each for each in rows}
    away = [await page.call("get", memory_id=each) for each in ticks.chosen.keys() - here.keys()]
    ticks.acts = {label: each for label, each in may.items() if label != "Bring back" or given["status"] in GONE}
    ticks.show(here, {each.id: each for each in away if each is not None})
    if not rows:
        what = "No memory is like this." if any(given.values()) else "Nothing is remembered yet."
        empty(what, "Drop a filter." if any(given.values()) else "Add a memory, or import a chat or a document.")
        return
    with el("p", "", "summary"):
        el("strong", "What one import added" if total is None else number_of(total, "memory", "memories"))
        if total is None or len(rows) < total:
            el("span", f"{len(rows):,} on this page")
    table = [_row(page, ticks, memory) for memory in rows]
    heads = [head for head in table[0] if head not in _SPARSE or any(row[head] for row in table)]
    page.sortable = {"tick": ticks.all_boxes, **({} if added else _SORTED)}
    page.table("Memories", heads, ([row[head] for head in heads] for row in table), "memories")
    page.further(rows.next)


async def _added(page: Page, run: str, paged: Mapping[str, Any]) -> results.Page[Memory]:
    """Return a page of what an import added, by the audit trail: `run` is its operation, and from when to when."""
    within: dict[str, Any] = dict(zip(("operation", "since", "until"), run.split(), strict=True))
    entries = await page.call("audit log", **within, **paged, actor=page.caller.actor)
    found = [await page.call("get", memory_id=each.memory_id) for each in entries]  # None: an entity, or erased
    return results.Page([each for each in found if each is not None], entries.next)


def _row(page: Page, ticks: Ticks[Memory], memory: Memory) -> dict[str, object]:
    status = status_of(memory)
    return {
        "tick": partial(ticks.box, f"Tick {' '.join(memory.content.split())[:40]}", memory.id),
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


async def import_file(page: Page) -> None:
    """Read a file into memory, with progress and a report."""

    async def read(sent: Any) -> None:
        with tempfile.TemporaryDirectory(prefix="engrain-") as folder:
            file = Path(folder, Path(sent.name.replace("\\", "/")).name.lstrip(".") or "file")
            await sent.save(file)
            report.clear()
            is_export = file.name.removesuffix(".gz").endswith(".engrain.jsonl") and page.may("import")

            def work(progress: Progress) -> Awaitable[Any]:
                if is_export:
                    return page.call("import", path=file)
                return page.call("ingest", paths=file, name=file.name, more={"progress": progress})

            run = f"{'import' if is_export else 'create'} {datetime.now(UTC).isoformat()}"
            found = await page.long(f"Reading {file.name}", work, report)
            if found is not None:
                _report(page, report, found, f"{run} {datetime.now(UTC).isoformat()}")
        await page.reload()

    with page.dialog("Import a file") as made:
        el("p", "Text, Markdown, PDF, Word, web pages, JSON and JSONL; chats of ChatGPT, Claude and others as JSON.")
        el("p", "A file read twice adds nothing. This cannot be undone: tick and forget what it added.", "muted")
        upload = ui.upload(auto_upload=True, on_upload=lambda event: page.on(read)(event.file))
        upload.classes("out").props("no-thumbnails")
        choose = button("Choose a file", upload.reset, picture="upload_file", autofocus=True)
        choose.on("click", js_handler=f"() => document.querySelector('#c{upload.id} input[type=file]').click()")
        report = el("div", "", "report", role="status")
    await made.answer()


def _report(page: Page, place: Tag, found: results.Ingested | results.Imported, run: str) -> None:
    rows: dict[str, object] = {"New": found.created, "Known already": found.known}
    if isinstance(found, results.Ingested):
        rows |= {"Files read": found.files or None, "Left out": results.in_words(found.left_out)}
    else:
        rows |= {f"Line {line}": why for line, why in list(found.rejected.items())[:20]}
    with place:
        for each, why in found.failed.items() if isinstance(found, results.Ingested) else ():
            name, part = Path(each).name, " to its end" if found.created or found.known else ""
            advice = "Put this right and import the file again: nothing is stored twice."
            problem(f"{name} was not read{part}", f"{why.replace(each, name)}. {advice}")
        page.pairs(rows)
        if found.created and page.may("audit log"):
            page.link("See what was added", "/memories", added=run, limit=200 if found.created > 50 else None)
