"""The commands about the graph; four are more than one call: what is in it, near an entity, on a walk; other names."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import click

from engrain.documents import document, plain
from engrain.errors import NotFound
from engrain.interfaces.commands import open_view, operation_command, stdout, view, write_json
from engrain.interfaces.operations import Operation
from engrain.interfaces.options import given
from engrain.interfaces.table import OPERATIONS
from engrain.interfaces.trees import neighbourhood, show_entities, show_entity, show_neighbourhood, show_reached

_PICTURES: tuple[Literal["svg", "png"], ...] = ("svg", "png")


def graph_commands() -> list[click.Command]:
    """Return the commands of the group."""
    return [_command(operation) for operation in OPERATIONS if operation.name.startswith("graph ")]


def _command(operation: Operation) -> click.Command:
    run = _RUN.get(operation.name)
    command = operation_command(operation, run=run, more=_more(operation.name))
    if operation.name == "graph alias":
        for argument in command.params:
            if isinstance(argument, click.Argument):
                argument.required = False
    return command


def _more(name: str) -> list[click.Parameter]:
    """Return the options that stand for further calls."""
    if name == "graph alias":
        file = click.Path(exists=True, dir_okay=False)
        text = "many of them instead: a TOML or JSON file of types, in them names, and of each a list of other names"
        return [click.Option(["--file"], type=file, metavar="PATH", help=text)]
    if name != "graph show":
        return []
    steps = click.Option(["--depth"], type=click.INT, default=1, metavar="INTEGER", help="how many steps [default: 1]")
    paths = click.Path(dir_okay=False)
    return [
        steps,
        *(
            click.Option([f"--{form}"], type=paths, metavar="PATH", help=f"draw it as {form.upper()} into a new file")
            for form in _PICTURES
        ),
    ]


def _entities(operation: Operation, **values: Any) -> None:
    """List entities with how many memories are about each."""
    asked: dict[str, Any] = given(operation, values)
    shared: dict[str, Any] = {"shared": True} if asked.get("shared") else {}
    with open_view(view(values)) as memory:
        page: Any = operation.call(memory, asked)
        counts = [len(memory.graph.memory_ids(each.type, each.name, **shared)) for each in page]
    if values["as_json"]:
        rows = [{**document(each), "memories": count} for each, count in zip(page, counts, strict=True)]
        write_json({"entities": rows, "next": page.next})
    else:
        show_entities(stdout(), page, counts)


def _traverse(operation: Operation, **values: Any) -> None:
    """Walk from an entity; one that is not there reaches nothing, which is another thing than one without relations."""
    asked: dict[str, Any] = given(operation, values)
    named = asked["entity_type"], asked["value"]
    shared: dict[str, Any] = {"shared": True} if asked.get("shared") else {}
    with open_view(view(values)) as memory:
        if memory.graph.entity(*named, **shared) is None:
            raise NotFound(" ".join(map(str, named)), what="entity")
        reached: Any = operation.call(memory, asked)
    write_json(document(reached, operation.answer)) if values["as_json"] else show_reached(stdout(), reached)


def _show(operation: Operation, **values: Any) -> None:
    """Show what is around an entity, and draw it where that is asked for."""
    asked: dict[str, Any] = given(operation, values)
    named = asked["entity_type"], asked["value"]
    shared: dict[str, Any] = {"shared": True} if asked.get("shared") else {}
    with open_view(view(values)) as memory:
        entity = memory.graph.entity(*named, **shared)
        if entity is None:
            raise NotFound(" ".join(map(str, named)), what="entity")
        relationships: Any = operation.call(memory, asked)
        reached = memory.traverse_graph(**asked, max_depth=values["depth"])
        memories = memory.graph.memory_ids(*named, **shared)
        drawn = [
            memory.graph.draw(*named, values[form], format=form, max_depth=values["depth"])
            for form in _PICTURES
            if values[form]
        ]
    if values["as_json"]:
        told = {"entity": entity, "relationships": relationships, "reached": reached, "memories": memories}
        write_json({**{name: plain(value) for name, value in told.items()}, "drawn": drawn})
        return
    show_neighbourhood(stdout(), neighbourhood(entity, relationships, reached, memories=len(memories)))
    for path in drawn:
        stdout().print(f"drawn  {path}", soft_wrap=True, markup=False)


def _alias(operation: Operation, **values: Any) -> None:
    """Give one entity another name, or many from a file."""
    asked, file = given(operation, values), values["file"]
    if file and asked:
        raise click.UsageError("name an entity and its alias, or a --file of many, not both")
    if not file and len(asked) < len(operation.parameters):
        raise click.UsageError("name TYPE VALUE ALIAS, or a --file of many")
    with open_view(view(values)) as memory:
        if file:
            count = memory.graph.load_aliases(file)
            write_json({"aliases": count}) if values["as_json"] else stdout().print(f"aliases  {count:,}")
            return
        entity: Any = operation.call(memory, asked)
    write_json(document(entity)) if values["as_json"] else show_entity(stdout(), entity)


_RUN: Mapping[str, Callable[..., None]] = {
    "graph entities": _entities,
    "graph show": _show,
    "graph traverse": _traverse,
    "graph alias": _alias,
}
