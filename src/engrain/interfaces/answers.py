"""Answers for people: the text with numbered citations, and what it cites, quoted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.text import Text

from engrain.interfaces.tables import entry, one_line
from engrain.model.results import OFFLINE, Synthesis
from engrain.text import visible


def show_answer(console: Console, answer: Synthesis) -> None:
    """Print an answer, the memories that it cites, and who gave it at what cost."""
    if answer.abstained:
        console.print(Text("too little is remembered to answer this", style="bold yellow"))
        console.print(Text(visible(answer.metadata["reason"]), style="dim"), soft_wrap=True)
    else:
        _show_text(console, answer)
        console.print()
        for number, source in enumerate(answer.sources, start=1):
            if source["cited"]:
                _show_source(console, number, source)
    console.print(Text(_told(answer.metadata), style="dim"), soft_wrap=True)


def show_checked(console: Console, checked: tuple[bool, Sequence[str]]) -> None:
    """Print whether an answer holds, and what is wrong with it."""
    if checked[0]:
        console.print("holds", style="bold green")
    for wrong in checked[1]:
        console.print(Text(f"· {visible(wrong)}"), soft_wrap=True)


def _show_text(console: Console, answer: Synthesis) -> None:
    held = answer.synthesis
    lead = [c["text"] for c in held["citations"] if c["part"] in ("answer", "summary")]
    console.print(Text(_joined(answer, lead), style="bold"), soft_wrap=not console.is_terminal)
    for point in held.get("key_points", ()):
        entry(console, Text("  · "), Text(answer.cited(point)))
    for event in held.get("events", ()):
        entry(console, Text(f"  {event['date']:<10}  ", style="green"), Text(answer.cited(event["text"])))
    for tie in held.get("relationships", ()):
        numbers = {source["memory_id"]: n for n, source in enumerate(answer.sources, start=1)}
        marks = "".join(f"[{numbers[each]}]" for each in tie["memory_ids"] if each in numbers)
        names = [visible(tie[name]) for name in ("source", "relation", "target")]
        console.print(Text(f"  {names[0]} -[{names[1]}]-> {names[2]} {marks}"), soft_wrap=True)


def _joined(answer: Synthesis, sentences: Sequence[str]) -> str:
    """Return sentences with their sources as one text; a full stop parts those that have none."""
    ends = [" " if text[-1:] in ".!?…。！？" else ". " for text in sentences]
    return "".join(answer.cited(text) + end for text, end in zip(sentences, [*ends[:-1], ""], strict=False))


def _show_source(console: Console, number: int, source: Mapping[str, Any]) -> None:
    said = Text(f"{source['date']} · relevance {source['relevance_score']:.2f} · tier {source['tier']}", style="dim")
    said.append(" · ").append(source["memory_id"], style="not dim cyan")
    below = [said]
    if source["contested_by"]:
        below.append(Text(f"contested by {', '.join(source['contested_by'])}", style="yellow"))
    entry(console, Text(f"[{number}] ", style="bold"), Text(f'"{one_line(source["quote"])}"'), *below)


def _told(metadata: Mapping[str, Any]) -> str:
    """Say who answered, how sure it is, and what it cost."""
    cost = f"{metadata['tokens_used']:,} tokens" if metadata["tokens_used"] else ""
    took = f"{metadata['latency_ms']:.0f} ms"
    sure = f"confidence {metadata['confidence']:.2f}"
    by = metadata["model_used"]
    parts = (
        "told without a model" if by == OFFLINE else f"told by {visible(by)}",
        sure,
        cost,
        took,
        *map(visible, metadata["notes"]),
    )
    return " · ".join(filter(None, parts))
