"""The Sessions page: the log of each, the window as a model sees it now, and the memories derived from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from engrain.model import results
from engrain.model.memory import Memory, Turn
from engrain.server.console.elements import LONG, button, details, download, el, empty, field, section
from engrain.server.console.page import Page
from engrain.server.console.parts import described, owner, text
from engrain.text import number_of

_LISTED, _TURNS, _LEARNT, _AT_ONCE, _PARTS = 50, 100, 200, 1_000, 5


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        session = page.query.get("session")
        if session is None:
            if found := await page.call("chat-log list", limit=_LISTED, cursor=page.cursor):
                with section("Conversations, newest first"):
                    rows = []
                    for each in found:
                        way = partial(page.link, each.session, "/sessions", session=each.session, **owner(each.scope))
                        state = "open" if each.ended_at is None else "ended"
                        window = f"{each.token_count:,} tokens" if each.token_count else "empty"
                        rows.append((way, each.touched_at, state, window, described(each.scope)))
                    page.table("Conversations", ("session", "changed last", "state", "window", "of"), rows)
                    page.further(found.next)
            await page.later(partial(_named, page, found))
        else:
            await _one(page, session)

    with page.asking("Show"):
        field("Session", "session", page.query.get("session", ""), kind="search", placeholder="Its name", required=True)
    await page.shows(show)


async def _named(page: Page, listed: Sequence[results.Conversation]) -> None:
    """Show the other sessions that memories name, which have no log, reading on until a page of them is found."""
    names: dict[tuple[str, str], Any] = {(each.session, described(each.scope)): None for each in listed}
    cursor = page.query.get("named")
    for _ in range(_PARTS):
        some = await page.call("list", limit=_AT_ONCE, cursor=cursor)
        for each in filter(lambda one: one.scope.session, some):
            name, of = each.scope.session, described(each.scope)
            way = partial(page.link, name, "/sessions", session=name, **owner(each.scope))
            names.setdefault((name, of), (way, each.recorded_at, of))
        cursor = some.next
        if not (cursor and page.client.has_socket_connection) or len(names) >= _LISTED + len(listed):
            break  # the browser has left, or the list is full
    if not (names or cursor):
        empty("There is no conversation yet.", "Messages that an agent keeps with add_message show here.")
    if (found := [row for row in names.values() if row]) or cursor:
        with section("Sessions that memories name, newest first" if found else "No session among the newest memories"):
            if found:
                page.table("Sessions of memories", ("session", "recorded last", "of"), found)
            page.further(cursor, "named")


async def _one(page: Page, session: str) -> None:
    history = await page.call("chat-log history", session=session, limit=_TURNS, cursor=page.cursor)
    parts = [await page.call(f"chat-log {part}", session=session) for part in ("window", "summary", "tokens")]
    window, summary, tokens = parts
    logged = {turn.id for turn in (*history, *window)}
    how = {"limit": _LEARNT} if history else {"limit": _TURNS, "order": "recorded_at", "cursor": page.query.get("kept")}
    listed = await page.call("list", session=session, **how)
    own = [each for each in listed if each.id not in logged]  # a turn is a memory too
    derived = await page.call("list", derived_from=[*logged, *(each.id for each in listed)], limit=_LEARNT)
    with el("div", "", "row wrap"):
        el("h2", session, "grow")
        page.link("All sessions", "/sessions", "button flat")
        if page.may("chat-log end") and window:
            button("End this session", page.on(partial(_end, page, session)), picture="done_all")
        if history:
            button("Save the log", page.on(partial(_save, page, session)), picture="download")
    if not (history or own):
        empty("There is no such session in this scope.", "Open one from the list of all sessions.")
        return
    if window or summary:
        with section("What a model sees now"):
            el("p", f"{number_of(len(window), 'turn')}, {number_of(tokens, 'token')}", "muted")
            if summary:
                with details("Summary of what left the window", opened=len(summary) < LONG):
                    el("p", summary, "content")
            _turns(page, window)
    if history:
        _learnt(page, [*own, *derived])
        with details("The whole log", opened=not window or "cursor" in page.query):
            _turns(page, history)
            page.further(history.next)
    else:
        with section("What is remembered of it, in its order"):
            _turns(page, own)
            page.further(listed.next, "kept")
        _learnt(page, derived)


def _learnt(page: Page, memories: Sequence[Memory]) -> None:
    with section("What was learnt from it, newest first"):
        if not memories:
            el("p", "Nothing beyond its messages yet; facts and summaries come when it ends.", "muted")
        by_id = {each.id: each for each in memories}
        for memory in sorted(by_id.values(), key=lambda each: each.recorded_at, reverse=True):
            with el("p", "", "item row"):
                el("span", memory.kind.value, "badge")
                if memory.actor:
                    el("span", memory.actor, "muted")
                page.to_memory(memory)


def _turns(page: Page, turns: Sequence[Turn | Memory]) -> None:
    for each in turns:
        at, role = (each.at, each.role) if isinstance(each, Turn) else (each.valid_from, each.kind.value)
        with el("div", "", "turn item" if isinstance(each, Memory) else "turn", data_role=role):
            with el("p", "", "meta"):
                el("strong", each.actor or role)
                page.when(at)
                if isinstance(each, Turn):
                    el("span", number_of(each.token_count, "token"))
                else:
                    page.link("Open this memory", "/memory", id=each.id)
            text(each.content, whole=True)


async def _end(page: Page, session: str) -> None:
    line = "Its turns are summarised in memories and its window is emptied; the log stays. This cannot be undone."
    if await page.ask(f"End {session}?", line, verb="End") is not None:
        found = await page.call("chat-log end", session=session)
        made, gone = (number_of(len(each), "memory", "memories") for each in (found.memories, found.evicted))
        await page.done(f"Ended: {made} made, {gone} of its window archived.")


async def _save(page: Page, session: str) -> None:
    """Save the whole log, page by page, in the form of chat messages."""
    some = await page.call("chat-log history", session=session, limit=_AT_ONCE)
    turns: list[Turn] = [*some]
    while some.next:
        some = await page.call("chat-log history", session=session, limit=_AT_ONCE, cursor=some.next)
        turns += some
    messages = [{"role": t.role, "content": t.content, **({"name": t.actor} if t.actor else {})} for t in turns]
    download(messages, f"{''.join(c if c.isalnum() else '-' for c in session)[:60] or 'session'}.json")
