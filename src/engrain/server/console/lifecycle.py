"""The Lifecycle page: the number of memories over time, due ones, and the policies by which they fade."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from engrain.model.results import Counts, in_words
from engrain.policies.retention import RetentionPolicy
from engrain.server.console.elements import button, el, empty, meter, section
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import lines

_KINDS = ("working", "episodic", "semantic", "procedural")
_STATUS = ("active", "superseded", "quarantined", "archived", "expired", "forgotten")
_AGES = {"a day": (0, 1), "a week": (1, 7), "a month": (7, 30), "3 months": (30, 91), "a year": (91, 365)}


async def show(page: Page) -> None:
    """Show the page."""
    with section("Memories over time"):
        await page.later(partial(_timeline, page))
    await page.later(partial(_now, page))
    with section("Policies: how importance fades"):
        _policies(page, [await page.call("lifecycle policy", kind=kind) for kind in _KINDS])


async def _now(page: Page) -> None:
    now = datetime.now(UTC)
    heats = {heat: await page.call("count", heat=heat) for heat in ("hot", "warm", "cold")}
    ages = {
        name: await page.call("count", since=now - timedelta(days=oldest), until=now - timedelta(days=youngest))
        for name, (youngest, oldest) in _AGES.items()
    }
    ages["older"] = await page.call("count", until=now - timedelta(days=365))
    newest = await page.call("list", limit=1_000)
    counts = Counter(min(each.strength // 0.5 / 2, 2.0) for each in newest)
    strengths = {f"from {least:g}": counts[least] for least in sorted(counts)}
    stats = await page.call("stats")
    if not newest:
        empty("Nothing is remembered yet.", "Add a memory in Memories: here you see how it fades and what keeps it.")
        return
    with el("div", "", "columns thin"):
        for title, shares in {"Kinds": stats.by_kind, "Strength": strengths, "In use": heats, "Age": ages}.items():
            with section(title):
                if not shares:
                    el("p", "None yet.", "muted")
                most = max([*shares.values(), 1])
                for name, count in shares.items():
                    meter(name, count / most, f"{count:,}", "words")
                el("p", WORDS["shares"][title].format(len(newest)), "muted")
                for status in ("archived", "expired", "forgotten") if title == "Kinds" else ():
                    if stats.by_status.get(status):
                        page.link(f"Show what is {status}", "/memories", "block", status=status)
        if page.may("sweep"):
            with section("Due next"):
                due = await page.call("sweep", dry_run=True)
                found = {label: getattr(due, name) for name, label in WORDS["due"].items()}
                page.pairs(found)
                idle = not any(found.values())
                button("Sweep now", page.on(partial(_sweep, page, found)), picture="cleaning_services", disabled=idle)


async def _sweep(page: Page, due: dict[str, int]) -> None:
    if await page.ask("Sweep now?", f"This is due: {in_words(due)}.", verb="Sweep") is not None:
        done = await page.call("sweep")
        await page.done(f"Swept: {done.expired:,} expired, {done.archived:,} archived, {done.jobs_done:,} jobs done.")


async def _timeline(page: Page) -> None:
    counts: Sequence[Counts] = await page.call("lifecycle timeline")
    if len(counts) < 2:
        el("p", "There is too little to draw a line.", "muted")
        return
    series = {name: [(each.at.timestamp(), getattr(each, name)) for each in counts] for name in _STATUS}
    shown = {name: points for name, points in series.items() if any(value for _, value in points)} or series
    most = max(value for points in shown.values() for _, value in points)
    lines(shown, (page.time(counts[0].at), page.time(counts[-1].at)), "Memories by status over time", f"{most:,}")


def _policies(page: Page, policies: Sequence[RetentionPolicy]) -> None:
    def cells(policy: RetentionPolicy) -> tuple[str, ...]:
        figures = [(name, getattr(policy, name), unit) for name, unit in WORDS["units"].items()]
        curve = ", ".join(f"{name} {figure:g}{unit}" for name, figure, unit in figures if figure is not None)
        lives = f"{policy.ttl.days} days" if isinstance(policy.ttl, timedelta) else "without end"
        kept = f"{policy.cap:,} of an agent" if isinstance(policy.cap, int) else "any number"
        below = f"below {policy.archive_below:g}" if isinstance(policy.archive_below, float) else "never"
        return str(policy.kind), f"{policy.curve} ({curve})" if curve else str(policy.curve), lives, kept, below

    days = [365.0 * step / 60 for step in range(61)]
    series = {str(policy.kind): [(day, policy.decayed(1.0, day)) for day in days] for policy in policies}
    lines(series, ("recorded", "a year later"), "Share of the importance that is left, by kind", "100%")
    page.table("Policies", ("kind", "fades", "lives", "at most", "archived"), map(cells, policies))
