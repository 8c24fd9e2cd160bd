"""The Recall page: a question, its hits with the parts of their scores, at any point of both times."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from engrain.model.results import Recall
from engrain.server.console.elements import Tag, button, details, el, empty, field, form, listed
from engrain.server.console.gate import FORMS, WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import TimeSlider, copyable, extent, hit_cards, is_empty, question_field, status_of
from engrain.text import shorten

_READ: Mapping[str, Callable[[str], Any]] = {
    **dict.fromkeys((*FORMS["recall"], "as_of", "known_at"), str),
    **dict.fromkeys(("kinds", "tags"), listed),
    **dict.fromkeys(("min_trust", "min_score"), float),
    "k": int,
    "superseded": lambda _: False,  # known to the address as what it is
    "include_quarantined": lambda _: True,
}


async def build(page: Page) -> None:
    """Build the page, with the result of the question in the address."""
    with page.asking("Ask", ("why",), "ask"):
        question_field(page)
    with el("div", "", "times", role="group", aria_label="Points in time"):
        valid, recorded = await asyncio.gather(extent(page, "valid_from"), extent(page, "recorded_at"))
        as_of = TimeSlider(page, "as_of", "As of", hint="what was true then", within=valid)
        known_at = TimeSlider(page, "known_at", "Known at", hint="what was believed then", within=recorded)
        back = button("Back to now", "engrain.without('as_of', 'known_at')", "small")
    opened = not FORMS["recall"].keys().isdisjoint(page.query)
    with details("Filters", opened=opened), page.asking("Apply", classes=""), el("div", "", "grid3"):
        page.fields("recall", page.query)
    await page.shows(partial(_show, page, {"as of": as_of, "known at": known_at}, back))


def _arguments(page: Page) -> dict[str, Any]:
    given = {name: value for name, value in page.query.items() if name in _READ}
    read = {name: page.moment(name, _READ[name](value)) for name, value in given.items()}
    return {"exclude_superseded" if name == "superseded" else name: value for name, value in read.items()}


async def _show(page: Page, sliders: Mapping[str, TimeSlider], back: Tag) -> None:
    question = page.query.get("q", "")
    back.set(disabled=not any(slider.value for slider in sliders.values()))
    if not question:
        await _begin(page)
        return
    found = await page.call("recall", query=question, touch=False, **_arguments(page))
    _summary(page, found, sliders)
    if not found and sliders["known at"].place() < 0:
        empty("Nothing was recorded yet at that time.", "Move Known at to the right.")
    elif not found and not await is_empty(page):
        empty("Nothing is remembered about this.", "Ask in other words, move the sliders, or drop a filter.")
    if found:
        el("p", WORDS["help"]["score"], "muted")
    hit_cards(page, found)
    with details("How it was found"):
        page.pairs({**WORDS["parts"], **{f"{name} ×": what for name, what in WORDS["factors"].items()}})
        rows = ((s.name, s.came_in, s.went_out, s.ms, ", ".join(s.notes)) for s in found.trace)
        page.table("Stages of this recall", ("stage", "in", "out", "ms", "notes"), rows)
    with details("Why not another one?", opened="why" in page.query):
        explain, expected = page.outcome(partial(_explain, page)), page.query.get("why", "")
        with form(explain, "row wrap"):
            field("A memory that you expected: some of its words, or its id", "why", expected, required=True)
            el("button", "Why not?", "button", type="submit")
    if expected:
        await explain({"why": expected})
    _code(page, question)


async def _begin(page: Page) -> None:
    """Show suggestions if nothing is asked yet, and the memories that await a verdict."""
    if page.may("review") and (waiting := await page.call("review", limit=100)):
        with el("p", "", "notice"):
            number = f"{len(waiting)} or more" if waiting.next else len(waiting)
            el("strong", f"{number} {'memory waits' if number == 1 else 'memories wait'} for a verdict. ")
            page.link("See why in Review", "/review")
    if await is_empty(page):
        return
    with el("div", "", "empty"):
        el("p", "Ask a question to see which memories answer it.", "strong")
        el("p", "What was remembered last:")
        with el("div", "", "chips"):
            for memory in await page.call("list", limit=3):
                page.link(shorten(memory.content, 80), "/", "badge link", q=memory.content[:200])


def _summary(page: Page, found: Recall, sliders: Mapping[str, TimeSlider]) -> None:
    understood = next((stage.notes for stage in found.trace if stage.name == "understand"), ())
    with el("p", "", "summary"):
        relevant = sum(hit.relevance >= page.context.memory.settings.abstain_below for hit in found)
        el("strong", f"{len(found)} found" + (f", {relevant} relevant" if relevant < len(found) else ""))
        words = ", ".join(note.removeprefix("words ") for note in understood[1:])
        el("span", f"read as a {found.intent} question{f' by the words {words}' if words else ''}")
        for label, slider in sliders.items():
            if slider.value:
                el("span", f"{label} {slider.words()}", "badge")
    if found and found.abstained:
        el("p", "None of these is relevant enough to answer from.", "notice")
    if found.held_back:
        el("p", f"{found.held_back} held back: they wait for a verdict.", "notice")


async def _explain(page: Page, values: Mapping[str, str]) -> None:
    words = values["why"].strip()
    page.put({"why": words})
    one = await page.call("get", memory_id=words) if words.startswith("mem_") else None
    wide: dict[str, Any] = {"exclude_superseded": False, "include_quarantined": page.may("review") or None}
    like: Any = None if one else await page.call("recall", query=words, k=3, touch=False, **wide)
    intended = [one] if one else [hit.memory for hit in like]
    if not one and like.abstained:
        empty(f"No memory is {'clearly ' if like else ''}like this.", "It may never have been stored.")
    for memory in intended:
        given = {**_arguments(page), "query": page.query["q"], "memory_id": memory.id}
        why = await page.call("why-not", **given)
        with el("div", "", "memory"):
            with el("p"):
                page.to_memory(memory)
            with el("p"):
                status = status_of(memory)
                el("span", why.stage if status == "active" else status, f"badge stage {why.stage}")
                el("span", " ")
                page.reason(why.reason)


def _code(page: Page, question: str) -> None:
    given, scope, store = _arguments(page), page.view, page.context.memory.store.url
    shown = store if "://" not in store else "postgresql://…"
    extra, owner = ("".join(f", {name}={value!r}" for name, value in each.items()) for each in (given, scope))
    quoted = json.dumps({"query": question, **given, **scope}, ensure_ascii=False).replace("'", "'\\''")
    narrow = {name: value for name, value in {**given, **scope}.items() if name not in ("known_at", "org")}
    call = {"name": "recall", "arguments": {"query": question, **narrow}}
    with details("Ask the same from a program"):
        how = {"store": repr(shown), "owner": owner, "question": repr(question), "extra": extra, "quoted": quoted}
        for title, program in WORDS["program"].items():
            copyable(title, program.format_map(how))
        copyable("MCP", json.dumps(call, ensure_ascii=False, indent=2))
        if "known_at" in given:
            el("p", "MCP has no Known at: its answer is by what is known now.", "notice")
