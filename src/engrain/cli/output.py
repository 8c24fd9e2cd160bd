"""Memories, hits, writes and answers for people; control characters of stored text are shown, and it is no markup."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from threading import Event, Thread
from time import monotonic
from typing import Any

import click
from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.table import Table
from rich.text import Text

from engrain.model import results
from engrain.model.entities import Entity
from engrain.model.memory import JSON, Memory
from engrain.text import visible

Show = Callable[[Console, Any], None]
Row = tuple[str, str]

_BLOCKS = " ▏▎▍▌▋▊▉█"
_EVERY = 10.0  # seconds between two lines of progress


def stdout() -> Console:
    """Return the console for results."""
    return Console(highlight=False)


def stderr() -> Console:
    """Return the console for progress and questions."""
    return Console(stderr=True, highlight=False)


def write_json(found: JSON) -> None:
    """Print one JSON document; where standard output cannot write every character, the others are escaped."""
    click.echo(json.dumps(found, ensure_ascii=sys.stdout.encoding.lower().replace("-", "") != "utf8", indent=2))


@contextmanager
def progress(console: Console) -> Iterator[Callable[[int, int, str], None] | None]:
    """Yield a `(done, total, label)` callable that moves a bar; elsewhere it prints a line at times."""
    if console.quiet or not console.is_terminal:
        yield None if console.quiet else _lines(console)
        return
    columns = (BarColumn(bar_width=32), TaskProgressColumn(), TimeElapsedColumn(), TextColumn("{task.description}"))
    with Progress(*columns, console=console, transient=True) as bars:
        task = bars.add_task("", total=None)

        def report(done: int, total: int, label: str) -> None:
            bars.update(task, completed=done, total=total, description=label.replace("[", "\\["))

        yield report


def _lines(console: Console) -> Callable[[int, int, str], None]:
    """Return a function that prints progress, at a limited rate, and nothing for work that ends before that."""
    printed = monotonic()

    def report(done: int, total: int, label: str) -> None:
        nonlocal printed
        if monotonic() - printed >= _EVERY:
            printed = monotonic()
            console.print(Text(f"{100 * done // (total or 1)} %  {one_line(label)}"), soft_wrap=True)

    return report


@contextmanager
def waiting(console: Console, what: str, *, spins: bool, every: float = _EVERY) -> Iterator[None]:
    """Show what is waited for, and for how long: by a spinner on a terminal if it `spins`, else by a line at times."""
    ended = Event()

    def report() -> None:
        started = monotonic()
        while not ended.wait(every):
            console.print(Text(f"{monotonic() - started:.0f} s  {what}"), soft_wrap=True)

    columns = (SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn())
    with Progress(*columns, console=console, transient=True, disable=not (spins and console.is_terminal)) as bars:
        bars.add_task(what.replace("[", "\\["), total=None)
        if bars.disable:
            Thread(target=report, daemon=True).start()
        try:
            yield
        finally:
            ended.set()


def one_line(text: str, limit: int = 400) -> str:
    """Return text on one line, clipped."""
    line = " ".join(visible(text[: limit * 2]).split())
    return line if len(line) <= limit and len(text) <= limit * 2 else line[: limit - 1] + "…"


def moment(at: datetime | None) -> str:
    """Return a time in UTC, to the minute; a date where it is midnight."""
    if at is None:
        return "-"
    return f"{at:%Y-%m-%d}" if (at.hour, at.minute, at.second) == (0, 0, 0) else f"{at:%Y-%m-%d %H:%M}"


def size(bytes_: int) -> str:
    """Return bytes with the unit that people read best."""
    value, unit = float(bytes_), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def counts(found: Mapping[str, int]) -> str:
    """Return counts by name on one line, the largest first."""
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return " · ".join(f"{name} {number:,}" for name, number in ordered if number) or "none"


def bar(share: float, width: int = 8) -> str:
    """Return a bar of eighths for a share in [0, 1]."""
    full, part = divmod(round(max(0.0, min(1.0, share)) * width * 8), 8)
    return ("█" * full + (_BLOCKS[part] if part else "")).ljust(width)


def entry(console: Console, lead: Text, body: Text, *below: Text) -> None:
    """Print a text with something before it and lines below it; only a terminal gets it wrapped."""
    if not console.is_terminal:
        console.print(Text.assemble(lead, body), soft_wrap=True)
        for line in below:
            console.print(Text.assemble(" " * lead.cell_len, line), soft_wrap=True)
        return
    grid = Table.grid()
    grid.add_column(width=lead.cell_len)
    grid.add_column(overflow="fold")
    for number, line in enumerate((body, *below)):
        grid.add_row("" if number else lead, line)
    console.print(grid)


def show_table(
    console: Console, head: Sequence[str], rows: Iterable[Sequence[str]], *, right: Container[str] = (), left: str = ""
) -> None:
    """Print rows under a head, in columns as wide as their cells; the columns named in `right` end there."""
    lines = [head, *rows]
    widths = [max(map(cell_len, column)) for column in zip(*lines, strict=True)]
    for number, line in enumerate(lines):
        cells = (
            cell.rjust(width) if title in right else set_cell_size(cell, width)
            for cell, width, title in zip(line, widths, head, strict=True)
        )
        text = (left + "  ".join(cells)).rstrip()
        console.print(Text(text, style="" if number else "dim"), soft_wrap=not console.is_terminal)


def one_by_one(nothing: str) -> Callable[[Show], Show]:
    """Return a function that prints a list of items with one that prints an item, or a text for none."""

    def of_list(show: Show) -> Show:
        def show_all(console: Console, items: Sequence[Any]) -> None:
            for item in items:
                show(console, item)
            if not items:
                note(console, nothing)

        return show_all

    return of_list


def in_columns(read: Callable[[Any], Iterable[Row]]) -> Show:
    """Make a function that returns names and values print them in two columns."""
    return lambda console, found: show_fields(console, read(found))


def note(console: Console, text: str) -> None:
    """Print a dim line."""
    console.print(Text(text, style="dim"), soft_wrap=True)


def joined(*parts: str | None) -> Text:
    """Return a dim line of the parts that say something."""
    return Text(" · ".join(one_line(part, 60) for part in parts if part), style="dim")


def with_id(line: Text, memory: Memory) -> Text:
    """Return a line with the memory's id at its end."""
    return line.append(" · ").append(memory.id, style="not dim cyan")


