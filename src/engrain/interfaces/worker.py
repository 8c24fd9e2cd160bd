"""`engrain worker`: a process that does a store's background work."""

from __future__ import annotations

import logging
import signal
import threading
from typing import Any

import click

from engrain.interfaces.commands import open_view, stderr, view
from engrain.interfaces.options import Command, view_options


def worker_command() -> click.Command:
    """Return the command that does the background work of a store."""
    return Command(
        "worker",
        callback=_worker,
        summary="Work on the store's queue and sweeps until interrupted.",
        params=view_options(),
    )


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
