"""The Admin page: keys, queued work, the contents of the store, and copies of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from engrain.model import results
from engrain.model.audit import Key
from engrain.model.memory import Job, Memory
from engrain.server.console.elements import button, details, el, empty, pre, problem, section
from engrain.server.console.page import Page
from engrain.server.console.parts import copyable, described

_REVOKED = "Whoever uses it is refused from now on, and the console closes for it. This cannot be undone."
_USERS, _JOBS, _NEWEST = 60, 20, 1_000


async def show(page: Page) -> None:
    """Show the page."""
    keys = await page.call("keys list")
    jobs = [each for s in ("dead", "running", "queued") for each in await page.call("jobs", state=s, limit=_JOBS)]
    await page.later(partial(_store, page))
    with section("Keys"):
        _keys(page, keys)
    with section("Jobs"):
        _jobs(page, jobs)
    if (work := page.context.examine) is not None and page.caller.scope is None:
        with section("Health of the whole store"):
            _doctor(page, work)


async def _store(page: Page) -> None:
    stats, now, head = [await page.call(name) for name in ("stats", "count", "audit head")]
    elsewhen = stats.by_status.get("active", 0) - now
    counts = Counter({"live": now, "true at other times": elsewhen, **stats.by_status, "active": 0})
    newest: Sequence[Memory] = await page.call("list", limit=_NEWEST)
    with el("div", "", "columns"):
        with section("The store"):
            rows: dict[str, object] = {
                "Size": f"{stats.store_bytes / 1e6:,.1f} MB",
                "Memories": results.in_words(+counts),
                "Conversations": f"{results.in_words(stats.conversations)}, with {stats.turns:,} messages",
                "Entities": stats.entity_index.get("entities", 0),
                "Embedder": stats.embedder or "none: only words are searched",
                "Jobs": results.in_words(stats.jobs) or "none",
            }
            page.pairs(rows)
            _copies(page)
        with section("Language model"):
            today = stats.llm.get("today") or {}
            spent = {f"{name.capitalize()} today": str(value) for name, value in dict(today).items()}
            model = {"Model": stats.llm.get("model") or "none: rules do the work"}
            page.pairs({**model, **spent, "Budget": str(stats.llm.get("budget") or "none")})
        agents = sorted({each.scope.agent for each in newest if each.scope.agent})
        for title, name, found in (("Users", "user", head.chains or ()), ("Agents lately", "agent", agents)):
            if owners := [each for each in found if each]:
                with section(title), el("p", "", "chips"):
                    for each in owners[:_USERS]:
                        page.link(each, "/memories", "badge link", **{name: each})
                    if len(owners) > _USERS:
                        el("span", f"and {len(owners) - _USERS:,} more", "muted")


def _doctor(page: Page, work: Callable[[], Mapping[str, Any]]) -> None:
    async def examine() -> None:
        if (found := await page.long("Examining", lambda _: page.context.in_thread(work))) is None:
            return
        for each in found["problems"]:
            problem(each["what"], each["advice"])
        if found["healthy"]:
            el("p", "All is well.", "badge good")
        with el("p", "Organisations:", "chips"):
            for org in found.get("audit", {}).get("names", ()):
                page.link(org, "/memories", "badge link", org=org)
        with details("The whole report"):
            pre(found, "Report")

    el("p", "The store, its audit trail, embedder, model and settings; a large store takes a while.", "muted")
    button("Examine", page.outcome(examine), picture="monitor_heart")


def _copies(page: Page) -> None:
    async def snapshot() -> None:
        line = "A complete copy of the store, of every organisation, is written to the disk of this machine."
        if await page.ask("Write a snapshot?", line, verb="Write") is None:
            return
        if path := await page.long("Writing a snapshot", lambda _: page.call("snapshot")):
            page.toast(f"Written: {path}")

    with el("div", "", "actions"):
        button("Export this view", page.saving("Exporting", "export", "export.engrain.jsonl"), picture="download")
        if page.caller.scope is None:
            button("Snapshot", page.on(snapshot), picture="save")


def _keys(page: Page, keys: Sequence[Key]) -> None:
    def state(key: Key) -> None:
        el("span", "live" if key.live else "revoked", f"badge {'good' if key.live else 'bad'}")
        if key.live:
            label = f"Revoke {key.name or key.id}"
            revoke = page.doing("Revoked.", "keys revoke", ask=(f"{label}?", _REVOKED), verb="Revoke", key_id=key.id)
            button("Revoke", revoke, "small danger", aria_label=label)

    rows = [(key.name or key.id, key.role.value, described(key), key.created_at, partial(state, key)) for key in keys]
    if rows:
        page.table("Keys", ("name", "role", "opens", "made", "state"), rows)
    else:
        empty("There are no keys.", "Whoever reaches this store may do anything: make a key before others can.")
    button("Create a key", page.on(partial(_create, page)), "primary", picture="key")


async def _create(page: Page) -> None:
    if (given := await page.ask("Create a key", verb="Create", key={})) is None:
        return
    names = {name: given[name].strip() or None for name in ("name", "user", "agent")}
    key = await page.call("keys create", role=given["role"], **names)  # type: ignore[arg-type]
    with page.dialog("The key is made") as shown:
        shown.element.set(data_keep="Close without the secret? It is not shown again.")
        el("p", "The secret is shown this once and kept nowhere. Give it to the program, as a password.")
        copyable("Secret", str(key.secret))
    await shown.answer()
    await page.reload()


def _jobs(page: Page, jobs: Sequence[Job]) -> None:
    if not jobs:
        empty("No work is queued.", "What fails for good shows here, to be tried again.")
        return

    def act(job: Job) -> None:
        if job.state.value == "dead" and page.may("retry"):
            again = page.doing("It is queued again.", "retry", job_id=job.id)
            button("Try again", again, "small", aria_label=f"Try {job.kind} again")
        else:
            page.when(job.run_at)

    rows = []
    for each in jobs:
        state = partial(el, "span", each.state.value, f"badge {each.state.value}")
        rows.append((each.kind, state, each.attempts, each.error, partial(act, each)))
    page.table("Jobs", ("work", "state", "attempts", "error", "due"), rows)