def show_fields(console: Console, rows: Iterable[Row]) -> None:
    """Print names and values in two columns."""
    pairs = list(rows)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        entry(console, Text(f"{name:<{width}}  ", style="dim"), Text(visible(value)))


def show_more(console: Console, page: results.Page[Any]) -> None:
    """Print how to get the next page, where there is one."""
    if page.next is not None:
        note(console, f"more: --cursor {page.next}")


def signals(found: Iterable[results.Signal]) -> str:
    """Return each signal as a list with rank and score, or as a multiplier."""
    return " · ".join(map(_signal, found))


def _signal(signal: results.Signal) -> str:
    if signal.rank:
        return f"{signal.name} #{signal.rank} {signal.value:.2f}"
    name = signal.name.removeprefix("x ")
    return f"{name} {'×' if name != signal.name else ''}{signal.value:.2f}"


def show_recall(console: Console, recall: results.Recall, *, explain: bool = False) -> None:
    """Print the hits of a recall, best first, and with `explain` its steps."""
    show_hits(console, recall, best=max((hit.score for hit in recall), default=0.0), explain=explain)
    if recall and recall.abstained:
        console.print("none of these is relevant enough to answer from", style="yellow")
    if recall.held_back:
        console.print(f"{recall.held_back} held back: `engrain review` shows what waits for a verdict", style="yellow")
    if explain:
        show_trace(console, recall.trace, title=f"How it was found (intent: {recall.intent})")


