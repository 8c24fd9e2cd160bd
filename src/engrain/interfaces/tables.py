"""Results for people: what a terminal shows, and the same without colour or boxes where there is no terminal.

Stored text is shown, never obeyed: control characters become visible and nothing in it is read as markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from datetime import datetime
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from engrain.model.entities import Entity, Merge
from engrain.model.memory import Memory
from engrain.model.results import (
    OFFLINE,
    Consolidation,
    Decision,
    Hit,
    Imported,
    Ingested,
    Migrated,
    Page,
    Recall,
    Reflection,
    Reindexed,
    Remembered,
    ReviewItem,
    Signal,
    Stage,
    Stats,
    StixImported,
    WhyNot,
    Worked,
)
from engrain.text import visible

_CLIP = 400
_BLOCKS = " ▏▎▍▌▋▊▉█"


def one_line(text: str, limit: int = _CLIP) -> str:
    """Return text on one line, clipped."""
    line = " ".join(visible(text[: limit * 2]).split())
    return line if len(line) <= limit and len(text) <= limit * 2 else line[: limit - 1] + "…"


def moment(at: datetime | None) -> str:
    """Return a time in UTC, to the minute; a date where it is midnight."""
    if at is None:
        return "-"
    return f"{at:%Y-%m-%d}" if (at.hour, at.minute, at.second) == (0, 0, 0) else f"{at:%Y-%m-%d %H:%M}"


def size(bytes_: int) -> str:
    """Return bytes as people read them."""
    value, unit = float(bytes_), "B"
    for unit in ("B", "KB", "MB", "GB", "TB"):
        if value < 1000 or unit == "TB":
            break
        value /= 1000
    return f"{value:.0f} {unit}" if unit == "B" or value >= 100 else f"{value:.1f} {unit}"


def bar(share: float, width: int = 8) -> str:
    """Return a bar of eighths for a share in [0, 1]."""
    eighths = round(max(0.0, min(1.0, share)) * width * 8)
    full, part = divmod(eighths, 8)
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


def provenance(memory: Memory, *more: str) -> Text:
    """Return who said it, when, and where it belongs."""
    said = (memory.actor, moment(memory.valid_from), memory.scope.session, *more)
    return Text(" · ".join(one_line(part, 60) for part in said if part), style="dim")


def named(line: Text, memory: Memory) -> Text:
    """Return a line with the memory's id at its end."""
    return line.append(" · ").append(memory.id, style="not dim cyan")


def show_hit(console: Console, rank: int, hit: Hit, best: float, *, explain: bool = False) -> None:
    """Print one hit: its score against the best one, the text, where it comes from, and on demand every signal."""
    share = hit.score / best if best > 0 else 0.0
    lead = Text(f"{rank:>2}  ").append(bar(share), style="green").append(f" {hit.score:.2f}  ", style="bold")
    below = [named(provenance(hit.memory, f"relevance {hit.relevance:.2f}"), hit.memory)]
    if explain:
        below.append(Text(signals(hit.signals), style="yellow"))
    entry(console, lead, Text(one_line(hit.content)), *below)


def signals(found: Iterable[Signal]) -> str:
    """Return each signal as a list with rank and score, or as a multiplier."""
    return " · ".join(map(_signal, found))


def _signal(signal: Signal) -> str:
    if signal.rank:
        return f"{signal.name} #{signal.rank} {signal.value:.2f}"
    name = signal.name.removeprefix("x ")
    return f"{name} {'×' if name != signal.name else ''}{signal.value:.2f}"


def show_recall(console: Console, recall: Recall, *, explain: bool = False) -> None:
    """Print the hits of a recall, best first, and on demand how they were found."""
    if not recall:
        console.print("nothing found", style="dim")
    best = max((hit.score for hit in recall), default=0.0)
    for rank, hit in enumerate(recall, start=1):
        show_hit(console, rank, hit, best, explain=explain)
    if recall and recall.abstained:
        console.print("none of these is relevant enough to answer from", style="yellow")
    if explain:
        show_trace(console, recall.trace, title=f"How it was found (intent: {recall.intent})")


def show_trace(console: Console, trace: Sequence[Stage], *, title: str = "", margin: str = "") -> None:
    """Print each stage of a recall: what came in, what went out, how long it took."""
    console.print()
    if title:
        console.print(Text(title, style="bold"))
    width = max((len(stage.name) for stage in trace), default=0)
    console.print(Text(f"{margin}{'stage':<{width}}  {'in':>7}  {'out':>7}  {'ms':>8}", style="dim"))
    for stage in trace:
        lead = f"{margin}{stage.name:<{width}}  {stage.came_in:>7,}  {stage.went_out:>7,}  {stage.ms:>8.2f}  "
        entry(console, Text(lead), Text(visible("; ".join(stage.notes)), style="dim"))


