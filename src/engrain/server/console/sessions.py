"""Sessions: the log of each, the window as a model sees it now, and what was learnt from it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from functools import partial

from engrain.documents import plain
from engrain.model.memory import Memory, Turn
from engrain.server.console.dialogs import ask
from engrain.server.console.page import (
    Page,
    Tag,
    as_json,
    button,
    details,
    download,
    el,
    empty,
    field,
    form,
    section,
    shortened,
    table,
)

_NEWEST, _TURNS, _LEARNT = 1_000, 100, 50


async def build(page: Page) -> None:
    """Build the page."""
    place: Tag

    async def show() -> None:
        session = page.query.get("session")
        if session is None:
            newest = await page.call("list", limit=_NEWEST)
            place.clear()
            with place:
                _list(page, newest)
        else:
            await _one(page, place, session)

    async def opened(values: Mapping[str, str]) -> None:
        page.put({"session": values["session"].strip(), "cursor": ""}, push=True)
        await show()

    with form(page.on(opened), "row wrap", role="search"):
        field("Session", "session", page.query.get("session", ""), kind="search", placeholder="Its name", required=True)
        el("button", "Show", "button primary", type="submit")
    place = el("div", "", "stack")
    page.refresh = show
    await show()


def _list(page: Page, newest: Sequence[Memory]) -> None:
    counts = Counter(each.scope.session for each in newest if each.scope.session)
    if not counts:
        empty("No memory here belongs to a session.", "Messages that are kept with a session show here.")
        return
    first: dict[str, Memory] = {}
    for each in newest:
        first.setdefault(each.scope.session or "", each)
    with section("Sessions of the newest memories"):
        rows = [
            (
                partial(page.link, name, "/sessions", session=name),
                count,
                partial(page.when, first[name].valid_from),
                " ".join(first[name].content.split())[:100],
            )
            for name, count in counts.most_common()
        ]
        table(("session", "memories", "last", "its last memory"), rows, label="Sessions")


async def _one(page: Page, place: Tag, session: str) -> None:
    window: Sequence[Turn] = await page.call("chat-log window", session=session)
    history = await page.call("chat-log history", session=session, limit=_TURNS, cursor=page.query.get("cursor"))
    summary = await page.call("chat-log summary", session=session)
    tokens = await page.call("chat-log tokens", session=session)
    learnt = await page.call("list", session=session, limit=_LEARNT, order="valid_from")
    place.clear()
    with place:
        with el("div", "", "row wrap"):
            el("h2", session, "grow")
            if page.may("chat-log end") and window:
                button("End this session", page.on(partial(_end, page, session)), picture="done_all")
            if history:
                button("Save the log", partial(_save, session, history), picture="download")
        if window or summary:
            _window(page, window, summary, tokens)
        _learnt(page, learnt)
        if history:
            with section("All that was stated"):
                for turn in history:
                    _turn(page, turn)
                if history.next:
                    page.link("Next page", "/sessions", "button", session=session, cursor=history.next)


def _window(page: Page, window: Sequence[Turn], summary: str | None, tokens: int) -> None:
    with section("What a model sees now"):
        el("p", f"{len(window)} turns, {tokens:,} tokens", "muted")
        if summary:
            with details("Summary of what left the window", opened=True):
                el("p", summary, "content")
        for turn in window:
            _turn(page, turn)


def _learnt(page: Page, learnt: Sequence[Memory]) -> None:
    with section("What was learnt from it"):
        if not learnt:
            el("p", "Nothing is remembered of it.", "muted")
        for memory in learnt:
            with el("p", "", "item row"):
                el("span", memory.kind.value, "badge")
                if memory.actor:
                    el("span", memory.actor, "muted")
                page.to_memory(memory)


def _turn(page: Page, turn: Turn) -> None:
    with el("div", "", f"turn {turn.role if turn.role in ('user', 'assistant') else 'other'}"):
        with el("p", "", "meta"):
            el("strong", turn.actor or turn.role)
            page.when(turn.at)
            el("span", f"{turn.token_count:,} tokens")
        el("p", shortened(turn.content), "content")


async def _end(page: Page, session: str) -> None:
    line = "Its turns are summarised in memories and its window is emptied; the log stays. This is not undone."
    if await ask(page, f"End {session}?", line, verb="End") is not None:
        found = await page.call("chat-log end", session=session)
        await page.done(f"Ended: {len(found.memories)} memories made, {len(found.evicted)} working memories archived.")


def _save(session: str, turns: Sequence[Turn]) -> None:
    messages = [
        {"role": each.role, "content": each.content, **({"name": each.actor} if each.actor else {})} for each in turns
    ]
    download(as_json(plain(messages)), f"{''.join(c if c.isalnum() else '-' for c in session)[:60] or 'session'}.json")
