"""The graph for people: what is around an entity as a tree, ways between two as lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from engrain.graph.traversal import BESIDE
from engrain.interfaces.tables import moment, one_line, show_more
from engrain.model.entities import Entity, Merge, Reached, Relationship
from engrain.model.results import Page

_NAME = 80
_UNBROKEN = 100_000  # columns where nobody watches: no line is broken


def neighbourhood(
    entity: Entity,
    relationships: Iterable[Relationship],
    reached: Iterable[Reached] = (),
    *,
    memories: int | None = None,
) -> Tree:
    """Return an entity, its other names, and its relations by kind; what was reached further hangs below its way."""
    root = Tree(named(entity, "bold"))
    if memories is not None:
        root.label = Text.assemble(named(entity, "bold"), (f" · {counted(memories)}", "dim"))
    if entity.aliases:
        root.add(Text.assemble(("also ", "dim"), ", ".join(one_line(alias, _NAME) for alias in entity.aliases)))
    groups: dict[tuple[str, str], Tree] = {}
    branches: dict[tuple[str, str], Tree] = {}
    for each in relationships:
        way = "" if is_weak(each) else each.direction
        group = groups.get((each.relation, way))
        if group is None:
            group = groups[each.relation, way] = root.add(Text(_heading(each.relation, way), style="cyan"))
        leaf = group.add(Text.assemble(named(each.entity), (told(each), "dim")))
        branches.setdefault((each.entity.type, each.entity.name), leaf)
    for found in reached:
        if found.depth > 1:
            step, before = found.path[-1], found.path[-2].entity
            label = Text.assemble((f"{_heading(step.relation, step.direction)} ", "cyan"), named(step.entity))
            parent = branches.get((before.type, before.name), root)
            branches.setdefault((found.entity.type, found.entity.name), parent.add(label))
    return root


def way(relationships: Sequence[Relationship]) -> Iterator[Text]:
    """Yield each step of a way, seen from where one comes: `A -uses-> B`, then `B <-uses- C`."""
    for each in relationships:
        here = each.source if each.direction == "out" else each.target
        relation = one_line(each.relation, 40)
        arrow = f" -{relation}-> " if each.direction == "out" else f" <-{relation}- "
        there = one_line(each.entity.name, _NAME)
        yield Text.assemble((one_line(here.name, _NAME), "bold"), (arrow, "cyan"), (there, "bold"), (told(each), "dim"))


def is_weak(relationship: Relationship) -> bool:
    """Say whether the two are merely named together, which has no direction."""
    return relationship.relation == BESIDE and relationship.weight < 1


def named(entity: Entity, style: str = "") -> Text:
    """Return an entity's name and type."""
    return Text.assemble((one_line(entity.name, _NAME), style), (f"  {one_line(entity.type, 40)}", "dim"))


def told(relationship: Relationship) -> str:
    """Return what there is to say of a relation: its weight below 1, its evidence, and when it ended."""
    said = [f"{relationship.weight:.2f}"] if relationship.weight < 1 else []
    if relationship.evidence:
        said.append(counted(len(relationship.evidence)))
    if relationship.valid_until is not None:
        said.append(f"until {moment(relationship.valid_until)}")
    return "".join(f" · {part}" for part in said)


def counted(memories: int) -> str:
    """Return a number of memories in words."""
    return f"{memories:,} {'memory' if memories == 1 else 'memories'}"


def _heading(relation: str, direction: str) -> str:
    name = one_line(relation, 40)
    return {"out": f"{name} →", "in": f"← {name}"}.get(direction, name)


def show_neighbourhood(console: Console, tree: Tree) -> None:
    """Print a tree; only a terminal gets it wrapped."""
    if not console.is_terminal:
        console.width = _UNBROKEN
    console.print(tree)


