"""Commands about the store as a whole that are no operations: signing keys, rekey, policies, lifecycle, the worker."""

from __future__ import annotations

import logging
import os
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import click

from engrain.cli.commands import open_view, view
from engrain.cli.options import FILE, Command, json_option, view_options
from engrain.cli.output import show_fields, stderr, stdout, write_json
from engrain.cli.reports import current_policies, show_counts, show_policies
from engrain.documents import plain
from engrain.manager import MemoryManager
from engrain.model.signatures import key_of, new_key_file
from engrain.urls import is_database

_OLD, _NEW = "ENGRAIN_ENCRYPTION_KEY", "ENGRAIN_NEW_ENCRYPTION_KEY"


# --------------------------------------------------------------------------------------------------------- signing keys


def signing_key_commands() -> list[click.Command]:
    """Return the commands about the key that signs memories and the audit trail."""
    return [
        Command(
            "new",
            callback=lambda path, as_json: _public(new_key_file(path).public_key, as_json),
            summary="Make a signing key in a new file, and print its public half.",
            arguments={"PATH": "the file to write, outside the store's folder"},
            params=[click.Argument(["path"], type=click.Path(dir_okay=False)), json_option()],
        ),
        Command(
            "show",
            callback=lambda path, as_json: _public(key_of(Path(path)).public_key, as_json),
            summary="Print the public half of a signing key.",
            arguments={"PATH": "the key file"},
            params=[click.Argument(["path"], type=FILE), json_option()],
        ),
    ]


def _public(key: str, as_json: bool) -> None:
    write_json({"public_key": key}) if as_json else click.echo(key)


# ---------------------------------------------------------------------------------------------------------------- rekey


class _StoreFile(click.Path):
    """An existing file; a database is refused without showing its address."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the file."""
        if is_database(value):
            self.fail("a database is not encrypted by a key of a store: name a file", param, ctx)
        return super().convert(value, param, ctx)


def rekey_command() -> click.Command:
    """Return the command that copies a store under another key, which is never an argument."""
    plain = click.Option(["--plain"], is_flag=True, help="leave the copy without a key")
    file = _StoreFile(exists=True, dir_okay=False)
    return Command(
        "rekey",
        callback=_rekey,
        summary="Copy a store under another key, or none: encrypt it, decrypt it, or change its key.",
        arguments={
            "FROM": f"the store; {_OLD} holds its key, if it has one",
            "TO": f"where the copy goes; {_NEW} holds its key, else it is asked for on a terminal",
        },
        params=[click.Argument(["from_"], type=file, metavar="FROM"), click.Argument(["to"]), plain, json_option()],
    )


def _rekey(from_: str, to: str, plain: bool, as_json: bool) -> None:
    new = None if plain else _new_key()
    path = MemoryManager.rekey(from_, to, key=os.environ.get(_OLD) or None, new_key=new)
    if as_json:
        write_json({"path": path, "encrypted": not plain})
    else:
        kind = "not encrypted" if plain else "encrypted"
        show_fields(stdout(), (("copy", path), ("is", kind), ("left unchanged", from_)))


def _new_key() -> str:
    if given := os.environ.get(_NEW):
        return given
    if not sys.stdin.isatty():
        raise click.UsageError(f"there is no terminal to ask for the new key: set {_NEW}, or give --plain for none")
    return str(click.prompt("new key", hide_input=True, confirmation_prompt=True, err=True))


# --------------------------------------------------------------------------------------------- policies and lifecycle


def policy_command() -> click.Command:
    """Return the command that shows the current policies."""
    summary = "Show how memories of each kind fade, how long they live and how many are kept."
    return Command("show", callback=_policy, summary=summary, params=[json_option(), *view_options()])


def _policy(as_json: bool, **options: Any) -> None:
    with open_view(view(options)) as memory:
        settings = memory.settings
    if as_json:
        write_json({"retention": settings.retention, "policies": plain(current_policies(settings))})
    else:
        show_policies(stdout(), settings)


def lifecycle_command() -> click.Command:
    """Return the command that shows counts over time and the current policies."""
    return Command(
        "lifecycle",
        callback=_lifecycle,
        summary="Show how many memories there were of each status over time, and the current policies.",
        params=[
            click.Option(["--since"], metavar="TIME", help="count from here on, not from the first memory on"),
            click.Option(["--until"], metavar="TIME", help="count until here, not until now"),
            json_option(),
            *view_options(),
        ],
    )


def _lifecycle(since: str | None, until: str | None, as_json: bool, **options: Any) -> None:
    with open_view(view(options)) as memory:
        counts = memory.lifecycle.timeline(since=since, until=until)
        settings = memory.settings
    if as_json:
        policies = plain(current_policies(settings))
        write_json({"retention": settings.retention, "policies": policies, "counts": plain(counts)})
    else:
        show_counts(stdout(), counts)
        stdout().print()
        show_policies(stdout(), settings)


# --------------------------------------------------------------------------------------------------------------- worker


def worker_command() -> click.Command:
    """Return the command that does the background work of a store."""
    summary = "Work on the store's queue and sweeps until interrupted."
    return Command("worker", callback=_worker, summary=summary, params=view_options())


def _worker(**options: Any) -> int:
    """Work until SIGINT or SIGTERM; the job at hand is finished."""
    stop = threading.Event()
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(message)s")
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stop.set())
    with open_view(view(options)) as memory:
        stderr().print(f"working on {memory.store.url}; Ctrl-C stops", soft_wrap=True, markup=False)
        memory.work(stop)
    stderr().print("stopped; what is left waits for the next worker", markup=False)
    return 0
