"""The command about the life of memories: counts over time, the policies in force, and a picture of both."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from recollect.interfaces.commands import open_view, stdout, view, write_json
from recollect.interfaces.documents import plain
from recollect.interfaces.options import Command, json_option, view_options
from recollect.lifecycle.chart import bounds, curve, svg
from recollect.lifecycle.timeline import timeline
from recollect.models import Kind
from recollect.policies.retention import INHERITED, Retention, RetentionPolicy
from recollect.results import Counts

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
        counts = timeline(memory._engine, memory.scope, **span)
        retention = memory.settings.retaining
    if values["svg"] is not None:
        values["svg"].write_text(svg(retention, counts), encoding="utf-8")
    if values["as_json"]:
        policies = [_figures(retention.policy(kind)) for kind in Kind]
        drawn = None if values["svg"] is None else str(values["svg"])
        told = {"retention": retention.preset, "policies": policies, "counts": [plain(each) for each in counts]}
        write_json({**told, "drawn": drawn})
    elif values["svg"] is not None:
        stdout().print(f"drawn  {values['svg']}", soft_wrap=True, markup=False)
    else:
        _show_counts(stdout(), counts)
        _show_policies(stdout(), retention)


def _figures(policy: RetentionPolicy) -> dict[str, object]:
    """Return a policy as JSON types; a ttl in seconds, what it leaves open as null."""
    found = {field.name: getattr(policy, field.name) for field in fields(policy)}
    ttl = found["ttl"]
    seconds = ttl.total_seconds() if hasattr(ttl, "total_seconds") else None
    return {name: None if value is INHERITED else value for name, value in {**found, "ttl": seconds}.items()}


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


def _show_policies(console: Console, retention: Retention) -> None:
    console.print(f"\nretention {retention.preset}", markup=False)
    table = Table("kind", "fades", "ends", box=None, pad_edge=False)
    for kind in Kind:
        policy = retention.policy(kind)
        table.add_row(str(kind), curve(policy), bounds(policy))
    console.print(table)
