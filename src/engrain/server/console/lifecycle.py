"""Lifecycle: how many memories there were when, what is due, and the policies by which they fade."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from functools import partial

from engrain.model.results import Counts
from engrain.policies.retention import RetentionPolicy
from engrain.server.console.dialogs import ask
from engrain.server.console.elements import button, el, pairs, section, table
from engrain.server.console.page import Page

_KINDS = ("working", "episodic", "semantic", "procedural")
_STATUS = ("active", "superseded", "quarantined", "archived", "expired", "forgotten")


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        with section("Over time"):
            await page.later(partial(_timeline, page))
        await page.later(partial(_now, page))
        with section("Policies"):
            _policies([await page.call("lifecycle policy", kind=kind) for kind in _KINDS])

    await page.shows(show)


async def _now(page: Page) -> None:
    heats = {heat: await page.call("count", heat=heat) for heat in ("hot", "warm", "cold")}
    stats = await page.call("stats")
    due = await page.call("sweep", dry_run=True) if page.may("sweep") else None
    with el("div", "", "columns"):
        with section("Now"):
            pairs((name, f"{stats.by_status.get(name, 0):,}") for name in _STATUS if stats.by_status.get(name))
            pairs((name, f"{count:,}") for name, count in stats.by_kind.items())
        with section("In use"):
            pairs((name, f"{count:,}") for name, count in heats.items())
            el("p", "Hot was recalled three times lately, cold not for seven days.", "muted")
        if due is not None:
            with section("Due next"):
                _due(page, due)


def _due(page: Page, due: object) -> None:
    names = ("expired", "archived", "sessions_ended", "jobs_done")
    found = {name: getattr(due, name) for name in names}
    pairs((name.replace("_", " ").replace("done", "to do"), f"{count:,}") for name, count in found.items())
    button("Sweep now", page.on(partial(_sweep, page, found)), picture="cleaning_services")


async def _sweep(page: Page, due: dict[str, int]) -> None:
    lines = [f"{count:,} {name.replace('_', ' ')}" for name, count in due.items()]
    if await ask(page, "Sweep now?", "It would do: " + ", ".join(lines) + ".", verb="Sweep") is not None:
        done = await page.call("sweep")
        await page.done(f"Swept: {done.expired:,} expired, {done.archived:,} archived, {done.jobs_done:,} jobs done.")


async def _timeline(page: Page) -> None:
    counts: Sequence[Counts] = await page.call("lifecycle timeline")
    if len(counts) < 2:
        el("p", "There is too little to draw a line.", "muted")
        return
    first, span = counts[0].at, max(counts[-1].at - counts[0].at, timedelta(milliseconds=1))
    most = max(max(getattr(each, name) for name in _STATUS) for each in counts) or 1
    shown = [name for name in _STATUS if any(getattr(each, name) for each in counts)]
    with el("p", "", "chips"):
        for name in shown:
            el("span", f"{name} {getattr(counts[-1], name):,}", f"badge line-of {name}")
    with el("svg", "", "timeline", viewBox="0 0 1000 240", role="img", aria_label="Memories by status over time"):
        for share in (0.0, 0.5, 1.0):
            y = 200 - share * 180
            el("line", "", "grid", x1=60, x2=990, y1=y, y2=y)
            el("text", f"{most * share:,.0f}", "axis", x=4, y=y + 4)
        for name in shown:
            points = (
                f"{60 + (each.at - first) / span * 930:.1f},{200 - getattr(each, name) / most * 180:.1f}"
                for each in counts
            )
            el("polyline", "", f"line {name}", points=" ".join(points))
        el("text", page.time(first), "axis", x=60, y=224)
        el("text", page.time(counts[-1].at), "axis", x=990, y=224, text_anchor="end")


def _policies(policies: Sequence[RetentionPolicy]) -> None:
    def cells(policy: RetentionPolicy) -> tuple[str, ...]:
        figures = {"rate": policy.rate, "alpha": policy.alpha, "horizon": policy.horizon, "threshold": policy.threshold}
        curve = ", ".join(f"{name} {value:g}" for name, value in figures.items() if value is not None)
        lives = f"{policy.ttl.days} days" if isinstance(policy.ttl, timedelta) else "without end"
        kept = f"{policy.cap:,} of an agent" if isinstance(policy.cap, int) else "any number"
        below = f"below {policy.archive_below:g}" if isinstance(policy.archive_below, float) else "never"
        return str(policy.kind), f"{policy.curve} ({curve})" if curve else str(policy.curve), lives, kept, below

    table(("kind", "fades", "lives", "at most", "archived"), map(cells, policies), label="Policies")