def show_entities(console: Console, page: Page[Entity], memories: Sequence[int]) -> None:
    """Print entities as a table: type, name, how many memories are about each, and its other names."""
    rows = [(one_line(each.type, 40), one_line(each.name, _NAME)) for each in page]
    widths = [max([len(title), *(cell_len(row[n]) for row in rows)]) for n, title in enumerate(("type", "name"))]
    if page:
        header = f"{'type':<{widths[0]}}  {'name':<{widths[1]}}  memories  also"
        console.print(Text(header, style="dim"), soft_wrap=True)
    for (type_, name), each, count in zip(rows, page, memories, strict=True):
        line = Text(set_cell_size(type_, widths[0]), style="dim").append("  ")
        line.append(set_cell_size(name, widths[1]), style="not dim bold")
        line.append(f"  {count:>8,}  ", style="not dim").append(", ".join(one_line(a, _NAME) for a in each.aliases))
        line.rstrip()
        console.print(line, soft_wrap=not console.is_terminal)
    if not page:
        console.print("no entities", style="dim")
    show_more(console, page)


def show_named(console: Console, entities: Sequence[Entity]) -> None:
    """Print entities, one a line."""
    for each in entities:
        console.print(named(each, "bold"), soft_wrap=True)
    if not entities:
        console.print("no entities", style="dim")


def show_reached(console: Console, reached: Sequence[Reached]) -> None:
    """Print entities that a walk reached, each with the steps to it, one a line."""
    for each in reached:
        steps = " · ".join(f"{step.relation} {step.entity.name}" for step in each.path)
        lead = Text.assemble((f"{each.depth}  ", "dim"), named(each.entity, "bold"), (f"  {one_line(steps)}", "dim"))
        console.print(lead, soft_wrap=True)
    if not reached:
        console.print("nothing in reach", style="dim")


def show_ranked(console: Console, ranked: Sequence[tuple[Entity, float]]) -> None:
    """Print entities with what they count, the first first."""
    for entity, score in ranked:
        console.print(Text.assemble((f"{score:.3f}  ", "dim"), named(entity, "bold")), soft_wrap=True)
    if not ranked:
        console.print("no entities", style="dim")


def show_entity(console: Console, entity: Entity) -> None:
    """Print an entity, its other names, and what was noted of it."""
    console.print(named(entity, "bold"), soft_wrap=True)
    if entity.aliases:
        console.print(Text(f"also {', '.join(one_line(alias, _NAME) for alias in entity.aliases)}"), soft_wrap=True)
    for name, value in entity.metadata.items():
        console.print(Text(one_line(f"{name} {value}"), style="dim"), soft_wrap=True)


def show_ids(console: Console, ids: Sequence[str]) -> None:
    """Print ids of memories, one a line."""
    for memory_id in ids:
        console.print(Text(memory_id, style="cyan"), soft_wrap=True)
    if not ids:
        console.print("no memories", style="dim")


def show_way(console: Console, relationships: Sequence[Relationship]) -> None:
    """Print a way, one step a line."""
    for line in way(relationships):
        console.print(line, soft_wrap=True)
    if not relationships:
        console.print("no way found", style="dim")


def show_relationship(console: Console, relationship: Relationship) -> None:
    """Print a relation."""
    show_way(console, [relationship])


def show_relationships(console: Console, page: Page[Relationship]) -> None:
    """Print relations, one a line, and how to get more."""
    for line in way(page):
        console.print(line, soft_wrap=True)
    if not page:
        console.print("no relationships", style="dim")
    show_more(console, page)


def show_merge(console: Console, merge: Merge) -> None:
    """Print which two are one, and under which id that can be taken back."""
    other, keep = (f"{one_line(each.name, _NAME)} ({one_line(each.type, 40)})" for each in (merge.other, merge.keep))
    line = Text.assemble((f"{merge.state}  ", "bold"), f"{other} is {keep}")
    line.append(f" · {moment(merge.at)} · ", style="dim").append(merge.id, style="cyan")
    console.print(line, soft_wrap=True)
    if merge.reason:
        console.print(Text(f"  {one_line(merge.reason)}", style="dim"), soft_wrap=True)


def show_resolved(console: Console, merges: Sequence[Merge]) -> None:
    """Print what was merged; where nothing was, say what it needs."""
    if merges:
        show_merges(console, merges)
    else:
        told = "nothing was merged; only an embedder that reads sentences compares names, not the built-in one or none"
        console.print(told, style="dim", soft_wrap=True)


def show_merges(console: Console, merges: Sequence[Merge]) -> None:
    """Print merges, newest first."""
    for merge in merges:
        show_merge(console, merge)
    if not merges:
        console.print("nothing was merged", style="dim")
