"""The Procedures page: procedures, their outcomes, and those that await confirmation."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from functools import partial

from engrain.documents import plain
from engrain.model.memory import Memory
from engrain.model.procedure import Procedure, ProcedureStep
from engrain.server.console.elements import button, details, el, empty, field, form, meter, pre, section
from engrain.server.console.gate import WORDS
from engrain.server.console.page import Page
from engrain.server.console.parts import badges, status_of

_LIMIT, _STEPS, _ENTRIES = 20, 6, 200
_OUTCOME = re.compile(r"success$|failure$|\d+ of \d+ uses")


async def build(page: Page) -> None:
    """Build the page."""

    async def show() -> None:
        status = ["active", "quarantined"] if page.may("review") else ["active"]
        known = await page.call("procedures list", status=status, limit=_LIMIT, cursor=page.cursor)
        if not known:
            empty("No procedure is known yet.", "An agent stores them, or they are mined from what it did.")
        for memory in known:
            await _procedure(page, memory)
        page.further(known.next)

    async def render(values: Mapping[str, str]) -> None:
        found = await page.call("procedures render", task=values["task"])
        pre(found or "No procedure fits this task.", "What a model is shown")

    with details("What a model is shown for a task"), form(page.outcome(render), "row wrap"):
        field("Task", "task", required=True, placeholder="Deploy the web site")
        el("button", "Render", "button", type="submit")
    await page.shows(show)


async def _procedure(page: Page, memory: Memory) -> None:
    with section(memory.procedure.name if memory.procedure else "A procedure", "item"):
        if memory.procedure is None:
            el("p", memory.content, "content")
        else:
            _steps(memory.procedure)
            if page.may("audit log") and memory.procedure.uses > 1:
                entries = await page.call("audit log", memory_id=memory.id, limit=_ENTRIES)
                rows = [(each.at, each.actor, each.reason) for each in entries if _OUTCOME.match(each.reason)]
                with details("Outcomes over time, newest first"):
                    page.table(f"Outcomes of {memory.id}", ("at", "by", "outcome"), rows)
        with el("p", "", "meta"):
            badges(memory)
            page.link("Open this memory", "/memory", id=memory.id)
        with el("div", "", "actions"):
            if memory.procedure is not None and page.may("procedures store"):
                button("Edit", page.on(partial(_edit, page, memory.procedure)), picture="edit")
            if status_of(memory) == "quarantined" and page.may("procedures confirm"):
                ask = "Confirm this procedure?", WORDS["help"]["confirm"]
                confirm = page.doing("Confirmed.", "procedures confirm", ask=ask, verb="Confirm", memory_id=memory.id)
                button("Confirm", confirm, "primary", data_key="a")
                reject = page.doing("Rejected.", "procedures reject", "reinstate", memory_id=memory.id)
                button("Reject", reject, data_key="r")
            elif status_of(memory) != "quarantined" and page.may("procedures outcome"):
                for label, success, picture in (("It went well", True, "thumb_up"), ("It failed", False, "thumb_down")):
                    note = page.doing("Noted.", "procedures outcome", memory_id=memory.id, success=success)
                    button(label, note, "small", picture=picture)


async def _edit(page: Page, procedure: Procedure) -> None:
    """Change the conditions and the steps of a procedure; a step with unchanged words keeps its tool."""
    texts = {"triggers": procedure.trigger_conditions, "steps": [step.action for step in procedure.steps]}
    values = {"description": procedure.description} | {name: "\n".join(each) for name, each in texts.items()}
    if (given := await page.ask(f"Edit {procedure.name}", verb="Save", procedure=values)) is not None:
        known = {step.action: step for step in procedure.steps}
        triggers, lines = (filter(None, map(str.strip, given[name].splitlines())) for name in texts)
        steps = tuple(known.get(line) or ProcedureStep(line) for line in lines)
        now = replace(procedure, description=given["description"], trigger_conditions=tuple(triggers), steps=steps)
        found = await page.call("procedures store", procedure=plain(now))
        await page.done("Saved.", partial(page.call, "procedures store", procedure=plain(procedure)), found.id)


def _steps(procedure: Procedure) -> None:
    if procedure.description:
        el("p", procedure.description, "content")
    if procedure.trigger_conditions:
        el("p", f"When {'; '.join(procedure.trigger_conditions)}", "muted")
    steps, few = procedure.steps, len(procedure.steps) <= _STEPS
    with nullcontext() if few else details(f"{len(steps)} steps"), el("ol", "", "steps"):
        for step in steps:
            with el("li"):
                el("span", step.action)
                el("code", f" {step.tool_name or ''}")
                el("small", f" → {step.expected_outcome}" if step.expected_outcome else "")
    good, bad = procedure.success_count, procedure.failure_count
    words = f"{good:,} well, {bad:,} failed; {procedure.believed:.0%} expected"
    meter("outcomes", good / max(good + bad, 1), words, "graph")
