"""Recall: a question, its hits and their scores taken apart, at any point of both times."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

from engrain.model.results import Recall
from engrain.server.console.elements import Tag, button, checkbox, choice, details, el, empty, field, form
from engrain.server.console.page import Page
from engrain.server.console.parts import KINDS, TimeSlider, copyable, extent, hit_card, largest, question_field, text
from engrain.text import shorten

_FILTERS = ("kinds", "domain", "tags", "session", "since", "until", "k", "min_trust", "min_score")
_FIELDS = {"domain": "Domain", "tags": "Tags, any of", "session": "Session", "since": "Since", "until": "Until"}
_FLAGS = ("superseded", "include_quarantined", "shared")


async def build(page: Page) -> None:
    """Build the page."""
    await RecallPage(page).build()


class RecallPage:
    """The page with a question, its filters and its points in time."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.explained: Tag

    async def build(self) -> None:
        """Build it, with the result of the question in the address."""
        page = self.page
        with page.asking("Ask", ("why",), "ask"):
            question_field(page)
        with el("div", "", "times", role="group", aria_label="Points in time"):
            valid, recorded = await asyncio.gather(extent(page, "valid_from"), extent(page, "recorded_at"))
            self._as_of = TimeSlider(page, "as_of", "As of", hint="what was true then", within=valid)
            self._known_at = TimeSlider(page, "known_at", "Known at", hint="what was believed then", within=recorded)
            button("Back to now", page.on(self._now), "small")
        self._filters()
        await page.shows(self._show)

    def _filters(self) -> None:
        query = self.page.query
        names = (*_FILTERS, *_FLAGS)
        with details("Filters", opened=any(name in query for name in names)), self.page.asking("Apply", names, ""):
            with el("div", "", "grid3"):
                choice("Kind", "kinds", KINDS, query.get("kinds", ""))
                for name, label in _FIELDS.items():
                    day = "2025-04-01" if name in ("since", "until") else ""
                    field(label, name, query.get(name, ""), placeholder=day)
                for name, label, most in (("min_trust", "Trust at least", 1), ("min_score", "Score at least", None)):
                    field(label, name, query.get(name, ""), kind="number", min=0, max=most, step="any")
                field("At most", "k", query.get("k", "10"), kind="number", min=1, max=100)
            checkbox("Superseded ones too", "superseded", checked="superseded" in query)
            if self.page.may("review"):
                checkbox("Quarantined ones too", "include_quarantined", checked="include_quarantined" in query)

    def arguments(self) -> dict[str, Any]:
        """Return the arguments of the recall that the address describes."""
        query = self.page.query
        given: dict[str, Any] = {name: query[name] for name in ("domain", "session", "since", "until") if name in query}
        given |= {name: query[name].split(",") for name in ("kinds", "tags") if name in query}
        given |= {name: float(query[name]) for name in ("min_trust", "min_score") if name in query}
        given |= {"k": int(query["k"])} if "k" in query else {}
        given |= {"exclude_superseded": False} if "superseded" in query else {}
        given |= {"include_quarantined": True} if "include_quarantined" in query else {}
        given |= {name: query[name] for name in ("as_of", "known_at") if name in query}
        return given

    async def _now(self) -> None:
        self._as_of.reset()
        self._known_at.reset()
        await self.page.show()

    async def _show(self) -> None:
        page, question = self.page, self.page.query.get("q", "")
        if not question:
            await self._begin()
            return
        found = await page.call("recall", query=question, touch=False, **self.arguments())
        self._summary(found)
        if not found:
            empty("Nothing is remembered about this.", "Ask in other words, move the sliders, or drop a filter.")
        with el("ol", "", "hits"):
            most = largest(found)
            for rank, hit in enumerate(found, start=1):
                hit_card(page, rank, hit, most)
        self._trace(found)
        await self._why_not()
        self._code(question)

    async def _begin(self) -> None:
        """Show what can be asked about when nothing is asked yet."""
        newest = await self.page.call("list", order="-importance", limit=3)
        if not newest:
            empty("This memory is empty.", "Add a first memory, or import a chat or a document, in Memories.")
            self.page.link("Go to Memories", "/memories", "button primary")
            return
        with el("div", "", "empty"):
            el("p", "Ask a question to see which memories answer it.", "strong")
            el("p", "What seems most important here:")
            with el("div", "", "chips"):
                for memory in newest:
                    self.page.link(shorten(memory.content, 80), "/", "badge link", q=memory.content[:200])

    def _summary(self, found: Recall) -> None:
        understood = next((stage.notes for stage in found.trace if stage.name == "understand"), ())
        with el("p", "", "summary"):
            el("strong", f"{len(found)} found")
            el("span", "understood as " + ", ".join(understood or (found.intent,)))
            for name, label in (("as_of", "as of"), ("known_at", "known at")):
                if name in self.page.query:
                    slider = self._as_of if name == "as_of" else self._known_at
                    el("span", f"{label} {slider.words()}", "badge")
        if found and found.abstained:
            el("p", "None of these is relevant enough to answer from.", "notice")
        if found.held_back:
            el("p", f"{found.held_back} held back: they wait for a verdict.", "notice")

    def _trace(self, found: Recall) -> None:
        with details("How it was found"):
            rows = ((s.name, s.came_in, s.went_out, f"{s.ms:.1f}", ", ".join(s.notes)) for s in found.trace)
            self.page.table("Stages of this recall", ("stage", "in", "out", "ms", "notes"), rows)

    async def _why_not(self) -> None:
        with details("Why not another one?", opened="why" in self.page.query):
            with form(self.page.on(self._explain), "row wrap"):
                expected = self.page.query.get("why", "")
                field("A memory that you expected: some of its words, or its id", "why", expected, required=True)
                el("button", "Why not?", "button", type="submit")
            self.explained = el("div", "", "explained", aria_live="polite")
        if "why" in self.page.query:
            await self._explain({"why": self.page.query["why"]})

    async def _explain(self, values: Mapping[str, str]) -> None:
        page, words = self.page, values["why"].strip()
        page.put({"why": words})
        one = await page.call("get", memory_id=words) if words.startswith("mem_") else None
        if one is not None:
            intended = [one]
        else:
            intended = [
                hit.memory for hit in await page.call("recall", query=words, k=3, exclude_superseded=False, touch=False)
            ]
        self.explained.clear()
        with self.explained:
            if not intended:
                empty("No memory is like this.", "It may never have been stored: look in Memories, or in Review.")
            for memory in intended:
                given = {**self.arguments(), "query": page.query["q"], "memory_id": memory.id}
                why = await page.call("why-not", **given)
                with el("div", "", "memory"):
                    text(memory.content, most=300)
                    with el("p"):
                        el("span", why.stage, f"badge stage {why.stage}")
                        el("span", f" {why.reason}")

    def _code(self, question: str) -> None:
        given = {name: value for name, value in self.arguments().items() if name != "touch"}
        scope = self.page.view
        with details("Ask the same from a program"):
            extra = "".join(f", {name}={value!r}" for name, value in given.items())
            owner = "".join(f", {name}={value!r}" for name, value in scope.items())
            store = self.page.context.memory.store.url
            shown = store if "://" not in store else "postgresql://…"
            python = (
                f"from engrain import MemoryManager\n\nmemory = MemoryManager({shown!r}{owner})\n"
                f"for hit in memory.recall({question!r}{extra}):\n    print(hit.score, hit.content)"
            )
            body = json.dumps({"query": question, **given, **scope}, ensure_ascii=False)
            quoted = body.replace("'", "'\\''")
            curl = (
                "curl -s localhost:8765/v1/recall -H 'Content-Type: application/json' \\\n"
                f"  -H \"Authorization: Bearer $ENGRAIN_KEY\" -d '{quoted}'"
            )
            narrow = {name: value for name, value in {**given, **scope}.items() if name not in ("known_at", "org")}
            call = {"name": "recall", "arguments": {"query": question, **narrow}}
            copyable(self.page, "Python", python)
            copyable(self.page, "curl", curl)
            copyable(self.page, "MCP", json.dumps(call, ensure_ascii=False, indent=2))
