"""The Answer page: a question answered from memory, each sentence with the quote that supports it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engrain.model.memory import Memory
from engrain.model.results import Synthesis
from engrain.server.console.elements import el, empty, section, shortened
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import facts_line, is_empty, question_field


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        question = page.query.get("q", "")
        if not question:
            if not await is_empty(page):
                empty("Ask, and see which quotes an answer rests on.", "Where too little is remembered it says so.")
            return
        model = False if page.query.get("by") == "rules" else None
        found = await page.call("ask", query=question, format=page.query.get("format"), model=model, touch=False)
        if not found.sources and await is_empty(page):
            return
        sources = {each["memory_id"]: await page.call("get", memory_id=each["memory_id"]) for each in found.sources}
        _answer(page, found, sources)

    with page.asking("Answer", classes="ask wrap"):
        question_field(page)
        page.fields("answer", page.query)
    await page.shows(show)


def _answer(page: Page, found: Synthesis, sources: Mapping[str, Memory | None]) -> None:
    meta = found.metadata
    if found.abstained:
        with el("div", "", "notice"):
            little = "No answer is sure; the closest are quoted." if found.sources else "Too little is remembered."
            el("p", little, "strong")
            reason = str(meta["reason"])
            el("p", f"{reason[:1].upper()}{reason[1:]}.")
    numbers = {source["memory_id"]: place for place, source in enumerate(found.sources, start=1)}
    cited = [each for each in found.synthesis.get("citations", ()) if each["part"] != "events"]
    for one in found.synthesis.get("events", ()):
        dated = f"{one['date']}  {one['text']}"
        cited.append({"part": "events", "text": dated, "memory_ids": [one.get("memory_id")]})
    for part, label in WORDS["part"].items():
        if sentences := [each for each in cited if each["part"] == part]:
            with section(label, "answer-part"):
                for each in sentences:
                    _sentence(each["text"], [numbers[one] for one in each["memory_ids"] if one in numbers], part)
    if relations := found.synthesis.get("relationships"):
        with section("Relations"), el("ul"):
            for each in relations:
                el("li", f"{each['source']} {each['relation'].replace('_', ' ')} {each['target']}")
    if found.sources:
        with section("Sources"), el("ol", "", "sources"):
            for number, source in enumerate(found.sources, start=1):
                _source(page, number, source["quote"], sources[source["memory_id"]])
    with section("What it took"):
        rows: dict[str, object] = {
            "Answered by": "rules, without a model" if meta["model_used"] == "offline" else meta["model_used"],
            "Calls of a model": f"{meta['calls']}, {meta['tokens_used']:,} tokens",
            "Sure": f"{meta['confidence']:.0%}; it abstains below {meta['confidence_threshold']:.0%}",
            "Took": f"{meta['latency_ms']:,.0f} ms",
            "Notes": "; ".join(meta["notes"]),
        }
        page.pairs(rows)


def _sentence(text: str, numbers: Sequence[int], part: str) -> None:
    with el("p", "", "content large" if part == "answer" else "content"):
        el("span", text)
        for number in filter(None, numbers):
            el("a", f"[{number}]", "cite", href=f"#source-{number}", aria_label=f"source {number}")


def _source(page: Page, number: int, quote: str, memory: Memory | None) -> None:
    with el("li", "", "item memory", id=f"source-{number}"):
        el("strong", f"[{number}]")
        if memory is None:
            el("p", quote)
            return
        before, found, after = memory.content.partition(quote)
        parts = (("span", before[-400:] if found else shortened(before)), ("mark", found), ("span", after[:400]))
        with el("p", "", "content"):
            for tag, part in parts:
                el(tag, part)
        facts_line(page, memory)
        page.link("Open this memory", "/memory", id=memory.id)