def show_hits(console: Console, hits: Sequence[results.Hit], *, best: float = 1.0, explain: bool = False) -> None:
    """Print hits, best first: the score against the best, text, provenance, and with `explain` every signal."""
    for rank, hit in enumerate(hits, start=1):
        share, memory = hit.score / best if best > 0 else 0.0, hit.memory
        lead = Text(f"{rank:>2}  ").append(bar(share), style="green").append(f" {hit.score:.2f}  ", style="bold")
        when, where, origin = moment(memory.valid_from), memory.scope.session, memory.source.label
        below = [with_id(joined(memory.actor, when, where, origin, f"relevance {hit.relevance:.2f}"), memory)]
        if explain:
            below.append(Text(signals(hit.signals), style="yellow"))
        entry(console, lead, Text(one_line(hit.content)), *below)
    if not hits:
        console.print("nothing found", style="dim")


def show_trace(console: Console, trace: Sequence[results.Stage], *, title: str = "", margin: str = "") -> None:
    """Print each stage of a recall: candidates in and out, duration, notes."""
    console.print()
    if title:
        console.print(Text(title, style="bold"))
    rows = (
        (stage.name, f"{stage.came_in:,}", f"{stage.went_out:,}", f"{stage.ms:.2f}", visible("; ".join(stage.notes)))
        for stage in trace
    )
    show_table(console, ("stage", "in", "out", "ms", ""), rows, right=("in", "out", "ms"), left=margin)


def _show_why_not(console: Console, found: results.WhyNot) -> None:
    line = Text(found.stage, style="green" if found.stage == "found" else "bold")
    if found.by:
        line.append(f"  by {found.by:.3g}")
    console.print(line)
    entry(console, Text("  "), Text(visible(found.reason)))


@one_by_one("no memories")
def show_memories(console: Console, memory: Memory) -> None:
    """Print a memory of a list: time, text and provenance."""
    status = "" if memory.status == "active" else memory.status
    line = joined(memory.actor, memory.scope.session, memory.kind.value, *(f"#{tag}" for tag in memory.tags), status)
    _show_dated(console, memory, Text(one_line(memory.content)), line)


def _show_dated(console: Console, memory: Memory, body: Text, below: Text) -> None:
    entry(console, Text(f"{moment(memory.valid_from):<16}  ", style="dim"), body, with_id(below, memory))


def show_memory(console: Console, memory: Memory) -> None:
    """Print one memory whole: its text, then every field with a value."""
    console.print(Text(visible(memory.content)), soft_wrap=not console.is_terminal)
    console.print()
    show_fields(console, _fields(memory))


def _show_verdict(console: Console, settled: Memory | Entity) -> None:
    if isinstance(settled, Memory):
        show_memory(console, settled)
        return
    also = f", also called {', '.join(settled.aliases)}" if settled.aliases else ""
    console.print(Text(one_line(f"{settled.type} {settled.name}{also}", 2000)), soft_wrap=not console.is_terminal)


