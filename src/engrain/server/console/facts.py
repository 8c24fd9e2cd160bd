"""The Facts page: the facts of a subject, each predicate of an owner as a strip over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from functools import partial

from engrain.model.memory import Memory, Scope
from engrain.server.console.elements import el, empty, field, section, suggested
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import described, status_of, stretch

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
        now = page.query.get("subject", "")
        field("Subject", "subject", now, kind="search", placeholder="A person or a thing", list="known")
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


def _whose(scope: Scope) -> str:
    return described(replace(scope, org="default"))  # which all that is shown has in common


def _look(memory: Memory) -> str:
    """Return how a value looks; what is stated in a conversation says nothing of other times."""
    status = status_of(memory)
    return "stated" if status == "active" and memory.kind.value == "episodic" else status


def _value(page: Page, memory: Memory) -> None:
    look = "plain-link strong" if _look(memory) == "active" else "plain-link"
    page.link(_object(memory), "/memory", look, id=memory.id)
    if memory.is_contested:
        el("span", "contested", "badge contested")


async def _of(page: Page, subject: str) -> dict[tuple[str, str], list[Memory]]:
    """Return the versions of each predicate and owner, those of the past included."""
    found: dict[tuple[str, str], dict[tuple[str, str], Memory]] = {}
    for each in await page.call("facts", subject=subject):
        for version in await page.call("history", memory_id=each.id):
            if version.fact is not None and version.believed_until is None:
                strip = found.setdefault((each.fact.predicate, _whose(each.scope)), {})
                strip[version.id, version.fact.object] = version
    return {strip: list(versions.values()) for strip, versions in sorted(found.items())}


def _show(page: Page, subject: str, found: Mapping[tuple[str, str], Sequence[Memory]]) -> None:
    if not found:
        empty(f"Nothing is known of {subject} as a fact.", "Names are compared whole: try another form of it.")
        return
    now = datetime.now(UTC)
    moments = [each.valid_from for versions in found.values() for each in versions]
    first, last = min(moments), max([now, *moments])
    span = max((last - first) * 1.04, timedelta(days=10))
    with section(subject):
        for (predicate, whose), versions in found.items():
            with el("div", "", "strip"):
                of = "" if whose == _whose(page.scope) else f" · {whose}"
                el("h3", predicate.replace("_", " ") + of)
                _strip(page, subject, versions, first, span)
        with el("p", "", "axis-of-time"):
            page.when(first, day=True)
            el("span", "today")
        with el("p", "", "chips"):
            for look, meaning in WORDS["pieces"].items():
                el("span", meaning, f"piece {look}")


def _strip(page: Page, subject: str, versions: Sequence[Memory], first: datetime, span: timedelta) -> None:
    kept: list[tuple[Memory, int, int]] = []
    for each in sorted(versions, key=lambda one: (_look(one) == "stated", one.valid_from)):
        moment = _look(each) == "stated" and each.valid_until is None
        begin, end = stretch(replace(each, valid_until=each.valid_from) if moment else each, first, span)
        around = [other for other, start, stop in kept if start <= begin and stop >= end]
        if not any(_object(one) == _object(each) and _look(each) in ("stated", _look(one)) for one in around):
            kept.append((each, begin, end))
    kept.sort(key=lambda piece: (_look(piece[0]) != "stated", piece[0].valid_from))
    with el("div", "", "track-of-time"):
        for memory, begin, end in kept[: -_PIECES - 1 : -1]:  # the newest first, and what is only stated after it
            look, value, day = _look(memory), _object(memory), page.time(memory.valid_from, day=True)
            until = page.time(memory.valid_until, day=True) or "now on"
            label = f"{value}, stated on {day}" if look == "stated" else f"{value}, from {day} until {until}, {look}"
            piece = page.link(value, "/memory", f"piece item {look}", id=memory.id)
            piece.set(title=label, aria_label=label).style(f"grid-column: {begin} / {end}")
    named = sorted({(page.time(each.valid_from, day=True), _object(each)) for each in versions}, reverse=True)
    with el("small", "", "values"):
        for place, (day, value) in enumerate(named[:_NAMED]):
            el("span", f"{' · ' if place else ''}{day} ")
            el("bdi", value)
        if (more := len(named) - _NAMED) > 0:
            el("span", f" and {more:,} more: ")
            page.link("see Memories", "/memories", words=subject, status="all")
