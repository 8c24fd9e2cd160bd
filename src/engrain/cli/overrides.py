"""Operations whose command does more than one call: files of many, entities with their counts, keys, a kept head."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from rich.text import Text

from engrain.chat.formats import turns_of
from engrain.chat.logs import read_json
from engrain.cli import reports, trees
from engrain.cli.commands import Call, Run, confirm, operation_command, store_of
from engrain.cli.options import file_option
from engrain.cli.output import show_fields, show_memory, show_procedures, stdout, write_json
from engrain.documents import document, plain
from engrain.errors import NotFound
from engrain.manager import MemoryManager
from engrain.operations.schema import Operation


def command_of(operation: Operation) -> click.Command:
    """Return the command of an operation, with its own body and options where it has them."""
    return operation_command(operation, run=_RUN.get(operation.name), more=_MORE.get(operation.name, ()))


# -------------------------------------------------------------------------------------------------------- files of many


def _append(call: Call) -> None:
    """Append one message, or those of a file."""
    file, session = call.values["file"], call.arguments.get("session")
    if (file is None) != ("role" in call.arguments and "content" in call.arguments):
        raise click.UsageError("give ROLE and CONTENT, or a --file of messages, and not both")
    with call.open() as memory:
        if file is None:
            call.write(call.result(memory), lambda console, turn: reports.show_turns(console, [turn]))
            return
        turns = (memory.working if session is None else memory.working(session)).extend(_messages(Path(file)))
    if call.values["as_json"]:
        write_json({"messages": plain(turns)})
    else:
        reports.show_turns(stdout(), turns)


def _messages(file: Path) -> list[object]:
    """Return the messages of a file; what is no message is a `ValueError` that names its line."""
    messages: list[object] = []
    for found in read_json(file):
        value = found.value
        if isinstance(value, Mapping) and isinstance(value.get("messages"), list):
            value = value["messages"]
        listed: Sequence[object] = value if isinstance(value, list) else [value]
        try:
            turns_of(listed)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{file}, line {found.line}: {error}") from error
        messages += listed
    return messages


def _store_procedure(call: Call) -> None:
    """Store one procedure, or those of a file, in order."""
    file = call.values["file"]
    if (file is None) == (not call.arguments):
        raise click.UsageError("give a PROCEDURE as a JSON object, or a --file of them, and not both")
    with call.open() as memory:
        if file is None:
            call.write(call.result(memory), show_memory)
            return
        rows: list[Any] = [found.value for found in read_json(Path(file))]
        stored = [memory.procedures.store(row) for row in rows]
    if call.values["as_json"]:
        write_json({"procedures": plain(stored)})
    else:
        show_procedures(stdout(), stored)


def _alias(call: Call) -> None:
    """Give one entity an alias, or many from a file."""
    file = call.values["file"]
    if file and call.arguments:
        raise click.UsageError("name an entity and its alias, or a --file of many, not both")
    if not file and len(call.arguments) < len(call.operation.parameters):
        raise click.UsageError("name TYPE VALUE ALIAS, or a --file of many")
    with call.open() as memory:
        if not file:
            call.write(call.result(memory), trees.show_entity)
            return
        count = memory.graph.load_aliases(file)
    write_json({"aliases": count}) if call.values["as_json"] else stdout().print(f"aliases  {count:,}")


# ------------------------------------------------------------------------------------------------------------ the graph


def _entities(call: Call) -> None:
    """List entities with the number of memories about each."""
    with call.open() as memory:
        page = call.result(memory)
        shared = bool(call.arguments.get("shared"))
        counts = [len(memory.graph.memory_ids(each.type, each.name, shared=shared)) for each in page]
    if call.values["as_json"]:
        rows = [{**document(each), "memories": count} for each, count in zip(page, counts, strict=True)]
        write_json({"entities": rows, "next": page.next})
    else:
        trees.show_entity_table(stdout(), page, counts)


def _start(call: Call, memory: MemoryManager) -> Any:
    """Return the entity that a call starts from; an unknown one is an error, and not one without relations."""
    named = call.arguments["entity_type"], call.arguments["value"]
    entity = memory.graph.entity(*named, shared=bool(call.arguments.get("shared")))
    if entity is None:
        raise NotFound(" ".join(map(str, named)), what="entity")
    return entity


def _traverse(call: Call) -> None:
    with call.open() as memory:
        _start(call, memory)
        reached = call.result(memory)
    call.write(reached, trees.show_reached)


def _show(call: Call) -> None:
    """Show the neighbourhood of an entity, and export it where that is asked for."""
    named = call.arguments["entity_type"], call.arguments["value"]
    with call.open() as memory:
        entity = _start(call, memory)
        relationships = call.result(memory)
        reached = memory.traverse_graph(**call.arguments, max_depth=call.values["depth"])
        memories = memory.graph.memory_ids(*named, shared=bool(call.arguments.get("shared")))
        path = call.values["export"]
        path = path and memory.graph.export(path, centre=named, max_depth=call.values["depth"])
    if call.values["as_json"]:
        found = {"entity": entity, "relationships": relationships, "reached": reached, "memories": memories}
        write_json({**{name: plain(value) for name, value in found.items()}, "exported": path})
        return
    console = stdout()
    trees.show_neighbourhood(console, trees.neighbourhood(entity, relationships, reached, memories=len(memories)))
    if path:
        console.print(f"exported  {path}", soft_wrap=True, markup=False)


# ------------------------------------------------------------------------------------------------------ audit and keys


def _verify(call: Call) -> int:
    """Verify the audit trail, against a head in a file where one is named; a broken or unsigned one is an error."""
    with call.open() as memory:
        report, has_key = call.result(memory), memory.public_key is not None
    call.write(report, reports.show_chain)
    must_be_anchored = has_key or not call.arguments.keys().isdisjoint(("head", "public_key"))
    return 0 if report.ok and (report.anchored or not must_be_anchored) else 1


def _object_of(file: str) -> dict[str, Any]:
    """Read a file that holds a JSON object."""
    try:
        return dict(json.loads(Path(file).read_text(encoding="utf-8")))
    except (OSError, TypeError, ValueError) as error:
        raise click.BadParameter(f"{file} is not a JSON object: {error}") from None


def _create_key(call: Call) -> None:
    """Make a key, and name the store: a mistyped name makes a new one."""
    store, new = store_of(call.view)
    with call.open() as memory:
        key = call.result(memory)
    if not call.values["as_json"]:
        show_fields(stdout(), [("store", f"{store}, which is new" if new else store)])
    call.write(key, reports.show_new_key)


def _list_keys(call: Call) -> None:
    store = _existing_store(call)
    with call.open() as memory:
        keys = call.result(memory)
    if not call.values["as_json"]:
        show_fields(stdout(), [("store", store)])
    call.write(keys, reports.show_keys)


def _revoke_key(call: Call) -> None:
    """Revoke a live key of the scope, after a question."""
    _existing_store(call)
    key_id = call.arguments["key_id"]
    with call.open() as memory:
        found = next((key for key in memory.keys.list() if key.id == key_id and key.live), None)
        if found is None:
            raise click.ClickException(
                f"no live key {key_id!r} in this scope: check the id, and the org, user and agent of the view"
            )
        if not call.values["yes"]:
            confirm(call.operation, reports.key_label(found))
        revoked = call.result(memory)
    line = Text("revoked  ", style="bold yellow").append(found.id, style="not bold cyan")
    call.write(revoked, lambda console, _: console.print(line, soft_wrap=True))


def _existing_store(call: Call) -> str:
    """Return the name of the store; one that does not exist has no keys, and is not made by a mistyped name."""
    store, new = store_of(call.view)
    if new:
        raise click.ClickException(f"there is no store at {store}: name the one that is served by --store")
    return store


_RUN: Mapping[str, Run] = {
    "chat-log append": _append,
    "procedures store": _store_procedure,
    "graph alias": _alias,
    "graph entities": _entities,
    "graph show": _show,
    "graph traverse": _traverse,
    "audit verify": _verify,
    "keys create": _create_key,
    "keys list": _list_keys,
    "keys revoke": _revoke_key,
}
_MORE: Mapping[str, Sequence[click.Parameter]] = {
    "chat-log append": (file_option("messages instead, as JSON or JSON lines"),),
    "procedures store": (file_option("procedures instead, as JSON or JSON lines"),),
    "graph alias": (
        file_option("many of them instead: a TOML or JSON file of types, in them names, and of each a list of aliases"),
    ),
    "graph show": (
        click.Option(["--depth"], type=click.INT, default=1, metavar="INTEGER", help="how many steps [default: 1]"),
        click.Option(
            ["--export"],
            type=click.Path(dir_okay=False),
            metavar="PATH",
            help="also write it to a new file, in the format of its suffix: .mmd (Mermaid), .dot, .json or .graphml",
        ),
    ),
    "audit verify": (
        click.Option(["--head"], type=_object_of, metavar="FILE", help="a head that was kept elsewhere, as JSON"),
    ),
}