def show_why_not(console: Console, found: WhyNot) -> None:
    """Print where a memory fell out of a recall, and by how much."""
    line = Text(found.stage, style="green" if found.stage == "found" else "bold")
    if found.by:
        line.append(f"  by {found.by:.3g}")
    console.print(line)
    entry(console, Text("  "), Text(visible(found.reason)))


def show_page(console: Console, page: Page[Memory]) -> None:
    """Print a page of memories and how to get the next."""
    show_memories(console, page)
    show_more(console, page)


def show_memories(console: Console, memories: Sequence[Memory]) -> None:
    """Print memories: when it was, the text, and where it comes from."""
    for memory in memories:
        lead = Text(f"{moment(memory.valid_from):<16}  ", style="dim")
        said = [memory.actor, memory.scope.session, memory.kind.value, *(f"#{tag}" for tag in memory.tags)]
        if memory.status != "active":
            said.append(memory.status.value)
        line = Text(" · ".join(one_line(part, 60) for part in said if part), style="dim")
        entry(console, lead, Text(one_line(memory.content)), named(line, memory))
    if not memories:
        console.print("no memories", style="dim")


def show_more(console: Console, page: Page[Any]) -> None:
    """Say how to get the next page, where there is one."""
    if page.next is not None:
        console.print(Text(f"more: --cursor {page.next}", style="dim"), soft_wrap=True)


def show_settled(console: Console, settled: Memory | Entity) -> None:
    """Print what a verdict left: a memory, or the entity that a merge keeps."""
    if isinstance(settled, Memory):
        show_memory(console, settled)
        return
    also = f", also called {', '.join(settled.aliases)}" if settled.aliases else ""
    console.print(Text(one_line(f"{settled.type} {settled.name}{also}", 2000)), soft_wrap=not console.is_terminal)


def show_memory(console: Console, memory: Memory) -> None:
    """Print one memory whole: its text, then every field that says something."""
    console.print(Text(visible(memory.content)), soft_wrap=not console.is_terminal)
    console.print()
    show_fields(console, _told(memory))


def _told(memory: Memory) -> Iterator[tuple[str, str]]:
    yield "id", memory.id
    yield "kind", f"{memory.kind.value}, {memory.status.value}, version {memory.version}"
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
    if isinstance(value, list):
        return ", ".join(_field(name, part) for part in value)
    return str(value)


def show_fields(console: Console, rows: Iterable[tuple[str, str]]) -> None:
    """Print names and values in two columns."""
    pairs = list(rows)
    width = max((len(name) for name, _ in pairs), default=0)
    for name, value in pairs:
        entry(console, Text(f"{name:<{width}}  ", style="dim"), Text(visible(value)))


def show_history(console: Console, versions: Sequence[Memory], *, margin: str = "") -> None:
    """Print the versions of a fact as a timeline, oldest first: since when each held, until when, and what ended it."""
    following = [*versions[1:], None]
    for number, (memory, after) in enumerate(zip(versions, following, strict=True), start=1):
        lead = Text(f"{margin}{number:>2}  ", style="bold")
        edited = after is not None and after.id == memory.id
        below = Text(f"{_interval(memory)} · {_ended(memory, after if edited else None)}", style="dim")
        entry(console, lead, Text(one_line(memory.content)), named(below, memory))


def _interval(memory: Memory) -> str:
    until = "now" if memory.valid_until is None else moment(memory.valid_until)
    return f"{moment(memory.valid_from)} to {until}"


def _ended(memory: Memory, edit: Memory | None) -> str:
    """Return what became of a version: reworded, corrected, superseded, or its status."""
    if edit is not None:
        return f"version {memory.version}, reworded {moment(edit.updated_at)}"
    if memory.status == "active" and memory.superseded_by is not None:
        if memory.believed_until is not None:
            return f"corrected {moment(memory.believed_until)} by {memory.superseded_by}"
        return f"superseded by {memory.superseded_by}"
    if memory.is_contested:
        return "contested: waits for a verdict"
    return memory.status.value + (f" ({one_line(memory.status_reason, 80)})" if memory.status_reason else "")


