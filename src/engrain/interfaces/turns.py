"""Conversations for people: turns, and what became of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console
from rich.text import Text

from engrain.interfaces.tables import entry, moment, one_line, show_fields, show_memories, show_more, show_worked
from engrain.model.memory import ContextItem, Turn
from engrain.model.results import Page, SessionEnd
from engrain.text import visible


def show_turns(console: Console, turns: Sequence[Turn]) -> None:
    """Print turns: when, who, and what."""
    for turn in turns:
        lead = Text(f"{moment(turn.at):<16}  ", style="dim")
        said = [turn.actor, turn.role if turn.actor != turn.role else None, f"{turn.token_count} tokens"]
        if turn.metadata.get("is_summary"):
            said.append(f"summary of {turn.metadata['original_count']} turns")
        said += [f"calls {name}" for name in _called(turn)]
        line = Text(" · ".join(one_line(part, 60) for part in said if part), style="dim")
        entry(
            console, lead, Text(visible(turn.content)), Text.assemble(line, (f" {turn.id}" if turn.id else "", "dim"))
        )
    if not turns:
        console.print("no messages", style="dim")


def show_items(console: Console, items: Sequence[ContextItem]) -> None:
    """Print what a model would be shown: how much it matters, where it comes from, and what."""
    for item in items:
        below = Text(f"{item.source} · {item.token_count} tokens", style="dim")
        entry(console, Text(f"{item.priority:>2}  ", style="dim"), Text(visible(item.content)), below)
    if not items:
        console.print("nothing to show", style="dim")


def _called(turn: Turn) -> list[str]:
    calls = turn.metadata.get("tool_calls")
    functions = [call.get("function") for call in calls if isinstance(call, Mapping)] if isinstance(calls, list) else []
    return [str(function.get("name")) for function in functions if isinstance(function, Mapping)]


def show_turn_page(console: Console, page: Page[Turn]) -> None:
    """Print a page of turns and how to get the next."""
    show_turns(console, page)
    show_more(console, page)


def show_summary(console: Console, summary: str | None) -> None:
    """Print what is told of the turns that left the window."""
    show_fields(console, [("summary", summary or "nothing is told yet")])


def show_cleared(console: Console, _: None) -> None:
    """Say that the window is empty."""
    show_fields(console, [("cleared", "the window is empty; the history keeps what was said")])


def show_session_end(console: Console, ended: SessionEnd) -> None:
    """Print what became of a session."""
    if not ended.memories and not ended.evicted:
        console.print(f"session {ended.session}: nothing to end", markup=False)
        return
    left = f", {len(ended.evicted)} working memories archived" if ended.evicted else ""
    console.print(f"session {ended.session} ended{left}; it is told in:", markup=False)
    show_memories(console, ended.memories)
    show_worked(console, ended)
