"""`engrain policy`: by which rules memories fade and leave."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import click
from rich.console import Console

from engrain.config import Settings
from engrain.documents import plain
from engrain.interfaces.commands import open_view, stdout, view, write_json
from engrain.interfaces.options import Command, json_option, view_options
from engrain.interfaces.tables import one_line
from engrain.model.memory import Kind
from engrain.policies.retention import RetentionPolicy

_CURVES = {
    "exponential": "exponential {rate:g}/day",
    "logarithmic": "logarithmic {alpha:g}, {horizon:g} days",
    "step": "step at {threshold:g} days",
    "none": "none",
}


def policy_commands() -> list[click.Command]:
    """Return the commands about retention."""
    summary = "Show how memories of each kind fade, how long they live and how many are kept."
    return [Command("show", callback=_policy, summary=summary, params=[json_option(), *view_options()])]


def _policy(**values: Any) -> None:
    with open_view(view(values)) as memory:
        settings = memory.settings
    if values["as_json"]:
        write_json({"retention": settings.retention, "policies": plain(in_force(settings))})
    else:
        show_policies(stdout(), settings)


def in_force(settings: Settings) -> list[RetentionPolicy]:
    """Return what is in force for each kind, then for the domains and agents that policies name."""
    retaining = settings.retaining
    named = [(one.domain, one.agent) for one in retaining.policies if one.domain or one.agent]
    whose = dict.fromkeys([(None, None), *named])
    return [retaining.policy(kind, domain, agent) for domain, agent in whose for kind in Kind]


def show_policies(console: Console, settings: Settings) -> None:
    """Print the policies in force as a table."""
    rows: list[tuple[str, ...]] = [("kind", "for", "fades", "lives", "at most", "archived")]
    rows += [(str(one.kind), whom(one), *figures(one)) for one in in_force(settings)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    console.print(f"retention: {settings.retention}")
    for row in rows:
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        console.print(line.rstrip(), soft_wrap=True, markup=False)


def figures(policy: RetentionPolicy) -> Iterator[str]:
    """Yield the figures of a policy in words: how it fades, how long it lives, how many, and what is archived."""
    yield _CURVES[str(policy.curve)].format(
        **{n: getattr(policy, n) for n in ("rate", "alpha", "horizon", "threshold")}
    )
    yield span(policy.ttl) if isinstance(policy.ttl, timedelta) else "without end"
    yield f"{policy.cap:,} of an agent" if isinstance(policy.cap, int) else "any number"
    yield f"below {policy.archive_below:g}" if isinstance(policy.archive_below, float) else "never"


def whom(policy: RetentionPolicy) -> str:
    """Return the domain and the agent that a policy is for."""
    said = (("domain", policy.domain), ("agent", policy.agent))
    return ", ".join(f"{name} {one_line(value, 80)}" for name, value in said if value is not None) or "any"


def span(length: timedelta) -> str:
    """Return a span of time in its largest whole unit."""
    for unit, seconds in (("days", 86_400), ("hours", 3_600), ("minutes", 60)):
        if length.total_seconds() >= seconds and length.total_seconds() % seconds == 0:
            return f"{length.total_seconds() / seconds:,.0f} {unit}"
    return f"{length.total_seconds():,g} seconds"