def show_remembered(console: Console, outcome: Remembered) -> None:
    """Print what became of a write, and of the other facts of the same text."""
    for each in (outcome, *outcome.others):
        settled = each.status in ("created", "updated", "corrected")
        line = Text(f"{each.status}  ", style="bold green" if settled else "bold yellow")
        memory = each.memory
        if memory is not None:
            line.append(memory.id, style="cyan").append(f"  {memory.kind.value}, {memory.band}", style="dim")
        line.append(_by(each.decision), style="dim")
        console.print(line, soft_wrap=True)
        if each.decision.kind not in ("add", "duplicate"):
            console.print(Text(f"  {one_line(each.decision.reason)}", style="dim"), soft_wrap=True)


def _by(decision: Decision) -> str:
    """Return who but the rules found and judged a fact, and why it was not the language model."""
    found = f", found by {decision.found_by}" if decision.found_by not in ("", "offline") else ""
    judged = f", judged by {decision.judged_by}" if decision.judged_by not in ("", "rules") else ""
    return one_line(found + judged + (f", {decision.fallback}" if decision.fallback else ""), 300)


def show_outcomes(console: Console, outcomes: Sequence[Remembered]) -> None:
    """Print each fact that was found in a text, and what became of it."""
    for number, outcome in enumerate(outcomes):
        lead = Text(f"{outcome.status:<11}  ", style="bold")
        memory = outcome.memory
        if outcome.status == "rejected":
            entry(console, lead, Text(one_line(f"item {number}: {outcome.decision.reason}")))
        if memory is not None:
            below = named(Text(memory.band + _by(outcome.decision), style="dim"), memory)
            entry(console, lead, Text(one_line(memory.content)), below)
    if not outcomes:
        console.print("nothing new", style="dim")


def show_facts(console: Console, memories: Sequence[Memory]) -> None:
    """Print facts as triples, with since when each holds."""
    for memory in memories:
        fact = memory.fact
        if fact is not None:
            triple = Text(" · ".join(one_line(part, 80) for part in (fact.subject, fact.predicate, fact.object)))
            below = named(Text(one_line(memory.content, 200), style="dim"), memory)
            entry(console, Text(f"{moment(memory.valid_from):<16}  ", style="dim"), triple, below)
    if not memories:
        console.print("no facts", style="dim")


def show_hits(console: Console, hits: Sequence[Hit]) -> None:
    """Print hits without a question, best first."""
    for rank, hit in enumerate(hits, start=1):
        show_hit(console, rank, hit, 1.0)
    if not hits:
        console.print("nothing found", style="dim")


def show_review(console: Console, page: Page[ReviewItem]) -> None:
    """Print what waits for a verdict: why, and what it would close."""
    for item in page:
        if item.merge is not None:
            _show_proposed(console, item, item.merge)
            continue
        below = [named(Text(one_line(item.reason), style="dim"), item.memory)]
        below += [named(Text(f"against: {one_line(m.content, 200)}", style="dim"), m) for m in item.others]
        entry(console, Text(f"{item.kind:<13}  ", style="bold yellow"), Text(one_line(item.memory.content)), *below)
    if page:
        console.print(Text("settle each: engrain validate ID, or engrain reject ID", style="dim"), soft_wrap=True)
    else:
        console.print("nothing waits", style="dim")
    show_more(console, page)


def _show_proposed(console: Console, item: ReviewItem, merge: Merge) -> None:
    below = [Text(one_line(f"{item.reason} · {item.id}"), style="dim")]
    if item.memory is not None:
        below.append(named(Text(f"said by: {one_line(item.memory.content, 200)}", style="dim"), item.memory))
    told = f"{merge.other.name} ({merge.other.type}) would count as {merge.keep.name} ({merge.keep.type})"
    entry(console, Text(f"{item.kind:<13}  ", style="bold yellow"), Text(one_line(told)), *below)


def show_stats(console: Console, stats: Stats) -> None:
    """Print the counts."""
    show_fields(
        console,
        (
            ("memories", f"{stats.total_notes:,}"),
            ("by kind", counts(stats.by_kind)),
            ("by status", counts(stats.by_status)),
            ("vectors", counts(stats.vectors)),
            ("entities", counts(stats.entity_index["by_type"])),
            ("mentions", f"{stats.entity_index['mentions']:,}"),
            ("conversations", counts(stats.conversations)),
            ("turns", f"{stats.turns:,}"),
            ("jobs", counts(stats.jobs)),
            *([("over their cap", counts(stats.over_cap))] if stats.over_cap else []),
            ("dead letters", f"{stats.dead_letters:,}"),
            ("on disk", size(stats.store_bytes)),
            ("embedder", stats.embedder or "none: words only"),
            *([("language model", _asked(stats.llm))] if stats.llm else []),
        ),
    )


