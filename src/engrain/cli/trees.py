"""The graph for people: the neighbourhood of an entity as a tree, paths as lines, entities and merges as lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from engrain.cli.output import Show, moment, note, number_of, one_by_one, one_line, show_more
from engrain.graph.traversal import RELATED
from engrain.model.entities import Entity, Merge, Reached, Relationship
from engrain.model.results import Page

_NAME = 80
_UNBROKEN = 100_000  # columns where there is no terminal: no line is broken


def neighbourhood(
    entity: Entity, relationships: Iterable[Relationship], reached: Iterable[Reached] = (), *, memories: int
) -> Tree:
    """Return an entity, its aliases, and its relations by kind; entities further away are below their path."""
    root = Tree(Text.assemble(_named(entity, "bold"), (f" · {_memories(memories)}", "dim")))
    if entity.aliases:
        root.add(Text.assemble(("also ", "dim"), _aliases(entity)))
    groups: dict[tuple[str, str], Tree] = {}
    branches: dict[tuple[str, str], Tree] = {}
    for one in relationships:
        weak = one.relation == RELATED and one.weight < 1  # merely named together, which has no direction
        direction = "" if weak else one.direction
        group = groups.get((one.relation, direction))
        if group is None:
            group = groups[one.relation, direction] = root.add(Text(_heading(one.relation, direction), style="cyan"))
        leaf = group.add(Text.assemble(_named(one.entity), (_details(one), "dim")))
        branches.setdefault((one.entity.type, one.entity.name), leaf)
    for found in reached:
        if found.depth > 1:
            step, before = found.path[-1], found.path[-2].entity
            label = Text.assemble((f"{_heading(step.relation, step.direction)} ", "cyan"), _named(step.entity))
            parent = branches.get((before.type, before.name), root)
            branches.setdefault((found.entity.type, found.entity.name), parent.add(label))
    return root


def _heading(relation: str, direction: str) -> str:
    name = one_line(relation, 40)
    return {"out": f"{name} →", "in": f"← {name}"}.get(direction, name)


def _named(entity: Entity, style: str = "") -> Text:
    return Text.assemble((one_line(entity.name, _NAME), style), (f"  {one_line(entity.type, 40)}", "dim"))


def _aliases(entity: Entity) -> str:
    return ", ".join(one_line(alias, _NAME) for alias in entity.aliases)


def _details(relationship: Relationship) -> str:
    """Return the weight of a relation below 1, the number of its sources, and its end."""
    parts = [f"{relationship.weight:.2f}"] if relationship.weight < 1 else []
    parts += [_memories(len(relationship.evidence))] if relationship.evidence else []
    parts += [] if relationship.valid_until is None else [f"until {moment(relationship.valid_until)}"]
    return "".join(f" · {part}" for part in parts)


def _memories(count: int) -> str:
    return number_of(count, "memory", "memories")


def show_neighbourhood(console: Console, tree: Tree) -> None:
    """Print a tree; only a terminal gets it wrapped."""
    if not console.is_terminal:
        console.width = _UNBROKEN
    console.print(tree)


# ------------------------------------------------------------------------------------------------------------- entities


def show_entity_table(console: Console, page: Page[Entity], memories: Sequence[int]) -> None:
    """Print entities as a table: type, name, number of memories, aliases."""
    rows = [(one_line(entity.type, 40), one_line(entity.name, _NAME)) for entity in page]
    widths = [max([len(title), *(cell_len(row[n]) for row in rows)]) for n, title in enumerate(("type", "name"))]
    if page:
        note(console, f"{'type':<{widths[0]}}  {'name':<{widths[1]}}  memories  also")
    else:
        console.print("no entities", style="dim")
    for (type_, name), entity, count in zip(rows, page, memories, strict=True):
        line = Text(set_cell_size(type_, widths[0]), style="dim").append("  ")
        line.append(set_cell_size(name, widths[1]), style="not dim bold")
        line.append(f"  {count:>8,}  ", style="not dim").append(_aliases(entity))
        line.rstrip()
        console.print(line, soft_wrap=not console.is_terminal)
    show_more(console, page)


def show_entity(console: Console, entity: Entity) -> None:
    """Print an entity, its aliases, and its metadata."""
    console.print(_named(entity, "bold"), soft_wrap=True)
    if entity.aliases:
        console.print(Text(f"also {_aliases(entity)}"), soft_wrap=True)
    for name, value in entity.metadata.items():
        note(console, one_line(f"{name} {value}"))


def _show_name(console: Console, entity: Entity) -> None:
    console.print(_named(entity, "bold"), soft_wrap=True)


def _show_ranked(console: Console, ranked: tuple[Entity, float]) -> None:
    console.print(Text.assemble((f"{ranked[1]:.3f}  ", "dim"), _named(ranked[0], "bold")), soft_wrap=True)


def _show_reached(console: Console, found: Reached) -> None:
    """Print an entity that a walk reached, with the steps to it."""
    steps = " · ".join(f"{step.relation} {step.entity.name}" for step in found.path)
    lead = Text.assemble((f"{found.depth}  ", "dim"), _named(found.entity, "bold"), (f"  {one_line(steps)}", "dim"))
    console.print(lead, soft_wrap=True)


def _show_id(console: Console, memory_id: str) -> None:
    console.print(Text(memory_id, style="cyan"), soft_wrap=True)


show_reached = one_by_one(_show_reached, "nothing in reach")
show_ids = one_by_one(_show_id, "no memories")


# ------------------------------------------------------------------------------------------------- relations and merges


def show_relationship(console: Console, found: Relationship) -> None:
    """Print a relation in the direction of the walk: `A -uses-> B`, or `B <-uses- C`."""
    here = found.source if found.direction == "out" else found.target
    relation = one_line(found.relation, 40)
    arrow = f" -{relation}-> " if found.direction == "out" else f" <-{relation}- "
    names = ((one_line(here.name, _NAME), "bold"), (arrow, "cyan"), (one_line(found.entity.name, _NAME), "bold"))
    console.print(Text.assemble(*names, (_details(found), "dim")), soft_wrap=True)


def show_merge(console: Console, merge: Merge) -> None:
    """Print which two entities are one, and the id under which that can be undone."""
    other, keep = (
        f"{one_line(entity.name, _NAME)} ({one_line(entity.type, 40)})" for entity in (merge.other, merge.keep)
    )
    line = Text.assemble((f"{merge.state}  ", "bold"), f"{other} is {keep}")
    line.append(f" · {moment(merge.at)} · ", style="dim").append(merge.id, style="cyan")
    console.print(line, soft_wrap=True)
    if merge.reason:
        note(console, f"  {one_line(merge.reason)}")


show_path = one_by_one(show_relationship, "no path found")
show_merges = one_by_one(show_merge, "nothing was merged")
show_resolved = one_by_one(
    show_merge,
    "nothing was merged; only an embedder that reads sentences compares names, not the built-in one or none",
)

SHOW: Mapping[Any, Show] = {
    Entity: show_entity,
    list[Entity]: one_by_one(_show_name, "no entities"),
    list[Reached]: show_reached,
    list[tuple[Entity, float]]: one_by_one(_show_ranked, "no entities"),
    Relationship: show_relationship,
    list[Relationship]: show_path,
    Page[Relationship]: one_by_one(show_relationship, "no relationships"),
    Merge: show_merge,
    list[Merge]: show_merges,
}
"""How each type of result is printed."""
