"""The Graph page: entities and their relations as a picture, at any time, and corrections to it."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from typing import Any
from zlib import crc32

import anyio.to_thread
from nicegui import ui

from engrain.language.calendar import parse_when
from engrain.lazy import np
from engrain.model.entities import Entity, Merge, Relationship
from engrain.model.memory import Memory
from engrain.server.console.elements import button, details, el, empty, field, section, suggested
from engrain.server.console.gate import asset
from engrain.server.console.page import Page
from engrain.server.console.parts import TimeSlider, extent
from engrain.text import visible

_RELATIONS, _NODES, _LABELLED, _FEW, _ROUNDS, _SUGGESTED = 1_000, 400, 8, 5, 50, 300
_SHAPES = ("circle", "diamond", "triangle", "rect")  # of the types beyond the colours
Name = tuple[str, str]


async def build(page: Page) -> None:
    """Build the page."""
    with el("div", "", "row wrap tools"):
        with page.asking("Show", ("type",), "row wrap grow"):
            suggested(dict.fromkeys(each.name for each in await page.call("graph entities", limit=_SUGGESTED)))
            name = page.query.get("entity", "")
            field("Entity", "entity", name, kind="search", placeholder="Any of its names", list="known")
        if page.may("graph relate"):
            button("Add a relation", page.on(partial(_relate, page)))
        if find_spec("stix2") is not None:
            button("Save as STIX", page.saving("Writing STIX", "export-stix", "bundle.json"))
    with el("div", "", "times"):
        TimeSlider(page, "as_of", "As of", hint="what was true then", within=await extent(page, "valid_from"))
    await page.shows(partial(_show, page))


def _name(entity: Entity) -> Name:
    return entity.type, entity.name


async def _show(page: Page) -> None:
    name = page.query.get("entity", "")
    if at := page.moment("as_of", page.query.get("as_of")):
        parse_when(at, name="as_of")  # which reports an invalid time
    type_ = page.query.get("type", "name")
    chosen: Entity | None = await page.call("graph entity", type=type_, value=name) if name else None
    about: Sequence[Memory] = []
    if chosen is not None:
        named: dict[str, Any] = {"entity_type": chosen.type, "value": chosen.name}
        about = await page.call("recall-entity", k=_SUGGESTED, as_of=at, touch=False, **named)
        _entity(page, chosen, at, sorted({each.scope.user for each in about if each.scope.user}))
    elif name:
        el("p", f"No entity is called {name}; this is the whole graph.", "notice")
    await page.later(partial(_relations, page, chosen, at))
    if chosen is not None:
        with section("Memories about it"):
            if not about:
                el("p", "None: it was stated by hand.", "muted")
            for memory in about[:10]:
                with el("p", "", "item"):
                    page.to_memory(memory)
    if merges := [each for each in await page.call("graph merges") if each.state == "merged"]:
        with details("Merges that were made"):
            for merge in merges[:20]:
                with el("p", "", "row wrap"):
                    el("span", f"{merge.other.name} counts as {merge.keep.name}: {merge.reason}", "grow")
                    if page.may("graph unmerge"):
                        button("Undo this merge", page.on(partial(_unmerge, page, merge)), "small")


async def _relations(page: Page, chosen: Entity | None, at: str | None) -> None:
    if chosen is None:
        found = list(await page.call("graph relationships", limit=_RELATIONS, as_of=at))
    else:
        found = await page.call("graph show", as_of=at, entity_type=chosen.type, value=chosen.name)
    if found:
        await _picture(page, found, chosen)
        with details("The same as a table", opened=len(found) <= 12):
            rows = []
            for each in found[:200]:
                to = partial(partial, page.link, path="/graph", as_of=at)
                source, target = (to(one.name, entity=one.name, type=one.type) for one in (each.source, each.target))
                stated = partial(page.link, "a memory", "/memory", id=each.evidence[0]) if each.evidence else "by hand"
                rows.append(
                    (source, each.relation.replace("_", " "), target, each.valid_from, each.valid_until, stated)
                )
            page.table("Relations", ("from", "relation", "to", "since", "until", "stated by"), rows)
            if len(found) > len(rows):
                el("p", f"{len(found) - len(rows):,} more are in the picture or behind a search.", "muted")
    else:
        empty("No relations are known here.", "Statements such as “Ana works at Acme” become relations.")


def _entity(page: Page, entity: Entity, at: str | None, users: Sequence[str]) -> None:
    with section(entity.name):
        with el("p", "", "meta"):
            el("span", entity.type, "badge")
            if entity.aliases:
                el("span", f"also {', '.join(entity.aliases[:12])}")
        with el("div", "", "actions"):
            if users and not page.scope.user:
                for user in users[:_FEW]:  # each has entities of their own, which are corrected in their view
                    page.link(f"Correct it for {user}", "/graph", "button", **page.query, user=user)
            elif page.may("graph merge"):
                button("Merge into another", page.on(partial(_merge, page, entity)))
                button("Give another name", page.on(partial(_alias, page, entity)))
            page.link("Whole graph", "/graph", "button flat", as_of=at)


async def _picture(page: Page, relations: Sequence[Relationship], chosen: Entity | None) -> None:
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
            ":x": f"engrain.turned({x:.0f}, {y:.0f})",
            ":y": f"engrain.turned({y:.0f}, {x:.0f})",
            "value": weight[type_, name],
            ":symbolSize": f"engrain.sized({8 + 22 * (weight[type_, name] / heaviest) ** 0.5:.1f})",
            "category": types.index(type_),
            "itemStyle": marked if chosen and _name(chosen) == (type_, name) else {},
        }
        for number, ((type_, name), (x, y)) in enumerate(zip(shown, places * (1600, 1000), strict=True))
    ]
    ends = [{"source": str(a), "target": str(b)} for a, b in pairs]
    links = [{**end, "value": each.relation.replace("_", " ")} for end, each in zip(ends, kept, strict=True)]
    label = f"{len(nodes)} entities and {len(links)} relations; the table below has them as text"
    with el("div", "", "card picture", role="img", aria_label=label):
        chart = ui.echart(_options(nodes, links, types), on_point_click=lambda event: _clicked(page, event, shown))
        chart.classes("chart few" if len(nodes) < _FEW else "chart")
    if chosen is None and len(relations) == _RELATIONS:
        el("p", f"{_RELATIONS:,} of the relations. Search an entity to see all of its own.", "muted")


def _clicked(page: Page, event: Any, shown: Sequence[Name]) -> None:
    if event.data_type == "node":
        type_, name = shown[event.data_index]
        page.go("/graph", entity=name, type=type_, as_of=page.query.get("as_of"))


async def _merge(page: Page, entity: Entity) -> None:
    given = await page.ask(f"Merge {entity.name} into another", verb="Merge", merge={"type": entity.type}, owner={})
    if given is not None:
        keep, user = (given["type"], given["name"]), given.get("user")
        merge = await page.call("graph merge", keep=keep, other=_name(entity), user=user)
        await page.done("Merged.", partial(page.call, "graph unmerge", merge_id=merge.id))


async def _unmerge(page: Page, merge: Merge) -> None:
    await page.call("graph unmerge", merge_id=merge.id)
    ends: dict[str, Any] = {"keep": _name(merge.keep), "other": _name(merge.other)}
    if page.may("audit log"):  # its first entry names the user of both
        ends["user"] = (await page.call("audit log", memory_id=merge.id))[-1].user
    await page.done("They are two again.", partial(page.call, "graph merge", **ends))


async def _alias(page: Page, entity: Entity) -> None:
    line = "Questions by this name find it, too. This cannot be undone."
    given = await page.ask(f"Another name of {entity.name}", line, verb="Add", alias={}, owner={})
    if given is not None:
        await page.call("graph alias", type=entity.type, value=entity.name, **dict[str, Any](given))
        await page.done("Named. This cannot be undone.")


async def _relate(page: Page) -> None:
    now = {"source": page.query.get("entity", ""), "source_type": page.query.get("type", "name")}
    if (given := await page.ask("Add a relation", verb="Add", relate={**now, "target_type": "name"}, owner={})) is None:
        return
    ends: dict[str, Any] = {end: (given[f"{end}_type"], given[end]) for end in ("source", "target")}
    await page.call("graph relate", relation=given["relation"], user=given.get("user"), **ends)
    await page.done("Stated. This cannot be undone.")


def positions(count: int, pairs: Sequence[tuple[int, int]]) -> Any:
    """Return where, from 0 to 1, each of some nodes is drawn: related ones attract each other, near ones repel."""
    turn = np.arange(count) * 2.39996  # a sunflower, so that the same graph is always drawn the same
    at = np.stack([np.cos(turn), np.sin(turn)], axis=1) * np.sqrt((np.arange(count) + 0.5) / max(count, 1))[:, None]
    near = 1.6 / np.sqrt(max(count, 1))
    first, second = np.array(pairs, dtype=int).reshape(-1, 2).T
    degree = np.bincount([*first, *second], minlength=count)
    weight = 1 / (near * np.sqrt(degree[first] * degree[second]))  # hubs do not draw everything together
    for step in range(_ROUNDS):
        away = at[:, None, :] - at[None, :, :]
        square = (away**2).sum(axis=2) + 1e-6
        repulsion = near**2 / square * (square < 16 * near**2)  # parts that are not related stay beside each other
        force = (away * repulsion[:, :, None]).sum(axis=1) - at * near * 1.5
        apart = at[second] - at[first]
        pull = apart * (np.linalg.norm(apart, axis=1) * weight)[:, None]
        np.add.at(force, first, pull)
        np.add.at(force, second, -pull)
        length = np.linalg.norm(force, axis=1, keepdims=True) + 1e-9
        at = at + force / length * np.minimum(length, 0.12 * (1 - step / _ROUNDS) + 0.002)
    return (at - at.min(axis=0)) / np.maximum(np.ptp(at, axis=0), 1e-9)


def _options(nodes: list[dict[str, Any]], links: list[dict[str, Any]], types: Sequence[str]) -> dict[str, Any]:
    options = json.loads(asset("graph.json"))
    names, series, categories = [visible(each) for each in types], options["series"], []
    known, colours = options.pop("kinds"), options["color"]
    for each, name in zip(types, names, strict=True):  # a type looks the same in every view
        other = len(colours) + crc32(each.encode()) % (len(colours) * (len(_SHAPES) - 1))
        shape, colour = divmod(known.index(each) if each in known else other, len(colours))
        categories.append({"name": name, "symbol": _SHAPES[shape], "itemStyle": {"color": colours[colour]}})
    zoom = min(0.6 + len(nodes) / 20, 1.05)
    series |= {":zoom": f"engrain.turned({zoom}, {zoom * 0.9})"}
    series |= {"data": nodes, "links": links, "categories": categories}
    options["legend"]["data"] = [{"name": each["name"], "icon": each["symbol"]} for each in categories]
    series["edgeLabel"]["show"] = len(links) <= _LABELLED
    series |= {":labelLayout": "engrain.apart()"} if len(links) > _LABELLED else {}  # it misplaces those of edges
    return options  # type: ignore[no-any-return]
