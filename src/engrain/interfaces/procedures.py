"""The commands about how things are done; two are more than one call: a file may hold what is kept, a list its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.text import Text

from engrain.chat.logs import read_json
from engrain.documents import document, plain
from engrain.interfaces.commands import open_view, operation_command, stdout, view, write_json
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import given
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.tables import entry, named, show_memory, show_more
from engrain.model.memory import Memory
from engrain.model.results import Page
from engrain.text import visible

GROUP = "procedures"


def procedure_commands() -> list[click.Command]:
    """Return the commands of the group."""
    return [_command(operation) for operation in OPERATIONS if operation.name.startswith(f"{GROUP} ")]


def _command(operation: Operation) -> click.Command:
    if operation.name != f"{GROUP} store":
        return operation_command(operation, run=_RUN.get(operation.name))
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    more = [click.Option(["--file"], type=file, metavar="PATH", help="procedures instead, as JSON or JSON lines")]
    command = operation_command(operation, run=_store, more=more)
    for argument in command.params:
        if isinstance(argument, click.Argument):
            argument.required = False
    return command


def _store(operation: Operation, **values: Any) -> None:
    """Keep one procedure, or those of a file, in order."""
    asked, file = given(operation, values), values["file"]
    if (file is None) == (not asked):
        raise click.UsageError("give a PROCEDURE as a JSON object, or a --file of them, and not both")
    wanted: list[Any] = [asked] if file is None else [{"procedure": found.value} for found in read_json(file)]
    with open_view(view(values)) as memory:
        stored: list[Any] = [operation.call(memory, each) for each in wanted]
    if values["as_json"]:
        write_json({"procedures": plain(stored)} if file is not None else document(stored[0]))
    elif file is None:
        show_memory(stdout(), stored[0])
    else:
        show_procedures(stdout(), stored)


def _list(operation: Operation, **values: Any) -> None:
    """List the memories that are procedures."""
    with open_view(view(values)) as memory:
        page: Any = operation.call(memory, given(operation, values), kinds=("procedural",))
    if values["as_json"]:
        write_json(document(page, operation.answer))
    else:
        show_page(stdout(), page)


def show_page(console: Console, page: Page[Memory]) -> None:
    """Print a page of procedures and how to get the next."""
    show_procedures(console, page)
    show_more(console, page)


def show_procedures(console: Console, memories: list[Memory] | Page[Memory]) -> None:
    """Print procedures: each whole, and below how it went."""
    for memory in memories:
        entry(console, Text(f"{memory.confidence:.2f}  ", style="bold"), Text(visible(memory.content)), _went(memory))
    if not memories:
        console.print("no procedures", style="dim")


def _went(memory: Memory) -> Text:
    told = [] if memory.status == "active" else [memory.status.value]
    if memory.procedure is not None and memory.procedure.uses:
        told.append(f"{memory.procedure.success_count:,} of {memory.procedure.uses:,} uses went well")
    if memory.procedure is not None and memory.procedure.standing:
        told.append(memory.procedure.standing)
    return named(Text(" · ".join(told), style="dim"), memory)


_RUN: Mapping[str, Callable[..., None]] = {f"{GROUP} list": _list}
