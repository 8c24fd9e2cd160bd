"""What was forgotten or erased, and its receipts, for people."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.console import Console
from rich.text import Text

from engrain.interfaces.tables import entry, one_line, show_fields, show_more
from engrain.manager import MemoryManager
from engrain.model.audit import Forgotten, Receipt
from engrain.model.results import Page
from engrain.text import visible

_SHOWN = 20  # ids


def show_forgotten(console: Console, outcome: Forgotten) -> None:
    """Print what was forgotten or erased, or how many would be."""
    if outcome.dry_run:
        console.print(f"{_memories(outcome.count)} would go{_beside(outcome)}")
        return
    said = "forgotten" if outcome.receipt is None else "erased"
    for memory_id in outcome.ids[:_SHOWN]:
        console.print(Text(f"{said}  ", style="bold yellow").append(memory_id, style="not bold cyan"), soft_wrap=True)
    if outcome.count > _SHOWN:
        console.print(f"and {outcome.count - _SHOWN:,} more")
    elif not outcome.count:
        console.print("no memory was there to go")
    if outcome.receipt is not None:
        show_receipt(console, outcome.receipt)


def show_receipt(console: Console, receipt: Receipt | None) -> None:
    """Print a receipt."""
    if receipt is None:
        console.print("there is no such receipt")
        return
    found = "nothing of it was found" if receipt.verified else "not verified"
    show_fields(
        console,
        (
            ("receipt", receipt.id),
            ("status", f"{receipt.status}, {found}"),
            ("removed", _counts(receipt.removed)),
            ("searched for", _counts(receipt.searched)),
            ("shared words", f"{receipt.shared:,}, which other memories of the same owner hold too"),
            ("out of reach", "; ".join(receipt.out_of_reach)),
            *((("signature", receipt.signature),) if receipt.signature else ()),
            *(("note", visible(note)) for note in receipt.notes),
        ),
    )


def _memories(count: int) -> str:
    return f"{count:,} {'memory' if count == 1 else 'memories'}"


def _beside(outcome: Forgotten) -> str:
    return f", and {_memories(outcome.beside)} that they came from or that came of them" if outcome.beside else ""


def _counts(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{number:,} {name}" for name, number in counts.items())


def show_receipts(console: Console, page: Page[Receipt]) -> None:
    """Print receipts, one a line, and how to get the next page."""
    for receipt in page:
        said = f"{receipt.at:%Y-%m-%d %H:%M}  {receipt.status}, {_counts(receipt.removed)}"
        entry(console, Text(f"{receipt.id}  ", style="dim"), Text(one_line(said)))
    if not page:
        console.print("nothing was erased")
    show_more(console, page)


def at_stake(memory: MemoryManager, asked: Mapping[str, Any], *, everything: bool) -> str:
    """Return in words how much a call is about to destroy; nothing when there is nothing, or it only counts."""
    if not everything:
        return "what is forgotten already" if asked.get("hard") else ""
    if asked.get("dry_run"):
        return ""
    would = memory.forget_all(**{**asked, "dry_run": True})
    said = _memories(would.count) + _beside(would)
    return f"{said}, for good" if asked.get("hard") else said if would.count else ""
