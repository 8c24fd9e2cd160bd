"""The command about the life of memories: counts over time, the policies in force, and a picture of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from engrain.documents import plain
from engrain.interfaces.commands import open_view, stdout, view, write_json
from engrain.interfaces.options import Command, json_option, view_options
from engrain.interfaces.policies import in_force, show_policies
from engrain.model.results import Counts

_SHOWN = 20  # rows of a table of counts: the whole is in --json
_STATUSES = tuple(field.name for field in fields(Counts))[1:]


def lifecycle_command() -> click.Command:
    """Return the command."""
    file = click.Path(dir_okay=False, writable=True, path_type=Path)
    return Command(
        "lifecycle",
        callback=_lifecycle,
        summary="Show how many memories there were of each status over time, and the policies in force; or draw both.",
        params=[
            click.Option(["--since"], metavar="TIME", help="count from here on, not from the first memory on"),
            click.Option(["--until"], metavar="TIME", help="count until here, not until now"),
            click.Option(["--svg"], type=file, metavar="FILE", help="draw a picture into a file instead"),
            json_option(),
            *view_options(),
        ],
    )


def _lifecycle(**values: Any) -> None:
    span = {name: values[name] for name in ("since", "until") if values[name] is not None}
    with open_view(view(values)) as memory:
        counts = memory.lifecycle.timeline(**span)
        settings = memory.settings
        drawn = None if values["svg"] is None else memory.lifecycle.draw(values["svg"], **span)
    if values["as_json"]:
        told = {"retention": settings.retention, "policies": plain(in_force(settings)), "counts": plain(counts)}
        write_json({**told, "drawn": drawn})
    elif drawn is not None:
        stdout().print(f"drawn  {drawn}", soft_wrap=True, markup=False)
    else:
        _show_counts(stdout(), counts)
        stdout().print()
        show_policies(stdout(), settings)


def _show_counts(console: Console, counts: Sequence[Counts]) -> None:
    """Print the counts as a table: of many moments some, evenly spread, and always the last."""
    if not counts:
        console.print("nothing is kept yet")
        return
    step = -(-len(counts) // _SHOWN)
    table = Table("at (UTC)", box=None, pad_edge=False)
    for status in _STATUSES:
        table.add_column(status, justify="right")
    for each in reversed(counts[::-1][::step]):
        table.add_row(f"{each.at:%Y-%m-%d %H:%M}", *(f"{getattr(each, status):,}" for status in _STATUSES))
    console.print(table)
