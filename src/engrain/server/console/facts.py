"""Facts: what is stated of a subject, each predicate as a strip over time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import chain

from engrain.model.memory import Memory
from engrain.server.console.elements import el, empty, field, section, suggested
from engrain.server.console.page import Page
from engrain.server.console.parts import status_of

_NEWEST = 500  # memories that subjects are suggested from
_SHOWN = 100
_LANES, _LEAST = 8, 0.02  # of a strip, and the least part of its width that a piece has
Stretch = tuple[Memory, float, float]


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


def _value(page: Page, memory: Memory) -> None:
    look = "plain-link" if memory.is_contested else "plain-link strong"
    page.link(memory.fact.object if memory.fact else "", "/memory", look, id=memory.id)
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
            lanes, left_out = _lanes(versions, first, span)
            with el("div", "", "strip"):
                el("h3", predicate.replace("_", " "))
                for lane in lanes:
                    with el("div", "", "track-of-time"):
                        for memory, begin, end in lane:
                            _piece(page, memory, begin, end)
                newest = sorted(versions, key=lambda one: one.valid_from, reverse=True)
                named = {
                    (page.time(each.valid_from, day=True), each.fact.object if each.fact else "") for each in newest
                }
                with el("small", "", "values"):
                    for place, (day, value) in enumerate(sorted(named, reverse=True)[:_LANES]):
                        el("span", f"{' · ' if place else ''}{day} ")
                        el("bdi", value)
                    if left_out:
                        el("span", f" and {left_out:,} more: ")
                        page.link("see Memories", "/memories", words=subject, status="all")
        with el("p", "", "axis-of-time"):
            page.when(first, day=True)
            el("span", "today")


def _lanes(versions: Sequence[Memory], first: datetime, span: timedelta) -> tuple[list[list[Stretch]], int]:
    """Return versions with where they begin and end, in lanes that keep them apart, and how many are left out."""
    lanes: list[list[Stretch]] = []
    left_out = 0
    widest: dict[str, list[Stretch]] = {}
    for each in sorted(versions, key=lambda one: one.valid_from):
        begin = (each.valid_from - first) / span
        end = 1.0 if each.valid_until is None else min((each.valid_until - first) / span, 1.0)
        end, same = max(end, begin + _LEAST), widest.setdefault(each.fact.object if each.fact else "", [])
        if not any(stop >= end for _, _, stop in same):
            same.append((each, begin, end))
    for each, begin, end in sorted(chain(*widest.values()), key=lambda one: one[1], reverse=True):  # the newest first
        free = next((lane for lane in lanes if lane[-1][1] >= end - 1e-9), None)
        if free is None and len(lanes) == _LANES:
            left_out += 1
        elif free is None:
            lanes.append([(each, begin, end)])
        else:
            free.append((each, begin, end))
    return lanes, left_out


def _piece(page: Page, memory: Memory, begin: float, end: float) -> None:
    state, value = status_of(memory), memory.fact.object if memory.fact else ""
    until = page.time(memory.valid_until, day=True) or "now on"
    label = f"{value}, from {page.time(memory.valid_from, day=True)} until {until}, {state}"
    piece = page.link(value, "/memory", f"piece item {state}", id=memory.id)
    piece.set(title=label, aria_label=label)
    piece.style(f"left: {begin:.2%}; width: {end - begin:.2%}")
