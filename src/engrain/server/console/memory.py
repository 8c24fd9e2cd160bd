"""The page of a memory: its text, its origin, its life on two axes, and the actions on it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from engrain.model.memory import Memory
from engrain.server.console import actions
from engrain.server.console.elements import button, details, el, empty, pre, section
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import GONE, badges, beliefs, described, life, lines, status_of, text
from engrain.text import shorten
from engrain.views import suspected

_ENTRIES = 50
_FOR = {"Correct": "It was written wrongly", "Replace": "It was right until now", "Forget": "It can be brought back"}


async def show(page: Page) -> None:
    """Show the memory that the address names."""
    memory_id = page.query.get("id", "")
    versions: Sequence[Memory] = await page.call("history", memory_id=memory_id) if memory_id else []
    memory = await page.call("get", memory_id=memory_id) if memory_id else None
    memory = memory or next((each for each in reversed(versions) if each.id == memory_id), None)
    if memory is None:
        hint = "If it was erased, Trust has the receipt." if page.may("receipts") else "It may have been erased."
        empty("There is no such memory in this scope.", hint)
        page.link("All memories", "/memories", "button")
    else:
        await _show(page, memory, versions)


async def _show(page: Page, memory: Memory, versions: Sequence[Memory]) -> None:
    with el("article", "", "card whole"):
        text(memory.content, "large", mark=suspected(memory), whole=True)
        with el("p", "", "meta"):
            badges(memory)
            if memory.status_reason not in ("", status_of(memory)):
                page.reason(memory.status_reason)
        _actions(page, memory)
    with section("Its life"):
        el("p", "Across: when it was true. Upwards: when it was recorded. Each box is a version.", "muted")
        life(page, versions or [memory], memory.id)
        rows = []
        for each, since, until in reversed(beliefs(versions)):
            shown = each if each.id != memory.id else shorten(each.content, 160)
            state = status_of(each) if until is None else "earlier text"
            rows.append((shown, each.valid_from, each.valid_until or "still true", since, state))
        page.table("Versions of this memory", ("newest first", "true from", "until", "recorded", "status"), rows)
    with el("div", "", "columns"):
        with section("Where it comes from"):
            _origin(page, memory)
        with section("How it is kept"):
            await _strength(page, memory)
    with el("div", "", "columns"):
        with section("What it states"):
            await _statements(page, memory)
        with section("Links"):
            await _links(page, memory)
    if page.may("audit log"):
        with section("Audit trail"):
            page.audit(await page.call("audit log", memory_id=memory.id, limit=_ENTRIES), "Audit entries")
    with details("All fields, as JSON"):
        pre(memory, "All fields")


def _actions(page: Page, memory: Memory) -> None:
    status, one = status_of(memory), [memory]
    live, waits = status in ("active", "contested"), status in ("quarantined", "contested")
    passing = live and memory.kind.value in ("working", "episodic")
    undo = "forget" if status == "forgotten" else ""  # an archived or expired one would not be that again
    back = page.doing("Brought back.", "reinstate", undo, memory_id=memory.id)
    looks = ("", "primary") if suspected(memory) else ("primary", "")
    offered = (
        (waits, "Admit", "validate", partial(actions.admit, page, one), "check", looks[0]),
        (waits, "Reject", "reject", partial(actions.reject, page, one), "block", looks[1]),
        (live, "Correct", "update", partial(actions.correct, page, memory), "edit", "primary"),
        (live, "Replace", "supersede", partial(actions.replace, page, memory), "update", ""),
        (live, "Unpin" if memory.pinned else "Pin", "pin", partial(actions.pin, page, one), "push_pin", ""),
        (live, "Link", "link", partial(actions.link, page, memory), "link", ""),
        (passing, "Promote", "promote", partial(actions.promote, page, memory), "upgrade", ""),
        (status in GONE, "Bring back", "reinstate", back, "restore", "primary"),
        (status != "forgotten", "Forget", "forget", partial(actions.forget, page, one), "visibility_off", ""),
    )
    with el("div", "", "actions", role="group", aria_label="Actions"):
        for fits, label, operation, work, picture, classes in offered:
            if fits and page.may(operation):
                button(label, page.on(work), classes, picture=picture, title=_FOR.get(label))
        if page.may("forget", "hard"):
            erase = page.on(partial(actions.erase, page, one))
            button("Erase", erase, "danger", picture="delete_forever", title="Remove it for good, with a receipt")


def _origin(page: Page, memory: Memory) -> None:
    source, session = memory.source, memory.scope.session
    to_ref = partial(page.link, source.ref, "/memory", id=source.ref.partition(":")[0])
    rows: dict[str, object] = {
        "Stated by": memory.actor or "not recorded",
        "Trust": f"{memory.trust:.2f}: from {WORDS['origin'][source.type.value]}, tier {memory.tier}",
        "Reference": to_ref if source.ref.startswith("mem_") else source.ref,
        "Belongs to": described(memory.scope),
        "Session": session and partial(page.link, session, "/sessions", session=session),
        "Recorded": partial(page.when, memory.recorded_at, precise=True),
        "Changed": partial(page.when, memory.updated_at, precise=True),
        "True since": memory.valid_from,
        "True until": memory.valid_until,
        "Expires": memory.expires_at,
        "Domain": memory.domain,
        "Tags": ", ".join(memory.tags),
        "Unchanged text": "yes, its hash fits" if source.verify(memory.content) else "no: the hash does not fit",
        "Id": memory.id,
    }
    page.pairs(rows)


async def _strength(page: Page, memory: Memory) -> None:
    now = datetime.now(UTC)
    rows: dict[str, object] = {
        "Importance": f"{memory.importance:.2f}, {memory.band}",
        "Confidence": f"{memory.confidence:.2f}",
        "Strength": f"{memory.strength:.2f}",
        "Times stated": memory.evidence_count,
        "Times recalled": memory.access_count,
        "Last recalled": memory.last_accessed or "never",
    }
    page.pairs(rows)
    if memory.stored_status.value not in ("active", "archived"):
        return
    age = max(now - memory.recorded_at, timedelta(days=30))
    moments = sorted([now, *(memory.recorded_at + age * step / 6 for step in range(12))])
    values = [(at.timestamp(), await page.call("importance", memory_id=memory.id, at=at)) for at in moments]
    today = [(now.timestamp(), 0.0), (now.timestamp(), 1.0)]
    ends = page.time(moments[0], day=True), page.time(moments[-1], day=True)
    left = f"{dict(values)[now.timestamp()]:.2f}"
    lines({"importance": values, "today": today}, ends, f"Effective importance over time, now {left}", "1.0")
    el("p", f"Effective importance, now {left}: it fades by its kind's policy, and use raises it.", "muted")


async def _statements(page: Page, memory: Memory) -> None:
    if memory.fact is None and not memory.entities:
        el("p", "No fact and no names were read in it.", "muted")
    if memory.fact is not None:
        with el("p"):
            page.link(memory.fact.subject, "/facts", "strong", subject=memory.fact.subject)
            el("span", f" {memory.fact.predicate.replace('_', ' ')} ")
            el("strong", memory.fact.object)
    if memory.entities:
        with el("p", "", "chips"):
            for name in memory.entities:
                page.link(name, "/graph", "badge link", entity=name)
    if memory.procedure is not None:
        page.link("See its steps in Procedures", "/procedures", id=memory.id)


async def _links(page: Page, memory: Memory) -> None:
    linked = [("takes the place of", each) for each in memory.supersedes]
    linked += [("superseded by", memory.superseded_by)] if memory.superseded_by else []
    linked += [(each.relation.replace("_", " "), each.memory_id) for each in memory.links]
    linked += [("led to", each.id) for each in await page.call("list", derived_from=[memory.id], limit=_ENTRIES)]
    if not linked:
        el("p", "It is linked to no other memory.", "muted")
    for relation, memory_id in linked[:_ENTRIES]:
        with el("p", "", "item"):
            el("span", f"{relation} ", "muted")
            page.cell(await page.call("get", memory_id=memory_id) or memory_id)
