"""The graph: entities and their relations as a picture, at any time, and what can be put right in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial
from typing import Any

import anyio.to_thread
from nicegui import ui

from engrain.arrays import np
from engrain.model.entities import Entity, Merge, Relationship
from engrain.model.memory import Memory
from engrain.server.console.dialogs import ask, dialog
from engrain.server.console.elements import Tag, button, details, download, el, empty, field, section
from engrain.server.console.page import Page
from engrain.server.console.parts import TimeSlider, extent
from engrain.text import visible

_RELATIONS, _NODES, _ROUNDS = 1_000, 400, 40
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#b8a800", "#7f8790")
_SHAPES = ("circle", "diamond", "triangle", "rect")  # of the types beyond the colours
_SOFT = {"color": "#8a94a0"}
Name = tuple[str, str]


async def build(page: Page) -> None:
    """Build the page."""
    await GraphPage(page).build()


def _name(entity: Entity) -> Name:
    return entity.type, entity.name


class GraphPage:
    """The picture with its search and its slider, and beside it the entity that is looked at."""

    def __init__(self, page: Page) -> None:
        self.page = page

    async def build(self) -> None:
        """Build it."""
        page = self.page
        with el("div", "", "row wrap tools"):
            with page.asking("Show", ("type",), "row wrap grow"):
                field("Entity", "entity", page.query.get("entity", ""), kind="search", placeholder="Any of its names")
            if page.may("graph relate"):
                button("Add a relation", page.on(self._relate))
            button("Save as STIX", page.on(self._stix))
        with el("div", "", "times"):
            within = await extent(page, "valid_from")
            self._as_of = TimeSlider(page, "as_of", "As of", hint="what was true then", within=within)
        await page.shows(self._show)

    async def _show(self) -> None:
        page, name, at = self.page, self.page.query.get("entity", ""), self._as_of.value or None
        chosen: Entity | None = None
        if name:
            chosen = await page.call("graph entity", type=page.query.get("type", "name"), value=name)
        if chosen is None:
            relations = list(await page.call("graph relationships", limit=_RELATIONS, as_of=at))
            memories: Sequence[Memory] = ()
        else:
            named: dict[str, Any] = {"entity_type": chosen.type, "value": chosen.name}
            relations = await page.call("graph show", as_of=at, **named)
            memories = await page.call("recall-entity", k=10, as_of=at, **named)
        merges = [each for each in await page.call("graph merges") if each.state == "merged"]
        if chosen is not None:
            self._entity(chosen)
        elif name:
            el("p", f"No entity is called {name}; this is the whole graph.", "notice")
        if relations:
            await page.later(partial(self._picture, relations, chosen))
            _listed(page, relations)
        else:
            empty("No relations are known here.", "Statements such as “Ana works at Acme” become relations.")
        if memories:
            with section("Memories about it"):
                for memory in memories:
                    with el("p", "", "item"):
                        page.to_memory(memory)
        if merges:
            with details("Merges that were made"):
                self._merges(merges)

    def _merges(self, merges: Sequence[Merge]) -> None:
        for merge in merges[:20]:
            with el("p", "", "row wrap"):
                el("span", f"{merge.other.name} counts as {merge.keep.name}: {merge.reason}", "grow")
                if self.page.may("graph unmerge"):
                    button("Undo this merge", self.page.on(partial(self._unmerge, merge)), "small")

    def _entity(self, entity: Entity) -> None:
        page = self.page
        with section(entity.name):
            with el("p", "", "meta"):
                el("span", entity.type, "badge")
                if entity.aliases:
                    el("span", f"also {', '.join(entity.aliases[:12])}")
            with el("div", "", "actions"):
                if page.may("graph merge"):
                    button("Merge into another", page.on(partial(self._merge, entity)))
                    button("Give another name", page.on(partial(self._alias, entity)))
                page.link("Whole graph", "/graph", "button flat")

    async def _picture(self, relations: Sequence[Relationship], chosen: Entity | None) -> None:
        weight: Counter[Name] = Counter()
        for each in relations:
            for end in (each.source, each.target):
                weight[_name(end)] += 1 + len(each.evidence)
        shown = [name for name, _ in weight.most_common(_NODES)]
        heaviest = max(weight.values())
        index = {name: number for number, name in enumerate(shown)}
        kept = [each for each in relations if {_name(each.source), _name(each.target)} <= index.keys()]
        pairs = [(index[_name(each.source)], index[_name(each.target)]) for each in kept]
        types = [type_ for type_, _ in Counter(type_ for type_, _ in shown).most_common()]
        places = await anyio.to_thread.run_sync(positions, len(shown), pairs)
        marked = {"borderColor": "#d55e00", "borderWidth": 4}
        nodes = [
            {
                "id": str(number),
                "name": visible(name),
                "x": round(float(places[number][0]) * 1000),
                "y": round(float(places[number][1]) * 672),
                "symbolSize": round(10 + 30 * (weight[type_, name] / heaviest) ** 0.5, 1),
                "category": types.index(type_),
                "label": {"show": len(shown) <= 60 or number < 25},
                "itemStyle": marked if chosen and _name(chosen) == (type_, name) else {},
            }
            for number, (type_, name) in enumerate(shown)
        ]
        links = [
            {"source": str(a), "target": str(b), "value": each.relation}
            for each, (a, b) in zip(kept, pairs, strict=True)
        ]
        label = f"{len(nodes)} entities and {len(links)} relations; the table below has them as text"
        with el("div", "", "card picture", role="img", aria_label=label):
            chart = ui.echart(_options(nodes, links, types), on_point_click=lambda event: self._clicked(event, shown))
            chart.classes("chart")

    def _clicked(self, event: Any, shown: Sequence[Name]) -> None:
        if event.data_type == "node":
            type_, name = shown[event.data_index]
            self.page.go("/graph", entity=name, type=type_, as_of=self._as_of.value)

    # -------------------------------------------------------------------------------------------------------- actions

    async def _relate(self) -> None:
        page = self.page
        with dialog(page, "Add a relation", "Add") as made:
            with el("div", "", "grid2"):
                for end, label in (("source", "From"), ("target", "To")):
                    field(f"{label}: name", end, required=True)
                    field(f"{label}: type", f"{end}_type", "name", required=True, hint="person, organization, place …")
            field("Relation", "relation", required=True, placeholder="works_at")
        if (given := await made.answer()) is None:
            return
        ends = {end: (given[f"{end}_type"], given[end]) for end in ("source", "target")}
        await page.call("graph relate", relation=given["relation"], **ends)  # type: ignore[arg-type]
        await page.done("Stated.")

    async def _merge(self, entity: Entity) -> None:
        def keep() -> None:
            field("It counts as", "name", required=True)
            field("Type", "type", entity.type, required=True)

        given = await ask(self.page, f"Merge {entity.name} into another entity", verb="Merge", more=keep)
        if given is not None:
            merge = await self.page.call("graph merge", keep=(given["type"], given["name"]), other=_name(entity))
            await self.page.done("Merged.", partial(self.page.call, "graph unmerge", merge_id=merge.id))

    async def _unmerge(self, merge: Merge) -> None:
        await self.page.call("graph unmerge", merge_id=merge.id)
        again = partial(self.page.call, "graph merge", keep=_name(merge.keep), other=_name(merge.other))
        await self.page.done("They are two again.", again)

    async def _alias(self, entity: Entity) -> None:
        def name() -> None:
            field("Its other name", "alias", required=True)

        given = await ask(self.page, f"Another name of {entity.name}", verb="Add", more=name)
        if given is not None:
            await self.page.call("graph alias", type=entity.type, value=entity.name, alias=given["alias"])
            await self.page.done("Named.")

    async def _stix(self) -> None:
        download(await self.page.written("export-stix", "bundle.json"), "bundle.json")


def _listed(page: Page, relations: Sequence[Relationship]) -> None:
    with details("The same as a table", opened=len(relations) <= 12):
        rows = []
        for each in relations[:200]:
            source, target = (partial(_way, page, end) for end in (each.source, each.target))
            name, evidence = each.relation.replace("_", " "), partial(_evidence, page, each)
            rows.append((source, name, target, each.valid_from, each.valid_until, evidence))
        page.table("Relations", ("from", "relation", "to", "since", "until", "stated by"), rows)
        if len(relations) > len(rows):
            el("p", f"{len(relations) - len(rows):,} more are in the picture or behind a search.", "muted")


def _way(page: Page, entity: Entity) -> Tag:
    return page.link(entity.name, "/graph", entity=entity.name, type=entity.type)


def _evidence(page: Page, relation: Relationship) -> Tag:
    if not relation.evidence:
        return el("span", "by hand")
    return page.link("a memory", "/memory", id=relation.evidence[0])


def positions(count: int, pairs: Sequence[tuple[int, int]]) -> Any:
    """Return where each of some nodes is drawn, from 0 to 1: those that are related attract, all others repel."""
    turn = np.arange(count) * 2.39996  # a sunflower, so that the same graph is always drawn the same
    at = np.stack([np.cos(turn), np.sin(turn)], axis=1) * np.sqrt((np.arange(count) + 0.5) / max(count, 1))[:, None]
    near = 1.6 / np.sqrt(max(count, 1))
    ends = np.array(pairs, dtype=int).reshape(-1, 2)
    for step in range(_ROUNDS):
        away = at[:, None, :] - at[None, :, :]
        square = (away**2).sum(axis=2) + 1e-6
        force = (away * (near**2 / square)[:, :, None]).sum(axis=1) - at * near * 0.6
        pull = (at[ends[:, 1]] - at[ends[:, 0]]) * (np.linalg.norm(at[ends[:, 1]] - at[ends[:, 0]], axis=1) / near)[
            :, None
        ]
        np.add.at(force, ends[:, 0], pull * 0.5)
        np.add.at(force, ends[:, 1], -pull * 0.5)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-9
        at = at + force / length * np.minimum(length, 0.12 * (1 - step / _ROUNDS) + 0.002)
    low, high = at.min(axis=0), at.max(axis=0)
    return (at - low) / np.maximum(high - low, 1e-9)


def _options(nodes: list[dict[str, Any]], links: list[dict[str, Any]], types: Sequence[str]) -> dict[str, Any]:
    return {
        "animation": False,
        "color": list(_COLOURS),
        "tooltip": {"renderMode": "richText"},
        "legend": [
            {"data": [visible(each) for each in types], "type": "scroll", "top": 4, "textStyle": {"color": "#8a94a0"}}
        ],
        "series": [
            {
                "type": "graph",
                "layout": "none",
                "roam": True,
                "data": nodes,
                "links": links,
                "categories": [
                    {"name": visible(each), "symbol": _SHAPES[number // len(_COLOURS) % len(_SHAPES)]}
                    for number, each in enumerate(types)
                ],
                "edgeSymbol": ["none", "arrow"],
                "edgeSymbolSize": 7,
                "lineStyle": {"color": "#8a94a0", "opacity": 0.6, "curveness": 0.08},
                "label": {"position": "right", "color": "#717c89", "fontSize": 13, "formatter": "{b}"},
                "edgeLabel": {"show": len(links) <= 25, "formatter": "{c}", "color": "#717c89", "fontSize": 11},
                "emphasis": {"focus": "adjacency", "label": {"show": True}},
                "left": "6%",  # with the shape of the picture, the same scale across and down
                "right": "14%",
                "top": "8%",
                "bottom": "6%",
            }
        ],
    }
