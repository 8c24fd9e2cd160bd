"""Export of a graph as a file: GraphML and node-link JSON hold all of it, DOT and Mermaid are for drawing."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

from engrain.graph.traversal import RELATED
from engrain.model.choices import GraphFormat, checked_choice
from engrain.model.entities import Entity, Relationship
from engrain.text import plain_fields, shorten, visible
from engrain.urls import file_of, new_file

MERMAID_ENTITIES, MERMAID_RELATIONSHIPS = 60, 150  # the size limits of a Mermaid diagram: its viewers refuse long texts

_ENDING: Mapping[str, GraphFormat] = {"json": "json", "dot": "dot", "gv": "dot", "mmd": "mermaid", "mermaid": "mermaid"}
_EDGE = ("relation", "weight", "evidence", "valid_from", "valid_until")
_FIELDS = {"node": ("label", "type", "name", "aliases", "metadata"), "edge": ("label", *_EDGE)}
_LABEL = 80  # characters
_XML_INVALID = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")  # even escaped
# All ASCII punctuation with a meaning in Mermaid or its Markdown, except the hyphens of CVE-2021-44228
# and the dots of 203.0.113.7.
_MERMAID_SYNTAX = re.compile(r"(?<![^\W_])-|-(?![^\W_])|(?<!\d)\.|\.(?!\d)|[!-,/:-@\[-`{-~]")


def format_of(path: str | os.PathLike[str]) -> GraphFormat:
    """Return the format for the suffix of a path, `graphml` for an unknown one."""
    return _ENDING.get(Path(path).suffix.lower()[1:], "graphml")


def write_graph(
    path: str | os.PathLike[str],
    entities: Sequence[Entity],
    relationships: Sequence[Relationship],
    *,
    format: str | None = None,
    centre: Entity | None = None,
) -> str:
    """Write a graph to a new file, atomically, and return its path; without a format the suffix decides."""
    write = _FORMATS[checked_choice(format or format_of(path), "format", GraphFormat)]
    with new_file(path) as file:
        file.write_bytes(write(entities, relationships, centre).encode("utf-8", "backslashreplace"))
    return str(file_of(path))


class _Graph(NamedTuple):
    """The content of a file in node-link JSON: nodes by id, edges with the ids of their ends, the centre's id."""

    nodes: Mapping[str, dict[str, Any]]
    edges: Sequence[dict[str, Any]]
    centre: str | None


def _graph(entities: Iterable[Entity], relationships: Sequence[Relationship], centre: Entity | None) -> _Graph:
    """Return the centre, the entities and the ends of relationships by type and name, and every relationship, once."""
    found: dict[tuple[str, str], Entity] = {}
    for entity in (*([centre] if centre else []), *entities, *(e for r in relationships for e in (r.source, r.target))):
        known = found.get((entity.type, entity.name))
        if known is None or (not known.aliases and not known.metadata):
            found[entity.type, entity.name] = entity
    ids = {key: f"n{number}" for number, key in enumerate(found)}
    nodes = {ids[key]: {"id": ids[key], **plain_fields(entity)} for key, entity in found.items()}
    edges: dict[tuple[object, ...], dict[str, Any]] = {}
    for each in relationships:
        source, target = (ids[end.type, end.name] for end in (each.source, each.target))
        values = plain_fields(each)
        edge = {"source": source, "target": target, **{name: values[name] for name in _EDGE}}
        edges.setdefault((source, each.relation, target, each.valid_from, each.valid_until), edge)
    return _Graph(nodes, list(edges.values()), "n0" if centre else None)


