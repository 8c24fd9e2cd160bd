"""The Facts page: the facts of a subject, each predicate as a strip over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial

from engrain.model.memory import Memory
from engrain.server.console.elements import el, empty, field, section, suggested
from engrain.server.console.page import Page
from engrain.server.console.parts import status_of, stretch

_NEWEST = 500  # memories that subjects are suggested from
_SHOWN = 100
_PIECES, _NAMED = 24, 8  # of a strip, and those that the line below it names


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        subject = page.query.get("subject")
        if subject is None:
            _suggest(page, await page.call("list", limit=_NEWEST))
        else:
            _show(page, subject, await _of(page, subject))

    with page.asking("Show"):
        newest = await page.call("list", limit=_NEWEST)
        suggested(dict.fromkeys(each.fact.subject for each in newest if each.fact is not None))
        subject = page.query.get("subject", "")
        field("Subject", "subject", subject, kind="search", placeholder="A person or a thing", list="known")
    await page.shows(show)


def _suggest(page: Page, newest: Sequence[Memory]) -> None:
    stated = [(each, each.fact) for each in newest if each.fact is not None]
    if not stated:
        what = "No facts were read yet." if len(newest) < _NEWEST else f"The newest {_NEWEST} memories state no facts."
        empty(what, "Statements such as “Ana lives in Porto” become facts as they are remembered.")
        return
    with section("Facts that were recorded last"):
        rows = []
        for each, fact in stated[:_SHOWN]:
            subject = partial(page.link, fact.subject, "/facts", subject=fact.subject)
            rows.append((subject, fact.predicate.replace("_", " "), partial(_value, page, each), each.valid_from))
        page.table("Newest facts", ("subject", "what is stated", "value", "since"), rows)


def _object(memory: Memory) -> str:
    return memory.fact.object if memory.fact else ""


def _value(page: Page, memory: Memory) -> None:
    look = "plain-link" if memory.is_contested else "plain-link strong"
    page.link(_object(memory), "/memory", look, id=memory.id)
    if memory.is_contested:
        el("span", "contested", "badge contested")


async def _of(page: Page, subject: str) -> dict[str, list[Memory]]:
    """Return the versions of each predicate, those of the past included."""
    found: dict[str, dict[tuple[str, str], Memory]] = {}
    for each in await page.call("facts", subject=subject):
        for version in await page.call("history", memory_id=each.id):
            if version.fact is not None and version.believed_until is None:
                found.setdefault(each.fact.predicate, {})[version.id, version.fact.object] = version
    return {predicate: list(versions.values()) for predicate, versions in sorted(found.items())}


def _show(page: Page, subject: str, found: Mapping[str, Sequence[Memory]]) -> None:
    if not found:
        empty(f"Nothing is known of {subject} as a fact.", "Names are compared whole: try another form of it.")
        return
    now = datetime.now(UTC)
    moments = [each.valid_from for versions in found.values() for each in versions]
    first, last = min(moments), max([now, *moments])
    span = max((last - first) * 1.04, timedelta(days=10))
    with section(subject):
        for predicate, versions in found.items():
            with el("div", "", "strip"):
                el("h3", predicate.replace("_", " "))
                _strip(page, subject, versions, first, span)
        with el("p", "", "axis-of-time"):
            page.when(first, day=True)
            el("span", "today")


def _strip(page: Page, subject: str, versions: Sequence[Memory], first: datetime, span: timedelta) -> None:
    kept: list[tuple[Memory, int, int]] = []
    for each in sorted(versions, key=lambda one: one.valid_from):
        begin, end = stretch(each, first, span)
        if not any(_object(other) == _object(each) and stop >= end for other, _, stop in kept):
            kept.append((each, begin, end))
    with el("div", "", "track-of-time"):
        for memory, begin, end in kept[: -_PIECES - 1 : -1]:  # the newest first
            _piece(page, memory, begin, end)
    named = sorted({(page.time(each.valid_from, day=True), _object(each)) for each in versions}, reverse=True)
    with el("small", "", "values"):
        for place, (day, value) in enumerate(named[:_NAMED]):
            el("span", f"{' · ' if place else ''}{day} ")
            el("bdi", value)
        if (more := len(named) - _NAMED) > 0:
            el("span", f" and {more:,} more: ")
            page.link("see Memories", "/memories", words=subject, status="all")


def _piece(page: Page, memory: Memory, begin: int, end: int) -> None:
    state, value = status_of(memory), _object(memory)
    until = page.time(memory.valid_until, day=True) or "now on"
    label = f"{value}, from {page.time(memory.valid_from, day=True)} until {until}, {state}"
    piece = page.link(value, "/memory", f"piece item {state}", id=memory.id)
    piece.set(title=label, aria_label=label)
    piece.style(f"grid-column: {begin} / {end}")
