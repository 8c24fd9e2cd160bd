"""`recollect worker` and `recollect policy`: what goes on in the background, and by which rules."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import click
from rich.table import Table

from recollect.interfaces.commands import open_view, stderr, stdout, view, write_json
from recollect.interfaces.documents import plain
from recollect.interfaces.options import Command, json_option, view_options
from recollect.interfaces.tables import one_line
from recollect.models import Kind
from recollect.policies import RetentionPolicy

_CURVES = {
    "exponential": "exponential {rate:g}/day",
    "logarithmic": "logarithmic {alpha:g}, {horizon:g} days",
    "step": "step at {threshold:g} days",
    "none": "none",
}


def worker_command() -> click.Command:
    """Return the command that does the background work of a store."""
    return Command(
        "worker",
        callback=_worker,
        summary="Work on the store's queue and sweeps until interrupted.",
        params=view_options(),
    )


def policy_commands() -> list[click.Command]:
    """Return the commands about retention."""
    summary = "Show how memories of each kind fade, how long they live and how many are kept."
    return [Command("show", callback=_policy, summary=summary, params=[json_option(), *view_options()])]


def _worker(**values: Any) -> int:
    """Serve until somebody says stop; what is being done then is finished."""
    stop = threading.Event()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with open_view(view(values)) as memory:
        stderr().print(f"working on {memory.store.url}; Ctrl-C stops", soft_wrap=True, markup=False)
        memory.work(stop)
    stderr().print("stopped; what is left waits for the next worker", markup=False)
    return 0


def _policy(**values: Any) -> None:
    """Print what is in force for each kind, then for the domains and agents that policies name."""
    with open_view(view(values)) as memory:
        settings = memory.settings
        named = [(one.domain, one.agent) for one in settings.retaining.policies if one.domain or one.agent]
        shown = [
            settings.retaining.policy(kind, domain, agent)
            for domain, agent in dict.fromkeys([(None, None), *named])
            for kind in Kind
        ]
    if values["as_json"]:
        write_json({"retention": settings.retention, "policies": plain(shown)})
        return
    table = Table(box=None, pad_edge=False)
    for name in ("kind", "for", "fades", "lives", "at most", "archived"):
        table.add_column(name)
    for one in shown:
        table.add_row(str(one.kind), whom(one), *figures(one))
    console = stdout()
    console.print(f"retention: {settings.retention}")
    console.print(table)


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