def _asked(llm: Mapping[str, Any]) -> str:
    """Return what was asked of models on one line: in all, by use, and today."""
    budget = llm["budget"] or {}
    most = {name: f" of {budget[name]:,}" if name in budget else "" for name in llm["today"]}
    today = " and ".join(f"{number:,}{most[name]} {name}" for name, number in llm["today"].items())
    uses = counts({use: each["calls"] for use, each in llm["by"].items()})
    calls = f"{llm['calls']:,} calls ({uses}), {llm['failed']:,} failed"
    tokens = f"{llm['input_tokens']:,} tokens in, {llm['output_tokens']:,} out"
    damaged = [f"{llm['damaged']:,} accounts are damaged"] if llm.get("damaged") else []
    return " · ".join((llm["model"] or "none now", calls, tokens, f"today {today}", *damaged))


def counts(found: Mapping[str, int]) -> str:
    """Return counts by name on one line, the largest first."""
    ordered = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
    return " · ".join(f"{name} {number:,}" for name, number in ordered if number) or "none"


def show_ingested(console: Console, outcome: Ingested) -> None:
    """Print what was read, and which files could not be."""
    console.print(f"files {outcome.files:,} · created {outcome.created:,} · known {outcome.known:,}")
    _show_failures(console, "failed", outcome.failed)


def show_imported(console: Console, outcome: Imported) -> None:
    """Print what was imported, and which lines were refused."""
    console.print(f"created {outcome.created:,} · known {outcome.known:,} · skipped {outcome.skipped:,}")
    _show_failures(console, "refused", {f"line {line}": why for line, why in outcome.rejected.items()})


def show_stix(console: Console, outcome: StixImported) -> None:
    """Print what a bundle came to, why some of its objects were left out, and which were refused."""
    told = {field.name: getattr(outcome, field.name) for field in fields(outcome)}
    console.print(" · ".join(f"{name} {count:,}" for name, count in told.items() if isinstance(count, int)))
    for why, count in Counter(outcome.skipped.values()).most_common():
        console.print(Text(f"skipped {count:,}: {one_line(why)}", style="dim"), soft_wrap=True)
    _show_failures(console, "refused", outcome.rejected)


def _show_failures(console: Console, word: str, failures: Mapping[str, str]) -> None:
    for place, said in failures.items():
        why = said.removeprefix(place).lstrip(",: ")
        line = Text(f"{word}  ", style="bold red").append(one_line(place), style="not bold")
        console.print(line.append(f": {one_line(why)}", style="not bold"), soft_wrap=True)


def show_consolidation(console: Console, outcome: Consolidation) -> None:
    """Print what was learnt of episodes, and whether the rest waits for tomorrow."""
    console.print(
        f"episodes {outcome.processed:,} · facts added {outcome.facts_added:,} · "
        f"told again {outcome.facts_merged:,} · to be tried again {outcome.failed:,}"
    )
    if not (outcome.processed or outcome.failed or outcome.paused):
        console.print("no episode waits: what is remembered without a session is a fact already", style="dim")
    if outcome.paused:
        console.print("paused: the budget for the language model is spent for today")
    show_worked(console, outcome)


def show_reflection(console: Console, found: Reflection) -> None:
    """Print the new insights, and who found them."""
    show_outcomes(console, found)
    show_worked(console, found.worked)


def show_worked(console: Console, worked: Worked) -> None:
    """Print which language model did it, what it took, and why not all of it; nothing where none was asked."""
    if worked.by == OFFLINE and not worked.calls and not worked.why_not:
        return
    cost = f"{worked.calls:,} call{'' if worked.calls == 1 else 's'}, {worked.tokens:,} tokens"
    why = f" · not all by the model: {worked.why_not}" if worked.why_not else ""
    console.print(Text(one_line(f"by {worked.by} · {cost}{why}", 2000), style="dim"), soft_wrap=True)


def show_reindexed(console: Console, outcome: Reindexed) -> None:
    """Print what was indexed anew."""
    console.print(
        f"memories {outcome.memories:,} · embedded {outcome.embedded:,} · "
        f"texts {outcome.texts:,} · old vectors removed {outcome.removed:,}"
    )


def show_migrated(console: Console, outcome: Migrated) -> None:
    """Print what was moved, and that it was compared."""
    show_fields(console, ((name.replace("_", " "), f"{count:,}") for name, count in outcome.rows.items()))
    orgs = f"{outcome.orgs:,} org{'' if outcome.orgs == 1 else 's'}"
    console.print(
        Text(f"{sum(outcome.rows.values()):,} rows of {orgs} moved to {visible(outcome.target)} and compared there"),
        soft_wrap=True,
    )
