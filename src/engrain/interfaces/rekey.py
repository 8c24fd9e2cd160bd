"""`engrain rekey`: a store copied under another key; keys come from the environment or are asked for, never shown."""

from __future__ import annotations

import os
import sys
from typing import Any

import click

from engrain.interfaces.commands import stdout, write_json
from engrain.interfaces.options import Command, json_option
from engrain.interfaces.tables import show_fields
from engrain.manager import MemoryManager
from engrain.urls import is_database

_OLD, _NEW = "ENGRAIN_ENCRYPTION_KEY", "ENGRAIN_NEW_ENCRYPTION_KEY"


class _File(click.Path):
    """A file that is there; a database is not, and its address is not shown."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the path of the file."""
        if is_database(value):
            self.fail("a database has no key of ours: name a file", param, ctx)
        return super().convert(value, param, ctx)


def rekey_command() -> click.Command:
    """Return the command."""
    plain = click.Option(["--plain"], is_flag=True, help="leave the copy without a key")
    file = _File(exists=True, dir_okay=False)
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
    kind = "not encrypted" if plain else "encrypted"
    if as_json:
        write_json({"path": path, "encrypted": not plain})
    else:
        show_fields(stdout(), (("copy", path), ("is", kind), ("left as it is", from_)))


def _new_key() -> str:
    if given := os.environ.get(_NEW):
        return given
    if not sys.stdin.isatty():
        raise click.UsageError(f"nobody is there to be asked for the new key: set {_NEW}, or give --plain for none")
    return str(click.prompt("new key", hide_input=True, confirmation_prompt=True, err=True))