def graphml(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as GraphML; lists and metadata are JSON, and characters that XML cannot represent become `�`."""
    graph = _graph(entities, relationships, centre)
    lines = ['<?xml version="1.0" encoding="UTF-8"?>', '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">']
    for kind, names in _FIELDS.items():
        for name in names:
            type_ = "double" if name == "weight" else "string"
            lines.append(f' <key id="{kind}-{name}" for="{kind}" attr.name="{name}" attr.type="{type_}"/>')
    lines.append(' <graph id="engrain" edgedefault="directed">')
    for id_, node in graph.nodes.items():
        lines.append(f'  <node id="{id_}">{_data("node", {**node, "label": node["name"]})}</node>')
    for number, edge in enumerate(graph.edges):
        ends = f'id="e{number}" source="{edge["source"]}" target="{edge["target"]}"'
        lines.append(f"  <edge {ends}>{_data('edge', {**edge, 'label': edge['relation']})}</edge>")
    return "\n".join([*lines, " </graph>", "</graphml>"]) + "\n"


def _data(kind: str, values: Mapping[str, Any]) -> str:
    found = []
    for name in _FIELDS[kind]:
        if (value := values[name]) not in (None, [], {}):
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
            escaped = escape(_XML_INVALID.sub("\ufffd", text), {"\r": "&#13;"})
            found.append(f'<data key="{kind}-{name}">{escaped}</data>')
    return "".join(found)


def node_link(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as node-link JSON."""
    graph = _graph(entities, relationships, centre)
    found = {
        "directed": True,
        "multigraph": True,
        "graph": {"centre": graph.centre} if graph.centre else {},
        "nodes": list(graph.nodes.values()),
        "edges": [{**edge, "key": number} for number, edge in enumerate(graph.edges)],
    }
    return json.dumps(found, ensure_ascii=False, indent=1, default=str) + "\n"


def dot(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph in the language of Graphviz; co-mentions are dashed."""
    graph = _graph(entities, relationships, centre)
    lines = ["digraph {", "  rankdir=LR;", "  node [shape=box, style=rounded];"]
    for id_, node in graph.nodes.items():
        lines.append(f'  {id_} [label="{_dot(node["name"])}\\n{_dot(node["type"].replace("_", " "))}"];')
    for edge in graph.edges:
        dashed = ", style=dashed, arrowhead=none" if _is_faint(edge) else ""
        label = _dot(edge["relation"].replace("_", " "))
        lines.append(f'  {edge["source"]} -> {edge["target"]} [label="{label}"{dashed}];')
    return "\n".join([*lines, "}"]) + "\n"


def mermaid(entities: Sequence[Entity], relationships: Sequence[Relationship], centre: Entity | None = None) -> str:
    """Return a graph as a Mermaid flowchart; of a large one the part around its centre, and how much is left out."""
    whole = _graph(entities, relationships, centre)
    nodes, edges = _middle(whole)
    left_out = len(whole.nodes) - len(nodes), len(whole.edges) - len(edges)
    lines = ["flowchart LR"]
    if any(left_out):
        lines.append(f"  %% not shown: {left_out[0]} entities and {left_out[1]} relationships")
    names = ((node["id"], _mermaid(node["name"]), _mermaid(node["type"].replace("_", " "))) for node in nodes)
    lines += (f'  {id_}["{name}<br>{type_}"]' for id_, name, type_ in names)
    for edge in edges:
        arrow, label = "-.-" if _is_faint(edge) else "-->", _mermaid(edge["relation"].replace("_", " ")) or "#160;"
        lines.append(f'  {edge["source"]} {arrow}|"{label}"| {edge["target"]}')
    return "\n".join(lines) + "\n"


def _is_faint(edge: Mapping[str, Any]) -> bool:
    return bool(edge["relation"] == RELATED and edge["weight"] < 1)


def _label(text: str) -> str:
    """Return a text on one line, cut, with control and direction characters made visible."""
    return _XML_INVALID.sub("\ufffd", visible(shorten(text, _LABEL)))


def _dot(text: str) -> str:
    return _label(text).replace("&", "&amp;").replace("\\", "\\\\").replace('"', '\\"')


def _mermaid(text: str) -> str:
    return _MERMAID_SYNTAX.sub(lambda found: f"#{ord(found[0])};", _label(text))


def _middle(whole: _Graph) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the part nearest to the centre, or to the entity with the heaviest relations, within the limits."""
    neighbours: dict[str, set[str]] = {id_: set() for id_ in whole.nodes}
    weight = dict.fromkeys(whole.nodes, 0.0)
    for edge in whole.edges:
        for one, other in ((edge["source"], edge["target"]), (edge["target"], edge["source"])):
            neighbours[one].add(other)
            weight[one] += edge["weight"]
    middle = whole.centre or max(weight, key=weight.__getitem__, default=None)
    distance, ring, steps = dict[str, int](), {middle} if middle else set(), 0
    while ring:
        distance.update(dict.fromkeys(ring, steps))
        ring, steps = {near for one in ring for near in neighbours[one]} - distance.keys(), steps + 1
    nodes, far = whole.nodes.items(), len(weight)
    order = sorted((distance.get(id_, far), -weight[id_], node["type"], node["name"], id_) for id_, node in nodes)
    kept = {place[-1] for place in order[:MERMAID_ENTITIES]}
    inside = [edge for edge in whole.edges if {edge["source"], edge["target"]} <= kept]
    heaviest = sorted(range(len(inside)), key=lambda place: -inside[place]["weight"])[:MERMAID_RELATIONSHIPS]
    return [node for id_, node in whole.nodes.items() if id_ in kept], [inside[place] for place in sorted(heaviest)]


_FORMATS = {"graphml": graphml, "json": node_link, "dot": dot, "mermaid": mermaid}
