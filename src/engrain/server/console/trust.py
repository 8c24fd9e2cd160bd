"""The Trust page: the state of the audit trail, its entries, and the receipts of erasures."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from datetime import timedelta
from functools import partial

from engrain.model.audit import Receipt
from engrain.model.memory import Memory
from engrain.model.results import Page as Listed
from engrain.server.console.actions import show_receipts
from engrain.server.console.elements import button, details, download, el, empty, field, form, meter, section
from engrain.server.console.page import Page

_ENTRIES, _RECEIPTS, _FINDINGS, _MONTHS, _VERDICTS, _CHAINS = 50, 200, 1_000, 12, 50, 20
_BEFORE = timedelta(microseconds=1)


async def show(page: Page) -> None:
    """Show the page."""
    receipts, op = await page.call("receipts", limit=_RECEIPTS), page.query.get("operation")
    entries = await page.call("audit log", limit=_ENTRIES, cursor=page.cursor, operation=op)
    with el("div", "", "columns"):
        with section("The audit trail"):
            await page.later(partial(_chain, page))
        with section("Compare with a head that was kept elsewhere"):
            _compare(page)
    with el("div", "", "columns"):
        with section("Memories as they were written"):
            _integrity(page)
        with section("What looked like an attack"):
            await page.later(partial(_findings, page))
    with section("Receipts of erasures"):
        _receipts(page, receipts)
    with section("What was done"):
        with details("Filter", opened=op is not None), page.asking("Apply"):
            field("Operation", "operation", op or "", placeholder="create, update, erase …")
        if entries:
            page.audit(entries, "Audit trail")
        else:
            empty("Nothing like this was done.", "Take another operation, or leave the field empty to see all.")
        page.further(entries.next)


async def _chain(page: Page) -> None:
    report, head = await page.call("audit verify"), await page.call("audit head")
    el("p", "whole" if report.ok else "broken", f"badge {'good' if report.ok else 'bad'}")
    rows: dict[str, object] = {
        "Entries": report.entries,
        "Vouched for": "yes" if report.anchored else "not from outside this store",
        "Breaks at": "" if report.first_broken is None else f"entry {report.first_broken:,}",
        "Notes": "; ".join(report.notes),
        "Head": f"{head.seq:,} · {head.hash[:16]}… · {'signed' if head.signature else 'not signed'}",
    }
    for user, number in list((head.chains or {}).items())[:_CHAINS]:
        own = f" · {(await page.call('audit head', user=user)).hash[:16]}…" if user else ""
        rows[f"Chain of {user or 'everybody'}"] = f"{number:,}{own}"
    page.pairs(rows)
    with el("div", "", "actions"):
        button("Save the head", lambda: download(head.to_dict(), f"head-{head.seq}.json"), picture="download")
        if page.may("audit sign") and page.context.memory.public_key is not None:
            button("Sign the trail", page.doing("Signed.", "audit sign"), picture="verified")


def _compare(page: Page) -> None:
    async def compare(values: Mapping[str, str]) -> None:
        try:
            head = json.loads(values["head"])
        except ValueError:
            raise ValueError("this is no JSON: paste the file that “Save the head” wrote") from None
        report = await page.call("audit verify", head=head)
        el("p", "whole, and it goes on from that head" if report.ok else "not what it was", "strong")
        el("p", "; ".join(report.notes), "muted")

    with form(page.outcome(compare)):
        field("The head, as JSON", "head", kind="textarea", rows=4, required=True)
        el("button", "Verify", "button", type="submit")


def _integrity(page: Page) -> None:
    async def check() -> None:
        report = await page.call("audit integrity")
        el("p", f"{report.integrity_score:.1%} of {report.total:,} are as they were written.", "strong")
        for memory_id in report.tampered_ids[:20]:
            page.link(memory_id, "/memory", id=memory_id)

    el("p", "Each text is compared with its hash, its signature and its last entry in the trail.", "muted")
    button("Compare all", page.outcome(check), picture="fact_check")


async def _findings(page: Page) -> None:
    """Draw how many memories of each month looked like an attack, by when they were recorded, whatever the verdict."""
    found: dict[str, Memory] = {}
    admitted = await page.call("audit log", operation="validate", limit=_VERDICTS)
    for at in (None, *(entry.at - _BEFORE for entry in admitted)):
        how = {"status": "quarantined", "order": "-recorded_at", "limit": _FINDINGS, "known_at": at}
        found |= {each.id: each for each in await page.call("list", **how)}
    for entry in await page.call("audit log", operation="reject", limit=_VERDICTS):
        versions = await page.call("history", memory_id=entry.memory_id)  # a rejected suspect is forgotten
        found |= {each.id: each for each in versions if each.id == entry.memory_id and each.status == "forgotten"}
    counts = Counter(f"{each.recorded_at.astimezone(page.zone):%Y-%m}" for each in found.values())
    if not counts:
        el("p", "Nothing looked like an attack.", "muted")
        return
    most = max(counts.values())
    for month, count in sorted(counts.items(), reverse=True)[:_MONTHS]:
        meter(month, count / most, f"{count:,}")
    page.link("See what waits in Review", "/review", kind="quarantine")


def _receipts(page: Page, receipts: Listed[Receipt]) -> None:
    if not receipts:
        empty("Nothing was erased here.", "An erasure leaves a receipt that proves it.")
        return
    rows = []
    for each in reversed(receipts):
        act = page.on(partial(show_receipts, page, [each]))
        show = partial(button, "Show", act, "small", aria_label=f"Show {each.id}")
        rows.append((each.at, each.status, "yes" if each.verified else "not yet", len(each.memory_ids), show))
    page.table("Receipts", ("erased at", "status", "searched, nothing found", "memories", "receipt"), rows)
    button("Save all", lambda: download(list(receipts), "receipts.json"), picture="download")
