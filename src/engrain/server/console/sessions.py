"""The Sessions page: the log of each, the window as a model sees it now, and the memories derived from it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial

from engrain.model.memory import Memory, Scope, Turn
from engrain.model.results import Conversation
from engrain.model.results import Page as Listed
from engrain.server.console.elements import LONG, button, counted, details, download, el, empty, field, section
from engrain.server.console.page import Page
from engrain.server.console.parts import described, owner, text

_LISTED, _TURNS, _LEARNT, _AT_ONCE, _PARTS = 50, 100, 200, 1_000, 5


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        session = page.query.get("session")
        if session is None:
            found = await page.call("chat-log list", limit=_LISTED, cursor=page.cursor)
            if found:
                _list(page, found)
            await page.later(partial(_named, page, found))
        else:
            await _one(page, session)

    with page.asking("Show"):
        field("Session", "session", page.query.get("session", ""), kind="search", placeholder="Its name", required=True)
    await page.shows(show)


def _list(page: Page, found: Listed[Conversation]) -> None:
    with section("Conversations, newest first"):
        rows = []
        for each in found:
            way = partial(_way, page, each.session, each.scope)
            state = "open" if each.ended_at is None else "ended"
            window = f"{each.token_count:,} tokens" if each.token_count else "empty"
            rows.append((way, each.touched_at, state, window, described(each.scope)))
        page.table("Conversations", ("session", "changed last", "state", "window", "of"), rows)
        page.further(found.next)


def _way(page: Page, session: str, scope: Scope) -> None:
    page.link(session, "/sessions", session=session, **owner(scope))


async def _named(page: Page, listed: Sequence[Conversation]) -> None:
    """Show the other sessions that memories name, which have no log, reading on until a page of them is found."""
    names: dict[tuple[str, str], Memory | None] = {(each.session, described(each.scope)): None for each in listed}
    cursor = page.query.get("named")
    for _ in range(_PARTS):
        some = await page.call("list", limit=_AT_ONCE, cursor=cursor)
        for each in filter(lambda one: one.scope.session, some):
            names.setdefault((each.scope.session, described(each.scope)), each)
        cursor = some.next
        if not cursor or len(names) >= _LISTED + len(listed):
            break
    if not (names or cursor):
        empty("There is no conversation yet.", "Messages that an agent keeps with add_message show here.")
    found = [(partial(_way, page, name[0], one.scope), one.recorded_at, name[1]) for name, one in names.items() if one]
    if not (found or cursor):
        return
    with section("Sessions that memories name, newest first" if found else "No other session is named lately"):
        page.table("Sessions of memories", ("session", "recorded last", "of"), found)
        page.further(cursor, "named")


async def _one(page: Page, session: str) -> None:
    history: Listed[Turn] = await page.call("chat-log history", session=session, limit=_TURNS, cursor=page.cursor)
    parts = [await page.call(f"chat-log {part}", session=session) for part in ("window", "summary", "tokens")]
    window, summary, tokens = parts
    logged = {turn.id for turn in (*history, *window)}
    how = {"limit": _LEARNT} if history else {"limit": _TURNS, "order": "recorded_at", "cursor": page.query.get("kept")}
    listed: Listed[Memory] = await page.call("list", session=session, **how)
    learnt = [each for each in listed if each.id not in logged]  # a turn is a memory too
    with el("div", "", "row wrap"):
        el("h2", session, "grow")
        page.link("All sessions", "/sessions", "button flat")
        if page.may("chat-log end") and window:
            button("End this session", page.on(partial(_end, page, session)), picture="done_all")
        if history:
            button("Save the log", page.on(partial(_save, page, session)), picture="download")
    if not (history or learnt):
        empty("There is no such session in this scope.", "Open one from the list of all sessions.")
        return
    if window or summary:
        _window(page, window, summary, tokens)
    if not history:
        with section("What is remembered of it, in its order"):
            for memory in learnt:
                _turn(page, memory.actor or memory.kind.value, memory.valid_from, memory.content, one=memory.id)
            page.further(listed.next, "kept")
        return
    with section("What was learnt from it, newest first"):
        if not learnt:
            el("p", "Nothing beyond its messages yet; facts and summaries come when it ends.", "muted")
        for memory in learnt:
            with el("p", "", "item row"):
                el("span", memory.kind.value, "badge")
                if memory.actor:
                    el("span", memory.actor, "muted")
                page.to_memory(memory)
    with details("The whole log", opened=not window or "cursor" in page.query):
        _turns(page, history)
        page.further(history.next)


def _window(page: Page, window: Sequence[Turn], summary: str | None, tokens: int) -> None:
    with section("What a model sees now"):
        el("p", f"{counted(len(window), 'turn')}, {counted(tokens, 'token')}", "muted")
        if summary:
            with details("Summary of what left the window", opened=len(summary) < LONG):
                el("p", summary, "content")
        _turns(page, window)


def _turns(page: Page, turns: Sequence[Turn]) -> None:
    for turn in turns:
        _turn(
            page,
            turn.actor or turn.role,
            turn.at,
            turn.content,
            role=turn.role,
            more=counted(turn.token_count, "token"),
        )


def _turn(
    page: Page, who: str, at: datetime | None, what: str, *, one: str = "", role: str = "other", more: str = ""
) -> None:
    """Show a whole turn of a conversation, or a memory of one: `one` is its id."""
    with el("div", "", "turn item" if one else "turn", data_role=role):
        with el("p", "", "meta"):
            el("strong", who)
            page.when(at)
            el("span", more)
            if one:
                page.link("Open this memory", "/memory", id=one)
        text(what, whole=True)


async def _end(page: Page, session: str) -> None:
    line = "Its turns are summarised in memories and its window is emptied; the log stays. This is not undone."
    if await page.ask(f"End {session}?", line, verb="End") is not None:
        found = await page.call("chat-log end", session=session)
        made, gone = (counted(len(each), "memory", "memories") for each in (found.memories, found.evicted))
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
