"""Sessions: the log of each, the window as a model sees it now, and what was learnt from it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from engrain.model.memory import Turn
from engrain.model.results import Conversation
from engrain.model.results import Page as Listed
from engrain.server.console.elements import LONG, button, details, download, el, empty, field, section
from engrain.server.console.page import Page
from engrain.server.console.parts import described, owner, text

_LISTED, _TURNS, _LEARNT, _AT_ONCE = 100, 100, 200, 1_000


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        session = page.query.get("session")
        if session is None:
            _list(page, await page.call("chat-log list", limit=_LISTED, cursor=page.cursor))
            await _named(page)
        else:
            await _one(page, session)

    with page.asking("Show"):
        field("Session", "session", page.query.get("session", ""), kind="search", placeholder="Its name", required=True)
    await page.shows(show)


def _list(page: Page, found: Listed[Conversation]) -> None:
    if not found:
        empty("There is no conversation yet.", "Messages that an agent keeps with add_message show here.")
        return
    with section("Conversations, newest first"):
        rows = []
        for each in found:
            way = partial(page.link, each.session, "/sessions", session=each.session, **owner(each.scope))
            state = "open" if each.ended_at is None else "ended"
            window = f"{each.token_count:,} tokens" if each.token_count else "empty"
            rows.append((way, each.touched_at, state, window, described(each.scope)))
        page.table("Conversations", ("session", "changed last", "state", "window", "of"), rows)
        page.further(found)


async def _named(page: Page) -> None:
    """Show the sessions that memories name, those without a log too."""
    newest = await page.call("list", limit=_AT_ONCE)
    if names := {each.scope.session: each.scope for each in newest if each.scope.session}:
        with section("Sessions of the newest memories"), el("p", "", "chips"):
            for name, scope in names.items():
                page.link(name, "/sessions", "badge link", session=name, **owner(scope))


async def _one(page: Page, session: str) -> None:
    history: Listed[Turn] = await page.call("chat-log history", session=session, limit=_TURNS, cursor=page.cursor)
    window = await page.call("chat-log window", session=session)
    summary = await page.call("chat-log summary", session=session)
    tokens = await page.call("chat-log tokens", session=session)
    logged = {turn.id for turn in (*history, *window)}
    listed = await page.call("list", session=session, limit=_LEARNT)
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
    with section("What was learnt from it, newest first"):
        if not learnt:
            el("p", "Nothing beyond its messages yet; facts and summaries come when it ends.", "muted")
        for memory in learnt:
            with el("p", "", "item row"):
                el("span", memory.kind.value, "badge")
                if memory.actor:
                    el("span", memory.actor, "muted")
                page.to_memory(memory)
    if history:
        with details("The whole log", opened=not window or "cursor" in page.query):
            for turn in history:
                _turn(page, turn)
            page.further(history)


def _window(page: Page, window: Sequence[Turn], summary: str | None, tokens: int) -> None:
    with section("What a model sees now"):
        el("p", f"{len(window)} turns, {tokens:,} tokens", "muted")
        if summary:
            with details("Summary of what left the window", opened=len(summary) < LONG):
                el("p", summary, "content")
        for turn in window:
            _turn(page, turn)


def _turn(page: Page, turn: Turn) -> None:
    with el("div", "", f"turn {turn.role if turn.role in ('user', 'assistant') else 'other'}"):
        with el("p", "", "meta"):
            el("strong", turn.actor or turn.role)
            page.when(turn.at)
            el("span", f"{turn.token_count:,} tokens")
        text(turn.content, most=LONG)


async def _end(page: Page, session: str) -> None:
    line = "Its turns are summarised in memories and its window is emptied; the log stays. This is not undone."
    if await page.ask(f"End {session}?", line, verb="End") is not None:
        found = await page.call("chat-log end", session=session)
        await page.done(f"Ended: {len(found.memories)} memories made, {len(found.evicted)} working memories archived.")


async def _save(page: Page, session: str) -> None:
    """Save the whole log, page by page, in the form of chat messages."""
    some = await page.call("chat-log history", session=session, limit=_AT_ONCE)
    turns: list[Turn] = [*some]
    while some.next:
        some = await page.call("chat-log history", session=session, limit=_AT_ONCE, cursor=some.next)
        turns += some
    messages = [{"role": t.role, "content": t.content, **({"name": t.actor} if t.actor else {})} for t in turns]
    download(messages, f"{''.join(c if c.isalnum() else '-' for c in session)[:60] or 'session'}.json")
