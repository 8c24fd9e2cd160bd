"""The commands about a session's conversation; one is more than one call: what is appended may come from a file."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click

from engrain.chat.formats import turns_of
from engrain.chat.logs import read_json
from engrain.documents import document, plain
from engrain.interfaces.commands import open_view, operation_command, stdout, view, write_json
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import given, json_object
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.turns import show_turns

GROUP = "chat-log"


def chat_log_commands() -> list[click.Command]:
    """Return the commands of the group."""
    return [_command(operation) for operation in OPERATIONS if operation.name.startswith(f"{GROUP} ")]


def _command(operation: Operation) -> click.Command:
    if operation.name != f"{GROUP} append":
        return operation_command(operation)
    file = click.Path(exists=True, dir_okay=False, path_type=Path)
    more = [
        click.Option(["--metadata"], type=json_object, metavar="JSON", help="your own fields, such as tool_call_id"),
        click.Option(["--file"], type=file, metavar="PATH", help="messages instead, as JSON or JSON lines"),
    ]
    command = operation_command(operation, run=_append, more=more)
    for argument in command.params:
        if isinstance(argument, click.Argument):
            argument.required = False
    return command


def _append(operation: Operation, **values: Any) -> None:
    """Append one message, or those of a file."""
    asked: dict[str, Any] = given(operation, values)
    file, metadata = values["file"], values["metadata"] or {}
    if (file is None) != ("role" in asked and "content" in asked):
        raise click.UsageError("give ROLE and CONTENT, or a --file of messages, and not both")
    session = asked.get("session")
    taken = sorted(set(metadata) & {parameter.name for parameter in operation.parameters})
    if taken:
        raise click.UsageError(f"--metadata holds {', '.join(taken)}: those have an argument or option of their own")
    with open_view(view(values, own=frozenset(("session",)))) as memory:
        if file is None:
            turns = [memory.add_message(**asked, **metadata)]
        else:
            working = memory.working if session is None else memory.working(session)
            turns = working.extend(_messages(file))
    if values["as_json"]:
        write_json({"messages": [plain(turn) for turn in turns]} if file is not None else document(turns[0]))
    else:
        show_turns(stdout(), turns)


def _messages(file: Path) -> list[object]:
    """Return the messages of a file; what is none is a `ValueError` that names its line."""
    messages: list[object] = []
    for found in read_json(file):
        listed = _listed(found.value)
        try:
            turns_of(listed)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{file}, line {found.line}: {error}") from error
        messages += listed
    return messages


def _listed(value: object) -> Sequence[object]:
    """Return the messages of a value of a file: a message, a list of them, or an object with such a list."""
    if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
        value = value["messages"]
    return value if isinstance(value, list) else [value]