def _fields(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "id", memory.id
    yield "kind", f"{memory.kind.value}, {memory.status}, version {memory.version}"
    for name, value in memory.to_dict().items():
        if name not in ("id", "content", "kind", "status", "version") and value not in (None, "", [], {}, 0, False):
            yield name.replace("_", " "), _field(name, value)


def _field(name: str, value: object) -> str:
    if isinstance(value, str) and name.endswith(("_at", "_from", "_until", "last_accessed")):
        return moment(datetime.fromisoformat(value))
    if isinstance(value, float):
        return f"{value:.2f}"
    if isinstance(value, Mapping):
        return ", ".join(f"{key} {_field(key, part)}" for key, part in value.items() if part not in (None, ""))
    return ", ".join(_field(name, part) for part in value) if isinstance(value, list) else str(value)


@one_by_one("no facts")
def _show_facts(console: Console, memory: Memory) -> None:
    if memory.fact is not None:
        parts = (memory.fact.subject, memory.fact.predicate, memory.fact.object)
        triple = Text(" · ".join(one_line(part, 80) for part in parts))
        _show_dated(console, memory, triple, Text(one_line(memory.content, 200), style="dim"))


def show_history(console: Console, versions: Sequence[Memory], *, margin: str = "") -> None:
    """Print the versions of a fact as a timeline, oldest first: validity, and the reason of each end."""
    for number, (memory, after) in enumerate(zip(versions, [*versions[1:], None], strict=True), start=1):
        lead = Text(f"{margin}{number:>2}  ", style="bold")
        edit = after if after is not None and after.id == memory.id else None
        until = "now" if memory.valid_until is None else moment(memory.valid_until)
        below = Text(f"{moment(memory.valid_from)} to {until} · {_ended(memory, edit)}", style="dim")
        entry(console, lead, Text(one_line(memory.content)), with_id(below, memory))


def _ended(memory: Memory, edit: Memory | None) -> str:
    """Return the reason why a version ended: an edit, a correction, its successor, or its status."""
    if edit is not None:
        return f"version {memory.version}, reworded {moment(edit.updated_at)}"
    if memory.stored_status == "active" and memory.superseded_by is not None:
        how = "superseded" if memory.believed_until is None else f"corrected {moment(memory.believed_until)}"
        return f"{how} by {memory.superseded_by}"
    if memory.is_contested:
        return "contested: waits for a verdict"
    return memory.status + (f" ({one_line(memory.status_reason, 80)})" if memory.status_reason else "")


@one_by_one("no procedures")
def show_procedures(console: Console, memory: Memory) -> None:
    """Print a procedure whole, with its record of uses."""
    found, parts = memory.procedure, [] if memory.status == "active" else [str(memory.status)]
    if found is not None:
        parts += [f"{found.success_count:,} of {found.uses:,} uses went well"] if found.uses else []
        parts += [found.standing] if found.standing else []
    below = with_id(Text(" · ".join(parts), style="dim"), memory)
    entry(console, Text(f"{memory.confidence:.2f}  ", style="bold"), Text(visible(memory.content)), below)


def show_remembered(console: Console, outcome: results.Remembered) -> None:
    """Print the outcome of a write, and those of the other facts of the same text."""
    for each in (outcome, *outcome.others):
        settled = each.status in ("created", "updated", "corrected")
        line = Text(f"{each.status}  ", style="bold green" if settled else "bold yellow")
        memory = each.memory
        if memory is not None:
            line.append(memory.id, style="cyan").append(f"  {memory.kind.value}, {memory.band}", style="dim")
        line.append(_decided_by(each.decision), style="dim")
        console.print(line, soft_wrap=True)
        if each.decision.kind not in ("add", "duplicate"):
            note(console, f"  {one_line(each.decision.reason)}")


def show_outcomes(console: Console, outcomes: Sequence[results.Remembered]) -> None:
    """Print the outcome of each fact or item."""
    for number, outcome in enumerate(outcomes):
        lead, memory = Text(f"{outcome.status:<11}  ", style="bold"), outcome.memory
        if outcome.status == "rejected":
            entry(console, lead, Text(one_line(f"item {number}: {outcome.decision.reason}")))
        if memory is not None:
            below = with_id(Text(memory.band + _decided_by(outcome.decision), style="dim"), memory)
            entry(console, lead, Text(one_line(memory.content)), below)
    if not outcomes:
        console.print("nothing new", style="dim")


def _decided_by(decision: results.Decision) -> str:
    """Return the model that found or judged a fact, and why it was not the model that was asked."""
    found = f", found by {decision.found_by}" if decision.found_by not in ("", results.OFFLINE) else ""
    judged = f", judged by {decision.judged_by}" if decision.judged_by not in ("", "rules") else ""
    return one_line(found + judged + (f", {decision.fallback}" if decision.fallback else ""), 300)


def _show_review(console: Console, page: results.Page[results.ReviewItem]) -> None:
    for item in page:
        lead = Text(f"{item.kind:<13}  ", style="bold yellow")
        if item.merge is not None:
            other, keep = (f"{each.name} ({each.type})" for each in (item.merge.other, item.merge.keep))
            below = [Text(one_line(f"{item.reason} · {item.id}"), style="dim")]
            if item.memory is not None:
                stated = Text(f"stated by: {one_line(item.memory.content, 200)}", style="dim")
                below.append(with_id(stated, item.memory))
            entry(console, lead, Text(one_line(f"{other} would count as {keep}")), *below)
        else:
            below = [with_id(Text(one_line(item.reason), style="dim"), item.memory)]
            below += [with_id(Text(f"against: {one_line(m.content, 200)}", style="dim"), m) for m in item.others]
            entry(console, lead, Text(one_line(item.memory.content)), *below)
    note(console, "settle each: engrain validate ID, or engrain reject ID" if page else "nothing waits")


def _show_answer(console: Console, answer: results.Synthesis) -> None:
    """Print an answer with numbered citations, or that none is sure; the quotes, cited or closest; and the cost."""
    if answer.abstained:
        lead = "no answer is sure" if answer.sources else "too little is remembered to answer this"
        console.print(Text(lead, style="bold yellow"))
        note(console, "the closest I know:" if answer.sources else visible(answer.metadata["reason"]))
    else:
        _show_text(console, answer)
        console.print()
    for number, source in enumerate(answer.sources, start=1):
        if source["cited"]:
            origin = ", ".join(filter(None, (source["source_type"], visible(source["source"]))))
            relevance, tier = f"relevance {source['relevance_score']:.2f}", f"tier {source['tier']}"
            line = joined(source["date"], origin, relevance, tier)
            below = [line.append(" · ").append(source["memory_id"], style="not dim cyan")]
            if source["contested_by"]:
                below.append(Text(f"contested by {', '.join(source['contested_by'])}", style="yellow"))
            entry(console, Text(f"[{number}] ", style="bold"), Text(f'"{one_line(source["quote"])}"'), *below)
    note(console, _cost(answer.metadata))


def _show_checked(console: Console, checked: tuple[bool, Sequence[str]]) -> None:
    if checked[0]:
        console.print("holds", style="bold green")
    for wrong in checked[1]:
        console.print(Text(f"· {visible(wrong)}"), soft_wrap=True)


def _show_text(console: Console, answer: results.Synthesis) -> None:
    found = answer.synthesis
    lead = [c["text"] for c in found["citations"] if c["part"] in ("answer", "summary")]
    # A full stop ends those that have none.
    ends = [" " if text[-1:] in ".!?…。！？" else ". " for text in lead]
    whole = "".join(answer.cited(text) + end for text, end in zip(lead, [*ends[:-1], ""], strict=False))
    console.print(Text(whole, style="bold"), soft_wrap=not console.is_terminal)
    for point in found.get("key_points", ()):
        entry(console, Text("  · "), Text(answer.cited(point)))
    for event in found.get("events", ()):
        entry(console, Text(f"  {event['date']:<10}  ", style="green"), Text(answer.cited(event["text"])))
    numbers = {source["memory_id"]: n for n, source in enumerate(answer.sources, start=1)}
    for relation in found.get("relationships", ()):
        marks = "".join(f"[{numbers[each]}]" for each in relation["memory_ids"] if each in numbers)
        names = [visible(relation[name]) for name in ("source", "relation", "target")]
        console.print(Text(f"  {names[0]} -[{names[1]}]-> {names[2]} {marks}"), soft_wrap=True)


def _cost(metadata: Mapping[str, Any]) -> str:
    by = metadata["model_used"]
    parts = (
        "answered without a model" if by == results.OFFLINE else f"answered by {visible(by)}",
        f"confidence {metadata['confidence']:.2f}",
        f"{metadata['tokens_used']:,} tokens" if metadata["tokens_used"] else "",
        f"{metadata['latency_ms']:.0f} ms",
        *map(visible, metadata["notes"]),
    )
    return " · ".join(filter(None, parts))


SHOW: Mapping[Any, Show] = {  # how a result is printed: by its type, or by the name of the operation
    Memory: show_memory,
    list[Memory]: show_memories,
    results.Page[Memory]: show_memories,
    list[results.Hit]: show_hits,
    results.WhyNot: _show_why_not,
    results.Remembered: show_remembered,
    list[results.Remembered]: show_outcomes,
    list[results.Remembered[Any]]: show_outcomes,
    results.Page[results.ReviewItem]: _show_review,
    results.Synthesis: _show_answer,
    tuple[bool, list[str]]: _show_checked,
    "facts": _show_facts,
    "history": show_history,
    "validate": _show_verdict,
    "reject": _show_verdict,
    "reinstate": _show_verdict,
    "procedures list": show_procedures,
}
